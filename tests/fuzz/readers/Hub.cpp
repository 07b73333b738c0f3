// SPDX-License-Identifier: GPL-3.0-or-later

// What lies in folders of the Hugging Face hub, and files of class names: anybody may have written
// them.

#include "core/models/Registry.h"
#include "core/workbench/classes/ClassMap.h"
#include "core/workbench/classes/ClassMatch.h"
#include "core/workbench/classes/ClassNames.h"
#include "core/workbench/hub/HubFolder.h"
#include "core/workbench/loading/HubConfig.h"
#include "tests/fuzz/Bounds.h"
#include "tests/fuzz/readers/Target.h"

namespace headlight::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfig = R"({"architecture": "deit_tiny_patch16_224", "num_classes": 3,
  "num_features": 192, "global_pool": "token", "label_names": ["a", "b", "c"],
  "label_descriptions": {"a": "an a", "b": "a b"},
  "model_args": {"img_size": 32, "patch_size": 8, "embed_dim": 48, "depth": 3, "num_heads": 3},
  "pretrained_cfg": {"tag": "fb_in1k", "input_size": [3, 224, 224], "interpolation": "bicubic",
    "crop_pct": 0.9, "crop_mode": "center", "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5],
    "num_classes": 1000, "license": "apache-2.0"}})";
constexpr const char* kOldConfig = R"({"architecture": "deit_tiny_patch16_224", "num_classes": 3,
  "labels": {"0": "a", "1": "b", "2": "c"}, "input_size": [3, 64, 48], "std": [1, 1, 1]})";
constexpr const char* kVit = R"({"model_type": "vit", "architectures":
  ["ViTForImageClassification"], "hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 3,
  "intermediate_size": 96, "hidden_act": "gelu_new", "layer_norm_eps": 1e-12, "image_size": [32, 64],
  "patch_size": 8, "qkv_bias": true, "id2label": {"0": "a", "1": "b", "2": "c"}})";
constexpr const char* kClip = R"({"model_type": "clip", "architectures": ["CLIPModel"],
  "projection_dim": 24, "vision_config": {"hidden_size": 48, "num_hidden_layers": 2,
    "num_attention_heads": 3, "intermediate_size": 96, "patch_size": 8, "image_size": 32}})";
constexpr const char* kBeit = R"({"model_type": "beit", "hidden_size": 48, "num_attention_heads": 3,
  "num_hidden_layers": 2, "use_relative_position_bias": true, "layer_scale_init_value": 0.1,
  "use_mean_pooling": false, "image_size": 32, "patch_size": 8, "intermediate_size": 96})";
constexpr const char* kDino = R"({"model_type": "dinov2_with_registers", "mlp_ratio": 4,
  "use_swiglu_ffn": true, "num_register_tokens": 4, "hidden_size": 48, "num_attention_heads": 3,
  "num_hidden_layers": 2, "image_size": 56, "patch_size": 14, "layerscale_value": 1.0})";
constexpr const char* kSwin = R"({"model_type": "swinv2", "architectures":
  ["Swinv2ForImageClassification"], "embed_dim": 16, "depths": [2, 1], "num_heads": [2, 4],
  "window_size": 4, "mlp_ratio": 2.0, "image_size": 32, "patch_size": 2,
  "pretrained_window_sizes": [3, 0]})";
constexpr const char* kOpenClip = R"({"model_cfg": {"embed_dim": 24, "quick_gelu": true,
  "vision_cfg": {"image_size": 32, "layers": 2, "width": 48, "head_width": 16, "patch_size": 8,
    "mlp_ratio": 2.0}}, "preprocess_cfg": {"mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5]}})";
constexpr const char* kYolos = R"({"model_type": "yolos", "architectures":
  ["YolosForObjectDetection"], "hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 3,
  "intermediate_size": 96, "image_size": [32, 48], "patch_size": 8, "num_detection_tokens": 6,
  "use_mid_position_embeddings": true, "id2label": {"0": "a", "1": "b", "2": "c"}})";
constexpr const char* kDinoV3 = R"({"model_type": "dinov3_vit", "hidden_size": 48,
  "num_attention_heads": 3, "num_hidden_layers": 2, "intermediate_size": 96, "image_size": 32,
  "patch_size": 8, "num_register_tokens": 4, "use_gated_mlp": true, "hidden_act": "silu",
  "rope_parameters": {"rope_theta": 100.0}, "layerscale_value": 1.0})";
constexpr const char* kSiglip = R"({"model_type": "siglip2", "vision_config": {"hidden_size": 48,
  "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 96, "patch_size": 8,
  "num_patches": 16, "vision_use_head": true}})";
constexpr const char* kDepth = R"({"model_type": "depth_anything", "backbone_config": {"model_type":
  "dinov2", "hidden_size": 48, "num_attention_heads": 3, "num_hidden_layers": 2, "image_size": 56,
  "patch_size": 14, "mlp_ratio": 4}})";
constexpr const char* kProcessor = R"({"do_resize": true, "size": {"shortest_edge": 40},
  "do_center_crop": true, "crop_size": {"height": 32, "width": 32}, "resample": 3,
  "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5], "rescale_factor": 0.00392})";
constexpr const char* kIndex = R"({"metadata": {"total_size": 8},
  "weight_map": {"cls_token": "model.safetensors", "pos_embed": "model.safetensors"}})";

Result<void> readConfig(const fs::path& folder, const std::string& text) {
  writeBytes(folder / "config.json", text);
  const auto found = findHubFolder(folder);
  if (!found) return found.error();
  const auto known = guarded("config.json", [&] { return readHubConfig(*found); });
  return readThen(known, [](const HubModel& hub) {
    const ModelConfig& model = hub.experiment.model;
    require(
        hub.classNames.empty() || static_cast<int>(hub.classNames.size()) == namedClasses(model),
        "names");
    require(hub.classKeys.empty() || hub.classKeys.size() == hub.classNames.size(), "keys");
    (void)guarded("", [&] { return modelCost(model).macs; });
  });
}

Result<void> readProcessor(const fs::path& folder, const std::string& text) {
  writeBytes(folder / "preprocessor_config.json", text);
  return readConfig(folder, kVit);
}

Result<void> readIndex(const fs::path& folder, const std::string& text) {
  writeBytes(folder / "model.safetensors.index.json", text);
  return readThen(findHubFolder(folder), [&](const HubFolder& found) {
    for (const fs::path& file : found.weights)
      require(file.parent_path() == folder, "a file elsewhere");
  });
}

/// A map, and what is done with one that is read.
Result<void> readMap(const fs::path& file, const std::string& text) {
  writeBytes(file, text);
  const std::vector<std::string> names{"a", "b", "c, or d"};
  const auto match = matchClasses({"cat", "dog"}, {3, names, {}, ClassNamesFrom::Model, true},
                                  {"auto", file.string()});
  return readThen(match, [](const ClassMatch& found) {
    require(found.order.size() == 2, "a class is missing");
    for (const std::int64_t index : found.order)
      require(index >= 0 && index < 3, "a class that the model does not have");
  });
}

fs::path madeFolder(const fs::path& folder) {
  fs::create_directories(folder);
  return folder;
}

}  // namespace

std::vector<Target> hubTargets(const fs::path& folder) {
  const fs::path plain = madeFolder(folder / "timm"), sharded = madeFolder(folder / "shards"),
                 processed = madeFolder(folder / "processed");
  for (const fs::path& place : {plain, processed})
    writeBytes(place / "model.safetensors", "weights");
  writeBytes(sharded / "model-00001.safetensors", "weights");
  writeBytes(sharded / "config.json", kConfig);
  const std::string index = [] {
    std::string text = kIndex;
    for (auto at = text.find("model.saf"); at != std::string::npos; at = text.find("model.saf", at))
      text.replace(at, 5, "model-00001");
    return text;
  }();
  return {{"timm's config.json",
           Kind::Json,
           {kConfig, kOldConfig},
           [=](const std::string& text) { return readConfig(plain, text); }},
          {"other libraries' config.json",
           Kind::Json,
           {kVit, kClip, kBeit, kDino, kSwin, kOpenClip, kYolos, kDinoV3, kSiglip, kDepth},
           [=](const std::string& text) { return readConfig(plain, text); }},
          {"transformers' preprocessor_config.json",
           Kind::Json,
           {kProcessor},
           [=](const std::string& text) { return readProcessor(processed, text); }},
          {"index of shards",
           Kind::Json,
           {index},
           [=](const std::string& text) { return readIndex(sharded, text); }},
          {"class names",
           Kind::Text,
           {"a\nb\nc\n", R"(["a", "b", "c"])", R"({"id2label": {"0": "a", "1": "b", "2": "c"}})"},
           [=](const std::string& text) {
             writeBytes(folder / "names", text);
             return readThen(readClassNames(folder / "names", 3),
                             [](const auto& names) { require(names.size() == 3, "names"); });
           }},
          {"class map",
           Kind::Text,
           {"cat,a\ndog,2\n", "folder,class\n\"cat\",\"c, or d\"\ndog,b\n", "cat\t0\ndog\tb\n",
            R"({"cat": "a", "dog": 2})"},
           [=](const std::string& text) { return readMap(folder / "map", text); }}};
}

}  // namespace headlight::fuzz
