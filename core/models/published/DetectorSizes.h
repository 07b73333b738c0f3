// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The sizes of Castling-ViT's detectors (You et al. 2023, §4.2 and 4.4): LCNet-ViT and ESNet-ViT,
// made of PP-PicoDet's networks (Yu et al. 2021), and these networks themselves. Internal to
// core/models.

#include <string>
#include <vector>

#include "core/config/ModelConfig.h"

namespace headlight {

/// `model.layout.size` of a detector.
struct DetectorSize {
  std::string name;   ///< "s"
  double lcnetScale;  ///< σ of PP-LCNet
  double esnetScale;  ///< σ of ESNet
  std::vector<double>
      ratios;  ///< ESNet: middle widths of its 3 + 7 + 3 blocks, as shares of theirs
  int neckWidth;
  int headLayers;  ///< n of a level's head
};

/// xs (for tests and first steps), s, m and l.
const std::vector<DetectorSize>& detectorSizes();
/// Throws Failure(InvalidConfig) for an unknown one.
const DetectorSize& findDetectorSize(const std::string& name);

/// The network that a backbone is made of: "lcnet_vit" of "lcnet_vit_classifier".
std::string trunkName(const std::string& backbone);

/// To a multiple of `divisor`, at least that and at least 0.9 of the value: max(d, ⌊v + d/2⌋ to d),
/// one more d where that is below 0.9 v.
int roundedWidth(double value, int divisor);

/// The names of the parameters that deriveDetector() sets.
std::vector<std::string> derivedOfDetectors();

/// Sets what follows from the backbone and its size: the transformer blocks' stages, widths and
/// heads of 32 features (no blocks in LCNet and ESNet), the patches, MLPs of ratio 2, no class token
/// and no positions.
void deriveDetector(ModelConfig& model);

}  // namespace headlight
