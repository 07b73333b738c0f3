// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A classifier whose classes are prompts: its rows are their embeddings, so that predictions,
// relevance and all else work as with any classifier. Torch types: core only.

#include <filesystem>
#include <string>
#include <vector>

#include "core/checkpoint/Checkpoint.h"
#include "core/config/ModelConfig.h"
#include "core/workbench/prompts/TextSide.h"

namespace headlight {

/// Whether the config.json in a folder speaks of a text tower; nothing else is read.
bool describesTextTower(const std::filesystem::path& folder);

/// `folder`: of config.json and the tokenizer; `tensors`: of its weights, under the names of the
/// file. Throws Failure for a config.json that cannot be read.
TextSide findTextSide(const std::filesystem::path& folder, const NamedTensors& tensors);

/// Embeddings [C, E] of length 1, and what makes logits of cosines.
struct PromptEmbeddings {
  at::Tensor rows;
  double scale = 1, bias = 0;
  bool sigmoid = false;  ///< SigLIP: each prompt by itself; else softmax over all
};
/// Throws Failure: those of the tokenizer and the text tower; InvalidArgument naming a prompt that
/// is too long.
PromptEmbeddings embedPrompts(const std::vector<std::string>& texts,
                              const std::filesystem::path& folder, const NamedTensors& tensors);

/// Makes the image half of `model`, with `weights` in timm's names, a classifier of the prompts:
/// logits = scale · cos(image, prompt) + bias. Throws Failure where the halves do not fit.
void addPromptHead(const PromptEmbeddings& prompts, Checkpoint& weights, ModelConfig& model);

}  // namespace headlight
