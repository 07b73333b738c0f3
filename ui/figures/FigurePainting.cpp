// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/FigurePainting.h"

#include <QObject>

#include <algorithm>
#include <cmath>

#include "ui/bridge/AnalysisBridge.h"
#include "ui/canvas/MapPainting.h"
#include "ui/canvas/ViewedMask.h"
#include "ui/canvas/ViewedObjects.h"
#include "ui/compare/SimilarityPainting.h"

namespace headlight {
namespace {

constexpr double kFigureMargin = 14;
constexpr double kBarMargin = 4;
constexpr double kGap = 12;
constexpr double kTallest = 1.5;  ///< a panel's height over its width
constexpr double kTileGap = 8;
constexpr std::size_t kMostFigureBlocks = 4;
constexpr double kTextSize = 12;  ///< units: 9 point

QFont figureFont(bool bold = false) {
  QFont font;
  font.setPixelSize(static_cast<int>(kTextSize));
  font.setBold(bold);
  return font;
}

/// Figures have a white background in every theme.
QPalette paper() {
  QPalette palette;
  palette.setColor(QPalette::Window, Qt::white);
  palette.setColor(QPalette::WindowText, Qt::black);
  palette.setColor(QPalette::AlternateBase, QColor(240, 240, 240));
  palette.setColor(QPalette::Highlight, QColor(0, 114, 178));
  return palette;
}

double titleHeight(const FigureContent& content) {
  if (content.title.isEmpty()) return 0;
  return QFontMetricsF(figureFont()).height() + 8;
}

/// Panels share the width; a tall image gets a narrower one.
QSizeF panelSize(const FigurePanel& panel, double room) {
  const double aspect = static_cast<double>(panel.image.height) / std::max(panel.image.width, 1);
  if (aspect <= kTallest) return {room, room * aspect};
  return {room * kTallest / aspect, room * kTallest};
}

/// The width of each panel within the margins.
double panelRoom(const FigureContent& content, double inner) {
  const double count = static_cast<double>(std::max<std::size_t>(1, content.panelColumns));
  return (inner - (count - 1) * kGap) / count;
}

double tallestPanel(const FigureContent& content, double inner) {
  double tallest = 0;
  for (const FigurePanel& panel : content.panels)
    tallest = std::max(tallest, panelSize(panel, panelRoom(content, inner)).height());
  return tallest;
}

double panelTitleHeight(const FigureContent& content) {
  const bool titled = !content.panels.empty() && !content.panels.front().title.isEmpty();
  return titled ? QFontMetricsF(figureFont()).height() + 4 : 0;
}

double panelBarHeight(const FigureContent& content) {
  const bool bars = !content.panels.empty() && content.panels.front().plotBar;
  return bars ? QFontMetricsF(figureFont()).height() + 2 * kBarMargin : 0;
}

/// All of it: a file has no tool tip.
Legend wholeLegend(const FigureContent& content) {
  Legend legend = content.legend;
  legend.whole = true;
  return legend;
}

/// Text starts at the margin, which includes the legend's own padding.
double legendBelow(const FigureContent& content, double width) {
  return captionHeight(QFontMetricsF(figureFont()), wholeLegend(content),
                       width - 2 * kFigureMargin + 20);
}

double headLabelWidth(const FigureContent& content) {
  return QFontMetricsF(figureFont())
             .horizontalAdvance(QObject::tr("layer %1").arg(content.tiles.size())) +
         8;
}

std::size_t headColumns(const FigureContent& content) {
  std::size_t columns = 1;
  for (const auto& row : content.tiles)
    columns = std::max(columns, row.size());
  return columns;
}

double headRowHeight(const QSizeF& tile) {
  return tile.height() + headCaptionHeight(QFontMetricsF(figureFont())) + 6;
}

/// Layers in `blocks` side by side of `rows` each.
struct HeadLayout {
  std::size_t blocks = 1;
  std::size_t rows = 1;
  QSizeF tile;
  double blockWidth = 0;
};

/// The fewest blocks that keep the figure from being much taller than wide.
HeadLayout headLayout(const FigureContent& content, double width) {
  const auto columns = static_cast<double>(headColumns(content));
  const HeadTile& first = content.tiles.front().front();
  const double aspect = static_cast<double>(first.rows) / std::max(1, first.cols);
  HeadLayout layout;
  for (layout.blocks = 1;; ++layout.blocks) {
    layout.rows = (content.tiles.size() + layout.blocks - 1) / layout.blocks;
    layout.blockWidth = (width - 2 * kFigureMargin + kGap) / static_cast<double>(layout.blocks);
    const double side =
        (layout.blockWidth - kGap - headLabelWidth(content) - (columns - 1) * kTileGap) / columns;
    layout.tile = {side, side * aspect};
    const double height = static_cast<double>(layout.rows) * headRowHeight(layout.tile);
    const bool more = layout.blocks < kMostFigureBlocks && layout.rows > 1;
    if (height > kTallest * width && more) continue;
    layout.blocks = (content.tiles.size() + layout.rows - 1) / layout.rows;  // none empty
    return layout;
  }
}

double panelRowHeight(const FigureContent& content, double inner) {
  return panelTitleHeight(content) + tallestPanel(content, inner) + panelBarHeight(content);
}

double bodyHeight(const FigureContent& content, double width) {
  if (content.kind == FigureKind::Heads) {
    const HeadLayout layout = headLayout(content, width);
    return QFontMetricsF(figureFont()).height() + 4 +
           static_cast<double>(layout.rows) * headRowHeight(layout.tile);
  }
  if (content.kind == FigureKind::Similarity) return width * 0.85;
  const std::size_t columns = std::max<std::size_t>(1, content.panelColumns);
  const std::size_t full = (content.panels.size() + columns - 1) / columns;
  const auto rows = static_cast<double>(full);
  return std::max(1.0, rows) * panelRowHeight(content, width - 2 * kFigureMargin);
}

/// The image, dimmed where the model does not see it, with the map: one raster.
QImage rasterPanel(const FigureContent& content, const ImagePyramid& pyramid,
                   const FigurePanel& panel, QSize pixels) {
  QImage raster(pixels.expandedTo({1, 1}), QImage::Format_RGB32);
  raster.fill(Qt::white);
  const double x = static_cast<double>(pixels.width()) / pyramid.width;
  const double y = static_cast<double>(pixels.height()) / pyramid.height;
  QPainter painter(&raster);
  painter.setRenderHint(QPainter::SmoothPixmapTransform);
  painter.drawImage(QRectF(QPointF(0, 0), QSizeF(pixels)), pyramid.levelFor(std::max(x, y)));
  painter.fillRect(raster.rect(), unseenShade());  // as on the canvas
  const QRectF region(panel.region.x() * x, panel.region.y() * y, panel.region.width() * x,
                      panel.region.height() * y);
  painter.setClipRect(region);
  painter.drawImage(QRectF(QPointF(0, 0), QSizeF(pixels)), pyramid.levelFor(std::max(x, y)));
  if (!panel.map.isLight()) {
    painter.setOpacity(content.opacity);
    drawMap(painter, region, mapImage(panel.map), panel.map.smooth);
  } else if (content.opacity > 0) {
    painter.end();
    const QRect seen = region.toAlignedRect().intersected(raster.rect());
    const QImage lit = litImage(raster.copy(seen), panel.map, content.dim);
    QPainter(&raster).drawImage(seen, lit);
  }
  return raster;
}

void paintPanel(QPainter& painter, const QRectF& slot, const FigureContent& content,
                const FigurePanel& panel, double scale) {
  const ImagePyramid pyramid = makePyramid(panel.image);
  if (pyramid.levels.empty()) return;
  const QSizeF size = panelSize(panel, slot.width());
  const QRectF target(slot.left() + (slot.width() - size.width()) / 2,
                      slot.top() + panelTitleHeight(content), size.width(), size.height());
  painter.setPen(Qt::black);
  if (!panel.title.isEmpty())
    painter.drawText(QRectF(slot.left(), slot.top(), slot.width(), panelTitleHeight(content)),
                     Qt::AlignHCenter | Qt::AlignTop, panel.title);
  painter.drawImage(target, rasterPanel(content, pyramid, panel, (size * scale).toSize()));
  const double unit = target.width() / panel.image.width;
  const auto onPaper = [&](const QRectF& r) {
    return QRectF(target.left() + r.x() * unit, target.top() + r.y() * unit, r.width() * unit,
                  r.height() * unit);
  };
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(QColor(0, 0, 0, 170), 0.75));
  painter.drawRect(onPaper(panel.region));
  drawMaskSight(painter, onPaper(panel.region), panel.mask, paper());
  std::vector<TruthMark> truth = panel.truth;
  for (TruthMark& mark : truth)
    mark.box = onPaper(mark.box);
  drawTruth(painter, truth);
  if (panel.found) drawFoundBox(painter, onPaper(panel.region), *panel.found);
  if (!panel.cursor.isEmpty())
    drawOutline(painter, onPaper(panel.cursor), paper().color(QPalette::Highlight), 2);
  if (!panel.plotBar || !content.showLegend) return;
  Legend legend;
  legend.colorMap = panel.map.colorMap;
  legend.range = panel.map.range;
  drawColors(painter,
             QRectF(slot.left(), target.bottom(), slot.width(), panelBarHeight(content))
                 .adjusted(kBarMargin, kBarMargin, -kBarMargin, -kBarMargin),
             legend, paper().color(QPalette::WindowText));
}

void paintPanels(QPainter& painter, const QRectF& area, const FigureContent& content,
                 double scale) {
  const double room = panelRoom(content, area.width());
  const double height = panelRowHeight(content, area.width());
  const std::size_t columns = std::max<std::size_t>(1, content.panelColumns);
  for (std::size_t i = 0; i < content.panels.size(); ++i) {
    const std::size_t row = i / columns, column = i % columns;
    const QPointF corner(area.left() + static_cast<double>(column) * (room + kGap),
                         area.top() + static_cast<double>(row) * height);
    paintPanel(painter, QRectF(corner, QSizeF(room, height)), content, content.panels[i], scale);
  }
}

void paintHeads(QPainter& painter, const QRectF& area, const FigureContent& content) {
  const HeadLayout layout = headLayout(content, area.width() + 2 * kFigureMargin);
  const double label = headLabelWidth(content);
  const double header = QFontMetricsF(figureFont()).height() + 4;
  const auto leftOf = [&](std::size_t block, std::size_t column) {
    return area.left() + static_cast<double>(block) * layout.blockWidth + label +
           static_cast<double>(column) * (layout.tile.width() + kTileGap);
  };
  painter.setPen(Qt::black);
  for (std::size_t block = 0; block < layout.blocks; ++block)
    for (std::size_t column = 0; column < headColumns(content); ++column)
      painter.drawText(QRectF(leftOf(block, column), area.top(), layout.tile.width(), header),
                       Qt::AlignHCenter | Qt::AlignTop,
                       column == 0 ? QObject::tr("mean") : QObject::tr("head %1").arg(column - 1));
  for (std::size_t layer = 0; layer < content.tiles.size(); ++layer) {
    const std::size_t block = layer / layout.rows;
    const double top =
        area.top() + header + static_cast<double>(layer % layout.rows) * headRowHeight(layout.tile);
    painter.setPen(Qt::black);
    painter.drawText(QRectF(leftOf(block, 0) - label, top, label - 8, layout.tile.height()),
                     Qt::AlignRight | Qt::AlignVCenter, QObject::tr("layer %1").arg(layer));
    for (std::size_t column = 0; column < content.tiles[layer].size(); ++column)
      drawHeadTile(painter, QRectF(QPointF(leftOf(block, column), top), layout.tile),
                   content.tiles[layer][column], paper());
    if (static_cast<int>(layer) != content.chosenLayer) continue;
    const int column = content.chosenHead + 1;
    const auto chosen = static_cast<std::size_t>(column);
    if (chosen >= content.tiles[layer].size()) continue;
    const QRectF tile(QPointF(leftOf(block, chosen), top), layout.tile);
    drawOutline(painter, tile.adjusted(-2, -2, 2, 2), paper().color(QPalette::Highlight), 2);
  }
}

}  // namespace

QSizeF figureSize(const FigureContent& content, double width) {
  double height = kFigureMargin + titleHeight(content) + bodyHeight(content, width) + kFigureMargin;
  if (content.showLegend) height += legendBelow(content, width);
  return {width, std::ceil(height)};
}

void paintFigure(QPainter& painter, const QSizeF& size, const FigureContent& content,
                 double scale) {
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setRenderHint(QPainter::TextAntialiasing);
  painter.setRenderHint(QPainter::LosslessImageRendering);
  painter.fillRect(QRectF(QPointF(0, 0), size), Qt::white);
  painter.setFont(figureFont(true));
  painter.setPen(Qt::black);
  const double inner = size.width() - 2 * kFigureMargin;
  painter.drawText(QRectF(kFigureMargin, kFigureMargin, inner, titleHeight(content)),
                   Qt::AlignLeft | Qt::AlignTop,
                   QFontMetricsF(painter.font()).elidedText(content.title, Qt::ElideMiddle, inner));
  painter.setFont(figureFont());
  const QRectF body(kFigureMargin, kFigureMargin + titleHeight(content), inner,
                    bodyHeight(content, size.width()));
  if (content.kind == FigureKind::Heads)
    paintHeads(painter, body, content);
  else if (content.kind == FigureKind::Similarity)
    drawSimilarity(painter, body, content.similarity, content.layers, content.legend, paper());
  else
    paintPanels(painter, body, content, scale);
  if (content.showLegend)
    drawLegend(
        painter,
        QRectF(kFigureMargin - 10, body.bottom(), inner + 20, legendBelow(content, size.width())),
        wholeLegend(content), paper());
}

}  // namespace headlight
