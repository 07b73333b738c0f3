#include "core/attention/kernels/HeadLogits.h"

#include <ATen/ATen.h>

#include <limits>

namespace headlight {

at::Tensor maskedLogits(const at::Tensor& logits, const HeadLogits& rules) {
  std::vector<at::Tensor> heads;
  for (std::size_t h = 0; h < rules.rules.size(); ++h) {
    const at::Tensor s = logits.select(1, static_cast<std::int64_t>(h));
    const at::Tensor& m = rules.masks[h];
    switch (rules.rules[h]) {
      case LogitRule::Keep:
        heads.push_back(s);
        break;
      case LogitRule::Multiply:
        heads.push_back(s * m);
        break;
      case LogitRule::Blend:
        heads.push_back(s * (m + rules.alpha[static_cast<std::int64_t>(h)] * (1 - m)));
        break;
      case LogitRule::Forbid:
        heads.push_back(s.masked_fill(m == 0, -std::numeric_limits<double>::infinity()));
        break;
    }
  }
  return at::stack(heads, 1);
}

}  // namespace headlight
