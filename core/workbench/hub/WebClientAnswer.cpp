// SPDX-License-Identifier: GPL-3.0-or-later

// WebClient.h: what an answer's headers say.

#include <charconv>

#include "core/workbench/hub/WebClient.h"

namespace headlight {

std::string WebAnswer::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

std::int64_t WebAnswer::count(const std::string& name) const {
  const std::string text = header(name);
  std::int64_t value = -1;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  return problem == std::errc() && stop == end && value >= 0 ? value : -1;
}

}  // namespace headlight
