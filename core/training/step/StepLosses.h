// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The loss of a step, or of a part of its batch, and what it consists of.

#include <ATen/core/Tensor.h>

#include "core/config/TrainingConfig.h"
#include "core/models/backbones/Model.h"
#include "core/training/step/Mixing.h"
#include "core/training/step/Teacher.h"

namespace headlight {

/// The parts of a step's loss, scalars. Undefined tensors: there is none.
struct StepLosses {
  at::Tensor total, distillation, auxiliary;
  at::Tensor classes, overlap, sides;  ///< of a detector, with their weights: BoxLosses
  at::Tensor masks, dice;  ///< of a segmenter, and `classes`, with their weights: SegmentLosses

  /// Takes the auxiliary loss of the model's last pass and adds it to the total as it is.
  void addAuxiliary(Model& model);
  /// Adds the losses of a part that counts `share` of the batch's, in double without gradients.
  void add(const StepLosses& part, double share);
  /// Those that there are.
  std::vector<at::Tensor*> all();
};

/// The batch is on the model's device; model and teacher see the mixed images. `teacher` is null
/// where nobody is asked. Without a teacher: the labels' loss, of a distilled model for the mean of
/// its heads. With one (DeiT Eq. 2, 3): (1 − α) · labels + α · distillation; of a distilled model
/// the class head learns the labels and the distillation head the teacher, else the one head learns
/// both. The model's auxiliary loss is added as it is. Both models are asked in training.precision,
/// which requirePrecision() has to have allowed; losses are float32. Of a batch with a teacher's rows
/// (MixedBatch::wanted) the same as with a teacher; mixed images learn λ of their own and 1 − λ of
/// their partner's.
StepLosses stepLosses(Model& model, const MixedBatch& batch, const TrainingConfig& config,
                      Teacher* teacher);

}  // namespace headlight
