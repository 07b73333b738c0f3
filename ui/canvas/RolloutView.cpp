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

namespace headlight {

RolloutPicture::RolloutPicture(Document* document, QWidget* parent)
    : PictureView(document, parent), m_bridge(AnalysisBridge::of(document)) {
  setObjectName("rolloutPicture");
  setAccessibleName(tr("Rollout over the picture"));
  connect(document, &Document::lookChanged, this, &RolloutPicture::request);
  connect(document, &Document::viewChanged, this, &RolloutPicture::request);
  connect(m_bridge, &AnalysisBridge::rolloutReady, this, &RolloutPicture::refreshMap);
  refreshMap();
}

void RolloutPicture::request() {
  // A hidden tab costs nothing.
  if (isVisible()) m_bridge->requestRollout(document()->look(), document()->view().rollout);
}

void RolloutPicture::showEvent(QShowEvent* event) {
  PictureView::showEvent(event);
  request();
}

std::optional<MapOverlay> RolloutPicture::currentMap() const {
  const auto result = m_bridge->rollout();
  if (!result || result->values.empty()) return {};
  return rolloutMap(result->grid, result->values, document()->view());
}

Legend RolloutPicture::currentLegend() const {
  const auto result = m_bridge->rollout();
  return rolloutLegend(*document(), result ? result->shown : document()->view().rollout,
                       shownMap());
}

QString RolloutPicture::legendNote() const {
  return meaningNote(*document());
}

QString RolloutPicture::hint() const {
  QString text = PictureView::hint();
  if (!text.isEmpty()) return text;
  const auto result = m_bridge->rollout();
  if (result && !result->error.isEmpty()) return result->error;
  if (!result && document()->look()) return tr("Multiplying the layers' maps…");
  return {};
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
  m_picture = new RolloutPicture(document, this);

  auto* fusionLabel = new QLabel(tr("&Fuse heads by"), this);
  fusionLabel->setBuddy(m_fusion);
  auto* discardLabel = new QLabel(tr("D&rop lowest"), this);
  discardLabel->setBuddy(m_discard);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 4, 8, 4);
  row->setSpacing(8);
  row->addWidget(fusionLabel);
  row->addWidget(m_fusion);
  row->addSpacing(12);
  row->addWidget(discardLabel);
  row->addWidget(m_discard, 1);
  row->addWidget(m_discardText);
  row->addStretch(1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(row);
  layout->addWidget(m_picture, 1);

  connect(m_fusion, &QComboBox::activated, this, &RolloutView::writeView);
  connect(m_discard, &QSlider::valueChanged, this, &RolloutView::writeView);
  connect(document, &Document::viewChanged, this, &RolloutView::readView);
  readView();
}

void RolloutView::readView() {
  const RolloutOptions& options = m_document->view().rollout;
  const QSignalBlocker quiet(m_discard);
  m_fusion->setCurrentIndex(static_cast<int>(options.fusion));
  m_discard->setValue(qRound(options.discardRatio * 100));
  m_discardText->setText(tr("%1 %").arg(m_discard->value()));
}

void RolloutView::writeView() {
  ViewOptions view = m_document->view();
  view.rollout.fusion = static_cast<HeadFusion>(m_fusion->currentIndex());
  view.rollout.discardRatio = m_discard->value() / 100.0;
  m_document->setView(view);
}

}  // namespace headlight
