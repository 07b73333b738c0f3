// SPDX-License-Identifier: GPL-3.0-or-later

// Published.h: the published sizes of Castling-ViT's segmenters, for ADE20K's 150 classes.

#include "core/models/published/Published.h"

namespace headlight {
namespace {

const std::string kSegmenterTable = "Castling-ViT, Table 4";
const std::string kSegmenterNote =
    "The paper names no image size. Its GMACs fit the short side of 512 and 4:3 of ADE20K, which "
    "is 512 × 683: here 512 × 672, the nearest multiple of 32.";
constexpr int kShortSide = 512, kLongSide = 672;

PublishedModel segmenterBase(const std::string& prefix, const std::string& size, int width) {
  PublishedModel model;
  model.name = prefix + "vit_segmenter_base_" + size;
  model.config = flatConfig(model.name, {768, 12, 12}, 16, kShortSide);
  model.config.backbone = "vit_segmenter";
  model.config.imageWidth = width;
  model.config.classes = 150;
  model.config.classToken = false;
  model.config.cropMode = kPadMode;
  model.config.cropFraction = 1;
  model.description = "ViT-Base with Mask2Former's decoders: a class for every pixel";
  return model;
}

/// As published: the auxiliary branch helps training and inference goes without it.
PublishedModel linearAngular(PublishedModel model) {
  model.description += ", with linear-angular attention";
  model.config.mechanism = "linear_angular";
  model.config.attention["without_branch"] = true;
  return model;
}

/// At the size that its published numbers fit.
PublishedModel measured(PublishedModel model, double macsG) {
  model.publishedParametersM = 118;
  model.publishedMacsG = macsG;
  model.source = kSegmenterTable;
  model.note = kSegmenterNote;
  return model;
}

}  // namespace

std::vector<PublishedModel> segmenterModels() {
  const std::string castling = "castling_", wide = "512x672", square = "512";
  return {
      segmenterBase("", square, 0),
      measured(segmenterBase("", wide, kLongSide), 229),
      linearAngular(segmenterBase(castling, square, 0)),
      linearAngular(measured(segmenterBase(castling, wide, kLongSide), 195)),
  };
}

}  // namespace headlight
