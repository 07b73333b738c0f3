// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What transformers' config.json, or open_clip's, says of a text tower. Torch types: core only.

#include <filesystem>
#include <string>

#include "core/config/Parameter.h"
#include "core/models/text/TextTower.h"
#include "core/text/Tokenizer.h"

namespace headlight {

struct TextConfig {
  std::string kind;  ///< as TextSide's; empty: no text tower that is known
  TextTowerOptions tower;
  std::int64_t padToken = 1;  ///< SigLIP: fills a text up to the tower's positions
};

/// From the config.json in `folder`, else its open_clip_config.json; keys have the defaults of their
/// class. Nothing is known where there is no such file. Throws Failure(InvalidConfig), naming the key, for values of a wrong
/// type or out of range; UnsupportedFile for an activation that is not supported.
TextConfig readTextConfig(const std::filesystem::path& folder);

/// The token that the tokenizer's tokenizer_config.json fills texts up with, else the config's.
std::int64_t findPadToken(const std::filesystem::path& folder, const Tokenizer& tokenizer,
                          const TextConfig& config);

}  // namespace headlight
