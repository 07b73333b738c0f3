// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Weights that their authors published and that a model of our registry holds, by timm's tags. The
// list is compiled in (models/published_weights.tsv): showing it needs no network.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/Result.h"

namespace headlight {

struct PublishedWeights {
  std::string name;             ///< "vit_small_patch14_reg4_dinov2.lvd142m"
  std::string repository;       ///< on the hub: "timm/vit_small_patch14_reg4_dinov2.lvd142m"
  std::string license;          ///< as the hub spells it: "apache-2.0"; empty: not known here
  int classes = 0;              ///< 0: features, no classifier
  std::int64_t parameters = 0;  ///< with the classifier; 0: not known here
  int imageSize = 0;            ///< pixels of a side; 0: not known here

  std::string architecture() const;  ///< before the first dot: the model's name in the registry
  std::string tag() const;           ///< after it; empty: none
  /// What there is to download, about: four bytes a parameter, as nearly all are kept.
  std::int64_t aboutBytes() const { return 4 * parameters; }
};

/// Those whose architecture the registry knows and can make, in timm's order: of an architecture's
/// tags the first is the one that timm takes where none is named.
const std::vector<PublishedWeights>& publishedWeights();

/// The same of a list in the format of the file. Throws Failure(InvalidFile) with the line's
/// number.
std::vector<PublishedWeights> weightsFromText(std::string_view text);

/// By name with its tag, by architecture alone, or by "owner/repository" of the hub, whether or not
/// it is listed. Errors: InvalidArgument, with the nearest names.
Result<PublishedWeights> weightsNamed(const std::string& name);

/// Whether every word of `search`, upper or lower case, is in its name or its license.
bool isFoundBy(const PublishedWeights& weights, const std::string& search);

/// "22.1 M"; "features" or "1000 classes"; "88.2 MB"; empty where it is not known.
std::string parametersText(const PublishedWeights& weights);
std::string classesText(const PublishedWeights& weights);
std::string sizeText(const PublishedWeights& weights);

}  // namespace headlight
