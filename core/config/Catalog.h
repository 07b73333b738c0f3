// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What configs may name: published models, backbones and attention mechanisms. Core/models fills it
// (modelCatalog() in core/models/Registry.h), so that reading a config can check names and
// options.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/config/ModelConfig.h"
#include "core/config/Tasks.h"

namespace headlight {

/// A parameter of ModelConfig that a backbone can only have one value of.
struct FixedParameter {
  std::string name;  ///< "class_depth"
  Json value;        ///< 0
  std::string why;   ///< what is said to who asks for another, with what to do
};

/// A backbone or a mechanism as a config sees it.
struct Variant {
  std::string name;                         ///< "aft_conv"
  std::string help = {};                    ///< one sentence
  const ParameterTable* options = nullptr;  ///< of its own; null: none
  bool maskable = true;                     ///< whether it has logits that a mask can act on
  /// For a backbone: the mechanisms that it takes. Empty: every general one.
  std::vector<std::string> mechanisms = {};
  /// For a mechanism: only backbones that list it take it.
  bool special = false;
  Task task = Task::Classify;  ///< of a backbone: what it says of an image
  // For a backbone: what it makes of the parameters that all of them share.
  ShapeRules rules = {};
  std::vector<FixedParameter> fixed = {};
  /// Its own defaults of those parameters, where they differ from ModelConfig's: {"crop_mode":
  /// "squash"}.
  Json defaults = Json::object();
  /// Sets those that follow from its options (`layout`, complete): a config may leave them out and
  /// cannot change them. Null: none follow.
  std::function<void(ModelConfig& model)> derive = nullptr;
  std::vector<std::string> derived = {};  ///< which they are, by name
  /// For a mechanism: neither of the five papers that this program is about nor a backbone's own,
  /// but there to be compared with those.
  bool comparison = false;
};

struct ModelCatalog {
  /// The config of a published name; nothing for an unknown one.
  std::function<std::optional<ModelConfig>(const std::string& name)> published;
  std::vector<Variant> backbones, mechanisms;

  const Variant* backbone(const std::string& name) const;
  const Variant* mechanism(const std::string& name) const;
};

/// Reads the `model` section: the published model's values first, then what `json` gives, the
/// options of its mechanism (`attention`) and backbone (`layout`) among it.
/// An empty catalog checks neither names nor options. Errors name the JSON path.
Result<ModelConfig> modelFromJson(const Json& json, const ModelCatalog& catalog);
Json modelToJson(const ModelConfig& model);
/// The same model with every option of its mechanism and backbone written out.
ModelConfig completed(ModelConfig model, const ModelCatalog& catalog);

/// The variants that a `model` section names: by itself, by its published model, or by leaving the
/// names out. Null where the catalog has none of that name.
struct ChosenVariants {
  const Variant* backbone = nullptr;
  const Variant* mechanism = nullptr;
};
ChosenVariants chosenVariants(const Json& model, const ModelCatalog& catalog);

/// The mechanism of maps that are of no model (core/workbench/loading/MapFile.h): nothing can be
/// masked.
inline constexpr const char* kMapsAlone = "maps alone";

/// The heads of every layer and which layers can be masked at all.
MaskShape makeMaskShape(const ModelConfig& model, const ModelCatalog& catalog);

}  // namespace headlight
