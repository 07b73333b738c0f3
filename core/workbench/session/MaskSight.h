// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a head's mask lets one token look at, as it is drawn over the image and said of it: the same
// in the window, in figures and in what commands write. No torch type here.

#include <string>
#include <vector>

#include "core/masks/PatchOutline.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

/// Which head's mask is asked about, and from which token it looks.
struct MaskSightRequest {
  const ModelInfo& model;
  const MaskScheme& masks;
  const InferenceResult* inference = nullptr;  ///< its grids, α and learned maps; null: none yet
  int layer = 0;
  int head = -1;  ///< −1: the mean of the layer's heads
  int query = 0;  ///< a token of the model's grid
};

struct MaskSight {
  MaskKind kind = MaskKind::None;  ///< of the window
  int rows = 0, cols = 0;          ///< of the layer's patches
  std::vector<PatchEdge> window;   ///< around patches whose logits stay as they are; empty: none
  std::vector<PatchEdge> learned;  ///< where a learned mask is at least half of its largest value
  /// What the mask does to the rest, in one line, and why it has no effect where it has none: "hard:
  /// logits outside become 0, so they still get exp(0)". Empty where no mask acts.
  std::string text;

  bool isDrawn() const { return !window.empty() || !learned.empty(); }
  bool operator==(const MaskSight&) const = default;
};

/// The sight of a token that has a place: of a class token, which sees all, only the text. The mean
/// of heads has a window where all of them have the same mask. Nothing for a layer or a head that
/// the model lacks.
MaskSight maskSight(const MaskSightRequest& request);

/// Why no mask of this layer can change what the model predicts, to stand after a colon: "the last
/// layer's patches are not read". Empty where one can. Masks act on the rows of patches alone, so
/// that they are lost in a last layer of which only the class token is read.
std::string whyNoMaskEffect(const ModelConfig& model, int layer);

/// `image` (what the model saw, of any size) with the outlines of `sight` over it.
Image withMaskSight(const Image& image, const MaskSight& sight);

}  // namespace headlight
