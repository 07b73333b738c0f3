// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What timm's config.json, or transformers', says of the model beside it. Internal to
// core/workbench.

#include <string>
#include <vector>

#include "core/config/Experiment.h"
#include "core/workbench/hub/HubFolder.h"

namespace headlight {

struct HubModel {
  /// timm's name ("vit_small_patch14_reg4_dinov2") or transformers' class.
  std::string architecture;
  std::string tag;                      ///< "lvd142m"; empty where nothing says
  std::string license;                  ///< "apache-2.0"; empty likewise
  Experiment experiment;                ///< its model, as in the file, and a name
  std::vector<std::string> classNames;  ///< descriptions of labels, else labels; empty: none
  std::vector<std::string> classKeys;   ///< labels, where classNames are descriptions
  std::vector<std::string> notes;       ///< what was not used, and why
};

/// Reads folder.config(), at most 16 MB: `architecture` with `model_args`, `num_classes`,
/// `label_names`, `label_descriptions` and `pretrained_cfg` (or, as timm wrote it once, all that at
/// the top); or what transformers writes (TransformersConfig.h). Throws Failure: UnsupportedFile for an architecture that is not known here (naming
/// what is near), for arguments that are not, and for another program's config.json; InvalidFile
/// for what is no JSON object; InvalidConfig, naming the path, for values that make no model.
HubModel readHubConfig(const HubFolder& folder);

/// Its architecture and tag alone: for lists. Throws Failure as above, but for arguments and
/// values.
HubModel readHubNames(const HubFolder& folder);

}  // namespace headlight
