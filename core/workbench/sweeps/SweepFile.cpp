// SPDX-License-Identifier: GPL-3.0-or-later

// Sweep.h: reading sweep files: the base, what every variant changes in it, and what is wrong
// with them.

#include <algorithm>
#include <set>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/ConfigPaths.h"
#include "core/config/ConfigText.h"
#include "core/config/ExperimentTask.h"
#include "core/config/Recipes.h"
#include "core/models/Registry.h"
#include "core/workbench/sweeps/SweepOverrides.h"
#include "core/workbench/sweeps/SweepScaling.h"

namespace headlight {
namespace {

constexpr std::uintmax_t kMaxSweepBytes = 16u << 20;
constexpr std::size_t kMaxVariants = 1000, kMaxSeeds = 1000, kMaxNameLength = 100;

std::string at(const std::string& list, std::size_t index) {
  return list + "[" + std::to_string(index) + "]";
}

void checkKeys(const Json& object, const std::vector<std::string>& known, const std::string& path) {
  if (!object.is_object())
    refuseSweep(tr("must be an object in braces"), path.empty() ? "$" : path);
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string close = closestName(key, known);
    refuseSweep(close.empty() ? tr("is not a known key; known are: ") + joined(known)
                              : tr("is not a known key; did you mean \"") + close + "\"?",
                path.empty() ? key : path + "." + key);
  }
}

/// A list that is there and not empty, with at most `most` items.
const Json& listAt(const Json& json, const char* key, std::size_t most) {
  if (!json.contains(key)) refuseSweep(tr("is missing; give a list"), key);
  const Json& list = json[key];
  if (!list.is_array()) refuseSweep(tr("must be a list"), key);
  if (list.empty()) refuseSweep(tr("is empty; give at least one"), key);
  if (list.size() > most) refuseSweep(tr("has more than ") + std::to_string(most) + " items", key);
  return list;
}

/// The base's JSON, and what to call it in messages.
Json readBase(const Json& json, const std::filesystem::path& folder, std::string& name) {
  if (!json.contains("base"))
    refuseSweep(tr("is missing; give an experiment, or its path"), "base");
  const Json& base = json["base"];
  name = "base";
  if (base.is_object()) return base;
  if (!base.is_string()) refuseSweep(tr("must be an experiment in braces, or its path"), "base");
  const std::filesystem::path path = folder / base.get<std::string>();
  const auto text = readFile(path, kMaxSweepBytes);
  if (!text) throw Failure({text.error().code, text.error().text(), "base"});
  name = path.string();
  Json read = valueOrThrow(parseConfigJson(*text, name));
  if (!read.is_object()) refuseSweep(tr("must be an object in braces"), name);
  findPathsBeside(read, std::filesystem::absolute(path).parent_path());
  return read;
}

std::string textAt(const Json& json, const char* key, const std::string& otherwise) {
  if (!json.contains(key)) return otherwise;
  if (!json[key].is_string()) refuseSweep(tr("must be text"), key);
  return json[key].get<std::string>();
}

/// What the base leaves out is the recipe's.
Json withRecipe(const std::string& recipe, const Json& base) {
  if (recipe.empty()) return base;
  Json whole = Json::object();
  if (auto applied = applyRecipe(whole, recipe); !applied)
    refuseSweep(applied.error().message, "recipe");
  whole.merge_patch(base);
  return whole;
}

/// What a sweep writes beside the folders of its variants; on some systems "Sweep.csv" is the same.
bool isOutputName(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](char letter) {
    return 'A' <= letter && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  const auto outputs = {kSweepTable, kSweepText, kSweepFigure, kSweepSpeeds, kSweepFile};
  return name.starts_with(kSweepCurves) ||
         std::find(outputs.begin(), outputs.end(), name) != outputs.end();
}

bool isFolderName(const std::string& name) {
  if (name.empty() || name.size() > kMaxNameLength || name[0] == '.' || name.back() == ' ')
    return false;
  return std::none_of(name.begin(), name.end(), [](char letter) {
    return letter == '/' || letter == '\\' || static_cast<unsigned char>(letter) < ' ';
  });
}

SweepVariant makeVariant(const std::string& name, const Json& base, const Json& overrides,
                         const std::string& path) {
  SweepVariant variant;
  variant.name = name;
  Json json = base;
  applyOverrides(json, overrides, path + ".overrides");
  const auto read = [&](auto experiment) {
    if (experiment) return std::move(experiment).value();
    throw Failure({experiment.error().code, "(" + name + ") " + experiment.error().text(), path});
  };
  if (isOfSequences(json)) {
    variant.sequence = read(sequenceFromJson(json));
    return variant;
  }
  variant.experiment = read(experimentFromJson(json, modelCatalog()));
  // In full, as the run's own config will have it: the two are compared when a sweep goes on.
  variant.experiment.model = completed(variant.experiment.model, modelCatalog());
  return variant;
}

std::vector<SweepVariant> readVariants(const Json& json, const Json& base) {
  std::vector<SweepVariant> variants;
  if (json.contains("mechanisms")) {
    if (json.contains("variants"))
      refuseSweep(tr("cannot be combined with \"variants\"; give one of the two"), "mechanisms");
    const Json& names = listAt(json, "mechanisms", kMaxVariants);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string path = at("mechanisms", i);
      if (!names[i].is_string()) refuseSweep(tr("must be the name of a mechanism"), path);
      variants.push_back(
          makeVariant(names[i].get<std::string>(), base, {{"model.mechanism", names[i]}}, path));
    }
    return variants;
  }
  const Json& list = listAt(json, "variants", kMaxVariants);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string path = at("variants", i);
    checkKeys(list[i], {"name", "overrides"}, path);
    const std::string name = list[i].contains("name") && list[i]["name"].is_string()
                                 ? list[i]["name"].get<std::string>()
                                 : "";
    if (!isFolderName(name))
      refuseSweep(tr("must be a valid folder name, without slashes or a leading dot"),
                  path + ".name");
    if (isOutputName(name))
      refuseSweep(tr("is the name of a file that the sweep writes; choose another"),
                  path + ".name");
    const Json none = Json::object();
    variants.push_back(
        makeVariant(name, base, list[i].contains("overrides") ? list[i]["overrides"] : none, path));
  }
  return variants;
}

void refuseTwins(const std::vector<SweepVariant>& variants, bool byMechanism) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < variants.size(); ++i)
    if (!seen.insert(variants[i].name).second)
      refuseSweep(
          "\"" + variants[i].name + tr("\" is given twice; every variant needs its own name"),
          at(byMechanism ? "mechanisms" : "variants", i) + (byMechanism ? "" : ".name"));
}

std::vector<std::int64_t> readSeeds(const Json& json) {
  std::vector<std::int64_t> seeds;
  const Json& list = listAt(json, "seeds", kMaxSeeds);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Parameter& parameter = *findParameter(runParameters(), "seed");
    valueOrThrow(checkParameter(parameter, list[i], at("seeds", i)));
    const auto seed = list[i].get<std::int64_t>();
    if (std::find(seeds.begin(), seeds.end(), seed) != seeds.end())
      refuseSweep(std::to_string(seed) + tr(" is given twice: it would be the same run"),
                  at("seeds", i));
    seeds.push_back(seed);
  }
  return seeds;
}

/// Bits of a pixel and of a letter do not belong in one column.
void requireOneUnit(const std::vector<SweepVariant>& variants) {
  for (std::size_t i = 0; i < variants.size(); ++i)
    if (variants[i].sequence && variants[i].sequence->data.kind != variants[0].sequence->data.kind)
      refuseSweep(tr("is of ") + variants[i].sequence->data.kind + tr(", the first of ") +
                      variants[0].sequence->data.kind + tr("; their bits cannot be compared"),
                  at("variants", i));
}

/// Nor do accuracies of images, average precisions of boxes and overlaps of pixels.
void requireOneTask(const std::vector<SweepVariant>& variants) {
  const auto learned = [&](std::size_t variant) {
    return taskOf(variants[variant].experiment.model);
  };
  for (std::size_t i = 1; i < variants.size(); ++i)
    if (learned(i) != learned(0))
      refuseSweep("\"" + variants[i].name + tr("\" has the task ") + taskName(learned(i)) +
                      tr(", \"") + variants[0].name + tr("\" has ") + taskName(learned(0)) +
                      tr("; their scores cannot be compared. Sweep them apart"),
                  at("variants", i));
}

void requireReadable(const Json& base, const std::string& name) {
  const auto require = [&](const auto& read) {
    if (!read) throw Failure({read.error().code, read.error().text(), name});
  };
  if (isOfSequences(base))
    require(sequenceFromJson(base));
  else
    require(experimentFromJson(base, modelCatalog()));
}

/// The sweep with its base as it is used, for other folders to be read from. Its variants are
/// scaled already.
std::string fileOf(const Json& json, Json base) {
  Json whole = json;
  whole.erase("recipe");
  whole.erase("scale_with_base");
  findPathsBeside(base, std::filesystem::current_path());
  whole["base"] = std::move(base);
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

SweepPlan planOf(Json json, const std::filesystem::path& folder, const ChangeBase& change) {
  checkKeys(
      json,
      {"name", "about", "recipe", "base", "scale_with_base", "variants", "mechanisms", "seeds"},
      "");
  SweepPlan plan;
  plan.name = textAt(json, "name", plan.name);
  plan.about = textAt(json, "about", "");
  std::string baseName;
  const Json plotBase = readBase(json, folder, baseName);
  const std::string recipe = textAt(json, "recipe", "");
  if (!recipe.empty() && isOfSequences(plotBase))
    refuseSweep(
        tr("applies only to image classifiers; write a sequence model's settings into its base"),
        "recipe");
  const Json written = withRecipe(recipe, plotBase);
  Json base = written;
  if (change) change(base);
  requireReadable(base, baseName);
  scaleVariants(json, written, base);
  plan.file = fileOf(json, base);
  plan.seeds = readSeeds(json);
  plan.variants = readVariants(json, base);
  refuseTwins(plan.variants, json.contains("mechanisms"));
  requireOneUnit(plan.variants);
  requireOneTask(plan.variants);
  return plan;
}

}  // namespace

bool isOfSequences(const Json& base) {
  return base.is_object() && base.contains("task") && base["task"] == "sequence";
}

Result<SweepPlan> sweepFromText(const std::string& text, const std::string& name,
                                const std::filesystem::path& folder, const ChangeBase& change) {
  auto plan = guarded(
      name, [&] { return planOf(valueOrThrow(parseConfigJson(text, "")), folder, change); });
  if (!plan) {
    const Error& error = plan.error();
    return Error{error.code, error.text(), name};
  }
  return plan;
}

Result<SweepPlan> readSweep(const std::filesystem::path& given, const ChangeBase& change) {
  std::error_code ignored;
  const bool isFolder = std::filesystem::is_directory(given, ignored);
  const std::filesystem::path path = isFolder ? given / kSweepFile : given;
  const auto text = readFile(path, kMaxSweepBytes);
  if (!text) return text.error();
  return sweepFromText(*text, path.string(), path.parent_path(), change);
}

}  // namespace headlight
