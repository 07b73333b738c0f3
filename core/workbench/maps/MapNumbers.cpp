// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/maps/MapNumbers.h"

#include <ATen/ATen.h>

#include <charconv>
#include <cmath>
#include <sstream>

#include "core/base/Translation.h"
#include "core/checkpoint/Refusal.h"
#include "core/config/ConfigText.h"

namespace headlight {
namespace {

constexpr std::size_t kMaxClassNames = 1'000'000;

[[noreturn]] void refuseNumbers(const SafetensorsFile& file, const std::string& key,
                                std::size_t count) {
  refuse(file.name(), inQuotes(key) + tr(" must be ") + std::to_string(count) +
                          (count == 1 ? " number" : tr(" numbers, such as \"14, 14\"")));
}

std::vector<double> numbersInText(const std::string& text) {
  std::vector<double> numbers;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at != end) {
    if (std::string_view("[](),;x \t\r\n").find(*at) != std::string_view::npos) {
      ++at;
      continue;
    }
    double value = 0;
    const auto read = std::from_chars(at, end, value);
    if (read.ec != std::errc()) return {};
    numbers.push_back(value);
    at = read.ptr;
  }
  return numbers;
}

std::vector<double> numbersInTensor(const SafetensorsFile& file, const SafetensorsEntry& entry,
                                    std::size_t count) {
  std::int64_t items = 1;
  for (const std::int64_t size : entry.shape)
    items *= size;
  if (items != static_cast<std::int64_t>(count)) return {};
  const at::Tensor values = file.read(entry).to(at::kDouble).contiguous();
  return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

}  // namespace

std::optional<std::vector<double>> namedNumbers(const SafetensorsFile& file, const std::string& key,
                                                std::size_t count) {
  std::vector<double> numbers;
  const auto& metadata = file.header().metadata;
  if (const SafetensorsEntry* entry = file.find(key))
    numbers = numbersInTensor(file, *entry, count);
  else if (const auto text = metadata.find(key); text != metadata.end())
    numbers = numbersInText(text->second);
  else
    return std::nullopt;
  if (numbers.size() != count) refuseNumbers(file, key, count);
  for (const double number : numbers)
    if (!std::isfinite(number)) refuseNumbers(file, key, count);
  return numbers;
}

std::optional<std::vector<int>> namedWholeNumbers(const SafetensorsFile& file,
                                                  const std::string& key, std::size_t count,
                                                  int least, int most) {
  const auto numbers = namedNumbers(file, key, count);
  if (!numbers) return std::nullopt;
  std::vector<int> whole;
  for (const double number : *numbers) {
    if (number != std::floor(number) || number < least || number > most)
      refuse(file.name(), inQuotes(key) + tr(" must be whole, from ") + std::to_string(least) +
                              " to " + std::to_string(most));
    whole.push_back(static_cast<int>(number));
  }
  return whole;
}

/// One line that begins as a JSON list does is no name.
void requireNoList(const SafetensorsFile& file, const std::string& text) {
  if (!text.starts_with('[') || text.find('\n') != std::string::npos) return;
  const auto json = parseConfigJson(text, file.name());
  refuse(file.name(), tr("\"class_names\" begin like a list, but the text ") +
                          (json ? tr("is not a list") : json.error().message) +
                          tr("; write a list of strings, or one name per line"));
}

std::vector<std::string> namedClasses(const SafetensorsFile& file) {
  const auto& metadata = file.header().metadata;
  const auto text = metadata.find("class_names");
  if (text == metadata.end()) return {};
  std::vector<std::string> names;
  const Json json = jsonOrDiscarded(text->second);
  if (json.is_array()) {
    for (const auto& name : json)
      names.push_back(name.is_string() ? name.get<std::string>() : name.dump());
  } else {
    requireNoList(file, text->second);
    std::istringstream lines(text->second);
    for (std::string line; std::getline(lines, line);)
      if (!line.empty()) names.push_back(line);
  }
  if (names.size() > kMaxClassNames)
    refuse(file.name(),
           tr("\"class_names\" has more than a million names; give one name per logit"));
  return names;
}

}  // namespace headlight
