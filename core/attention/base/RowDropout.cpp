// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/base/RowDropout.h"

#include <ATen/ATen.h>

#include "core/attention/base/MicroBatch.h"

namespace headlight {

at::Tensor rowDropout(const at::Tensor& x, double rate) {
  if (rate <= 0) return x;
  const MicroBatch& part = batchPart();
  const bool shared = part.whole > 0 && !part.rows.empty() &&
                      x.size(0) % static_cast<std::int64_t>(part.rows.size()) == 0;
  const std::int64_t here = shared ? static_cast<std::int64_t>(part.rows.size()) : x.size(0);
  const std::int64_t all = shared ? part.whole : here;
  const double keep = 1 - rate;
  const at::Tensor drawn = at::empty({all, x.numel() / here}, x.options().requires_grad(false))
                               .bernoulli_(keep)
                               .div_(keep);
  return x * (shared ? rowsSeen(drawn) : drawn).view(x.sizes());
}

}  // namespace headlight
