// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/MaskEffectBridge.h"
#include "core/workbench/classes/ClassMatch.h"

#include <algorithm>
#include <utility>

#include "ui/base/WorkerThread.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/document/Document.h"

namespace headlight {

MaskEffectBridge::MaskEffectBridge(Document* document, ModelWorker* look, QObject* parent)
    : QObject(parent), m_document(document), m_look(look) {
  m_settled.setSingleShot(true);
  m_settled.setInterval(kSettledMs);
  connect(&m_settled, &QTimer::timeout, this, &MaskEffectBridge::measure);
  connect(document, &Document::modelChanged, this, &MaskEffectBridge::invalidate);
  connect(document, &Document::lookChanged, this, &MaskEffectBridge::onLook);
  for (const auto signal : {&Document::masksChanged, &Document::referenceChanged})
    connect(document, signal, this, &MaskEffectBridge::settle);
  connect(&m_task, &BackgroundTask::busyChanged, this, &MaskEffectBridge::changed);
}

void MaskEffectBridge::setSample(const std::optional<PictureSample>& sample) {
  m_sample = sample;
  invalidate();
}

/// What is kept is of other weights, or of other pictures.
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

/// Weights in training are others in a second: nobody would find them again.
Keeping MaskEffectBridge::keeping() {
  const bool anew = std::exchange(m_anew, false);
  if (m_look->isLookingThroughTraining()) return {};
  return {m_shelf, anew ? Keeping::Use::Measured : Keeping::Use::KeptOrMeasured};
}

void MaskEffectBridge::onLook() {
  const auto look = m_document->liveLook();
  if (!look || look->weights == m_weights) return;
  m_weights = look->weights;
  // Weights in training change faster than a data set is measured: what goes on is finished.
  if (m_look->isLookingThroughTraining() && m_task.isBusy()) {
    m_kept.clear();
    return;
  }
  invalidate();
}

/// What is measured now is what is wanted, as when only the reference was told anew.
bool MaskEffectBridge::goesOn() const {
  return m_sample && m_document->hasModel() && m_task.isBusy() && missing() == m_measured;
}

void MaskEffectBridge::settle() {
  if (goesOn()) return;
  m_task.cancel();
  m_progress = {};
  if (m_sample && m_document->hasModel() && !missing().empty())
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
  want(m_document->masks());
  if (const auto reference = m_document->referenceMasks()) want(*reference);
  want(MaskScheme(m_document->masks().shape()));
  return schemes;
}

void MaskEffectBridge::measure() {
  if (!m_sample || !m_document->hasModel()) return;
  const auto schemes = missing();
  if (schemes.empty()) return;
  m_problem.clear();
  m_measured = schemes;
  const ProgressCallback tell = [this](const Progress& progress) {
    inThreadOf(this, [this, progress] {
      m_progress = progress;
      Q_EMIT changed();
    });
  };
  m_task.run<Measured>(
      [session = m_look->session(), sample = *m_sample, schemes, tell,
       keeping = keeping()](std::stop_token stop) -> Measured {
        const auto open = session();
        if (!open) return {schemes, Error{ErrorCode::Canceled, "no model is open", ""}};
        return {schemes,
                keptEvaluations(keeping, {*open, sample, schemes.front()}, schemes, tell, stop)};
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
  return m_document->hasModel() ? known(m_document->masks()) : nullptr;
}

MaskEffectBridge::Known MaskEffectBridge::reference() const {
  const auto masks = m_document->referenceMasks();
  return masks ? known(*masks) : nullptr;
}

MaskEffectBridge::Known MaskEffectBridge::unmasked() const {
  return m_document->hasModel() ? known(MaskScheme(m_document->masks().shape())) : nullptr;
}

std::optional<MaskEffect> MaskEffectBridge::sinceReference() const {
  const Known before = reference(), after = present();
  if (!before || !after) return std::nullopt;
  auto effect = maskEffect(*before, *after);
  return effect ? std::optional(std::move(*effect)) : std::nullopt;
}

}  // namespace headlight
