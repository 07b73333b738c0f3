// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a learned mask does to the gradients that training sends to the logits (IBiT §6.2): the mean
// of |∂J/∂S| by relative position, of every layer and head, with the mask and with W = 1 in its
// place, and their ratio. J is the cross-entropy of an image with its class; S are the logits
// before the mask and the softmax. No torch type here; blocks its caller's thread.

#include <cstdint>
#include <stop_token>
#include <string>

#include "core/workbench/attribution/RelativeMaps.h"

namespace headlight {

struct GradientBiasing {
  RelativeMaps masked;    ///< with the learned masks; layers without one have no heads here
  RelativeMaps unmasked;  ///< the same weights with W = 1 in every layer
  RelativeMaps ratio;     ///< masked / unmasked; NaN where the latter is 0
  double maskedLoss = 0, unmaskedLoss = 0;  ///< the mean of J
  /// Images without a label, of which J is that of the class that is predicted with the masks.
  std::int64_t unlabeled = 0;
};

/// Whether the model has learned masks to ask about.
bool hasGradientBiasing(const ModelInfo& info);

/// Averaged over images and the rows of queries, prefix tokens left out, under the head masks
/// `masks` both times. On copies of the model, so that the session stays free and as it is. Errors:
/// no learned mask, or one in windows; no classifier; those of eachSourceImage().
Result<GradientBiasing> measureGradientBiasing(InferenceSession& session, const ImageSource& feed,
                                               const MaskScheme& masks,
                                               const ProgressCallback& progress = {},
                                               std::stop_token stop = {});

/// "mean loss 1.2 with the masks, 2.3 with 1 in their place", and whose classes they are.
std::string lossText(const GradientBiasing& biasing);

}  // namespace headlight
