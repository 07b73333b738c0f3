// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a tokenizer does to a text before it is split: "normalizer" of a tokenizer.json. Internal to
// core/text.

#include <functional>
#include <string>
#include <vector>

#include "core/config/Parameter.h"

namespace headlight {

/// Lowercase, NFC, Strip, Replace, Prepend, Precompiled, and sequences of these.
class Normalizer {
 public:
  /// Throws Failure: UnsupportedFile that names the kind, for any other; InvalidFile.
  Normalizer(const Json& json, const std::string& where);

  /// Of UTF-8. Throws Failure(InvalidArgument) for characters that form C would put together, which
  /// nothing here does.
  std::string normalized(std::string text) const;

 private:
  using Step = std::function<std::string(const std::string&)>;
  void add(const Json& json, const std::string& where);
  void addReplacement(const Json& json, const std::string& where);

  std::vector<Step> m_steps;
};

}  // namespace headlight
