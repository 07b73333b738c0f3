// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/ProgramFolder.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

TEST(ProgramFolder, IsThatOfThisTest) {
  EXPECT_TRUE(fs::exists(programFolder() / "test_base")) << programFolder();
}

/// An installation is found wherever it was moved to, and no other one is.
TEST(ProgramFolder, InstalledFilesAreFoundBesideTheProgram) {
  const TemporaryFolder folder;
  const fs::path moved = fs::canonical(folder.path()) / "moved";
  fs::create_directories(moved / "bin");
  EXPECT_EQ(installedData(moved / "bin"), "");
  EXPECT_EQ(installedData({}), "");
  fs::create_directories(moved / "share/headlight/models");
  EXPECT_EQ(installedData(moved / "bin"), moved / "share/headlight");
}

/// Installed beside the window's program, and in a build folder in a folder of its own.
TEST(ProgramFolder, TheCommandLineIsFoundBesideTheWindow) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "gui");
  fs::create_directories(folder.path() / "cli");
  EXPECT_EQ(commandLineProgram({}), "");
  EXPECT_EQ(commandLineProgram(folder.path() / "gui"), "");
  std::ofstream(folder.path() / "cli/headlight-cli") << "";
  EXPECT_TRUE(fs::equivalent(commandLineProgram(folder.path() / "gui"),
                             folder.path() / "cli/headlight-cli"));
  EXPECT_EQ(commandLineProgram(folder.path() / "cli"), folder.path() / "cli/headlight-cli");
}

TEST(ProgramFolder, AFileThatIsHereComesBeforeTheInstalledOne) {
  const TemporaryFolder folder;
  const fs::path data = folder.path();
  fs::create_directories(data / "models/presets");
  std::ofstream(data / "models/presets/only-installed.json") << "{}";
  EXPECT_EQ(hereOrInstalled("models/presets/only-installed.json", data),
            data / "models/presets/only-installed.json");
  EXPECT_EQ(hereOrInstalled("models/presets/nowhere.json", data), "models/presets/nowhere.json");
  EXPECT_EQ(hereOrInstalled("presets/only-installed.json", data), "presets/only-installed.json");
  EXPECT_EQ(hereOrInstalled("models/presets/only-installed.json", {}),
            "models/presets/only-installed.json");
  EXPECT_EQ(hereOrInstalled(data / "models", data), data / "models");
  EXPECT_EQ(hereOrInstalled("", data), "");
}

}  // namespace
}  // namespace headlight
