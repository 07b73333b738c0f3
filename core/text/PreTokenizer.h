// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How a tokenizer splits a text into words: "pre_tokenizer" of a tokenizer.json. Internal to
// core/text.

#include <functional>
#include <string>
#include <vector>

#include "core/config/Parameter.h"

namespace headlight {

/// CLIP's Split followed by ByteLevel, Metaspace, WhitespaceSplit, and sequences of these.
class PreTokenizer {
 public:
  /// Throws Failure: UnsupportedFile that names the kind, for any other; InvalidFile.
  PreTokenizer(const Json& json, const std::string& where);

  std::vector<std::string> split(const std::string& text) const;

 private:
  using Step = std::function<void(const std::string& piece, std::vector<std::string>& pieces)>;
  void add(const Json& json, const std::string& where);
  void addSplit(const Json& json, const std::string& where);
  void addBytes(const Json& json, const std::string& where);
  void addMetaspace(const Json& json, const std::string& where);

  std::vector<Step> m_steps;
  bool m_clipWords = false;
};

}  // namespace headlight
