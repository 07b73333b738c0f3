// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The training losses, and what accuracy counts. Labels are [B] int64, logits [B, C].

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace headlight {

/// Mean over the batch of −Σ_c q_c log softmax(logits)_c with q = (1 − s)·onehot + s/C: timm's
/// LabelSmoothingCrossEntropy. A scalar; s in [0, 1).
at::Tensor smoothedCrossEntropy(const at::Tensor& logits, const at::Tensor& labels,
                                double smoothing);

/// Soft distillation (DeiT Eq. 2, without its share λ): τ² · KL(softmax(t/τ) ‖ softmax(s/τ)) of
/// teacher logits t and student logits s, mean over the batch. A scalar; τ > 0.
at::Tensor softDistillation(const at::Tensor& student, const at::Tensor& teacher,
                            double temperature);

/// Hard distillation (DeiT Eq. 3, without its share ½): cross-entropy with the teacher's decisions
/// argmax(t), which are not smoothed. A scalar.
at::Tensor hardDistillation(const at::Tensor& student, const at::Tensor& teacher);

/// 1 − cos(s, t) of features [B, D] of student and teacher, mean over the batch. A scalar in [0, 2].
at::Tensor featureDistillation(const at::Tensor& student, const at::Tensor& teacher);

/// How many labels are among the k highest logits of their row; k above C counts as C. A scalar
/// int64 on the device of the logits, so that nothing waits for it.
at::Tensor countTopK(const at::Tensor& logits, const at::Tensor& labels, std::int64_t k);

}  // namespace headlight
