// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Direct logit attribution (Elhage et al. 2021; Gandelsman, Efros & Steinhardt 2024 for ViTs): what
// each head and MLP adds to a class's logit by itself, past all that comes after it. The final norm
// keeps the scale that it has for this image; the logit is then a sum over what the parts add. No
// torch type here.

#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {

struct LogitAttribution {
  std::string metric;  ///< "logit of cat", "logit of cat minus logit of dog"
  int classIndex = 0, against = -1;
  double logit = 0;      ///< the sum of constant, embedding, attention, MLPs and rest
  double constant = 0;   ///< biases of the classifier and the final norm
  double embedding = 0;  ///< the tokens that enter the first block
  std::vector<std::vector<double>> heads;  ///< [layer][head]; empty where attention does not say
  std::vector<double> attention;           ///< [layer]: its heads and the projection's bias
  std::vector<double> mlp;                 ///< [layer]
  std::vector<double> rest;  ///< [layer]: what a block adds besides: positions, often 0
};

struct AttributionClasses {
  int classIndex = -1;  ///< −1: the predicted one
  int against = -1;     ///< its logit is taken off; −1: none
};

/// Errors: InvalidArgument: no classifier, a classifier that is not linear behind one final norm
/// (attention pooling, distilled or cosine heads, other backbones than vit), no such class, an image
/// of another size; Canceled; a scheme of another shape.
Result<LogitAttribution> attributeLogit(InferenceSession& session, const RawImages& image,
                                        const MaskScheme& masks,
                                        const AttributionClasses& classes = {},
                                        const ProgressCallback& progress = {},
                                        std::stop_token stop = {});

/// part,layer,head,value: a line for every part, parts that sum to the logit first.
std::string attributionCsv(const LogitAttribution& attribution);

}  // namespace headlight
