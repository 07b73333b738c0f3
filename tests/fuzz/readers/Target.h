// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A reader of files and files that it takes.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/Result.h"
#include "tests/TemporaryFolder.h"

namespace headlight::fuzz {

/// How its files are damaged: Lines are JSON, one a line.
enum class Kind { Bytes, Text, Json, Lines };

struct Target {
  std::string name;
  Kind kind = Kind::Bytes;
  std::vector<std::string> files;  ///< as they are, each is accepted
  /// Reads it: an error, or nothing. Whatever else happens, an exception among it, is a bug.
  std::function<Result<void>(const std::string& bytes)> read;
};

/// Experiments, sweeps, sequences, masks and mask edits.
std::vector<Target> configTargets();
/// What was measured and is kept.
std::vector<Target> resultTargets();
/// True and found boxes.
std::vector<Target> boxTargets();
/// A run's logs and a sweep's tables. Here and below: `folder` is for the files that are read.
std::vector<Target> runTargets(const std::filesystem::path& folder);
/// What weights say of themselves: metadata, names and shapes.
std::vector<Target> weightTargets(const std::filesystem::path& folder);
/// Maps without a model.
std::vector<Target> mapTargets(const std::filesystem::path& folder);
/// Folders of the Hugging Face hub, and names of classes.
std::vector<Target> hubTargets(const std::filesystem::path& folder);
/// Tokenizers, text towers and prompts.
std::vector<Target> promptTargets(const std::filesystem::path& folder);
/// Videos, whose containers OpenCV reads.
std::vector<Target> videoTargets(const std::filesystem::path& folder);
/// CIFAR, IDX, class folders, text, and the text in a PNG.
std::vector<Target> dataTargets(const std::filesystem::path& folder);

void writeBytes(const std::filesystem::path& path, const std::string& bytes);

/// The error of a Result<T> as Result<void>; `use` may read the value.
template <typename T, typename Use>
Result<void> readThen(const Result<T>& result, Use use) {
  if (!result) return result.error();
  use(*result);
  return {};
}

}  // namespace headlight::fuzz
