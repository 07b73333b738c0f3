// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a program's --help says, as data: manual pages and shell completions are made from it.

#include <functional>
#include <string>
#include <vector>

namespace headlight {

/// An argument of a command that is no option.
struct ManualArgument {
  std::string name;   ///< "CONFIG"
  std::string usage;  ///< "[CONFIG]", "IMAGE..."
  std::string help;
};

struct ManualOption {
  std::vector<std::string> names;  ///< {"-m", "--model"}
  std::string value;               ///< "NAME|FILE", "yes|no", "INT ..."; empty for a switch
  std::string help;
  std::string group;  ///< its title in --help
  /// The words that it takes: of "yes|no", and of help with "[one of: a, b; default a]".
  std::vector<std::string> choices() const;
  /// Whether a number or a list of numbers follows, so that no file fits.
  bool takesNumbers() const;
};

struct CommandManual {
  std::string name;  ///< with the program and the commands above: "headlight-cli sequence train"
  std::string summary;
  std::vector<ManualArgument> arguments;
  std::vector<ManualOption> options;
  std::vector<CommandManual> commands;
  std::string footer;  ///< of --help: lines
  /// "headlight-cli-sequence-train": of its page.
  std::string pageName() const;
  std::string lastWord() const;  ///< "train"
};

/// Calls `use` with `command` and all commands below it, each before those below it.
void forEachCommand(const CommandManual& command,
                    const std::function<void(const CommandManual&)>& use);

/// `text` with every character of `which` behind `mark`.
std::string markedCharacters(const std::string& text, const std::string& which,
                             const std::string& mark);

/// One line: line ends and runs of spaces become a space.
std::string oneLine(const std::string& text);

}  // namespace headlight
