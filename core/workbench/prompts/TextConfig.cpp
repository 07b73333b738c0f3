// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/prompts/TextConfig.h"

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/ConfigText.h"
#include "core/workbench/foreign/ConfigValues.h"
#include "core/workbench/foreign/TransformersFamilies.h"

namespace headlight {
namespace {

constexpr int kMostLayers = 256, kMostHeads = 4096, kLargestToken = 10'000'000;
constexpr std::size_t kMostTextLabels = 50'000;

/// An empty object where the file is missing.
Json readObject(const std::filesystem::path& file) {
  if (!isThere(file)) return Json::object();
  const std::string text = valueOrThrow(readFile(file, kMaxConfigText));
  Json json = valueOrThrow(parseConfigJson(text, file.string(), kMaxConfigText, kMostTextLabels));
  return json.is_object() ? json : Json::object();
}

TextTowerOptions readTower(const ConfigValues& text, bool clip) {
  TextTowerOptions options;
  options.causal = clip;
  options.layers = text.whole("num_hidden_layers", 12, 1, kMostLayers);
  options.heads = text.whole("num_attention_heads", clip ? 8 : 12, 1, kMostHeads);
  options.normEpsilon = text.number("layer_norm_eps", clip ? 1e-5 : 1e-6);
  options.activation =
      activationNamed(text, "hidden_act", clip ? "quick_gelu" : "gelu_pytorch_tanh");
  options.endToken = text.whole("eos_token_id", 49407, 0, kLargestToken);
  return options;
}

/// open_clip reads the largest number of a text (OpenAI's rule).
TextConfig readOpenClipText(const std::filesystem::path& file) {
  const ConfigValues clip = ConfigValues(readObject(file), file.string()).part("model_cfg");
  const ConfigValues text = clip.part("text_cfg");
  if (!clip.has("text_cfg") || text.has("hf_model_name")) return {};
  if (text.text("pool_type", "argmax") != "argmax")
    text.refuse("pool_type", tr("only argmax is supported; prompts cannot be used"));
  for (const char* key : {"no_causal_mask", "embed_cls"})
    text.requireFlag(key, false);
  constexpr std::int64_t kLargestIsEnd = 2;
  TextConfig result;
  result.kind = "CLIP";
  result.tower.layers = text.whole("layers", 12, 1, kMostLayers);
  result.tower.heads = text.whole("heads", 8, 1, kMostHeads);
  result.tower.activation = clip.flag("quick_gelu", false) ? "quick_gelu" : "gelu";
  result.tower.endToken = kLargestIsEnd;
  return result;
}

}  // namespace

TextConfig readTextConfig(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "config.json",
                              openClip = folder / "open_clip_config.json";
  if (!isThere(file) && isThere(openClip)) return readOpenClipText(openClip);
  const ConfigValues config(readObject(file), file.string());
  const bool typed =
      config.json().contains("model_type") && config.json()["model_type"].is_string();
  const std::string type = typed ? config.text("model_type", "") : "";
  if (type != "clip" && type != "siglip" && type != "siglip2") return {};
  const ConfigValues text = config.part("text_config");
  TextConfig result;
  result.kind = type == "clip" ? "CLIP" : "SigLIP";
  result.tower = readTower(text, type == "clip");
  result.padToken = text.whole("pad_token_id", 1, 0, kLargestToken);
  return result;
}

std::int64_t findPadToken(const std::filesystem::path& folder, const Tokenizer& tokenizer,
                          const TextConfig& config) {
  const Json json = readObject(folder / "tokenizer_config.json");
  Json token = json.value("pad_token", Json());
  if (token.is_object()) token = token.value("content", Json());
  const auto found = token.is_string() ? tokenizer.find(token.get<std::string>()) : std::nullopt;
  return found.value_or(config.padToken);
}

}  // namespace headlight
