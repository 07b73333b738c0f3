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

/// In ui. In core families of published models, decoders and the like stand behind one header.
TEST(Types, ASourceOfTheWindowHasItsHeaderOrContinuesAClassOfItsFolder) {
  const auto headers = typesOfHeaders(kSources);
  std::size_t checked = 0;
  for (const auto& [file, includes] : sourceTree(kSources)) {
    const std::filesystem::path path(file);
    if (!file.starts_with("ui/") || path.extension() != ".cpp") continue;
    ++checked;
    if (std::filesystem::exists(kSources / std::filesystem::path(path).replace_extension(".h")))
      continue;
    std::ifstream stream(kSources / path);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const auto type = continuedType(text);
    ASSERT_TRUE(type) << file << " has no header; begin it with \"// Name, continued: why\"";
    const auto found = headers.find("headlight::" + *type);
    ASSERT_TRUE(found != headers.end()) << file << " continues " << *type << ", which is no type";
    EXPECT_EQ(std::filesystem::path(found->second.front()).parent_path(), path.parent_path())
        << file;
  }
  EXPECT_GT(checked, 100u) << "the sources were not found";
}

}  // namespace
}  // namespace headlight::testing
