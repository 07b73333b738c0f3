// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One function for each backbone: the shape of a model read off the names and shapes of its tensors
// in timm's names, and off timm's keyword arguments where the file carries them. Internal to
// core/workbench.

#include <string>
#include <vector>

#include "core/workbench/identify/TensorShapes.h"

namespace headlight {

struct ModelFamily {
  const char* backbone;  ///< registered name
  const char* title;     ///< as people call it
  /// Whether a file is clearly of this family.
  bool (*recognizes)(const TensorShapes& shapes);
  /// Fills in what the file tells; `notes` gets what had to be assumed. Throws Failure where the
  /// file does not tell enough.
  void (*infer)(const TensorShapes& shapes, ModelConfig& config, std::vector<std::string>& notes);
};

/// Those with tensors of their own; a plain ViT has none and is what remains.
const std::vector<ModelFamily>& modelFamilies();

/// Refuses tensors of mechanisms whose options leave no trace in names and shapes, naming the
/// mechanism.
void refuseOtherMechanisms(const TensorShapes& shapes);
/// Throws Failure where the blocks of a detector or segmenter have any attention but softmax:
/// mechanisms and their options leave no trace in the shapes that all of them have.
void requireSoftmaxBackbone(const TensorShapes& shapes);

/// By the person, by timm's arguments, or assumed, which `notes` says. Throws Failure where nothing
/// can be assumed.
void inferHeads(const TensorShapes& shapes, ModelConfig& config, std::vector<std::string>& notes);
void inferVit(const TensorShapes& shapes, ModelConfig& config, std::vector<std::string>& notes);
void inferCait(const TensorShapes& shapes, ModelConfig& config, std::vector<std::string>& notes);
void inferConvit(const TensorShapes& shapes, ModelConfig& config, std::vector<std::string>& notes);
void inferLevit(const TensorShapes& shapes, ModelConfig& config, std::vector<std::string>& notes);
void inferMvit(const TensorShapes& shapes, ModelConfig& config, std::vector<std::string>& notes);
void inferDetector(const TensorShapes& shapes, ModelConfig& config,
                   std::vector<std::string>& notes);
void inferTrunkClassifier(const TensorShapes& shapes, ModelConfig& config,
                          std::vector<std::string>& notes);
void inferSegmenter(const TensorShapes& shapes, ModelConfig& config,
                    std::vector<std::string>& notes);
void inferSwin(const TensorShapes& shapes, ModelConfig& config, std::vector<std::string>& notes);

}  // namespace headlight
