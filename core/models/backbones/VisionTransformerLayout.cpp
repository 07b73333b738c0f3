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
                   "Apply drop path to the MLP too, not only to the attention.")
          .integer(&L::mlpConvolution, "mlp_convolution", 0, 31,
                   "Kernel size of a depthwise convolution over the patches inside the MLP "
                   "(Castling-ViT, §4.4); odd, 0: none.")
          .boolean(&L::prefixPositions, "prefix_positions",
                   "Use position embeddings for class and register tokens; not in DeiT III and "
                   "DINOv2 with registers.")
          .boolean(
              &L::normPre, "norm_pre",
              "Use a norm before the blocks, as in CLIP; the patch embedding then has no bias.")
          .boolean(&L::cutRemainder, "cut_remainder",
                   "Ignore incomplete patches at the right and bottom; off: the image size must be "
                   "a multiple of the patch size.")
          .choice(
              &L::pooling, "pooling", {"auto", "token", "mean", "attention", "token_mean"},
              "Pooling for the classifier: class token, mean of the patches, attention pooling "
              "(SigLIP), or class token and mean side by side (DINOv2's classifiers); auto: the "
              "class token if there is one.")
          .integer(&L::preLogits, "pre_logits", 0, 16384,
                   "Width of a layer with tanh between pooling and the classifier (ViT's "
                   "pre-training); 0: none.")
          .boolean(&L::cosine, "cosine",
                   "Compare images with classes by the cosine, as with prompts (CLIP, SigLIP): the "
                   "classifier reads features of length 1, and pre_logits has no tanh.")
          .choice(
              &L::scores, "scores", {"softmax", "sigmoid"},
              "How logits become probabilities: over all classes (softmax), or of each class by "
              "itself (sigmoid; SigLIP).")
          .boolean(&L::poolNorm, "pool_norm",
                   "Apply the final norm after pooling, as in BEiT (timm's fc_norm).")
          .choice(&L::norm, "norm", {"layer", "rms"},
                  "LayerNorm, or RMSNorm, which has no mean and no bias (AIMv2).")
          .boolean(&L::patchNorm, "patch_norm",
                   "Use a norm on each patch before its position is added (AIMv2).")
          .boolean(&L::branchBias, "branch_bias",
                   "Use biases in the MLP and the output projection; not in AIMv2.")
          .boolean(&L::finalNorm, "final_norm", "Use a final norm; not in InternViT.")
          .boolean(&L::postNorm, "post_norm",
                   "Use norms after attention and MLP, before the residual addition (EVA-02-CLIP "
                   "enormous).")
          .integer(&L::poolHeads, "pool_heads", 0, 4096,
                   "Heads of attention pooling; 0: as many as in a block.")
          .number(&L::poolRatio, "pool_ratio", 0, 16,
                  "Hidden width of the MLP after attention pooling, as a multiple of D; 0: as in a "
                  "block.")
          .boolean(&L::poolPrefix, "pool_prefix",
                   "Include class and register tokens in attention pooling (Perception Encoder).")
          .boolean(&L::midPositions, "mid_positions",
                   "Add learned positions again after every block but the last (YOLOS).")
          .integer(&L::objectClasses, "object_classes", 0, 100001,
                   "Classes of the objects that the register tokens find, \"no object\" included "
                   "(YOLOS); 0: they find none.")
          .choice(&L::positionFilter, "position_filter", {"antialiased", "bicubic", "bilinear"},
                  "How position embeddings are resized for another image size: bicubic with "
                  "antialiasing (timm) or without (transformers), or bilinear with it (SigLIP 2).")
          .choice(&L::activation, "activation", {"gelu", "quick_gelu", "gelu_tanh", "relu", "silu"},
                  "Activation of the MLP: GELU, x·sigmoid(1.702 x) (CLIP), GELU's tanh form "
                  "(SigLIP), ReLU, or x·sigmoid(x).")
          .choice(&L::mlp, "mlp", {"plain", "plain_norm", "swiglu", "swiglu_apart", "swiglu_norm"},
                  "Type of MLP: two layers, or two with a norm between (BEiT-3); SwiGLU from one "
                  "layer (DINOv2 giant) or from two (DINOv3), or with a norm before the last layer "
                  "(EVA-02). mlp_ratio sets the input width of the last layer.")
          .choice(&L::names, "names", {"vit", "beit", "eva"},
                  "Tensor names of the weights: timm's ViT (ls1.gamma), its BEiT and EVA without "
                  "key biases (gamma_1, attn.q_bias), or its EVA with key biases (gamma_1, "
                  "attn.qkv.bias: Perception Encoder, RoPE-ViT).")
          .build();
  return table;
}

}  // namespace headlight
