#include "ui/widgets/HeadsGrid.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

#include "ui/commands/MaskText.h"
#include "ui/widgets/HeadTile.h"
#include "ui/widgets/LegendBar.h"
#include "ui/widgets/ViewedMap.h"

namespace headlight {
namespace {

constexpr double kGap = 8;
constexpr double kLeastTile = 40;     ///< narrower: scroll sideways
constexpr double kReadableTile = 64;  ///< lower than this only if the width forces it
constexpr double kLargestTile = 132;
constexpr int kSmoothPixels = 6;  ///< a patch's side in a smooth thumbnail

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
  connect(document, &Document::lookChanged, this, &HeadsArea::forgetTiles);
  connect(document, &Document::viewChanged, this, &HeadsArea::viewChanged);
  connect(document, &Document::masksChanged, viewport(), qOverload<>(&QWidget::update));
  forgetTiles();
}

// ---- Where things are ------------------------------------------------------------------------

int HeadsArea::layers() const {
  return m_document->hasModel() ? static_cast<int>(m_document->model().heads.size()) : 0;
}

int HeadsArea::columns() const {
  if (layers() == 0) return 0;
  const std::vector<int>& heads = m_document->model().heads;
  return 1 + *std::max_element(heads.begin(), heads.end());
}

bool HeadsArea::exists(int layer, int head) const {
  return layer >= 0 && layer < layers() && head >= -1 &&
         head < m_document->model().heads[static_cast<std::size_t>(layer)];
}

double HeadsArea::captionHeight() const {
  return headCaptionHeight(QFontMetricsF(font()));
}

double HeadsArea::headerHeight() const {
  return QFontMetricsF(font()).height() + 8;
}

double HeadsArea::labelWidth() const {
  return QFontMetricsF(font()).horizontalAdvance(tr("layer %1").arg(std::max(layers() - 1, 0))) +
         2 * kGap;
}

QSizeF HeadsArea::tileSize() const {
  if (layers() == 0) return {kReadableTile, kReadableTile};
  const Grid& grid = m_document->model().grid;
  const double aspect = static_cast<double>(grid.rows) / std::max(grid.cols, 1);
  const double byWidth = (viewport()->width() - labelWidth()) / columns() - kGap;
  const double byHeight =
      ((viewport()->height() - headerHeight()) / layers() - captionHeight() - kGap) / aspect;
  // All heads at one glance where that leaves them readable; else scroll down.
  double width = std::clamp(byHeight, kReadableTile, kLargestTile);
  width = std::max(std::min(width, byWidth), kLeastTile);
  return {std::floor(width), std::max(8.0, std::floor(width * std::clamp(aspect, 0.2, 5.0)))};
}

QSizeF HeadsArea::cellSize() const {
  const QSizeF tile = tileSize();
  return {tile.width() + kGap, tile.height() + captionHeight() + kGap};
}

QRectF HeadsArea::tileRect(int layer, int head) const {
  const QSizeF cell = cellSize();
  return {QPointF(labelWidth() + (head + 1) * cell.width() - horizontalScrollBar()->value(),
                  headerHeight() + layer * cell.height() - verticalScrollBar()->value()),
          tileSize()};
}

std::optional<std::pair<int, int>> HeadsArea::cellAt(const QPointF& position) const {
  if (layers() == 0 || position.y() < headerHeight() || position.x() < labelWidth()) return {};
  const QSizeF cell = cellSize();
  const int head =
      static_cast<int>((position.x() + horizontalScrollBar()->value() - labelWidth() + kGap / 2) /
                       cell.width()) -
      1;
  const int layer = static_cast<int>(
      (position.y() + verticalScrollBar()->value() - headerHeight()) / cell.height());
  if (!exists(layer, head)) return {};
  return std::pair(layer, head);
}

void HeadsArea::layOut() {
  const QSizeF cell = cellSize();
  const int width = static_cast<int>(std::ceil(labelWidth() + columns() * cell.width()));
  const int height = static_cast<int>(std::ceil(headerHeight() + layers() * cell.height()));
  horizontalScrollBar()->setRange(0, std::max(0, width - viewport()->width()));
  horizontalScrollBar()->setPageStep(viewport()->width());
  verticalScrollBar()->setRange(0, std::max(0, height - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  viewport()->update();
}

void HeadsArea::reveal(int layer, int head) {
  const QRectF tile = tileRect(layer, head).adjusted(-kGap, -kGap, kGap, captionHeight() + kGap);
  const auto move = [](QScrollBar* bar, double from, double to, double low, double high) {
    if (from < low) bar->setValue(bar->value() - static_cast<int>(std::ceil(low - from)));
    if (to > high) bar->setValue(bar->value() + static_cast<int>(std::ceil(to - high)));
  };
  move(horizontalScrollBar(), tile.left(), tile.right(), labelWidth(), viewport()->width());
  move(verticalScrollBar(), tile.top(), tile.bottom(), headerHeight(), viewport()->height());
}

// ---- What is shown ---------------------------------------------------------------------------

void HeadsArea::forgetTiles() {
  m_tiles.clear();
  m_shared.reset();
  m_look = m_document->look();
  m_seen = m_document->view();
  if (m_look && m_document->hasModel() && m_seen.sharedRange)
    m_shared = sharedRange(m_look->maps, m_document->model().grid, m_seen.query);
  viewport()->update();
}

void HeadsArea::viewChanged() {
  const ViewOptions& view = m_document->view();
  const bool moved = view.layer != m_seen.layer || view.head != m_seen.head;
  if (view.query != m_seen.query || view.colorMap != m_seen.colorMap ||
      view.smooth != m_seen.smooth || view.sharedRange != m_seen.sharedRange)
    forgetTiles();
  m_seen = view;
  if (moved && m_document->hasModel()) reveal(view.layer, view.head);
  viewport()->update();
}

const QImage& HeadsArea::tile(int layer, int head) {
  const auto key = std::pair(layer, head);
  auto found = m_tiles.find(key);
  if (found == m_tiles.end()) {
    const auto map = viewedMap(m_look->maps, m_document->model().grid, m_seen, layer, head,
                               m_shared ? &*m_shared : nullptr);
    found = m_tiles.insert(key, map ? mapImage(*map, kSmoothPixels) : QImage());
  }
  return *found;
}

void HeadsArea::paintTile(QPainter& painter, int layer, int head) {
  const QRectF area = tileRect(layer, head);
  HeadTile shown;
  if (m_look) shown.map = tile(layer, head);
  shown.smooth = m_seen.smooth;
  const Grid& grid = m_document->model().grid;
  shown.rows = grid.rows;
  shown.cols = grid.cols;
  shown.queryPatch = m_seen.query - grid.prefix;
  if (m_look) shown.locality = localityOf(*m_look, layer, head);
  if (m_document->masks().contains(layer, head)) shown.mask = m_document->masks().at(layer, head);
  drawHeadTile(painter, area, shown, palette());
  if (layer == m_seen.layer && head == m_seen.head) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(palette().color(QPalette::Highlight), hasFocus() ? 3 : 2));
    painter.drawRect(area.adjusted(-2.5, -2.5, 2.5, 2.5));
  }
}

void HeadsArea::paintLabels(QPainter& painter) {
  const QColor ground = palette().color(QPalette::Window);
  painter.fillRect(QRectF(0, 0, labelWidth() - 4, viewport()->height()), ground);
  QColor text = palette().color(QPalette::WindowText);
  for (int layer = 0; layer < layers(); ++layer) {
    const QRectF tile = tileRect(layer, -1);
    text.setAlphaF(layer == m_seen.layer ? 1.0f : 0.7f);
    painter.setPen(text);
    painter.drawText(QRectF(0, tile.top(), labelWidth() - kGap, tile.height()),
                     Qt::AlignRight | Qt::AlignVCenter, tr("layer %1").arg(layer));
  }
  painter.fillRect(QRectF(0, 0, viewport()->width(), headerHeight() - 3), ground);
  painter.setClipRect(QRectF(labelWidth() - 4, 0, viewport()->width(), headerHeight()));
  const QFontMetricsF metrics(font());
  for (int head = -1; head + 1 < columns(); ++head) {
    const QRectF tile = tileRect(0, head);
    QString label = head < 0 ? tr("mean") : tr("head %1").arg(head);
    if (metrics.horizontalAdvance(label) > tile.width() + kGap - 2 && head >= 0)
      label = QString::number(head);
    text.setAlphaF(head == m_seen.head ? 1.0f : 0.7f);
    painter.setPen(text);
    painter.drawText(QRectF(tile.left() - kGap / 2, 0, tile.width() + kGap, headerHeight() - 3),
                     Qt::AlignCenter, label);
  }
  painter.setClipping(false);
}

void HeadsArea::paintEvent(QPaintEvent* event) {
  QPainter painter(viewport());
  painter.fillRect(event->rect(), palette().color(QPalette::Window));
  if (layers() == 0) {
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(viewport()->rect(), Qt::AlignCenter,
                     tr("Open a model and a picture to see every head."));
    return;
  }
  painter.setRenderHint(QPainter::Antialiasing);
  const QSizeF cell = cellSize();
  const int first = static_cast<int>(verticalScrollBar()->value() / cell.height());
  for (int layer = first; layer < layers(); ++layer) {
    if (tileRect(layer, 0).top() > viewport()->height()) break;
    for (int head = -1; head + 1 < columns(); ++head) {
      const QRectF area = tileRect(layer, head).adjusted(-4, -4, 4, captionHeight());
      if (exists(layer, head) && area.intersects(event->rect())) paintTile(painter, layer, head);
    }
  }
  paintLabels(painter);
}

QString HeadsArea::describeTile(int layer, int head) const {
  QString text =
      tr("layer %1 · %2").arg(layer).arg(head < 0 ? tr("mean of heads") : tr("head %1").arg(head));
  const MaskScheme& masks = m_document->masks();
  if (masks.contains(layer, head)) text += QStringLiteral(" · ") + maskText(masks.at(layer, head));
  if (!m_look) return text;
  if (const auto locality = localityOf(*m_look, layer, head))
    text += tr("\nlocality (ALS) %1").arg(QString::number(*locality, 'f', 3));
  const auto map = viewedMap(m_look->maps, m_document->model().grid, m_seen, layer, head, nullptr);
  if (map)
    text += tr("\nfrom %1: %2 to %3")
                .arg(m_document->describeToken(m_seen.query), formatValue(map->range.low),
                     formatValue(map->range.high));
  return text;
}

// ---- Mouse and keys ----------------------------------------------------------------------------

void HeadsArea::choose(int layer, int head) {
  if (layers() == 0) return;
  ViewOptions view = m_document->view();
  view.layer = std::clamp(layer, 0, layers() - 1);
  view.head =
      std::clamp(head, -1, m_document->model().heads[static_cast<std::size_t>(view.layer)] - 1);
  m_document->setView(view);
  setAccessibleDescription(describeTile(view.layer, view.head));
}

void HeadsArea::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  if (const auto cell = cellAt(event->position())) choose(cell->first, cell->second);
}

void HeadsArea::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  if (const auto cell = cellAt(event->position())) {
    choose(cell->first, cell->second);
    Q_EMIT openRequested(cell->first, cell->second);
  }
}

void HeadsArea::keyPressEvent(QKeyEvent* event) {
  if (layers() == 0) return event->ignore();
  const ViewOptions view = m_document->view();
  const int page =
      std::max(1, static_cast<int>((viewport()->height() - headerHeight()) / cellSize().height()));
  switch (event->key()) {
    case Qt::Key_Left:
      return choose(view.layer, view.head - 1);
    case Qt::Key_Right:
      return choose(view.layer, view.head + 1);
    case Qt::Key_Up:
      return choose(view.layer - 1, view.head);
    case Qt::Key_Down:
      return choose(view.layer + 1, view.head);
    case Qt::Key_PageUp:
      return choose(view.layer - page, view.head);
    case Qt::Key_PageDown:
      return choose(view.layer + page, view.head);
    case Qt::Key_Home:
      return choose(0, view.head);
    case Qt::Key_End:
      return choose(layers() - 1, view.head);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      Q_EMIT openRequested(view.layer, view.head);
      return;
    default:
      event->ignore();
  }
}

bool HeadsArea::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    auto* help = static_cast<QHelpEvent*>(event);
    const auto cell = cellAt(help->pos());
    if (cell)
      QToolTip::showText(help->globalPos(), describeTile(cell->first, cell->second), viewport());
    else
      QToolTip::hideText();
    return true;
  }
  return QAbstractScrollArea::viewportEvent(event);
}

void HeadsArea::resizeEvent(QResizeEvent*) {
  layOut();
}

void HeadsArea::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) layOut();
}

HeadsGrid::HeadsGrid(Document* document, QWidget* parent) : QWidget(parent) {
  setObjectName("headsGrid");
  setAccessibleName(tr("Heads: every layer and head at once"));
  m_area = new HeadsArea(document, this);
  m_legend = new LegendBar(this);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(m_area, 1);
  layout->addWidget(m_legend);
  setFocusProxy(m_area);
  connect(m_area, &HeadsArea::openRequested, this, &HeadsGrid::openRequested);
  const auto relabel = [this, document] { m_legend->setLegend(headsLegend(*document)); };
  for (const auto signal :
       {&Document::modelChanged, &Document::lookChanged, &Document::viewChanged})
    connect(document, signal, this, relabel);
  relabel();
}

}  // namespace headlight
