// SPDX-License-Identifier: GPL-3.0-or-later

// A name of a type stands for one type, and a source file has a header.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "tests/TemporaryFolder.h"
#include "tests/layers/Includes.h"
#include "tests/layers/Types.h"

namespace headlight::testing {
namespace {

const std::filesystem::path kSources = HEADLIGHT_SOURCE_DIR;

TEST(Types, AreFoundInAnySpelling) {
  const auto found = typesIn(R"(
#pragma once
#define TRAP struct Macro {
// struct Comment {
/* class Longer {
   }; */
struct Global { int x; };
namespace headlight {
class Forward;
struct Plain {
  struct Inner { int x = 0; };
  void f() { if (x) { } }
};
class Derived final : public Base<Plain> { enum Nested { A }; };
template <class T, typename U = std::vector<T>>
struct Templated { };
enum class Kind : std::uint8_t { A, B };
template <>
struct Templated<int> { };
inline const char* text() { return "struct Text {"; }
struct Plain makePlain();
namespace cli {
union [[nodiscard]] Small { int a; float b; };
}  // namespace cli
}  // namespace headlight
namespace headlight::cli { struct alignas(16) Last { }; }
)");
  EXPECT_EQ(found, (std::vector<std::string>{"Global", "headlight::Plain", "headlight::Derived",
                                             "headlight::Templated", "headlight::Kind",
                                             "headlight::cli::Small", "headlight::cli::Last"}));
}

/// Two headers of one name are two types to the compiler and one to the linker.
TEST(Types, NoTwoHeadersDefineTheSame) {
  const auto headers = typesOfHeaders(kSources);
  EXPECT_GT(headers.size(), 300u) << "the types were not found";
  EXPECT_TRUE(headers.contains("headlight::MaskScheme"));
  for (const auto& [type, files] : headers)
    EXPECT_EQ(files.size(), 1u) << type << " is defined in " << files.front() << " and in "
                                << files.back();
}

TEST(Types, ATwinIsFound) {
  const TemporaryFolder folder;
  const auto write = [&](const char* name, const char* text) {
    std::filesystem::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
  };
  write("core/base/A.h", "namespace headlight {\nstruct Twin {};\n}\n");
  write("ui/base/B.h", "namespace headlight {\nclass Twin { int x; };\nstruct Single {};\n}\n");
  write("ui/base/C.h", "namespace headlight {\nclass Twin;\nstruct Single;\n}\n");
  write("app/cli/D.h", "namespace headlight::cli {\nclass Twin {};\n}\n");
  const auto headers = typesOfHeaders(folder.path());
  EXPECT_EQ(headers.at("headlight::Twin"),
            (std::vector<std::string>{"core/base/A.h", "ui/base/B.h"}));
  EXPECT_EQ(headers.at("headlight::Single").size(), 1u);
  EXPECT_EQ(headers.at("headlight::cli::Twin").size(), 1u);
}

TEST(Types, APartOfAHeaderNamesItAndWhichPartItIs) {
  EXPECT_EQ(headerOfPart("// Decoders.h: JPEG.\n"), "Decoders.h");
  EXPECT_FALSE(headerOfPart("// The decoders: JPEG.\n"));
  EXPECT_FALSE(headerOfPart("// Decoders.h:\n"));
}

std::string textOf(const std::filesystem::path& source) {
  std::ifstream stream(source);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// No class is cut over two sources: each has a header of its own name. In core the free functions
/// of a header may also have several sources, in its room and under its name: decoders, published
/// models.
bool belongsToAHeader(const std::filesystem::path& root, const std::filesystem::path& source) {
  const std::filesystem::path path = root / source;
  if (std::filesystem::exists(std::filesystem::path(path).replace_extension(".h"))) return true;
  if (!source.string().starts_with("core/")) return false;
  const auto header = headerOfPart(textOf(path));
  return header &&
         path.filename().string().starts_with(std::filesystem::path(*header).stem().string()) &&
         std::filesystem::exists(path.parent_path() / *header);
}

TEST(Types, ASourceWithoutItsHeaderIsFound) {
  const TemporaryFolder folder;
  const auto write = [&](const char* name, const char* text) {
    std::filesystem::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
    return belongsToAHeader(folder.path(), name);
  };
  write("core/base/Decoders.h", "");
  write("ui/base/View.h", "");
  EXPECT_TRUE(write("ui/base/View.cpp", ""));
  EXPECT_TRUE(write("core/base/DecodersPng.cpp", "// Decoders.h: PNG.\n"));
  EXPECT_FALSE(write("core/base/DecodersJpeg.cpp", "// JPEG.\n"));
  EXPECT_FALSE(write("core/base/Jpeg.cpp", "// Decoders.h: JPEG.\n"));
  EXPECT_FALSE(write("core/base/ReadersJpeg.cpp", "// Readers.h: JPEG.\n"));
  EXPECT_FALSE(write("ui/base/ViewInput.cpp", "// View, continued: its mouse and keys.\n"));
  EXPECT_FALSE(write("ui/base/ViewKeys.cpp", "// View.h: its keys.\n"));
}

TEST(Types, ASourceHasItsHeader) {
  std::size_t checked = 0;
  for (const auto& [file, includes] : sourceTree(kSources)) {
    const std::filesystem::path path(file);
    if (!(file.starts_with("core/") || file.starts_with("ui/")) || path.extension() != ".cpp")
      continue;
    ++checked;
    EXPECT_TRUE(belongsToAHeader(kSources, path))
        << file << " has no header of its name; what it holds is a class of its own, or functions";
  }
  EXPECT_GT(checked, 300u) << "the sources were not found";
}

}  // namespace
}  // namespace headlight::testing
