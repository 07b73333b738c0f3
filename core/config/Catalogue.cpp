#include "core/config/Catalogue.h"

#include <algorithm>

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
  std::string all;
  for (const auto& variant : variants) {
    names.push_back(variant.name);
    all += (all.empty() ? "" : ", ") + variant.name;
  }
  const std::string close = closestName(name, names);
  return {ErrorCode::InvalidConfig,
          "no " + what + " is called \"" + name + "\"; " +
              (close.empty() ? "there are " + all : "did you mean " + close + "?"),
          "model." + what};
}

const Json& sectionOf(const Json& json, const char* key) {
  static const Json empty = Json::object();
  return json.contains(key) ? json[key] : empty;
}

const ParameterTable& optionsOf(const Variant& variant) {
  static const ParameterTable none;
  return variant.options ? *variant.options : none;
}

Result<void> checkPairing(const Variant& backbone, const Variant& mechanism) {
  const auto& taken = backbone.mechanisms;
  const bool listed = std::find(taken.begin(), taken.end(), mechanism.name) != taken.end();
  if (listed || (taken.empty() && !mechanism.special)) return {};
  std::string all;
  for (const auto& name : taken)
    all += (all.empty() ? "" : ", ") + name;
  return Error{ErrorCode::InvalidConfig,
               "the backbone " + backbone.name + " does not take the mechanism " + mechanism.name +
                   (all.empty() ? "" : "; it takes " + all),
               "model.mechanism"};
}

/// Names, options and whether the two go together.
Result<void> readVariants(const Json& json, const ModelConfig& before,
                          const ModelCatalogue& catalogue, ModelConfig& model) {
  const Variant* backbone = catalogue.backbone(model.backbone);
  if (!backbone) return unknown("backbone", model.backbone, catalogue.backbones);
  const Variant* mechanism = catalogue.mechanism(model.mechanism);
  if (!mechanism) return unknown("mechanism", model.mechanism, catalogue.mechanisms);
  if (auto pair = checkPairing(*backbone, *mechanism); !pair) return pair;
  // Options of another mechanism or backbone say nothing about this one.
  const Json none = Json::object();
  auto attention =
      readOptions(optionsOf(*mechanism), sectionOf(json, "attention"),
                  model.mechanism == before.mechanism ? before.attention : none, "model.attention");
  if (!attention) return attention.error();
  auto layout =
      readOptions(optionsOf(*backbone), sectionOf(json, "layout"),
                  model.backbone == before.backbone ? before.layout : none, "model.layout");
  if (!layout) return layout.error();
  model.attention = std::move(*attention);
  model.layout = std::move(*layout);
  return {};
}

}  // namespace

const Variant* ModelCatalogue::backbone(const std::string& name) const {
  return find(backbones, name);
}
const Variant* ModelCatalogue::mechanism(const std::string& name) const {
  return find(mechanisms, name);
}

Result<ModelConfig> modelFromJson(const Json& json, const ModelCatalogue& catalogue) {
  ModelConfig base;
  if (json.is_object() && json.contains("name") && json["name"].is_string() && catalogue.published)
    if (const auto known = catalogue.published(json["name"].get<std::string>())) base = *known;
  ModelConfig model = base;
  if (auto read = readParameters(modelParameters(), json, &model, "model", {"attention", "layout"});
      !read)
    return read.error();
  if (!catalogue.backbones.empty())
    if (auto read = readVariants(json, base, catalogue, model); !read) return read.error();
  if (auto checked = checkModel(model); !checked) return checked.error();
  return model;
}

Json modelToJson(const ModelConfig& model) {
  Json json = writeParameters(modelParameters(), &model);
  if (!model.attention.empty()) json["attention"] = model.attention;
  if (!model.layout.empty()) json["layout"] = model.layout;
  return json;
}

ModelConfig completed(ModelConfig model, const ModelCatalogue& catalogue) {
  if (const Variant* mechanism = catalogue.mechanism(model.mechanism))
    model.attention = completeOptions(optionsOf(*mechanism), model.attention);
  if (const Variant* backbone = catalogue.backbone(model.backbone))
    model.layout = completeOptions(optionsOf(*backbone), model.layout);
  return model;
}

MaskShape maskShapeOf(const ModelConfig& model, const ModelCatalogue& catalogue) {
  MaskShape shape = model.maskShape();
  const Variant* mechanism = catalogue.mechanism(model.mechanism);
  if (mechanism && !mechanism->maskable) shape.maskableLayers = 0;
  return shape;
}

}  // namespace headlight
