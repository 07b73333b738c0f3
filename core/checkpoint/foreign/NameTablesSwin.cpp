// SPDX-License-Identifier: GPL-3.0-or-later

// NameTables.h: Swin: transformers', torchvision's and its authors'.

#include <ATen/ATen.h>

#include <array>
#include <map>

#include "core/checkpoint/foreign/NameTables.h"

namespace headlight {
namespace {

using enum TensorRule;

constexpr int kMostStages = 6;

/// timm merges patches where a stage begins; others where the one before it ends.
std::string mergerOf(int stage) {
  return "layers." + std::to_string(stage + 1) + ".downsample.*";
}

/// Of the blocks of one stage: both of transformers' namings.
void addStage(const std::string& from, const std::string& to, std::vector<NameRow>& rows) {
  const std::string self = from + "attention.self.", table = "relative_position_bias_table";
  const std::vector<NameRow> stage{
      {self + "query", to + "attn.qkv", Query},
      {self + "key", to + "attn.qkv", Key},
      {self + "value", to + "attn.qkv", Value},
      {self + table, to + "attn." + table},
      {self + "relative_position_index", "", Drop},
      {self + "relative_coords_table", "", Drop},
      {self + "logit_scale", to + "attn.logit_scale"},
      {self + "continuous_position_bias_mlp.*", to + "attn.cpb_mlp.*"},
      {from + "attention.output.dense", to + "attn.proj"},
      {from + "attention.q_proj", to + "attn.qkv", Query},
      {from + "attention.k_proj", to + "attn.qkv", Key},
      {from + "attention.v_proj", to + "attn.qkv", Value},
      {from + "attention.o_proj", to + "attn.proj"},
      {from + "attention.relative_position_bias." + table, to + "attn." + table},
      {from + "attention.relative_position_bias.relative_position_index", "", Drop},
      {from + "layernorm_before", to + "norm1"},
      {from + "layernorm_after", to + "norm2"},
      {from + "intermediate.dense", to + "mlp.fc1"},
      {from + "output.dense", to + "mlp.fc2"},
      {from + "mlp.fc1", to + "mlp.fc1"},
      {from + "mlp.fc2", to + "mlp.fc2"}};
  rows.insert(rows.end(), stage.begin(), stage.end());
}

/// Swin V2's keys have no bias: in one with those of queries and values it is zero.
void joinBiases(Checkpoint& checkpoint) {
  const std::string query = ".q_bias", value = ".v_bias";
  std::map<std::string, std::array<at::Tensor, 2>> biases;  // by "layers.0.blocks.0.attn"
  NamedTensors kept;
  for (const auto& [name, tensor] : checkpoint.tensors) {
    const bool ofQueries = name.ends_with(query);
    if (ofQueries || name.ends_with(value))
      biases[name.substr(0, name.size() - query.size())][ofQueries ? 0 : 1] = tensor;
    else
      kept.emplace_back(name, tensor);
  }
  for (const auto& [attention, parts] : biases) {
    if (!parts[0].defined() || !parts[1].defined()) continue;
    kept.emplace_back(attention + ".qkv.bias",
                      at::cat({parts[0], at::zeros_like(parts[0]), parts[1]}));
  }
  checkpoint.tensors = std::move(kept);
}

NameTable swinTable() {
  NameTable table{"transformers' Swin",
                  "embeddings.patch_embeddings.projection.weight",
                  {"encoder.layers.0.blocks.0.attention.self.query.weight",
                   "encoder.layers.0.blocks.0.attention.q_proj.weight"},
                  {{"embeddings.patch_embeddings.projection", "patch_embed.proj"},
                   {"embeddings.norm", "patch_embed.norm"},
                   {"embeddings.position_embeddings", "pos_embed"},
                   {"embeddings.mask_token", "the mask token", Drop},
                   {"layernorm", "norm"},
                   {"^classifier", "head.fc"},
                   {"^decoder.*", "the decoder", Drop}},
                  joinBiases};
  for (int stage = 0; stage < kMostStages; ++stage) {
    const std::string number = std::to_string(stage);
    table.rows.push_back({"encoder.layers." + number + ".downsample.*", mergerOf(stage)});
    addStage("encoder.layers." + number + ".blocks.#.", "layers." + number + ".blocks.#.",
             table.rows);
  }
  return table;
}

/// Blocks are `features.1`, `.3`, …, and what merges patches lies between.
NameTable torchvisionSwinTable() {
  NameTable table{"torchvision's Swin",
                  "features.0.0.weight",
                  {"features.1.0.attn.qkv.weight"},
                  {{"features.0.0", "patch_embed.proj"},
                   {"features.0.2", "patch_embed.norm"},
                   {"norm", "norm"},
                   {"head", "head.fc"}}};
  for (int stage = 0; stage < kMostStages; ++stage) {
    const std::string from = "features." + std::to_string(2 * stage + 1) + ".#.",
                      to = "layers." + std::to_string(stage) + ".blocks.#.";
    table.rows.push_back({from + "attn.relative_position_index", "", Drop});
    table.rows.push_back({from + "mlp.0", to + "mlp.fc1"});
    table.rows.push_back({from + "mlp.3", to + "mlp.fc2"});
    table.rows.push_back({from + "*", to + "*"});
    table.rows.push_back({"features." + std::to_string(2 * stage + 2) + ".*", mergerOf(stage)});
  }
  return table;
}

NameTable officialSwinTable() {
  NameTable table{"Swin's authors",
                  "patch_embed.proj.weight",
                  {"layers.0.downsample.reduction.weight"},
                  {{"head", "head.fc"}, {"head.fc", "head.fc"}}};
  for (int stage = 0; stage < kMostStages; ++stage) {
    const std::string blocks = "layers." + std::to_string(stage) + ".blocks.#.";
    table.rows.push_back({blocks + "attn.relative_position_index", "", Drop});
    table.rows.push_back({blocks + "attn_mask", "", Drop});
    table.rows.push_back({"layers." + std::to_string(stage) + ".downsample.*", mergerOf(stage)});
  }
  table.rows.push_back({"*", "*"});
  return table;
}

}  // namespace

std::vector<NameTable> swinTables() {
  return {swinTable(), torchvisionSwinTable(), officialSwinTable()};
}

}  // namespace headlight
