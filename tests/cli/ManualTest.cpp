// SPDX-License-Identifier: GPL-3.0-or-later

// Manual pages and completions know the commands and options of --help, no more and no fewer.

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using Names = std::set<std::string>;

/// Of --help: "  -m,--model NAME|FILE   text" in a group, "  train   text" below Subcommands.
struct HelpPage {
  Names options, commands;
};

HelpPage readHelp(const std::string& help) {
  static const std::regex kOption("  (-[^ ]+)( .*)?"), kCommand("  ([a-z-]+)( .*)?");
  HelpPage page;
  std::istringstream lines(help);
  bool commands = false;
  std::smatch found;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] != ' ') commands = line == "Subcommands:";
    if (std::regex_match(line, found, kOption)) {
      std::istringstream names(found[1].str());
      for (std::string name; std::getline(names, name, ',');)
        page.options.insert(name.substr(0, name.find('{')));  // "--blocks{false}" turns off
    } else if (commands && std::regex_match(line, found, kCommand)) {
      page.commands.insert(found[1].str());
    }
  }
  return page;
}

/// The names in bold on the lines behind .TP that begin with a dash.
Names optionsOfPage(const std::string& page) {
  static const std::regex kBold(R"(\\fB(\\-[^ ]*?)\\fR)");
  Names names;
  std::istringstream lines(page);
  std::string before;
  for (std::string line; std::getline(lines, line); before = line) {
    if (before != ".TP") continue;
    for (std::sregex_iterator at(line.begin(), line.end(), kBold), end; at != end; ++at)
      names.insert(std::regex_replace((*at)[1].str(), std::regex(R"(\\-)"), "-"));
  }
  return names;
}

Names wordsOf(const std::string& text) {
  Names words;
  std::istringstream in(text);
  for (std::string word; in >> word;)
    words.insert(word);
  return words;
}

class ManualCliTest : public CliTest {
 protected:
  /// The --help of every command, by its words: "", "train", "sequence train".
  const std::map<std::string, HelpPage>& helpPages() {
    if (m_pages.empty()) addPages("");
    return m_pages;
  }

  void addPages(const std::string& command) {
    Arguments arguments;
    std::istringstream words(command);
    for (std::string word; words >> word;)
      arguments.push_back(word);
    arguments.emplace_back("--help");
    const Outcome help = run(arguments);
    expectOk(help);
    const Names below = (m_pages[command] = readHelp(help.out)).commands;
    for (const std::string& name : below)
      addPages(command.empty() ? name : command + " " + name);
  }

  inline static std::map<std::string, HelpPage> m_pages;  // the same for every test
};

TEST_F(ManualCliTest, EveryPageHasTheOptionsOfHelp) {
  expectOk(run({"man", "--folder", "pages"}));
  Names expected;
  for (const auto& [command, help] : helpPages()) {
    const std::string name = "headlight-cli" + (command.empty() ? "" : " " + command);
    const std::string file = std::regex_replace(name, std::regex(" "), "-") + ".1";
    expected.insert(file);
    const std::string page = readBytes(path("pages") / file);
    EXPECT_EQ(optionsOfPage(page), help.options) << name;
    for (const std::string& below : help.commands)
      EXPECT_NE(page.find(".TP\n\\fB" + std::regex_replace(below, std::regex("-"), "\\-")),
                std::string::npos)
          << below;
  }
  EXPECT_GT(helpPages().size(), 30u);
  Names written;
  for (const auto& entry : fs::directory_iterator(path("pages")))
    written.insert(entry.path().filename().string());
  EXPECT_EQ(written, expected);
  const Outcome one = run({"man", "sequence", "train"});
  EXPECT_EQ(one.out, readBytes(path("pages") / "headlight-cli-sequence-train.1"));
  expectError(run({"man", "trian"}), 2, {"trian", "is not a command"});
}

TEST_F(ManualCliTest, BashCompletesEveryCommandAndOptionOfHelp) {
  const Outcome script = run({"completions", "bash"});
  expectOk(script);
  write("completion.bash", script.out);
  std::string test = "source ./completion.bash\n";
  std::vector<Names> expected;
  for (const auto& [command, help] : helpPages()) {
    for (const char* begun : {"-", "''"}) {
      test += "COMP_WORDS=(headlight-cli " + command + " " + begun +
              "); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _headlight_cli; echo \"${COMPREPLY[*]}\"\n";
      Names words = help.commands;
      if (*begun == '-') words.clear();
      if (*begun == '-' || !help.commands.empty())
        words.insert(help.options.begin(), help.options.end());
      expected.push_back(words);
    }
  }
  write("test.bash", test);
  std::istringstream lines(shell("bash ./test.bash", options()).out);
  std::string line;
  for (const Names& words : expected) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(wordsOf(line), words);
  }
}

/// As many options in the scripts of the other shells, each by its name.
TEST_F(ManualCliTest, ZshAndFishKnowEveryOptionOfHelp) {
  const std::string zsh = run({"completions", "zsh"}).out, fish = run({"completions", "fish"}).out;
  for (const auto& [command, help] : helpPages()) {
    const std::string name = "headlight-cli" + (command.empty() ? "" : " " + command);
    const auto begin = zsh.find("    ('" + name + "')\n");
    ASSERT_NE(begin, std::string::npos) << name;
    const std::string part = zsh.substr(begin, zsh.find(" ;;\n", begin) - begin);
    for (const std::string& option : help.options) {
      EXPECT_TRUE(part.find("'*" + option + "[") != std::string::npos ||
                  part.find("'*" + option + "=[") != std::string::npos)
          << name << " " << option;
      const std::string flag = option.starts_with("--") ? " -l " + option.substr(2) + " "
                                                        : " -s " + option.substr(1) + " ";
      EXPECT_NE(fish.find(flag), std::string::npos) << name << " " << option;
    }
  }
  expectError(run({"completions", "tcsh"}), 2, {"bash, zsh or fish"});
}

}  // namespace
}  // namespace headlight::testing
