// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/terminal/CommandManuals.h"

namespace headlight::cli {
namespace {

std::string fullName(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent ? fullName(*parent) + " " : "") + command.get_name();
}

/// "NAME|FILE", "INT ...": what --help writes behind the name of an option with a value.
std::string valueOf(const CLI::Option& option) {
  if (option.get_type_size() == 0) return "";
  const std::string text = CLI::Formatter().make_option_opts(&option);
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

ManualOption describeOption(const CLI::Option& option) {
  ManualOption described{{}, valueOf(option), option.get_description(), option.get_group()};
  for (const std::string& name : option.get_snames())
    described.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames())
    described.names.push_back("--" + name);
  return described;
}

}  // namespace

CommandManual describeCommand(const CLI::App& app) {
  CommandManual described;
  described.name = fullName(app);
  described.summary = app.get_description();
  described.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    if (option->get_positional())
      described.arguments.push_back({option->get_name(true),
                                     CLI::Formatter().make_option_usage(option),
                                     option->get_description()});
    if (option->nonpositional()) described.options.push_back(describeOption(*option));
  }
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; }))
    described.commands.push_back(describeCommand(*below));
  return described;
}

const CLI::App& programOf(const CLI::App& command) {
  const CLI::App* program = &command;
  while (program->get_parent())
    program = program->get_parent();
  return *program;
}

}  // namespace headlight::cli
