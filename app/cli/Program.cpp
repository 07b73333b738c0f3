// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/Program.h"

#include <cstring>
#include <iostream>
#include <optional>

#include "app/cli/terminal/Arguments.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/Signals.h"
#include "app/cli/terminal/UsageErrors.h"
#include "core/base/Log.h"
#include "core/base/Processor.h"
#include "core/base/Streams.h"
#include "core/base/Translation.h"
#include "core/base/Version.h"
#include "core/workbench/loading/TorchRuntime.h"
#include "core/workbench/training/DistributedContext.h"

namespace headlight::cli {
namespace {

/// Whether errors, too, are to be JSON, known before anything is parsed. Only commands that have
/// results as JSON know --json as a flag (selftest --json names a file); what is no command at all
/// may have meant one of them.
bool wantsJson(const CLI::App& app, int count, char** arguments) {
  const auto asked = [&](const CLI::App* command) {
    const CLI::Option* json = command->get_option_no_throw("--json");
    return command == &app || (json != nullptr && json->get_items_expected_max() == 0);
  };
  const CLI::App* chosen = &app;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(arguments[i], "--json") == 0 && asked(chosen)) return true;
    const auto below = chosen->get_subcommands(
        [&](const CLI::App* command) { return command->get_name() == arguments[i]; });
    if (!below.empty()) chosen = below.front();
  }
  return false;
}

/// Whether it is a training that several processes may compute together.
bool isTraining(int count, char** arguments) {
  const auto isWord = [&](int i, const char* word) {
    return i < count && std::strcmp(arguments[i], word) == 0;
  };
  return isWord(1, "train") || (isWord(1, "sequence") && isWord(2, "train"));
}

/// How this process of a training was started, if it is one of several.
std::optional<Launch> companyOf(int count, char** arguments) {
  if (!isTraining(count, arguments)) return std::nullopt;
  const auto launch = launchOfThisProcess();
  return launch && !launch->alone() ? std::optional(*launch) : std::nullopt;
}

/// The first process speaks for all of them; another one only where nobody can be told.
void notify(const Error& error, const std::optional<Launch>& company, Terminal& terminal) {
  const bool first = !company || company->rank == 0;
  if (!first) terminal.silence(notifyWaitingPeers(*company, error.text()));
  terminal.error(error);
  if (company && first) notifyWaitingPeers(*company, error.text());
}

/// The first line is the program's; LibTorch is asked only where somebody wants to know.
std::string versionText() {
  std::string text = std::string("headlight-cli ") + kVersion;
  for (const std::string& library : libraryVersions())
    text += "\n" + library;
  return text;
}

void setUp(CLI::App& app) {
  app.name("headlight-cli");
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", versionText,
                       tr("Show the versions of the program and its libraries, and exit"));
  app.set_help_flag("-h,--help", tr("Show this help and exit"));
  app.get_formatter()->column_width(34);
  app.footer(
      std::string(exitCodeHelp()) +
      tr("\n"
         "\n"
         "See headlight-cli COMMAND --help. Results go to standard output, everything else to\n"
         "standard error; with --json both are JSON, one object per line. After -- every "
         "argument is a\n"
         "file, also a name that begins with a dash."));
}

/// The parsed subcommand, or an exit code.
struct Parsed {
  CLI::App* command = nullptr;
  int exitCode = kExitOk;
};

Parsed parse(CLI::App& app, int count, char** arguments, const std::optional<Launch>& company,
             Terminal& terminal) {
  const auto refuse = [&](const Error& error) {
    notify(error, company, terminal);
    return Parsed{nullptr, kExitUsage};
  };
  if (count < 2) {
    std::cerr << app.help();
    return {nullptr, kExitUsage};
  }
  if (const auto error = unknownCommand(app, arguments[1])) return refuse(*error);
  try {
    app.parse(count, arguments);
  } catch (const CLI::Success& asked) {  // --help, --version
    app.exit(asked);
    return {};
  } catch (const CLI::ParseError& error) {
    return refuse(usageError(error));
  }
  if (const auto error = unexpectedArguments(app)) return refuse(*error);
  const auto chosen = app.get_subcommands();
  if (chosen.empty())
    return refuse(
        {ErrorCode::InvalidArgument, tr("a command is missing; see headlight-cli --help"), ""});
  if (const auto error = unexpectedArguments(*chosen.front())) return refuse(*error);
  return {chosen.front(), kExitOk};
}

int runCommand(Command& command, Terminal& terminal, const Signals& signals) {
  auto outcome = guarded("", [&] { return command.run(terminal, signals.stopToken()); });
  terminal.setStatus("");
  if (!outcome) {
    terminal.error(outcome.error());
    return exitCodeFor(outcome.error().code, signals.received());
  }
  if (auto finished = terminal.finish(); !finished && *outcome == kExitOk) {
    terminal.error(finished.error());
    return exitCodeFor(finished.error().code, signals.received());
  }
  return *outcome;
}

int runCommandLine(int given, char** asGiven) {
  const auto commands = makeCommands();
  CLI::App app(tr("Headlight: inspect, mask and retrain the attention of vision transformers"));
  setUp(app);
  std::vector<std::pair<CLI::App*, Command*>> table;
  for (const auto& command : commands)
    table.emplace_back(command->declare(app), command.get());
  Arguments resolved(app, given, asGiven);
  const int count = resolved.count();
  char** arguments = resolved.values();
  Terminal terminal(wantsJson(app, count, arguments));
  const auto company = companyOf(count, arguments);
  terminal.silence(company && company->rank > 0);
  setLogSink([&](LogLevel level, const std::string& message) {
    if (level == LogLevel::Info)
      terminal.note(message);
    else
      terminal.warning(message);
  });
  for (const auto& [declared, command] : table)
    declared->allow_extras();
  const Parsed parsed = parse(app, count, arguments, company, terminal);
  if (!parsed.command) return parsed.exitCode;

  const Signals signals([&] { terminal.note(tr("stopping; press Ctrl+C again to exit at once")); });
  for (const auto& [declared, command] : table)
    if (declared == parsed.command) {
      const int code = runCommand(*command, terminal, signals);
      setLogSink({});
      return code;
    }
  return kExitFailed;
}

}  // namespace

int runProgram(int count, char** arguments) {
  prepareStreams();
  prepareProcessor(arguments);
  loadTranslations(translationFolder());
  return runCommandLine(count, arguments);
}

}  // namespace headlight::cli
