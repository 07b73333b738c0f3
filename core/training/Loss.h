#pragma once
// The training loss, and what accuracy counts. Labels are [B] int64, logits [B, C].

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace headlight {

/// Mean over the batch of −Σ_c q_c log softmax(logits)_c with q = (1 − s)·onehot + s/C: timm's
/// LabelSmoothingCrossEntropy. A scalar; s in [0, 1).
at::Tensor smoothedCrossEntropy(const at::Tensor& logits, const at::Tensor& labels,
                                double smoothing);

/// How many labels are among the k highest logits of their row; k above C counts as C. A scalar
/// int64 on the device of the logits, so that nothing waits for it.
at::Tensor countTopK(const at::Tensor& logits, const at::Tensor& labels, std::int64_t k);

}  // namespace headlight
