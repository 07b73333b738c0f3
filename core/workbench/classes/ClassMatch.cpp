// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/classes/ClassMatch.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/classes/ClassMap.h"
#include "core/workbench/classes/NameIndex.h"

namespace headlight {
namespace {

constexpr const char* kMisfitPlace = "data";
constexpr std::size_t kNamed = 3;  // classes in a message

using Names = std::vector<std::string>;

/// Why classes cannot be matched, and what to do.
struct Misfit {
  std::string reason, remedy;
};

[[noreturn]] void refuseMatch(const std::string& reason, const std::string& remedy) {
  throw Misfit{reason, remedy};
}

[[noreturn]] void refuseMatch(const std::string& reason) {
  refuseMatch(reason, tr("; match them by number (--match index), map each class in a file "
                         "(--class-map FILE), or train a new head on the data (train --weights)"));
}

Error errorFor(const Misfit& misfit, const std::string& remedy) {
  return {ErrorCode::InvalidArgument, misfit.reason + (remedy.empty() ? misfit.remedy : remedy),
          kMisfitPlace};
}

std::string quoted(const std::string& name) {
  return "\"" + name + "\"";
}

std::string classesText(std::size_t count) {
  return countText(static_cast<std::int64_t>(count), "class", "classes");
}

std::string namedText(const Names& names) {
  Names some;
  for (std::size_t i = 0; i < std::min(names.size(), kNamed + 1); ++i)
    some.push_back(quoted(names[i]));
  some.resize(names.size());  // the rest is counted alone
  return joined(some, kNamed);
}

/// 'class 134 "crane"'.
std::string classText(const ModelClasses& model, std::int64_t index) {
  const auto place = static_cast<std::size_t>(index);
  return "class " + std::to_string(index) +
         (place < model.names.size() ? " " + quoted(model.names[place]) : std::string());
}

std::string modelText(const ModelClasses& model) {
  return namedText(model.names) +
         (model.from == ClassNamesFrom::ImageNet ? ": ImageNet-1k's, assumed" : "");
}

/// Classes "0", "1", … in this order: numbers, and no names.
bool areNumbers(const Names& data) {
  for (std::size_t i = 0; i < data.size(); ++i)
    if (data[i] != std::to_string(i)) return false;
  return !data.empty();
}

bool isNumber(const std::string& name) {
  return !name.empty() && name.size() < 10 &&
         std::all_of(name.begin(), name.end(), [](char c) { return '0' <= c && c <= '9'; });
}

/// Folders "1" to "10" are the classes 0 to 9 by their places: nobody can know which is meant.
void requireNoOtherNumbers(const Names& data) {
  if (areNumbers(data) || !std::all_of(data.begin(), data.end(), isNumber)) return;
  for (std::size_t i = 0; i < data.size(); ++i)
    if (std::stoll(data[i]) != static_cast<long long>(i))
      refuseMatch(tr("the data's class ") + quoted(data[i]) + tr(" is number ") +
                      std::to_string(i) +
                      tr(" in its folder, so matching by number would contradict its name"),
                  tr("; map each class to the model's in a file (--class-map FILE)"));
}

void requireRoom(const Names& data, const ModelClasses& model) {
  if (data.size() > static_cast<std::size_t>(model.count))
    refuseMatch(tr("the data has ") + classesText(data.size()) + tr(", the model ") +
                    std::to_string(model.count),
                tr("; choose data that fits the model, map the classes in a file (--class-map "
                   "FILE), or train a new head on the data (train --weights)"));
}

/// "by number, as requested: "cat" is class 0 "tench", …".
ClassMatch byNumberOnPurpose(const Names& data, const ModelClasses& model) {
  requireRoom(data, model);
  requireNoOtherNumbers(data);
  Names pairs;
  for (std::size_t i = 0; i < std::min(data.size(), kNamed); ++i)
    pairs.push_back(quoted(data[i]) + " is " + classText(model, static_cast<std::int64_t>(i)));
  pairs.resize(data.size());
  return {{}, ClassMatch::By::Number, "by number, as requested: " + joined(pairs, kNamed)};
}

ClassMatch byNumberForWantOfNames(const Names& data, const ModelClasses& model, const char* why) {
  requireRoom(data, model);
  if (static_cast<int>(data.size()) != model.count)
    refuseMatch(std::string(why) + tr(", and it has ") + std::to_string(model.count) +
                tr(" of them and the data ") + std::to_string(data.size()) + " (" +
                namedText(data) + ")");
  return {{}, ClassMatch::By::Number, std::string("by number: ") + why};
}

/// The classes that a map gives, and what is left to be matched by name.
class Matcher {
 public:
  Matcher(const Names& data, const ModelClasses& model)
      : m_data(data), m_model(model), m_names(model.names, model.keys) {}

  /// Entries of folders that the data lacks are read all the same: a mistake in one is said.
  void takeMap(const ClassMap& map) {
    std::unordered_map<std::string, std::int64_t> given;
    for (const ClassMapEntry& entry : map.entries)
      given[entry.folder] = classOf(entry, map.where);
    std::size_t used = 0;
    m_given.assign(m_data.size(), std::nullopt);
    for (std::size_t i = 0; i < m_data.size(); ++i)
      if (const auto found = given.find(m_data[i]); found != given.end()) {
        m_given[i] = found->second;
        ++used;
      }
    if (used == 0)
      throw Failure({ErrorCode::InvalidArgument,
                     tr("matches no class of the data (") + namedText(m_data) +
                         tr("); write the exact folder names, one per line"),
                     map.where});
    m_unused = map.entries.size() - used;
  }

  ClassMatch match(bool byNumber) {
    ClassMatch result;
    Names unknown;
    for (std::size_t i = 0; i < m_data.size(); ++i) {
      const auto index = m_given.empty() ? std::nullopt : m_given[i];
      const std::int64_t found = index ? *index : byNumber ? numbered(i) : named(m_data[i]);
      if (found < 0) unknown.push_back(m_data[i]);
      result.order.push_back(found);
    }
    if (!unknown.empty()) refuseUnknown(unknown);
    requireApart(result.order);
    result.by = m_given.empty() ? ClassMatch::By::Name : ClassMatch::By::Map;
    result.text = textOf(result.order, byNumber);
    return result;
  }

 private:
  std::int64_t numbered(std::size_t place) const {
    return place < static_cast<std::size_t>(m_model.count) ? static_cast<std::int64_t>(place) : -1;
  }

  std::int64_t classOf(const ClassMapEntry& entry, const std::string& where) const {
    const auto refuse = [&](const std::string& what) {
      throw Failure({ErrorCode::InvalidFile, what + " (" + entry.place + ")", where});
    };
    const auto found = entry.name.empty() ? std::vector<int>() : m_names.find(entry.name);
    const bool inRange = entry.index && *entry.index < m_model.count;
    if (found.size() > 1)
      refuse("gives " + quoted(entry.folder) + tr(" the class ") + quoted(entry.name) +
             tr(", which may be ") + eitherText(found) + tr("; give the index"));
    if (found.size() == 1 && inRange && *entry.index != found.front())
      refuse("gives " + quoted(entry.folder) + tr(" the class ") + quoted(entry.name) +
             tr(", which is the name of ") + classText(m_model, found.front()) +
             tr(" and the index of another; write the map as JSON, where \"7\" is a name and 7 an "
                "index"));
    if (!found.empty()) return found.front();
    if (!entry.index)
      refuse("gives " + quoted(entry.folder) + tr(" the class ") + quoted(entry.name) +
             tr(", which the model does not have; give one of its class names or an index below ") +
             std::to_string(m_model.count));
    if (!inRange)
      refuse("gives " + quoted(entry.folder) + tr(" the class ") + std::to_string(*entry.index) +
             tr("; the model's are 0 to ") + std::to_string(m_model.count - 1));
    return *entry.index;
  }

  std::string eitherText(const std::vector<int>& classes) const {
    return classText(m_model, classes[0]) + " or " + classText(m_model, classes[1]);
  }

  std::int64_t named(const std::string& name) const {
    const auto found = m_names.find(name);
    if (found.size() > 1)
      refuseMatch(
          tr("the data's class ") + quoted(name) + tr(" may be the model's ") + eitherText(found),
          tr("; choose one by its index in a file (--class-map FILE)"));
    return found.empty() ? -1 : found.front();
  }

  [[noreturn]] void refuseUnknown(const Names& unknown) const {
    if (m_names.empty())
      refuseMatch(tr("the model has no class names, and the class map lacks ") +
                  namedText(unknown));
    const bool none = unknown.size() == m_data.size();
    refuseMatch((none ? tr("no class of the data (") : tr("the model has no such classes: ")) +
                namedText(unknown) + (none ? tr(") is one of the model's (") : tr(" (it has ")) +
                modelText(m_model) + ")");
  }

  /// Two folders may only be one class where a map says so.
  void requireApart(const std::vector<std::int64_t>& order) const {
    std::unordered_map<std::int64_t, std::size_t> first;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto [known, isNew] = first.emplace(order[i], i);
      const auto given = [&](std::size_t place) { return !m_given.empty() && m_given[place]; };
      if (isNew || (given(i) && given(known->second))) continue;
      refuseMatch(tr("the data's classes ") + quoted(m_data[known->second]) + " and " +
                      quoted(m_data[i]) + tr(" are both the model's ") +
                      classText(m_model, order[i]),
                  tr("; merge the folders, or map each class in a file (--class-map FILE)"));
    }
  }

  std::string textOf(std::vector<std::int64_t> order, bool byNumber) const {
    std::string text;
    if (!m_given.empty()) {
      const auto given = m_data.size() - static_cast<std::size_t>(std::count(
                                             m_given.begin(), m_given.end(), std::nullopt));
      text = "by the class map: " + std::to_string(given) + " of the data's " +
             classesText(m_data.size());
      if (given < m_data.size())
        text += byNumber ? ", the others by number" : ", the others by name";
      if (m_unused > 0) text += "; " + std::to_string(m_unused) + " of its lines match no folder";
    }
    std::sort(order.begin(), order.end());
    const auto distinct = std::unique(order.begin(), order.end()) - order.begin();
    if (const auto left = m_model.count - distinct; left > 0)
      addTo(text,
            (m_given.empty() ? "by name: " : "") + std::to_string(left) + " of the model's " +
                std::to_string(m_model.count) +
                " classes are not in the data, but can still be predicted",
            "; ");
    return text;
  }

  const Names& m_data;
  const ModelClasses& m_model;
  NameIndex m_names;
  std::vector<std::optional<std::int64_t>> m_given;  ///< of each class of the data; empty: no map
  std::size_t m_unused = 0;
};

ClassMatch matched(const Names& data, const ModelClasses& model, const ClassMatching& how) {
  const bool byNumber = how.match == "index";
  if (!how.classMap.empty()) {
    if (byNumber) requireNoOtherNumbers(data);
    Matcher matcher(data, model);
    matcher.takeMap(valueOrThrow(readClassMap(how.classMap)));
    return matcher.match(byNumber);
  }
  const bool same = !data.empty() && (data == model.names || data == model.keys);
  if (same) return {};
  if (byNumber) return byNumberOnPurpose(data, model);
  const bool named = !model.names.empty() || !model.keys.empty();
  if (!named && how.match == "name")
    refuseMatch(tr("the model has no class names to match by"),
                tr("; give names with --class-names FILE, or match by number (--match index)"));
  if (!named)
    return byNumberForWantOfNames(
        data, model,
        model.fromFile ? "the checkpoint has no class names" : "the model has no class names");
  // Labels of shards are numbers. Assumed names say nothing against them.
  if (model.from == ClassNamesFrom::ImageNet && how.match == "auto" && areNumbers(data) &&
      static_cast<int>(data.size()) == model.count)
    return {{}, ClassMatch::By::Number, "by number: the data's class names are numbers"};
  return Matcher(data, model).match(false);
}

}  // namespace

bool isClassMisfit(const Error& error) {
  return error.code == ErrorCode::InvalidArgument && error.where == kMisfitPlace;
}

Result<ClassMatch> matchClasses(const std::vector<std::string>& data, const ModelClasses& model,
                                const ClassMatching& how, const std::string& remedy) {
  return guarded(kMisfitPlace, [&] {
    try {
      return matched(data, model, how);
    } catch (const Misfit& misfit) {
      throw Failure(errorFor(misfit, remedy));
    }
  });
}

}  // namespace headlight
