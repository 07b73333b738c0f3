// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/LooseWeights.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <string_view>
#include <utility>

#include "core/base/ForeignContent.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/models/Registry.h"
#include "core/training/run/ModelFile.h"
#include "core/workbench/loading/FileContent.h"
#include "core/workbench/loading/LoadedModel.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPeekedWeights = 256u << 10;
constexpr std::size_t kHashDigits = 8, kShardNumberDigits = 5;

std::string headOf(const fs::path& path) {
  std::string head(kPeekedWeights, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return head;
}

/// DINOv2's own files in torch hub, by the beginning of their names.
constexpr std::pair<std::string_view, const char*> kAuthorsNames[] = {
    {"dinov2_vits14_reg4_pretrain", "vit_small_patch14_reg4_dinov2"},
    {"dinov2_vitb14_reg4_pretrain", "vit_base_patch14_reg4_dinov2"},
    {"dinov2_vitl14_reg4_pretrain", "vit_large_patch14_reg4_dinov2"},
    {"dinov2_vitg14_reg4_pretrain", "vit_giant_patch14_reg4_dinov2"},
    {"dinov2_vits14_pretrain", "vit_small_patch14_dinov2"},
    {"dinov2_vitb14_pretrain", "vit_base_patch14_dinov2"},
    {"dinov2_vitl14_pretrain", "vit_large_patch14_dinov2"},
    {"dinov2_vitg14_pretrain", "vit_giant_patch14_dinov2"},
};

std::string publishedAs(const std::string& stem) {
  for (const auto& [beginning, name] : kAuthorsNames)
    if (stem.starts_with(beginning)) return name;
  return stem.substr(0, stem.find('.'));
}

bool isHash(const std::string& text) {
  return text.size() == kHashDigits && std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isxdigit(c) != 0;
         });
}

/// The header's length in eight bytes, the lowest first, and what of the header is in `head`.
std::string_view safetensorsHeader(std::string_view head) {
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i)
    length = length << 8 | static_cast<unsigned char>(head[static_cast<std::size_t>(i)]);
  return head.substr(8, std::min<std::uint64_t>(length, head.size() - 8));
}

/// timm's vision transformers and Headlight's all have such tensors. In a .pth of torch the names
/// stand in its first entry, as plain text.
bool hasPatches(std::string_view head) {
  return head.find("patch_embed.") != head.npos || head.find("pos_embed") != head.npos;
}

/// A checkpoint of this program carries its Experiment.
void readOwnMetadata(const fs::path& path, LocalModel& model) {
  const auto folder = OpenFolder::open(path.parent_path());
  if (!folder) return;
  const auto metadata = readSafetensorsMetadata(*folder, path.filename().string());
  if (!metadata) return;
  if (metadata->contains(kSequenceKey)) {
    model.problem = "is a sequence model; open it in the window of sequence models";
    return;
  }
  if (const auto known = readModelMetadata(*metadata, path.string()); known && known.value()) {
    model.architecture = known.value()->experiment.model.name;
    model.name += " (" + known.value()->experiment.name + ")";
  }
}

void reportProblem(const std::string& head, FileContent content, LocalModel& model) {
  if (!model.complete || !model.problem.empty()) return;
  const bool weights = content == FileContent::Checkpoint;
  if (const std::string other = weights ? "" : foreignContent(head); !other.empty())
    model.problem = other;
  else if (!weights)
    model.problem =
        "is neither a safetensors file nor in torch's ZIP format; save it again with a newer torch";
  else if (model.architecture.empty() && !hasPatches(head))
    model.problem = "has no tensor names of a timm vision transformer";
}

/// A file anywhere opens as what its tensors say, and not at all where they say nothing.
void judgeTensors(const fs::path& path, LocalModel& model) {
  if (!model.problem.empty()) return;
  const auto known = guarded(path.string(), [&] { return describeShapes(path); });
  if (known)
    model.problem.clear();
  else
    model.problem = known.error().message;
}

}  // namespace

bool isNamedAsWeights(const std::string& name) {
  static constexpr std::array kEndings{".safetensors", ".pth", ".pth.tar", ".pt", ".ckpt", ".bin"};
  const auto shard = name.find("-of-");
  const bool later = shard != std::string::npos && shard >= kShardNumberDigits &&
                     name.substr(shard - kShardNumberDigits, kShardNumberDigits) != "00001";
  return !later && std::any_of(kEndings.begin(), kEndings.end(),
                               [&](const char* ending) { return name.ends_with(ending); });
}

std::string stemOfWeights(const std::string& name) {
  const std::string stem = name.substr(0, name.rfind('.'));
  const auto dash = stem.rfind('-');
  return dash != std::string::npos && isHash(stem.substr(dash + 1)) ? stem.substr(0, dash) : stem;
}

LocalModel describeLooseWeights(const fs::path& path, LocalModel::Source source) {
  LocalModel model;
  model.name = path.filename().string();
  model.path = path;
  model.source = source;
  std::error_code unknown;
  const auto size = fs::file_size(path, unknown);
  model.bytes = unknown ? 0 : size;
  if (unknown || size == 0) {
    model.complete = false;
    model.problem =
        unknown ? "is a broken link or cannot be read" : "is empty: copy or download it again";
    return model;
  }
  const std::string stem = stemOfWeights(model.name);
  const std::string architecture = publishedAs(stem);
  if (const PublishedModel* published = findPublishedModel(architecture)) {
    model.architecture = published->name;
    if (stem.starts_with(architecture + '.')) model.tag = stem.substr(architecture.size() + 1);
  }
  if (source == LocalModel::Source::Folder) {
    readOwnMetadata(path, model);
    judgeTensors(path, model);
    return model;
  }
  std::string head = headOf(path);
  const FileContent content = identifyContent(std::string_view(head));
  if (content == FileContent::Checkpoint && !head.starts_with("PK")) {
    readOwnMetadata(path, model);
    head = safetensorsHeader(head);
  }
  reportProblem(head, content, model);
  return model;
}

}  // namespace headlight
