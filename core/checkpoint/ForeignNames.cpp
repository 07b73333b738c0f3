// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/ForeignNames.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>
#include <optional>

namespace headlight {
namespace {

at::Tensor* findTensor(Checkpoint& checkpoint, const std::string& name) {
  for (auto& [known, tensor] : checkpoint.tensors)
    if (known == name) return &tensor;
  return nullptr;
}

void replacePart(std::string& name, const std::string& from, const std::string& to) {
  const auto at = name.find(from);
  if (at != std::string::npos) name.replace(at, from.size(), to);
}

void renameAll(Checkpoint& checkpoint,
               const std::vector<std::pair<std::string, std::string>>& names) {
  for (auto& [name, tensor] : checkpoint.tensors)
    for (const auto& [from, to] : names)
      replacePart(name, from, to);
}

/// DINOv2's LayerScale and masked training, which timm's own files never have together.
bool isDinoV2(Checkpoint& checkpoint) {
  return findTensor(checkpoint, "mask_token") && findTensor(checkpoint, "pos_embed") &&
         findTensor(checkpoint, "blocks.0.ls1.gamma");
}

/// Its positions begin with the class token's; with registers timm keeps the sum of both.
void foldClassPositionBeforeRegisters(Checkpoint& checkpoint) {
  at::Tensor *token = findTensor(checkpoint, "cls_token"),
             *positions = findTensor(checkpoint, "pos_embed");
  const bool fits = token && token->dim() == 3 && positions->dim() == 3 && token->size(0) == 1 &&
                    token->size(1) == 1 && positions->size(0) == 1 && positions->size(1) > 1 &&
                    token->size(2) == positions->size(2) && token->is_floating_point() &&
                    positions->is_floating_point();
  if (!fits) return;
  *token = token->add(positions->narrow(1, 0, 1));
  *positions = positions->narrow(1, 1, positions->size(1) - 1).contiguous();
}

void readDinoV2(Checkpoint& checkpoint) {
  if (findTensor(checkpoint, "register_tokens")) foldClassPositionBeforeRegisters(checkpoint);
  std::erase_if(checkpoint.tensors, [](const auto& named) { return named.first == "mask_token"; });
  renameAll(
      checkpoint,
      {{"register_tokens", "reg_token"}, {".mlp.w12.", ".mlp.fc1."}, {".mlp.w3.", ".mlp.fc2."}});
  checkpoint.notes.push_back("DINOv2's own file: read under timm's names");
}

bool onlyTrainsDinoV3(const std::string& name) {
  return name == "mask_token" || name.ends_with(".periods") || name.ends_with(".bias_mask") ||
         name.starts_with("local_cls_norm") || name.starts_with("projectors.");
}

/// For queries and values; for keys it is masked away. timm has models without it where it is zero.
void splitBias(const std::string& name, const at::Tensor& bias, NamedTensors& split) {
  const std::int64_t width = bias.size(0) / 3;
  const at::Tensor query = bias.narrow(0, 0, width).clone(),
                   value = bias.narrow(0, 2 * width, width).clone();
  const std::string before = name.substr(0, name.size() - std::string("qkv.bias").size());
  split.emplace_back(before + "q_bias", query);
  split.emplace_back(before + "v_bias", value);
}

void readDinoV3(Checkpoint& checkpoint) {
  std::erase_if(checkpoint.tensors,
                [](const auto& named) { return onlyTrainsDinoV3(named.first); });
  NamedTensors kept, biases;
  for (auto& named : checkpoint.tensors) {
    const bool bias = named.first.ends_with("attn.qkv.bias") && named.second.dim() == 1 &&
                      named.second.size(0) % 3 == 0;
    if (bias)
      splitBias(named.first, named.second, biases);
    else
      kept.push_back(std::move(named));
  }
  const bool biased = std::any_of(biases.begin(), biases.end(), [](const auto& named) {
    return named.second.count_nonzero().template item<std::int64_t>() > 0;
  });
  if (biased) kept.insert(kept.end(), biases.begin(), biases.end());
  checkpoint.tensors = std::move(kept);
  renameAll(checkpoint, {{"storage_tokens", "reg_token"},
                         {".ls1.gamma", ".gamma_1"},
                         {".ls2.gamma", ".gamma_2"},
                         {".mlp.w1.", ".mlp.fc1_g."},
                         {".mlp.w2.", ".mlp.fc1_x."},
                         {".mlp.w3.", ".mlp.fc2."}});
  checkpoint.notes.push_back("DINOv3's own file: read under timm's names");
}

// ---- Blocks in chunks: FSDP trainings of DINOv2 wrap several blocks at a time ----------------------

/// "blocks.1.3.norm1.weight" → 1, 3 and what follows.
struct ChunkedName {
  std::size_t chunk = 0, block = 0;
  std::string rest;
};

/// The number at the beginning, and takes it and the '.' behind it away.
std::optional<std::size_t> takeNumber(std::string_view& text) {
  std::size_t digits = 0, number = 0;
  while (digits < text.size() && digits < 6 && text[digits] >= '0' && text[digits] <= '9')
    number = 10 * number + static_cast<std::size_t>(text[digits++] - '0');
  if (digits == 0 || digits == text.size() || text[digits] != '.') return std::nullopt;
  text.remove_prefix(digits + 1);
  return number;
}

std::optional<ChunkedName> chunkedName(std::string_view name) {
  if (!name.starts_with("blocks.")) return std::nullopt;
  name.remove_prefix(std::string_view("blocks.").size());
  const auto chunk = takeNumber(name);
  const auto block = chunk ? takeNumber(name) : std::nullopt;
  if (!block) return std::nullopt;
  return ChunkedName{*chunk, *block, std::string(name)};
}

/// Blocks go on counting from chunk to chunk (DINOv2), or begin anew in each: then by their order.
void countBlocksOnce(Checkpoint& checkpoint) {
  std::map<std::size_t, std::size_t> chunkOf;                        // of a block's own number
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> place;  // among all blocks
  bool own = true;
  for (const auto& [name, tensor] : checkpoint.tensors)
    if (const auto chunked = chunkedName(name)) {
      own = own && chunkOf.emplace(chunked->block, chunked->chunk).first->second == chunked->chunk;
      place[{chunked->chunk, chunked->block}] = 0;
    }
  if (place.empty()) return;
  std::size_t count = 0;
  for (auto& [key, number] : place)
    number = own ? key.second : count++;
  for (auto& [name, tensor] : checkpoint.tensors)
    if (const auto chunked = chunkedName(name))
      name = "blocks." + std::to_string(place.at({chunked->chunk, chunked->block})) + "." +
             chunked->rest;
  checkpoint.notes.push_back("blocks in chunks: counted through");
}

// ---- A ViT's head by another name -----------------------------------------------------------------

void nameHead(Checkpoint& checkpoint) {
  const at::Tensor *patches = findTensor(checkpoint, "patch_embed.proj.weight"),
                   *weight = findTensor(checkpoint, "head.fc.weight");
  const bool vit = patches && findTensor(checkpoint, "blocks.0.norm1.weight");
  const bool fits = vit && weight && weight->dim() == 2 && patches->dim() == 4 &&
                    weight->size(1) == patches->size(0) && !findTensor(checkpoint, "head.weight");
  if (!fits) return;
  for (auto& [name, tensor] : checkpoint.tensors)
    if (name.starts_with("head.fc.")) name.erase(5, 3);
  checkpoint.notes.push_back("head.fc is read as the head");
}

}  // namespace

void useTimmNames(Checkpoint& checkpoint) {
  countBlocksOnce(checkpoint);
  nameHead(checkpoint);
  if (findTensor(checkpoint, "storage_tokens"))
    readDinoV3(checkpoint);
  else if (isDinoV2(checkpoint))
    readDinoV2(checkpoint);
}

void spreadGrayPatches(Checkpoint& checkpoint) {
  at::Tensor* patches = findTensor(checkpoint, "patch_embed.proj.weight");
  if (!patches || patches->dim() != 4 || patches->size(1) != 1 || !patches->is_floating_point())
    return;
  const at::Tensor gray = *patches;
  *patches = at::cat({gray * 0.299, gray * 0.587, gray * 0.114}, 1);
  checkpoint.notes.push_back(
      "its patches have one channel: the model sees the brightness of an image; the same mean and "
      "deviation count for all colors");
}

}  // namespace headlight
