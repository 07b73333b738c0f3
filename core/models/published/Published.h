// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The published models, family by family. Internal to core/models.

#include <string>
#include <vector>

#include "core/models/published/PublishedModel.h"

namespace headlight {

struct FlatSize {
  int width, depth, heads;
};

/// A config of one stage; `patch` and `image` in pixels.
ModelConfig flatConfig(const std::string& name, FlatSize size, int patch, int image);

std::vector<PublishedModel> deitModels();       ///< DeiT, ViT and MaiT
std::vector<PublishedModel> caitModels();       ///< CaiT, and masked (MaiT)
std::vector<PublishedModel> levitModels();      ///< LeViT
std::vector<PublishedModel> castlingModels();   ///< Castling-DeiT and Castling-LeViT
std::vector<PublishedModel> mvitModels();       ///< MViTv2 and Castling-MViTv2
std::vector<PublishedModel> swinModels();       ///< Swin, and H-MaiT
std::vector<PublishedModel> lslaModels();       ///< ViT-LSLA
std::vector<PublishedModel> aftModels();        ///< AFT-full, AFT-conv, and Lambda Networks
std::vector<PublishedModel> ibitModels();       ///< IBiT
std::vector<PublishedModel> convitModels();     ///< ConViT
std::vector<PublishedModel> maeModels();        ///< MAE, and with linear-angular attention
std::vector<PublishedModel> detectorModels();   ///< LCNet-ViT, ESNet-ViT, and Castling's of both
std::vector<PublishedModel> segmenterModels();  ///< Castling-ViT's segmenters
std::vector<PublishedModel> timmModels();       ///< timm's other plain ViTs, BEiT, EVA and DINOv3

}  // namespace headlight
