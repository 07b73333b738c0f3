// SPDX-License-Identifier: GPL-3.0-or-later

// The help's page of the papers' tables and figures: its commands and flags exist. Manual pages
// have the flags of --help (ManualTest.cpp), all of them from one start of the program. The values
// are looked at in tests/workbench/sweeps/PapersPageTest.cpp.

#include "tests/PapersPage.h"

#include <map>

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

/// The lines behind .TP that begin with an option: "\fB\-o\fR, \fB\-\-output\fR \fIFILE\fR". By
/// option: whether it takes a value.
std::map<std::string, bool> optionsOfManual(const std::string& page) {
  static const std::regex kName(R"(\\fB(\\-[^ ]*?)\\fR)");
  std::map<std::string, bool> options;
  std::istringstream lines(page);
  std::string before;
  for (std::string line; std::getline(lines, line); before = line) {
    if (before != ".TP") continue;
    const bool takesValue = line.find("\\fI") != std::string::npos;
    for (std::sregex_iterator at(line.begin(), line.end(), kName), end; at != end; ++at)
      options[std::regex_replace((*at)[1].str(), std::regex(R"(\\-)"), "-")] = takesValue;
  }
  return options;
}

std::string manualFile(const std::string& command) {
  return "headlight-cli-" + std::regex_replace(command, std::regex(" "), "-") + ".1";
}

class PapersPageCliTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    expectOk(run({"man", "--folder", "pages"}));
  }

  /// Of a command; none where there is no such command.
  std::map<std::string, bool> options(const std::string& command) const {
    const fs::path page = path("pages") / manualFile(command);
    return fs::exists(page) ? optionsOfManual(readBytes(page)) : std::map<std::string, bool>();
  }

  void expectAccepted(const PaperCommand& command) const {
    const auto known = options(command.name);
    ASSERT_FALSE(known.empty()) << "there is no command " << command.name;
    for (const auto& [flag, value] : command.flags) {
      ASSERT_TRUE(known.contains(flag)) << flag;
      EXPECT_EQ(known.at(flag), !value.empty()) << flag << " and its value";
    }
  }
};

TEST_F(PapersPageCliTest, EveryCommandAndFlagExists) {
  const auto commands = paperCommands();
  EXPECT_GT(commands.size(), 80u);
  for (const PaperCommand& command : commands) {
    SCOPED_TRACE(command.line);
    expectAccepted(command);
  }
}

TEST_F(PapersPageCliTest, WhatIsNoFlagIsFound) {
  const PaperCommand command =
      paperCommand("headlight-cli attend photo.jpg --no-such-flag 3 --mask-outline");
  EXPECT_EQ(command.places, Arguments{"photo.jpg"});
  EXPECT_FALSE(options(command.name).contains(command.flags[0].first));
  EXPECT_FALSE(options(command.name).at("--mask-outline"));
  EXPECT_TRUE(options("sequence evaluate").at("--split"));
  EXPECT_TRUE(options("no such command").empty());
}

}  // namespace
}  // namespace headlight::testing
