// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/sweeps/SweepOverrides.h"

#include <algorithm>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/models/Registry.h"

namespace headlight {
namespace {

/// Every path that a parameter can have, for the closest one to a misspelt path.
std::vector<std::string> parameterPaths(const std::vector<Section>& sections,
                                        std::vector<std::string> paths) {
  for (const auto& section : sections)
    for (const auto& parameter : *section.table)
      paths.push_back(section.key.empty() ? parameter.name : section.key + "." + parameter.name);
  return paths;
}

const std::vector<std::string>& pathsOf(bool sequences) {
  static const auto ofClassifiers = parameterPaths(
      experimentSections(), {"model", "masks", "model.attention", "model.layout", "masks.cells"});
  static const auto ofSequences = parameterPaths(sequenceSections(), {"model"});
  return sequences ? ofSequences : ofClassifiers;
}

bool isOption(const std::string& path) {
  return path.starts_with("model.attention.") || path.starts_with("model.layout.");
}

/// Sets one value; ranges are checked when the whole is read.
void overrideOne(Json& experiment, const std::string& path, const Json& value,
                 const std::string& where) {
  const bool sequences = isOfSequences(experiment);
  const std::vector<std::string>& known = pathsOf(sequences);
  if ((sequences || !isOption(path)) &&
      std::find(known.begin(), known.end(), path) == known.end()) {
    const std::string close = closestName(path, known);
    const std::string command = sequences ? "sequence train" : "train";
    refuseSweep(tr("is not a parameter; ") +
                    (close.empty() ? "headlight-cli " + command + tr(" --help lists them")
                                   : tr("did you mean \"") + close + "\"?"),
                where);
  }
  if (path == "seed") refuseSweep(tr("is set by the sweep; list the seeds under \"seeds\""), where);
  if (sequences) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (auto set = overrideSequenceParameter(experiment, path, text); !set)
      throw Failure({set.error().code, set.error().message, where});
    return;
  }
  for (const char* whole : {"model.attention", "model.layout", "masks.cells"}) {
    if (path != whole) continue;
    const auto dot = path.find('.');
    experiment[path.substr(0, dot)][path.substr(dot + 1)] = value;
    return;
  }
  // As a flag would say it: "0.5" is a number where one is wanted.
  if (auto set = setParameter(experiment, path, value, modelCatalog()); !set)
    throw Failure({set.error().code, set.error().message, where});
}

}  // namespace

void refuseSweep(const std::string& message, const std::string& path) {
  throw Failure({ErrorCode::InvalidConfig, message, path});
}

void applyOverrides(Json& experiment, const Json& overrides, const std::string& path) {
  if (!overrides.is_object()) refuseSweep(tr("must be an object in braces"), path);
  const auto where = [&](const std::string& key) { return path + "." + key; };
  static const std::vector<std::string> first{"model",          "masks",           "model.name",
                                              "model.backbone", "model.mechanism", "task"};
  for (const std::string& key : first) {
    if (!overrides.contains(key)) continue;
    if (key.find('.') != std::string::npos || key == "task") {
      overrideOne(experiment, key, overrides[key], where(key));
      continue;
    }
    const auto& known = pathsOf(isOfSequences(experiment));
    if (std::find(known.begin(), known.end(), key) == known.end())
      refuseSweep(tr("is not a section of a sequence model"), where(key));
    if (!overrides[key].is_object()) refuseSweep(tr("must be an object in braces"), where(key));
    experiment[key] = overrides[key];
  }
  for (const auto& [key, value] : overrides.items())
    if (std::find(first.begin(), first.end(), key) == first.end())
      overrideOne(experiment, key, value, where(key));
}

}  // namespace headlight
