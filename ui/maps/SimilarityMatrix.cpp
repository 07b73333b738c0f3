#include "ui/maps/SimilarityMatrix.h"

#include <QMouseEvent>
#include <QPainter>

#include <cmath>

#include "ui/bridge/AnalysisBridge.h"
#include "ui/document/Document.h"
#include "ui/maps/ImagePainting.h"
#include "ui/maps/SimilarityPainting.h"

namespace headlight {

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

}  // namespace headlight
