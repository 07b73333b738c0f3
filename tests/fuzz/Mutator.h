// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Random damage to real files, the same for the same seed everywhere.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <unordered_map>

namespace headlight::fuzz {

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : m_random(seed) {}

  /// Uniform in {0, …, count − 1}; 0 for none.
  std::size_t below(std::size_t count) { return count == 0 ? 0 : m_random() % count; }

  /// One to four of: a flipped bit, another byte, a telling number, a range that is gone, doubled
  /// or from `other`, the end cut off, a character of JSON or an instruction of pickle.
  std::string mutate(std::string bytes, const std::string& other);
  /// As mutate, but as often a number within the text becomes one that nobody expects.
  std::string mutateText(std::string text, const std::string& other);
  /// Still JSON: one to three values become something else, go, or come twice. Text that is no JSON
  /// is mutated as text.
  std::string mutateJson(const std::string& text, const std::string& other);

 private:
  using Json = nlohmann::ordered_json;

  /// Of the same few texts over and over, so each is parsed once.
  const Json& parsed(const std::string& text);
  std::size_t place(const std::string& bytes);
  void overwrite(std::string& bytes, std::uint64_t value, std::size_t size);
  void mutateOnce(std::string& bytes, const std::string& other);
  void replaceNumber(std::string& text);
  Json& anyNode(Json& root);
  Json oddValue(const Json& former, const Json& other);
  void mutateNode(Json& root, const Json& other);

  std::mt19937_64 m_random;
  std::unordered_map<std::string, Json> m_parsed;
};

}  // namespace headlight::fuzz
