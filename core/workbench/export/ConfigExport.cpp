// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/export/ConfigExport.h"

#include <algorithm>
#include <fstream>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/models/Registry.h"
#include "core/workbench/training/ExperimentPaths.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCopiedAtOnce = 1 << 20;

/// For an Experiment with absolute paths.
std::vector<std::string*> weightPaths(Experiment& experiment) {
  TrainingConfig& training = experiment.training;
  std::vector<std::string*> paths;
  for (std::string* path :
       {&training.weights, &training.teacherWeights, &experiment.data.teacherLogits})
    if (!path->empty()) paths.push_back(path);
  if (fs::path(training.teacher).is_absolute()) paths.push_back(&training.teacher);
  return paths;
}

/// "weights/a.safetensors" of what lies in or below `folder`; else empty.
std::string nameFrom(const fs::path& folder, const fs::path& path) {
  const fs::path name = path.lexically_relative(folder);
  return name.empty() || *name.begin() == ".." ? std::string() : name.generic_string();
}

std::ifstream opened(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || fs::is_directory(path))
    throw Failure({ErrorCode::NotFound, tr("cannot be read, but the config needs these weights"),
                   path.string()});
  return file;
}

bool sameContent(const fs::path& a, const fs::path& b) {
  std::error_code code;
  if (fs::equivalent(a, b, code)) return true;
  if (!fs::is_regular_file(b, code) || fs::file_size(a, code) != fs::file_size(b, code))
    return false;
  std::ifstream first = opened(a), second = opened(b);
  std::vector<char> one(kCopiedAtOnce), other(kCopiedAtOnce);
  while (first.read(one.data(), kCopiedAtOnce) || first.gcount() > 0) {
    second.read(other.data(), first.gcount());
    if (second.gcount() != first.gcount() ||
        !std::equal(one.begin(), one.begin() + first.gcount(), other.begin()))
      return false;
  }
  return true;
}

void copyFile(const fs::path& from, const fs::path& to) {
  std::ifstream file = opened(from);
  std::vector<char> bytes(kCopiedAtOnce);
  valueOrThrow(writeFileAtomically(to, [&](const AppendBytes& append) {
    while (file.read(bytes.data(), kCopiedAtOnce) || file.gcount() > 0)
      append(bytes.data(), static_cast<std::size_t>(file.gcount()));
    if (file.bad())
      throw Failure({ErrorCode::Io, tr("could not be read completely"), from.string()});
  }));
}

/// Where the file lies in `folder`, copied there if it did not: NAME, or NAME-2 … where that is
/// another file.
fs::path copiedInto(const fs::path& folder, const fs::path& file) {
  opened(file);
  fs::path target = folder / file.filename();
  for (int n = 2; fs::exists(target); ++n) {
    if (sameContent(file, target)) return target;
    target = folder / (file.stem().string() + "-" + std::to_string(n) + file.extension().string());
  }
  copyFile(file, target);
  return target;
}

}  // namespace

std::vector<fs::path> weightsNamedBy(const Experiment& experiment) {
  Experiment whole = experiment;
  makePathsAbsolute(whole);
  std::vector<fs::path> paths;
  for (const std::string* path : weightPaths(whole))
    paths.emplace_back(*path);
  return paths;
}

Result<Experiment> exportConfig(const Experiment& experiment, const fs::path& config,
                                bool copyWeights) {
  return guarded(config.string(), [&] {
    Experiment written = experiment;
    makePathsAbsolute(written);
    const fs::path folder = fs::absolute(config).lexically_normal().parent_path();
    for (std::string* path : weightPaths(written)) {
      if (copyWeights && nameFrom(folder, *path).empty())
        *path = copiedInto(folder, *path).string();
      if (const std::string name = nameFrom(folder, *path); !name.empty()) *path = name;
    }
    std::string& data = written.data.path;
    if (const std::string name = data.empty() ? "" : nameFrom(folder, data); !name.empty())
      data = name;
    valueOrThrow(writeFileAtomically(config, experimentToText(written)));
    return written;
  });
}

}  // namespace headlight
