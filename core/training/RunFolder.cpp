#include "core/training/RunFolder.h"

#include <cstdio>

namespace headlight {
namespace {

bool isThere(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// What a write that was killed half-way left behind: its name is never one that is read.
void removePartialFiles(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.find(".safetensors.part") != std::string::npos ||
        name.find("config.json.part") != std::string::npos)
      std::filesystem::remove(entry.path(), ignored);
  }
}

}  // namespace

RunFolder RunFolder::create(const std::filesystem::path& path) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  if (failure)
    throw Failure(
        {ErrorCode::Io, "could not make the run folder: " + failure.message(), path.string()});
  RunFolder folder(path, valueOrThrow(FolderLock::acquire(path)));
  if (isThere(folder.config()) || isThere(folder.last()))
    throw Failure({ErrorCode::InvalidArgument,
                   "holds a run already; resume it or choose another folder", path.string()});
  removePartialFiles(path);
  return folder;
}

RunFolder RunFolder::open(const std::filesystem::path& path) {
  if (!isThere(path / "config.json"))
    throw Failure(
        {ErrorCode::NotFound, "holds no run: there is no config.json in it", path.string()});
  RunFolder folder(path, valueOrThrow(FolderLock::acquire(path)));
  removePartialFiles(path);
  return folder;
}

std::filesystem::path RunFolder::kept(std::int64_t epoch) const {
  char name[64];
  std::snprintf(name, sizeof name, "epoch-%04lld.safetensors", static_cast<long long>(epoch));
  return m_path / name;
}

bool RunFolder::hasLast() const {
  return isThere(last());
}

Result<void> RunFolder::writeConfig(const Experiment& experiment) const {
  return writeFileAtomically(config(), experimentToText(experiment));
}

}  // namespace headlight
