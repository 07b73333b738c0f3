// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model as another library's config describes it. No torch type here.

#include <string>
#include <vector>

#include "core/config/ModelConfig.h"

namespace headlight {

/// What is noted of image halves, until prompts join the text half again.
inline constexpr const char
    *kTextHalfNote = "its image half is opened, its text half left aside",
    *kEmbeddingNote = " outputs are the embedding that is compared with texts, not classes";

struct ForeignModel {
  std::string architecture;             ///< "ViTForImageClassification"
  ModelConfig model;                    ///< whose weights inTimmNames() gives (TimmNames.h)
  std::vector<std::string> classNames;  ///< namedClasses() of them; empty: none
  std::vector<std::string> notes;       ///< what was assumed or is not used, and why
  /// The image processor's size counts, where the config says another: positions are resampled.
  bool anySize = false;
  /// One number as the processor's size is the short side, not a square.
  bool shortSide = false;
};

}  // namespace headlight
