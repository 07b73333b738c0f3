// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/Result.h"

#include <algorithm>
#include <filesystem>

#include "core/base/Utf8.h"

namespace headlight {

std::string Error::text() const {
  return fitForLine(where.empty() ? message : where + ": " + message);
}

Failure::Failure(Error error) : std::runtime_error(error.text()), m_error(std::move(error)) {}

Failure::Failure(const Failure& other) = default;
Failure& Failure::operator=(const Failure& other) = default;
Failure::~Failure() = default;

namespace {

/// Removes what begins with `begin` and ends with `end`, and what of `behind` follows it.
void cutOut(std::string& text, const std::string& begin, const std::string& end,
            const char* behind) {
  const auto from = text.find(begin);
  const auto to = from == std::string::npos ? from : text.find(end, from + begin.size());
  if (to == std::string::npos) return;
  text.erase(from, std::min(text.find_first_not_of(behind, to + end.size()), text.size()) - from);
}

}  // namespace

std::string failureMessage(const std::exception& exception) {
  if (const auto* refusal = dynamic_cast<const std::filesystem::filesystem_error*>(&exception))
    return "could not use " + refusal->path1().string() + ": " + refusal->code().message() +
           "; check the path";
  std::string text = exception.what();
  for (const char* stack : {"Exception raised from ", "frame #0"})
    text.resize(std::min(text.find(stack), text.size()));
  if (text.find("DefaultCPUAllocator") != std::string::npos) return "not enough memory for this";
  // Places in LibTorch's sources.
  cutOut(text, "[enforce fail at ", "]", " .");
  cutOut(text, " at \"", "\":", "0123456789");
  cutOut(text, "[json.exception.", "]", " ");  // the library's own numbers
  text.erase(text.find_last_not_of(" \n\t") + 1);
  return text.empty() ? "internal error" : text;
}

}  // namespace headlight
