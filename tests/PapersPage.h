// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The commands of resources/help/papers.md, which all tests of that page read alike.

#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace headlight {

/// On the page a flag without a value is followed by another flag, or ends the command.
struct PaperCommand {
  std::string line;                                        ///< as on the page
  std::string name;                                        ///< "sweep", "sequence evaluate"
  std::vector<std::string> places;                         ///< arguments that are no flags
  std::vector<std::pair<std::string, std::string>> flags;  ///< "--query", "7,7"

  std::string valueOf(const std::string& flag) const {
    for (const auto& [name, value] : flags)
      if (name == flag) return value;
    return "";
  }
};

inline std::string papersPage() {
  std::ifstream file(HEADLIGHT_SOURCE_DIR "/resources/help/papers.md");
  if (!file) throw std::runtime_error("resources/help/papers.md is missing");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline PaperCommand paperCommand(const std::string& line) {
  PaperCommand command{line, "", {}, {}};
  std::istringstream words(line);
  std::string word;
  words >> word >> command.name;  // the program, its command
  if (command.name == "sequence" && words >> word) command.name += " " + word;
  while (words >> word) {
    if (word.starts_with("-"))
      command.flags.emplace_back(word, "");
    else if (!command.flags.empty() && command.flags.back().second.empty())
      command.flags.back().second = word;
    else
      command.places.push_back(word);
  }
  return command;
}

/// In text between backquotes, or on a line of its own in a code block.
inline std::vector<PaperCommand> paperCommands() {
  static const std::regex kCommand("(?:`|\n    )(headlight-cli [^`\n]+)");
  const std::string page = std::regex_replace(papersPage(), std::regex(" *\\\\\n *"), " ");
  std::vector<PaperCommand> commands;
  for (std::sregex_iterator at(page.begin(), page.end(), kCommand), end; at != end; ++at)
    commands.push_back(paperCommand((*at)[1].str()));
  return commands;
}

}  // namespace headlight
