// SPDX-License-Identifier: GPL-3.0-or-later

// NameTables.h: transformers' ViT, DeiT, MAE, MSN, I-JEPA, YOLOS, BEiT, Data2Vec, DINOv2, DINOv3.

#include <ATen/ATen.h>

#include "core/checkpoint/foreign/NameTables.h"

namespace headlight {
namespace {

using enum TensorRule;

const std::string kSharedTable = "rel_pos_bias.relative_position_bias_table";

/// DINOv2 with registers: timm adds the class token's position to it and has none for registers.
void foldClassPosition(Checkpoint& checkpoint) {
  at::Tensor *token = findNamed(checkpoint, "cls_token"),
             *positions = findNamed(checkpoint, "pos_embed");
  const bool fits = token && positions && token->dim() == 3 && positions->dim() == 3 &&
                    token->numel() == token->size(2) && positions->size(0) == 1 &&
                    positions->size(1) > 1 && token->size(2) == positions->size(2);
  if (!fits) return;
  *token = token->add(positions->narrow(1, 0, 1));
  *positions = positions->narrow(1, 1, positions->size(1) - 1).contiguous();
}

/// One table for all blocks: each gets it, which gives the same maps.
void shareTable(Checkpoint& checkpoint) {
  const at::Tensor* found = findNamed(checkpoint, kSharedTable);
  if (!found) return;
  const at::Tensor table = *found;
  eraseNamed(checkpoint, kSharedTable);
  constexpr int kMostBlocks = 1000;
  for (int block = 0; block < kMostBlocks; ++block) {
    const std::string attention = "blocks." + std::to_string(block) + ".attn.";
    if (!findNamed(checkpoint, attention + "qkv.weight")) break;
    checkpoint.tensors.emplace_back(attention + "relative_position_bias_table", table);
  }
  checkpoint.notes.push_back("its one table of relative positions is given to every block");
}

/// LayerScale of models whose keys have no bias is called otherwise in timm.
void nameScales(Checkpoint& checkpoint) {
  const bool beit = findNamed(checkpoint, "blocks.0.attn.q_bias") ||
                    findNamed(checkpoint, "blocks.0.attn.relative_position_bias_table");
  if (!beit) return;
  for (auto& [name, tensor] : checkpoint.tensors)
    for (const char* number : {"1", "2"}) {
      const std::string theirs = std::string(".ls") + number + ".gamma";
      if (name.ends_with(theirs))
        name.replace(name.size() - theirs.size(), theirs.size(), std::string(".gamma_") + number);
    }
}

/// YOLOS's detection tokens stand behind the patches; as registers they stand before them, with
/// their positions. No block tells the order of tokens but by these.
void moveDetection(Checkpoint& checkpoint) {
  const at::Tensor* found = findNamed(checkpoint, "detection_token");
  const std::int64_t count = found && found->dim() == 3 ? found->size(1) : 0;
  if (count == 0) return;
  for (const char* name : {"pos_embed", "mid_pos_embed"}) {
    at::Tensor* positions = findNamed(checkpoint, name);
    const std::int64_t dim = positions ? positions->dim() - 2 : -1;
    if (dim < 1 || positions->size(dim) < count + 1) continue;
    const std::int64_t tokens = positions->size(dim);
    *positions =
        at::cat({positions->narrow(dim, 0, 1), positions->narrow(dim, tokens - count, count),
                 positions->narrow(dim, 1, tokens - count - 1)},
                dim);
  }
  renameNamed(checkpoint, "detection_token", "reg_token");
  checkpoint.notes.push_back(
      "its detection tokens stand before the patches, as registers do: maps have them there");
}

void finishBert(Checkpoint& checkpoint) {
  if (findNamed(checkpoint, "reg_token")) {  // DINOv2's, in place of its first form
    foldClassPosition(checkpoint);
    checkpoint.positions = PositionFilter::BicubicAntialiased;
  }
  moveDetection(checkpoint);
  // A second classifier reads the distillation token; without one it is a register.
  if (!findNamed(checkpoint, "head_dist.weight"))
    renameNamed(checkpoint, "dist_token", "reg_token");
  shareTable(checkpoint);
  nameScales(checkpoint);
  const bool dinoV2 = findNamed(checkpoint, "blocks.0.ls1.gamma") != nullptr;
  checkpoint.metadata.try_emplace("config",
                                  dinoV2 ? R"({"norm_eps": 1e-6})" : R"({"norm_eps": 1e-12})");
}

std::vector<NameRow> embeddingRows() {
  return {{"embeddings.patch_embeddings.projection", "patch_embed.proj"},
          {"embeddings.cls_token", "cls_token"},
          {"embeddings.distillation_token", "dist_token"},
          {"embeddings.register_tokens", "reg_token"},
          {"embeddings.detection_tokens", "detection_token"},
          {"encoder.mid_position_embeddings", "mid_pos_embed"},
          {"embeddings.position_embeddings", "pos_embed"},
          {"embeddings.mask_token", "the mask token", Drop},
          {"decoder.*", "the decoder", Drop},
          {"^decoder.*", "the decoder", Drop},
          {"pooler.dense", "the pooler, which the classifier does not read", Drop},
          {"pooler.layernorm", "fc_norm"},
          {"layernorm", "norm"},
          {"^layernorm", "norm"}};
}

/// Of blocks under `from`, as transformers has them in files.
std::vector<NameRow> fileRows() {
  const std::string from = "encoder.layer.#.", to = "blocks.#.",
                    self = from + "attention.attention.";
  return {{self + "query", to + "attn.qkv", Query},
          {self + "key", to + "attn.qkv", Key},
          {self + "value", to + "attn.qkv", Value},
          {self + "relative_position_bias.relative_position_bias_table",
           to + "attn.relative_position_bias_table"},
          {self + "relative_position_bias.relative_position_index", "", Drop},
          {from + "attention.output.dense", to + "attn.proj"},
          {from + "layernorm_before", to + "norm1"},
          {from + "layernorm_after", to + "norm2"},
          {from + "norm1", to + "norm1"},
          {from + "norm2", to + "norm2"},
          {from + "intermediate.dense", to + "mlp.fc1"},
          {from + "output.dense", to + "mlp.fc2"},
          {from + "mlp.fc1", to + "mlp.fc1"},
          {from + "mlp.fc2", to + "mlp.fc2"},
          {from + "mlp.weights_in", to + "mlp.fc1"},
          {from + "mlp.weights_out", to + "mlp.fc2"},
          {from + "layer_scale1.lambda1", to + "ls1.gamma"},
          {from + "layer_scale2.lambda1", to + "ls2.gamma"},
          {from + "lambda_1", to + "ls1.gamma"},
          {from + "lambda_2", to + "ls2.gamma"},
          {"encoder.relative_position_bias.relative_position_bias_table", kSharedTable},
          {"encoder.relative_position_bias.relative_position_index", "", Drop}};
}

/// As its newest release names them in memory.
std::vector<NameRow> memoryRows() {
  const std::string from = "layers.#.", to = "blocks.#.";
  return {{from + "attention.q_proj", to + "attn.qkv", Query},
          {from + "attention.k_proj", to + "attn.qkv", Key},
          {from + "attention.v_proj", to + "attn.qkv", Value},
          {from + "attention.o_proj", to + "attn.proj"},
          {from + "layernorm_before", to + "norm1"},
          {from + "layernorm_after", to + "norm2"},
          {from + "norm1", to + "norm1"},
          {from + "norm2", to + "norm2"},
          {from + "mlp.fc1", to + "mlp.fc1"},
          {from + "mlp.fc2", to + "mlp.fc2"},
          {from + "mlp.weights_in", to + "mlp.fc1"},
          {from + "mlp.weights_out", to + "mlp.fc2"},
          {from + "layer_scale1.lambda1", to + "ls1.gamma"},
          {from + "layer_scale2.lambda1", to + "ls2.gamma"},
          {from + "lambda_1", to + "ls1.gamma"},
          {from + "lambda_2", to + "ls2.gamma"}};
}

std::vector<NameRow> headRows() {
  return {{"^classifier", "head"},
          {"^cls_classifier", "head"},
          {"^distillation_classifier", "head_dist"},
          {"^class_labels_classifier.layers.#", "object_head.classes.#"},
          {"^bbox_predictor.layers.#", "object_head.boxes.#"},
          {"^lm_head", "the head of the pre-training", Drop},
          {"^neck.*", "the head that makes depth of features", Drop},
          {"^head.conv*", "the head that makes depth of features", Drop},
          {"^decode_head.*", "the head that makes segments of features", Drop},
          {"^auxiliary_head.*", "the head that makes segments of features", Drop},
          {"^fpn1.*", "the head that makes segments of features", Drop},
          {"^fpn2.*", "the head that makes segments of features", Drop}};
}

NameTable bertTable() {
  NameTable table{
      "transformers' ViT and its kin",
      "embeddings.patch_embeddings.projection.weight",
      {"encoder.layer.0.attention.attention.query.weight", "layers.0.attention.q_proj.weight"},
      embeddingRows(),
      finishBert};
  for (const auto& rows : {fileRows(), memoryRows(), headRows()})
    table.rows.insert(table.rows.end(), rows.begin(), rows.end());
  return table;
}

/// Of an MLP without a gate there is one first layer, and registers there may be none.
void finishDinoV3(Checkpoint& checkpoint) {
  if (!findNamed(checkpoint, "blocks.0.mlp.fc1_g.weight"))
    for (auto& [name, tensor] : checkpoint.tensors)
      if (const auto at = name.find(".mlp.fc1_x."); at != std::string::npos)
        name.replace(at, 11, ".mlp.fc1.");
  std::erase_if(checkpoint.tensors, [](const auto& named) {
    return named.first == "reg_token" && named.second.numel() == 0;
  });
}

NameTable dinoV3Table() {
  const std::string from = "layer.#.", to = "blocks.#.";
  return {"transformers' DINOv3",
          "embeddings.patch_embeddings.weight",
          {"layer.0.attention.q_proj.weight"},
          {{"embeddings.patch_embeddings", "patch_embed.proj"},
           {"embeddings.cls_token", "cls_token"},
           {"embeddings.register_tokens", "reg_token"},
           {"embeddings.mask_token", "the mask token", Drop},
           {"rope_embeddings.*", "", Drop},
           {from + "attention.q_proj", to + "attn.qkv", Query},
           {from + "attention.k_proj", to + "attn.qkv", Key},
           {from + "attention.v_proj", to + "attn.qkv", Value},
           {from + "attention.o_proj", to + "attn.proj"},
           {from + "norm1", to + "norm1"},
           {from + "norm2", to + "norm2"},
           {from + "layer_scale1.lambda1", to + "gamma_1"},
           {from + "layer_scale2.lambda1", to + "gamma_2"},
           {from + "mlp.gate_proj", to + "mlp.fc1_g"},
           {from + "mlp.up_proj", to + "mlp.fc1_x"},
           {from + "mlp.down_proj", to + "mlp.fc2"},
           {"norm", "norm"},
           {"^classifier", "head"}},
          finishDinoV3};
}

}  // namespace

std::vector<NameTable> bertTables() {
  return {bertTable(), dinoV3Table()};
}

}  // namespace headlight
