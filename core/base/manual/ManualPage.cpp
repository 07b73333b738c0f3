// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/manual/ManualPage.h"

#include <algorithm>
#include <cctype>

namespace headlight {
namespace {

/// What roff would print otherwise; glyph names of groff_char(7).
const char* roffCharacter(char c) {
  switch (c) {
    case '\\':
      return "\\e";
    case '-':
      return "\\-";
    case '^':
      return "\\(ha";
    case '~':
      return "\\(ti";
    case '`':
      return "\\(ga";
    case '\'':
      return "\\(aq";
    case '"':
      return "\\(dq";
    default:
      return nullptr;
  }
}

std::string bold(const std::string& text) {
  return "\\fB" + roffText(text) + "\\fR";
}

std::string italic(const std::string& text) {
  return "\\fI" + roffText(text) + "\\fR";
}

std::string heading(const std::string& title) {
  return ".SH \"" + roffText(title) + "\"\n";
}

/// An entry of a list: its name, then its text, indented.
std::string entry(const std::string& name, const std::string& text) {
  return ".TP\n" + name + "\n" + roffText(oneLine(text)) + "\n";
}

std::string synopsis(const CommandManual& command) {
  std::string text = heading("SYNOPSIS") + bold(command.name);
  if (!command.options.empty()) text += " [" + italic("OPTIONS") + "]";
  for (const ManualArgument& argument : command.arguments)
    text += " " + italic(argument.usage);
  if (!command.commands.empty()) text += " [" + italic("COMMAND") + "]";
  return text + "\n";
}

std::string optionName(const ManualOption& option) {
  std::string text;
  for (const std::string& name : option.names)
    text += (text.empty() ? "" : ", ") + bold(name);
  return option.value.empty() ? text : text + " " + italic(option.value);
}

std::vector<std::string> groupsOf(const CommandManual& command) {
  std::vector<std::string> groups;
  for (const ManualOption& option : command.options)
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  return groups;
}

std::string options(const CommandManual& command) {
  std::string text;
  const auto groups = groupsOf(command);
  for (const std::string& group : groups) {
    text += text.empty() ? heading("OPTIONS") : "";
    if (groups.size() > 1) text += ".SS \"" + roffText(group) + "\"\n";
    for (const ManualOption& option : command.options)
      if (option.group == group) text += entry(optionName(option), option.help);
  }
  return text;
}

std::string arguments(const CommandManual& command) {
  std::string text = command.arguments.empty() ? "" : heading("ARGUMENTS");
  for (const ManualArgument& argument : command.arguments)
    text += entry(italic(argument.name), argument.help);
  return text;
}

std::string commands(const CommandManual& command) {
  std::string text = command.commands.empty() ? "" : heading("COMMANDS");
  for (const CommandManual& below : command.commands)
    text +=
        entry(bold(below.lastWord()) + " (see " + bold(below.pageName()) + "(1))", below.summary);
  return text;
}

/// Lines stay lines: they are tables and examples as often as sentences.
std::string notes(const std::string& footer) {
  if (footer.empty()) return "";
  std::string text = heading("NOTES") + roffText(footer) + "\n";
  for (std::size_t at = text.find('\n') + 1; (at = text.find('\n', at)) != std::string::npos;) {
    if (at + 1 >= text.size()) break;
    const bool empty = text[at + 1] == '\n';
    const std::string mark = empty ? "\n.sp\n" : "\n.br\n";
    text.replace(at, empty ? 2 : 1, mark);
    at += mark.size();
  }
  return text;
}

}  // namespace

std::string roffText(const std::string& text) {
  std::string roff;
  for (const char c : text) {
    const bool request = c == '.' && (roff.empty() || roff.back() == '\n');
    const char* spelled = roffCharacter(c);
    if (request) roff += "\\&";
    spelled ? roff += spelled : roff += c;
  }
  return roff;
}

std::string manualPage(const CommandManual& command, const std::string& version,
                       const std::string& above) {
  std::string title = command.pageName();
  std::transform(title.begin(), title.end(), title.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return ".TH \"" + roffText(title) + "\" 1 \"\" \"Headlight " + version + "\" Headlight\n" +
         heading("NAME") + roffText(command.pageName()) + " \\- " +
         roffText(oneLine(command.summary)) + "\n" + synopsis(command) + arguments(command) +
         options(command) + commands(command) + notes(command.footer) +
         (above.empty() ? "" : heading("SEE ALSO") + bold(above) + "(1)\n");
}

}  // namespace headlight
