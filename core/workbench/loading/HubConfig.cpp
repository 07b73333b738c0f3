// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/HubConfig.h"

#include <algorithm>

#include "core/base/ForeignContent.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/ConfigText.h"
#include "core/models/Registry.h"
#include "core/models/published/TimmArguments.h"
#include "core/workbench/foreign/OpenClipConfig.h"
#include "core/workbench/foreign/TransformersConfig.h"
#include "core/workbench/loading/HubLabels.h"

namespace headlight {
namespace {

constexpr std::size_t kMostLabels = 50'000;

[[noreturn]] void refuseConfig(ErrorCode code, const std::string& message,
                               const std::filesystem::path& where) {
  throw Failure({code, message, where.string()});
}

Json readHubObject(const std::filesystem::path& path) {
  const std::string text = valueOrThrow(readFile(path, kMaxConfigText));
  auto json = parseConfigJson(text, path.string(), kMaxConfigText, kMostLabels);
  if (!json)
    refuseConfig(ErrorCode::InvalidFile,
                 json.error().message +
                     (foreignContent(text).empty() ? tr("; download the model again") : ""),
                 path);
  if (!json->is_object())
    refuseConfig(ErrorCode::InvalidFile, tr("is not a JSON object; download the model again"),
                 path);
  return std::move(json).value();
}

std::string hubTextAt(const Json& json, const char* key) {
  return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
}

/// Those that share the most of their name's beginning with `name`, at most three.
std::vector<std::string> namesNear(const std::string& name) {
  const auto common = [&](const std::string& other) {
    return std::mismatch(name.begin(), name.end(), other.begin(), other.end()).first - name.begin();
  };
  constexpr std::size_t kMost = 3;
  constexpr std::ptrdiff_t kLeast = 4;  // letters: "vit_", "deit"
  std::vector<std::string> names;
  for (const PublishedModel& model : publishedModels())
    if (common(model.name) >= kLeast) names.push_back(model.name);
  std::stable_sort(names.begin(), names.end(),
                   [&](const auto& a, const auto& b) { return common(a) > common(b); });
  names.resize(std::min(names.size(), kMost));
  return names;
}

[[noreturn]] void refuseArchitecture(const std::string& name, const std::filesystem::path& where) {
  const auto near = namesNear(name);
  refuseConfig(ErrorCode::UnsupportedFile,
               tr("is of the architecture ") + name + tr(", which is not supported; ") +
                   (near.empty() ? std::string()
                                 : tr("similar supported names are ") + joined(near) + "; ") +
                   tr("headlight-cli summary --list shows the supported ones"),
               where);
}

/// Why a config.json without an architecture is none of timm's.
[[noreturn]] void refuseOther(const Json& json, const std::filesystem::path& where) {
  if (json.contains("model") || json.contains("schema"))
    refuseConfig(ErrorCode::UnsupportedFile,
                 tr("is an Experiment of Headlight, not a timm config; open the config or the "
                    "weights in its folder directly"),
                 where);
  refuseConfig(ErrorCode::UnsupportedFile,
               tr("names no architecture, so it is not a timm config; open the weights directly, "
                  "with --model if needed"),
               where);
}

int numberOfClasses(const Json& json, int before, const std::filesystem::path& where) {
  for (const Json* part : {&json, &readPretrained(json)}) {
    if (!part->contains("num_classes") || (*part)["num_classes"].is_null()) continue;
    const Json& count = (*part)["num_classes"];
    if (!count.is_number_integer() || count < 0 || count > 100000)
      refuseConfig(ErrorCode::InvalidConfig,
                   tr("num_classes must be a whole number from 0 to 100000"), where);
    return count.get<int>();
  }
  return before;
}

/// timm sizes a model for its weights' images by default.
void applyInputSize(const Json& pretrained, ModelConfig& model, const std::string& where) {
  if (!pretrained.contains("input_size") || pretrained["input_size"].is_null()) return;
  const Json& size = pretrained["input_size"];
  const bool three = size.is_array() && size.size() == 3 &&
                     std::all_of(size.begin(), size.end(),
                                 [](const Json& n) { return n.is_number_integer() && n > 0; });
  if (!three || size[0] != 3 || size[1] > 4096 || size[2] > 4096)
    throw Failure({ErrorCode::InvalidConfig,
                   tr("must be [3, height, width] of at most 4096: only models of color images are "
                      "supported"),
                   where + ": pretrained_cfg.input_size"});
  model.imageSize = size[1].get<int>();
  model.imageWidth = size[2] == size[1] ? 0 : size[2].get<int>();
}

std::vector<double> threeNumbers(const Json& pretrained, const char* key,
                                 const std::vector<double>& before, const std::string& where) {
  if (!pretrained.contains(key) || pretrained[key].is_null()) return before;
  const Json& list = pretrained[key];
  const bool numbers =
      list.is_array() && list.size() == 3 &&
      std::all_of(list.begin(), list.end(), [](const Json& number) { return number.is_number(); });
  if (!numbers)
    throw Failure(
        {ErrorCode::InvalidConfig, tr("must be three numbers"), where + ": pretrained_cfg." + key});
  return list.get<std::vector<double>>();
}

void applyPreprocessing(const Json& pretrained, HubModel& hub, const std::string& where) {
  ModelConfig& model = hub.experiment.model;
  model.mean = threeNumbers(pretrained, "mean", model.mean, where);
  model.deviation = threeNumbers(pretrained, "std", model.deviation, where);
  if (pretrained.contains("crop_pct") && pretrained["crop_pct"].is_number())
    model.cropFraction = pretrained["crop_pct"].get<double>();
  const std::string interpolation = hubTextAt(pretrained, "interpolation");
  if (interpolation == "bicubic" || interpolation == "bilinear" || interpolation == "nearest")
    model.interpolation = interpolation;
  else if (!interpolation.empty())
    hub.notes.push_back("interpolation " + interpolation +
                        " is not supported: images are resized " + model.interpolation);
  const std::string mode = hubTextAt(pretrained, "crop_mode");
  if (mode == "center" || mode == "squash")
    model.cropMode = mode;
  else if (!mode.empty())
    hub.notes.push_back("crop_mode " + mode + " is not supported: a center crop is used");
}

/// What the file says of how its model pools, where its arguments do not: timm wrote down what was,
/// and reads it back from the arguments alone.
void applyPooling(const Json& json, ModelConfig& model) {
  const std::string saved = hubTextAt(json, "global_pool");
  const std::string ours = saved == "avg" ? "mean" : saved == "map" ? "attention" : saved;
  if (model.backbone != "vit" || (ours != "mean" && ours != "attention" && ours != "token")) return;
  std::string now = model.layout.value("pooling", "auto");
  if (now == "auto") now = model.classToken ? "token" : "mean";
  if (now != ours) applyTimmArguments({{"global_pool", saved}}, model);
}

void applyArguments(const Json& json, ModelConfig& model) {
  const Json arguments = json.value("model_args", Json::object());
  if (!arguments.is_null()) applyTimmArguments(arguments, model);
  if (!arguments.is_object() || !arguments.contains("global_pool")) applyPooling(json, model);
}

std::string leafOfRepository(const std::string& name) {
  return name.substr(name.find_last_of('/') + 1);
}

/// "in21k" of "timm/vit_tiny_patch16_224.in21k", of "vit_tiny_patch16_224.in21k" as architecture.
std::string tagOf(const std::string& architecture, const std::string& repository) {
  for (const std::string& name : {architecture, leafOfRepository(repository)})
    if (const auto dot = name.find('.'); dot != std::string::npos) return name.substr(dot + 1);
  return {};
}

HubModel hubNamesOf(const Json& json, const HubFolder& folder) {
  HubModel hub;
  const std::string given = hubTextAt(json, "architecture");
  if (given.empty()) refuseOther(json, folder.config());
  hub.architecture = given.substr(0, given.find('.'));
  const Json& pretrained = readPretrained(json);
  hub.tag = hubTextAt(pretrained, "tag");
  if (hub.tag.empty()) hub.tag = tagOf(given, folder.name);
  hub.license = hubTextAt(pretrained, "license");
  return hub;
}

/// A published name stands for the published model alone.
std::string nameFor(const PublishedModel& published, const ModelConfig& model,
                    const std::string& repository) {
  if (sameModel(published.config, model)) return published.name;
  const std::string leaf = leafOfRepository(repository);
  return leaf.empty() || findPublishedModel(leaf) ? "custom" : leaf;
}

/// timm's own config.json names its architecture, also that of a timm model inside transformers.
bool isForeign(const Json& json) {
  return !json.contains("architecture") && (isTransformersConfig(json) || isOpenClipConfig(json));
}

HubModel foreignNamesOf(const Json& json) {
  HubModel hub;
  hub.architecture = isOpenClipConfig(json) ? "CLIP" : hubTextAt(json, "model_type");
  return hub;
}

HubModel foreignModelOf(const Json& json, const HubFolder& folder) {
  ForeignModel foreign = isOpenClipConfig(json) ? readOpenClipConfig(json, folder.config().string())
                                                : readTransformersConfig(json, folder.folder);
  HubModel hub;
  hub.architecture = foreign.architecture;
  ModelConfig& model = hub.experiment.model;
  try {
    model = checkedAndCompleted(foreign.model);
  } catch (const Failure& failure) {
    throw Failure({failure.error().code, failure.error().text(), folder.config().string()});
  }
  const std::string leaf = leafOfRepository(folder.name);
  model.name = leaf.empty() || findPublishedModel(leaf) ? "custom" : leaf;
  hub.experiment.name = leaf.empty() ? hub.architecture : leaf;
  hub.classNames = std::move(foreign.classNames);
  hub.notes = folder.notes;
  hub.notes.insert(hub.notes.end(), foreign.notes.begin(), foreign.notes.end());
  return hub;
}

}  // namespace

HubModel readHubNames(const HubFolder& folder) {
  const Json json = readHubObject(folder.config());
  return isForeign(json) ? foreignNamesOf(json) : hubNamesOf(json, folder);
}

HubModel readHubConfig(const HubFolder& folder) {
  const std::string where = folder.config().string();
  const Json json = readHubObject(folder.config());
  if (isForeign(json)) return foreignModelOf(json, folder);
  HubModel hub = hubNamesOf(json, folder);
  const PublishedModel* published = findPublishedModel(hub.architecture);
  if (!published) refuseArchitecture(hub.architecture, folder.config());
  ModelConfig& model = hub.experiment.model;
  model = published->config;
  model.classes = numberOfClasses(json, model.classes, folder.config());
  applyInputSize(readPretrained(json), model, where);
  applyPreprocessing(readPretrained(json), hub, where);
  try {
    applyArguments(json, model);
    model = checkedAndCompleted(model);
  } catch (const Failure& failure) {
    throw Failure({failure.error().code, failure.error().text(), where});
  }
  applyLabels(json, hub, where);
  model.name = nameFor(*published, model, folder.name);
  hub.experiment.name = leafOfRepository(folder.name);
  if (hub.experiment.name.empty()) hub.experiment.name = hub.architecture;
  hub.notes.insert(hub.notes.begin(), folder.notes.begin(), folder.notes.end());
  return hub;
}

}  // namespace headlight
