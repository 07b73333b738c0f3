// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/SimilarityBridge.h"

#include <utility>

#include "ui/bridge/ModelWorker.h"
#include "ui/document/Document.h"
#include "ui/document/RecordedView.h"

namespace headlight {
namespace {

constexpr int kLayersSettledMs = 400;

}  // namespace

SimilarityBridge::SimilarityBridge(Document* document, ModelWorker* look, QObject* parent)
    : MeasureBridge(document, look, kLayersSettledMs, parent) {
  connect(document, &Document::modelChanged, this, &SimilarityBridge::restart);
  connect(document, &Document::masksChanged, this, &SimilarityBridge::restart);
  connect(document, &Document::lookChanged, this, &SimilarityBridge::onLook);
}

void SimilarityBridge::setSample(const std::optional<PictureSample>& sample) {
  m_sample = sample;
  m_document->setLayerNumbers({m_document->layerNumbers().averaged && canAverage(), nullptr});
  restart();
}

void SimilarityBridge::average(bool on) {
  m_document->setLayerNumbers({on && canAverage(), nullptr});
  restart();
}

/// Weights in training change faster than a data set is measured: what goes on is finished.
void SimilarityBridge::onLook() {
  const auto look = m_document->liveLook();
  const bool others = look && look->weights != std::exchange(m_weights, look->weights);
  const bool recorded = m_document->recordedView() != nullptr;
  if (recorded || !m_problem.isEmpty() ||
      (others && !(m_look->isLookingThroughTraining() && isBusy())))
    restart();
}

void SimilarityBridge::restart() {
  forget();
  const bool wanted = m_document->layerNumbers().averaged && m_sample && m_document->hasModel();
  if (wanted && m_document->recordedView()) {
    // Of a recorded step there are its maps, not the weights.
    m_problem = tr("not recorded: at an earlier step there is the picture alone");
    m_document->setLayerNumbers({true, nullptr});
    m_settled.stop();
  } else if (wanted) {
    m_settled.start();
  } else {
    m_settled.stop();
  }
  Q_EMIT changed();
}

void SimilarityBridge::measure() {
  if (!m_sample || !m_document->hasModel()) return;
  m_task.run<Measured>(
      [session = m_look->session(), sample = *m_sample, masks = m_document->masks(),
       keeping = keeping(), tell = teller()](std::stop_token stop) -> Measured {
        const auto open = session();
        if (!open) return Error{ErrorCode::Canceled, "no model is open", ""};
        return keptSimilarity(keeping, {*open, sample, masks}, tell, stop);
      },
      [this](const Measured& measured) { take(measured); });
}

void SimilarityBridge::take(const Measured& measured) {
  m_progress = {};
  if (measured)
    m_document->setLayerNumbers({true, std::make_shared<const LayerSimilarity>(*measured)});
  else
    takeError(measured.error());
  Q_EMIT changed();
}

}  // namespace headlight
