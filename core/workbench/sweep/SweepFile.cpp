// Of Sweep.h, reading sweep files: the base, what every variant changes in it, and what is wrong
// with them.

#include <algorithm>
#include <set>

#include "core/base/Files.h"
#include "core/base/Text.h"
#include "core/config/ConfigPaths.h"
#include "core/config/ConfigText.h"
#include "core/config/Recipes.h"
#include "core/models/Registry.h"
#include "core/workbench/Sweep.h"

namespace headlight {
namespace {

constexpr std::uintmax_t kMaxSweepBytes = 16u << 20;
constexpr std::size_t kMaxVariants = 1000, kMaxSeeds = 1000, kMaxNameLength = 100;

[[noreturn]] void refuse(const std::string& message, const std::string& path) {
  throw Failure({ErrorCode::InvalidConfig, message, path});
}

std::string at(const std::string& list, std::size_t index) {
  return list + "[" + std::to_string(index) + "]";
}

void checkKeys(const Json& object, const std::vector<std::string>& known, const std::string& path) {
  if (!object.is_object()) refuse("must be an object in braces", path.empty() ? "$" : path);
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string close = closestName(key, known);
    refuse(close.empty() ? "is not a known key; known are: " + joined(known)
                         : "is not a known key; did you mean \"" + close + "\"?",
           path.empty() ? key : path + "." + key);
  }
}

/// A list that is there and not empty, with at most `most` items.
const Json& listAt(const Json& json, const char* key, std::size_t most) {
  if (!json.contains(key)) refuse("is missing; give a list", key);
  const Json& list = json[key];
  if (!list.is_array()) refuse("must be a list", key);
  if (list.empty()) refuse("is empty; give at least one", key);
  if (list.size() > most) refuse("has more than " + std::to_string(most) + " items", key);
  return list;
}

/// The base's JSON, and what to call it in messages.
Json readBase(const Json& json, const std::filesystem::path& folder, std::string& name) {
  if (!json.contains("base")) refuse("is missing; give an experiment, or the path of one", "base");
  const Json& base = json["base"];
  name = "base";
  if (base.is_object()) return base;
  if (!base.is_string()) refuse("must be an experiment in braces, or the path of one", "base");
  const std::filesystem::path path = folder / base.get<std::string>();
  const auto text = readFile(path, kMaxSweepBytes);
  if (!text) throw Failure({text.error().code, text.error().text(), "base"});
  name = path.string();
  Json read = valueOrThrow(parseConfigJson(*text, name));
  if (!read.is_object()) refuse("must be an object in braces", name);
  findPathsBeside(read, std::filesystem::absolute(path).parent_path());
  return read;
}

std::string textAt(const Json& json, const char* key, const std::string& otherwise) {
  if (!json.contains(key)) return otherwise;
  if (!json[key].is_string()) refuse("must be text", key);
  return json[key].get<std::string>();
}

/// What the base leaves out is the recipe's.
Json withRecipe(const std::string& recipe, const Json& base) {
  if (recipe.empty()) return base;
  Json whole = Json::object();
  if (auto applied = applyRecipe(whole, recipe); !applied)
    refuse(applied.error().message, "recipe");
  whole.merge_patch(base);
  return whole;
}

/// What a sweep writes beside the folders of its variants; on some systems "Sweep.csv" is the same.
bool isOutputName(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](char letter) {
    return 'A' <= letter && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  const auto outputs = {kSweepTable, kSweepText, kSweepFigure, kSweepSpeeds};
  return std::find(outputs.begin(), outputs.end(), name) != outputs.end();
}

bool isFolderName(const std::string& name) {
  if (name.empty() || name.size() > kMaxNameLength || name[0] == '.' || name.back() == ' ')
    return false;
  return std::none_of(name.begin(), name.end(), [](char letter) {
    return letter == '/' || letter == '\\' || static_cast<unsigned char>(letter) < ' ';
  });
}

/// Every path that a parameter can have, for the closest one to a misspelt path.
std::vector<std::string> parameterPaths() {
  std::vector<std::string> paths{"model", "masks", "model.attention", "model.layout",
                                 "masks.cells"};
  for (const auto& section : experimentSections())
    for (const auto& parameter : *section.table)
      paths.push_back(section.key.empty() ? parameter.name : section.key + "." + parameter.name);
  return paths;
}

bool isOption(const std::string& path) {
  return path.starts_with("model.attention.") || path.starts_with("model.layout.");
}

/// Sets one value; ranges are checked when the whole is read.
void overrideOne(Json& experiment, const std::string& path, const Json& value,
                 const std::string& where) {
  static const std::vector<std::string> known = parameterPaths();
  if (!isOption(path) && std::find(known.begin(), known.end(), path) == known.end()) {
    const std::string close = closestName(path, known);
    refuse("is not a parameter; " + (close.empty()
                                         ? std::string("headlight-cli train --help lists them")
                                         : "did you mean \"" + close + "\"?"),
           where);
  }
  if (path == "seed") refuse("is the sweep's own; list the seeds under \"seeds\"", where);
  for (const char* whole : {"model.attention", "model.layout", "masks.cells"}) {
    if (path != whole) continue;
    const auto dot = path.find('.');
    experiment[path.substr(0, dot)][path.substr(dot + 1)] = value;
    return;
  }
  // As a flag would say it: "0.5" is a number where one is wanted.
  if (auto set = setParameter(experiment, path, value, modelCatalogue()); !set)
    throw Failure({set.error().code, set.error().message, where});
}

/// Names first: they decide which options there are.
void applyOverrides(Json& experiment, const Json& overrides, const std::string& path) {
  if (!overrides.is_object()) refuse("must be an object in braces", path);
  const auto where = [&](const std::string& key) { return path + "." + key; };
  static const std::vector<std::string> first{"model", "masks", "model.name", "model.backbone",
                                              "model.mechanism"};
  for (const std::string& key : first) {
    if (!overrides.contains(key)) continue;
    if (key.find('.') != std::string::npos) {
      overrideOne(experiment, key, overrides[key], where(key));
      continue;
    }
    if (!overrides[key].is_object()) refuse("must be an object in braces", where(key));
    experiment[key] = overrides[key];
  }
  for (const auto& [key, value] : overrides.items())
    if (std::find(first.begin(), first.end(), key) == first.end())
      overrideOne(experiment, key, value, where(key));
}

SweepVariant makeVariant(const std::string& name, const Json& base, const Json& overrides,
                         const std::string& path) {
  SweepVariant variant;
  variant.name = name;
  Json json = base;
  applyOverrides(json, overrides, path + ".overrides");
  auto experiment = experimentFromJson(json, modelCatalogue());
  if (!experiment)
    throw Failure({experiment.error().code, "(" + name + ") " + experiment.error().text(), path});
  variant.experiment = std::move(*experiment);
  // In full, as the run's own config will have it: the two are compared when a sweep goes on.
  variant.experiment.model = completed(variant.experiment.model, modelCatalogue());
  return variant;
}

std::vector<SweepVariant> readVariants(const Json& json, const Json& base) {
  std::vector<SweepVariant> variants;
  if (json.contains("mechanisms")) {
    if (json.contains("variants"))
      refuse("stands beside \"variants\"; give one of the two", "mechanisms");
    const Json& names = listAt(json, "mechanisms", kMaxVariants);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string path = at("mechanisms", i);
      if (!names[i].is_string()) refuse("must be the name of a mechanism", path);
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
      refuse("must be a name that a folder can have: no slash, no dot in front", path + ".name");
    if (isOutputName(name))
      refuse("is the name of a file that the sweep writes; choose another", path + ".name");
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
      refuse("\"" + variants[i].name + "\" is there twice; every variant needs a name of its own",
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
      refuse(std::to_string(seed) + " is there twice: it would be the same run", at("seeds", i));
    seeds.push_back(seed);
  }
  return seeds;
}

SweepPlan planOf(const Json& json, const std::filesystem::path& folder, const ChangeBase& change) {
  checkKeys(json, {"name", "about", "recipe", "base", "variants", "mechanisms", "seeds"}, "");
  SweepPlan plan;
  plan.name = textAt(json, "name", plan.name);
  plan.about = textAt(json, "about", "");
  std::string baseName;
  Json base = withRecipe(textAt(json, "recipe", ""), readBase(json, folder, baseName));
  if (change) change(base);
  if (auto read = experimentFromJson(base, modelCatalogue()); !read)
    throw Failure({read.error().code, read.error().text(), baseName});
  plan.seeds = readSeeds(json);
  plan.variants = readVariants(json, base);
  refuseTwins(plan.variants, json.contains("mechanisms"));
  return plan;
}

}  // namespace

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

Result<SweepPlan> readSweep(const std::filesystem::path& path, const ChangeBase& change) {
  const auto text = readFile(path, kMaxSweepBytes);
  if (!text) return text.error();
  return sweepFromText(*text, path.string(), path.parent_path(), change);
}

}  // namespace headlight
