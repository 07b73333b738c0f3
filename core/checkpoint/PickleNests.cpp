// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/PickleNests.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/checkpoint/Refusal.h"

namespace headlight {
namespace {

using Kind = PickleValue::Kind;
using NamedValues = std::vector<std::pair<std::string, const PickleValue*>>;

constexpr int kDeepest = 32;
constexpr std::size_t kMostNests = 4096;
constexpr std::size_t kMostAliases = 8;
/// Values may be shared, so that a small file can hold a tree without end.
constexpr std::size_t kMostVisits = 500'000;

const PickleValue* stateOf(const PickleValue& value) {
  return value.kind == Kind::Husk && !value.items.empty() ? value.items.front() : nullptr;
}

const PickleValue* findIn(const PickleValue* dict, std::string_view key) {
  if (!dict || !dict->isDict()) return nullptr;
  for (std::size_t i = 0; i + 1 < dict->items.size(); i += 2)
    if (dict->items[i]->kind == Kind::String && dict->items[i]->text == key)
      return dict->items[i + 1];
  return nullptr;
}

bool isScript(const PickleValue& value) {
  return value.kind == Kind::Husk && value.text.starts_with("__torch__.") && stateOf(value);
}

bool isModule(const PickleValue& value) {
  return isScript(value) ||
         (findIn(stateOf(value), "_modules") && findIn(stateOf(value), "_parameters"));
}

class NestFinder {
 public:
  explicit NestFinder(std::string where) : m_where(std::move(where)) {}

  PickleNests run(const PickleValue& root) {
    m_root = &root;
    look(root, "", 0);
    return std::move(m_found);
  }

 private:
  /// The dictionary's values whose keys are text. Python writes no key twice.
  NamedValues namedValues(const PickleValue& dict) {
    NamedValues values;
    std::unordered_set<std::string_view> names;
    for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
      if (dict.items[i]->kind != Kind::String) continue;
      const std::string& name = dict.items[i]->text;
      if (!names.insert(name).second)
        refuse(m_where, tr("a dictionary in it has the name ") + inQuotes(name) +
                            tr(" twice: the file is forged"));
      values.emplace_back(name, dict.items[i + 1]);
    }
    return values;
  }

  void visit() {
    if (++m_visits > kMostVisits)
      refuse(m_where, tr("holds more values than can be looked through; in Python, save "
                         "model.state_dict()"));
  }

  static bool mayHold(const PickleValue& value) {
    return value.isDict() || value.kind == Kind::List || value.kind == Kind::Tuple ||
           isModule(value);
  }

  /// Whether anything in it holds tensors.
  bool look(const PickleValue& value, const std::string& path, int depth) {
    if (depth > kDeepest || m_found.nests.size() >= kMostNests) return false;
    if (!m_seen.insert(&value).second) return lookInItself(value, path, depth);
    if (value.isDict()) return lookInDict(value, path, depth);
    if (isModule(value)) return lookInModule(value, path);
    bool found = false;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      visit();
      if (mayHold(*value.items[i]))
        found |=
            look(*value.items[i], (path.empty() ? "" : path + ".") + std::to_string(i), depth + 1);
    }
    return found;
  }

  /// A dictionary may be its own "model".
  bool lookInItself(const PickleValue& value, const std::string& path, int depth) {
    if (&value != m_root || depth != 1 || ++m_aliases > kMostAliases || !value.isDict())
      return false;
    addTensors(namedValues(value), path);
    return true;
  }

  bool lookInDict(const PickleValue& dict, const std::string& path, int depth) {
    const NamedValues values = namedValues(dict);
    const std::size_t place = m_found.nests.size();
    addTensors(values, path);
    const bool tensors = m_found.nests.size() > place;
    bool found = tensors;
    for (const auto& [name, value] : values) {
      visit();
      if (value->kind == Kind::Tensor) continue;
      const std::string inside = path.empty() ? name : path + "." + name;
      const bool held = isPlainName(inside) && mayHold(*value) && look(*value, inside, depth + 1);
      if (!held && (tensors || depth == 0)) addOther(path, name, *value);
      found |= held;
    }
    return found;
  }

  void addOther(const std::string& path, const std::string& name, const PickleValue& value) {
    if (m_found.others.size() < kMostNests)
      m_found.others.push_back({path, name, value.describe()});
  }

  void addTensors(const NamedValues& values, const std::string& path) {
    TensorNest nest{path, {}};
    std::vector<const PickleValue*> tensors;
    for (const auto& [name, value] : values)
      if (value->kind == Kind::Tensor) nest.names.push_back(name), tensors.push_back(value);
    add(std::move(nest), std::move(tensors));
  }

  void add(TensorNest nest, std::vector<const PickleValue*> tensors) {
    if (tensors.empty()) return;
    m_found.nests.push_back(std::move(nest));
    m_found.tensors.push_back(std::move(tensors));
  }

  bool lookInModule(const PickleValue& module, const std::string& path) {
    TensorNest nest{path, {}};
    std::vector<const PickleValue*> tensors;
    collect(module, "", 0, nest.names, tensors);
    const bool found = !tensors.empty();
    m_found.module |= found;
    add(std::move(nest), std::move(tensors));
    return found;
  }

  /// As state_dict() names them; of a TorchScript module every tensor that it holds.
  void collect(const PickleValue& module, const std::string& prefix, int depth,
               std::vector<std::string>& names, std::vector<const PickleValue*>& tensors) {
    if (depth > kDeepest || prefix.size() > kMostPrefix) return;
    const PickleValue* state = stateOf(module);
    if (isScript(module)) return collectIn(*state, prefix, depth, names, tensors);
    for (const char* part : {"_parameters", "_buffers", "_modules"})
      if (const PickleValue* values = findIn(state, part); values && values->isDict())
        collectIn(*values, prefix, depth, names, tensors);
  }

  void collectIn(const PickleValue& values, const std::string& prefix, int depth,
                 std::vector<std::string>& names, std::vector<const PickleValue*>& tensors) {
    for (const auto& [name, value] : namedValues(values)) {
      visit();
      if (value->kind == Kind::Tensor)
        names.push_back(prefix + name), tensors.push_back(value);
      else if (isModule(*value))
        collect(*value, prefix + name + ".", depth + 1, names, tensors);
    }
  }

  static constexpr std::size_t kMostPrefix = 1024;

  std::string m_where;
  const PickleValue* m_root = nullptr;
  std::size_t m_aliases = 0;
  PickleNests m_found;
  std::unordered_set<const PickleValue*> m_seen;
  std::size_t m_visits = 0;
};

}  // namespace

PickleNests findNests(const PickleValue& root, const std::string& where) {
  if (!root.isDict() && root.kind != Kind::List && root.kind != Kind::Tuple && !isModule(root))
    refuse(where,
           "holds " + root.describe() +
               tr(" instead of a dictionary of tensors; in Python, save model.state_dict()"),
           ErrorCode::UnsupportedFile);
  return NestFinder(where).run(root);
}

}  // namespace headlight
