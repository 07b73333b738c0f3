// SPDX-License-Identifier: GPL-3.0-or-later

// ShellCompletion.h: fish.

#include "core/base/manual/ShellCompletion.h"

namespace headlight {
namespace {

std::string fishQuoted(const std::string& text) {
  return "'" + markedCharacters(text, "\\'", "\\") + "'";
}

std::string fishList(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words)
    list += (list.empty() ? "" : " ") + word;
  return fishQuoted(list);
}

/// What follows an option: -x and words, -x alone for a number, -r with files, or nothing.
std::string fishValue(const ManualOption& option) {
  const auto choices = option.choices();
  if (option.value.empty()) return "";
  if (!choices.empty()) return " -x -a " + fishList(choices);
  return option.takesNumbers() ? " -x" : " -r -F";
}

std::string fishNames(const ManualOption& option) {
  std::string text;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return text;
}

std::string fishLines(const CommandManual& program, const CommandManual& command) {
  const std::string where =
      "complete -c " + program.name + " -n " +
      fishQuoted("test (_" + completionFunction(program) + ") = " + fishQuoted(command.name));
  std::string text;
  for (const CommandManual& below : command.commands)
    text +=
        where + " -f -a " + below.lastWord() + " -d " + fishQuoted(oneLine(below.summary)) + "\n";
  for (const ManualOption& option : command.options)
    text += where + fishNames(option) + fishValue(option) + " -d " +
            fishQuoted(oneLine(option.help)) + "\n";
  return text;
}

/// Prints the command that the line has so far.
std::string fishCommand(const CommandManual& program) {
  std::string known;
  forEachCommand(program, [&](const CommandManual& command) {
    if (command.name != program.name) known += " " + fishQuoted(command.name);
  });
  return "function _" + completionFunction(program) + "\n  set -l command " + program.name +
         "\n  set -l words (commandline -opc)\n"
         "  for word in $words[2..-1]\n"
         "    if contains -- \"$command $word\"" +
         known + "\n      set command \"$command $word\"\n    end\n  end\n  echo $command\nend\n";
}

}  // namespace

std::string fishCompletion(const CommandManual& program) {
  std::string text = "# fish completion for " + program.name + "; made by the program itself\n" +
                     fishCommand(program);
  forEachCommand(program,
                 [&](const CommandManual& command) { text += fishLines(program, command); });
  return text;
}

}  // namespace headlight
