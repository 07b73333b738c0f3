// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A folder that was opened once and stays the same one, wherever it is moved to, and whatever takes
// its name. What lies in it is reached from its descriptor, by a plain name, and is a regular file:
// no link is followed, and pipes and devices are refused before they are opened. So a folder that
// came from somebody else cannot make the program read or write anything outside it.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/Result.h"
#include "core/base/files/FileDescriptor.h"
#include "core/base/files/Files.h"

namespace headlight {

/// A handle: copies are the same open folder. Names are of one file, without a slash.
class OpenFolder {
 public:
  /// The folder at `path`, which the person named: that may be a link. Errors: NotFound, Io.
  static Result<OpenFolder> open(const std::filesystem::path& path);
  /// The same, made with its parents where it is missing.
  static Result<OpenFolder> make(const std::filesystem::path& path);
  /// The folder `name` in this one, which must be no link. `make`: made where it is missing.
  Result<OpenFolder> subfolder(const std::string& name, bool make) const;

  /// Where it is now: as it was opened, or where it was moved to since.
  std::filesystem::path path() const;
  std::filesystem::path pathOf(const std::string& name) const { return path() / name; }
  /// Whether it was deleted: what is written to it then is lost.
  bool isGone() const;

  /// Whether there is anything of that name: a link that leads nowhere too.
  bool has(const std::string& name) const;
  std::vector<std::string> names() const;
  /// UnsupportedFile where `name` is a link, a pipe, a device or a socket. What is missing, a file
  /// or a folder passes.
  Result<void> requireHarmless(const std::string& name) const;

  /// Errors: NotFound, UnsupportedFile, Io.
  Result<FileDescriptor> openToRead(const std::string& name) const;
  /// Made where it is missing. A file that has another name elsewhere (a hard link) is refused:
  /// what is added to it would be added there as well. Errors: UnsupportedFile, Io.
  Result<FileDescriptor> openToAppend(const std::string& name) const;
  /// To lock, read and write in place; made where it is missing. Errors as above.
  Result<FileDescriptor> openLock(const std::string& name) const;
  /// As readFile.
  Result<std::string> read(const std::string& name, std::uintmax_t maxBytes) const;
  /// As writeFileAtomically; a file of that name keeps its mode. Errors: UnsupportedFile, Io.
  Result<void> write(const std::string& name, std::string_view bytes) const;
  Result<void> write(const std::string& name,
                     const std::function<void(const AppendBytes&)>& write) const;
  void remove(const std::string& name) const;

  int descriptor() const { return m_descriptor->get(); }

 private:
  OpenFolder(std::filesystem::path path, FileDescriptor descriptor)
      : m_path(std::move(path)),
        m_descriptor(std::make_shared<const FileDescriptor>(std::move(descriptor))) {}
  Result<FileDescriptor> openToChange(const std::string& name, int flags) const;
  Result<void> requireFile(const std::string& name, const FileDescriptor& file) const;
  Error failure(const std::string& name, const std::string& doing, int code) const;
  std::string nameBeside(const std::string& name) const;

  std::filesystem::path m_path;
  std::shared_ptr<const FileDescriptor> m_descriptor;
};

}  // namespace headlight
