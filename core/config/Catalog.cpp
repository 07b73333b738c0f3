// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/Catalog.h"

#include <algorithm>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/config/Reading.h"

namespace headlight {
namespace {

const Variant* find(const std::vector<Variant>& variants, const std::string& name) {
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [&](const Variant& v) { return v.name == name; });
  return found == variants.end() ? nullptr : &*found;
}

Error unknown(const std::string& what, const std::string& name,
              const std::vector<Variant>& variants) {
  std::vector<std::string> names;
  for (const auto& variant : variants)
    names.push_back(variant.name);
  const std::string close = closestName(name, names);
  return {
      ErrorCode::InvalidConfig,
      tr("no ") + what + tr(" is named \"") + name + "\"; " +
          (close.empty() ? tr("there are ") + joined(names) : tr("did you mean ") + close + "?"),
      "model." + what};
}

const ParameterTable& optionsOf(const Variant& variant) {
  static const ParameterTable none;
  return variant.options ? *variant.options : none;
}

Result<void> checkPairing(const Variant& backbone, const Variant& mechanism) {
  const auto& taken = backbone.mechanisms;
  const bool listed = std::find(taken.begin(), taken.end(), mechanism.name) != taken.end();
  if (listed || (taken.empty() && !mechanism.special)) return {};
  const std::string all = joined(taken);
  return Error{ErrorCode::InvalidConfig,
               tr("the backbone ") + backbone.name + tr(" does not take the mechanism ") +
                   mechanism.name + (all.empty() ? "" : tr("; it takes ") + all),
               "model.mechanism"};
}

/// Shared parameters that this backbone can only have one value of.
Result<void> checkFixed(const Variant& backbone, const ModelConfig& model) {
  for (const auto& [name, value, why] : backbone.fixed) {
    const Parameter* parameter = findParameter(modelParameters(), name);
    if (parameter && parameter->get(&model) != value) return invalidConfig(why, "model." + name);
  }
  return {};
}

/// Shared parameters that follow from the backbone's options.
Result<void> checkDerived(const Variant& backbone, const ModelConfig& model) {
  if (!backbone.derive) return {};
  ModelConfig derived = model;
  derived.layout = completeOptions(optionsOf(backbone), model.layout);
  backbone.derive(derived);
  for (const Parameter& parameter : modelParameters())
    if (const Json value = parameter.get(&derived); value != parameter.get(&model))
      return invalidConfig(tr("follows from the layout of the backbone ") + backbone.name +
                               tr(" and is ") + value.dump() + tr("; leave it out"),
                           "model." + parameter.name);
  return {};
}

/// The published model that a `model` section begins from; else the defaults.
ModelConfig baseOf(const Json& json, const ModelCatalog& catalog) {
  if (json.is_object() && json.contains("name") && json["name"].is_string() && catalog.published)
    if (auto known = catalog.published(json["name"].get<std::string>())) return *known;
  return {};
}

/// `base` with what the backbone that `json` names brings along. Mistakes in its options are for
/// readVariants() to find.
ModelConfig startOf(const Json& json, const ModelConfig& base, const ModelCatalog& catalog) {
  const Variant* backbone = chosenVariants(json, catalog).backbone;
  if (!backbone) return base;
  ModelConfig model = base;
  const bool other = backbone->name != base.backbone;
  if (other) valueOrThrow(readParameters(modelParameters(), backbone->defaults, &model, "model"));
  if (!backbone->derive) return model;
  auto layout = readOptions(optionsOf(*backbone), findSection(json, "layout"),
                            other ? Json::object() : base.layout, "model.layout");
  if (!layout) return model;
  model.backbone = backbone->name;
  model.layout = completeOptions(optionsOf(*backbone), *layout);
  backbone->derive(model);
  return model;
}

/// Names, options, whether the two go together, and the shape that the backbone allows.
Result<void> readVariants(const Json& json, const ModelConfig& before, const ModelCatalog& catalog,
                          ModelConfig& model) {
  const Variant* backbone = catalog.backbone(model.backbone);
  if (!backbone) return unknown("backbone", model.backbone, catalog.backbones);
  const Variant* mechanism = catalog.mechanism(model.mechanism);
  if (!mechanism) return unknown("mechanism", model.mechanism, catalog.mechanisms);
  if (auto pair = checkPairing(*backbone, *mechanism); !pair) return pair;
  if (auto fixed = checkFixed(*backbone, model); !fixed) return fixed;
  // Options of another mechanism or backbone say nothing about this one.
  const Json none = Json::object();
  auto attention =
      readOptions(optionsOf(*mechanism), findSection(json, "attention"),
                  model.mechanism == before.mechanism ? before.attention : none, "model.attention");
  if (!attention) return attention.error();
  auto layout =
      readOptions(optionsOf(*backbone), findSection(json, "layout"),
                  model.backbone == before.backbone ? before.layout : none, "model.layout");
  if (!layout) return layout.error();
  model.attention = std::move(*attention);
  model.layout = std::move(*layout);
  if (auto derived = checkDerived(*backbone, model); !derived) return derived;
  return checkModel(model, backbone->rules);
}

}  // namespace

const Variant* ModelCatalog::backbone(const std::string& name) const {
  return find(backbones, name);
}
const Variant* ModelCatalog::mechanism(const std::string& name) const {
  return find(mechanisms, name);
}

Result<ModelConfig> modelFromJson(const Json& json, const ModelCatalog& catalog) {
  const ModelConfig base = baseOf(json, catalog);
  ModelConfig model = startOf(json, base, catalog);
  if (auto read = readParameters(modelParameters(), json, &model, "model", {"attention", "layout"});
      !read)
    return read.error();
  const auto checked =
      catalog.backbones.empty() ? checkModel(model) : readVariants(json, base, catalog, model);
  if (!checked) return checked.error();
  return model;
}

Json modelToJson(const ModelConfig& model) {
  Json json = writeParameters(modelParameters(), &model);
  if (model.init == ModelConfig{}.init) json.erase("init");  // digests of configs of before
  if (!model.attention.empty()) json["attention"] = model.attention;
  if (!model.layout.empty()) json["layout"] = model.layout;
  return json;
}

ModelConfig completed(ModelConfig model, const ModelCatalog& catalog) {
  if (const Variant* mechanism = catalog.mechanism(model.mechanism))
    model.attention = completeOptions(optionsOf(*mechanism), model.attention);
  if (const Variant* backbone = catalog.backbone(model.backbone))
    model.layout = completeOptions(optionsOf(*backbone), model.layout);
  return model;
}

ChosenVariants chosenVariants(const Json& model, const ModelCatalog& catalog) {
  const ModelConfig base = baseOf(model, catalog);
  const auto named = [&](const char* key, const std::string& otherwise) {
    const bool given = model.is_object() && model.contains(key) && model[key].is_string();
    return given ? model[key].get<std::string>() : otherwise;
  };
  return {catalog.backbone(named("backbone", base.backbone)),
          catalog.mechanism(named("mechanism", base.mechanism))};
}

MaskShape makeMaskShape(const ModelConfig& model, const ModelCatalog& catalog) {
  MaskShape shape = model.maskShape();
  const Variant* mechanism = catalog.mechanism(model.mechanism);
  if (mechanism && !mechanism->maskable) shape.maskableLayers = 0;
  if (model.mechanism == kMapsAlone) shape.maskableLayers = 0;
  return shape;
}

}  // namespace headlight
