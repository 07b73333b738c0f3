// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where the files of a dataset lie: a folder on disk, or a ZIP or tar archive. Names in it are
// relative, with slashes: "train/cat/1.jpg"; "" is the place itself. Safe from several threads.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/data/files/FolderEntries.h"

namespace headlight {

class FilePlace {
 public:
  explicit FilePlace(std::filesystem::path root) : m_root(std::move(root)) {}
  virtual ~FilePlace() = default;

  const std::filesystem::path& root() const { return m_root; }
  /// As messages name a file in it.
  std::filesystem::path path(const std::string& name) const {
    return name.empty() ? m_root : m_root / name;
  }
  virtual bool onDisk() const = 0;
  /// As folderEntries(): in natural order, without names that begin with a dot. Failure (NotFound,
  /// Io) where the folder cannot be listed.
  virtual std::vector<FolderEntry> entries(const std::string& folder,
                                           std::size_t most = SIZE_MAX) const = 0;
  virtual bool hasFile(const std::string& name) const = 0;
  /// Errors: NotFound, Io, InvalidFile; UnsupportedFile for more than `most` bytes.
  virtual Result<std::string> read(const std::string& name, std::uintmax_t most) const = 0;
  /// As Dataset::reachable and Dataset::stamp say; of the names as they are below `folder`.
  virtual bool reachable() const = 0;
  virtual std::string stamp(const std::string& folder,
                            const std::vector<std::string>& names) const = 0;

 private:
  std::filesystem::path m_root;
};

/// A folder, or an archive of a kind that isArchive() names. Failure: NotFound, Io, InvalidFile,
/// UnsupportedFile (another file; encrypted).
std::shared_ptr<const FilePlace> openFilePlace(const std::filesystem::path& path);

/// Whether a name leads out of the place, or may: absolute, or with a part "..".
bool leadsOutside(const std::string& name);

/// Whether images lie in the folder or at most `depth` folders deeper; looks at the first thousand
/// entries of each.
bool holdsImages(const FilePlace& place, const std::string& folder, int depth = 3);

/// The folders in `folder`, in natural order.
std::vector<std::string> folderNames(const FilePlace& place, const std::string& folder);

/// "a/b"; "b" where `folder` is empty.
std::string nameIn(const std::string& folder, const std::string& name);

}  // namespace headlight
