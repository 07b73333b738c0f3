// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/linear/RankAugmented.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/attention/kernels/heads/HeadLogits.h"

namespace headlight {
namespace {

RankAugmentedOptions rankOptions(const AttentionOptions& options) {
  return convolvedOptions<RankAugmentedOptions>(RankAugmented::optionTable(), options);
}

FactoredParts rankParts(const AttentionOptions& options) {
  const RankAugmentedOptions own = rankOptions(options);
  return {.convolution = "lepe",
          .filters = {options.width, own.convolution},
          .modulated = own.augmentOutput};
}

}  // namespace

const ParameterTable& RankAugmented::optionTable() {
  using O = RankAugmentedOptions;
  static const ParameterTable table =
      TableBuilder<O>()
          .boolean(&O::augmentBuffer, "augment_buffer",
                   "Weigh keys by their similarity to the mean query (alpha).")
          .boolean(&O::augmentOutput, "augment_output",
                   "Multiply the output by a linear map of the tokens (phi).")
          .integer(&O::convolution, "convolution", 1, 63,
                   "Side of the depthwise convolution of the values (LePE), in patches (odd).")
          .build();
  return table;
}

RankAugmented::RankAugmented(const AttentionOptions& options)
    : FactoredAttention(options, rankParts(options)),
      m_augmentBuffer(rankOptions(options).augmentBuffer) {}

void RankAugmented::count(CostCounter& counter, const AttentionOptions& options) {
  countParts(counter, options, rankParts(options));
  if (rankOptions(options).augmentBuffer)
    counter.macs("mean query times keys", std::int64_t{options.grid.tokens()} * options.width);
}

KernelFeatures RankAugmented::features(const at::Tensor& q, const at::Tensor& k) const {
  const at::Tensor query = at::elu(q) + 1;
  at::Tensor key = at::elu(k) + 1;
  if (m_augmentBuffer) {
    const double scale = 1.0 / std::sqrt(static_cast<double>(q.size(-1)));
    const at::Tensor mean = query.mean(-2, /*keepdim=*/true) * scale;
    const at::Tensor shares = at::matmul(key, mean.transpose(-2, -1)).softmax(-2);
    key = key * shares * static_cast<double>(k.size(-2));
  }
  const at::Tensor sums = at::matmul(query, key.sum(-2, /*keepdim=*/true).transpose(-2, -1));
  return {query / sums.clamp_min(kLeastRowSum), key};
}

std::string RankAugmented::mapMeaning() const {
  return "Rank-augmented linear attention: products of ELU(q) + 1 and of ELU(k) + 1" +
         std::string(m_augmentBuffer ? ", keys weighed by their similarity to the mean query,"
                                     : "") +
         " over their sum; each row sums to 1. The convolution of the values and what multiplies "
         "the output are not in it.";
}

}  // namespace headlight
