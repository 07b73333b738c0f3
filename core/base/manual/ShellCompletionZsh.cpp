// SPDX-License-Identifier: GPL-3.0-or-later

// ShellCompletion.h: zsh.

#include "core/base/manual/ShellCompletion.h"

namespace headlight {
namespace {

/// Within single quotes of the shell: 'it'\''s'.
std::string zshQuoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string zshValue(const ManualOption& option) {
  if (option.value.empty()) return "";
  std::string words;
  for (const std::string& choice : option.choices())
    words += (words.empty() ? "" : " ") + choice;
  const std::string action = !words.empty()          ? "(" + words + ")"
                             : option.takesNumbers() ? " "
                                                     : "_files";
  return ":" + markedCharacters(option.value, "\\:", "\\") + ":" + action;
}

/// "'--model=[help]:NAME|FILE:_files'"; an option with a value takes it behind = too.
std::string zshOption(const ManualOption& option) {
  std::string text;
  for (const std::string& name : option.names) {
    const bool joins = !option.value.empty() && name.starts_with("--");
    text += " \\\n        " + zshQuoted("*" + name + (joins ? "=" : "") + "[" +
                                        markedCharacters(oneLine(option.help), "\\[]:", "\\") +
                                        "]" + zshValue(option));
  }
  return text;
}

std::string zshCommands(const CommandManual& command) {
  std::string text = "      commands=(";
  for (const CommandManual& below : command.commands)
    text += "\n        " + zshQuoted(below.lastWord() + ":" + oneLine(below.summary));
  return text + ")\n      _describe -t commands command commands\n";
}

std::string zshCase(const CommandManual& command) {
  std::string text = "    (" + zshQuoted(command.name) + ")\n";
  if (!command.commands.empty()) text += zshCommands(command);
  text += "      _arguments -S";
  for (const ManualOption& option : command.options)
    text += zshOption(option);
  if (command.commands.empty()) text += " \\\n        '*:file:_files'";
  return text + " ;;\n";
}

std::string zshKnown(const CommandManual& program) {
  std::string patterns;
  forEachCommand(program, [&](const CommandManual& command) {
    if (command.name != program.name)
      patterns += (patterns.empty() ? "" : "|") + zshQuoted(command.name);
  });
  return patterns.empty() ? "''" : patterns;
}

}  // namespace

std::string zshCompletion(const CommandManual& program) {
  const std::string function = completionFunction(program);
  std::string text = "#compdef " + program.name + "\n# zsh completion for " + program.name +
                     "; made by the program itself\n" + function +
                     "() {\n  local command=" + program.name +
                     " word\n  local -a commands\n  integer depth=0\n"
                     "  for word in ${words[2,CURRENT-1]}; do\n"
                     "    case \"$command $word\" in\n      (" +
                     zshKnown(program) +
                     ") command=\"$command $word\"; (( ++depth )) ;;\n    esac\n  done\n"
                     "  # Only what belongs to the command is looked at from here on.\n"
                     "  words=(\"${(@)words[1+depth,-1]}\")\n  (( CURRENT -= depth ))\n"
                     "  case $command in\n";
  forEachCommand(program, [&](const CommandManual& command) { text += zshCase(command); });
  return text + "  esac\n}\n" + function + " \"$@\"\n";
}

}  // namespace headlight
