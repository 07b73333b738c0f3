// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/tuning/Adapters.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/attention/base/AdaptableLinear.h"
#include "core/base/Random.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/config/FreezeText.h"
#include "core/models/layers/Bottleneck.h"
#include "core/models/layers/Parts.h"

namespace headlight {
namespace {

constexpr std::uint64_t kAdapterPurpose = 0x61646170ULL;  // "adap"
constexpr const char* kLowRankMark = ".lora_";

/// Modules of a model's blocks, by name.
template <typename Kind>
std::map<std::string, std::shared_ptr<Kind>> blockModules(const Model& model) {
  std::map<std::string, std::shared_ptr<Kind>> found;
  for (int l = 0; l < model.layers(); ++l) {
    const std::string block = model.blockName(l) + ".";
    for (const auto& item : model.named_modules("", /*include_self=*/false))
      if (item.key().starts_with(block))
        if (auto module = std::dynamic_pointer_cast<Kind>(item.value()))
          found[item.key()] = std::move(module);
  }
  return found;
}

/// What a linear layer computes, one after the other, in as many outputs each; empty: none that
/// training.adapter_layers names.
std::vector<std::string> linearParts(const std::string& name) {
  static const std::map<std::string, std::vector<std::string>> attention{
      {"qkv", {"q", "k", "v"}}, {"qk", {"q", "k"}}, {"q", {"q"}},
      {"q_proj", {"q"}},        {"query", {"q"}},   {"k", {"k"}},
      {"k_proj", {"k"}},        {"key", {"k"}},     {"v", {"v"}},
      {"v_proj", {"v"}},        {"value", {"v"}},   {"proj", {"proj"}}};
  const auto dot = name.rfind('.');
  if (dot == std::string::npos) return {};
  const std::string own = name.substr(dot + 1), parent = name.substr(0, dot);
  if (parent.ends_with(".mlp"))
    return own.starts_with("fc") ? std::vector<std::string>{"mlp"} : std::vector<std::string>();
  const auto parts = attention.find(own);
  const bool inAttention = parent.ends_with(".attn");
  return inAttention && parts != attention.end() ? parts->second : std::vector<std::string>();
}

std::uint64_t adapterKey(std::uint64_t seed, const std::string& name) {
  return mixText(streamKey({seed, kAdapterPurpose}), name);
}

bool hasModule(const torch::nn::Module& module, const std::string& child) {
  return module.named_children().contains(child);
}

/// The parts that it has, of those wanted.
void addLowRank(AdaptableLinearImpl& linear, const std::string& name,
                const std::vector<std::string>& wanted, const TrainingConfig& config,
                std::uint64_t seed, std::set<std::string>& found) {
  const auto parts = linearParts(name);
  const LowRankOptions options{config.adapterRank,
                               config.adapterAlpha / static_cast<double>(config.adapterRank),
                               config.adapterDropout};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (std::find(wanted.begin(), wanted.end(), parts[i]) == wanted.end()) continue;
    found.insert(parts[i]);
    if (hasModule(linear, "lora_" + parts[i])) continue;
    const std::int64_t rows = linear.weight.size(0) / static_cast<std::int64_t>(parts.size());
    linear.adapt(parts[i], static_cast<std::int64_t>(i) * rows, rows, options)
        ->initialize(adapterKey(seed, name + "." + parts[i]));
  }
}

void attachLowRank(Model& model, const TrainingConfig& config, std::uint64_t seed) {
  const auto wanted = valueOrThrow(adapterLayersFromText(config.adapterLayers));
  const auto linears = blockModules<AdaptableLinearImpl>(model);
  std::set<std::string> found, there;
  for (const auto& [name, linear] : linears)
    for (const std::string& part : linearParts(name))
      there.insert(part);
  for (const std::string& part : wanted)
    if (!there.contains(part))
      throw Failure({ErrorCode::InvalidConfig,
                     "\"" + part + tr("\" is no layer of this model (") + model.config().backbone +
                         ", " + model.config().mechanism + tr(" attention); it has ") +
                         (there.empty() ? std::string(tr("none that LoRA can be added to"))
                                        : joined({there.begin(), there.end()})),
                     "training.adapter_layers"});
  for (const auto& [name, linear] : linears)
    addLowRank(*linear, name, wanted, config, seed, found);
}

void addBottleneck(BlockMlp& mlp, std::int64_t width, std::int64_t hidden, double scale,
                   double dropout, std::uint64_t key) {
  auto bottleneck =
      std::make_shared<Bottleneck>(width, hidden, scale, dropout, mlp.parameters().front());
  if (key != 0) bottleneck->initialize(key);
  bottleneck->train(mlp.is_training());
  mlp.setBottleneck(std::move(bottleneck));
}

/// Of the tokens that an MLP reads: the inputs of its first layer.
std::int64_t mlpWidth(const BlockMlp& mlp) {
  for (const auto& child : mlp.children())
    if (const auto* linear = child->as<torch::nn::LinearImpl>()) return linear->weight.size(1);
  return 0;
}

void attachOwnBottlenecks(Model& model, const TrainingConfig& config, std::uint64_t seed) {
  const auto mlps = blockModules<BlockMlp>(model);
  if (mlps.empty())
    throw Failure({ErrorCode::InvalidConfig,
                   tr("the backbone ") + model.config().backbone +
                       tr(" has no MLP that a bottleneck can be put beside; choose none, or "
                          "another backbone"),
                   "training.adapter"});
  for (const auto& [name, mlp] : mlps) {
    if (Bottleneck* own = mlp->bottleneck()) {
      if (own->hidden() != config.adapterRank)
        throw Failure({ErrorCode::InvalidConfig,
                       tr("the starting weights have bottlenecks of width ") +
                           std::to_string(own->hidden()) + tr("; choose the same"),
                       "training.adapter_rank"});
      own->setDropout(config.adapterDropout);
      continue;
    }
    addBottleneck(*mlp, mlpWidth(*mlp), config.adapterRank, config.adapterScale,
                  config.adapterDropout, adapterKey(seed, name));
  }
}

using TensorIndex = std::map<std::string, at::Tensor>;

/// "blocks.0.attn.qkv" of "blocks.0.attn.qkv.lora_q.down"; empty: another tensor.
std::string adaptedLayer(const std::string& tensor) {
  const auto place = tensor.find(kLowRankMark);
  return place == std::string::npos ? std::string() : tensor.substr(0, place);
}

[[noreturn]] void refuseAdapter(const std::string& name) {
  throw Failure({ErrorCode::InvalidFile,
                 tr("its adapter is not whole, or does not fit its layer; the file is damaged"),
                 name});
}

const at::Tensor& adapterTensor(const TensorIndex& tensors, const std::string& name) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) refuseAdapter(name);
  return found->second;
}

/// Of one addition: `up` is its tensor of that name.
void mergeInto(at::Tensor& weight, const std::string& up, const TensorIndex& tensors) {
  const std::string start = up.substr(0, up.size() - 2);
  const at::Tensor &rows = tensors.at(up), &down = adapterTensor(tensors, start + "down"),
                   &scale = adapterTensor(tensors, start + "scale"),
                   &first = adapterTensor(tensors, start + "first");
  if (rows.dim() != 2 || down.dim() != 2 || weight.dim() != 2 || rows.size(1) != down.size(0) ||
      down.size(1) != weight.size(1) || scale.numel() != 1 || first.numel() != 1)
    refuseAdapter(up);
  if (weight.numel() > 1 && weight.stride(0) == 0) return;  // a shape without its numbers
  const auto begin = first.to(at::kLong).item<std::int64_t>();
  if (begin < 0 || begin + rows.size(0) > weight.size(0)) refuseAdapter(up);
  const at::Tensor added =
      at::matmul(rows.to(at::kDouble), down.to(at::kDouble)) * scale.item().toDouble();
  at::Tensor merged = weight.to(at::kDouble);
  if (merged.is_same(weight)) merged = merged.clone();
  merged.narrow(0, begin, rows.size(0)).add_(added);
  weight = merged.to(weight.scalar_type());
}

}  // namespace

bool isAdapterTensor(const std::string& name) {
  return !adaptedLayer(name).empty() || !bottleneckOwner(name).empty();
}

std::string bottleneckNote(const NamedTensors& tensors) {
  const bool any = std::any_of(tensors.begin(), tensors.end(), [](const auto& item) {
    return !bottleneckOwner(item.first).empty();
  });
  return any ? tr("it has bottlenecks beside its MLPs (training.adapter); no weight can take them "
                  "in, so they stay tensors of their own, which other programs do not know")
             : std::string();
}

void attachAdapters(Model& model, const TrainingConfig& config, std::uint64_t seed) {
  const at::NoGradGuard noGrad;
  if (config.adapter == "lora") attachLowRank(model, config, seed);
  if (config.adapter == "bottleneck") attachOwnBottlenecks(model, config, seed);
}

NamedTensors absentBottlenecks(const Model& model, const NamedTensors& tensors,
                               const std::string& where) {
  const bool any = std::any_of(tensors.begin(), tensors.end(), [](const auto& item) {
    return !bottleneckOwner(item.first).empty();
  });
  if (!any) return {};
  const TensorIndex index(tensors.begin(), tensors.end());
  NamedTensors absent;
  for (const auto& [name, mlp] : blockModules<BlockMlp>(model)) {
    const std::string start = name + ".bottleneck.";
    if (mlp->bottleneck() || !index.contains(start + "down.weight")) continue;
    for (const char* own : {"down.weight", "down.bias", "up.weight", "up.bias", "scale"})
      if (!index.contains(start + own))
        throw Failure(
            {ErrorCode::InvalidFile, tr("its adapter is not whole; the file is damaged"), where});
    const at::Tensor& down = index.at(start + "down.weight");
    if (down.dim() != 2 || down.size(1) != mlpWidth(*mlp)) continue;
    for (const char* own : {"down.weight", "down.bias", "up.weight", "up.bias", "scale"})
      absent.emplace_back(start + own, index.at(start + own));
  }
  return absent;
}

void attachBottlenecks(Model& model, const NamedTensors& tensors) {
  const NamedTensors absent = absentBottlenecks(model, tensors, "");
  const at::NoGradGuard noGrad;
  const auto mlps = absent.empty() ? std::map<std::string, std::shared_ptr<BlockMlp>>()
                                   : blockModules<BlockMlp>(model);
  for (const auto& [name, tensor] : absent)
    if (name.ends_with(".down.weight")) {
      const std::string owner = bottleneckOwner(name);
      BlockMlp& mlp = *mlps.at(owner.substr(0, owner.size() - 1));
      addBottleneck(mlp, tensor.size(1), tensor.size(0), 1, 0, 0);
    }
}

NamedTensors mergedLowRank(NamedTensors tensors) {
  const bool any = std::any_of(tensors.begin(), tensors.end(),
                               [](const auto& item) { return !adaptedLayer(item.first).empty(); });
  if (!any) return tensors;
  const TensorIndex index(tensors.begin(), tensors.end());
  std::map<std::string, at::Tensor*> weights;
  for (auto& [name, tensor] : tensors)
    weights[name] = &tensor;
  for (const auto& [name, tensor] : index) {
    if (adaptedLayer(name).empty() || !name.ends_with(".up")) continue;
    const auto weight = weights.find(adaptedLayer(name) + ".weight");
    if (weight == weights.end()) refuseAdapter(name);
    mergeInto(*weight->second, name, index);
  }
  std::erase_if(tensors, [](const auto& item) { return !adaptedLayer(item.first).empty(); });
  return tensors;
}

}  // namespace headlight
