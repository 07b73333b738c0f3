// SPDX-License-Identifier: GPL-3.0-or-later

// One version: what the program says, CMake's and the newest of the changelog.

#include <regex>

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

std::string firstMatch(const std::string& file, const std::string& pattern) {
  const std::string text = readBytes(fs::path(HEADLIGHT_SOURCE_DIR) / file);
  std::smatch found;
  return std::regex_search(text, found, std::regex(pattern)) ? found[1].str() : "";
}

using VersionCliTest = CliTest;

TEST_F(VersionCliTest, IsThatOfTheBuildAndOfTheChangelog) {
  const std::string version = firstMatch("CMakeLists.txt", R"(project\(Headlight VERSION (\S+))");
  EXPECT_TRUE(std::regex_match(version, std::regex(R"(\d+\.\d+\.\d+)"))) << version;
  EXPECT_EQ(firstMatch("CHANGELOG.md", R"(## (\S+))"), version);
  const Outcome said = run({"--version"});
  EXPECT_EQ(said.exitCode, 0);
  EXPECT_EQ(said.out.substr(0, said.out.find('\n')), "headlight-cli " + version);
}

TEST_F(VersionCliTest, NamesTheLibrariesALineEach) {
  const std::string said = run({"--version"}).out;
  EXPECT_TRUE(std::regex_match(
      said, std::regex("headlight-cli \\S+\nLibTorch \\d+\\.\\d+\\.\\d+\\S*\nBLAS: \\S.*\n"
                       "CUDA(: none| \\d+\\.\\d+( \\(no device\\))?)\n")))
      << said;
}

}  // namespace
}  // namespace headlight::testing
