// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/foreign/TransformersConfig.h"

#include <algorithm>

#include "core/base/Translation.h"
#include "core/workbench/classes/ClassNames.h"
#include "core/workbench/foreign/ImageProcessor.h"
#include "core/workbench/foreign/TransformersFamilies.h"

namespace headlight {
namespace {

constexpr int kDefaultLabels = 2;  // of a config that says nothing of them

std::string firstArchitecture(const Json& config) {
  const auto found = config.find("architectures");
  if (found == config.end() || !found->is_array() || found->empty()) return {};
  return found->front().is_string() ? found->front().get<std::string>() : std::string();
}

std::string supportedTypes() {
  std::string text;
  for (const TransformersFamily& family : transformersFamilies())
    text += (text.empty() ? "" : ", ") + std::string(family.type);
  return text;
}

[[noreturn]] void refuseType(const std::string& type, const std::string& where) {
  throw Failure({ErrorCode::UnsupportedFile,
                 tr("is a model of transformers of the kind ") + (type.empty() ? "?" : type) +
                     tr(", which is not supported; these are: ") + supportedTypes() +
                     tr(". Look for the same model under timm/ on the hub, or show its maps with "
                        "headlight_maps in Python"),
                 where});
}

const TransformersFamily& familyNamed(const std::string& type, const std::string& where) {
  for (const TransformersFamily& family : transformersFamilies())
    if (type == family.type) return family;
  refuseType(type, where);
}

/// "LABEL_3" is what stands where nobody gave names.
bool isNamed(const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [](const std::string& name) { return !name.starts_with("LABEL_"); });
}

int readLabels(const ConfigValues& config, ForeignModel& model) {
  constexpr int kMostClasses = 100'000;
  const auto found = config.json().find("id2label");
  if (found == config.json().end() || !found->is_object() || found->empty())
    return config.whole("num_labels", kDefaultLabels, 1, kMostClasses);
  try {
    model.classNames = classNamesFromJson(*found, config.where());
  } catch (const Failure& failure) {
    model.notes.push_back("id2label is not used: " + failure.error().message);
  }
  const int count = static_cast<int>(found->size());
  if (!isNamed(model.classNames)) model.classNames.clear();
  return count;
}

/// The tower's own description lies within that of the whole.
ConfigValues towerOf(const TransformersFamily& family, const ConfigValues& whole) {
  return *family.section ? whole.part(family.section) : whole;
}

}  // namespace

bool isTransformersConfig(const Json& config) {
  return config.is_object() && (config.contains("model_type") || config.contains("architectures"));
}

ForeignModel readTransformersConfig(const Json& config, const std::filesystem::path& folder) {
  const std::string where = (folder / "config.json").string();
  const ConfigValues whole(config, where);
  const std::string type = whole.text("model_type", "");
  const TransformersFamily& family = familyNamed(type, where);
  const ConfigValues tower = towerOf(family, whole);
  ForeignModel model;
  model.architecture = firstArchitecture(config);
  const int labels = readLabels(whole, model);
  const std::string inner = tower.text("model_type", type);
  family.read({tower, whole, *family.section && type == "depth_anything" ? inner : type,
               model.architecture, labels},
              model);
  if (model.architecture.empty()) model.architecture = type;
  if (static_cast<int>(model.classNames.size()) != namedClasses(model.model))
    model.classNames.clear();
  readImageProcessor(folder, type, model);
  return model;
}

}  // namespace headlight
