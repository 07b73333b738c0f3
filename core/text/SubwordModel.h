// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A word as tokens. Internal to core/text.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/config/Parameter.h"

namespace headlight {

class SubwordModel {
 public:
  virtual ~SubwordModel() = default;

  /// Appends the tokens of a word in UTF-8, which is not empty. Throws Failure(InvalidArgument) for
  /// a character that the vocabulary lacks, if it has no token for unknown ones.
  virtual void encode(const std::string& word, std::vector<std::int64_t>& ids) const = 0;
  virtual std::optional<std::int64_t> find(const std::string& token) const = 0;
  virtual const char* kind() const = 0;  ///< "BPE"
};

/// Of a vocabulary, and of merges.
constexpr std::size_t kMostTokens = 1'000'000;
/// From 0; above, no embedding has a row.
constexpr std::int64_t kLargestToken = 10'000'000;

/// A token's number in a file. Throws Failure(InvalidFile).
std::int64_t tokenNumber(const Json& json, const std::string& where);
/// Throws Failure(InvalidArgument).
[[noreturn]] void failUnknown(std::string_view character);

/// `json`: "model" of a tokenizer.json. Throw Failure: UnsupportedFile that names what is not
/// supported; InvalidFile, InvalidConfig.
std::unique_ptr<SubwordModel> makeBytePairs(const Json& json, const std::string& where);
std::unique_ptr<SubwordModel> makeUnigram(const Json& json, const std::string& where);
/// By its type.
std::unique_ptr<SubwordModel> makeSubwordModel(const Json& json, const std::string& where);

}  // namespace headlight
