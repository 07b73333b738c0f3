// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/Document.h"

#include <utility>

#include "ui/document/ModelText.h"
#include "ui/document/RecordedView.h"

namespace headlight {

Document::Document(QObject* parent) : QObject(parent) {
  connect(&m_inputs, &InferenceInputs::edited, &m_reference, &ReferenceState::keepBefore);
  connect(&m_inputs, &InferenceInputs::masksReplaced, &m_reference, &ReferenceState::forgetEdits);
  connect(&m_inputs, &InferenceInputs::failed, this, &Document::failed);
}

void Document::setModel(const ModelInfo& info) {
  const auto masks = m_inputs.resetModel(info);
  m_inference.reset();
  m_editToImageMs = -1;
  m_reference.forgetModel();
  m_numbers.forgetLayers();
  // Signaled below: a listener that asks now may still mean heads of the former model.
  const bool showedPoint = std::exchange(m_recorded.m_point, nullptr) != nullptr;
  const bool showedImage = std::exchange(m_recorded.m_view, nullptr) != nullptr;
  const bool viewIsNew = m_view.reset(info);
  Q_EMIT m_inputs.modelChanged();
  if (showedImage) Q_EMIT m_recorded.shownImageChanged();
  Q_EMIT inferenceChanged();
  if (showedPoint) Q_EMIT m_recorded.changed();
  if (viewIsNew) Q_EMIT m_view.changed();
  if (!masks)
    Q_EMIT failed(tr("The model's masks do not fit it"),
                  QString::fromStdString(masks.error().text()));
}

void Document::setImage(const Image& image, const QString& name, const QString& path,
                        std::shared_ptr<const KnownTruth> truth) {
  m_inputs.resetImage(image, name, path, std::move(truth));
  m_inference.reset();
  m_reference.forgetInference();
  Q_EMIT m_inputs.imageChanged();
  Q_EMIT m_recorded.shownImageChanged();
  Q_EMIT inferenceChanged();
}

std::shared_ptr<const InferenceResult> Document::inference() const {
  const auto& recorded = m_recorded.view();
  return recorded ? recorded->inference : m_inference;
}

void Document::setInference(std::shared_ptr<const InferenceResult> inference,
                            double editToImageMs) {
  m_inference = std::move(inference);
  if (editToImageMs >= 0) m_editToImageMs = editToImageMs;
  setStale(false);
  Q_EMIT inferenceChanged();
}

void Document::setStale(bool stale) {
  if (stale == m_stale) return;
  m_stale = stale;
  Q_EMIT staleChanged();
}

void Document::setSourceNote(const QString& note) {
  setNote(m_sourceNote, note);
}

void Document::setRunNote(const QString& note) {
  setNote(m_runNote, note);
}

void Document::setNote(QString& note, const QString& text) {
  if (text == note) return;
  note = text;
  Q_EMIT m_view.changed();  // captions say it
  Q_EMIT sourceNoteChanged();
}

QString Document::sourceNote() const {
  const auto& recorded = m_recorded.view();
  return recorded ? recorded->source : liveSourceNote();
}

QString Document::weightsName() const {
  if (const auto& recorded = m_recorded.view()) return recorded->source;
  if (!m_sourceNote.isEmpty()) return m_sourceNote;
  return m_inputs.hasModel() ? headlight::weightsName(m_inputs.model()) : QString();
}

QString Document::modelTitle() const {
  if (!m_inputs.hasModel()) return {};
  const bool ofRun = m_recorded.view() || !m_sourceNote.isEmpty();
  return ofRun ? headlight::modelTitle(m_inputs.model(), weightsName())
               : headlight::modelTitle(m_inputs.model());
}

QString Document::runNote() const {
  if (const auto& recorded = m_recorded.view()) return recorded->source;
  return m_sourceNote.isEmpty() ? m_runNote : m_sourceNote;
}

QString Document::liveSourceNote() const {
  if (!m_sourceNote.isEmpty()) return m_sourceNote;
  if (!m_inputs.hasModel()) return {};
  if (!m_runNote.isEmpty()) return m_runNote;
  const ModelInfo& model = m_inputs.model();
  if (model.randomWeights) return tr("random weights");
  const std::size_t random = model.report.unfilled().size();
  return random > 0 ? tr("%1 of the model's tensors random").arg(random) : QString();
}

}  // namespace headlight
