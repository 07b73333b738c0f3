// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/figures/PageLayout.h"

#include <algorithm>
#include <cstdio>

#include "core/base/Translation.h"
#include "core/base/Utf8.h"

namespace headlight {
namespace {

constexpr double kUnitsPerInch = 96, kMillimetresAnInch = 25.4, kPointsPerInch = 72;
constexpr double kWiderFaces = 1.18;    // DejaVu Sans beside Helvetica
constexpr double kMostLabel = 120;      // width of what stands left of a row
constexpr double kLeastForWords = 240;  // a narrow page is widened for its caption
constexpr std::size_t kMostLabelLines = 4, kMostCaptionLines = 60, kMostKeyLines = 8;
constexpr double kLabelGap = 6;

std::string withoutLast(const std::string& text) {
  std::size_t end = text.size();
  while (end > 0 && (static_cast<unsigned char>(text[end - 1]) & 0xc0) == 0x80)
    --end;
  return text.substr(0, end > 0 ? end - 1 : 0);
}

std::string cutToWidth(std::string text, double width, double size) {
  if (widestText(text, size) <= width) return text;
  while (!text.empty() && widestText(text + "…", size) > width)
    text = withoutLast(text);
  return text + "…";
}

void setSizes(PageLayout& layout, const PageOptions& options, const Image& view) {
  std::tie(layout.tilePixelWidth, layout.tilePixelHeight) = tilePixels(options, view);
  layout.tileWidth = layout.tilePixelWidth * kUnitsPerInch / options.dpi;
  layout.tileHeight = layout.tilePixelHeight * kUnitsPerInch / options.dpi;
  layout.gap = options.gap * kUnitsPerInch / kMillimetresAnInch;
  layout.letters = options.font * kUnitsPerInch / kPointsPerInch;
  layout.small = 0.85 * layout.letters;
}

void placeBars(PageLayout& layout, const FigurePage& page, const PageScales& scales) {
  double widest = 0;
  for (const auto& row : scales)
    for (const auto& drawn : row)
      if (drawn)
        for (const double end : {drawn->range.low, drawn->range.high})
          widest = std::max(widest, widestText(barNumber(end), layout.small));
  if (!page.options.bars || widest == 0) return;
  layout.barHeight = 2 * layout.small + 2;
  layout.barBelowEach = page.options.scale == "own";
  layout.barBelowColumns = page.options.scale == "column";
  layout.barRight = !layout.barBelowEach && !layout.barBelowColumns;
  if (layout.barRight) layout.barWidth = kLabelGap + layout.small + 3 + widest;
}

std::size_t mostLines(const std::vector<std::vector<std::string>>& all) {
  std::size_t most = 0;
  for (const auto& lines : all)
    most = std::max(most, lines.size());
  return most;
}

/// Headings above and labels at the left, whichever of them images are.
void placeWords(PageLayout& layout, const FigurePage& page, const PageContent& inference) {
  auto& ofImages = layout.imagesAreRows ? layout.labels : layout.headings;
  auto& ofColumns = layout.imagesAreRows ? layout.headings : layout.labels;
  const auto measureWidth = [&](const auto& words) {
    return &words == &layout.labels ? kMostLabel : layout.tileWidth;
  };
  for (std::size_t r = 0; r < inference.rows.size(); ++r)
    ofImages.push_back(wordsInLines(imageLabel(page, inference, r), measureWidth(ofImages),
                                    layout.letters, kMostLabelLines));
  for (std::size_t c = 0; c < page.columns.size(); ++c)
    ofColumns.push_back(wordsInLines(columnHeading(page, inference, c), measureWidth(ofColumns),
                                     layout.letters, kMostLabelLines));
  for (const auto& lines : layout.labels)
    for (const std::string& line : lines)
      layout.labelWidth = std::max(layout.labelWidth, widestText(line, layout.letters));
  if (layout.labelWidth > 0) layout.labelWidth += kLabelGap;
}

void requireSanePage(const PageLayout& layout, int dpi) {
  const double scale = dpi / kUnitsPerInch;
  const double pixels = layout.width * scale * layout.height * scale;
  if (pixels <= static_cast<double>(kMaxImagePixels)) return;
  char size[64];
  std::snprintf(size, sizeof size, "%.0f by %.0f mm, %.0f megapixels at %d dpi",
                layout.width / kUnitsPerInch * kMillimetresAnInch,
                layout.height / kUnitsPerInch * kMillimetresAnInch, pixels / 1e6, dpi);
  throw Failure(
      {ErrorCode::InvalidArgument,
       std::string(tr("would be ")) + size +
           tr(", more than 64; choose smaller tiles, fewer images or columns, or a lower dpi"),
       "page"});
}

}  // namespace

double widestText(const std::string& text, double size) {
  return kWiderFaces * textWidth(text, size);
}

std::string barNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::vector<std::string> wordsInLines(const std::string& text, double width, double size,
                                      std::size_t most) {
  std::vector<std::string> lines;
  std::string line;
  const auto end = [&] {
    if (!line.empty()) lines.push_back(std::exchange(line, ""));
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t stop = std::min(text.find_first_of(" \n", at), text.size());
    const std::string word = text.substr(at, stop - at);
    const std::string longer = line.empty() ? word : line + " " + word;
    if (widestText(longer, size) > width) end();
    line = line.empty() ? word : longer;
    if (stop < text.size() && text[stop] == '\n') end();
    at = stop + 1;
  }
  end();
  if (lines.size() > most) {
    lines.resize(most);
    lines.back() += " …";
  }
  for (std::string& each : lines)
    each = cutToWidth(each, width, size);
  return lines;
}

PageLayout layOutPage(const FigurePage& page, const PageContent& inference) {
  PageLayout layout;
  layout.imagesAreRows = page.options.arrange == "rows";
  layout.rows = layout.imagesAreRows ? inference.rows.size() : page.columns.size();
  layout.columns = layout.imagesAreRows ? page.columns.size() : inference.rows.size();
  setSizes(layout, page.options, inference.rows.front().view);
  placeBars(layout, page, pageScales(page, inference));
  placeWords(layout, page, inference);
  const bool words = page.options.caption || !page.options.title.empty();
  const double inner =
      std::max(layout.right() + layout.barWidth - layout.margin, words ? kLeastForWords : 0.0);
  layout.width = inner + 2 * layout.margin;
  layout.title = wordsInLines(page.options.title, inner, 1.2 * layout.letters, kMostLabelLines);
  if (page.options.caption)
    layout.caption =
        wordsInLines(page.options.words.empty() ? pageCaption(page, inference) : page.options.words,
                     inner, layout.letters, kMostCaptionLines);
  if (page.options.bars)
    layout.key = keyInLines(pageKey(inference), inner, layout.letters, kMostKeyLines);
  layout.top = layout.margin +
               static_cast<double>(layout.title.size()) * 1.2 * layout.lineHeight() +
               static_cast<double>(mostLines(layout.headings)) * layout.lineHeight();
  layout.height = layout.below() + layout.margin + layout.keyHeight() +
                  static_cast<double>(layout.caption.size()) * layout.lineHeight();
  requireSanePage(layout, page.options.dpi);
  return layout;
}

}  // namespace headlight
