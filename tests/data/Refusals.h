// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Why data is not opened.

#include <string>

#include "core/data/Dataset.h"

namespace headlight {

/// Empty where it is opened.
inline std::string refusal(const DatasetSpec& spec, Split split = Split::Train) {
  const auto dataset = openDataset(spec, split);
  return dataset.ok() ? "" : dataset.error().text();
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace headlight
