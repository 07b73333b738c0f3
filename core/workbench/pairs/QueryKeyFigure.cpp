// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/pairs/QueryKeyFigure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/imaging/ColorMap.h"

namespace headlight {
namespace {

// Units of 1/96 inch.
constexpr double kQueryMapWidth = 640, kQueryMapHeight = 560, kQueryMapMargin = 24,
                 kQueryMapTop = 34, kQueryMapBottom = 500, kQueryMapText = 11;
constexpr double kNoPointValue = std::numeric_limits<double>::quiet_NaN();
constexpr DrawnColor kFrameColor{190, 190, 190}, kUnknownPointColor{150, 150, 150};
/// Okabe and Ito's: queries and keys first, as in the figures of angles.
constexpr std::array<DrawnColor, 7> kPointColors{{{0x00, 0x72, 0xb2},
                                                  {0xd5, 0x5e, 0x00},
                                                  {0x00, 0x9e, 0x73},
                                                  {0xcc, 0x79, 0xa7},
                                                  {0xe6, 0x9f, 0x00},
                                                  {0x56, 0xb4, 0xe9},
                                                  {0x7f, 0x7f, 0x7f}}};

double rawValue(const QueryKeyMap& map, const QueryKeyPoint& point, PointColoring coloring) {
  const QueryKeyImage& image = map.images[static_cast<std::size_t>(point.image)];
  const Grid& grid = point.isKey ? image.keys : image.queries;
  switch (coloring) {
    case PointColoring::Role:
      return point.isKey ? 1 : 0;
    case PointColoring::Row:  // shares of the image: pooled grids are coarser
      return point.row < 0 ? kNoPointValue : (point.row + 0.5) / grid.rows;
    case PointColoring::Column:
      return point.row < 0 ? kNoPointValue : (point.column + 0.5) / grid.cols;
    case PointColoring::Class:
      return image.label < 0 ? kNoPointValue : image.label;
    case PointColoring::Norm:
      break;
  }
  return point.norm;
}

bool countsThings(PointColoring coloring) {
  return coloring == PointColoring::Role || coloring == PointColoring::Class;
}

DrawnColor pointColor(double value, PointColoring coloring) {
  if (std::isnan(value)) return kUnknownPointColor;
  if (countsThings(coloring))
    return kPointColors[static_cast<std::size_t>(value) % kPointColors.size()];
  const auto color = colorOf(ColorMap::Viridis, value);
  return {color[0], color[1], color[2]};
}

/// One scale for both axes, so that distances are distances.
struct MapFrame {
  double left = 0, bottom = 0, unit = 1;

  explicit MapFrame(const QueryKeyMap& map) {
    double lowX = 0, highX = 0, lowY = 0, highY = 0;
    for (const QueryKeyPoint& point : map.points) {
      lowX = std::min(lowX, point.x), highX = std::max(highX, point.x);
      lowY = std::min(lowY, point.y), highY = std::max(highY, point.y);
    }
    const double wide = kQueryMapWidth - 4 * kQueryMapMargin,
                 high = kQueryMapBottom - kQueryMapTop - 2 * kQueryMapMargin;
    unit = std::min(wide / std::max(highX - lowX, 1e-300), high / std::max(highY - lowY, 1e-300));
    left = kQueryMapWidth / 2 - unit * (lowX + highX) / 2;
    bottom = (kQueryMapTop + kQueryMapBottom) / 2 + unit * (lowY + highY) / 2;
  }
  std::pair<double, double> place(const QueryKeyPoint& point) const {
    return {left + unit * point.x, bottom - unit * point.y};
  }
};

void addMark(Drawing& drawing, const std::pair<double, double>& at, bool isKey,
             const DrawnColor& color) {
  constexpr double kDot = 1.5, kArm = 2.5;
  const auto [x, y] = at;
  if (!isKey) {
    drawing.lines.push_back({{{x, y}}, color, kDot});
    return;
  }
  drawing.lines.push_back({{{x - kArm, y}, {x + kArm, y}}, color, 1});
  drawing.lines.push_back({{{x, y - kArm}, {x, y + kArm}}, color, 1});
}

void addMapWords(Drawing& drawing, double x, double y, const std::string& words) {
  drawing.texts.push_back({x, y, words, kQueryMapText, DrawnText::Anchor::Left, 60});
}

void addMapKey(Drawing& drawing, PointColoring coloring) {
  const bool roles = coloring == PointColoring::Role;
  const DrawnColor gray{60, 60, 60};
  addMark(drawing, {kQueryMapWidth - 150, 16}, false, roles ? kPointColors[0] : gray);
  addMapWords(drawing, kQueryMapWidth - 142, 20, tr("queries"));
  addMark(drawing, {kQueryMapWidth - 80, 16}, true, roles ? kPointColors[1] : gray);
  addMapWords(drawing, kQueryMapWidth - 72, 20, tr("keys"));
}

std::string sharePercent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

std::string correlationText(double value) {
  if (std::isnan(value)) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

std::string colorWords(PointColoring coloring) {
  const std::string& name = pointColoringNames()[static_cast<std::size_t>(coloring)];
  return tr("colors: ") + name + (countsThings(coloring) ? "" : tr(", from low (dark) to high"));
}

std::string pointCell(double value) {
  return std::isfinite(value) ? numberText(value) : std::string();
}

void addMapRow(std::string& csv, const QueryKeyMap& map, const QueryKeyPoint& point) {
  const QueryKeyImage& image = map.images[static_cast<std::size_t>(point.image)];
  const auto optional = [](int value) { return value < 0 ? std::string() : std::to_string(value); };
  csv += std::to_string(image.index) + (point.isKey ? ",key," : ",query,") +
         std::to_string(point.token) + "," + optional(point.row) + "," + optional(point.column) +
         "," + pointCell(point.x) + "," + pointCell(point.y) + "," + pointCell(point.norm) + "," +
         optional(image.label) + "\n";
}

Error wrongMapName(const std::filesystem::path& path) {
  return {ErrorCode::InvalidArgument,
          tr("a query-key map must end in .pdf, .svg or .png, its numbers in .csv"), path.string()};
}

}  // namespace

const std::vector<std::string>& pointColoringNames() {
  static const std::vector<std::string> names{"role", "row", "column", "class", "norm"};
  return names;
}

Result<PointColoring> pointColoringFromName(const std::string& name) {
  const auto& names = pointColoringNames();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<PointColoring>(found - names.begin());
  return Error{ErrorCode::InvalidArgument,
               tr("points are not colored by this; choose one of ") + joined(names), name};
}

std::vector<double> pointValues(const QueryKeyMap& map, PointColoring coloring) {
  std::vector<double> values;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const QueryKeyPoint& point : map.points) {
    values.push_back(rawValue(map, point, coloring));
    if (std::isnan(values.back())) continue;
    low = std::min(low, values.back()), high = std::max(high, values.back());
  }
  if (countsThings(coloring)) return values;
  for (double& value : values)
    value = high > low ? (value - low) / (high - low) : value - low;
  return values;
}

std::string queryKeyTitle(const QueryKeyMap& map) {
  return tr("layer ") + std::to_string(map.layer) + tr(", head ") + std::to_string(map.head) +
         tr(": queries and keys of ") +
         countText(static_cast<std::int64_t>(map.images.size()), tr("image"), tr("images"));
}

std::string queryKeyText(const QueryKeyMap& map) {
  return tr("The two components show ") + sharePercent(map.shares[0]) + " + " +
         sharePercent(map.shares[1]) + tr(" of the variance. Spearman correlation of -distance² ") +
         tr("with q·k: ") + correlationText(map.plane.product) + tr(" in the map, ") +
         correlationText(map.space.product) + tr(" in all ") + std::to_string(map.width) +
         tr(" dimensions; with attention: ") + correlationText(map.plane.weight) +
         tr(" in the map, ") + correlationText(map.space.weight) + tr(" in all dimensions.");
}

Drawing queryKeyDrawing(const QueryKeyMap& map, PointColoring coloring,
                        const std::string& subject) {
  Drawing drawing{kQueryMapWidth, kQueryMapHeight, queryKeyTitle(map), {}, {}};
  if (!subject.empty()) drawing.title += " · " + subject;
  drawing.lines.push_back({{{kQueryMapMargin, kQueryMapTop},
                            {kQueryMapWidth - kQueryMapMargin, kQueryMapTop},
                            {kQueryMapWidth - kQueryMapMargin, kQueryMapBottom},
                            {kQueryMapMargin, kQueryMapBottom},
                            {kQueryMapMargin, kQueryMapTop}},
                           kFrameColor,
                           1});
  const MapFrame frame(map);
  const std::vector<double> values = pointValues(map, coloring);
  for (std::size_t i = 0; i < map.points.size(); ++i)
    addMark(drawing, frame.place(map.points[i]), map.points[i].isKey,
            pointColor(values[i], coloring));
  addMapKey(drawing, coloring);
  addMapWords(drawing, kQueryMapMargin, 20, drawing.title);
  addMapWords(drawing, kQueryMapMargin, kQueryMapBottom + 18,
              tr("components: ") + sharePercent(map.shares[0]) + " (x), " +
                  sharePercent(map.shares[1]) + tr(" (y) of the variance; ") +
                  colorWords(coloring));
  addMapWords(drawing, kQueryMapMargin, kQueryMapBottom + 34,
              tr("Spearman of -distance² with q·k ") + correlationText(map.plane.product) +
                  tr(", with attention ") + correlationText(map.plane.weight));
  return drawing;
}

std::string queryKeyCsv(const QueryKeyMap& map) {
  std::string csv = "image,role,token,row,column,x,y,norm,class\n";
  for (const QueryKeyPoint& point : map.points)
    addMapRow(csv, map, point);
  return csv;
}

Result<void> writeQueryKeyMap(const std::filesystem::path& path, const QueryKeyMap& map,
                              PointColoring coloring, const std::string& subject) {
  if (path.extension() == ".csv") return writeFileAtomically(path, queryKeyCsv(map));
  if (!isDrawingName(path)) return wrongMapName(path);
  return writeDrawing(path, queryKeyDrawing(map, coloring, subject));
}

}  // namespace headlight
