// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The published models by family and paper, as people look for them. No torch type.

#include <string>
#include <vector>

#include "core/models/published/PublishedModel.h"

namespace headlight {

struct PublishedFamily {
  std::string title;                          ///< "DeiT"
  std::string paper;                          ///< "Touvron et al. 2021"; empty: none that is known
  std::vector<const PublishedModel*> models;  ///< in the order of publishedModels(), never empty
};

/// Every published model in exactly one family; the very small ones for tests come last.
const std::vector<PublishedFamily>& publishedFamilies();

/// Those that most people start from, the most usual first.
std::vector<const PublishedModel*> commonModels();

}  // namespace headlight
