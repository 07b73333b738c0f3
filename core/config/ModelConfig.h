// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The parameters of a model: its shape, its attention, and what it expects of an image.

#include <string>
#include <vector>

#include "core/config/Parameter.h"
#include "core/masks/Grid.h"
#include "core/masks/MaskScheme.h"

namespace headlight {

/// `crop_mode` of models that take images of any sides: the short side as long as the model's
/// shorter one, the long side at most four times that, padded to multiples of 32.
inline constexpr const char* kPadMode = "pad";

struct ModelConfig {
  // Defined in the .cpp: so many members are too much to be compiled wherever one is copied.
  ModelConfig();
  ModelConfig(const ModelConfig& other);
  ModelConfig(ModelConfig&& other) noexcept;
  ModelConfig& operator=(const ModelConfig& other);
  ModelConfig& operator=(ModelConfig&& other) noexcept;
  ~ModelConfig();

  std::string name = "custom";        ///< a registered name gives the defaults of the rest
  std::string backbone = "vit";       ///< registered in core/models
  std::string mechanism = "softmax";  ///< registered in core/attention
  int imageSize = 224;                ///< height, in pixels
  int imageWidth = 0;                 ///< in pixels; 0: as the height
  int patchSize = 16;
  int classes = 1000;  ///< 0: no classifier, features alone
  int width = 192;     ///< D; a multiple of `heads`
  int depth = 12;
  int heads = 3;
  // For backbones with stages: one number a stage. `depths` empty: one stage of the three above.
  std::vector<int> depths;
  std::vector<int> stageWidths;  ///< empty: `width`, doubled from stage to stage
  std::vector<int> stageHeads;   ///< empty: `heads`, doubled from stage to stage
  int classDepth = 0;            ///< class-attention blocks after the others (CaiT)
  double mlpRatio = 4.0;
  bool qkvBias = true;
  bool classToken = true;
  int registers = 0;                    ///< learned tokens after the class token, read by nobody
  bool distilled = false;               ///< a distillation token and a second head (DeiT)
  std::string positions = "learned";    ///< absolute position embedding: "learned" or "none"
  double layerScale = 0.0;              ///< initial value; 0: none
  double dropPath = 0.0;                ///< rate of the last block
  std::string dropPathMode = "linear";  ///< "linear" from 0 to dropPath, or "constant"
  /// How random weights start: "default", "mimetic" or "structured"
  /// (core/models/backbones/AttentionStart.h).
  std::string init = "default";
  double normEpsilon = 1e-6;
  // What it expects of an image (timm's default_cfg).
  double cropFraction = 0.9;
  /// Or "squash": both sides resized, proportions lost; or "pad": whole, in proportion (kPadMode).
  std::string cropMode = "center";
  std::string interpolation = "bicubic";
  std::string transparency = "white";  ///< transparent pixels on white, or "drop": alpha dropped
  std::vector<double> mean{0.485, 0.456, 0.406};
  std::vector<double> deviation{0.229, 0.224, 0.225};

  // What only this mechanism or this backbone has (core/config/Catalog.h says which).
  Json attention = Json::object();
  Json layout = Json::object();

  int imageHeightPixels() const { return imageSize; }
  int imageWidthPixels() const { return imageWidth > 0 ? imageWidth : imageSize; }
  Grid grid() const {
    // A distillation token stands only beside a class token; some are distilled without either.
    return {imageHeightPixels() / patchSize, imageWidthPixels() / patchSize,
            registers + (classToken ? 1 + (distilled ? 1 : 0) : 0), registers};
  }
  bool staged() const { return !depths.empty(); }
  int stages() const { return staged() ? static_cast<int>(depths.size()) : 1; }
  int stageDepth(int stage) const { return staged() ? depths[stage] : depth; }
  int stageWidth(int stage) const;
  int stageHeadCount(int stage) const;
  /// How many pixels of the image's height a patch of that layer's grid has: stages halve the grid.
  double pixelsPerPatch(int layer) const;
  /// Blocks of all stages, and class-attention blocks.
  int layers() const;
  /// Heads of every layer. Class-attention blocks come last and are never masked.
  MaskShape maskShape() const;
};

/// Of a detector those of its objects, without "no object"; else of its classifier.
int namedClasses(const ModelConfig& model);

const ParameterTable& modelParameters();

/// Rules of checkModel that some backbones do without.
struct ShapeRules {
  bool headsDivideWidth = true;          ///< else heads have a width of their own
  bool distilledNeedsClassToken = true;  ///< else a second head reads the same features, no token
  bool needsClassifier = true;           ///< else it may end in features: 0 classes
  bool takesRegisters = false;
  bool withoutBlocks = false;  ///< it has no attention
  bool takesAnySides = false;  ///< so that images may keep their proportions (kPadMode)
};

/// What no single parameter can say: heads divide the width, patches divide the image, a
/// distillation token needs a class token, the token count is one that a machine can hold.
Result<void> checkModel(const ModelConfig& model, const ShapeRules& rules = {});

}  // namespace headlight
