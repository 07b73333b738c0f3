// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/prompts/PromptHead.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>

#include "core/base/Translation.h"
#include "core/models/Registry.h"
#include "core/models/text/TextTowerNames.h"
#include "core/workbench/prompts/TextConfig.h"

namespace headlight {
namespace {

using Ids = std::vector<std::int64_t>;

constexpr std::size_t kBatch = 64;  // texts that go through the tower together

void requireLength(const Ids& ids, std::int64_t most, const std::string& text) {
  if (static_cast<std::int64_t>(ids.size()) <= most) return;
  throw Failure({ErrorCode::InvalidArgument,
                 tr("has ") + std::to_string(ids.size()) + tr(" tokens, and the model reads ") +
                     std::to_string(most) + tr("; shorten it"),
                 "\"" + text + "\""});
}

/// A text with the numbers of its tokens, and its place among all.
struct EncodedTexts {
  std::map<std::size_t, std::vector<std::size_t>> byLength;
  std::vector<Ids> ids;
};

EncodedTexts encodeAll(const std::vector<std::string>& texts, const Tokenizer& tokenizer,
                       const TextTower& tower, std::optional<std::int64_t> pad) {
  EncodedTexts all;
  for (const std::string& text : texts) {
    Ids ids = valueOrThrow(tokenizer.encode(text));
    requireLength(ids, tower.positions(), text);
    if (pad) ids.resize(static_cast<std::size_t>(tower.positions()), *pad);
    all.byLength[ids.size()].push_back(all.ids.size());
    all.ids.push_back(std::move(ids));
  }
  return all;
}

at::Tensor batchOf(const EncodedTexts& all, const std::size_t* places, std::size_t count) {
  std::vector<at::Tensor> rows;
  for (std::size_t i = 0; i < count; ++i)
    rows.push_back(at::tensor(all.ids[places[i]], at::kLong));
  return at::stack(rows);
}

/// [C, E]. Texts of one length go together: none is filled up for another's sake.
at::Tensor embedAll(const EncodedTexts& all, const TextTower& tower) {
  std::vector<at::Tensor> rows(all.ids.size());
  for (const auto& [length, places] : all.byLength)
    for (std::size_t from = 0; from < places.size(); from += kBatch) {
      const std::size_t count = std::min(kBatch, places.size() - from);
      const at::Tensor batch = tower.embed(batchOf(all, places.data() + from, count));
      for (std::size_t i = 0; i < count; ++i)
        rows[places[from + i]] = batch[static_cast<std::int64_t>(i)];
    }
  return at::stack(rows);
}

at::Tensor unitRows(const at::Tensor& rows, const std::string& where) {
  at::Tensor unit = rows / rows.norm(2, -1, /*keepdim=*/true);
  if (!at::isfinite(unit).all().item<bool>())
    throw Failure({ErrorCode::InvalidFile,
                   tr("its text tower gives no numbers; download the model again"), where});
  return unit;
}

at::Tensor* findTensor(Checkpoint& checkpoint, const std::string& name) {
  for (auto& [known, tensor] : checkpoint.tensors)
    if (known == name) return &tensor;
  return nullptr;
}

/// CLIP's projection of images, which was the head.
void moveProjection(Checkpoint& weights, ModelConfig& model) {
  if (model.classes == 0) return;  // SigLIP has none
  model.layout["pre_logits"] = model.classes;
  std::erase_if(weights.tensors, [](const auto& named) { return named.first == "head.bias"; });
  for (auto& [name, tensor] : weights.tensors)
    if (name == "head.weight") name = "pre_logits.fc.weight";
}

std::int64_t embeddingWidth(Checkpoint& weights, const ModelConfig& model) {
  const at::Tensor* projection = findTensor(weights, "pre_logits.fc.weight");
  return projection && projection->dim() == 2 ? projection->size(0) : model.width;
}

}  // namespace

bool describesTextTower(const std::filesystem::path& folder) {
  return !readTextConfig(folder).kind.empty();
}

TextSide findTextSide(const std::filesystem::path& folder, const NamedTensors& tensors) {
  if (!hasTextTower(inTextTowerNames(tensors))) return {};
  return {readTextConfig(folder).kind, tokenizerFiles(folder)};
}

PromptEmbeddings embedPrompts(const std::vector<std::string>& texts,
                              const std::filesystem::path& folder, const NamedTensors& tensors) {
  const at::NoGradGuard noGrad;
  const TextConfig config = readTextConfig(folder);
  const TextTower tower(config.tower, inTextTowerNames(tensors), folder.string());
  const Tokenizer tokenizer = valueOrThrow(readTokenizer(folder));
  const bool sigmoid = !config.tower.causal;
  const auto pad = sigmoid ? std::optional(findPadToken(folder, tokenizer, config)) : std::nullopt;
  const at::Tensor rows = embedAll(encodeAll(texts, tokenizer, tower, pad), tower);
  return {unitRows(rows, folder.string()), tower.scale(), tower.bias(), sigmoid};
}

void addPromptHead(const PromptEmbeddings& prompts, Checkpoint& weights, ModelConfig& model) {
  if (!prompts.sigmoid && model.classes == 0)
    throw Failure({ErrorCode::UnsupportedFile,
                   tr("its projection of images is not read, so they cannot be compared with "
                      "prompts; open the same model in transformers' format"),
                   ""});
  moveProjection(weights, model);
  const std::int64_t width = embeddingWidth(weights, model), count = prompts.rows.size(0);
  if (prompts.rows.size(1) != width)
    throw Failure({ErrorCode::InvalidFile,
                   tr("its embeddings of texts have ") + std::to_string(prompts.rows.size(1)) +
                       tr(" numbers, those of images ") + std::to_string(width) +
                       tr("; download the model again"),
                   ""});
  model.classes = static_cast<int>(count);
  model.layout["cosine"] = true;
  if (prompts.sigmoid) model.layout["scores"] = "sigmoid";
  weights.tensors.emplace_back("head.weight", prompts.rows * prompts.scale);
  weights.tensors.emplace_back("head.bias", at::full({count}, prompts.bias));
  model = checkedAndCompleted(model);
}

}  // namespace headlight
