// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/backbones/Model.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>

#include <algorithm>
#include <cstdio>

#include "core/attention/base/MixedPrecision.h"
#include "core/base/FreeMemory.h"
#include "core/base/ModelPart.h"
#include "core/base/Translation.h"
#include "core/masks/MaskRegions.h"
#include "core/models/backbones/Recomputation.h"

namespace headlight {
namespace {

/// "blocks.0.attn" and "rel_pos_h".
std::pair<std::string, std::string> splitName(const std::string& name) {
  const auto dot = name.rfind('.');
  if (dot == std::string::npos) return {"", name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

/// The module at that path below `module`; null: there is none.
std::shared_ptr<torch::nn::Module> moduleIn(const torch::nn::Module& module,
                                            const std::string& path) {
  const auto dot = path.find('.');
  const auto children = module.named_children();
  const auto* child = children.find(path.substr(0, dot));
  if (!child) return nullptr;
  return dot == std::string::npos ? *child : moduleIn(**child, path.substr(dot + 1));
}

/// The same, where it has parameters of its own to decide on. It lives as long as `module`.
const UndecayedParameters* ownerIn(const torch::nn::Module& module, const std::string& path) {
  return dynamic_cast<const UndecayedParameters*>(moduleIn(module, path).get());
}

bool isBatchNorm(const torch::nn::Module& module) {
  return module.named_buffers(/*recurse=*/false).contains("running_mean");
}

bool learnsItself(const torch::nn::Module& module) {
  for (const at::Tensor& parameter : module.parameters(/*recurse=*/false))
    if (parameter.requires_grad()) return true;
  return false;
}

}  // namespace

Model::Model(const ModelConfig& config, const MaskShape& masks)
    : m_config(config), m_masks(masks) {}

at::Tensor Model::forward(const at::Tensor& images, AttentionHook* tap) {
  const at::Tensor tokens = throughBlocks(embedded(images), tap);
  const PartScope scope(ModelPart::Head);
  return inFloat32(classify(tokens));
}

CellScores Model::forwardCells(const at::Tensor& images, AttentionHook* tap) {
  const at::Tensor tokens = throughBlocks(embedded(images), tap);
  const PartScope scope(ModelPart::Head);
  CellScores scores = findInCells(tokens);
  scores.logits = inFloat32(scores.logits);
  scores.sides = inFloat32(scores.sides);
  return scores;
}

SegmentScores Model::forwardSegments(const at::Tensor& images, AttentionHook* tap) {
  const at::Tensor tokens = throughBlocks(embedded(images), tap);
  const PartScope scope(ModelPart::Head);
  SegmentScores scores = findSegments(tokens);
  for (std::vector<at::Tensor>* said : {&scores.classes, &scores.masks})
    for (at::Tensor& logits : *said)
      logits = inFloat32(logits);
  return scores;
}

/// Of embed() where `layer` is −1.
bool Model::learns(int layer) const {
  return !is_training() || layer + 1 >= m_frozen.leading;
}

at::Tensor Model::embedded(const at::Tensor& images) {
  const PartScope scope(ModelPart::Embedding);
  const at::AutoGradMode graph(at::GradMode::is_enabled() && learns(-1));
  return embed(images);
}

at::Tensor Model::throughBlocks(at::Tensor tokens, AttentionHook* tap) {
  const PartScope scope(ModelPart::Other);
  const bool recomputing = m_recomputing && is_training() && tap == nullptr;
  for (int l = 0; l < layers(); ++l) {
    const at::AutoGradMode graph(at::GradMode::is_enabled() && learns(l));
    tokens = recomputing ? recomputedBlock(*this, l, tokens) : block(l, tokens, tap);
  }
  return tokens;
}

void Model::setFrozen(const Frozen& frozen) {
  m_frozen = frozen;
  train(is_training());
}

void Model::train(bool on) {
  torch::nn::Module::train(on);
  if (!on || !m_frozen.norms) return;
  for (const auto& module : modules(/*include_self=*/false))
    if (isBatchNorm(*module) && !learnsItself(*module)) module->train(false);
}

bool Model::isFrozenStatistic(const std::string& name) const {
  if (!m_frozen.norms) return false;
  const auto owner = moduleIn(*this, splitName(name).first);
  return owner && isBatchNorm(*owner) && !learnsItself(*owner);
}

std::string Model::blockName(int layer) const {
  const Attention* own = &attention(layer);
  for (const auto& module : named_modules())
    if (module.value().get() == own) return splitName(module.key()).first;
  return {};
}

void Model::setRecomputing(bool on) {
  if (on && !canRecompute(*this))
    throw Failure({ErrorCode::InvalidConfig,
                   tr("the backbone ") + m_config.backbone +
                       tr(" has batch norms, which would count every image twice; set it to no, "
                          "and use training.accumulate for less memory"),
                   "training.checkpoint_blocks"});
  m_recomputing = on;
}

std::pair<ClassLogitsPair, at::Tensor> Model::forwardWithFeatures(const at::Tensor& images) {
  const at::Tensor tokens = throughBlocks(embedded(images), nullptr);
  const PartScope scope(ModelPart::Head);
  const auto [logits, distilled] = classifyBoth(tokens);
  return {{inFloat32(logits), inFloat32(distilled)}, inFloat32(pooledFeatures(tokens))};
}

ClassLogitsPair Model::forwardBoth(const at::Tensor& images) {
  const at::Tensor tokens = throughBlocks(embedded(images), nullptr);
  const PartScope scope(ModelPart::Head);
  const auto [logits, distilled] = classifyBoth(tokens);
  return {inFloat32(logits), inFloat32(distilled)};
}

std::vector<HeadMask> Model::layerMasks(const MaskScheme& scheme, int layer) const {
  std::vector<HeadMask> masks = scheme.layer(layer);
  for (HeadMask& mask : masks)
    mask = inPatches(mask, m_config.pixelsPerPatch(layer));
  return masks;
}

void Model::applyMasks(const MaskScheme& scheme) {
  for (int l = 0; l < std::min(layers(), m_masks.maskableLayers()); ++l)
    attention(l).setMasks(layerMasks(scheme, l));
  for (int l = m_masks.maskableLayers(); l < layers(); ++l)
    attention(l).Attention::setMasks(scheme.layer(l));
}

void Model::setMasks(const MaskScheme& scheme) {
  bool fits = scheme.layers() == layers();
  for (int l = 0; fits && l < layers(); ++l)
    fits = scheme.heads(l) == heads(l);
  if (!fits)
    throw Failure({ErrorCode::InvalidConfig,
                   tr("the mask scheme is for another model: this one has ") +
                       std::to_string(layers()) + tr(" layers of ") +
                       std::to_string(layers() > 0 ? heads(0) : 0) + " heads",
                   "masks"});
  try {
    applyMasks(scheme);
  } catch (const Failure&) {
    applyMasks(m_masks);  // a mask that does not fit a later layer: all as it was
    throw;
  }
  m_masks = scheme;
}

std::vector<LearnedAlpha> Model::learnedAlphas() const {
  std::vector<LearnedAlpha> learned;
  for (int l = 0; l < layers(); ++l)
    for (LearnedAlpha& entry : attention(l).learnedAlphas()) {
      entry.layer = l;
      learned.push_back(entry);
    }
  return learned;
}

void Model::setLearnedAlphas(const std::vector<LearnedAlpha>& learned) {
  std::vector<std::vector<LearnedAlpha>> perLayer(layers());
  for (const LearnedAlpha& entry : learned)
    if (m_masks.contains(entry.layer, entry.head)) perLayer[entry.layer].push_back(entry);
  for (int l = 0; l < layers(); ++l)
    attention(l).setLearnedAlphas(perLayer[l]);
}

std::string Model::softLogitName(int layer) const {
  const Attention* own = &attention(layer);
  for (const auto& module : named_modules())
    if (module.value().get() == own) return module.key() + ".soft_mask_logit";
  return {};
}

ModelTensors Model::idleElements() const {
  ModelTensors idle;
  for (int l = 0; l < layers(); ++l)
    if (const at::Tensor elements = attention(l).idleAlphas(); elements.defined())
      idle.emplace_back(softLogitName(l), elements);
  return idle;
}

std::string Model::mapMeaning() const {
  if (layers() == 0) return tr("This model has no attention, so it has no maps.");
  std::string meaning = attention(0).mapMeaning();
  for (const std::string& notice : notices())
    meaning.append(" ").append(notice);
  return meaning;
}

std::vector<std::string> Model::notices() const {
  std::vector<std::string> all;
  for (int l = 0; l < layers(); ++l)
    if (const std::string notice = attention(l).notice();
        !notice.empty() && std::find(all.begin(), all.end(), notice) == all.end())
      all.push_back(notice);
  return all;
}

bool Model::mapRowsSumToOne() const {
  for (int l = 0; l < layers(); ++l)
    if (!attention(l).mapRowsSumToOne()) return false;
  return true;
}

at::Tensor Model::auxiliaryLoss() {
  at::Tensor sum;
  for (int l = 0; l < layers(); ++l)
    if (const at::Tensor loss = attention(l).auxiliaryLoss(); loss.defined())
      sum = sum.defined() ? sum + loss : loss;
  return sum;
}

void Model::setProgress(double fraction) {
  m_progress = fraction;
  for (int l = 0; l < layers(); ++l)
    attention(l).setProgress(fraction);
}

std::vector<std::vector<std::pair<std::string, double>>> Model::readings() const {
  std::vector<std::vector<std::pair<std::string, double>>> result;
  for (int l = 0; l < layers(); ++l)
    result.push_back(attention(l).readings());
  return result;
}

std::vector<std::string> Model::kernels() const {
  std::vector<std::string> result;
  for (int l = 0; l < layers(); ++l)
    result.push_back(attention(l).kernelText());
  return result;
}

ModelTensors Model::trainable() const {
  ModelTensors tensors;
  for (const auto& item : named_parameters(/*recurse=*/true))
    tensors.emplace_back(item.key(), item.value());
  return tensors;
}

ModelTensors Model::state() const {
  ModelTensors tensors = trainable();
  for (const auto& item : named_buffers(/*recurse=*/true))
    tensors.emplace_back(item.key(), item.value());
  return tensors;
}

bool Model::decays(const std::string& name, const at::Tensor& parameter, bool masks) const {
  if (parameter.dim() <= 1) return false;  // biases, norms, LayerScale, soft_mask_logit
  const auto [module, own] = splitName(name);
  if (module.empty()) return false;  // tokens and position embeddings
  const UndecayedParameters* owner = ownerIn(*this, module);
  return !owner || (masks && owner->mayDecay(own));
}

bool Model::decaysAsVector(const std::string& name, const at::Tensor& parameter) const {
  if (parameter.dim() > 1) return false;
  const auto owner = moduleIn(*this, splitName(name).first);
  return owner && !isBatchNorm(*owner) && !dynamic_cast<const UndecayedParameters*>(owner.get());
}

bool Model::isFitted(const std::string& name) const {
  const auto [module, own] = splitName(name);
  const UndecayedParameters* owner = ownerIn(*this, module);
  return owner && owner->isFitted(own);
}

std::unique_lock<std::mutex> holdTorchRandom() {
  static std::mutex mutex;
  return std::unique_lock(mutex);
}

void seedTorch(std::uint64_t seed) {
  at::manual_seed(seed);
}

void requireMemoryFor(std::int64_t parameters) {
  char millions[32];
  std::snprintf(millions, sizeof millions, "%.4g", static_cast<double>(parameters) / 1e6);
  requireMemory(parameters * static_cast<std::int64_t>(sizeof(float)),
                std::string("a model of ") + millions + " million parameters");
}

}  // namespace headlight
