// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/prompts/TextSide.h"

#include "core/base/Translation.h"

namespace headlight {

std::string textSideText(const TextSide& side) {
  if (!side.hasTower()) return {};
  return tr("text tower of ") + side.kind +
         (side.takesPrompts() ? tr(" with ") + side.tokenizer + tr(": takes prompts")
                              : std::string(tr("; it takes no prompts without a tokenizer")));
}

std::string whyNoPrompts(const TextSide& side) {
  if (!side.hasTower())
    return tr(
        "has no text tower, which prompts need; open the folder of a CLIP or SigLIP in "
        "transformers' format, such as openai/clip-vit-base-patch32");
  return tr(
      "has no tokenizer; put tokenizer.json (or vocab.json and merges.txt) from the model's "
      "page on the Hugging Face hub beside its config.json");
}

}  // namespace headlight
