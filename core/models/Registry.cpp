// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/Registry.h"

#include <algorithm>

#include "core/attention/Mechanisms.h"
#include "core/models/Backbones.h"
#include "core/models/backbones/AttentionStart.h"
#include "core/models/published/Published.h"

namespace headlight {

const std::vector<PublishedModel>& publishedModels() {
  static const std::vector<PublishedModel> models = [] {
    std::vector<PublishedModel> all;
    for (const auto& family : {deitModels, caitModels, levitModels, castlingModels, mvitModels,
                               swinModels, lslaModels, aftModels, ibitModels, convitModels,
                               maeModels, detectorModels, segmenterModels, timmModels}) {
      const auto members = family();
      all.insert(all.end(), members.begin(), members.end());
    }
    return all;
  }();
  return models;
}

const PublishedModel* findPublishedModel(const std::string& name) {
  const auto& models = publishedModels();
  const auto byName = [&](const std::string& wanted) {
    const auto found = std::find_if(models.begin(), models.end(),
                                    [&](const PublishedModel& m) { return m.name == wanted; });
    return found == models.end() ? nullptr : &*found;
  };
  if (const auto* exact = byName(name)) return exact;
  for (const char* ending : {"_patch16_224", "_patch4_window7_224"})
    if (const auto* model = byName(name + ending)) return model;
  return nullptr;
}

const ModelCatalog& modelCatalog() {
  static const ModelCatalog catalog = [] {
    ModelCatalog result;
    result.published = [](const std::string& name) {
      const auto* model = findPublishedModel(name);
      return model ? std::optional(model->config) : std::nullopt;
    };
    for (const auto& backbone : backbones())
      result.backbones.push_back(backbone.variant);
    for (const auto& mechanism : mechanisms())
      result.mechanisms.push_back(mechanism.variant);
    return result;
  }();
  return catalog;
}

const ParameterTable& modelTable() {
  static const ParameterTable table = [] {
    ParameterTable result = modelParameters();
    for (auto& parameter : result) {
      if (parameter.catalog.empty()) continue;
      const auto& variants =
          parameter.catalog == "backbone" ? modelCatalog().backbones : modelCatalog().mechanisms;
      parameter.type = ParameterType::Choice;
      for (const auto& variant : variants)
        parameter.choices.push_back(variant.name);
    }
    return result;
  }();
  return table;
}

MaskShape makeMaskShape(const ModelConfig& config) {
  return makeMaskShape(config, modelCatalog());
}

Task taskOf(const ModelConfig& model) {
  const Variant* backbone = modelCatalog().backbone(model.backbone);
  return backbone ? backbone->task : Task::Classify;
}

bool normsApart(const ModelConfig& model) {
  const Task task = taskOf(model);
  return task == Task::Detect || task == Task::Segment;
}

ModelConfig checkedAndCompleted(const ModelConfig& given) {
  const auto& catalog = modelCatalog();
  ModelConfig config = completed(valueOrThrow(modelFromJson(modelToJson(given), catalog)), catalog);
  valueOrThrow(checkAttentionStart(config));
  return config;
}

namespace {

/// The same text for the same model: defaults are written out, what nothing reads is left out.
Json canonical(const ModelConfig& given) {
  ModelConfig config = completed(given, modelCatalog());
  config.imageWidth = config.imageWidthPixels();
  if (config.staged()) {
    config.stageWidths.clear();
    config.stageHeads.clear();
    for (int stage = 0; stage < given.stages(); ++stage) {
      config.stageWidths.push_back(given.stageWidth(stage));
      config.stageHeads.push_back(given.stageHeadCount(stage));
    }
    config.depth = given.layers();
  }
  Json json = modelToJson(config);
  json.erase("name");
  return json;
}

}  // namespace

bool sameModel(const ModelConfig& a, const ModelConfig& b) {
  return canonical(a) == canonical(b);
}

bool sameArchitecture(const ModelConfig& a, const ModelConfig& b) {
  const auto built = [](const ModelConfig& config) {
    Json json = canonical(config);
    for (const char* key :
         {"image_size", "image_width", "classes", "drop_path", "drop_path_mode", "crop_fraction",
          "crop_mode", "interpolation", "transparency", "mean", "deviation", "layer_scale", "init"})
      json.erase(key);
    if (json.contains("attention")) json["attention"].erase("fit");  // only of where masks start
    json["has_layer_scale"] = config.layerScale > 0;
    return json;
  };
  return built(a) == built(b);
}

ModelCost modelCost(const ModelConfig& given) {
  const ModelConfig config = checkedAndCompleted(given);
  return findBackbone(config.backbone).cost(config);
}

}  // namespace headlight
