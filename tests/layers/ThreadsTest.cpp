// SPDX-License-Identifier: GPL-3.0-or-later

// LibTorch's parallel_for is a header: compiled without OpenMP it runs on one thread, without a word.
// So whatever calls it is named in core/CMakeLists.txt, where its options are.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace headlight::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kCore = fs::path(HEADLIGHT_SOURCE_DIR) / "core";

std::string textOf(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// By itself or by core/models/layers/RowChunks.h.
std::set<std::string> sourcesWithThreads() {
  static const std::regex call(R"(\b(parallel_for|forEachChunkOfRows)\s*\()");
  std::set<std::string> sources;
  for (const auto& entry : fs::recursive_directory_iterator(kCore))
    if (entry.path().extension() == ".cpp" && std::regex_search(textOf(entry.path()), call))
      sources.insert(fs::relative(entry.path(), kCore).string());
  return sources;
}

/// The pattern of what core/CMakeLists.txt compiles apart, with OpenMP, in this wing; it ends in
/// ".cpp" there, too.
std::regex compiledWithOpenMp(const std::string& wing) {
  static const std::string text = textOf(kCore / "CMakeLists.txt");
  std::smatch found;
  const std::regex line("set\\(apart_" + wing + R"( "([^"]+)\"\))");
  return std::regex(std::regex_search(text, found, line) ? "/(" + found[1].str() + R"()\.cpp$)"
                                                         : std::string("none of them"));
}

TEST(Threads, EverySourceThatAsksForThemIsCompiledForThem) {
  const auto asking = sourcesWithThreads();
  ASSERT_GE(asking.size(), 5u);
  for (const std::string& source : asking)
    EXPECT_TRUE(std::regex_search(source, compiledWithOpenMp(source.substr(0, source.find('/')))))
        << source << " is not compiled apart in core/CMakeLists.txt";
}

TEST(Threads, NoOtherSourceIsCompiledApart) {
  EXPECT_FALSE(std::regex_search("models/layers/Mlp.cpp", compiledWithOpenMp("models")));
  EXPECT_FALSE(std::regex_search("data/Augment.cpp", compiledWithOpenMp("data")));
}

}  // namespace
}  // namespace headlight::testing
