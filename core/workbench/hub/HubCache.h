// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One repository's folder in the hub's cache (ModelFetch.h shows the layout), written as
// huggingface_hub writes it, locks and partial files included. Internal.

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/files/FileDescriptor.h"
#include "core/workbench/hub/HubRequests.h"

namespace headlight {

class HubCache {
 public:
  /// Nothing is made yet. `repository`: "owner/name".
  HubCache(std::filesystem::path cache, const std::string& repository);

  std::filesystem::path blob(const HubFile& file) const { return m_folder / "blobs" / file.etag; }
  /// Where it lies while it is not whole: huggingface_hub goes on with it as we do.
  std::filesystem::path partial(const HubFile& file) const;
  std::filesystem::path snapshot(const std::string& commit) const {
    return m_folder / "snapshots" / commit;
  }
  /// The commit that "main" was; empty where the file says none.
  std::string mainCommit() const;
  /// The only commit of which there is a snapshot, where there is no refs/main; else empty.
  std::string onlyCommit() const;

  /// Makes blobs/, and the lock's folder. Throws Failure.
  void makeFolders() const;
  /// The lock of one blob, which no other program writes meanwhile; waits for it, `told` once that
  /// it does. Throws Failure: Io, Canceled.
  FileDescriptor lock(const HubFile& file, std::stop_token stop,
                      const HubRequests::Reported& reported) const;
  /// snapshots/COMMIT/NAME -> ../../blobs/ETAG, whose blob is whole, in one step where something is
  /// there. Where no links can be made, the file itself. Throws Failure.
  void link(const HubFile& file) const;
  void setMain(const std::string& commit) const;  ///< throws Failure

 private:
  bool linkBeside(const HubFile& file, const std::filesystem::path& beside) const;

  std::filesystem::path m_folder, m_locks;
};

}  // namespace headlight
