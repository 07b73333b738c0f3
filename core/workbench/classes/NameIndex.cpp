// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/classes/NameIndex.h"

#include <algorithm>
#include <set>

#include "core/workbench/classes/ClassNames.h"

namespace headlight {
namespace {

constexpr std::size_t kSynsetLength = 9;  // "n01440764"

bool isSeparator(char letter) {
  return letter == ' ' || letter == '_' || letter == '-' || letter == '\t';
}

std::vector<std::string> synonymsIn(std::string_view name) {
  std::vector<std::string> synonyms;
  while (true) {
    const auto comma = name.find(',');
    if (auto plain = plainName(name.substr(0, comma)); !plain.empty())
      synonyms.push_back(std::move(plain));
    if (comma == name.npos) return synonyms;
    name.remove_prefix(comma + 1);
  }
}

std::vector<int> withoutRepeats(std::vector<int> classes) {
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  return classes;
}

/// The class of ImageNet-1k whose identifier the name is or begins with; −1: none.
int imagenetClassOf(std::string_view name) {
  if (name.size() < kSynsetLength ||
      (name.size() > kSynsetLength && !isSeparator(name[kSynsetLength])))
    return -1;
  const auto& synsets = imagenetSynsets();
  const std::string key = plainName(name.substr(0, kSynsetLength));
  const auto found = std::lower_bound(synsets.begin(), synsets.end(), key);
  return found == synsets.end() || *found != key ? -1 : static_cast<int>(found - synsets.begin());
}

}  // namespace

std::string plainName(std::string_view name) {
  std::string plain;
  for (const char letter : name) {
    if (isSeparator(letter)) {
      if (!plain.empty() && plain.back() != ' ') plain += ' ';
    } else {
      plain += 'A' <= letter && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
  }
  if (plain.ends_with(' ')) plain.pop_back();
  return plain;
}

NameIndex::NameIndex(const std::vector<std::string>& names, const std::vector<std::string>& keys) {
  for (const auto* list : {&names, &keys})
    for (std::size_t i = 0; i < list->size(); ++i) {
      add(m_exact, (*list)[i], static_cast<int>(i));
      addAliases((*list)[i], static_cast<int>(i));
    }
  // A model that calls its classes as ImageNet-1k does has two cranes, which identifiers tell
  // apart.
  if (keys.empty() && names == imagenetNames())
    for (std::size_t i = 0; i < names.size(); ++i)
      add(m_exact, imagenetSynsets()[i], static_cast<int>(i));
}

void NameIndex::add(Classes& classes, const std::string& name, int index) {
  if (name.empty()) return;
  auto& found = classes[name];
  if (found.empty() || found.back() != index) found.push_back(index);
}

void NameIndex::addAliases(const std::string& name, int index) {
  add(m_aliases, plainName(name), index);
  for (const std::string& synonym : synonymsIn(name))
    add(m_aliases, synonym, index);
  const int known = imagenetClassOf(name);
  if (known < 0) return;
  add(m_exact, imagenetSynsets()[known], index);
  add(m_aliases, plainName(imagenetNames()[known]), index);
  for (const std::string& synonym : synonymsIn(imagenetNames()[known]))
    add(m_aliases, synonym, index);
}

std::vector<int> NameIndex::find(const std::string& name) const {
  if (const auto exact = m_exact.find(name); exact != m_exact.end())
    return withoutRepeats(exact->second);
  if (const int known = imagenetClassOf(name); known >= 0) {
    if (const auto own = m_exact.find(imagenetSynsets()[known]); own != m_exact.end())
      return withoutRepeats(own->second);
    return findSynonyms(imagenetNames()[known]);
  }
  return findSynonyms(name);
}

std::vector<int> NameIndex::findSynonyms(const std::string& name) const {
  if (const auto whole = m_aliases.find(plainName(name)); whole != m_aliases.end())
    return withoutRepeats(whole->second);
  std::set<int> all;
  for (const std::string& synonym : synonymsIn(name))
    if (const auto found = m_aliases.find(synonym); found != m_aliases.end())
      all.insert(found->second.begin(), found->second.end());
  return {all.begin(), all.end()};
}

}  // namespace headlight
