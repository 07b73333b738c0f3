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

/// What core/CMakeLists.txt compiles with OpenMP.
std::set<std::string> sourcesWithOpenMp() {
  const std::string text = textOf(kCore / "CMakeLists.txt");
  const auto begin = text.find("if(OpenMP_CXX_FOUND)"), end = text.find("PROPERTIES", begin);
  const std::string list = text.substr(begin, end - begin);
  static const std::regex name(R"([\w/]+\.cpp)");
  std::set<std::string> sources;
  for (std::sregex_iterator it(list.begin(), list.end(), name), last; it != last; ++it)
    sources.insert(it->str());
  return sources;
}

TEST(Threads, EverySourceThatAsksForThemIsCompiledForThem) {
  const auto asking = sourcesWithThreads(), compiled = sourcesWithOpenMp();
  ASSERT_GE(asking.size(), 5u);
  for (const std::string& source : asking)
    EXPECT_TRUE(compiled.contains(source))
        << source << " is not in the list of core/CMakeLists.txt";
}

}  // namespace
}  // namespace headlight::testing
