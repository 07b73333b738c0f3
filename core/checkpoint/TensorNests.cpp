// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/TensorNests.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <tuple>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/checkpoint/Refusal.h"

namespace headlight {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMostInRefusal = 8;

constexpr std::array kAverages{"ema"sv, "teacher"sv, "average"sv, "averaged"sv, "avg"sv,
                               "swa"sv, "target"sv,  "shadow"sv,  "polyak"sv};
constexpr std::array kCopies{"student"sv,  "momentum"sv, "key"sv,  "k"sv,      "prev"sv,
                             "previous"sv, "old"sv,      "init"sv, "initial"sv};
constexpr std::array kStates{"optimizer"sv, "optimizers"sv, "optim"sv,     "opt"sv,
                             "scheduler"sv, "grad"sv,       "gradients"sv, "exp"sv};
/// Of dictionaries that are alike otherwise the first of these, then what has another name.
constexpr std::array kPreferred{"state_dict_ema"sv, "model_ema"sv, "state_dict"sv, "model"sv};

/// "model_ema.module." → "model", "ema", "module"
std::vector<std::string> wordsOf(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char letter : lowered(name)) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0)
      words.back() += letter;
    else if (!words.back().empty())
      words.emplace_back();
  }
  return words;
}

template <std::size_t size>
bool hasWord(const std::vector<std::string>& words, const std::array<std::string_view, size>& of) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(of.begin(), of.end(), word) != of.end();
  });
}

int rankOfName(const std::string& name) {
  const auto words = wordsOf(name);
  if (hasWord(words, kStates)) return 3;
  if (hasWord(words, kAverages)) return 0;
  return hasWord(words, kCopies) ? 2 : 1;
}

int preference(const std::string& path) {
  const auto found = std::find(kPreferred.begin(), kPreferred.end(), path);
  return static_cast<int>(found - kPreferred.begin());
}

/// Less is better.
auto orderOf(const NestedModel& model, const std::vector<TensorNest>& nests) {
  const TensorNest& nest = nests[model.nest];
  // Of what is not known the file's own tensors come before dictionaries of unknown names, and of
  // those the largest.
  const bool unlikely = !model.known && !nest.path.empty();
  const std::int64_t fewer = unlikely ? -static_cast<std::int64_t>(nest.names.size()) : 0;
  return std::tuple(rankOfName(nest.path + "." + model.prefix), preference(nest.path), unlikely,
                    fewer, model.nest, model.prefix.size());
}

/// Whether `part` is some of the parts of `name` that follow each other.
bool hasPart(const std::string& name, const std::string& part) {
  return ("." + name + ".").find("." + part + ".") != std::string::npos;
}

bool isCalled(const NestedModel& model, const std::vector<TensorNest>& nests,
              const std::string& take) {
  return nests[model.nest].path == take || hasPart(model.nameIn(nests), take);
}

void erasePart(std::string& name, std::string_view part) {
  for (auto at = name.find(part); at != std::string::npos; at = name.find(part, at))
    if (at == 0 || name[at - 1] == '.')
      name.erase(at, part.size());
    else
      at += part.size();
}

}  // namespace

std::string NestedModel::nameIn(const std::vector<TensorNest>& nests) const {
  std::string name = nests[nest].path;
  if (!prefix.empty()) addTo(name, prefix.substr(0, prefix.size() - 1), ".");
  return name.empty() ? kTopOfFile : name;
}

std::vector<NestedModel> rankNests(const std::vector<TensorNest>& nests,
                                   const std::vector<KnownNames>& families) {
  std::vector<NestedModel> ranked;
  for (std::size_t i = 0; i < nests.size(); ++i)
    for (const std::string& prefix : knownPrefixes(nests[i].names, families))
      ranked.push_back({i, prefix, true});
  const bool known = !ranked.empty();
  for (std::size_t i = 0; !known && i < nests.size(); ++i)
    ranked.push_back({i, "", false});
  std::stable_sort(ranked.begin(), ranked.end(), [&](const auto& a, const auto& b) {
    return orderOf(a, nests) < orderOf(b, nests);
  });
  return ranked;
}

const NestedModel& chooseNest(const std::vector<NestedModel>& ranked,
                              const std::vector<TensorNest>& nests, const std::string& take,
                              const std::string& where) {
  if (take.empty()) return ranked.front();
  for (const NestedModel& model : ranked)
    if (model.nameIn(nests) == take) return model;
  for (const NestedModel& model : ranked)
    if (isCalled(model, nests, take)) return model;
  std::vector<std::string> names;
  for (const NestedModel& model : ranked)
    names.push_back(inQuotes(model.nameIn(nests)));
  refuse(where,
         tr("holds nothing called ") + inQuotes(take) + tr("; it holds ") +
             joined(names, kMostInRefusal),
         ErrorCode::InvalidArgument);
}

bool isAverage(const std::string& name) {
  return rankOfName(name) == 0;
}

std::string withoutWrappers(std::string name) {
  for (const auto part :
       {"_orig_mod."sv, "_fsdp_wrapped_module."sv, "_checkpoint_wrapped_module."sv})
    erasePart(name, part);
  return name;
}

std::string withoutOuterWrappers(std::string name) {
  name = withoutWrappers(std::move(name));
  while (name.starts_with("module."))
    name.erase(0, "module."sv.size());
  return name;
}

}  // namespace headlight
