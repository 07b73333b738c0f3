// SPDX-License-Identifier: GPL-3.0-or-later

// ShellCompletion.h: bash.

#include "core/base/manual/ShellCompletion.h"

namespace headlight {
namespace {

std::string wordList(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words)
    list += (list.empty() ? "" : " ") + word;
  return list;
}

std::vector<std::string> wordsAt(const CommandManual& command) {
  std::vector<std::string> words;
  for (const CommandManual& below : command.commands)
    words.push_back(below.lastWord());
  for (const std::string& name : optionNames(command))
    words.push_back(name);
  return words;
}

/// "'a b'|'a c'": patterns of a case.
void addPattern(std::string& patterns, const std::string& pattern) {
  patterns += (patterns.empty() ? "'" : "|'") + pattern + "'";
}

std::string commandCase(const CommandManual& program) {
  std::string patterns;
  forEachCommand(program, [&](const CommandManual& command) {
    if (command.name != program.name) addPattern(patterns, command.name);
  });
  if (patterns.empty()) return "";
  return "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "    case \"$command $word\" in\n      " +
         patterns + ") command=\"$command $word\" ;;\n    esac\n  done\n";
}

std::string wordsCase(const CommandManual& program) {
  std::string text = "  case $command in\n";
  forEachCommand(program, [&](const CommandManual& command) {
    text += "    '" + command.name + "') words='" + wordList(wordsAt(command)) + "' ;;\n";
  });
  return text + "  esac\n";
}

std::string patternsOf(const CommandManual& command, const ManualOption& option) {
  std::string patterns;
  for (const std::string& name : option.names)
    addPattern(patterns, command.name + " " + name);
  return patterns;
}

/// Behind an option comes its value: words, a number, or a file, which bash completes by itself
/// where it is given no words.
std::string valuesCase(const CommandManual& program) {
  std::string text = "  case \"$command $previous\" in\n", others;
  forEachCommand(program, [&](const CommandManual& command) {
    for (const ManualOption& option : command.options) {
      const auto choices = option.choices();
      if (option.value.empty()) continue;
      if (choices.empty())
        others += (others.empty() ? "" : "|") + patternsOf(command, option);
      else
        text += "    " + patternsOf(command, option) + ") values='" + wordList(choices) + "' ;;\n";
    }
  });
  return text + (others.empty() ? "" : "    " + others + ") return ;;\n") + "  esac\n";
}

}  // namespace

std::string bashCompletion(const CommandManual& program) {
  const std::string function = completionFunction(program);
  return "# bash completion for " + program.name + "; made by the program itself\n" + function +
         "() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local command=" +
         program.name +
         " words= values= word\n"
         "  COMPREPLY=()\n"
         "  # Bash parts --option=value at the sign.\n"
         "  if [[ $current == = ]]; then current=\n"
         "  elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}\n"
         "  fi\n" +
         commandCase(program) + valuesCase(program) +
         "  if [[ -n $values ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$current\")\n"
         "    return\n"
         "  fi\n" +
         wordsCase(program) +
         "  # Where commands are no other word fits; elsewhere files do, unless it is an option.\n"
         "  if [[ $current == -* || $words != -* ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "  fi\n"
         "} &&\n"
         "  complete -o bashdefault -o default -F " +
         function + " " + program.name + "\n";
}

}  // namespace headlight
