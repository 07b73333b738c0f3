// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/MaskEffectBridge.h"

#include <QCoreApplication>
#include <QPointer>

#include <algorithm>
#include <utility>

#include "core/workbench/classes/ClassMatch.h"
#include "core/workbench/evaluation/SchemeScores.h"
#include "ui/base/WorkerThread.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/document/Document.h"

namespace headlight {

MaskEffectBridge::MaskEffectBridge(Document* document, ModelWorker* inference, QObject* parent)
    : QObject(parent), m_document(document), m_inference(inference) {
  m_settled.setSingleShot(true);
  m_settled.setInterval(kSettledMs);
  connect(&m_settled, &QTimer::timeout, this, &MaskEffectBridge::measure);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &MaskEffectBridge::invalidate);
  connect(document, &Document::inferenceChanged, this, &MaskEffectBridge::onInference);
  connect(&document->inputs(), &InferenceInputs::masksChanged, this, &MaskEffectBridge::settle);
  connect(&document->reference(), &ReferenceState::changed, this, &MaskEffectBridge::settle);
  connect(&m_task, &BackgroundTask::busyChanged, this, &MaskEffectBridge::changed);
}

void MaskEffectBridge::setSample(const std::optional<ImageSample>& sample) {
  m_sample = sample;
  invalidate();
}

/// The cached results belong to other weights or images.
void MaskEffectBridge::invalidate() {
  m_task.cancel();
  m_kept.clear();
  m_problem.clear();
  settle();
}

void MaskEffectBridge::measureAnew() {
  m_anew = true;
  invalidate();
}

/// Weights in training change every second, so caching them is useless.
CachePolicy MaskEffectBridge::keeping() {
  const bool anew = std::exchange(m_anew, false);
  if (m_inference->isLookingThroughTraining()) return {};
  return {m_shelf, anew ? CachePolicy::Use::Measured : CachePolicy::Use::KeptOrMeasured};
}

void MaskEffectBridge::onInference() {
  const auto inference = m_document->liveInference();
  if (!inference || inference->weights == m_weights) return;
  m_weights = inference->weights;
  // Weights in training change faster than a dataset is measured: what goes on is finished.
  if (m_inference->isLookingThroughTraining() && m_task.isBusy()) {
    m_kept.clear();
    return;
  }
  invalidate();
}

/// The running measurement is already the requested one, as after a change of the reference alone.
bool MaskEffectBridge::goesOn() const {
  return m_sample && m_document->inputs().hasModel() && m_task.isBusy() && missing() == m_measured;
}

void MaskEffectBridge::settle() {
  if (goesOn()) return;
  m_task.cancel();
  m_progress = {};
  if (m_sample && m_document->inputs().hasModel() && !missing().empty())
    m_settled.start();
  else
    m_settled.stop();
  Q_EMIT changed();
}

std::vector<MaskScheme> MaskEffectBridge::missing() const {
  std::vector<MaskScheme> schemes;
  const auto want = [&](const MaskScheme& scheme) {
    if (!known(scheme) && std::find(schemes.begin(), schemes.end(), scheme) == schemes.end())
      schemes.push_back(scheme);
  };
  want(m_document->inputs().masks());
  if (const auto reference = m_document->reference().masks()) want(*reference);
  want(MaskScheme(m_document->inputs().masks().shape()));
  return schemes;
}

void MaskEffectBridge::measure() {
  if (!m_sample || !m_document->inputs().hasModel()) return;
  const auto schemes = missing();
  if (schemes.empty()) return;
  m_problem.clear();
  m_measured = schemes;
  // The job may outlive this object: the application carries its progress.
  const ProgressCallback notify = [self = QPointer(this)](const Progress& progress) {
    callInThread(QCoreApplication::instance(), [self, progress] {
      if (!self) return;
      self->m_progress = progress;
      Q_EMIT self->changed();
    });
  };
  m_task.run<Measured>(
      [session = m_inference->session(), sample = *m_sample, schemes, notify,
       keeping = keeping()](std::stop_token stop) -> Measured {
        const auto open = session();
        if (!open) return {schemes, Error{ErrorCode::Canceled, "no model is open", ""}};
        if (measuresScores(open->info()))
          return {schemes,
                  keptScores(keeping, {*open, sample, schemes.front()}, schemes, notify, stop)};
        return {schemes,
                keptEvaluations(keeping, {*open, sample, schemes.front()}, schemes, notify, stop)};
      },
      [this](const Measured& measured) { take(measured); });
}

void MaskEffectBridge::take(const Measured& measured) {
  m_progress = {};
  if (measured.results) {
    for (std::size_t i = 0; i < measured.schemes.size(); ++i)
      m_kept.push_back(
          {measured.schemes[i], std::make_shared<const SchemeResult>((*measured.results)[i])});
    if (m_kept.size() > kMostKept)
      m_kept.erase(m_kept.begin(),
                   m_kept.begin() + static_cast<std::ptrdiff_t>(m_kept.size() - kMostKept));
  } else if (measured.results.error().code != ErrorCode::Canceled) {
    m_problem = QString::fromStdString(measured.results.error().text());
    m_misfit = isClassMisfit(measured.results.error());
  }
  Q_EMIT changed();
}

MaskEffectBridge::Known MaskEffectBridge::known(const MaskScheme& scheme) const {
  const auto found = std::find_if(m_kept.rbegin(), m_kept.rend(),
                                  [&](const Kept& kept) { return kept.scheme == scheme; });
  return found == m_kept.rend() ? nullptr : found->result;
}

MaskEffectBridge::Known MaskEffectBridge::present() const {
  return m_document->inputs().hasModel() ? known(m_document->inputs().masks()) : nullptr;
}

MaskEffectBridge::Known MaskEffectBridge::reference() const {
  const auto masks = m_document->reference().masks();
  return masks ? known(*masks) : nullptr;
}

MaskEffectBridge::Known MaskEffectBridge::unmasked() const {
  return m_document->inputs().hasModel() ? known(MaskScheme(m_document->inputs().masks().shape()))
                                         : nullptr;
}

std::optional<MaskEffect> MaskEffectBridge::sinceReference() const {
  const Known before = reference(), after = present();
  if (!before || !after) return std::nullopt;
  auto effect = maskEffect(*before, *after);
  return effect ? std::optional(std::move(*effect)) : std::nullopt;
}

}  // namespace headlight
