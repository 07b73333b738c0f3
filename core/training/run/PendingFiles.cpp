// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/run/PendingFiles.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <utility>

#include "core/base/Translation.h"
#include "core/training/run/ModelFile.h"

namespace headlight {
namespace {

constexpr const char* kOwedKey = "owed";
constexpr std::size_t kMostOwed = 8;

NamedTensors copied(const NamedTensors& tensors) {
  NamedTensors copies;
  for (const auto& [name, tensor] : tensors)
    copies.emplace_back(name, tensor.detach().to(at::kCPU, /*non_blocking=*/false, /*copy=*/true));
  return copies;
}

std::string prefixOf(const std::string& file) {
  return kOwedPrefix + file + "/";
}

/// A name that a run gives: what a checkpoint says decides nothing else about the disk.
bool isOwedName(const std::string& name) {
  return name.ends_with(".safetensors") && name.find('/') == std::string::npos &&
         (name == "best.safetensors" || name.starts_with("epoch-"));
}

}  // namespace

Result<void> PendingFiles::write(const OwedFile& file) {
  std::erase_if(m_files, [&](const OwedFile& owed) { return owed.name == file.name; });
  auto written = writeSafetensors(m_folder, file.name, file.weights, file.metadata);
  if (written) return written;
  if (m_files.size() >= kMostOwed) {
    m_lost.push_back(m_files.front().name);
    m_files.erase(m_files.begin());
  }
  m_files.push_back({file.name, copied(file.weights), file.metadata});
  return written;
}

Result<void> PendingFiles::settle() {
  Result<void> outcome;
  std::erase_if(m_files, [&](const OwedFile& owed) {
    auto written = writeSafetensors(m_folder, owed.name, owed.weights, owed.metadata);
    if (!written && outcome) outcome = written;
    return written.ok();
  });
  return outcome;
}

void addOwed(const std::vector<OwedFile>& files, NamedTensors& tensors,
             std::map<std::string, std::string>& metadata) {
  if (files.empty()) return;
  Json described = Json::object();
  for (const OwedFile& file : files) {
    described[file.name] = file.metadata;
    for (const auto& [name, tensor] : file.weights)
      tensors.emplace_back(prefixOf(file.name) + name, tensor);
  }
  metadata[kOwedKey] = described.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<OwedFile> extractPending(Checkpoint& checkpoint, const std::string& where) {
  const auto found = checkpoint.metadata.find(kOwedKey);
  if (found == checkpoint.metadata.end()) return {};
  const Json described = metadataJson(found->second, kOwedKey, where);
  const auto refuseOwed = [&] {
    throw Failure({ErrorCode::InvalidFile,
                   tr("its list of pending files cannot be parsed; it is damaged"), where});
  };
  if (!described.is_object()) refuseOwed();
  std::vector<OwedFile> files;
  for (const auto& [name, metadata] : described.items()) {
    if (!isOwedName(name) || !metadata.is_object()) refuseOwed();
    OwedFile file{name, {}, {}};
    for (const auto& [key, value] : metadata.items()) {
      if (!value.is_string()) refuseOwed();
      file.metadata[key] = value.get<std::string>();
    }
    const std::string prefix = prefixOf(name);
    std::erase_if(checkpoint.tensors, [&](auto& item) {
      if (!item.first.starts_with(prefix)) return false;
      file.weights.emplace_back(item.first.substr(prefix.size()), std::move(item.second));
      return true;
    });
    files.push_back(std::move(file));
  }
  checkpoint.metadata.erase(found);
  return files;
}

}  // namespace headlight
