// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/mechanisms/MechanismPlotTiles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/session/Images.h"

namespace headlight {
namespace {

constexpr std::uint8_t kWhite = 255;
constexpr double kWide = 1.6;  // of a small plot, its width by its height
constexpr double kEdge = 3;

struct LineColor {
  const char* name;
  DrawnColor color;
};
// Okabe and Ito's.
constexpr std::array<LineColor, 4> kLineColors{{{"blue", {0x00, 0x72, 0xb2}},
                                                {"vermilion", {0xd5, 0x5e, 0x00}},
                                                {"green", {0x00, 0x9e, 0x73}},
                                                {"purple", {0xcc, 0x79, 0xa7}}}};

/// The names of lines, each once, in order.
std::vector<std::string> lineNames(const MechanismPlot& image) {
  std::vector<std::string> names;
  for (const MechanismPlotCurve& curve : image.curves)
    if (std::find(names.begin(), names.end(), curve.name) == names.end())
      names.push_back(curve.name);
  return names;
}

const LineColor& colorAt(const MechanismPlot& image, const std::string& name) {
  const auto names = lineNames(image);
  const auto index = std::find(names.begin(), names.end(), name) - names.begin();
  return kLineColors[static_cast<std::size_t>(index) % kLineColors.size()];
}

/// For an entry of rows × cols, at least one.
int entryPixels(int rows, int cols, int pixels) {
  return std::max(1, pixels / std::max({rows, cols, 1}));
}

Image scaledTo(const Image& view, int longer) {
  if (view.empty()) return view;
  const double scale = static_cast<double>(longer) / std::max(view.width, view.height);
  return resize(view, std::max(1, static_cast<int>(std::lround(view.width * scale))),
                std::max(1, static_cast<int>(std::lround(view.height * scale))),
                Interpolation::Bicubic);
}

/// `view` at the size that is drawn.
Image drawnPanel(const MechanismPlotInfo& info, const MechanismPlotPanel& panel,
                 const ValueRange& range, const MechanismPlotStyle& style, int pixels,
                 const Image& view) {
  const ColorMap colors = plotColors(info, style);
  // Beyond the edge of a window there is nothing to blend with.
  const bool whole = std::none_of(panel.values.begin(), panel.values.end(),
                                  [](float value) { return std::isnan(value); });
  if (info.kind == MechanismPlotKind::Heatmap && !view.empty())
    return overlay(view, panel.values, panel.rows, panel.cols, range, colors, style.opacity,
                   style.smooth && whole);
  const int each = entryPixels(panel.rows, panel.cols, pixels);
  if (std::int64_t{panel.cols} * each * panel.rows * each > kMaxImagePixels)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("would exceed 64 megapixels with one pixel per entry"), info.name});
  return heatmap(panel.values, panel.rows, panel.cols, range, colors, panel.cols * each,
                 panel.rows * each, false);
}

/// A line with gaps where nothing is there, as lines without.
std::vector<DrawnLine> curveLines(const MechanismPlotCurve& curve, const ValueRange& range,
                                  double width, double height, DrawnColor color) {
  std::vector<DrawnLine> lines;
  const double span = range.high > range.low ? range.high - range.low : 1;
  const auto places = static_cast<double>(std::max<std::size_t>(2, curve.values.size()) - 1);
  bool open = false;
  for (std::size_t i = 0; i < curve.values.size(); ++i) {
    const float value = curve.values[i];
    if (std::isnan(value)) {
      open = false;
      continue;
    }
    if (!open) lines.push_back({{}, color, 1.2});
    open = true;
    lines.back().points.emplace_back(
        kEdge + (width - 2 * kEdge) * static_cast<double>(i) / places,
        kEdge + (height - 2 * kEdge) * (1 - (value - range.low) / span));
  }
  return lines;
}

}  // namespace

Image paddedTile(const Image& image, int width, int height) {
  if (image.width == width && image.height == height) return image;
  auto pixels = std::make_shared<std::vector<std::uint8_t>>(
      static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3, kWhite);
  const int left = (width - image.width) / 2, top = (height - image.height) / 2;
  for (int y = 0; y < image.height; ++y)
    std::copy_n(image.row(y), image.width * 3,
                pixels->data() + (static_cast<std::size_t>(top + y) * width + left) * 3);
  return {width, height, std::move(pixels)};
}

MechanismPlotPanel blockMeans(const MechanismPlotPanel& panel, int side) {
  MechanismPlotPanel means{
      panel.layer, panel.head, (panel.rows + side - 1) / side, (panel.cols + side - 1) / side, {}};
  for (int row = 0; row < means.rows; ++row)
    for (int col = 0; col < means.cols; ++col) {
      double sum = 0;
      int count = 0;
      for (int r = row * side; r < std::min(panel.rows, (row + 1) * side); ++r)
        for (int c = col * side; c < std::min(panel.cols, (col + 1) * side); ++c) {
          const float value = panel.values[static_cast<std::size_t>(r) * panel.cols + c];
          if (std::isnan(value)) continue;
          sum += value;
          ++count;
        }
      means.values.push_back(count > 0 ? static_cast<float>(sum / count)
                                       : std::numeric_limits<float>::quiet_NaN());
    }
  return means;
}

MechanismPlotPart cropToValues(const MechanismPlotPanel& panel, const Image& view) {
  int top = panel.rows, bottom = 0, left = panel.cols, right = 0;
  for (int row = 0; row < panel.rows; ++row)
    for (int col = 0; col < panel.cols; ++col)
      if (!std::isnan(panel.values[static_cast<std::size_t>(row) * panel.cols + col])) {
        top = std::min(top, row), bottom = std::max(bottom, row + 1);
        left = std::min(left, col), right = std::max(right, col + 1);
      }
  if (bottom == 0 || (bottom - top == panel.rows && right - left == panel.cols))
    return {panel, view};
  MechanismPlotPart part{{panel.layer, panel.head, bottom - top, right - left, {}}, {}, true};
  for (int row = top; row < bottom; ++row) {
    const auto begin = panel.values.begin() + static_cast<std::ptrdiff_t>(row) * panel.cols;
    part.panel.values.insert(part.panel.values.end(), begin + left, begin + right);
  }
  if (view.empty()) return part;
  const double across = double(view.width) / panel.cols, down = double(view.height) / panel.rows;
  const int width = std::max(1, static_cast<int>(std::lround((right - left) * across))),
            height = std::max(1, static_cast<int>(std::lround((bottom - top) * down)));
  part.view = resample(view, {left * across, top * down, right * across, bottom * down}, width,
                       height, {0, 0, width, height}, Interpolation::Bicubic);
  return part;
}

std::string plotLegend(const MechanismPlot& image) {
  std::string text;
  for (const std::string& name : lineNames(image))
    addTo(text, std::string(colorAt(image, name).name) + " " + name);
  return text;
}

MechanismPlotTiles::MechanismPlotTiles(const MechanismPlot& image, const MechanismPlotStyle& style,
                                       int target, const Image& view, std::int64_t mostPixels)
    : m_image(image),
      m_style(style),
      m_target(target),
      m_mostPixels(mostPixels),
      m_view(image.info.kind == MechanismPlotKind::Heatmap ? view : Image{}) {}

void MechanismPlotTiles::addCurves(int layer, int head, const ValueRange& range) {
  Drawing drawing;
  drawing.width = std::max(m_target, 80) * 1.0;
  drawing.height = std::round(drawing.width / kWide);
  if (range.low < 0 && range.high > 0)
    drawing.lines = curveLines({layer, head, "", 0, {0, 0}}, range, drawing.width, drawing.height,
                               {200, 200, 200});
  for (const MechanismPlotCurve& curve : m_image.curves) {
    if (curve.layer != layer || (curve.head >= 0 && curve.head != head)) continue;
    const auto lines =
        curveLines(curve, range, drawing.width, drawing.height, colorAt(m_image, curve.name).color);
    drawing.lines.insert(drawing.lines.end(), lines.begin(), lines.end());
  }
  m_plots.push_back(renderPixels(drawing, 1));
}

/// Tiles are all as large as the largest.
int MechanismPlotTiles::reductionNeeded() const {
  std::int64_t wide = 1, high = 1;
  for (const std::size_t i : m_panels) {
    const MechanismPlotPanel& panel = m_image.panels[i];
    const int each = entryPixels(panel.rows, panel.cols, m_target);
    wide = std::max(wide, std::int64_t{panel.cols} * each);
    high = std::max(high, std::int64_t{panel.rows} * each);
  }
  const double share = static_cast<double>(wide * high) * static_cast<double>(m_panels.size()) /
                       static_cast<double>(m_mostPixels);
  return std::max(1, static_cast<int>(std::ceil(std::sqrt(share))));
}

Image MechanismPlotTiles::heatmapTile(const MechanismPlotPanel& panel, const ValueRange& range) {
  const MechanismPlotPart part = cropToValues(panel, m_view);
  m_cropped = m_cropped || part.cropped;
  return drawnPanel(m_image.info, part.panel, range, m_style, m_target,
                    scaledTo(part.view, m_target));
}

std::vector<Image> MechanismPlotTiles::images() {
  std::vector<Image> images = m_plots;
  if (m_image.info.kind != MechanismPlotKind::Heatmap) m_reduced = reductionNeeded();
  std::optional<ValueRange> shared;
  if (m_style.sharedScale && !m_panels.empty())
    shared = plotRange(m_image, m_panels.front(), m_style);
  for (const std::size_t i : m_panels) {
    const ValueRange range = shared ? *shared : plotRange(m_image, i, m_style);
    const MechanismPlotPanel& panel = m_image.panels[i];
    images.push_back(m_image.info.kind == MechanismPlotKind::Heatmap ? heatmapTile(panel, range)
                     : m_reduced == 1
                         ? drawnPanel(m_image.info, panel, range, m_style, m_target, {})
                         : drawnPanel(m_image.info, blockMeans(panel, m_reduced), range, m_style,
                                      m_target / m_reduced, {}));
  }
  int width = 0, height = 0;
  for (const Image& image : images) {
    width = std::max(width, image.width);
    height = std::max(height, image.height);
  }
  for (Image& image : images)
    image = paddedTile(image, width, height);
  return images;
}

Result<Image> plotPanelImage(const MechanismPlot& image, std::size_t panel,
                             const MechanismPlotStyle& style, int pixels, const Image& view) {
  return guarded(image.info.name, [&] {
    if (panel >= image.panels.size())
      throw Failure({ErrorCode::InvalidArgument, tr("has no such panel"), image.info.name});
    const bool over = image.info.kind == MechanismPlotKind::Heatmap && !view.empty();
    return drawnPanel(image.info, image.panels[panel], plotRange(image, panel, style), style,
                      pixels, over ? scaledTo(view, pixels) : Image{});
  });
}

}  // namespace headlight
