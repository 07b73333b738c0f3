// SPDX-License-Identifier: GPL-3.0-or-later

// Manual pages and completions of a small program, by what roff and the shells make of them.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "core/base/manual/ManualPage.h"
#include "core/base/manual/ShellCompletion.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

CommandManual smallProgram() {
  CommandManual run;
  run.name = "lamp-cli run";
  run.summary = "Run it's [all] of\n a: b";
  run.arguments = {{"IMAGE", "[IMAGE...]", ".starts with a dot"}};
  run.options = {{{"-m", "--model"}, "NAME|FILE", "A back\\slash, it's \"quoted\"", "Options"},
                 {{"--a.kind"}, "TEXT", "Kind. [one of: soft, hard; default soft]", "Masks"},
                 {{"--deep"}, "yes|no", "Deeper", "Masks"},
                 {{"--count"}, "INT", "How many", "Masks"},
                 {{"--json"}, "", "As JSON", "Options"}};
  run.footer = "One line\n.two\n\n'three";
  CommandManual group;
  group.name = "lamp-cli group";
  group.commands = {
      {"lamp-cli group inner", "Within", {}, {{{"--only"}, "", "", "Options"}}, {}, ""}};
  CommandManual program;
  program.name = "lamp-cli";
  program.summary = "A lamp";
  program.options = {{{"-h", "--help"}, "", "Show this", "Options"}};
  program.commands = {run, group};
  return program;
}

std::string outputOf(const std::string& command) {
  std::string text;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> part{};
  while (const std::size_t read = std::fread(part.data(), 1, part.size(), pipe))
    text.append(part.data(), read);
  ::pclose(pipe);
  return text;
}

bool hasTool(const std::string& name) {
  return !outputOf("command -v " + name).empty();
}

class ManualTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    const auto path = m_folder.path() / name;
    std::ofstream(path) << text;
    return path.string();
  }

  /// What bash offers for the last of `words`.
  std::string bashOffers(const std::string& words) const {
    const std::string script = write("lamp.bash", bashCompletion(smallProgram()));
    const std::string test =
        write("test.bash", "source " + script + "\nCOMP_WORDS=(lamp-cli " + words +
                               ")\nCOMP_CWORD=$((${#COMP_WORDS[@]}-1))\n"
                               "_lamp_cli\necho \"${COMPREPLY[*]}\"\n");
    return outputOf("bash " + test + " 2>&1");
  }

  TemporaryFolder m_folder;
};

TEST_F(ManualTest, ChoicesAreThoseOfTheValueOrTheHelp) {
  const CommandManual program = smallProgram();
  const auto& options = program.commands[0].options;
  using Words = std::vector<std::string>;
  EXPECT_EQ(options[0].choices(), Words{});
  EXPECT_EQ(options[1].choices(), (Words{"soft", "hard"}));
  EXPECT_EQ(options[2].choices(), (Words{"yes", "no"}));
  EXPECT_EQ(options[4].choices(), Words{});
  EXPECT_TRUE(options[3].takesNumbers());
  EXPECT_FALSE(options[0].takesNumbers());
}

TEST_F(ManualTest, NamesOfPagesHaveNoSpace) {
  const CommandManual program = smallProgram();
  const CommandManual& inner = program.commands[1].commands[0];
  EXPECT_EQ(inner.pageName(), "lamp-cli-group-inner");
  EXPECT_EQ(inner.lastWord(), "inner");
  std::string names;
  forEachCommand(program, [&](const CommandManual& command) { names += command.lastWord() + " "; });
  EXPECT_EQ(names, "lamp-cli run group inner ");
}

TEST_F(ManualTest, RoffPrintsEveryCharacterAsItIs) {
  EXPECT_EQ(roffText("a\\b-c"), "a\\eb\\-c");
  EXPECT_EQ(roffText(".x\n.y"), "\\&.x\n\\&.y");
  EXPECT_EQ(roffText("'\"`~^"), "\\(aq\\(dq\\(ga\\(ti\\(ha");
}

TEST_F(ManualTest, APageHasItsPartsInOrder) {
  const std::string page = manualPage(smallProgram().commands[0], "1.2.3", "lamp-cli");
  std::size_t at = 0;
  for (const char* part :
       {".TH \"LAMP\\-CLI\\-RUN\" 1 \"\" \"Headlight 1.2.3\"",
        "lamp\\-cli\\-run \\- Run it\\(aqs [all] of a: b\n",
        "\\fBlamp\\-cli run\\fR [\\fIOPTIONS\\fR] \\fI[IMAGE...]\\fR\n", "\\&.starts with a dot\n",
        ".SS \"Options\"\n.TP\n\\fB\\-m\\fR, \\fB\\-\\-model\\fR \\fINAME|FILE\\fR\n",
        "\\fB\\-\\-json\\fR\n", ".SS \"Masks\"\n", "One line\n.br\n\\&.two\n.sp\n\\(aqthree\n",
        "\\fBlamp\\-cli\\fR(1)\n"}) {
    const std::size_t found = page.find(part, at);
    ASSERT_NE(found, std::string::npos) << part << " in\n" << page;
    at = found;
  }
}

TEST_F(ManualTest, ManPrintsThePageWithoutWarnings) {
  if (!hasTool("man")) GTEST_SKIP() << "no man here";
  const std::string page = write("run.1", manualPage(smallProgram().commands[0], "1.2.3"));
  const std::string said =
      outputOf("LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l " + page + " 2>&1 1>/dev/null");
  EXPECT_EQ(said, "");
  const std::string text = outputOf("LC_ALL=C.UTF-8 MANWIDTH=100 man -l " + page + " 2>/dev/null");
  EXPECT_NE(text.find("A back\\slash, it's \"quoted\""), std::string::npos) << text;
  EXPECT_NE(text.find("-m, --model NAME|FILE"), std::string::npos) << text;
}

TEST_F(ManualTest, BashOffersWhatFits) {
  EXPECT_EQ(bashOffers("''"), "run group -h --help\n");
  EXPECT_EQ(bashOffers("r"), "run\n");
  EXPECT_EQ(bashOffers("run --"), "--model --a.kind --deep --count --json\n");
  EXPECT_EQ(bashOffers("run --a.kind ''"), "soft hard\n");
  EXPECT_EQ(bashOffers("run --a.kind = h"), "hard\n");
  EXPECT_EQ(bashOffers("run --deep ="), "yes no\n");
  EXPECT_EQ(bashOffers("run --model ''"), "\n");  // files
  EXPECT_EQ(bashOffers("run ''"), "\n");
  EXPECT_EQ(bashOffers("group ''"), "inner\n");
  EXPECT_EQ(bashOffers("group inner --o"), "--only\n");
  EXPECT_EQ(bashOffers("run group --j"), "--json\n");
}

TEST_F(ManualTest, ZshAndFishReadTheirScripts) {
  const std::string zsh = write("_lamp-cli", zshCompletion(smallProgram()));
  const std::string fish = write("lamp-cli.fish", fishCompletion(smallProgram()));
  if (hasTool("zsh")) {
    EXPECT_EQ(outputOf("zsh -n " + zsh + " 2>&1"), "");
  }
  if (hasTool("fish")) {
    EXPECT_EQ(outputOf("fish --no-execute " + fish + " 2>&1"), "");
    EXPECT_EQ(
        outputOf("fish -c 'source " + fish + "; complete -C \"lamp-cli run --a.kind \"' 2>&1"),
        "hard\tKind. [one of: soft, hard; default soft]\n"
        "soft\tKind. [one of: soft, hard; default soft]\n");
  }
}

TEST_F(ManualTest, ZshAndFishKnowEveryOption) {
  const std::string zsh = zshCompletion(smallProgram()), fish = fishCompletion(smallProgram());
  EXPECT_NE(zsh.find("'*--model=[A back\\\\slash, it'\\''s \"quoted\"]:NAME|FILE:_files'"),
            std::string::npos)
      << zsh;
  EXPECT_NE(
      zsh.find("'*--a.kind=[Kind. \\[one of\\: soft, hard; default soft\\]]:TEXT:(soft hard)'"),
      std::string::npos)
      << zsh;
  EXPECT_NE(zsh.find("'*--json[As JSON]'"), std::string::npos) << zsh;
  EXPECT_NE(fish.find(" -s m -l model -r -F -d 'A back\\\\slash, it\\'s \"quoted\"'\n"),
            std::string::npos)
      << fish;
  EXPECT_NE(fish.find(" -l deep -x -a 'yes no' -d 'Deeper'\n"), std::string::npos) << fish;
  EXPECT_NE(fish.find(" -l count -x -d 'How many'\n"), std::string::npos) << fish;
}

}  // namespace
}  // namespace headlight
