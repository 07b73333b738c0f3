// SPDX-License-Identifier: GPL-3.0-or-later

// HeadAttention.h: the plain form in LibTorch's own operations, which the kernels are checked
// against.

#include <ATen/ATen.h>

#include <cmath>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/kernels/HeadAttention.h"

namespace headlight {

AttentionOutput headAttentionPlain(const HeadInputs& inputs, const HeadLogits& logits,
                                   bool wantMap) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(inputs.keyWidth));
  const at::Tensor s =
      inFloat32(at::matmul(inputs.part(0) * scale, inputs.part(1).transpose(-2, -1)).contiguous());
  const at::Tensor a = headWeights(s, logits);
  const at::Tensor output =
      inFloat32(at::matmul(a, inputs.part(2)))
          .transpose(1, 2)
          .reshape({inputs.batch, inputs.queries, inputs.heads * inputs.valueWidth});
  return {output, wantMap ? a.detach() : at::Tensor()};
}

}  // namespace headlight
