// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/terminal/UsageErrors.h"

#include "core/base/Translation.h"
#include "core/config/Parameter.h"

namespace headlight::cli {
namespace {

Error usage(const std::string& where, const std::string& message) {
  return {ErrorCode::InvalidArgument, message, where};
}

/// "headlight-cli train", "headlight-cli sequence train".
std::string wholeName(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent ? wholeName(*parent) + " " : "") + command.get_name();
}

std::vector<std::string> flagNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // an earlier spelling
    for (const auto& name : option->get_lnames())
      names.push_back("--" + name);
    for (const auto& name : option->get_snames())
      names.push_back("-" + name);
  }
  return names;
}

}  // namespace

std::optional<Error> unknownCommand(const CLI::App& app, const std::string& argument) {
  if (argument.empty() || argument[0] == '-') return std::nullopt;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), argument) != names.end()) return std::nullopt;
  const std::string close = closestName(argument, names);
  return usage(argument,
               tr("is not a command; ") + (close.empty() ? wholeName(app) + tr(" --help lists them")
                                                         : tr("did you mean \"") + close + "\"?"));
}

std::optional<Error> unexpectedArguments(const CLI::App& command) {
  for (const std::string& argument : command.remaining()) {
    const std::string help = wholeName(command) + tr(" --help lists the options");
    const bool group = !command.get_subcommands([](const CLI::App*) { return true; }).empty();
    if (auto error = group ? unknownCommand(command, argument) : std::nullopt) return error;
    if (argument.empty() || argument[0] != '-')
      return usage(argument, tr("is an unexpected argument; ") + help);
    const std::string name = argument.substr(0, argument.find('='));
    const std::string close = closestName(name, flagNames(command));
    return usage(name, tr("is not an option of ") + command.get_name() + "; " +
                           (close.empty() ? help : tr("did you mean ") + close + "?"));
  }
  return std::nullopt;
}

Error usageError(const CLI::ParseError& error) {
  // CLI11 writes "--threads: Value nine not in range 0 to 1024".
  std::string text = error.what();
  std::string where;
  if (const auto colon = text.find(": "); text.starts_with("-") && colon != std::string::npos) {
    where = text.substr(0, colon);
    text = text.substr(colon + 2);
  }
  return usage(where, text + tr("; see --help"));
}

}  // namespace headlight::cli
