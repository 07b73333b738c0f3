// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whether a model takes prompts: what its folder has besides the half that looks at images. No torch
// type here.

#include <string>

#include "core/base/Result.h"

namespace headlight {

struct TextSide {
  std::string kind;       ///< "CLIP", "SigLIP"; empty: there is no text tower
  std::string tokenizer;  ///< the files; empty: the folder has none

  bool hasTower() const { return !kind.empty(); }
  bool takesPrompts() const { return hasTower() && !tokenizer.empty(); }
};

/// "text tower of CLIP with tokenizer.json: takes prompts"; empty without a text tower.
std::string textSideText(const TextSide& side);

/// Why a model takes no prompts, and what to do; as the rest of a sentence that begins with it.
std::string whyNoPrompts(const TextSide& side);

}  // namespace headlight
