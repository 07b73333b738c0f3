// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/SimilarityMatrix.h"

#include <QMouseEvent>
#include <QPainter>

#include <cmath>

#include "ui/bridge/AnalysisBridge.h"
#include "ui/canvas/ImagePainting.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/compare/SimilarityPainting.h"
#include "ui/document/Document.h"

namespace headlight {

SimilarityMatrix::SimilarityMatrix(Document* document, QWidget* parent)
    : QWidget(parent), m_document(document), m_bridge(AnalysisBridge::of(document)) {
  setObjectName("similarityMatrix");
  setAccessibleName(tr("Similarity of layers"));
  setToolTip(
      tr("Similarity of two layers: the cosine of their maps of this head, averaged over tokens. "
         "Click a cell to show the row's layer."));
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setMinimumSize(200, 200);
  connect(document, &Document::inferenceChanged, this, &SimilarityMatrix::request);
  connect(&document->view(), &ViewState::changed, this, &SimilarityMatrix::request);
  connect(&document->numbers(), &HeadNumberState::layersChanged, this,
          qOverload<>(&QWidget::update));
  connect(m_bridge, &AnalysisBridge::similarityReady, this, qOverload<>(&QWidget::update));
}

void SimilarityMatrix::request() {
  if (isVisible())
    m_bridge->requestSimilarity(m_document->inference(), m_document->view().options().head);
  update();
}

void SimilarityMatrix::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  request();
}

/// The values to draw.
struct SimilarityMatrix::Shown {
  int layers = 0;
  std::vector<float> values;
  Legend legend;
};

std::optional<SimilarityMatrix::Shown> SimilarityMatrix::shown() const {
  const ViewOptions& view = m_document->view().options();
  if (m_document->numbers().layers().averaged) {
    const auto averages = m_document->numbers().layers().values;
    if (!averages || view.head >= averages->heads()) return {};
    const auto& values = averages->of(view.head);
    return Shown{averages->layers,
                 {values.begin(), values.end()},
                 similarityLegend(*averages, view.head, view.colorMap, m_document->sourceNote())};
  }
  const auto result = m_bridge->similarity();
  if (!result || result->values.empty()) return {};
  return Shown{result->layers, result->values,
               similarityLegend(result->head, result->inference->maps.isSigned, view.colorMap,
                                m_document->sourceNote())};
}

QString SimilarityMatrix::emptyText() const {
  if (m_document->numbers().layers().averaged) return tr("Comparing layers on the dataset…");
  const auto result = m_bridge->similarity();
  if (result && !result->error.isEmpty()) return result->error;
  return m_document->inference() ? tr("Comparing layers…")
                                 : tr("Open a model and an image to compare its layers.");
}

QRectF SimilarityMatrix::cellRect(int row, int column) const {
  const auto result = shown();
  if (!result) return {};
  const double legend = legendHeight(QFontMetricsF(font()), {}, width());
  return similarityCell(QRectF(0, 0, width(), height() - legend), QFontMetricsF(font()),
                        result->layers, row, column);
}

std::optional<std::pair<int, int>> SimilarityMatrix::cellAt(const QPointF& position) const {
  const auto result = shown();
  if (!result) return {};
  for (int row = 0; row < result->layers; ++row)
    for (int column = 0; column < result->layers; ++column)
      if (cellRect(row, column).contains(position)) return std::pair(row, column);
  return {};
}

QString SimilarityMatrix::describePair(int row, int column) const {
  const auto result = shown();
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
  const auto result = shown();
  if (!result) {
    QColor quiet = palette().color(QPalette::WindowText);
    quiet.setAlphaF(0.65f);
    painter.setPen(quiet);
    painter.drawText(rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap,
                     emptyText());
    return;
  }
  const double below = legendHeight(QFontMetricsF(font()), {}, width());
  const QRectF area(0, 0, width(), height() - below);
  drawSimilarity(painter, area, result->values, result->layers, result->legend, palette());
  const int chosen = m_document->view().options().layer;
  if (chosen < result->layers)
    drawOutline(painter, cellRect(chosen, chosen), palette().color(QPalette::Highlight), 2);
  Legend caption = result->legend;
  nameWeights(caption, *m_document);
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
  ViewOptions view = m_document->view().options();
  view.layer = cell->first;
  m_document->view().set(view);
}

void SimilarityMatrix::leaveEvent(QEvent*) {
  m_hovered.reset();
  update();
}

}  // namespace headlight
