// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A file that arrives: what is there of it already, and whether it is what the hub says. Internal.

#include <memory>

#include "core/workbench/hub/Digest.h"
#include "core/workbench/hub/HubCache.h"

namespace headlight {

class PartialBlob {
 public:
  /// Opens what is there, or makes it; what is longer than the file can be begins anew. Reads it,
  /// for its hash; a stop ends that (Canceled). Throws Failure.
  PartialBlob(const HubCache& cache, HubFile file, const std::stop_token& stop);

  std::int64_t size() const { return m_size; }
  bool isWhole() const { return m_size == m_file.size; }
  /// From nothing. Throws Failure.
  void restart();
  /// Throws Failure(InvalidFile) where it would be longer than the hub says, and deletes it.
  void append(const void* data, std::size_t size);
  /// Checks the hash, flushes and gives it its name. Throws Failure(InvalidFile) where the hash is
  /// another, and deletes it.
  void keep();
  /// Before anything is downloaded: that the disk has room for the rest. Throws Failure(Io).
  void requireSpace() const;

 private:
  void readBack(const std::stop_token& stop);
  [[noreturn]] void refuse(const std::string& message) const;

  std::filesystem::path m_path, m_final;
  HubFile m_file;
  FileDescriptor m_descriptor;
  std::unique_ptr<Digest> m_digest;
  std::int64_t m_size = 0;
};

}  // namespace headlight
