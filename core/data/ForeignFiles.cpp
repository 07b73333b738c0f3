// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/ForeignFiles.h"

#include <array>
#include <fstream>
#include <string_view>
#include <system_error>

namespace headlight {
namespace {

using namespace std::string_view_literals;

struct Kind {
  std::string_view magic;
  const char* name;
};
constexpr std::array kArchives{
    Kind{"PK\x03\x04"sv, "a ZIP archive"},
    Kind{"PK\x05\x06"sv, "an empty ZIP archive"},
    Kind{"\x1f\x8b"sv, "a gzip archive"},
    Kind{"7z\xbc\xaf\x27\x1c"sv, "a 7-Zip archive"},
    Kind{"Rar!\x1a\x07"sv, "a RAR archive"},
    Kind{"\xfd"
         "7zXZ\0"sv,
         "an xz archive"},
    Kind{"BZh"sv, "a bzip2 archive"},
    Kind{"\x28\xb5\x2f\xfd"sv, "a zstd archive"},
};

}  // namespace

std::string whatFileIs(const std::filesystem::path& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return "";
  std::string head(8, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  for (const Kind& kind : kArchives)
    if (std::string_view(head).starts_with(kind.magic))
      return std::string("is ") + kind.name + "; unpack it and give the folder that comes out";
  if (std::string_view(head).starts_with("PAR1"sv))
    return "is a Parquet file; write its images into a folder for each class and give the folder "
           "of these";
  return "";
}

}  // namespace headlight
