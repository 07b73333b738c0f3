// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// training.freeze: which parameters a training leaves as they are, as people write it.

#include <string>
#include <vector>

#include "core/base/Result.h"

namespace headlight {

/// A part of a model.
struct FreezePart {
  /// FirstBlocks: with all that comes before them (patches, tokens, positions).
  enum class Kind { Head, Norms, Biases, Embeddings, FirstBlocks, LastBlocks, Names };
  Kind kind = Kind::Names;
  int count = 0;        ///< of blocks
  std::string pattern;  ///< of names: matchesName()
};

struct FreezeRule {
  bool allBut = false;            ///< all that is in none of the parts
  std::vector<FreezePart> parts;  ///< without any: nothing is frozen
};

/// "all but the head", "all but norms and biases", "first 8 blocks", "embeddings, blocks.*.attn.*";
/// "nothing", or an empty text. Errors: InvalidConfig, with what can be written.
Result<FreezeRule> freezeFromText(const std::string& text);

/// Whether a parameter's name is `pattern`, or begins with it and a dot; * stands for any letters.
bool matchesName(const std::string& pattern, const std::string& name);

/// training.adapter_layers: "q,v", of kAdapterLayers, each once. Errors: InvalidConfig.
Result<std::vector<std::string>> adapterLayersFromText(const std::string& text);
inline const std::vector<std::string> kAdapterLayers{"q", "k", "v", "proj", "mlp"};

}  // namespace headlight
