// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How strongly a head reads what a head of an earlier layer writes (Elhage et al. 2021, "A
// Mathematical Framework for Transformer Circuits"): with W_QK = W_Qᵀ W_K and W_OV = W_O W_V,
// ‖W_QKᵀ W_OV‖ / (‖W_QK‖ ‖W_OV‖) by queries, ‖W_QK W_OV‖ by keys and ‖W_OV' W_OV‖ by values, all
// Frobenius norms. From weights alone. No torch type here.

#include <string>
#include <vector>

#include "core/workbench/session/InferenceSession.h"

namespace headlight {

enum class CompositionInput { Query, Key, Value };

struct HeadComposition {
  std::vector<int> heads;  ///< [layer]
  double chance = 0;  ///< 1/√D: of matrices that are turned at random, in the root mean square
  /// [reading head × writing head], heads counted through the layers; NaN where the writing one is
  /// not of an earlier layer.
  std::vector<double> query, key, value;

  const std::vector<double>& of(CompositionInput input) const;
  int total() const;                     ///< heads of all layers
  int index(int layer, int head) const;  ///< of a head
};

struct ComposedPair {
  int fromLayer = 0, fromHead = 0, toLayer = 0, toHead = 0;
  double score = 0;
};

/// The norm's weights before attention are part of W_Q, W_K and W_V, LayerScale of W_O; rotary
/// positions, biases and masks are left aside. Errors: InvalidArgument, a model whose attention is
/// not softmax with a projection of its own for queries, keys and values, or of several stages.
Result<HeadComposition> composeHeads(InferenceSession& session);

/// The pairs with the largest scores.
std::vector<ComposedPair> strongestPairs(const HeadComposition& composition, CompositionInput input,
                                         std::size_t count);
/// "Q-composition" and so on.
std::string compositionTitle(CompositionInput input);
/// from_layer,from_head,to_layer,to_head,query,key,value.
std::string compositionCsv(const HeadComposition& composition);

}  // namespace headlight
