// SPDX-License-Identifier: GPL-3.0-or-later

// NameTables.h: LeViT's authors, who count blocks through all stages and MLPs among them.

#include <array>
#include <map>
#include <utility>

#include "core/checkpoint/foreign/NameTables.h"

namespace headlight {
namespace {

using enum TensorRule;

constexpr int kMostCounted = 1000;
const std::string kBlocks = "blocks.";

/// Within a block: theirs and timm's.
constexpr std::array<std::pair<const char*, const char*>, 10> kInside{
    {{"qkv.c.", "qkv.linear."},
     {"kv.c.", "kv.linear."},
     {"q.1.c.", "q.ln.linear."},
     {"q.1.bn.", "q.ln.bn."},
     {"proj.1.c.", "proj.ln.linear."},
     {"proj.1.bn.", "proj.ln.bn."},
     {"0.c.", "ln1.linear."},
     {"0.bn.", "ln1.bn."},
     {"2.c.", "ln2.linear."},
     {"2.bn.", "ln2.bn."}}};

/// What each of their blocks is in timm: "stages.1.downsample.mlp." of "blocks.5.".
std::map<std::string, std::string> placesOf(Checkpoint& checkpoint) {
  std::map<std::string, std::string> places;
  int stage = 0, block = 0;
  std::string owner;  // of the MLP that follows
  for (int number = 0; number < kMostCounted; ++number) {
    const std::string theirs = kBlocks + std::to_string(number) + ".";
    const auto has = [&](const char* name) { return findNamed(checkpoint, theirs + name); };
    std::string part = "attn.";
    if (has("m.qkv.c.weight")) {
      owner = "stages." + std::to_string(stage) + ".blocks." + std::to_string(block++) + ".";
    } else if (has("kv.c.weight")) {
      owner = "stages." + std::to_string(++stage) + ".downsample.";
      part = "attn_downsample.";
      block = 0;
    } else if (has("m.0.c.weight")) {
      part = "mlp.";
    } else {
      break;
    }
    places[theirs] = owner + part;
  }
  return places;
}

std::string insideName(std::string name) {
  if (name.starts_with("m.")) name.erase(0, 2);
  for (const auto& [theirs, ours] : kInside)
    if (name.starts_with(theirs)) return ours + name.substr(std::string_view(theirs).size());
  return name;
}

void finishLevit(Checkpoint& checkpoint) {
  const auto places = placesOf(checkpoint);
  for (auto& [name, tensor] : checkpoint.tensors) {
    const auto dot = name.find('.', kBlocks.size());
    if (!name.starts_with(kBlocks) || dot == std::string::npos) continue;
    const auto place = places.find(name.substr(0, dot + 1));
    if (place != places.end()) name = place->second + insideName(name.substr(dot + 1));
  }
  std::erase_if(checkpoint.tensors,
                [](const auto& named) { return named.first.ends_with("attention_bias_idxs"); });
}

}  // namespace

std::vector<NameTable> levitTables() {
  NameTable table{"LeViT's authors",
                  "patch_embed.0.c.weight",
                  {"blocks.0.m.qkv.c.weight"},
                  {{"head.l", "head.linear"},
                   {"head_dist.l", "head_dist.linear"},
                   {"head.bn.*", "head.bn.*"},
                   {"head_dist.bn.*", "head_dist.bn.*"},
                   {"blocks.*", "blocks.*"}},
                  finishLevit};
  for (int convolution = 0; convolution < 4; ++convolution) {
    const std::string theirs = "patch_embed." + std::to_string(2 * convolution) + ".",
                      ours = "stem.conv" + std::to_string(convolution + 1) + ".";
    table.rows.push_back({theirs + "c", ours + "linear"});
    table.rows.push_back({theirs + "bn.*", ours + "bn.*"});
  }
  return {table};
}

}  // namespace headlight
