// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/files/ArchivePlace.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <string_view>
#include <system_error>
#include <unordered_map>

#include "core/base/Translation.h"
#include "core/data/files/DataStamp.h"
#include "core/data/files/NaturalOrder.h"
#include "core/data/files/TarHeader.h"
#include "core/data/files/TarReader.h"
#include "core/data/files/ZipTable.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr std::size_t kMaxParts = 64;  // of a name: folders are listed level by level

std::string headOf(const fs::path& path) {
  std::error_code unknown;
  if (!fs::is_regular_file(path, unknown)) return "";
  std::string head(kTarBlock, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head;
}

bool isZip(std::string_view head) {
  return head.starts_with("PK\x03\x04"sv) || head.starts_with("PK\x05\x06"sv);
}

bool isTar(std::string_view head) {
  return head.size() == kTarBlock && !isZeroBlock(head) && parseTarHeader(head).has_value();
}

/// "cat/1.jpg" of "./cat//1.jpg" and of "cat\1.jpg", as some programs write names.
std::string plainEntryName(std::string name) {
  if (name.find('/') == name.npos) std::replace(name.begin(), name.end(), '\\', '/');
  std::string plain;
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    if (!part.empty() && part != ".") plain = nameIn(plain, part);
    begin = end + 1;
  }
  return plain;
}

/// A part that begins with a dot, and what macOS adds to its archives.
bool isHidden(const std::string& name) {
  return name.starts_with('.') || name.find("/.") != name.npos || name.starts_with("__MACOSX/");
}

class ArchivePlace : public FilePlace {
 public:
  explicit ArchivePlace(const fs::path& path) : FilePlace(path), m_file(path) {
    if (isZip(headOf(path)))
      for (const ArchiveEntry& entry : readZipTable(m_file))
        add(entry.name, entry);
    else
      walkTar(m_file, [this](const TarEntry& entry) {
        add(entry.name, {entry.name, entry.offset, entry.size, entry.size, 0, false});
      });
    m_zipped = isZip(headOf(path));
    for (auto& [folder, entries] : m_folders)
      std::sort(entries.begin(), entries.end(), [](const FolderEntry& a, const FolderEntry& b) {
        return naturalLess(a.name, b.name);
      });
    while (m_folders[m_top].size() == 1 && m_folders[m_top][0].folder)
      m_top = nameIn(m_top, m_folders[m_top][0].name);
  }

  bool onDisk() const override { return false; }
  std::vector<FolderEntry> entries(const std::string& folder, std::size_t most) const override {
    const auto found = m_folders.find(nameIn(m_top, folder));
    if (found == m_folders.end())
      throw Failure({ErrorCode::NotFound, tr("is not in the archive"), path(folder).string()});
    const auto end =
        found->second.begin() + static_cast<std::ptrdiff_t>(std::min(most, found->second.size()));
    return {found->second.begin(), end};
  }
  bool hasFile(const std::string& name) const override {
    return m_files.count(nameIn(m_top, name)) > 0;
  }
  Result<std::string> read(const std::string& name, std::uintmax_t most) const override {
    const std::string where = path(name).string();
    const auto found = m_files.find(nameIn(m_top, name));
    if (found == m_files.end())
      return Error{ErrorCode::NotFound, tr("is not in the archive"), where};
    const ArchiveEntry& entry = found->second;
    if (entry.size > most)
      return Error{ErrorCode::UnsupportedFile,
                   "is " + std::to_string(entry.size) + tr(" bytes; at most ") +
                       std::to_string(most) + tr(" are read here"),
                   where};
    return guarded(where, [&] {
      return m_zipped ? readZipEntry(m_file, entry) : m_file.read(entry.header, entry.packed);
    });
  }
  bool reachable() const override {
    std::error_code unknown;
    return fs::is_regular_file(root(), unknown);
  }
  std::string stamp(const std::string&, const std::vector<std::string>&) const override {
    return fileStamp(root().parent_path(), {root()});
  }

 private:
  [[noreturn]] void refuseName(const std::string& name, const char* why) const {
    throw Failure({ErrorCode::InvalidFile, tr("contains ") + name + why, root().string()});
  }

  void add(const std::string& stored, ArchiveEntry entry) {
    const std::string name = plainEntryName(stored);
    if (name.empty() || isHidden(name)) {
      if (leadsOutside(name)) refuseName(name, tr(", a name that leads out of the archive"));
      return;
    }
    if (leadsOutside(stored) || leadsOutside(name) || name.find('\0') != name.npos)
      refuseName(name, tr(", a name that leads out of the archive"));
    const auto parts = static_cast<std::size_t>(std::count(name.begin(), name.end(), '/'));
    if (parts > kMaxParts) refuseName(name, tr(", which lies too deep"));
    if (!m_files.emplace(name, std::move(entry)).second)
      refuseName(name, tr(" twice; write the archive again"));
    addToFolder(name, false);
  }

  /// With the folders above it, where they are new.
  void addToFolder(const std::string& name, bool folder) {
    const auto slash = name.rfind('/');
    const std::string above = slash == name.npos ? "" : name.substr(0, slash);
    const bool known = m_folders.count(above) > 0;
    m_folders[above].push_back({slash == name.npos ? name : name.substr(slash + 1), folder});
    if (!known && !above.empty()) addToFolder(above, true);
  }

  TarFile m_file;
  bool m_zipped = false;
  std::string m_top;                                      ///< the folder in which everything lies
  std::unordered_map<std::string, ArchiveEntry> m_files;  ///< of a tar: where its bytes begin
  std::map<std::string, std::vector<FolderEntry>> m_folders{{"", {}}};
};

}  // namespace

bool isArchive(const fs::path& path) {
  const std::string head = headOf(path);
  return isZip(head) || isTar(head);
}

std::shared_ptr<const FilePlace> openArchivePlace(const fs::path& path) {
  return std::make_shared<ArchivePlace>(path);
}

}  // namespace headlight
