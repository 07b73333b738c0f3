// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/attribution/ClassGradient.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

/// Keeps what a block's attention says of itself.
class FollowingHook : public AttentionHook {
 public:
  explicit FollowingHook(bool withMap) : m_withMap(withMap) {}
  bool wants(int) const override { return m_withMap; }
  void take(int, const at::Tensor&) override {}
  void follow(int, FollowedMap map) override { kept.map = std::move(map); }
  void enter(const at::Tensor& tokens) override { kept.entering = tokens; }

  BlockGradient kept;

 private:
  bool m_withMap;
};

/// [B, Tq, H·e] or [B, H, Tq, e] → [B, H, Tq, e].
at::Tensor slopesByHead(const at::Tensor& slopes, std::int64_t heads) {
  if (slopes.dim() == 4) return slopes;
  return slopes.view({slopes.size(0), slopes.size(1), heads, -1}).transpose(1, 2);
}

/// Σ_h (∇A_h ⊙ A_h)⁺ / H: [B, 1, Tq, Tk].
at::Tensor meanPositive(const WeighedValues& product, const at::Tensor& slopes) {
  const std::int64_t heads = product.weights.size(1);
  const at::Tensor weights = product.weights.detach();
  at::Tensor sum = at::zeros_like(weights.narrow(1, 0, 1));
  if (!slopes.defined()) return sum;
  const at::Tensor values = product.values.defined() ? product.values.detach() : at::Tensor();
  const at::Tensor byHead = values.defined() ? slopesByHead(slopes, heads) : slopes;
  for (std::int64_t h = 0; h < heads; ++h) {
    const at::Tensor slope =
        values.defined() ? at::matmul(byHead.select(1, h), values.select(1, h).transpose(-2, -1))
                         : byHead.select(1, h);
    sum.select(1, 0).add_((slope * weights.select(1, h)).clamp_min_(0));
  }
  return sum.div_(static_cast<double>(heads));
}

}  // namespace

CapturedPass capturedPass(Model& model, const at::Tensor& image,
                          const std::function<void()>& step) {
  const at::NoGradGuard noGrad;
  CapturedPass pass;
  pass.tokens.push_back(model.embed(image));
  for (int l = 0; l < model.layers(); ++l) {
    pass.tokens.push_back(model.block(l, pass.tokens.back(), nullptr));
    step();
  }
  if (model.config().classes > 0) pass.logits = inFloat32(model.classify(pass.tokens.back()))[0];
  return pass;
}

at::Tensor classLogits(Model& model, const at::Tensor& tokens, int cell) {
  if (cell < 0) return inFloat32(model.classify(tokens));
  const CellScores scores = model.findInCells(tokens);
  const std::int64_t cells = scores.defined() ? scores.logits.size(1) : 0;
  if (cell >= cells)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("no cell ") + std::to_string(cell) + tr("; the model has ") +
                       std::to_string(cells) + tr(" for this image, counted from 0"),
                   "cell"});
  return inFloat32(scores.logits.select(1, cell));
}

ClassGradient::ClassGradient(Model& model, const CapturedPass& pass, int classIndex, int cell)
    : m_model(model), m_pass(pass), m_next(model.layers() - 1) {
  if (classIndex < 0 || classIndex >= model.config().classes)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("no class ") + std::to_string(classIndex) + tr("; the model has ") +
                       std::to_string(model.config().classes) + tr(", counted from 0"),
                   "class"});
  const at::AutoGradMode withGradients(true);
  const at::Tensor tokens = pass.tokens.back().detach().requires_grad_(true);
  const at::Tensor logit = classLogits(model, tokens, cell).select(1, classIndex).sum();
  m_gradient = torch::autograd::grad({logit}, {tokens})[0];
}

bool ClassGradient::readsClassToken() const {
  const int last = m_model.layers() - 1;
  return m_model.config().classToken && m_model.grid(last).prefix > 0 &&
         m_gradient.select(1, 0).ne(0).any().item<bool>();
}

BlockGradient ClassGradient::stepBack(bool withMap) {
  const at::AutoGradMode withGradients(true);
  FollowingHook tap(withMap);
  const at::Tensor tokens = m_pass.tokens[m_next].detach().requires_grad_(true);
  const at::Tensor out = m_model.block(m_next, tokens, &tap);
  BlockGradient result = std::move(tap.kept);
  if (withMap && result.map.products.empty())
    throw Failure({ErrorCode::InvalidArgument,
                   tr("the attention of layer ") + std::to_string(m_next) +
                       tr(" has no differentiable map; use grad-cam, which needs none"),
                   "relevance"});
  std::vector<at::Tensor> sources{tokens};
  if (result.entering.defined()) sources.push_back(result.entering);
  for (const WeighedValues& product : result.map.products)
    sources.push_back(product.mixed);
  auto slopes = torch::autograd::grad({out}, sources, {m_gradient}, /*retain_graph=*/false,
                                      /*create_graph=*/false, /*allow_unused=*/true);
  m_gradient = slopes[0].defined() ? slopes[0] : at::zeros_like(tokens);
  if (result.entering.defined()) result.ofEntering = slopes[1];
  result.ofMixed.assign(slopes.end() - static_cast<std::ptrdiff_t>(result.map.products.size()),
                        slopes.end());
  --m_next;
  return result;
}

at::Tensor relevanceFactor(const BlockGradient& block) {
  const at::NoGradGuard noGrad;
  std::vector<at::Tensor> parts;
  for (std::size_t i = 0; i < block.map.products.size(); ++i)
    parts.push_back(meanPositive(block.map.products[i], block.ofMixed[i]));
  const at::Tensor whole = block.map.whole ? block.map.whole(parts) : parts.front();
  return whole[0][0].to(at::kCPU, at::kFloat).contiguous();
}

}  // namespace headlight
