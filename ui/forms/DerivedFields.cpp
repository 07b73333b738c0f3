// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/DerivedFields.h"

#include "core/models/Registry.h"

namespace headlight {
namespace {

Json defaultsOfBackbone(const std::string& backbone) {
  const Variant* variant = modelCatalog().backbone(backbone);
  return variant ? variant->defaults : Json::object();
}

/// A default that somebody has changed since stays.
std::vector<std::string> fieldsToRestore(const Json& model, const std::string& backbone) {
  std::vector<std::string> names = derivedFields(backbone);
  const Json defaults = defaultsOfBackbone(backbone);
  for (const auto& [name, value] : defaults.items())
    if (model.value(name, Json()) == value) names.push_back(name);
  return names;
}

Json valueBefore(const Json& before, const std::string& name) {
  if (before.contains(name)) return before[name];
  const Parameter* parameter = findParameter(modelParameters(), name);
  return parameter ? parameter->defaultValue : Json();
}

void replaceValues(Json& model, Json& before, const Json& values) {
  for (const auto& [name, value] : values.items()) {
    if (model.contains(name)) before[name] = model[name];
    model[name] = value;
  }
}

}  // namespace

std::vector<std::string> derivedFields(const std::string& backbone) {
  const Variant* variant = modelCatalog().backbone(backbone);
  return variant && variant->derive ? variant->derived : std::vector<std::string>();
}

Json derivedValues(const std::string& backbone, const Json& layout) {
  const Variant* variant = modelCatalog().backbone(backbone);
  if (!variant || !variant->derive) return Json::object();
  const auto values = guarded("model.layout", [&] {
    ModelConfig model;
    model.backbone = backbone;
    if (layout.is_object()) model.layout = layout;
    model = completed(model, modelCatalog());
    variant->derive(model);
    Json derived = Json::object();
    for (const std::string& name : variant->derived)
      derived[name] = findParameter(modelParameters(), name)->get(&model);
    return derived;
  });
  return values ? *values : Json::object();
}

void changeBackbone(Json& model, Json& before, const std::string& from, const std::string& to) {
  for (const std::string& name : fieldsToRestore(model, from))
    model[name] = valueBefore(before, name);
  before = Json::object();
  replaceValues(model, before, defaultsOfBackbone(to));
  replaceValues(model, before, derivedValues(to, Json::object()));
}

}  // namespace headlight
