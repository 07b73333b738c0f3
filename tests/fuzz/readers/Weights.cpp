// SPDX-License-Identifier: GPL-3.0-or-later

// What weights say of themselves: the metadata of checkpoints, and names and shapes alone. The
// container around them is always whole; tests/fuzz/checkpoint damages that.

#include <ATen/Functions.h>

#include <cstring>

#include "core/base/files/Files.h"
#include "core/checkpoint/TensorNests.h"
#include "core/checkpoint/foreign/TimmNames.h"
#include "core/models/Registry.h"
#include "core/training/run/ModelFile.h"
#include "core/training/run/TrainingCheckpoint.h"
#include "core/training/sequence/SequenceFile.h"
#include "core/workbench/hub/HubFolder.h"
#include "core/workbench/identify/IdentifyModel.h"
#include "core/workbench/loading/LoadedModel.h"
#include "tests/checkpoint/FileBuilders.h"
#include "tests/fuzz/Bounds.h"
#include "tests/fuzz/readers/Target.h"

namespace headlight::fuzz {
namespace {

namespace fs = std::filesystem;

/// Of tensors that are made for names and shapes; larger ones are left out.
constexpr std::uint64_t kMostElements = 1 << 20;

struct WeightFile {
  Json header;
  std::string data;

  static WeightFile read(const fs::path& path) {
    const std::string bytes = valueOrThrow(readFile(path, 1 << 26));
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data(), sizeof size);
    WeightFile file{Json::parse(bytes.substr(8, size)), bytes.substr(8 + size)};
    // What is damaged is to be read, not to be noticed.
    if (file.header.contains("__metadata__")) file.header["__metadata__"].erase("checksums");
    return file;
  }
};

std::string textOf(const Json& json) {
  return json.is_string() ? json.get<std::string>()
                          : json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Its metadata with every value that is JSON as JSON, so that it can be damaged inside.
std::string openedMetadata(const WeightFile& file) {
  Json opened = Json::object();
  for (const auto& [key, value] : file.header["__metadata__"].items()) {
    const Json inner = Json::parse(value.get<std::string>(), nullptr, false);
    opened[key] = inner.is_structured() ? inner : value;
  }
  return opened.dump();
}

/// The same file with other metadata.
void writeWithMetadata(const fs::path& path, const WeightFile& file, const std::string& text) {
  const Json opened = Json::parse(text, nullptr, false);
  Json header = file.header;
  header["__metadata__"] = Json::object();
  if (opened.is_object())
    for (const auto& [key, value] : opened.items())
      header["__metadata__"][key] = textOf(value);
  else
    header["__metadata__"]["experiment"] = text;
  writeBytes(path, testing::safetensorsBytes(textOf(header), file.data));
}

Target trainingMetadata(const fs::path& folder) {
  const OpenFolder opened = valueOrThrow(OpenFolder::open(folder));
  const char* name = "training.safetensors";
  const fs::path path = folder / name;
  TrainingCheckpoint checkpoint;
  checkpoint.experiment.model =
      checkedAndCompleted(valueOrThrow(modelFromJson(Json::parse(R"({"image_size": 16,
          "patch_size": 4, "width": 16, "depth": 2, "heads": 2, "classes": 3})"),
                                                     modelCatalog())));
  checkpoint.masks = MaskScheme(makeMaskShape(checkpoint.experiment.model));
  checkpoint.classNames = {"cat", "dog", "häher"};
  checkpoint.progress = 0.5;
  checkpoint.weights = {{"norm.weight", at::ones({16})}};
  valueOrThrow(writeTrainingCheckpoint(opened, name, checkpoint));
  const WeightFile file = WeightFile::read(path);
  return {"metadata of a run", Kind::Json, {openedMetadata(file)}, [=](const std::string& text) {
            writeWithMetadata(path, file, text);
            const auto whole = valueOrThrow(readSafetensors(path)).metadata;
            const auto model = readModelMetadata(whole, "fuzz");
            const auto progress = guarded("", [&] { return readProgress(whole, "fuzz"); });
            const auto read = readTrainingCheckpoint(opened, name);
            for (const auto* error :
                 {model ? nullptr : &model.error(), progress ? nullptr : &progress.error()})
              if (error) return Result<void>(*error);
            return readThen(read, [](const TrainingCheckpoint&) {});
          }};
}

Target sequenceMetadata(const fs::path& folder) {
  const OpenFolder opened = valueOrThrow(OpenFolder::open(folder));
  const char* name = "sequence.safetensors";
  const fs::path path = folder / name;
  SequenceFile saved;
  saved.experiment = valueOrThrow(sequenceFromText(
      R"({"data": {"kind": "text", "path": "book.txt"},
          "model": {"width": 4, "depth": 1, "length": 8, "rank": 2, "window": 4}})",
      "fuzz"));
  saved.position.emplace();
  saved.position->bestBits = 7.5;
  saved.weights = makeSequenceModel(saved.experiment)->trainable();
  valueOrThrow(writeSequenceFile(opened, name, saved));
  const WeightFile file = WeightFile::read(path);
  return {
      "metadata of a sequence", Kind::Json, {openedMetadata(file)}, [=](const std::string& text) {
        writeWithMetadata(path, file, text);
        return readThen(readSequenceFile(path), [](const SequenceFile& sequence) {
          require(modelOf(sequence, "fuzz") != nullptr, "no model");
        });
      }};
}

/// {"blocks.0.norm1.weight": [192], …}
std::string shapesOf(const fs::path& path) {
  Json shapes = Json::object();
  const WeightFile file = WeightFile::read(path);
  for (const auto& [name, tensor] : file.header.items())
    if (name != "__metadata__") shapes[name] = tensor["shape"];
  return shapes.dump();
}

/// Tensors of those names and shapes; what is no name and shape is left out.
Checkpoint checkpointOf(const std::string& text) {
  Checkpoint checkpoint;
  const Json shapes = Json::parse(text, nullptr, false);
  if (!shapes.is_object()) return checkpoint;
  for (const auto& [name, shape] : shapes.items()) {
    std::vector<std::int64_t> sizes;
    std::uint64_t elements = 1;
    bool plain = shape.is_array() && shape.size() < 10;
    for (std::size_t i = 0; plain && i < shape.size(); ++i) {
      plain = shape[i].is_number_unsigned() && shape[i].get<std::uint64_t>() <= kMostElements;
      if (!plain) break;
      sizes.push_back(shape[i].get<std::int64_t>());
      plain = (elements *= shape[i].get<std::uint64_t>()) <= kMostElements;
    }
    if (plain) checkpoint.tensors.emplace_back(name, at::empty(sizes));
  }
  return checkpoint;
}

Target bareWeights() {
  std::vector<std::string> files;
  for (const char* name : {"vit_micro", "deit_distilled_micro", "cait_micro", "convit_micro",
                           "levit_micro", "mvitv2_micro", "swin_micro"})
    files.push_back(
        shapesOf(fs::path(HEADLIGHT_GOLDEN_DIR) / (std::string(name) + ".safetensors")));
  return {"names and shapes", Kind::Json, files, [](const std::string& text) {
            const Checkpoint checkpoint = checkpointOf(text);
            const auto model = guarded("fuzz", [&] {
              std::vector<std::string> notes;
              return identifyModel(checkpoint, notes);
            });
            return readThen(model, [](const ModelConfig& config) {
              (void)guarded("", [&] { return modelCost(config).macs; });
            });
          }};
}

/// Other libraries' names: whatever they are, as timm's or as they came.
Target foreignNames() {
  std::vector<std::string> files;
  for (const char* name :
       {"vit_classify", "vit_v5_names", "deit_classify", "beit_shared_cls", "dinov2_registers",
        "dinov3_gated", "clip_full", "siglip_vision", "swin_classify", "yolos_detect_plain"})
    files.push_back(
        shapesOf(fs::path(HEADLIGHT_GOLDEN_DIR) / "transformers" / name / "model.safetensors"));
  return {"other libraries' names and shapes", Kind::Json, files, [](const std::string& text) {
            const auto read = guarded("fuzz", [&] { return inTimmNames(checkpointOf(text)); });
            if (!read) return Result<void>(read.error());
            const auto model = guarded("fuzz", [&] {
              std::vector<std::string> notes;
              return identifyModel(*read, notes, "fuzz", 4);
            });
            return readThen(model, [](const ModelConfig& config) {
              (void)guarded("", [&] { return modelCost(config).macs; });
            });
          }};
}

/// {"teacher": ["backbone.cls_token", …], …}
std::vector<TensorNest> nestsIn(const std::string& text) {
  std::vector<TensorNest> nests;
  const Json dictionaries = Json::parse(text, nullptr, false);
  if (!dictionaries.is_object()) return nests;
  for (const auto& [path, names] : dictionaries.items()) {
    nests.push_back({path, {}});
    for (const Json& name : names)
      nests.back().names.push_back(withoutWrappers(textOf(name)));
  }
  return nests;
}

Target nestedNames() {
  const Json dino = {
      {"student",
       {"module.backbone.patch_embed.proj.weight", "module.backbone.blocks.0.norm1.bias"}},
      {"teacher", {"backbone.patch_embed.proj.weight", "backbone.blocks.0.norm1.bias"}}};
  return {"dictionaries and prefixes", Kind::Json, {dino.dump()}, [](const std::string& text) {
            const auto nests = nestsIn(text);
            const auto ranked = rankNests(nests);
            for (const NestedModel& model : ranked) {
              const std::string name = model.nameIn(nests);
              const auto chosen = guarded("", [&] { return chooseNest(ranked, nests, name, ""); });
              require(chosen && chosen->nameIn(nests) == name, "a name does not choose its model");
            }
            return readThen(guarded("fuzz", [&] { return ranked.size(); }), [](std::size_t) {});
          }};
}

/// An index may only name files beside it.
Target shardIndex(const fs::path& folder) {
  const fs::path index = folder / "model.safetensors.index.json";
  writeBytes(folder / "a.safetensors", "x");
  writeBytes(folder / "b.safetensors", "x");
  const std::string honest = R"({"metadata": {"total_size": 2},
      "weight_map": {"head.bias": "a.safetensors", "norm.bias": "b.safetensors"}})";
  return {"index of shards", Kind::Json, {honest}, [=](const std::string& text) {
            writeBytes(index, text);
            return readThen(findShards(index), [&](const std::vector<fs::path>& shards) {
              for (const fs::path& shard : shards)
                require(shard.parent_path() == folder && fs::is_regular_file(shard), "elsewhere");
            });
          }};
}

}  // namespace

std::vector<Target> weightTargets(const fs::path& folder) {
  return {trainingMetadata(folder),
          sequenceMetadata(folder),
          bareWeights(),
          foreignNames(),
          nestedNames(),
          shardIndex(folder)};
}

}  // namespace headlight::fuzz
