#include <ATen/ATen.h>

#include <cmath>

#include "core/attention/kernels/HeadAttention.h"

namespace headlight {
AttentionOutput headAttentionPlain(const at::Tensor& qkv, int heads, const HeadLogits& logits,
                                   bool wantMap) {
  const auto batch = qkv.size(0), tokens = qkv.size(1), width = qkv.size(2) / 3;
  const auto headWidth = width / heads;
  const auto parts = qkv.view({batch, tokens, 3, heads, headWidth}).permute({2, 0, 3, 1, 4});
  const double scale = 1.0 / std::sqrt(static_cast<double>(headWidth));
  at::Tensor s = at::matmul(parts[0] * scale, parts[1].transpose(-2, -1));
  if (logits.anyMasked()) s = maskedLogits(s, logits);
  const at::Tensor a = s.softmax(-1);
  const at::Tensor output = at::matmul(a, parts[2]).transpose(1, 2).reshape({batch, tokens, width});
  return {output, wantMap ? a.detach() : at::Tensor()};
}

}  // namespace headlight
