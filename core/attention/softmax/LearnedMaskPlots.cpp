// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/LearnedMaskPlots.h"

#include <ATen/ATen.h>

namespace headlight {
namespace {

constexpr const char *kMask = "mask", *kFilter = "filter";

/// [N, N]: which entry of a (2·rows − 1) × (2·cols − 1) image has the offset of a key (column)
/// from a query (row).
at::Tensor offsetsBetween(const Grid& grid, const at::Device& device) {
  const at::Tensor patch = at::arange(grid.patches(), at::device(device).dtype(at::kLong));
  const auto offset = [](const at::Tensor& place, int side) {
    return place.unsqueeze(0) - place.unsqueeze(1) + (side - 1);
  };
  return offset(at::div(patch, grid.cols, "floor"), grid.rows) * (2 * grid.cols - 1) +
         offset(at::remainder(patch, grid.cols), grid.cols);
}

/// [H, N, N] → [H, 2·rows − 1, 2·cols − 1]: the mean over all pairs of patches that are so far
/// apart.
at::Tensor meanByOffset(const at::Tensor& pairs, const Grid& grid) {
  const std::int64_t tall = 2 * grid.rows - 1, wide = 2 * grid.cols - 1;
  const at::Tensor index = offsetsBetween(grid, pairs.device()).flatten();
  const at::Tensor exact = pairs.to(at::kDouble).flatten(1);
  const at::Tensor sums =
      at::zeros({pairs.size(0), tall * wide}, exact.options()).index_add_(1, index, exact);
  const at::Tensor counts = at::zeros({tall * wide}, exact.options())
                                .index_add_(0, index, at::ones({index.numel()}, exact.options()));
  return (sums / counts).view({-1, tall, wide});
}

}  // namespace

std::vector<MechanismPlotInfo> learnedMaskPlots(const std::string& placement) {
  const std::string target =
      placement == "logits" ? "the logits"
      : placement == "products"
          ? "the products of queries and keys, before each row is divided by its norm"
          : "the attention weights, before each row is normalized";
  const std::string always =
      " Learned, the same for every image; rows and columns of a class "
      "token are 1 and not drawn.";
  return {
      {.name = kMask,
       .title = "learned mask W",
       .meaning = "The factor on " + target +
                  ", for every query patch (row) and key patch (column), row by row of the "
                  "image." +
                  always,
       .source = "IBiT, Algorithm 2, Fig. 6 and 8",
       .isSigned = true},
      {.name = kFilter,
       .title = "filter of the learned mask",
       .meaning = "The learned mask by offset of the key from its query, which is the center: the "
                  "mean of W over all patch pairs with this offset, up to the size of the grid." +
                  always,
       .source = "IBiT, §3.1 and Algorithm 1",
       .kind = MechanismPlotKind::Kernel,
       .isSigned = true}};
}

MechanismPlotAnswer learnedMaskPlot(const std::string& name, const at::Tensor& patches,
                                    const Grid& grid) {
  return {{{"", name == kMask ? patches : meanByOffset(patches, grid)}}};
}

}  // namespace headlight
