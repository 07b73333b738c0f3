// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/figures/PageDrawing.h"

#include <algorithm>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/workbench/figures/PageLayout.h"

namespace headlight {
namespace {

constexpr std::uint8_t kPageInk = 25, kPageFaint = 80;
constexpr int kBarSteps = 256;
constexpr double kUnitsAnInch = 96;

/// The colors of a scale, from low to high along it.
Image barImage(ColorMap colors, bool upright) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  for (int i = 0; i < kBarSteps; ++i) {
    const double share = (i + 0.5) / kBarSteps;
    for (const std::uint8_t channel : colorOf(colors, upright ? 1 - share : share))
      pixels->push_back(channel);
  }
  return upright ? Image{1, kBarSteps, pixels} : Image{kBarSteps, 1, pixels};
}

Image squareImage(const DrawnColor& color) {
  return {1, 1,
          std::make_shared<const std::vector<std::uint8_t>>(
              std::vector<std::uint8_t>{color.red, color.green, color.blue})};
}

class PageDrawer {
 public:
  PageDrawer(const FigurePage& page, const PageContent& inference)
      : m_page(page),
        m_inference(inference),
        m_scales(pageScales(page, inference)),
        m_layout(layOutPage(page, inference)) {}

  Drawing draw() {
    m_drawing.width = m_layout.width;
    m_drawing.height = m_layout.height;
    m_drawing.title = m_page.options.title.empty() ? "Headlight" : m_page.options.title;
    for (std::size_t i = 0; i < m_layout.rows; ++i)
      for (std::size_t j = 0; j < m_layout.columns; ++j)
        addTile(i, j);
    addBars();
    addKey();
    addWords();
    return std::move(m_drawing);
  }

 private:
  const std::optional<DrawnMap>& scaleAt(std::size_t row, std::size_t column) const {
    return m_layout.imagesAreRows ? m_scales[row][column] : m_scales[column][row];
  }

  void addTile(std::size_t row, std::size_t column) {
    const std::size_t imageIndex = m_layout.imagesAreRows ? row : column;
    const std::size_t shown = m_layout.imagesAreRows ? column : row;
    const PageRow& of = m_inference.rows[imageIndex];
    const Image image =
        tileImage(m_page.options, of.view, *of.tiles[shown], m_scales[imageIndex][shown],
                  m_layout.tilePixelWidth, m_layout.tilePixelHeight);
    const double left = m_layout.left(column), upper = m_layout.upper(row);
    m_drawing.images.push_back({left, upper, m_layout.tileWidth, m_layout.tileHeight, image});
    if (const auto& drawn = m_scales[imageIndex][shown]; drawn && m_layout.barBelowEach)
      addFlatBar(*drawn, left, upper + m_layout.tileHeight);
  }

  void addText(double x, double y, const std::string& text, double size, DrawnText::Anchor anchor,
               std::uint8_t gray = kPageInk) {
    m_drawing.texts.push_back({x, y, text, size, anchor, gray});
  }

  /// Below a tile, its numbers at its ends; smaller where there is no room for both.
  void addFlatBar(const DrawnMap& drawn, double left, double upper) {
    const double thick = 0.45 * m_layout.small, width = m_layout.tileWidth;
    m_drawing.images.push_back(
        {left, upper + 2, width, thick, barImage(drawn.colorMap, /*upright=*/false)});
    const std::string low = barNumber(drawn.range.low), high = barNumber(drawn.range.high);
    const double wanted = widestText(low + "  " + high, m_layout.small);
    const double size = m_layout.small * std::min(1.0, width / wanted);
    const double base = upper + 3 + thick + 0.85 * m_layout.small;
    addText(left, base, low, size, DrawnText::Anchor::Left);
    addText(left + width, base, high, size, DrawnText::Anchor::Right);
  }

  void addUprightBar(const DrawnMap& drawn, double upper, double lower) {
    const double thick = 0.7 * m_layout.small, left = m_layout.right() + 6;
    m_drawing.images.push_back(
        {left, upper, thick, lower - upper, barImage(drawn.colorMap, /*upright=*/true)});
    const double numbers = left + thick + 3;
    addText(numbers, upper + 0.75 * m_layout.small, barNumber(drawn.range.high), m_layout.small,
            DrawnText::Anchor::Left);
    addText(numbers, lower, barNumber(drawn.range.low), m_layout.small, DrawnText::Anchor::Left);
  }

  /// The scale of a row or column: that of the first map in it.
  std::optional<DrawnMap> firstScale(std::size_t from, std::size_t count, bool ofRow) const {
    for (std::size_t i = 0; i < count; ++i)
      if (const auto& drawn = ofRow ? scaleAt(from, i) : scaleAt(i, from)) return drawn;
    return {};
  }

  void addBars() {
    if (m_layout.barBelowColumns)
      for (std::size_t j = 0; j < m_layout.columns; ++j)
        if (const auto drawn = firstScale(j, m_layout.rows, /*ofRow=*/false))
          addFlatBar(*drawn, m_layout.left(j), m_layout.below() - m_layout.barHeight);
    if (!m_layout.barRight) return;
    const bool one = m_page.options.scale == "page";
    for (std::size_t i = 0; i < m_layout.rows; ++i)
      if (const auto drawn = firstScale(i, m_layout.columns, /*ofRow=*/true)) {
        const std::size_t last = one ? m_layout.rows - 1 : i;
        addUprightBar(*drawn, m_layout.upper(one ? 0 : i),
                      m_layout.upper(last) + m_layout.tileHeight);
        if (one) return;
      }
  }

  /// Squares of a color and its class, line by line.
  void addKey() {
    const double square = keySquare(m_layout.letters);
    double upper = m_layout.below() + 0.3 * m_layout.lineHeight();
    for (const auto& line : m_layout.key) {
      for (const PlacedKey& key : line) {
        const double left = m_layout.margin + key.left;
        m_drawing.images.push_back({left, upper, square, square, squareImage(key.entry.color)});
        addText(left + keyIndent(m_layout.letters), upper + square, key.entry.text,
                m_layout.letters, DrawnText::Anchor::Left);
      }
      upper += m_layout.lineHeight();
    }
  }

  void addWords() {
    const double line = m_layout.lineHeight(), ascent = 0.95 * m_layout.letters;
    double base = m_layout.margin + 1.2 * ascent;
    for (const std::string& words : m_layout.title) {
      addText(m_layout.margin, base, words, 1.2 * m_layout.letters, DrawnText::Anchor::Left);
      base += 1.2 * line;
    }
    for (std::size_t j = 0; j < m_layout.headings.size(); ++j) {
      const auto& lines = m_layout.headings[j];
      base = m_layout.top - (static_cast<double>(lines.size()) - 1) * line - 0.4 * m_layout.letters;
      for (const std::string& words : lines) {
        addText(m_layout.left(j) + m_layout.tileWidth / 2, base, words, m_layout.letters,
                DrawnText::Anchor::Middle);
        base += line;
      }
    }
    addLabels(line, ascent);
    base = m_layout.below() + m_layout.keyHeight() + 0.3 * line + ascent;
    for (const std::string& words : m_layout.caption) {
      addText(m_layout.margin, base, words, m_layout.letters, DrawnText::Anchor::Left, kPageFaint);
      base += line;
    }
  }

  void addLabels(double line, double ascent) {
    for (std::size_t i = 0; i < m_layout.labels.size(); ++i) {
      const auto& lines = m_layout.labels[i];
      double base = m_layout.upper(i) + m_layout.tileHeight / 2 -
                    static_cast<double>(lines.size()) * line / 2 + ascent;
      for (const std::string& words : lines) {
        addText(m_layout.margin, base, words, m_layout.letters, DrawnText::Anchor::Left);
        base += line;
      }
    }
  }

  const FigurePage& m_page;
  const PageContent& m_inference;
  const PageScales m_scales;
  const PageLayout m_layout;
  Drawing m_drawing;
};

bool isLookOf(const FigurePage& page, const PageContent& inference) {
  if (inference.rows.size() != page.images.size() || inference.rows.empty() || page.columns.empty())
    return false;
  return std::all_of(inference.rows.begin(), inference.rows.end(),
                     [&](const PageRow& row) { return row.tiles.size() == page.columns.size(); });
}

}  // namespace

Result<Drawing> drawPage(const FigurePage& page, const PageContent& inference) {
  if (!isLookOf(page, inference))
    return Error{ErrorCode::InvalidArgument,
                 tr("was computed for another page; compute it again before drawing"), "page"};
  return guarded("figure page", [&] { return PageDrawer(page, inference).draw(); });
}

Result<Image> pageImage(const FigurePage& page, const PageContent& inference, int dpi) {
  FigurePage shown = page;
  shown.options.dpi = dpi;
  const auto drawing = drawPage(shown, inference);
  if (!drawing) return drawing.error();
  return guarded("figure page", [&] { return renderPixels(*drawing, dpi / kUnitsAnInch); });
}

Result<void> checkPageName(const std::filesystem::path& path) {
  if (isDrawingName(path)) return {};
  return Error{ErrorCode::InvalidArgument, tr("a figure page must end in .pdf, .svg or .png"),
               path.string()};
}

Result<void> writePage(const std::filesystem::path& path, const FigurePage& page,
                       const PageContent& inference,
                       const std::vector<std::pair<std::string, std::string>>& text) {
  if (auto known = checkPageName(path); !known) return known;
  const auto drawing = drawPage(page, inference);
  if (!drawing) return drawing.error();
  if (path.extension() != ".png") return writeDrawing(path, *drawing);
  const auto png = renderPng(*drawing, page.options.dpi, text);
  return png ? writeFileAtomically(path, *png) : Result<void>(png.error());
}

}  // namespace headlight
