// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heads/HeadsGrid.h"

#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStackedLayout>
#include <QTimer>

#include <algorithm>
#include <cmath>

#include "ui/base/Images.h"
#include "ui/canvas/LegendBar.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/canvas/ViewedTiles.h"
#include "ui/document/MaskText.h"
#include "ui/heads/EnlargedHead.h"
#include "ui/heads/HeadTile.h"
#include "ui/heads/HeadsPainting.h"
#include "ui/widgets/StackedWidgets.h"

namespace headlight {
namespace {

constexpr int kSmoothPixels = 6;  ///< a patch's side in a smooth thumbnail, at most
bool onlyTokenDiffers(ViewOptions view, const ViewOptions& other) {
  view.query = other.query;
  return view == other;
}

constexpr double kRevealed = HeadsLayout::kTileGap;  ///< around a tile that is scrolled into sight

}  // namespace

HeadsArea::HeadsArea(Document* document, QWidget* parent)
    : QAbstractScrollArea(parent), m_document(document) {
  setObjectName("headsArea");
  setAccessibleName(tr("Every head of every layer"));
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setMouseTracking(true);
  viewport()->setBackgroundRole(QPalette::Window);
  verticalScrollBar()->setSingleStep(24);
  horizontalScrollBar()->setSingleStep(24);
  connect(document, &Document::modelChanged, this, [this] {
    forgetTiles();
    layOut();
  });
  connect(document, &Document::lookChanged, this, [this] {
    forgetTiles();
    viewport()->update();
  });
  connect(document, &Document::viewChanged, this, &HeadsArea::viewChanged);
  for (const auto signal :
       {&Document::masksChanged, &Document::numbersChanged, &Document::recordedChanged})
    connect(document, signal, viewport(), qOverload<>(&QWidget::update));
  forgetTiles();
  layOut();
}

// ---- Where things are ------------------------------------------------------------------------

QPoint HeadsArea::scroll() const {
  return {horizontalScrollBar()->value(), verticalScrollBar()->value()};
}

QRectF HeadsArea::tileRect(int layer, int head) const {
  return m_layout.tileRect(layer, head).translated(-scroll());
}

std::optional<std::pair<int, int>> HeadsArea::cellAt(const QPointF& position) const {
  // Labels stay in place over what is scrolled below them.
  if (position.y() < m_layout.headerHeight() || position.x() < m_layout.labelWidth()) return {};
  return m_layout.cellAt(position + scroll());
}

void HeadsArea::layOut() {
  const QSizeF before = m_layout.tile();
  double aspect = 1;
  std::vector<int> heads;
  if (m_document->hasModel()) {
    const Grid& grid = m_document->model().grid;
    aspect = std::clamp(static_cast<double>(grid.rows) / std::max(grid.cols, 1), 0.2, 5.0);
    heads = m_document->model().heads;
  }
  m_layout.fit(heads, aspect, viewport()->size(), QFontMetricsF(font()));
  if (m_layout.tile() != before) m_tiles.clear();  // they are made for that size
  const QSize content = m_layout.content();
  horizontalScrollBar()->setRange(0, std::max(0, content.width() - viewport()->width()));
  horizontalScrollBar()->setPageStep(viewport()->width());
  verticalScrollBar()->setRange(0, std::max(0, content.height() - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  viewport()->update();
}

void HeadsArea::reveal(int layer, int head) {
  const QRectF tile =
      tileRect(layer, head)
          .adjusted(-kRevealed, -kRevealed, kRevealed, m_layout.captionHeight() + kRevealed);
  const auto move = [](QScrollBar* bar, double from, double to, double low, double high) {
    if (from < low) bar->setValue(bar->value() - static_cast<int>(std::ceil(low - from)));
    if (to > high) bar->setValue(bar->value() + static_cast<int>(std::ceil(to - high)));
  };
  move(horizontalScrollBar(), tile.left(), tile.right(), m_layout.labelWidth(),
       viewport()->width());
  move(verticalScrollBar(), tile.top(), tile.bottom(), m_layout.headerHeight(),
       viewport()->height());
}

// ---- What is shown ---------------------------------------------------------------------------

void HeadsArea::forgetTiles() {
  m_tiles.clear();
  if (m_look != m_document->look()) m_ground = {};
  m_shared.reset();
  m_look = m_document->look();
  m_seen = m_document->view();
  if (m_look && m_document->hasModel())
    m_shared = sharedDrawing(shownMaps(*m_look, m_seen), m_document->model().grid, m_seen);
}

void HeadsArea::viewChanged() {
  const ViewOptions& view = m_document->view();
  const bool moved = view.layer != m_seen.layer || view.head != m_seen.head;
  if (view.query != m_seen.query && onlyTokenDiffers(view, m_seen)) {
    forgetTiles();
    return updateLast();
  }
  if (view.query != m_seen.query || view.colorMap != m_seen.colorMap ||
      view.smooth != m_seen.smooth || view.sharedRange != m_seen.sharedRange ||
      view.learned != m_seen.learned || view.style != m_seen.style || view.dim != m_seen.dim)
    forgetTiles();
  m_seen = view;
  if (moved && m_document->hasModel()) reveal(view.layer, view.head);
  viewport()->update();
}

/// After what else waits to be painted: the picture follows the pointer first.
void HeadsArea::updateLast() {
  QTimer::singleShot(0, viewport(), qOverload<>(&QWidget::update));
}

QString HeadsArea::describeTile(int layer, int head) const {
  QString text =
      tr("layer %1 · %2").arg(layer).arg(head < 0 ? tr("mean of heads") : tr("head %1").arg(head));
  const MaskScheme& masks = m_document->shownMasks();
  const bool learned = shownLearned(m_look.get(), m_seen);
  if (!learned && masks.contains(layer, head))
    text += QStringLiteral(" · ") + maskText(masks.at(layer, head));
  if (!m_look) return text;
  if (const auto number = m_document->number(layer, head); number && !learned) {
    text += QLatin1Char('\n') + m_document->describeNumbers() + QLatin1Char(' ') +
            m_document->numberText(*number);
    if (const auto chance = m_document->numberChance(layer))
      text += tr(" (uniform attention: %1)").arg(m_document->numberText(*chance));
  }
  const auto map =
      viewedMap(shownMaps(*m_look, m_seen), m_document->model().grid, m_seen, layer, head, nullptr);
  if (map)
    text += tr("\nfrom %1: %2 to %3")
                .arg(m_document->describeToken(m_seen.query), formatValue(map->range.low),
                     formatValue(map->range.high));
  return text;
}

// ---- Painting ----------------------------------------------------------------------------------

const QImage& HeadsArea::tile(int layer, int head) {
  const auto key = std::pair(layer, head);
  auto found = m_tiles.find(key);
  if (found == m_tiles.end()) {
    const auto map = tileMap(shownMaps(*m_look, m_seen), m_document->model().grid, m_seen, layer,
                             head, m_shared ? &*m_shared : nullptr);
    // No more than the screen shows: a grid of 56 × 56 has enough without smoothing.
    const double shown = m_layout.tile().width() * devicePixelRatioF();
    const int pixels =
        map ? std::clamp(static_cast<int>(std::ceil(shown / map->cols)), 1, kSmoothPixels) : 1;
    const QSize room = (m_layout.tile() * devicePixelRatioF()).toSize();
    const Grid grid = gridOfLayer(m_look->maps, layer, m_document->model().grid);
    const bool whole = map && map->rows == grid.rows && map->cols == grid.cols;
    QImage picture = map && map->isLight() && whole ? litPicture(ground(room), *map, m_seen.dim)
                     : map                          ? mapImage(*map, pixels)
                                                    : QImage();
    // Fewer pixels than patches: averaged, so that no patch falls between two pixels.
    if (picture.width() > room.width() || picture.height() > room.height())
      picture = picture.scaled(room, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    found = m_tiles.insert(key, picture);
  }
  return *found;
}

/// What the model sees, as large as a tile.
const QImage& HeadsArea::ground(const QSize& size) {
  if (m_ground.size() != size && !m_look->view.empty())
    m_ground = wrapImage(m_look->view)
                   .scaled(size, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
                   .convertToFormat(QImage::Format_RGB888);
  return m_ground;
}

void HeadsArea::paintTile(QPainter& painter, int layer, int head) {
  const QRectF area = tileRect(layer, head);
  HeadTile shown;
  if (m_look) shown.map = tile(layer, head);
  static const AttentionMaps kNone;
  const AttentionMaps& maps = m_look ? shownMaps(*m_look, m_seen) : kNone;
  shown.smooth = m_look && drawnSmooth(maps, m_seen, layer);
  // Where patches were merged, the merged one looks.
  const TileCells cells = tileCells(maps, m_document->model().grid, m_seen.query, layer);
  shown.rows = cells.rows;
  shown.cols = cells.cols;
  shown.queryPatch = cells.queryPatch;
  // Locality and mask are of attention, not of what was learned for every picture.
  const bool learned = shownLearned(m_look.get(), m_seen);
  if (const auto number = m_document->number(layer, head); number && !learned)
    shown.number = m_document->numberText(*number);
  if (!learned && m_document->shownMasks().contains(layer, head))
    shown.mask = m_document->shownMasks().at(layer, head);
  drawHeadTile(painter, area, shown, palette());
  if (layer == m_seen.layer && head == m_seen.head) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(palette().color(QPalette::Highlight), hasFocus() ? 3 : 2));
    painter.drawRect(area.adjusted(-2.5, -2.5, 2.5, 2.5));
  }
}

void HeadsArea::paintEvent(QPaintEvent* event) {
  const double ratio = devicePixelRatioF();
  if (ratio != m_tileRatio) m_tiles.clear();  // moved to another screen
  m_tileRatio = ratio;
  QPainter painter(viewport());
  painter.fillRect(event->rect(), palette().color(QPalette::Window));
  if (m_layout.layers() == 0) {
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(viewport()->rect(), Qt::AlignCenter,
                     tr("Open a model and a picture to see every head."));
    return;
  }
  painter.setRenderHint(QPainter::Antialiasing);
  for (int layer = 0; layer < m_layout.layers(); ++layer) {
    const QRectF mean = tileRect(layer, -1).adjusted(-4, -4, 4, m_layout.captionHeight());
    if (mean.bottom() < event->rect().top() || mean.top() > event->rect().bottom()) continue;
    const auto [first, last] = m_layout.headsWithin(mean.left(), event->rect());
    for (int head = first; head <= last && m_layout.exists(layer, head); ++head)
      paintTile(painter, layer, head);
  }
  paintHeadsLabels(painter, m_layout,
                   {QPointF(scroll()), viewport()->size(), m_seen.layer, m_seen.head}, palette());
}

// ---- Size and appearance -----------------------------------------------------------------------

void HeadsArea::resizeEvent(QResizeEvent*) {
  layOut();
}

void HeadsArea::showEvent(QShowEvent* event) {
  QAbstractScrollArea::showEvent(event);
  // Once it has its size: the chosen head may have changed unseen.
  QTimer::singleShot(0, this, [this] {
    if (m_layout.layers() > 0) reveal(m_document->view().layer, m_document->view().head);
  });
}

void HeadsArea::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) layOut();
}

HeadsGrid::HeadsGrid(Document* document, QWidget* parent) : QWidget(parent), m_document(document) {
  setObjectName("headsGrid");
  setAccessibleName(tr("Heads: every layer and head at once"));
  m_area = new HeadsArea(document, this);
  m_legend = new LegendBar(this);
  m_pages = new QStackedLayout(this);
  m_pages->addWidget(stacked({m_area, m_legend}, m_area, this));
  setFocusProxy(m_area);
  connect(m_area, &HeadsArea::enlarged, this, &HeadsGrid::enlarge);
  const auto relabel = [this, document] { m_legend->setLegend(headsLegend(*document)); };
  for (const auto signal : {&Document::modelChanged, &Document::lookChanged, &Document::viewChanged,
                            &Document::numbersChanged})
    connect(document, signal, this, relabel);
  relabel();
}

void HeadsGrid::enlarge() {
  if (!m_enlarged) {
    m_enlarged = new EnlargedHead(m_document, this);
    m_pages->addWidget(m_enlarged);
    connect(m_enlarged, &EnlargedHead::closed, this, &HeadsGrid::showAll);
  }
  m_pages->setCurrentWidget(m_enlarged);
  setFocusProxy(m_enlarged);
  m_enlarged->setFocus(Qt::OtherFocusReason);
}

void HeadsGrid::showAll() {
  m_pages->setCurrentIndex(0);
  setFocusProxy(m_area);
  m_area->setFocus(Qt::OtherFocusReason);
}

bool HeadsGrid::isEnlarged() const {
  return m_pages->currentIndex() > 0;
}

}  // namespace headlight
