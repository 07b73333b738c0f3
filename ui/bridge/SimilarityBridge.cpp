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

SimilarityBridge::SimilarityBridge(Document* document, ModelWorker* inference, QObject* parent)
    : MeasureBridge(document, inference, kLayersSettledMs, parent) {
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &SimilarityBridge::restart);
  connect(&document->inputs(), &InferenceInputs::masksChanged, this, &SimilarityBridge::restart);
  connect(document, &Document::inferenceChanged, this, &SimilarityBridge::onInference);
}

void SimilarityBridge::setSample(const std::optional<ImageSample>& sample) {
  m_sample = sample;
  m_document->numbers().setLayers(
      {m_document->numbers().layers().averaged && canAverage(), nullptr});
  restart();
}

void SimilarityBridge::average(bool on) {
  m_document->numbers().setLayers({on && canAverage(), nullptr});
  restart();
}

/// Weights in training change faster than a dataset is measured: what goes on is finished.
void SimilarityBridge::onInference() {
  const auto inference = m_document->liveInference();
  const bool others =
      inference && inference->weights != std::exchange(m_weights, inference->weights);
  const bool recorded = m_document->recorded().view() != nullptr;
  if (recorded || !m_problem.isEmpty() ||
      (others && !(m_inference->isLookingThroughTraining() && isBusy())))
    restart();
}

void SimilarityBridge::restart() {
  forget();
  const bool wanted =
      m_document->numbers().layers().averaged && m_sample && m_document->inputs().hasModel();
  if (wanted && m_document->recorded().view()) {
    // A recorded step has maps, but no weights to measure others with.
    m_problem = tr("not recorded: an earlier step has maps of its image only");
    m_document->numbers().setLayers({true, nullptr});
    m_settled.stop();
  } else if (wanted) {
    m_settled.start();
  } else {
    m_settled.stop();
  }
  Q_EMIT changed();
}

void SimilarityBridge::measure() {
  if (!m_sample || !m_document->inputs().hasModel()) return;
  m_task.run<Measured>(
      [session = m_inference->session(), sample = *m_sample, masks = m_document->inputs().masks(),
       keeping = keeping(), notify = teller()](std::stop_token stop) -> Measured {
        const auto open = session();
        if (!open) return Error{ErrorCode::Canceled, "no model is open", ""};
        return keptSimilarity(keeping, {*open, sample, masks}, notify, stop);
      },
      [this](const Measured& measured) { take(measured); });
}

void SimilarityBridge::take(const Measured& measured) {
  m_progress = {};
  if (measured)
    m_document->numbers().setLayers({true, std::make_shared<const LayerSimilarity>(*measured)});
  else
    takeError(measured.error());
  Q_EMIT changed();
}

}  // namespace headlight
