// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/TransformerBlock.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/base/ModelPart.h"
#include "core/models/layers/BranchSum.h"
#include "core/models/layers/ConvolvedMlp.h"
#include "core/models/layers/GatedMlp.h"

namespace headlight {
namespace {

std::shared_ptr<BlockMlp> makeMlp(const BlockOptions& options) {
  const int width = options.attention.width, hidden = options.hiddenWidth();
  if (options.mlp == "plain_norm")
    return std::make_shared<NormedMlp>(width, hidden, options.activation, options.normEpsilon);
  if (options.mlp == "swiglu") return std::make_shared<PackedSwiGlu>(width, hidden);
  if (options.mlp != "plain")
    return std::make_shared<SwiGlu>(width, hidden, options.mlp == "swiglu_norm",
                                    options.normEpsilon, options.mlpBias);
  if (options.mlpConvolution == 0) return std::make_shared<Mlp>(width, hidden, options.activation);
  return std::make_shared<ConvolvedMlp>(
      width, hidden,
      ConvolvedMlpOptions{options.mlpConvolution, options.activation, options.mlpBatchNorm},
      options.attention.grid);
}

/// fc1, with the gate in it (swiglu) or beside it.
void countFirstLayers(CostCounter& counter, const BlockOptions& options) {
  const std::int64_t width = options.attention.width, hidden = options.hiddenWidth(),
                     tokens = options.attention.grid.tokens();
  const bool plain = options.mlp.starts_with("plain");
  if (plain || options.mlp == "swiglu")
    return counter.linear("mlp.fc1", width, plain ? hidden : 2 * hidden, options.mlpBias, tokens);
  for (const char* name : {"mlp.fc1_g", "mlp.fc1_x"})
    counter.linear(name, width, hidden, options.mlpBias, tokens);
}

}  // namespace

TransformerBlock::TransformerBlock(const BlockOptions& options)
    : m_grid(options.attention.grid),
      m_dropPath(options.dropPath),
      m_mlpDropPath(options.mlpDropPath ? options.dropPath : 0.0),
      m_postNorm(options.postNorm) {
  const int width = options.attention.width;
  const auto norm = [&] {
    return std::make_shared<TokenNorm>(width, options.normEpsilon, options.rmsNorm);
  };
  m_norm1 = register_module("norm1", norm());
  m_attention = register_module("attn", makeAttention(options.mechanism, options.attention));
  m_scale1 = makeScale("1", options);
  m_norm2 = register_module("norm2", norm());
  m_mlp = register_module("mlp", makeMlp(options));
  m_scale2 = makeScale("2", options);
}

at::Tensor TransformerBlock::makeScale(const std::string& number, const BlockOptions& options) {
  if (options.layerScale == 0) return {};
  const at::Tensor start = at::full({options.attention.width}, options.layerScale);
  if (options.bareScale) return register_parameter("gamma_" + number, start);
  return register_module("ls" + number, std::make_shared<Holder>())
      ->register_parameter("gamma", start);
}

void TransformerBlock::count(CostCounter& counter, const std::string& prefix,
                             const BlockOptions& options) {
  const std::int64_t width = options.attention.width, hidden = options.hiddenWidth(),
                     tokens = options.attention.grid.tokens();
  counter.enter(prefix + "attn.");
  findMechanism(options.mechanism).count(counter, options.attention);
  counter.enter(prefix);
  counter.parameters("norms", 2 * TokenNorm::parameters(width, options.rmsNorm));
  countFirstLayers(counter, options);
  if (options.mlp.ends_with("_norm")) counter.parameters("mlp.norm", 2 * hidden);
  if (options.mlpConvolution > 0)
    counter.convolution("mlp.dconv", hidden, hidden, options.mlpConvolution, hidden, false,
                        options.attention.grid.patches());
  if (options.mlpBatchNorm) counter.parameters("mlp.bn", 2 * hidden);
  counter.linear("mlp.fc2", hidden, width, options.mlpBias, tokens);
  if (options.layerScale > 0) counter.parameters("ls", 2 * width);
  counter.enter("");
}

void TransformerBlock::setGrid(const Grid& grid) {
  if (grid == m_grid) return;
  m_attention->setGrid(grid);
  m_mlp->setGrid(grid);
  m_grid = grid;
}

at::Tensor TransformerBlock::join(const at::Tensor& tokens, at::Tensor branch,
                                  const BlockJoint& joint) {
  if (joint.scale.defined()) branch = branch * joint.scale;
  branch = throughHook(joint.tap, joint.part, branch);
  if (is_training() && joint.dropPath > 0) branch = dropPath(branch, joint.dropPath);
  return addBranch(tokens, branch);
}

at::Tensor TransformerBlock::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const at::Tensor entering = m_postNorm ? tokens : m_norm1->forBranch(tokens);
  if (tap) tap->enter(inFloat32(entering));
  at::Tensor branch =
      inPart(ModelPart::Attention, [&] { return m_attention->forward(entering, tap); });
  const at::Tensor attended = join(tokens, m_postNorm ? m_norm1->forward(branch) : branch,
                                   {BlockBranch::Attention, m_scale1, m_dropPath, tap});
  branch = inPart(ModelPart::Mlp, [&] {
    return m_mlp->branch(m_postNorm ? attended : m_norm2->forBranch(attended));
  });
  return join(attended, m_postNorm ? m_norm2->forward(branch) : branch,
              {BlockBranch::Mlp, m_scale2, m_mlpDropPath, tap});
}

}  // namespace headlight
