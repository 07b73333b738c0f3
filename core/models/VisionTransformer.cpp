#include "core/models/VisionTransformer.h"

#include <ATen/ATen.h>

#include <cmath>

namespace headlight {
namespace {

/// A module that only holds others, for the dots in timm's names ("blocks.0", "patch_embed.proj").
class Holder : public torch::nn::Module {
 public:
  using torch::nn::Module::register_module;
  using torch::nn::Module::register_parameter;
};

torch::nn::LayerNorm makeNorm(const ModelConfig& config) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({config.width}).eps(config.normEpsilon));
}

double dropPathOf(const ModelConfig& config, int layer) {
  if (config.dropPathMode == "constant" || config.depth < 2) return config.dropPath;
  return config.dropPath * layer / (config.depth - 1);
}

/// Stochastic depth: whole images lose the branch, the rest are scaled to keep the mean.
at::Tensor dropPath(const at::Tensor& branch, double rate) {
  std::vector<std::int64_t> shape(branch.dim(), 1);
  shape[0] = branch.size(0);
  const double keep = 1.0 - rate;
  return branch * at::empty(shape, branch.options()).bernoulli_(keep).div_(keep);
}

}  // namespace

Mlp::Mlp(int width, int hidden)
    : m_first(register_module("fc1", torch::nn::Linear(width, hidden))),
      m_second(register_module("fc2", torch::nn::Linear(hidden, width))) {}

at::Tensor Mlp::forward(const at::Tensor& tokens) {
  at::Tensor hidden = m_first(tokens);
  // Without gradients nobody needs the input of GELU any more.
  return m_second(hidden.requires_grad() ? at::gelu(hidden) : at::gelu_(hidden));
}

LayerScale::LayerScale(int width, double initial)
    : m_gamma(register_parameter("gamma", at::full({width}, initial))) {}

TransformerBlock::TransformerBlock(const ModelConfig& config, int layer)
    : m_dropPath(dropPathOf(config, layer)) {
  m_norm1 = register_module("norm1", makeNorm(config));
  m_attention = register_module("attn", makeAttention(config.mechanism, {.layer = layer,
                                                                         .width = config.width,
                                                                         .heads = config.heads,
                                                                         .qkvBias = config.qkvBias,
                                                                         .grid = config.grid()}));
  if (config.layerScale > 0)
    m_scale1 =
        register_module("ls1", std::make_shared<LayerScale>(config.width, config.layerScale));
  m_norm2 = register_module("norm2", makeNorm(config));
  const int hidden = static_cast<int>(config.width * config.mlpRatio);
  m_mlp = register_module("mlp", std::make_shared<Mlp>(config.width, hidden));
  if (config.layerScale > 0)
    m_scale2 =
        register_module("ls2", std::make_shared<LayerScale>(config.width, config.layerScale));
}

at::Tensor TransformerBlock::addBranch(const at::Tensor& tokens, at::Tensor branch,
                                       const std::shared_ptr<LayerScale>& scale) {
  if (scale) branch = scale->forward(branch);
  if (is_training() && m_dropPath > 0) branch = dropPath(branch, m_dropPath);
  return branch.requires_grad() || tokens.requires_grad() ? tokens + branch : branch.add_(tokens);
}

at::Tensor TransformerBlock::forward(const at::Tensor& tokens, AttentionTap* tap) {
  const at::Tensor attended =
      addBranch(tokens, m_attention->forward(m_norm1(tokens), tap), m_scale1);
  return addBranch(attended, m_mlp->forward(m_norm2(attended)), m_scale2);
}

VisionTransformer::VisionTransformer(const ModelConfig& config)
    : m_config(config), m_masks(config.depth, config.heads) {
  const int width = config.width, patch = config.patchSize;
  if (config.classToken) m_classToken = register_parameter("cls_token", at::zeros({1, 1, width}));
  if (config.distilled)
    m_distillationToken = register_parameter("dist_token", at::zeros({1, 1, width}));
  m_positions = register_parameter("pos_embed", at::zeros({1, config.grid().tokens(), width}));

  auto projection = std::make_shared<Holder>();
  m_patchWeight = projection->register_parameter("weight", at::zeros({width, 3, patch, patch}));
  m_patchBias = projection->register_parameter("bias", at::zeros({width}));
  auto patchEmbed = register_module("patch_embed", std::make_shared<Holder>());
  patchEmbed->register_module("proj", projection);

  auto blocks = register_module("blocks", std::make_shared<Holder>());
  for (int l = 0; l < config.depth; ++l)
    m_blocks.push_back(
        blocks->register_module(std::to_string(l), std::make_shared<TransformerBlock>(config, l)));
  m_norm = register_module("norm", makeNorm(config));
  m_head = register_module("head", torch::nn::Linear(width, config.classes));
  if (config.distilled)
    m_headDistilled = register_module("head_dist", torch::nn::Linear(width, config.classes));
  initialise();
}

/// As timm: matrices and embeddings from N(0, 0.02²) (its truncation at ±2 never bites), biases 0,
/// the class token from N(0, 10⁻¹²), the patch projection uniform as a convolution's default.
void VisionTransformer::initialise() {
  const at::NoGradGuard noGrad;
  for (const auto& item : named_parameters()) {
    const std::string& name = item.key();
    at::Tensor parameter = item.value();
    if (name == "cls_token")
      parameter.normal_(0, 1e-6);
    else if (name == "dist_token" || name == "pos_embed")
      parameter.normal_(0, 0.02);
    else if (name.starts_with("patch_embed.")) {
      const double bound = 1.0 / std::sqrt(3.0 * m_config.patchSize * m_config.patchSize);
      parameter.uniform_(-bound, bound);
    } else if (parameter.dim() == 2)
      parameter.normal_(0, 0.02);
    else if (name.ends_with(".bias"))
      parameter.zero_();
  }
}

/// A convolution whose stride is its kernel is one matrix product over cut-out patches.
at::Tensor VisionTransformer::patchTokens(const at::Tensor& images) const {
  const Grid grid = m_config.grid();
  const std::int64_t p = m_config.patchSize;
  const at::Tensor patches = images.view({images.size(0), 3, grid.rows, p, grid.cols, p})
                                 .permute({0, 2, 4, 1, 3, 5})
                                 .reshape({images.size(0), grid.patches(), 3 * p * p});
  return at::linear(patches, m_patchWeight.view({m_config.width, -1}), m_patchBias);
}

at::Tensor VisionTransformer::embed(const at::Tensor& images) {
  TORCH_CHECK(images.dim() == 4 && images.size(1) == 3 &&
                  images.size(2) == m_config.imageHeightPixels() &&
                  images.size(3) == m_config.imageWidthPixels(),
              "the model takes images of [B, 3, ", m_config.imageHeightPixels(), ", ",
              m_config.imageWidthPixels(), "], not ", images.sizes());
  std::vector<at::Tensor> parts;
  for (const at::Tensor& token : {m_classToken, m_distillationToken})
    if (token.defined()) parts.push_back(token.expand({images.size(0), -1, -1}));
  parts.push_back(patchTokens(images.contiguous()));
  return at::cat(parts, 1) + m_positions;
}

at::Tensor VisionTransformer::block(int layer, const at::Tensor& tokens, AttentionTap* tap) {
  return m_blocks[layer]->forward(tokens, tap);
}

at::Tensor VisionTransformer::classify(const at::Tensor& tokens) {
  if (!m_config.classToken) return m_head(m_norm(tokens).mean(1));
  // Norms act on tokens one by one: only those that are read need it.
  const at::Tensor prefix = m_norm(tokens.slice(1, 0, m_config.grid().prefix));
  const at::Tensor logits = m_head(prefix.select(1, 0));
  if (!m_config.distilled) return logits;
  return (logits + m_headDistilled(prefix.select(1, 1))) / 2;
}

void VisionTransformer::setMasks(const MaskScheme& scheme) {
  bool fits = scheme.layers() == layers();
  for (int l = 0; fits && l < layers(); ++l)
    fits = scheme.heads(l) == heads(l);
  if (!fits)
    throw Failure({ErrorCode::InvalidConfig,
                   "the scheme is for another model: this one has " + std::to_string(layers()) +
                       " layers of " + std::to_string(heads(0)) + " heads",
                   "masks"});
  for (int l = 0; l < layers(); ++l)
    m_blocks[l]->attention().setMasks(scheme.layer(l));
  m_masks = scheme;
}

std::vector<float> VisionTransformer::softAlphas(int layer) const {
  return m_blocks[layer]->attention().softAlphas();
}

std::string VisionTransformer::mapMeaning() const {
  return m_blocks[0]->attention().mapMeaning();
}
bool VisionTransformer::mapIsSigned() const {
  return m_blocks[0]->attention().mapIsSigned();
}

}  // namespace headlight
