// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/tuning/FrozenParts.h"

#include <algorithm>
#include <functional>

#include "core/base/Translation.h"
#include "core/config/FreezeText.h"
#include "core/training/tuning/Adapters.h"

namespace headlight {
namespace {

constexpr const char* kFreezeOption = "training.freeze";
const std::string kBackbone = "backbone.";

[[noreturn]] void refuseFreeze(const std::string& message) {
  throw Failure({ErrorCode::InvalidConfig, message, kFreezeOption});
}

bool startsWithAny(const std::string& name, const std::vector<std::string>& starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](const std::string& start) { return name.starts_with(start); });
}

bool hasTrunk(const Model& model) {
  const ModelTensors all = model.trainable();
  return std::any_of(all.begin(), all.end(),
                     [](const auto& item) { return item.first.starts_with(kBackbone); });
}

bool isHeadName(const std::string& name, bool trunk) {
  return startsWithAny(name, {"head.", "head_dist."}) || (trunk && !name.starts_with(kBackbone));
}

/// Of parameters outside of blocks, what comes after the last one.
bool followsBlocks(const std::string& name, bool trunk) {
  return isHeadName(name, trunk) ||
         startsWithAny(name, {"norm.", "fc_norm.", "attn_pool.", "pre_logits.", "object_head."});
}

bool isNormParameter(const std::string& name) {
  const auto dot = name.rfind('.');
  if (dot == std::string::npos) return false;
  const std::string module = name.substr(0, dot);
  const std::string own = module.substr(module.rfind('.') + 1);
  return own.find("norm") != std::string::npos || own == "bn";
}

bool isBiasParameter(const std::string& name) {
  const std::string own = name.substr(name.rfind('.') + 1);
  return own == "bias" || own == "q_bias" || own == "v_bias";
}

/// For the names of a model: which parameters belong to a part.
class PartFinder {
 public:
  explicit PartFinder(const Model& model) : m_model(model), m_trunk(hasTrunk(model)) {
    for (int l = 0; l < model.layers(); ++l)
      m_blocks.push_back(model.blockName(l) + ".");
  }

  /// Its block; −1: it is outside of all.
  int blockOf(const std::string& name) const {
    for (std::size_t l = 0; l < m_blocks.size(); ++l)
      if (name.starts_with(m_blocks[l])) return static_cast<int>(l);
    return -1;
  }
  bool isBefore(const std::string& name) const {
    return blockOf(name) < 0 && !followsBlocks(name, m_trunk);
  }
  bool contains(const FreezePart& part, const std::string& name) const {
    using Kind = FreezePart::Kind;
    const int block = blockOf(name), all = m_model.layers();
    switch (part.kind) {
      case Kind::Head:
        return isHeadName(name, m_trunk);
      case Kind::Norms:
        return isNormParameter(name);
      case Kind::Biases:
        return isBiasParameter(name);
      case Kind::Embeddings:
        return isBefore(name);
      case Kind::FirstBlocks:
        return isBefore(name) || (block >= 0 && block < part.count);
      case Kind::LastBlocks:
        return block >= all - part.count;
      case Kind::Names:
        break;
    }
    return matchesName(part.pattern, name);
  }
  void requireBlocks(const FreezePart& part) const {
    const bool counts =
        part.kind == FreezePart::Kind::FirstBlocks || part.kind == FreezePart::Kind::LastBlocks;
    if (counts && part.count > m_model.layers())
      refuseFreeze(tr("names ") + std::to_string(part.count) + tr(" blocks, but the model has ") +
                   std::to_string(m_model.layers()) + tr("; name at most as many"));
  }
  /// Model::Frozen::leading of those that learn.
  int leadingWithout(const std::function<bool(const std::string&)>& learns) const {
    int leading = m_model.layers() + 1;
    for (const auto& [name, tensor] : m_model.trainable()) {
      if (!learns(name)) continue;
      if (const int block = blockOf(name); block >= 0)
        leading = std::min(leading, block + 1);
      else if (!followsBlocks(name, m_trunk))
        return 0;
    }
    return leading;
  }

 private:
  const Model& m_model;
  bool m_trunk;  ///< its blocks lie below "backbone."
  std::vector<std::string> m_blocks;
};

FreezeRule freezeRule(const TrainingConfig& config) {
  const bool adapts = config.adapter != "none" && config.freeze.empty();
  return valueOrThrow(freezeFromText(adapts ? "all but the head" : config.freeze));
}

/// So that a misspelt part is noticed.
void requireFound(const PartFinder& finder, const FreezePart& part,
                  const NamedTensors& parameters) {
  finder.requireBlocks(part);
  const bool found = std::any_of(parameters.begin(), parameters.end(), [&](const auto& item) {
    return finder.contains(part, item.first);
  });
  if (found) return;
  refuseFreeze(part.kind == FreezePart::Kind::Names
                   ? tr("the model has no parameter \"") + part.pattern +
                         tr("\"; headlight-cli inspect lists the names in a checkpoint")
                   : std::string(tr("the model has no such part, for example no head; name another "
                                    "one, or leave it empty")));
}

}  // namespace

bool freezesParts(const TrainingConfig& config) {
  return config.headEpochs > 0 || config.adapter != "none" || !freezeRule(config).parts.empty();
}

bool isHeadParameter(const Model& model, const std::string& name) {
  return isHeadName(name, hasTrunk(model));
}

std::set<std::string> frozenParameters(const Model& model, const TrainingConfig& config) {
  const FreezeRule rule = freezeRule(config);
  const PartFinder finder(model);
  NamedTensors parameters = model.trainable();
  std::erase_if(parameters, [](const auto& item) { return isAdapterTensor(item.first); });
  for (const FreezePart& part : rule.parts)
    requireFound(finder, part, parameters);
  std::set<std::string> frozen;
  if (rule.parts.empty()) return frozen;
  for (const auto& item : parameters) {
    const bool named = std::any_of(rule.parts.begin(), rule.parts.end(), [&](const auto& part) {
      return finder.contains(part, item.first);
    });
    if (named != rule.allBut) frozen.insert(item.first);
  }
  if (frozen.size() == model.trainable().size())
    refuseFreeze(tr("leaves no parameter to train; freeze less, for example all but the head"));
  return frozen;
}

void freezeParts(Model& model, const TrainingConfig& config, bool headAlone) {
  if (!freezesParts(config)) return;
  const std::set<std::string> frozen = frozenParameters(model, config);
  std::set<std::string> heads;
  const bool trunk = hasTrunk(model);
  if (headAlone)
    for (const auto& item : model.trainable())
      if (isHeadName(item.first, trunk) && !frozen.contains(item.first)) heads.insert(item.first);
  if (headAlone && heads.empty())
    throw Failure({ErrorCode::InvalidConfig,
                   tr("the model has no head that could be trained alone; set it to 0"),
                   "training.head_epochs"});
  const auto learns = [&](const std::string& name) {
    return headAlone ? heads.contains(name) : !frozen.contains(name);
  };
  for (auto& [name, tensor] : model.trainable()) {
    at::Tensor parameter = tensor;
    parameter.set_requires_grad(learns(name));
    if (!learns(name)) parameter.mutable_grad().reset();
  }
  model.setFrozen({PartFinder(model).leadingWithout(learns), true});
}

NamedTensors learningParameters(const Model& model) {
  NamedTensors learning = model.trainable();
  std::erase_if(learning, [](const auto& item) { return !item.second.requires_grad(); });
  return learning;
}

NamedTensors movingState(const Model& model) {
  NamedTensors state = model.state();
  std::erase_if(state, [&](const auto& item) { return model.isFrozenStatistic(item.first); });
  return state;
}

}  // namespace headlight
