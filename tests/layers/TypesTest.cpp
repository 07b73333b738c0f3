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

TEST(Types, AContinuationNamesItsClassAndItsReason) {
  EXPECT_EQ(continuedType("// HeadsArea, continued: its mouse and keys.\n"), "HeadsArea");
  EXPECT_FALSE(continuedType("// HeadsArea's mouse and keys.\n"));
  EXPECT_FALSE(continuedType("// HeadsArea, continued: \n"));
  EXPECT_FALSE(continuedType("#include <vector>\n// HeadsArea, continued: later.\n"));
}

TEST(Types, APartOfAHeaderNamesItAndWhichPartItIs) {
  EXPECT_EQ(headerOfPart("// Decoders.h: JPEG.\n"), "Decoders.h");
  EXPECT_FALSE(headerOfPart("// The decoders: JPEG.\n"));
  EXPECT_FALSE(headerOfPart("// Decoders.h:\n"));
}

bool hasOwnHeader(const std::filesystem::path& source) {
  return std::filesystem::exists(kSources / std::filesystem::path(source).replace_extension(".h"));
}

std::string textOf(const std::filesystem::path& source) {
  std::ifstream stream(kSources / source);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void expectContinued(const std::filesystem::path& source,
                     const std::map<std::string, std::vector<std::string>>& headers) {
  const auto type = continuedType(textOf(source));
  ASSERT_TRUE(type) << source << " has no header; begin it with \"// Name, continued: why\"";
  const auto found = headers.find("headlight::" + *type);
  ASSERT_TRUE(found != headers.end()) << source << " continues " << *type << ", which is no type";
  EXPECT_EQ(std::filesystem::path(found->second.front()).parent_path(), source.parent_path())
      << source;
}

/// In core a header may also have several sources, in its room and under its name: decoders,
/// published models.
bool isPartOfAHeader(const std::filesystem::path& source) {
  const auto header = headerOfPart(textOf(source));
  return header &&
         source.filename().string().starts_with(std::filesystem::path(*header).stem().string()) &&
         std::filesystem::exists(kSources / source.parent_path() / *header);
}

TEST(Types, ASourceHasItsHeaderOrSaysWhoseSecondHalfItIs) {
  const auto headers = typesOfHeaders(kSources);
  std::size_t checked = 0;
  for (const auto& [file, includes] : sourceTree(kSources)) {
    const std::filesystem::path path(file);
    const bool core = file.starts_with("core/");
    if (!(core || file.starts_with("ui/")) || path.extension() != ".cpp") continue;
    ++checked;
    if (!hasOwnHeader(path) && !(core && isPartOfAHeader(path))) expectContinued(path, headers);
  }
  EXPECT_GT(checked, 300u) << "the sources were not found";
}

}  // namespace
}  // namespace headlight::testing
