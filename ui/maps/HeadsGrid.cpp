#include "ui/maps/HeadsGrid.h"

#include <QScrollBar>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

#include "ui/document/HeadValues.h"
#include "ui/document/MaskText.h"
#include "ui/maps/HeadTile.h"
#include "ui/maps/LegendBar.h"
#include "ui/maps/ViewedMap.h"

namespace headlight {
namespace {

constexpr double kLeastTile = 40;     ///< smaller ones are not shown: scroll instead
constexpr double kReadableTile = 64;  ///< where scrolling is needed anyway
constexpr int kMostBlocks = 4;
constexpr double kLargestTile = 132;

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
  layOut();
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
         2 * kTileGap;
}

HeadsArea::Arrangement HeadsArea::arrange() const {
  if (layers() == 0) return {1, 1, {kReadableTile, kReadableTile}};
  const Grid& grid = m_document->model().grid;
  const double aspect =
      std::clamp(static_cast<double>(grid.rows) / std::max(grid.cols, 1), 0.2, 5.0);
  const auto widthFor = [&](int blocks) {
    return (static_cast<double>(viewport()->width()) / blocks - labelWidth()) / columns() -
           kTileGap;
  };
  // All heads at one glance where that leaves them readable: layers in as many blocks as make the
  // tiles largest. Else tiles that are easy to read, in as many blocks as the width has room for,
  // to scroll down.
  Arrangement best{1, layers(), {}};
  double width = 0;
  for (int blocks = 1; blocks <= std::min(kMostBlocks, layers()); ++blocks) {
    const int rows = (layers() + blocks - 1) / blocks;
    if ((blocks - 1) * rows >= layers()) continue;  // the last would be empty
    const double byHeight =
        ((viewport()->height() - headerHeight()) / rows - captionHeight() - kTileGap) / aspect;
    const double fitting = std::min({widthFor(blocks), byHeight, kLargestTile});
    if (fitting < width + 1) continue;
    width = fitting;
    best = {blocks, rows, {}};
  }
  if (width < kLeastTile) {
    int blocks = 1;
    while (blocks < std::min(kMostBlocks, layers()) && widthFor(blocks + 1) >= kReadableTile)
      ++blocks;
    const int rows = (layers() + blocks - 1) / blocks;
    best = {(layers() + rows - 1) / rows, rows, {}};
    width = std::max(kLeastTile, std::min(widthFor(blocks), kReadableTile));
  }
  width = std::floor(width);
  best.tile = {width, std::max(8.0, std::floor(width * aspect))};
  return best;
}

QSizeF HeadsArea::cellSize() const {
  const QSizeF& tile = m_arrangement.tile;
  return {tile.width() + kTileGap, tile.height() + captionHeight() + kTileGap};
}

double HeadsArea::blockWidth() const {
  return labelWidth() + columns() * cellSize().width();
}

QRectF HeadsArea::tileRect(int layer, int head) const {
  const QSizeF cell = cellSize();
  const int block = layer / m_arrangement.rows, row = layer % m_arrangement.rows;
  return {QPointF(block * blockWidth() + labelWidth() + (head + 1) * cell.width() -
                      horizontalScrollBar()->value(),
                  headerHeight() + row * cell.height() - verticalScrollBar()->value()),
          m_arrangement.tile};
}

std::optional<std::pair<int, int>> HeadsArea::cellAt(const QPointF& position) const {
  // Labels stay in place over what is scrolled below them.
  if (layers() == 0 || position.y() < headerHeight() || position.x() < labelWidth()) return {};
  const QSizeF cell = cellSize();
  const double x = position.x() + horizontalScrollBar()->value();
  const double y = position.y() + verticalScrollBar()->value() - headerHeight();
  const int block = static_cast<int>(x / blockWidth());
  const double inBlock = x - block * blockWidth() - labelWidth() + kTileGap / 2;
  const int row = static_cast<int>(y / cell.height());
  if (inBlock < 0 || block >= m_arrangement.blocks || row >= m_arrangement.rows) return {};
  const int layer = block * m_arrangement.rows + row;
  const int head = static_cast<int>(inBlock / cell.width()) - 1;
  if (!exists(layer, head)) return {};
  return std::pair(layer, head);
}

void HeadsArea::layOut() {
  const QSizeF before = m_arrangement.tile;
  m_arrangement = arrange();
  if (m_arrangement.tile != before) m_tiles.clear();  // they are made for that size
  const int width = static_cast<int>(std::floor(m_arrangement.blocks * blockWidth() - kTileGap));
  const int height = static_cast<int>(
      std::floor(headerHeight() + m_arrangement.rows * cellSize().height() - kTileGap));
  horizontalScrollBar()->setRange(0, std::max(0, width - viewport()->width()));
  horizontalScrollBar()->setPageStep(viewport()->width());
  verticalScrollBar()->setRange(0, std::max(0, height - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  viewport()->update();
}

void HeadsArea::reveal(int layer, int head) {
  const QRectF tile =
      tileRect(layer, head).adjusted(-kTileGap, -kTileGap, kTileGap, captionHeight() + kTileGap);
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
    m_shared = sharedRange(shownMaps(*m_look, m_seen), m_document->model().grid, m_seen.query);
  viewport()->update();
}

void HeadsArea::viewChanged() {
  const ViewOptions& view = m_document->view();
  const bool moved = view.layer != m_seen.layer || view.head != m_seen.head;
  if (view.query != m_seen.query || view.colorMap != m_seen.colorMap ||
      view.smooth != m_seen.smooth || view.sharedRange != m_seen.sharedRange ||
      view.learned != m_seen.learned)
    forgetTiles();
  m_seen = view;
  if (moved && m_document->hasModel()) reveal(view.layer, view.head);
  viewport()->update();
}

QString HeadsArea::describeTile(int layer, int head) const {
  QString text =
      tr("layer %1 · %2").arg(layer).arg(head < 0 ? tr("mean of heads") : tr("head %1").arg(head));
  const MaskScheme& masks = m_document->masks();
  const bool learned = shownLearned(m_look.get(), m_seen);
  if (!learned && masks.contains(layer, head))
    text += QStringLiteral(" · ") + maskText(masks.at(layer, head));
  if (!m_look) return text;
  if (const auto locality = headValue(m_look->locality, layer, head); locality && !learned)
    text += tr("\nlocality (ALS) %1").arg(QString::number(*locality, 'f', 3));
  const auto map =
      viewedMap(shownMaps(*m_look, m_seen), m_document->model().grid, m_seen, layer, head, nullptr);
  if (map)
    text += tr("\nfrom %1: %2 to %3")
                .arg(m_document->describeToken(m_seen.query), formatValue(map->range.low),
                     formatValue(map->range.high));
  return text;
}

// ---- Size and appearance -----------------------------------------------------------------------

void HeadsArea::resizeEvent(QResizeEvent*) {
  layOut();
}

void HeadsArea::showEvent(QShowEvent* event) {
  QAbstractScrollArea::showEvent(event);
  // Once it has its size: the chosen head may have changed unseen.
  QTimer::singleShot(0, this, [this] {
    if (layers() > 0) reveal(m_document->view().layer, m_document->view().head);
  });
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
