// SPDX-License-Identifier: GPL-3.0-or-later

// VisionTransformer.h: what its configs may say.

#include "core/models/backbones/VisionTransformer.h"
#include "core/models/layers/ConvolvedMlp.h"

namespace headlight {

const ParameterTable& VisionTransformer::optionTable() {
  using L = VitLayout;
  static const ParameterTable table =
      TableBuilder<L>()
          .boolean(&L::mlpDropPath, "mlp_drop_path",
                   "Whether drop path drops the MLP too, not the attention alone.")
          .integer(&L::mlpConvolution, "mlp_convolution", 0, 31,
                   "Side of a depthwise convolution over the patches in the middle of the MLP "
                   "(Castling-ViT, §4.4); odd, 0 means none.")
          .boolean(
              &L::prefixPositions, "prefix_positions",
              "Whether class and register tokens have position embeddings; not in DeiT III and "
              "DINOv2 with registers.")
          .boolean(&L::normPre, "norm_pre",
                   "A norm before the blocks, as in CLIP; patches then have no bias.")
          .boolean(
              &L::cutRemainder, "cut_remainder",
              "Leave out what fills no patch at the right and the bottom; off, patches have to "
              "divide the picture.")
          .choice(&L::pooling, "pooling", {"auto", "token", "mean", "attention"},
                  "What the classifier reads: the class token, the mean of the patches, or an "
                  "attention of its own (SigLIP); auto: the class token where there is one.")
          .boolean(&L::poolNorm, "pool_norm",
                   "Whether the final norm comes after pooling, as in BEiT (timm's fc_norm).")
          .choice(&L::norm, "norm", {"layer", "rms"},
                  "LayerNorm, or RMSNorm, which has no mean and no bias (AIMv2).")
          .boolean(&L::patchNorm, "patch_norm",
                   "A norm of each patch before its position is added (AIMv2).")
          .boolean(&L::branchBias, "branch_bias",
                   "Whether the MLP and the projection after the heads have biases; not in AIMv2.")
          .boolean(&L::finalNorm, "final_norm", "Off: no final norm at all, as in InternViT.")
          .boolean(&L::postNorm, "post_norm",
                   "Norms after attention and MLP, before what they give is added (EVA-02-CLIP "
                   "enormous).")
          .integer(&L::poolHeads, "pool_heads", 0, 4096,
                   "Heads of pooling by attention; 0: as many as in a block.")
          .number(&L::poolRatio, "pool_ratio", 0, 16,
                  "Hidden width of the MLP after pooling by attention over D; 0: as in a block.")
          .boolean(&L::poolPrefix, "pool_prefix",
                   "Whether pooling by attention looks at class and register tokens too "
                   "(Perception Encoder).")
          .choice(&L::activation, "activation", {"gelu", "quick_gelu", "gelu_tanh"},
                  "In the MLP: GELU, x·sigmoid(1.702 x) (CLIP), or GELU's tanh form (SigLIP).")
          .choice(&L::mlp, "mlp", {"plain", "plain_norm", "swiglu", "swiglu_apart", "swiglu_norm"},
                  "The MLP: two layers, or those with a norm between (BEiT-3); SiLU of one half "
                  "times the other, from one layer (DINOv2 "
                  "giant) or from two (DINOv3), or that with a norm before the last (EVA-02). "
                  "mlp_ratio is what goes into the last layer.")
          .choice(
              &L::names, "names", {"vit", "beit", "eva"},
              "Whose names the weights have: those of timm's ViT (ls1.gamma), of its BEiT and EVA "
              "(gamma_1, attn.q_bias), whose keys have no bias, or of its EVA whose keys have one "
              "(gamma_1, attn.qkv.bias: Perception Encoder, RoPE-ViT).")
          .build();
  return table;
}

}  // namespace headlight
