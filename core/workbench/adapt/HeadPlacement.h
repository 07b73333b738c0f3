// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where a new classifier stands in a model: what it reads, and the model that has it. Torch types:
// core only.

#include <ATen/core/Tensor.h>

#include <string>

#include "core/workbench/loading/LoadedModel.h"

namespace headlight {

/// What a classifier reads.
struct HeadChoice {
  std::string token = "model";  ///< as AdaptOptions::token
  int layers = 1;
};

/// `wanted` with "model" replaced by the token that the model's classifier reads, where it has a
/// name. Throws Failure(InvalidArgument): a model that classifies no images, a token or layers that
/// this backbone does not have.
HeadChoice resolvedChoice(const ModelInfo& info, const HeadChoice& wanted);

/// Whether one pass gives both the class token and the mean of the patches.
bool hasTokenAndMean(const ModelConfig& model);

/// `model` with a plain linear classifier on `token`: layers between pooling and classifier, and
/// what makes classes of prompts, are left out.
ModelConfig headedConfig(ModelConfig model, const std::string& token, int classes);
/// Numbers of an image that such a classifier reads: of both tokens where there are two heads.
std::int64_t headInputWidth(const ModelConfig& headed);

/// The same weights with another classifier (headedConfig), whose values fillHead() sets, under
/// `masks`. Throws Failure.
LoadedModel withNewHead(const LoadedModel& from, const std::string& token, int classes,
                        const MaskScheme& masks);

struct HeadTensors {
  at::Tensor weight, bias;    ///< [C, width], [C]
  at::Tensor mean, variance;  ///< [width]: what batch norms before a head (LeViT) start from
};
/// The classifier so that Model::classify gives weight · features + bias. Of two heads (DeiT's
/// distilled models), whose mean counts, each gets twice its part of the weights.
void fillHead(Model& model, const HeadTensors& head);

}  // namespace headlight
