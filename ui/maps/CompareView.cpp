#include "ui/maps/CompareView.h"

#include <QHBoxLayout>
#include <QMouseEvent>
#include <QPainter>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

#include "ui/bridge/AnalysisBridge.h"
#include "ui/maps/LegendBar.h"
#include "ui/maps/SimilarityPainting.h"
#include "ui/maps/ViewedMap.h"

namespace headlight {

// ---- Layers × layers ---------------------------------------------------------------------------

SimilarityMatrix::SimilarityMatrix(Document* document, QWidget* parent)
    : QWidget(parent), m_document(document), m_bridge(AnalysisBridge::of(document)) {
  setObjectName("similarityMatrix");
  setAccessibleName(tr("Similarity of layers"));
  setToolTip(
      tr("How alike two layers look: the cosine of their maps of this head, averaged over "
         "tokens. A click shows the row's layer."));
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setMinimumSize(200, 200);
  connect(document, &Document::lookChanged, this, &SimilarityMatrix::request);
  connect(document, &Document::viewChanged, this, &SimilarityMatrix::request);
  connect(m_bridge, &AnalysisBridge::similarityReady, this, qOverload<>(&QWidget::update));
}

void SimilarityMatrix::request() {
  if (isVisible()) m_bridge->requestSimilarity(m_document->look(), m_document->view().head);
  update();
}

void SimilarityMatrix::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  request();
}

QRectF SimilarityMatrix::cellRect(int row, int column) const {
  const auto result = m_bridge->similarity();
  if (!result) return {};
  const double legend = legendHeight(QFontMetricsF(font()), {}, width());
  return similarityCell(QRectF(0, 0, width(), height() - legend), QFontMetricsF(font()),
                        result->layers, row, column);
}

std::optional<std::pair<int, int>> SimilarityMatrix::cellAt(const QPointF& position) const {
  const auto result = m_bridge->similarity();
  if (!result || result->values.empty()) return {};
  for (int row = 0; row < result->layers; ++row)
    for (int column = 0; column < result->layers; ++column)
      if (cellRect(row, column).contains(position)) return std::pair(row, column);
  return {};
}

QString SimilarityMatrix::describePair(int row, int column) const {
  const auto result = m_bridge->similarity();
  const auto at = result ? static_cast<std::size_t>(row) * result->layers + column : 0;
  if (!result || at >= result->values.size()) return {};
  const float value = result->values[at];
  return tr("layer %1 and layer %2: %3")
      .arg(row)
      .arg(column)
      .arg(std::isfinite(value) ? QString::number(value, 'f', 3)
                                : tr("on different grids, not compared"));
}

void SimilarityMatrix::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const auto result = m_bridge->similarity();
  if (!result || result->values.empty()) {
    QColor quiet = palette().color(QPalette::WindowText);
    quiet.setAlphaF(0.65f);
    painter.setPen(quiet);
    QString text = tr("Open a model and a picture to compare its layers.");
    if (m_document->look()) text = tr("Comparing layers…");
    if (result && !result->error.isEmpty()) text = result->error;
    painter.drawText(rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap, text);
    return;
  }
  const double below = legendHeight(QFontMetricsF(font()), {}, width());
  const QRectF area(0, 0, width(), height() - below);
  const bool isSigned = result->look->maps.isSigned;
  const Legend legend = similarityLegend(result->head, isSigned, m_document->view().colorMap,
                                         m_document->sourceNote());
  drawSimilarity(painter, area, result->values, result->layers, legend, palette());
  const int chosen = m_document->view().layer;
  if (chosen < result->layers)
    drawOutline(painter, cellRect(chosen, chosen), palette().color(QPalette::Highlight), 2);
  Legend caption = legend;
  if (m_hovered) {
    const auto [row, column] = *m_hovered;
    const QRectF cell = cellRect(row, column);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(palette().color(QPalette::WindowText), 2));
    painter.drawRect(cell);
    if (const QString text = describePair(row, column); !text.isEmpty()) caption.detail = text;
  }
  drawLegend(painter, QRectF(0, height() - below, width(), below), caption, palette());
}

void SimilarityMatrix::mouseMoveEvent(QMouseEvent* event) {
  const auto cell = cellAt(event->position());
  if (cell == m_hovered) return;
  m_hovered = cell;
  update();
}

void SimilarityMatrix::mousePressEvent(QMouseEvent* event) {
  const auto cell = cellAt(event->position());
  if (!cell || event->button() != Qt::LeftButton) return;
  ViewOptions view = m_document->view();
  view.layer = cell->first;
  m_document->setView(view);
}

void SimilarityMatrix::leaveEvent(QEvent*) {
  m_hovered.reset();
  update();
}

// ---- Before and after --------------------------------------------------------------------------

EditPicture::EditPicture(Document* document, EditSide side, QWidget* parent)
    : PictureView(document, parent), m_side(side) {
  setObjectName(side == EditSide::Before  ? "editBefore"
                : side == EditSide::After ? "editAfter"
                                          : "editDifference");
  setAccessibleName(editSideName(side));
  connect(document, &Document::referenceChanged, this, &EditPicture::refreshMap);
  refreshMap();
}

std::optional<MapLayer> EditPicture::currentMap() const {
  return editedMap(document()->referenceLook().get(), document()->look().get(),
                   document()->model().grid, document()->view(), m_side);
}

Legend EditPicture::currentLegend() const {
  Legend legend;
  legend.title = editSideName(m_side);
  if (m_side == EditSide::Before && document()->reference() != Reference::LastEdit)
    legend.title = document()->describeReference();
  if (!shownMap()) return legend;
  legend.bar = document()->view().showOverlay;
  legend.colorMap = shownMap()->colorMap;
  legend.range = shownMap()->range;
  if (m_side == EditSide::Difference && legend.range.high == 0) legend.detail = tr("no change");
  return legend;
}

void EditPicture::paintMarks(QPainter& painter) {
  drawTokenCursor(painter);
}

void EditPicture::patchPressed(int patch) {
  const Grid& grid = document()->model().grid;
  const Grid shown = shownGrid();
  ViewOptions view = document()->view();
  const int row = (2 * (patch / shown.cols) + 1) * grid.rows / (2 * shown.rows);
  const int col = (2 * (patch % shown.cols) + 1) * grid.cols / (2 * shown.cols);
  view.query = grid.prefix + row * grid.cols + col;
  document()->setView(view);
}

QString EditPicture::hint() const {
  const QString text = PictureView::hint();
  if (!text.isEmpty() || shownMap() || m_side == EditSide::After) return text;
  return tr("Edit a mask to compare.");
}

CompareView::CompareView(Document* document, QWidget* parent) : QWidget(parent) {
  setObjectName("compareView");
  setAccessibleName(tr("Compare layers, or maps before and after an edit"));
  m_tabs = new QTabBar(this);
  m_tabs->setObjectName("comparePages");
  m_tabs->setDrawBase(false);
  m_tabs->setExpanding(false);
  m_tabs->addTab(tr("Layers"));
  m_tabs->addTab(tr("Edit"));
  m_tabs->setTabToolTip(0, tr("How alike the layers look"));
  m_tabs->setTabToolTip(1, tr("The chosen head before and after the last mask edit, or beside what "
                              "the Masks menu compares with"));
  m_pages = new QStackedWidget(this);
  m_pages->addWidget(new SimilarityMatrix(document, this));

  auto* edit = new QWidget(this);
  auto* pictures = new QHBoxLayout;
  pictures->setSpacing(2);
  for (const EditSide side : {EditSide::Before, EditSide::After, EditSide::Difference})
    pictures->addWidget(new EditPicture(document, side, edit), 1);
  auto* legend = new LegendBar(edit);
  auto* layout = new QVBoxLayout(edit);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(pictures, 1);
  layout->addWidget(legend);
  m_pages->addWidget(edit);

  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 4, 0, 0);
  all->setSpacing(2);
  all->addWidget(m_tabs);
  all->addWidget(m_pages, 1);
  connect(m_tabs, &QTabBar::currentChanged, m_pages, &QStackedWidget::setCurrentIndex);
  const auto relabel = [document, legend] { legend->setLegend(editLegend(*document)); };
  for (const auto signal :
       {&Document::modelChanged, &Document::lookChanged, &Document::viewChanged})
    connect(document, signal, legend, relabel);
  relabel();
}

CompareView::Page CompareView::page() const {
  return static_cast<Page>(m_tabs->currentIndex());
}

void CompareView::setPage(Page page) {
  m_tabs->setCurrentIndex(static_cast<int>(page));
}

}  // namespace headlight
