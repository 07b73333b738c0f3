// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Files of weights that a run was to keep and could not write. They are tried again at every
// occasion, and meanwhile last.safetensors carries them, so that a process that ends loses nothing.

#include <map>
#include <string>
#include <vector>

#include "core/checkpoint/Checkpoint.h"

namespace headlight {

struct OwedFile {
  std::string name;  ///< in the run's folder
  NamedTensors weights;
  std::map<std::string, std::string> metadata;
};

class PendingFiles {
 public:
  explicit PendingFiles(OpenFolder folder) : m_folder(std::move(folder)) {}

  /// Writes it at once; where that fails, a copy of the weights is kept and the error returned. It
  /// takes the place of one of the same name.
  Result<void> write(const OwedFile& file);
  /// Tries all again. The error of the first that cannot be written yet.
  Result<void> settle();

  const std::vector<OwedFile>& files() const { return m_files; }
  /// Names of those that had to be given up, so that memory does not fill: eight are kept.
  const std::vector<std::string>& lost() const { return m_lost; }
  /// From an earlier process.
  void owe(std::vector<OwedFile> files) { m_files = std::move(files); }

 private:
  OpenFolder m_folder;
  std::vector<OwedFile> m_files;
  std::vector<std::string> m_lost;
};

/// In a checkpoint their tensors have this prefix, then the file's name and a slash.
inline constexpr const char* kOwedPrefix = "owed.";

/// Adds them to what a checkpoint will hold.
void addOwed(const std::vector<OwedFile>& files, NamedTensors& tensors,
             std::map<std::string, std::string>& metadata);
/// Takes them out again. Throws Failure(InvalidFile).
std::vector<OwedFile> extractPending(Checkpoint& checkpoint, const std::string& where);

}  // namespace headlight
