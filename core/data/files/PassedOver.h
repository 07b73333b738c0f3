// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Files that lie among images and are not read, counted by kind: the end of the name, as people
// speak of files. What is passed over is said, never silent.

#include <cstdint>
#include <map>
#include <string>

namespace headlight {

class PassedOver {
 public:
  /// A file of this name, or `count` files of the kind that kindOf() gives.
  void addFile(const std::string& name) { add(kindOf(name), 1); }
  void add(const std::string& kind, std::int64_t count);

  /// ".gif"; "others" where a name has no end of a plain kind.
  static std::string kindOf(const std::string& name);
  /// Whether kindOf() can have given it.
  static bool isKind(const std::string& kind);

  std::int64_t count() const;
  const std::map<std::string, std::int64_t>& kinds() const { return m_kinds; }
  /// "36 files are not read (18 .gif, 18 .heic); save …"; empty where there are none.
  std::string text() const;

 private:
  std::map<std::string, std::int64_t> m_kinds;
};

}  // namespace headlight
