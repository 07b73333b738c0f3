// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/files/ForeignFiles.h"

#include <fstream>
#include <string_view>
#include <system_error>

#include "core/base/ForeignContent.h"

namespace headlight {
namespace {

using namespace std::string_view_literals;

/// "a ZIP archive"; null: none.
const char* archiveName(std::string_view head) {
  if (head.starts_with("PK\x03\x04"sv)) return "a ZIP archive";
  if (head.starts_with("PK\x05\x06"sv)) return "an empty ZIP archive";
  const PackedKind* packed = packedKind(head);
  return packed ? packed->archive : nullptr;
}

}  // namespace

std::string whatFileIs(const std::filesystem::path& path, bool opensArchives) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return "";
  std::string head(8, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  if (opensArchives && std::string_view(head).starts_with("PK"sv)) return "";
  if (const char* archive = archiveName(head))
    return std::string("is ") + archive + "; unpack it and give the unpacked folder";
  if (std::string_view(head).starts_with("PAR1"sv))
    return "is a Parquet file, which is not read here; in Python, write the images of its rows "
           "into "
           "one folder per class and give their parent folder";
  return "";
}

}  // namespace headlight
