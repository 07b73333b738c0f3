// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The convolutions of a detector's backbone: PP-LCNet's or ESNet's, whole, or those that LCNet-ViT
// and ESNet-ViT (Castling-ViT, You et al. 2023, §4.2 and 4.4) keep of them. Internal to
// core/models.

#include <string>
#include <variant>
#include <vector>

#include "core/models/detection/EsBlocks.h"
#include "core/models/detection/LcLayer.h"
#include "core/models/published/DetectorSizes.h"

namespace headlight {

using LayerShape = std::variant<LcShape, EsShape>;

struct TrunkStage {
  int stride;  ///< of the maps that come out, in pixels of the image
  std::vector<LayerShape> layers;

  int channels() const;  ///< of those maps
};

struct TrunkShape {
  int stemWidth;
  bool pooled;  ///< a maximum over 3 × 3 of stride 2 behind the stem
  std::vector<TrunkStage> stages;

  /// Of the last stage of that stride.
  int channelsAt(int stride) const;
};

/// `backbone`: "lcnet", "esnet", "lcnet_vit" or "esnet_vit". Of the last two stages of LCNet-ViT
/// only the layer of stride 2 is left, of the last one of ESNet-ViT only the first block.
TrunkShape trunkShape(const std::string& backbone, const DetectorSize& size);

/// Names: stem, stages.S.I.
class DetectorTrunk : public torch::nn::Module {
 public:
  using torch::nn::Module::register_module;  ///< for the blocks beside them
  explicit DetectorTrunk(const TrunkShape& shape);
  /// For an image of so many pixels.
  static void count(CostCounter& counter, const TrunkShape& shape, std::int64_t height,
                    std::int64_t width);

  /// [B, 3, H, W] → what enters stage 0.
  at::Tensor stem(const at::Tensor& images);
  at::Tensor stage(int index, at::Tensor maps);

 private:
  bool m_pooled;
  std::shared_ptr<ConvBlock> m_stem;
  std::vector<std::vector<std::shared_ptr<MapLayer>>> m_stages;
};

/// Places of a map of that stride: sides are rounded up.
std::int64_t positionsAt(std::int64_t height, std::int64_t width, int stride);

}  // namespace headlight
