// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a masked autoencoder (He et al. 2022) makes of an image of which it sees some patches. No
// torch type here. It blocks its caller's thread.

#include <cstdint>
#include <optional>
#include <string>

#include "core/workbench/pretraining/KeptAttention.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

struct ReconstructionRequest {
  std::optional<double> maskRatio =
      {};                         ///< share of the patches that are dropped; nothing: the model's
  std::uint64_t seed = 0;         ///< of which patches are dropped
  std::optional<int> layer = {};  ///< whose attention is wanted too
};

/// Three images of the model's size: what it saw with the dropped patches gray, the same with what
/// it made of them, and all that was there.
struct Reconstruction {
  Image masked, rebuilt, original;
  double loss = 0;  ///< mean over the dropped patches, as trained
  std::int64_t patches = 0, dropped = 0;
  std::optional<KeptAttention> attention = {};  ///< of the layer that was asked for
};

/// The error says why a model reconstructs no images: it has no decoder (Task::Rebuild).
Result<void> canReconstruct(const ModelConfig& model);
/// The share of the patches that it drops in training.
double trainedMaskRatio(const ModelConfig& model);

/// Normalized targets get each patch's true mean and deviation back. Masks of heads are left out.
/// Errors: a model without a decoder, a ratio that is not within (0, 1), a layer that it does not
/// have, NaN.
Result<Reconstruction> reconstruct(InferenceSession& session, const Image& image,
                                   const ReconstructionRequest& request = {});

/// Masked, reconstructed and original beside each other, with a narrow white gap; `more` of the same
/// size at the end.
Image besideEachOther(const Reconstruction& reconstruction, const std::optional<Image>& more = {});
/// "loss 0.4127, 147 of 196 patches dropped".
std::string reconstructionText(const Reconstruction& reconstruction);

}  // namespace headlight
