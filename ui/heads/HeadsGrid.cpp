// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heads/HeadsGrid.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStackedLayout>
#include <QTimer>

#include <algorithm>
#include <cmath>

#include "ui/base/CoreText.h"
#include "ui/base/Images.h"
#include "ui/canvas/LegendBar.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/canvas/ViewedTiles.h"
#include "ui/document/MaskText.h"
#include "ui/heads/EnlargedHead.h"
#include "ui/heads/HeadTile.h"
#include "ui/heads/HeadsInput.h"
#include "ui/heads/HeadsPainting.h"
#include "ui/widgets/StackedWidgets.h"

namespace headlight {
namespace {

constexpr int kSmoothPixels = 6;  ///< a patch's side in a smooth thumbnail, at most
bool onlyTokenDiffers(ViewOptions view, const ViewOptions& other) {
  view.query = other.query;
  return view == other;
}

}  // namespace

HeadsArea::HeadsArea(Document* document, QWidget* parent)
    : QAbstractScrollArea(parent), m_document(document), m_input(new HeadsInput(document, this)) {
  setObjectName("headsArea");
  setAccessibleName(tr("Every head of every layer"));
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setMouseTracking(true);
  viewport()->setBackgroundRole(QPalette::Window);
  verticalScrollBar()->setSingleStep(24);
  horizontalScrollBar()->setSingleStep(24);
  connect(m_input, &HeadsInput::enlarged, this, &HeadsArea::enlarged);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, [this] {
    forgetTiles();
    layOut();
    revealChosen();
  });
  connect(document, &Document::inferenceChanged, this, [this] {
    forgetTiles();
    viewport()->update();
  });
  connect(&document->view(), &ViewState::changed, this, &HeadsArea::viewChanged);
  connect(&document->inputs(), &InferenceInputs::masksChanged, viewport(),
          qOverload<>(&QWidget::update));
  connect(&document->numbers(), &HeadNumberState::changed, viewport(),
          qOverload<>(&QWidget::update));
  connect(&document->recorded(), &RecordedStep::changed, viewport(), qOverload<>(&QWidget::update));
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
  if (m_document->inputs().hasModel()) {
    const Grid& grid = m_document->inputs().model().grid;
    aspect = std::clamp(static_cast<double>(grid.rows) / std::max(grid.cols, 1), 0.2, 5.0);
    heads = m_document->inputs().model().heads;
  }
  m_layout.fit(heads, aspect, viewport()->size(), QFontMetricsF(font()));
  if (m_layout.tile() != before) m_tiles.clear();  // they are made for that size
  const QSize content = m_layout.content();
  horizontalScrollBar()->setRange(0, std::max(0, content.width() - viewport()->width()));
  horizontalScrollBar()->setPageStep(viewport()->width());
  verticalScrollBar()->setRange(0, std::max(0, content.height() - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  viewport()->update();
  Q_EMIT laidOut();
}

void HeadsArea::revealChosen() {
  const ViewOptions& view = m_document->view().options();
  if (m_layout.exists(view.layer, view.head)) reveal(view.layer, view.head);
}

void HeadsArea::reveal(int layer, int head) {
  const double around = m_layout.gap();
  const QRectF tile =
      tileRect(layer, head).adjusted(-around, -around, around, m_layout.captionHeight() + around);
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
  if (m_inference != m_document->inference()) m_ground = {};
  m_shared.reset();
  m_inference = m_document->inference();
  m_seen = m_document->view().options();
  if (m_inference && m_document->inputs().hasModel())
    m_shared =
        sharedDrawing(shownMaps(*m_inference, m_seen), m_document->inputs().model().grid, m_seen);
}

void HeadsArea::viewChanged() {
  const ViewOptions& view = m_document->view().options();
  const bool moved = view.layer != m_seen.layer || view.head != m_seen.head;
  if (view.query != m_seen.query && onlyTokenDiffers(view, m_seen)) {
    forgetTiles();
    return updateLast();
  }
  if (view.query != m_seen.query || view.colorMap != m_seen.colorMap ||
      view.smooth != m_seen.smooth || view.sharedRange != m_seen.sharedRange ||
      view.stepScale != m_seen.stepScale || view.learned != m_seen.learned ||
      view.style != m_seen.style || view.dim != m_seen.dim)
    forgetTiles();
  m_seen = view;
  if (moved && m_document->inputs().hasModel()) reveal(view.layer, view.head);
  viewport()->update();
}

/// After what else waits to be painted: the image follows the pointer first.
void HeadsArea::updateLast() {
  QTimer::singleShot(0, viewport(), qOverload<>(&QWidget::update));
}

QString HeadsArea::describeTile(int layer, int head) const {
  QString text =
      tr("layer %1 · %2").arg(layer).arg(head < 0 ? tr("mean of heads") : tr("head %1").arg(head));
  const MaskScheme& masks = m_document->recorded().shownMasks();
  const bool learned = shownLearned(m_inference.get(), m_seen);
  if (!learned && masks.contains(layer, head))
    text += QStringLiteral(" · ") + maskText(masks.at(layer, head));
  if (!m_inference) return text;
  if (const auto number = m_document->numbers().value(layer, head); number && !learned) {
    text += QLatin1Char('\n') + m_document->numbers().describe() + QLatin1Char(' ') +
            m_document->numbers().text(*number);
    if (const auto chance = m_document->numbers().chance(layer))
      text += tr(" (uniform attention: %1)").arg(m_document->numbers().text(*chance));
  }
  const auto map = viewedMap(shownMaps(*m_inference, m_seen), m_document->inputs().model().grid,
                             m_seen, layer, head, nullptr);
  if (!map) return text;
  const ValueRange values = valueRange(map->values);
  text += tr("\nfrom %1: %2 to %3")
              .arg(m_document->view().describeToken(m_seen.query), formatValue(values.low),
                   formatValue(values.high));
  if (isPracticallyUniform(map->values)) text += QLatin1Char('\n') + coreText(uniformText());
  return text;
}

// ---- Painting ----------------------------------------------------------------------------------

const HeadsArea::ColoredTile& HeadsArea::tile(int layer, int head) {
  const auto key = std::pair(layer, head);
  auto found = m_tiles.find(key);
  if (found == m_tiles.end()) {
    const AttentionMaps& maps = shownMaps(*m_inference, m_seen);
    const auto common = commonDrawing(m_document->recorded().view().get(), m_seen, maps.isSigned,
                                      layer, head, m_shared);
    const auto map = tileMap(maps, m_document->inputs().model().grid, m_seen, layer, head,
                             common ? &*common : nullptr);
    // No more than the screen shows: a grid of 56 × 56 has enough without smoothing.
    const double shown = m_layout.tile().width() * devicePixelRatioF();
    const int pixels =
        map ? std::clamp(static_cast<int>(std::ceil(shown / map->cols)), 1, kSmoothPixels) : 1;
    const QSize room = (m_layout.tile() * devicePixelRatioF()).toSize();
    const Grid grid = gridOfLayer(m_inference->maps, layer, m_document->inputs().model().grid);
    const bool whole = map && map->rows == grid.rows && map->cols == grid.cols;
    QImage image = map && map->isLight() && whole ? litImage(ground(room), *map, m_seen.dim)
                   : map                          ? mapImage(*map, pixels)
                                                  : QImage();
    // Fewer pixels than patches: averaged, so that no patch falls between two pixels.
    if (image.width() > room.width() || image.height() > room.height())
      image = image.scaled(room, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    found = m_tiles.insert(key, {image, map && isPracticallyUniform(map->values)});
  }
  return *found;
}

/// The model's input, as large as a tile.
const QImage& HeadsArea::ground(const QSize& size) {
  if (m_ground.size() != size && !m_inference->view.empty())
    m_ground = wrapImage(m_inference->view)
                   .scaled(size, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
                   .convertToFormat(QImage::Format_RGB888);
  return m_ground;
}

void HeadsArea::paintTile(QPainter& painter, int layer, int head) {
  const QRectF area = tileRect(layer, head);
  HeadTile shown;
  if (m_inference) {
    const ColoredTile& colored = tile(layer, head);
    shown.map = colored.image;
    shown.uniform = colored.uniform;
  }
  static const AttentionMaps kNone;
  const AttentionMaps& maps = m_inference ? shownMaps(*m_inference, m_seen) : kNone;
  shown.smooth = m_inference && drawnSmooth(maps, m_seen, layer);
  // Where patches were merged, the merged one is the query.
  const TileCells cells = tileCells(maps, m_document->inputs().model().grid, m_seen.query, layer);
  shown.rows = cells.rows;
  shown.cols = cells.cols;
  shown.queryPatch = cells.queryPatch;
  // Locality and mask are of attention, not of what was learned for every image.
  const bool learned = shownLearned(m_inference.get(), m_seen);
  if (const auto number = m_document->numbers().value(layer, head); number && !learned)
    shown.number = m_document->numbers().text(*number);
  if (!learned && m_document->recorded().shownMasks().contains(layer, head))
    shown.mask = m_document->recorded().shownMasks().at(layer, head);
  shown.captioned = m_layout.hasCaptions();
  drawHeadTile(painter, area, shown, palette());
}

/// Over its neighbors, where tiles stand close.
void HeadsArea::paintChosen(QPainter& painter) {
  if (!m_layout.exists(m_seen.layer, m_seen.head)) return;
  const double out = std::min(2.5, m_layout.gap() / 2);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(palette().color(QPalette::Highlight), hasFocus() ? 3 : 2));
  painter.drawRect(tileRect(m_seen.layer, m_seen.head).adjusted(-out, -out, out, out));
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
                     tr("Open a model and an image to see every head."));
    return;
  }
  painter.setRenderHint(QPainter::Antialiasing);
  for (int layer = 0; layer < m_layout.layers(); ++layer) {
    const QRectF row = m_layout.layerRect(layer).translated(-scroll()).adjusted(-4, -4, 4, 4);
    if (row.bottom() < event->rect().top() || row.top() > event->rect().bottom()) continue;
    const auto [first, last] = m_layout.headsWithin(row.left(), event->rect());
    for (int head = first; head <= last && m_layout.exists(layer, head); ++head)
      paintTile(painter, layer, head);
  }
  paintChosen(painter);
  paintHeadsLabels(painter, m_layout,
                   {QPointF(scroll()), viewport()->size(), m_seen.layer, m_seen.head}, palette());
}

// ---- Mouse and keys ----------------------------------------------------------------------------

void HeadsArea::mousePressEvent(QMouseEvent* event) {
  m_input->press(*event);
}

void HeadsArea::mouseDoubleClickEvent(QMouseEvent* event) {
  m_input->doubleClick(*event);
}

void HeadsArea::keyPressEvent(QKeyEvent* event) {
  m_input->pressKey(event);
}

bool HeadsArea::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  m_input->showToolTip(*static_cast<QHelpEvent*>(event));
  return true;
}

// ---- Size and appearance -----------------------------------------------------------------------

void HeadsArea::resizeEvent(QResizeEvent*) {
  layOut();
  revealChosen();
}

void HeadsArea::showEvent(QShowEvent* event) {
  QAbstractScrollArea::showEvent(event);
  // Once it has its size: the chosen head may have changed unseen.
  QTimer::singleShot(0, this, &HeadsArea::revealChosen);
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
  const auto relabel = [this, document] {
    m_legend->setLegend(headsLegend(*document, m_area->tileLayout().hasCaptions()));
  };
  connect(m_area, &HeadsArea::laidOut, this, relabel);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, relabel);
  connect(document, &Document::inferenceChanged, this, relabel);
  connect(&document->view(), &ViewState::changed, this, relabel);
  connect(&document->numbers(), &HeadNumberState::changed, this, relabel);
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
