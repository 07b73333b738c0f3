// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The names of a model's classes, as people write them.

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headlight {

/// In small letters, spaces for underscores and hyphens, one between words.
std::string plainName(std::string_view name);

/// Finds classes by name: as it is written; else without regard to case, spaces, underscores and
/// hyphens, by one of the synonyms of "tench, Tinca tinca", or by what WordNet's identifier
/// ("n01440764", "n01440764-tench") means in ImageNet-1k.
class NameIndex {
 public:
  /// `names` and `keys` of the same classes; either may be empty.
  NameIndex(const std::vector<std::string>& names, const std::vector<std::string>& keys);

  bool empty() const { return m_exact.empty(); }
  /// The classes that may be meant, ascending: several where the name is ambiguous.
  std::vector<int> find(const std::string& name) const;

 private:
  using Classes = std::unordered_map<std::string, std::vector<int>>;
  static void add(Classes& classes, const std::string& name, int index);
  void addAliases(const std::string& name, int index);
  std::vector<int> findSynonyms(const std::string& name) const;

  Classes m_exact, m_aliases;
};

}  // namespace headlight
