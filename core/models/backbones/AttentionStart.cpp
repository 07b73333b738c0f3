// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/backbones/AttentionStart.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/Random.h"
#include "core/base/Translation.h"
#include "core/models/backbones/Model.h"
#include "core/models/pretraining/SinePositions.h"
#include "core/models/published/DetectorSizes.h"

namespace headlight {
namespace {

constexpr std::uint64_t kMatrixPurpose = 0x6d696d6963;  // "mimic"
constexpr std::uint64_t kTapPurpose = 0x746170;         // "tap"
constexpr double kQueryKeyNoise = 0.7, kQueryKeyIdentity = 0.7;
constexpr double kValueOutputNoise = 0.4, kValueOutputIdentity = -0.4;
constexpr double kLeastSingular = 0.01;  ///< of the greatest
constexpr int kTaps = 3;

Error noStart(const std::string& init, const std::string& why) {
  return {ErrorCode::InvalidConfig, init + tr(" initialization cannot be used here: ") + why,
          "model.init"};
}

/// A layer's projections, sharing storage with its parameters: [D, D] each.
struct SquareProjections {
  at::Tensor query, key, value, output;
};

SquareProjections projectionsOf(Model& model, int layer) {
  const auto parameters = model.attention(layer).named_parameters(/*recurse=*/true);
  const auto named = [&](const char* name) {
    const at::Tensor* found = parameters.find(name);
    return found ? *found : at::Tensor();
  };
  SquareProjections all{named("q_proj.weight"), named("k_proj.weight"), named("v_proj.weight"),
                        named("proj.weight")};
  if (const at::Tensor packed = named("qkv.weight"); packed.defined()) {
    const std::int64_t width = packed.size(0) / 3;
    all.query = packed.slice(0, 0, width);
    all.key = packed.slice(0, width, 2 * width);
    all.value = packed.slice(0, 2 * width, 3 * width);
  }
  for (const at::Tensor& weight : {all.query, all.key, all.value, all.output})
    if (!weight.defined() || weight.dim() != 2 || weight.size(0) != weight.size(1))
      throw Failure(noStart(model.config().init,
                            tr("layer ") + std::to_string(layer) +
                                tr(" has no square projections of queries, keys and values")));
  return all;
}

/// Rows h·k to (h + 1)·k of a projection's weight.
at::Tensor rowsOfHead(const at::Tensor& weight, int head, int heads) {
  const std::int64_t width = weight.size(0) / heads;
  return weight.slice(0, head * width, (head + 1) * width);
}

/// noise·Z + identity·I, [D, D] double.
at::Tensor nearIdentity(std::int64_t width, double noise, double identity, std::uint64_t key) {
  at::Tensor matrix = at::empty({width, width}, at::kDouble);
  RandomStream stream(key);
  double* values = matrix.data_ptr<double>();
  for (std::int64_t i = 0; i < width * width; ++i)
    values[i] = noise / std::sqrt(static_cast<double>(width)) * stream.normal();
  matrix.diagonal().add_(identity);
  return matrix;
}

/// Two factors [D, rank] whose product left·rightᵀ is the best of that rank.
struct RankFactors {
  at::Tensor left, right;
};

RankFactors bestFactors(const at::Tensor& matrix, std::int64_t rank) {
  const auto [u, s, vh] = at::linalg_svd(matrix, /*full_matrices=*/false);
  const at::Tensor root = s.slice(0, 0, rank).sqrt();
  return {u.slice(1, 0, rank) * root, vh.slice(0, 0, rank).t() * root};
}

void startMimetic(const SquareProjections& all, int heads, std::uint64_t seed, int layer) {
  const std::int64_t width = all.query.size(0);
  const auto keyOf = [&](int which) {
    return streamKey({seed, kMatrixPurpose, static_cast<std::uint64_t>(layer),
                      static_cast<std::uint64_t>(which)});
  };
  for (int head = 0; head < heads; ++head) {
    const RankFactors product = bestFactors(
        nearIdentity(width, kQueryKeyNoise, kQueryKeyIdentity, keyOf(head)), width / heads);
    rowsOfHead(all.query, head, heads).copy_(product.left.t());
    rowsOfHead(all.key, head, heads).copy_(product.right.t());
  }
  const RankFactors product = bestFactors(
      nearIdentity(width, kValueOutputNoise, kValueOutputIdentity, keyOf(heads)), width);
  all.value.copy_(product.left.t());
  all.output.copy_(product.right);  // its rows are outputs: (W_O)ᵀ
}

/// U [N, r] of the pseudo-input of a grid, and V·S⁻¹ [D, r].
struct PseudoInput {
  explicit PseudoInput(const Grid& grid, int width) : patches(grid) {
    patches.prefix = patches.registers = 0;
    at::Tensor p = sinePositions(patches, width)[0].to(at::kDouble);
    p = p - p.mean(-1, true);
    p = p / (p.pow(2).mean(-1, true) + 1e-6).sqrt();
    const auto [u, s, vh] = at::linalg_svd(p, /*full_matrices=*/false);
    const std::int64_t rank = (s > kLeastSingular * s[0]).sum().item<std::int64_t>();
    left = u.slice(1, 0, rank).contiguous();
    back = vh.slice(0, 0, rank).t() / s.slice(0, 0, rank);
  }
  Grid patches;
  at::Tensor left, back;
};

/// The patch at the tap of each patch, [N]; itself, and 0 in `present`, beyond the border.
struct TapTargets {
  TapTargets(const Grid& grid, const StartingTap& tap) {
    std::vector<std::int64_t> indices;
    std::vector<double> inside;
    for (int r = 0; r < grid.rows; ++r)
      for (int c = 0; c < grid.cols; ++c) {
        const int row = r + tap.row, col = c + tap.col;
        const bool has = row >= 0 && row < grid.rows && col >= 0 && col < grid.cols;
        indices.push_back(std::int64_t{has ? row : r} * grid.cols + (has ? col : c));
        inside.push_back(has ? 1 : 0);
      }
    index = at::tensor(indices);
    present = at::tensor(inside, at::kDouble);
  }
  at::Tensor index, present;
};

void startTap(const SquareProjections& all, int head, int heads, const PseudoInput& input,
              const StartingTap& tap) {
  const TapTargets targets(input.patches, tap);
  const at::Tensor shifted =
      input.left.index_select(0, targets.index) * targets.present.unsqueeze(-1);
  const std::int64_t width = all.query.size(0) / heads,
                     rank = std::min<std::int64_t>(width, input.left.size(1));
  const RankFactors product = bestFactors(input.left.t().mm(shifted), rank);
  const at::Tensor queries = input.left.mm(product.left), keys = input.left.mm(product.right);
  // How far a tap's logit is above its row's mean, over the rows that have one.
  const at::Tensor above =
      (queries * (keys.index_select(0, targets.index) - keys.mean(0, true))).sum(-1);
  const double gap =
      ((above * targets.present).sum() / targets.present.sum().clamp_min(1)).item<double>();
  if (!(gap > 0)) return;  // a grid without such neighbors
  const double wanted = std::log(std::max(2.0, input.patches.patches() - 1.0));
  const double scale = std::sqrt(std::sqrt(static_cast<double>(width)) * wanted / gap);
  const auto write = [&](const at::Tensor& weight, const at::Tensor& factor) {
    rowsOfHead(weight, head, heads).slice(0, 0, rank).copy_((input.back.mm(factor) * scale).t());
  };
  write(all.query, product.left);
  write(all.key, product.right);
}

/// Learned positions of patches start from the sines that heads are fitted to.
void startPositions(Model& model) {
  if (model.config().positions != "learned") return;  // fixed sines
  at::Tensor positions;
  for (const auto& item : model.named_parameters(/*recurse=*/true))
    if (item.key() == "pos_embed" || item.key().ends_with(".pos_embed")) positions = item.value();
  Grid patches = model.positionGrid();
  patches.prefix = patches.registers = 0;
  const std::int64_t all = positions.defined() && positions.dim() == 3 ? positions.size(1) : 0;
  if (all < patches.patches())
    throw Failure(noStart(model.config().init, tr("its position embeddings are of another form")));
  positions.slice(1, all - patches.patches(), all)
      .copy_(sinePositions(patches, static_cast<int>(positions.size(2))));
}

bool isOneOf(const std::string& name, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* one) { return name == one; });
}

}  // namespace

Result<void> checkAttentionStart(const ModelConfig& config) {
  if (config.init == "default") return {};
  const bool structured = config.init == "structured";
  if (config.layers() == 0)
    return noStart(config.init,
                   tr("the backbone has no attention; use one with attention, or default"));
  if (config.backbone == "levit")
    return noStart(config.init, tr("LeViT's keys are narrower than its tokens and have batch "
                                   "norms; use the backbone vit, or default"));
  if (config.backbone == "mvitv2")
    return noStart(config.init, tr("MViTv2 pools queries and keys, and its projections change the "
                                   "width; use the backbone vit, or default"));
  if (config.mechanism == "gated_positional")
    return noStart(config.init, tr("gated positional attention starts as a convolution by itself; "
                                   "use softmax, or default"));
  if (!isOneOf(config.mechanism, {"softmax", "talking_heads", "learned_mask", "window"}))
    return noStart(config.init, tr("it is about softmax(QKᵀ), which ") + config.mechanism +
                                    tr(" does not have; use softmax, or default"));
  if (!structured) return {};
  if (config.mechanism == "window" ||
      isOneOf(trunkName(config.backbone), {"lcnet_vit", "esnet_vit", "vit_segmenter"}))
    return noStart(config.init,
                   tr("it needs position embeddings of all patches of a layer, one for "
                      "each; use mimetic, or default"));
  if (config.positions != "learned" && config.backbone != "mae")
    return noStart(config.init, tr("queries and keys are fitted to position embeddings, and this "
                                   "model has none; set model.positions to learned"));
  for (int stage = 0; stage < config.stages(); ++stage)
    if (config.stageWidth(stage) % 4 != 0)
      return noStart(config.init, tr("sines and cosines of rows and columns need a width that is a "
                                     "multiple of 4"));
  return {};
}

StartingTap startingTap(std::uint64_t seed, int layer, int head) {
  RandomStream stream(streamKey(
      {seed, kTapPurpose, static_cast<std::uint64_t>(layer), static_cast<std::uint64_t>(head)}));
  const int tap = static_cast<int>(stream.below(kTaps * kTaps));
  return {tap / kTaps - 1, tap % kTaps - 1};
}

void startAttention(Model& model, std::uint64_t seed) {
  const ModelConfig& config = model.config();
  valueOrThrow(checkAttentionStart(config));
  if (config.init == "default") return;
  const at::NoGradGuard noGrad;
  if (config.init == "structured") startPositions(model);
  std::unique_ptr<PseudoInput> input;
  for (int layer = 0; layer < model.masks().maskableLayers(); ++layer) {
    const SquareProjections all = projectionsOf(model, layer);
    const int heads = model.heads(layer), width = static_cast<int>(all.query.size(0));
    if (config.init == "mimetic") {
      startMimetic(all, heads, seed, layer);
      continue;
    }
    const Grid grid = model.grid(layer);
    if (!input || input->patches.rows != grid.rows || input->patches.cols != grid.cols ||
        input->back.size(0) != width)
      input = std::make_unique<PseudoInput>(grid, width);
    for (int head = 0; head < heads; ++head)
      startTap(all, head, heads, *input, startingTap(seed, layer, head));
  }
}

}  // namespace headlight
