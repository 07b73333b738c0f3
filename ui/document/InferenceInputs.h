// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The inputs of a forward pass: one model, one image and one mask scheme, with undo. It knows
// nothing of what comes out; Document tells the others when a model or an image is replaced.

#include <QObject>
#include <QString>
#include <QUndoStack>

#include <map>
#include <memory>
#include <optional>

#include "core/base/Result.h"
#include "core/masks/MaskEdit.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

struct KnownTruth;

class InferenceInputs : public QObject {
  Q_OBJECT
 public:
  // The model. Nothing before the first one is open. Document::setModel opens one.
  bool hasModel() const { return m_model.has_value(); }
  const ModelInfo& model() const { return *m_model; }
  /// Whether a model is open that can predict, be masked and be trained (not only maps of a file).
  bool canCompute() const { return hasModel() && !m_model->isPrecomputed; }
  /// Why not, for tooltips; empty where it can.
  QString whyNotComputed() const;
  /// Other weights in the same model: masks, undo stack and view stay. Emits modelChanged.
  void updateModel(const ModelInfo& info);

  // The image: the original, its name for people, and its path (empty for built-in ones).
  // Document::setImage replaces it; RecordedStep has the one that is shown.
  bool hasImage() const { return !m_image.empty(); }
  const Image& image() const { return m_image; }
  const QString& imageName() const { return m_imageName; }
  const QString& imagePath() const { return m_imagePath; }
  /// What its dataset says of it (KnownTruth.h); null: it is of none with boxes or segments.
  const std::shared_ptr<const KnownTruth>& imageTruth() const { return m_imageTruth; }

  // Masks. Everything that edits them comes in by pushEdit, so that it can be undone, and goes out
  // by editApplied, so that a run that listens gets the same edits.
  const MaskScheme& masks() const { return m_masks; }
  const MaskScheme& openedMasks() const { return m_opened; }  ///< as the model came with them
  void pushEdit(const MaskEdit& edit);  ///< onto the undo stack; an empty edit is ignored
  /// The same; edits pushed one after the other with one stroke (MaskCommand::newStroke) become one
  /// step.
  void pushEdit(const MaskEdit& edit, int stroke);
  void applyEdit(const MaskEdit& edit);         ///< by the undo stack only
  void replaceMasks(const MaskScheme& scheme);  ///< session restore: clears the undo stack
  /// Why a search decided on the heads of `found` as it did, by head; of this model, until another
  /// one is set.
  void setMaskReasons(std::map<HeadPlace, QString> reasons, const MaskScheme& found);
  /// Empty where there is none, or the head's mask is not the one that was found.
  QString maskReason(const HeadPlace& head) const;
  QUndoStack* undoStack() { return &m_undoStack; }

 Q_SIGNALS:
  void modelChanged();
  void imageChanged();
  void masksChanged();                                ///< after applyEdit or replaceMasks
  void editApplied(const headlight::MaskEdit& edit);  ///< done, undone or redone; then masksChanged
  /// For what compares with the masks before an edit: precedes editApplied. `stroke` is
  /// MaskCommand::kNoStroke for an edit that is undone, redone or belongs to no stroke.
  void edited(const headlight::MaskScheme& before, int stroke);
  void masksReplaced();  ///< by replaceMasks; then masksChanged
  void failed(const QString& title, const QString& text);

 private:
  friend class Document;  // what a new model or image means for the others, in which order
  /// The error where the model's own masks do not fit it: then it has none. Emits nothing.
  Result<void> resetModel(const ModelInfo& info);
  void resetImage(const Image& image, const QString& name, const QString& path,
                  std::shared_ptr<const KnownTruth> truth);

  std::optional<ModelInfo> m_model;
  Image m_image;
  QString m_imageName, m_imagePath;
  std::shared_ptr<const KnownTruth> m_imageTruth;
  MaskScheme m_masks, m_opened;
  QUndoStack m_undoStack;
  int m_stroke = -1;  ///< MaskCommand::kNoStroke
  std::map<HeadPlace, QString> m_maskReasons;
  MaskScheme m_foundMasks;  ///< that the reasons are of
};

}  // namespace headlight
