// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The few numbers that a file of maps gives beside its maps, from a tensor or as text of its
// metadata. Throws Failure. Internal.

#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/SafetensorsFile.h"

namespace headlight {

/// `count` finite numbers called `key`: of a tensor, else of the metadata ("14, 14", "[14, 14]",
/// "14x14"). Nothing where there is neither. Error: InvalidFile, other numbers, or not so many.
std::optional<std::vector<double>> namedNumbers(const SafetensorsFile& file, const std::string& key,
                                                std::size_t count);
/// The same of whole numbers from `least` to `most`.
std::optional<std::vector<int>> namedWholeNumbers(const SafetensorsFile& file,
                                                  const std::string& key, std::size_t count,
                                                  int least, int most);
/// `class_names` of the metadata: a JSON list of texts, or one a line. Empty where there is none.
std::vector<std::string> namedClasses(const SafetensorsFile& file);

}  // namespace headlight
