// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The state of the window: the inputs of a forward pass, its result, and how that is shown.
// It owns an object for each part; a change that concerns several of them is made here. Every
// widget reads it and receives its signals; widgets do not call each other. It lives in the
// window's thread and never waits for core: ModelWorker does the work and hands results in.

#include <QObject>
#include <QString>

#include <memory>

#include "core/workbench/session/InferenceSession.h"
#include "ui/document/HeadNumberState.h"
#include "ui/document/InferenceInputs.h"
#include "ui/document/RecordedStep.h"
#include "ui/document/ReferenceState.h"
#include "ui/document/ViewState.h"

namespace headlight {

class Document : public QObject {
  Q_OBJECT
 public:
  explicit Document(QObject* parent = nullptr);

  InferenceInputs& inputs() { return m_inputs; }
  const InferenceInputs& inputs() const { return m_inputs; }
  ViewState& view() { return m_view; }
  const ViewState& view() const { return m_view; }
  ReferenceState& reference() { return m_reference; }
  const ReferenceState& reference() const { return m_reference; }
  RecordedStep& recorded() { return m_recorded; }
  const RecordedStep& recorded() const { return m_recorded; }
  HeadNumberState& numbers() { return m_numbers; }
  const HeadNumberState& numbers() const { return m_numbers; }

  void setModel(const ModelInfo& info);  ///< also resets masks to the model's own and the view
  /// `truth`: what its dataset says of it.
  void setImage(const Image& image, const QString& name, const QString& path,
                std::shared_ptr<const KnownTruth> truth = nullptr);

  /// What is shown: a recorded step, else the newest image; may be null.
  std::shared_ptr<const InferenceResult> inference() const;
  std::shared_ptr<const InferenceResult> liveInference() const { return m_inference; }
  void setInference(std::shared_ptr<const InferenceResult> inference, double editToImageMs);
  double editToImageMs() const { return m_editToImageMs; }  ///< negative: none measured yet
  bool isStale() const { return m_stale; }                  ///< a newer result is on its way
  void setStale(bool stale);                                ///< by ModelWorker only

  /// The source of weights that do not, or not all, come from a file: "training weights",
  /// set by ModelWorker only, "random weights", "1 of the model's tensors random"; else empty.
  QString sourceNote() const;
  /// For liveInference(); sourceNote() of a recorded step says that.
  QString liveSourceNote() const;
  /// The part of it that is about a training run: for the window's title. Empty: none is shown, nor
  /// goes on.
  QString runNote() const;
  /// The name of the weights that what is shown was computed with, as WeightsName.h has it: "demo",
  /// "run a · training · step 12"; empty for random ones.
  QString weightsName() const;
  /// The model and its weights: "vit_tiny · my.safetensors". Empty without a model.
  QString modelTitle() const;
  /// The weights in training that are shown: "run a · training · step 12"; else empty.
  const QString& trainingWeights() const { return m_sourceNote; }
  void setSourceNote(const QString& note);
  /// During a run whose weights are not shown: "the open model, not run “a”".
  void setRunNote(const QString& note);
  const QString& otherRunNote() const { return m_runNote; }

 Q_SIGNALS:
  void inferenceChanged();
  void staleChanged();
  void sourceNoteChanged();
  void message(const QString& text);                       ///< for the status bar
  void failed(const QString& title, const QString& text);  ///< an error for the person

 private:
  void setNote(QString& note, const QString& text);

  InferenceInputs m_inputs;
  ViewState m_view{*this};
  ReferenceState m_reference{*this};
  RecordedStep m_recorded{*this};
  HeadNumberState m_numbers{*this};
  std::shared_ptr<const InferenceResult> m_inference;
  double m_editToImageMs = -1;
  bool m_stale = false;
  QString m_sourceNote, m_runNote;
};

}  // namespace headlight
