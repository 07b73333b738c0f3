// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A mask edit on the undo stack. InferenceInputs::pushEdit makes one; a paint stroke makes one per
// cell with the same stroke number, and they become one step.

#include <QUndoCommand>

#include "core/masks/MaskEdit.h"

namespace headlight {

class InferenceInputs;

class MaskCommand : public QUndoCommand {
 public:
  static constexpr int kNoStroke = -1;

  /// `stroke`: edits pushed one after the other with the same number merge; kNoStroke never does.
  MaskCommand(InferenceInputs* inputs, MaskEdit edit, int stroke = kNoStroke);

  /// A number that no stroke had before.
  static int newStroke();

  const MaskEdit& edit() const { return m_edit; }

  void undo() override;
  void redo() override;
  int id() const override { return m_stroke; }
  /// Only with a command of the same stroke. A stroke that comes back to where it began is
  /// obsolete.
  bool mergeWith(const QUndoCommand* other) override;

 private:
  InferenceInputs* m_inputs;
  MaskEdit m_edit;
  int m_stroke;
};

/// `first` followed by `second` as one edit: a cell changed twice keeps the first `before` and the
/// last `after`, and is left out if they are equal.
MaskEdit composeEdits(const MaskEdit& first, const MaskEdit& second);

}  // namespace headlight
