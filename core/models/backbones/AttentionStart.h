// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How the weights of attention start where a config asks for more than random ones (model.init).
// Token rows x, so that q = x·W_Q and so on; D the width, k that of a head, Z[i, j] from N(0, 1/D).
//
// mimetic (Trockman & Kolter 2023, "Mimetic Initialization of Self-Attention Layers"): per head
//   W_Q·W_Kᵀ ≈ 0.7·Z + 0.7·I, the best of rank k: U_k√Σ_k and V_k√Σ_k of its singular values;
//   and per layer W_V·W_O = 0.4·Z − 0.4·I exactly, split in the same way.
// The paper's position embeddings are left as they are.
//
// structured (Zheng et al. 2025, "Structured Initialization for Vision Transformers"): each head is
// a 3 × 3 convolution of one tap, drawn at random: softmax(P·W_Q·W_Kᵀ·Pᵀ/√k) ≈ H, H[i, j] = 1 where
// patch j is at that tap from patch i. P, the pseudo-input, are the position embeddings, normed;
// they start from sines. The authors fit W_Q and W_K by 10,000 steps of Adam on the squared error
// of the softmax; here they are the least-squares solution for its logits, of rank k, in closed
// form: with P = U·S·Vᵀ (singular values above 1 % of the first) and Uᵀ·H·U ≈ X·T·Yᵀ,
//   W_Q = V·S⁻¹·X_k√T_k, W_K = V·S⁻¹·Y_k√T_k,
// scaled so that a tap's logit is on average ln(N − 1) above its row's mean: half of the weight
// where all others are equal. Features of a head beyond the rank, values and outputs stay random.

#include <cstdint>

#include "core/base/Result.h"
#include "core/config/ModelConfig.h"

namespace headlight {

class Model;

/// Ok where the model can start so. Errors (InvalidConfig) name model.init and say why not.
Result<void> checkAttentionStart(const ModelConfig& config);

/// Overwrites weights of a new model as its config says; nothing for "default". The same numbers
/// for the same seed. Throws Failure, also where a layer has no projections of this shape.
void startAttention(Model& model, std::uint64_t seed);

/// The tap of a head in `structured`: rows and columns from a patch to the one that it looks at,
/// each −1, 0 or 1.
struct StartingTap {
  int row = 0, col = 0;
};
StartingTap startingTap(std::uint64_t seed, int layer, int head);

}  // namespace headlight
