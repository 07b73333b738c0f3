// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/RolloutView.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSlider>
#include <QVBoxLayout>

#include "ui/bridge/AnalysisBridge.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/canvas/ViewedRollout.h"
#include "ui/widgets/LabeledFields.h"

namespace headlight {

RolloutImage::RolloutImage(Document* document, QWidget* parent)
    : ImageView(document, parent), m_bridge(AnalysisBridge::of(document)) {
  setObjectName("rolloutImage");
  setAccessibleName(tr("Rollout over the image"));
  connect(document, &Document::inferenceChanged, this, &RolloutImage::request);
  connect(&document->view(), &ViewState::changed, this, &RolloutImage::request);
  connect(m_bridge, &AnalysisBridge::rolloutReady, this, &RolloutImage::refreshMap);
  refreshMap();
}

void RolloutImage::request() {
  // A hidden tab costs nothing.
  if (isVisible())
    m_bridge->requestRollout(document()->inference(), document()->view().options().rollout);
}

void RolloutImage::showEvent(QShowEvent* event) {
  ImageView::showEvent(event);
  request();
}

std::optional<MapOverlay> RolloutImage::currentMap() const {
  const auto result = m_bridge->rollout();
  if (!result || result->values.empty()) return {};
  return rolloutMap(result->grid, result->values, document()->view().options(),
                    document()->recorded().view().get());
}

Legend RolloutImage::currentLegend() const {
  const auto result = m_bridge->rollout();
  return rolloutLegend(*document(), result ? result->shown : document()->view().options().rollout,
                       shownMap());
}

QString RolloutImage::legendNote() const {
  return meaningNote(*document());
}

QString RolloutImage::hint() const {
  QString text = ImageView::hint();
  if (!text.isEmpty()) return text;
  const auto result = m_bridge->rollout();
  if (result && !result->error.isEmpty()) return result->error;
  if (!result && document()->inference()) return tr("Multiplying the layers' maps…");
  return {};
}

QString RolloutImage::hoverText(int patch) const {
  QString text = ImageView::hoverText(patch);
  if (!shownMap()) return text;
  return tr("%1 in the rollout of the %2")
      .arg(text, rolloutQuery(document()->inputs().model().grid));
}

RolloutView::RolloutView(Document* document, QWidget* parent)
    : QWidget(parent), m_document(document) {
  setObjectName("rolloutView");
  setAccessibleName(tr("Rollout: attention through all layers"));
  m_fusion = new QComboBox(this);
  m_fusion->setObjectName("rolloutFusion");
  m_fusion->setAccessibleName(tr("How heads are fused"));
  m_fusion->setToolTip(tr("How the heads of a layer become one map before layers are multiplied"));
  m_fusion->addItems({tr("mean"), tr("maximum"), tr("minimum")});
  m_discard = new QSlider(Qt::Horizontal, this);
  m_discard->setObjectName("rolloutDiscard");
  m_discard->setAccessibleName(tr("Share of the lowest entries that is dropped"));
  m_discard->setToolTip(
      tr("Drops the lowest entries of each layer's fused map; a class token's column is kept"));
  m_discard->setRange(0, 99);
  m_discard->setMinimumWidth(90);
  m_discard->setMaximumWidth(220);
  m_discardText = new QLabel(this);
  m_discardText->setObjectName("rolloutDiscardText");
  m_discardText->setMinimumWidth(m_discardText->fontMetrics().horizontalAdvance("99 %"));
  m_image = new RolloutImage(document, this);

  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 4, 8, 4);
  row->setSpacing(8);
  addLabeledField(row, tr("&Fuse heads by"), m_fusion);
  row->addSpacing(12);
  addLabeledField(row, tr("D&rop lowest"), m_discard);
  row->setStretchFactor(m_discard, 1);
  row->addWidget(m_discardText);
  row->addStretch(1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(row);
  layout->addWidget(m_image, 1);

  connect(m_fusion, &QComboBox::activated, this, &RolloutView::writeView);
  connect(m_discard, &QSlider::valueChanged, this, &RolloutView::writeView);
  connect(&document->view(), &ViewState::changed, this, &RolloutView::readView);
  readView();
}

void RolloutView::readView() {
  const RolloutOptions& options = m_document->view().options().rollout;
  const QSignalBlocker quiet(m_discard);
  m_fusion->setCurrentIndex(static_cast<int>(options.fusion));
  m_discard->setValue(qRound(options.discardRatio * 100));
  m_discardText->setText(tr("%1 %").arg(m_discard->value()));
}

void RolloutView::writeView() {
  ViewOptions view = m_document->view().options();
  view.rollout.fusion = static_cast<HeadFusion>(m_fusion->currentIndex());
  view.rollout.discardRatio = m_discard->value() / 100.0;
  m_document->view().set(view);
}

}  // namespace headlight
