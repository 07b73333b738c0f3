// SPDX-License-Identifier: GPL-3.0-or-later

// NameTables.h: the image halves of CLIP and SigLIP: transformers', open_clip's and OpenAI's.

#include "core/checkpoint/foreign/NameTables.h"

namespace headlight {
namespace {

using enum TensorRule;

/// Classifiers read all tokens, CLIP's without the last norm, SigLIP's without its pooling.
void finishTower(Checkpoint& checkpoint) {
  const bool classifies = findNamed(checkpoint, "classifier.weight") != nullptr;
  renameNamed(checkpoint, "classifier.weight", "head.weight");
  renameNamed(checkpoint, "classifier.bias", "head.bias");
  if (classifies) {
    eraseNamed(checkpoint, "attn_pool.");
    if (findNamed(checkpoint, "norm_pre.weight")) eraseNamed(checkpoint, "norm.");
    checkpoint.notes.push_back("its classifier reads the mean of the patches");
  }
  completeHead(checkpoint);
}

/// LAION's and other later weights have GELU, under the same names.
void assumeQuickGelu(Checkpoint& checkpoint) {
  checkpoint.assumptions.push_back(
      "the file does not state its activation; assuming quick GELU, as OpenAI's CLIP has it. If "
      "its "
      "config says gelu, put that config beside it");
}

void finishOpenClip(Checkpoint& checkpoint) {
  finishTower(checkpoint);
  assumeQuickGelu(checkpoint);
}

/// SigLIP's pooling keeps its queries apart from keys and values.
void splitPooling(Checkpoint& checkpoint) {
  NamedTensors split;
  for (const char* leaf : {"weight", "bias"}) {
    const at::Tensor* found = findNamed(checkpoint, std::string("attn_pool.in_proj.") + leaf);
    if (!found || found->dim() < 1 || found->size(0) % 3 != 0) continue;
    const std::int64_t width = found->size(0) / 3;
    split.emplace_back(std::string("attn_pool.q.") + leaf, found->narrow(0, 0, width).clone());
    split.emplace_back(std::string("attn_pool.kv.") + leaf,
                       found->narrow(0, width, 2 * width).clone());
  }
  if (split.empty()) return;
  eraseNamed(checkpoint, "attn_pool.in_proj.");
  checkpoint.tensors.insert(checkpoint.tensors.end(), split.begin(), split.end());
}

void finishTransformers(Checkpoint& checkpoint) {
  splitPooling(checkpoint);
  finishTower(checkpoint);
  const bool clip = findNamed(checkpoint, "norm_pre.weight") != nullptr;
  if (clip) assumeQuickGelu(checkpoint);
  checkpoint.metadata.try_emplace("config",
                                  clip ? R"({"norm_eps": 1e-5, "act_layer": "quick_gelu"})"
                                       : R"({"norm_eps": 1e-6, "act_layer": "gelu_tanh"})");
}

NameTable clipTable() {
  const std::string from = "encoder.layers.#.", to = "blocks.#.";
  return {"transformers' CLIP and SigLIP",
          "embeddings.patch_embedding.weight",
          {"encoder.layers.0.self_attn.q_proj.weight"},
          {{"embeddings.class_embedding", "cls_token", Tokens},
           {"embeddings.patch_embedding", "patch_embed.proj", Patches},
           {"embeddings.position_embedding.weight", "pos_embed", Tokens},
           {"embeddings.position_ids", "", Drop},
           {"pre_layrnorm", "norm_pre"},
           {"pre_layernorm", "norm_pre"},
           {"post_layernorm", "norm"},
           {from + "self_attn.q_proj", to + "attn.qkv", Query},
           {from + "self_attn.k_proj", to + "attn.qkv", Key},
           {from + "self_attn.v_proj", to + "attn.qkv", Value},
           {from + "self_attn.out_proj", to + "attn.proj"},
           {from + "layer_norm1", to + "norm1"},
           {from + "layer_norm2", to + "norm2"},
           {from + "mlp.fc1", to + "mlp.fc1"},
           {from + "mlp.fc2", to + "mlp.fc2"},
           {"head.probe", "attn_pool.latent"},
           {"head.attention.in_proj_weight", "attn_pool.in_proj.weight"},
           {"head.attention.in_proj_bias", "attn_pool.in_proj.bias"},
           {"head.attention.out_proj", "attn_pool.proj"},
           {"head.layernorm", "attn_pool.norm"},
           {"head.mlp.fc1", "attn_pool.mlp.fc1"},
           {"head.mlp.fc2", "attn_pool.mlp.fc2"},
           {"^visual_projection", "head"},
           {"^classifier", "classifier"},
           {"^text_model.*", "the text half", Drop},
           {"^text_projection*", "the text half", Drop},
           {"^logit_scale", "", Drop},
           {"^logit_bias", "", Drop}},
          finishTransformers};
}

NameTable openClipTable() {
  const std::string from = "transformer.resblocks.#.", to = "blocks.#.";
  return {"open_clip and OpenAI's CLIP",
          "conv1.weight",
          {"transformer.resblocks.0.attn.in_proj_weight"},
          {{"class_embedding", "cls_token", Tokens},
           {"positional_embedding", "pos_embed", Tokens},
           {"conv1", "patch_embed.proj"},
           {"ln_pre", "norm_pre"},
           {"ln_post", "norm"},
           {from + "ln_1", to + "norm1"},
           {from + "ln_2", to + "norm2"},
           {from + "attn.in_proj_weight", to + "attn.qkv.weight"},
           {from + "attn.in_proj_bias", to + "attn.qkv.bias"},
           {from + "attn.out_proj", to + "attn.proj"},
           {from + "mlp.c_fc", to + "mlp.fc1"},
           {from + "mlp.c_proj", to + "mlp.fc2"},
           {from + "ls_1.gamma", to + "ls1.gamma"},
           {from + "ls_2.gamma", to + "ls2.gamma"},
           {"proj", "head.weight", Transpose},
           {"^transformer.*", "the text half", Drop},
           {"^text.*", "the text half", Drop},
           {"^token_embedding*", "the text half", Drop},
           {"^positional_embedding", "the text half", Drop},
           {"^ln_final*", "the text half", Drop},
           {"^text_projection*", "the text half", Drop},
           {"^attn_mask", "", Drop},
           {"^input_resolution", "", Drop},
           {"^context_length", "", Drop},
           {"^vocab_size", "", Drop},
           {"^logit_scale", "", Drop},
           {"^logit_bias", "", Drop}},
          finishOpenClip,
          R"({"norm_eps": 1e-5, "act_layer": "quick_gelu"})",
          PositionFilter::BicubicAntialiased};
}

}  // namespace

std::vector<NameTable> clipTables() {
  return {clipTable(), openClipTable()};
}

}  // namespace headlight
