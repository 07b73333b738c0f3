// SPDX-License-Identifier: GPL-3.0-or-later

// NameTables.h: torchvision's ViT, mmpretrain's, MAE's authors' pre-training.

#include "core/checkpoint/foreign/NameTables.h"

namespace headlight {
namespace {

using enum TensorRule;

NameTable torchvisionVitTable() {
  const std::string from = "encoder.layers.encoder_layer_#.", to = "blocks.#.";
  return {"torchvision's ViT",
          "conv_proj.weight",
          {"encoder.layers.encoder_layer_0.ln_1.weight"},
          {{"class_token", "cls_token"},
           {"conv_proj", "patch_embed.proj"},
           {"encoder.pos_embedding", "pos_embed"},
           {from + "ln_1", to + "norm1"},
           {from + "ln_2", to + "norm2"},
           {from + "self_attention.in_proj_weight", to + "attn.qkv.weight"},
           {from + "self_attention.in_proj_bias", to + "attn.qkv.bias"},
           {from + "self_attention.out_proj", to + "attn.proj"},
           {from + "mlp.0", to + "mlp.fc1"},
           {from + "mlp.3", to + "mlp.fc2"},
           {from + "mlp.linear_1", to + "mlp.fc1"},
           {from + "mlp.linear_2", to + "mlp.fc2"},
           {"encoder.ln", "norm"},
           {"heads.pre_logits", "pre_logits.fc"},
           {"heads.head", "head"},
           {"heads", "head"},
           {"heads.*", "a head that is not known here", Drop}},
          nullptr,
          R"({"norm_eps": 1e-6})"};
}

NameTable mmpretrainTable() {
  const std::string from = "layers.#.", to = "blocks.#.";
  return {"mmpretrain's ViT",
          "patch_embed.projection.weight",
          {"layers.0.ffn.layers.0.0.weight"},
          {{"cls_token", "cls_token"},
           {"pos_embed", "pos_embed"},
           {"patch_embed.projection", "patch_embed.proj"},
           {"pre_norm", "norm_pre"},
           {from + "ln1", to + "norm1"},
           {from + "ln2", to + "norm2"},
           {from + "attn.qkv", to + "attn.qkv"},
           {from + "attn.proj", to + "attn.proj"},
           {from + "attn.gamma1.weight", to + "ls1.gamma"},
           {from + "ffn.gamma2.weight", to + "ls2.gamma"},
           {from + "ffn.layers.0.0", to + "mlp.fc1"},
           {from + "ffn.layers.1", to + "mlp.fc2"},
           {"ln1", "norm"},
           {"^head.layers.head", "head"},
           {"^head.fc", "head"},
           {"^data_preprocessor.*", "", Drop}}};
}

NameTable maeTable() {
  return {"MAE's pre-training",
          "patch_embed.proj.weight",
          {"decoder_embed.weight"},
          {{"decoder_*", "the decoder", Drop}, {"mask_token", "the mask token", Drop}, {"*", "*"}},
          nullptr,
          R"({"norm_eps": 1e-6})",
          PositionFilter::BicubicAntialiased};
}

}  // namespace

std::vector<NameTable> otherTables() {
  return {torchvisionVitTable(), mmpretrainTable(), maeTable()};
}

}  // namespace headlight
