// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/InputContent.h"

#include "core/base/ForeignContent.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/base/files/LockState.h"
#include "core/checkpoint/SafetensorsFile.h"
#include "core/config/ConfigText.h"
#include "core/config/SequenceExperiment.h"
#include "core/data/Dataset.h"
#include "core/data/files/ArchivePlace.h"
#include "core/data/labels/LabelList.h"
#include "core/imaging/video/VideoKind.h"
#include "core/training/run/ModelFile.h"
#include "core/training/run/RunFolder.h"
#include "core/workbench/hub/HubFolder.h"
#include "core/workbench/loading/FileContent.h"
#include "core/workbench/maps/MapLayers.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxJsonBytes = 32u << 20;

[[noreturn]] void refuseContent(const std::string& message, const fs::path& path) {
  throw Failure({ErrorCode::UnsupportedFile, message, path.string()});
}

// ---- Folders ------------------------------------------------------------------------------------

bool holdsFile(const fs::path& folder, const char* name) {
  std::error_code unknown;
  return fs::exists(folder / name, unknown);
}

bool holdsSequenceRun(const fs::path& folder) {
  return holdsFile(folder, kRunConfig) &&
         (holdsFile(folder, "metrics.csv") || holdsFile(folder, kRunLast)) &&
         readSequenceExperiment(folder / kRunConfig);
}

bool holdsBegunRun(const fs::path& folder) {
  if (!holdsFile(folder, kRunConfig)) return false;
  // In its first epoch a run has lines of steps, or none yet, and no table.
  for (const char* file : {"metrics.csv", "metrics.jsonl", kRunLast})
    if (holdsFile(folder, file)) return true;
  return isHeld(folder);
}

// ---- Files --------------------------------------------------------------------------------------

bool isMaskJson(const Json& json) {
  if (!json.is_object()) return false;
  if (json.contains("model") || json.contains("training") || json.contains("data")) return false;
  return json.contains("masks") || json.contains("cells") || json.contains("scheme");
}

bool isSession(const Json& json) {
  return json.is_object() && json.contains("kind") && json["kind"] == kSessionKind;
}

/// The index of a checkpoint in shards stands for its weights.
bool isIndex(const Json& json) {
  return json.is_object() && json.contains("weight_map") && json["weight_map"].is_object();
}

InputKind kindOfJson(const Json& json) {
  if (isSession(json)) return InputKind::Session;
  if (isIndex(json)) return InputKind::Weights;
  if (json.is_object() && json.contains("task") && json["task"] == "sequence")
    return InputKind::SequenceConfig;
  return isMaskJson(json) ? InputKind::Masks : InputKind::Config;
}

void describeJson(Input& input) {
  input.kind = InputKind::Config;
  if (isHubConfig(input.path)) {
    input.kind = InputKind::HubFolder;
    input.path = fs::absolute(input.path).parent_path();
    return;
  }
  auto text = readFile(input.path, kMaxJsonBytes);
  if (!text) {
    input.problem = text.error();
    return;
  }
  input.text = std::move(text).value();
  const auto json = parseConfigJson(input.text, input.path.filename().string(), kMaxJsonBytes);
  if (json)
    input.kind = kindOfJson(*json);
  else if (isSessionText(input.text))  // it may have more keys than a config
    input.kind = InputKind::Session;
  else
    input.problem = json.error();
}

/// A header that is damaged is of weights: their reader says what is wrong.
InputKind kindOfTensors(const fs::path& path) {
  const auto kind = guarded(path.string(), [&] {
    const SafetensorsFile file = SafetensorsFile::open(path);
    if (!layersNamedIn(file.header()).empty()) return InputKind::Maps;
    return file.header().metadata.contains(kSequenceKey) ? InputKind::SequenceWeights
                                                         : InputKind::Weights;
  });
  return kind ? *kind : InputKind::Weights;
}

void describePng(Input& input) {
  input.kind = InputKind::Image;
  for (auto& [keyword, value] : readPngTextOf(input.path))
    if (keyword == kSessionKeyword && isSessionText(value)) {
      input.kind = InputKind::SessionImage;
      input.text = std::move(value);
    }
}

[[noreturn]] void refuseUnknown(const std::string& head, const fs::path& path) {
  if (const std::string other = foreignContent(head); !other.empty()) refuseContent(other, path);
  refuseContent(
      tr("is not a supported kind of file. Headlight opens images (JPEG, PNG, WebP, BMP, TIFF, "
         "PPM), "
         "videos (AVI, MP4, MOV, MKV, WebM, Ogg, MPEG, FLV, WMV, Y4M, animated GIF), checkpoints "
         "(.safetensors, .pth), configs, mask schemes and sessions (.json), and folders"),
      path);
}

/// `content`: Json, or what the first bytes say else.
void describeContent(Input& input, FileContent content, const std::string& head) {
  switch (content) {
    case FileContent::Json:
      return describeJson(input);
    case FileContent::Checkpoint:
      input.kind = kindOfTensors(input.path);
      return;
    case FileContent::Png:
      return describePng(input);
    case FileContent::OtherImage:
      input.kind = InputKind::Image;
      return;
    case FileContent::Video:
      input.kind = InputKind::Video;
      return;
    case FileContent::Playlist:
      refuseContent(
          "is " + identifyPlaylist(head) +
              tr(", which refers to other files or addresses, so it is not opened. Open the "
                 "video file itself"),
          input.path);
    case FileContent::Unknown:
      break;
  }
  input.byName = true;
  input.kind = kindByName(input.path);
  if (input.kind == InputKind::Unknown) refuseUnknown(head, input.path);
  if (input.isJson()) describeJson(input);
}

/// Archives, checkpoints of PyTorch among them, and lists of labels: what is in them decides.
bool mayHoldData(const fs::path& path) {
  return isArchive(path) || mayBeLabelList(path.filename().string());
}

}  // namespace

Input folderInput(const fs::path& path) {
  if (holdsSequenceRun(path)) return {.kind = InputKind::SequenceRun, .path = path};
  if (holdsBegunRun(path)) return {.kind = InputKind::RunFolder, .path = path};
  if (looksLikeHubFolder(path)) return {.kind = InputKind::HubFolder, .path = path};
  Input input{.kind = InputKind::Folder, .path = path, .datasetKind = detectDatasetKind(path)};
  if (!input.datasetKind.empty()) input.kind = InputKind::Dataset;
  return input;
}

Input fileInput(const fs::path& path) {
  Input input{.path = path};
  const std::string head = headOfFile(path);
  if (mayHoldData(path)) input.datasetKind = detectDatasetKind(path);
  if (!input.datasetKind.empty()) {
    input.kind = InputKind::Dataset;
    return input;
  }
  describeContent(input, identifyContent(head), head);
  return input;
}

InputKind kindByName(const fs::path& path) {
  const std::string ending = lowered(path.extension().string());
  if (ending == ".json") return InputKind::Config;
  for (const char* weights : {".safetensors", ".pth", ".pt", ".ckpt"})
    if (ending == weights) return InputKind::Weights;
  return hasImageExtension(path) ? InputKind::Image : InputKind::Unknown;
}

bool isSessionText(std::string_view text) {
  if (text.size() > kMaxJsonBytes) return false;
  return isSession(jsonOrDiscarded(text));
}

}  // namespace headlight
