#pragma once
// The parameters of a model: its shape, its attention, and what it expects of a picture.

#include <string>
#include <vector>

#include "core/config/Parameter.h"
#include "core/masks/Grid.h"

namespace headlight {

struct ModelConfig {
  std::string name = "custom";        ///< a registered name gives the defaults of the rest
  std::string backbone = "vit";       ///< registered in core/models
  std::string mechanism = "softmax";  ///< registered in core/attention
  int imageSize = 224;                ///< height, in pixels
  int imageWidth = 0;                 ///< in pixels; 0: as the height
  int patchSize = 16;
  int classes = 1000;
  int width = 192;  ///< D; a multiple of `heads`
  int depth = 12;
  int heads = 3;
  double mlpRatio = 4.0;
  bool qkvBias = true;
  bool classToken = true;
  bool distilled = false;               ///< a distillation token and a second head (DeiT)
  double layerScale = 0.0;              ///< initial value; 0: none
  double dropPath = 0.0;                ///< rate of the last block
  std::string dropPathMode = "linear";  ///< "linear" from 0 to dropPath, or "constant"
  double normEpsilon = 1e-6;
  // What it expects of a picture (timm's default_cfg).
  double cropFraction = 0.9;
  std::string interpolation = "bicubic";
  std::vector<double> mean{0.485, 0.456, 0.406};
  std::vector<double> deviation{0.229, 0.224, 0.225};

  int imageHeightPixels() const { return imageSize; }
  int imageWidthPixels() const { return imageWidth > 0 ? imageWidth : imageSize; }
  Grid grid() const {
    return {imageHeightPixels() / patchSize, imageWidthPixels() / patchSize,
            (classToken ? 1 : 0) + (distilled ? 1 : 0)};
  }
};

const ParameterTable& modelParameters();

/// What no single parameter can say: heads divide the width, patches divide the image, a
/// distillation token needs a class token, the token count is one that a machine can hold.
Result<void> checkModel(const ModelConfig& model, const std::string& path = "model");

}  // namespace headlight
