// SPDX-License-Identifier: GPL-3.0-or-later

// SweepDesign.h: sweep files of factors.

#include "core/workbench/sweeps/SweepDesign.h"

#include <algorithm>
#include <charconv>

#include "core/config/ConfigText.h"
#include "core/config/MasksJson.h"
#include "core/workbench/sweeps/SweepOverrides.h"

namespace headlight {
namespace {

constexpr std::size_t kMostCombinations = 1000, kMostDesignSeeds = 1000, kLongestLabel = 60;

Error notDesigned(const std::string& message, const std::string& where) {
  return {ErrorCode::InvalidArgument, message, where};
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\n");
  return first == std::string::npos
             ? ""
             : text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

/// Cut at commas outside of quotes and brackets, without the blanks around.
std::vector<std::string> listedValues(const std::string& text) {
  std::vector<std::string> values{""};
  bool quoted = false;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    if (!quoted && (letter == '[' || letter == '{')) ++depth;
    if (!quoted && (letter == ']' || letter == '}')) --depth;
    if (letter == ',' && !quoted && depth <= 0)
      values.emplace_back();
    else
      values.back() += letter;
  }
  for (std::string& value : values)
    value = trimmed(value);
  return values;
}

Json valueFrom(const std::string& text) {
  Json value = jsonOrDiscarded(text);
  return value.is_discarded() || value.is_null() ? Json(text) : value;
}

/// The most of `text` that is at most `most` bytes and cuts no letter.
std::size_t wholeLetters(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text.size();
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80)
    --most;
  return most;
}

/// A part of a folder's name: what a folder cannot have becomes a dash.
std::string asLabel(std::string text) {
  for (char& letter : text)
    if (letter == '/' || letter == '\\' || static_cast<unsigned char>(letter) < ' ') letter = '-';
  return text.substr(0, wholeLetters(text, kLongestLabel));
}

/// A name says itself; a number needs what it counts.
std::string labelOf(const std::string& path, const Json& value) {
  if (value.is_string()) return asLabel(value.get<std::string>());
  const std::string parameter = path.substr(path.rfind('.') + 1);
  return asLabel(parameter + " " + value.dump());
}

Result<void> requireDistinct(const SweepFactor& factor) {
  for (std::size_t i = 0; i < factor.choices.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (factor.choices[i].value == factor.choices[j].value)
        return notDesigned(factor.choices[i].value.dump() + " is given twice", factor.path);
  return {};
}

Result<MaskConfig> schemeCalled(const std::string& name, const SchemeLibrary& shelf) {
  if (isMaskPreset(name)) {
    const auto colon = name.find(':');
    MaskConfig preset;
    preset.scheme = name.substr(0, colon);
    if (colon == std::string::npos) return preset;
    const auto mask = headMaskFromText("hard" + name.substr(colon));
    if (!mask) return mask.error();
    if (!mask->region.isPlain())
      return notDesigned("a preset takes an odd window alone, such as sch2:5", name);
    preset.window = mask->window;
    return preset;
  }
  return shelf.has(name) ? shelf.read(name) : masksIn(name);
}

Result<void> requireFactors(const std::vector<SweepFactor>& factors) {
  if (factors.empty())
    return notDesigned("nothing varies; choose a setting and its values", "vary");
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      if (factors[j].path == factors[i].path)
        return notDesigned("is varied twice; give all its values at once", factors[i].path);
    combinations *= factors[i].choices.size();
    if (combinations > kMostCombinations)
      return notDesigned(
          "more than " + std::to_string(kMostCombinations) + " combinations; remove some values",
          "vary");
  }
  return {};
}

bool isVaried(const SweepFactor& factor) {
  return factor.choices.size() > 1;
}

Json variantOf(const std::vector<SweepFactor>& factors, std::size_t combination) {
  const bool any = std::any_of(factors.begin(), factors.end(), isVaried);
  std::string name;
  Json overrides = Json::object();
  std::size_t rest = combination;
  for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor) {
    const auto& choice = factor->choices[rest % factor->choices.size()];
    rest /= factor->choices.size();
    if (isVaried(*factor) || !any) name = name.empty() ? choice.label : choice.label + ", " + name;
    overrides[factor->path] = choice.value;
  }
  return {{"name", name}, {"overrides", overrides}};
}

bool readSeed(const std::string& text, std::int64_t& seed) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  return error == std::errc() && end == text.data() + text.size() && seed >= 0;
}

}  // namespace

Result<SweepFactor> sweepFactor(const std::string& path, const std::string& values) {
  SweepFactor factor{trimmed(path), {}};
  if (factor.path.empty())
    return notDesigned("must be PATH=VALUE,VALUE: \"data.fraction=0.1,0.3\"", path + "=" + values);
  for (const std::string& text : listedValues(values)) {
    if (text.empty()) return notDesigned("has no value, or an empty one", factor.path);
    const Json value = valueFrom(text);
    factor.choices.push_back({labelOf(factor.path, value), value});
  }
  if (const auto distinct = requireDistinct(factor); !distinct) return distinct.error();
  if (factor.path == "masks")
    return schemeFactor(listedValues(values), SchemeLibrary(SchemeLibrary::defaultFolder()));
  return factor;
}

Result<SweepFactor> sweepFactor(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos) return sweepFactor("", text);
  return sweepFactor(text.substr(0, equals), text.substr(equals + 1));
}

Result<SweepFactor> schemeFactor(const std::vector<std::string>& names,
                                 const SchemeLibrary& shelf) {
  SweepFactor factor{"masks", {}};
  if (names.empty()) return notDesigned("no scheme is chosen", "masks");
  for (const std::string& name : names) {
    auto masks = schemeCalled(name, shelf);
    if (!masks) return masks.error();
    const std::string label = std::filesystem::path(name).stem().string();
    factor.choices.push_back({asLabel(shelf.has(name) ? name : label), maskConfigToJson(*masks)});
  }
  if (const auto distinct = requireDistinct(factor); !distinct) return distinct.error();
  return factor;
}

Result<SweepPlan> withSeeds(const SweepPlan& plan, const std::vector<std::int64_t>& seeds) {
  Json file = jsonOrDiscarded(plan.file);
  if (!file.is_object()) return notDesigned("this sweep has no file to change", plan.name);
  file["seeds"] = seeds;
  return sweepFromText(file.dump(), plan.name, {});
}

Result<void> setFactor(Json& base, const SweepFactor& factor) {
  const auto set = guarded("", [&] {
    applyOverrides(base, Json{{factor.path, factor.choices.front().value}}, "settings");
  });
  if (!set) return Error{set.error().code, set.error().message, factor.path};
  return {};
}

Result<std::vector<std::int64_t>> seedsFromText(const std::string& text) {
  std::vector<std::int64_t> seeds;
  const auto refused =
      notDesigned("must be whole numbers of at least 0: \"0,1,2\" or \"0-4\"", "seeds");
  for (const std::string& part : listedValues(text)) {
    const auto dash = part.find('-');
    std::int64_t first = 0, last = 0;
    if (!readSeed(part.substr(0, dash), first)) return refused;
    last = first;
    if (dash != std::string::npos && !readSeed(part.substr(dash + 1), last)) return refused;
    if (last < first || last - first >= static_cast<std::int64_t>(kMostDesignSeeds)) return refused;
    for (std::int64_t seed = first; seed <= last; ++seed)
      if (std::find(seeds.begin(), seeds.end(), seed) == seeds.end()) seeds.push_back(seed);
  }
  if (seeds.size() > kMostDesignSeeds) return refused;
  return seeds;
}

Result<Json> sweepFile(const std::string& name, const Json& base,
                       const std::vector<SweepFactor>& factors,
                       const std::vector<std::int64_t>& seeds) {
  if (const auto checked = requireFactors(factors); !checked) return checked.error();
  std::size_t combinations = 1;
  for (const SweepFactor& factor : factors)
    combinations *= factor.choices.size();
  Json variants = Json::array();
  for (std::size_t i = 0; i < combinations; ++i)
    variants.push_back(variantOf(factors, i));
  return Json{{"name", name}, {"base", base}, {"variants", variants}, {"seeds", seeds}};
}

}  // namespace headlight
