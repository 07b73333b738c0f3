// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The tensor names by which the models that open are known, whatever stands before them. Internal.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

/// A family of models, known by names of its tensors. All names are without what a trainer or a
/// wrapper puts before them.
struct KnownNames {
  const char* anchor;  ///< a tensor of every such model: "patch_embed.proj.weight"
  /// Names begin with one of these, beside the anchor.
  std::vector<std::string> beginnings;
  /// What belongs to the family's names where it stands before the anchor: "vit.". It stays.
  std::vector<std::string> own = {};
};

/// timm's and those of the libraries and repositories whose names are read as timm's. Whoever reads
/// another family adds a row.
const std::vector<KnownNames>& knownNames();

/// The prefixes, each once and each with its last '.', under which `names` are a known model's: ""
/// where they are one as they stand; "module." for "module.patch_embed.proj.weight". At most 64.
std::vector<std::string> knownPrefixes(const std::vector<std::string>& names,
                                       const std::vector<KnownNames>& families = knownNames());

}  // namespace headlight
