// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The images that `objects` writes: the mask and the box of an object over what the model saw.

#include <filesystem>
#include <set>
#include <string>

#include "core/workbench/objects/DiscoverObject.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/session/TrueBoxes.h"

namespace headlight::cli {

/// One image and what was found in it.
struct DiscoveryScene {
  std::string name;  ///< of the image: a path, or a sample's address
  const Image& image;
  const DiscoveredObject& found;
  const TrueBoxes* truth = nullptr;  ///< null: not known
  std::string caption;               ///< method, layer and what must be said
};

class DiscoveryImages {
 public:
  /// Makes the folder. Throws Failure. `model` outlives it.
  DiscoveryImages(std::filesystem::path folder, const ModelConfig& model);

  /// NAME-object.png: the mask with the box, true boxes dashed; of dino also the mask of each head.
  /// Returns the path. Throws Failure.
  std::string write(const DiscoveryScene& scene);

 private:
  Image compose(const DiscoveryScene& scene) const;

  std::filesystem::path m_folder;
  const ModelConfig& m_model;
  std::set<std::string> m_stems;  ///< names that are taken
};

}  // namespace headlight::cli
