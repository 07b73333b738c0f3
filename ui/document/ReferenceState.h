// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the newest image of a document is compared with: the same image through the same weights
// under other masks.

#include <QObject>
#include <QString>

#include <memory>
#include <optional>

#include "core/masks/MaskEdit.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

class Document;

/// Whose masks those are: before the last edit (of a stroke: as they were when it began), none, or
/// those that were pinned.
enum class Reference { LastEdit, Unmasked, Pinned };

class ReferenceState : public QObject {
  Q_OBJECT
 public:
  explicit ReferenceState(const Document& document) : m_document(document) {}

  Reference kind() const { return m_kind; }
  void set(Reference kind);
  bool hasPinned() const { return m_pinned.has_value(); }
  /// The masks as they are become the reference.
  void pin();
  /// Nothing where there was no edit, or nothing was pinned.
  std::optional<MaskScheme> masks() const;
  /// The result under those masks; null while there is none.
  std::shared_ptr<const InferenceResult> inference() const;
  /// Whether there is a reference without a result yet.
  bool needsInference() const;
  void setInference(std::shared_ptr<const InferenceResult> inference);  ///< by ModelWorker only
  /// "before the last edit", "unmasked", "pinned".
  QString describe() const;

 Q_SIGNALS:
  void changed();  ///< another is wanted, or its image is there

 private:
  friend class Document;  // for what becomes outdated with a model, an image or an edit
  void keepBefore(const MaskScheme& before, int stroke);
  void forgetModel();
  void forgetEdits();
  void forgetInference() { m_inference.reset(); }

  const Document& m_document;
  Reference m_kind = Reference::LastEdit;
  std::shared_ptr<const InferenceResult> m_inference;
  MaskScheme m_inferredMasks;  ///< under which m_inference was computed
  std::optional<MaskScheme> m_beforeEdit, m_pinned;
  int m_strokeOfBefore = -1;  ///< MaskCommand::kNoStroke
};

}  // namespace headlight
