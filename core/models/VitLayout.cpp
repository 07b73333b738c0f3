// Of VisionTransformer.h, what its configs may say.

#include "core/models/ConvolvedMlp.h"
#include "core/models/VisionTransformer.h"

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
          .choice(&L::activation, "activation", {"gelu", "quick_gelu", "gelu_tanh"},
                  "In the MLP: GELU, x·sigmoid(1.702 x) (CLIP), or GELU's tanh form (SigLIP).")
          .choice(&L::mlp, "mlp", {"plain", "swiglu", "swiglu_apart", "swiglu_norm"},
                  "The MLP: two layers; SiLU of one half times the other, from one layer (DINOv2 "
                  "giant) or from two (DINOv3), or that with a norm before the last (EVA-02). "
                  "mlp_ratio is what goes into the last layer.")
          .choice(
              &L::names, "names", {"vit", "beit"},
              "Whose names the weights have: those of timm's ViT (ls1.gamma) or of its BEiT and "
              "EVA (gamma_1, attn.q_bias), whose keys have no bias.")
          .build();
  return table;
}

}  // namespace headlight
