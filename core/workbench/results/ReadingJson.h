// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reading JSON that may say anything. No torch type here.

#include <string>

#include "core/base/Result.h"
#include "core/config/Parameter.h"

namespace headlight {

/// As guarded(), for a `body` that takes what it expects out of JSON: a key that is missing, or a
/// value of another type, is an InvalidFile.
template <typename Body>
auto readingJson(const std::string& where, Body&& body) {
  return guarded(where, [&] {
    try {
      return body();
    } catch (const Json::exception& problem) {
      throw Failure(
          {ErrorCode::InvalidFile, std::string("has invalid content: ") + problem.what(), where});
    }
  });
}

}  // namespace headlight
