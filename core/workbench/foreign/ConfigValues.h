// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Values of another library's JSON, each with the default that its class has. Internal to
// core/workbench/foreign.

#include <string>
#include <utility>
#include <vector>

#include "core/config/Parameter.h"

namespace headlight {

/// A key that is missing or null has the default. Throws Failure(InvalidConfig) naming the key for
/// values of another type or out of range.
class ConfigValues {
 public:
  /// `json`: an object; `where`: the file, and the path within it.
  ConfigValues(const Json& json, std::string where);

  bool has(const char* key) const;
  int whole(const char* key, int otherwise, int least = 1, int most = 1 << 20) const;
  double number(const char* key, double otherwise) const;
  bool flag(const char* key, bool otherwise) const;
  std::string text(const char* key, const std::string& otherwise) const;
  /// One number for both, or [height, width].
  std::pair<int, int> size(const char* key, std::pair<int, int> otherwise) const;
  /// At most 16 of them.
  std::vector<int> wholes(const char* key, const std::vector<int>& otherwise, int least = 1) const;
  /// Three numbers, or one for all.
  std::vector<double> three(const char* key, const std::vector<double>& otherwise) const;
  /// The object under `key`; an empty one where there is none.
  ConfigValues part(const char* key) const;
  const Json& json() const { return m_json; }
  const std::string& where() const { return m_where; }

  /// Throws Failure(UnsupportedFile): what is there has no counterpart here.
  [[noreturn]] void refuse(const char* key, const std::string& why) const;
  /// Refuses where `key` is not `expected`, which is also its default.
  void requireFlag(const char* key, bool expected) const;

 private:
  const Json* find(const char* key) const;
  [[noreturn]] void fail(const char* key, const std::string& why) const;

  Json m_json;
  std::string m_where;
};

}  // namespace headlight
