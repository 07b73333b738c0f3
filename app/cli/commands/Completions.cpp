// SPDX-License-Identifier: GPL-3.0-or-later

// completions: commands, options and values for a shell, made from what --help shows.

#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/CommandManuals.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Translation.h"
#include "core/base/manual/ShellCompletion.h"

namespace headlight::cli {
namespace {

class CompletionsCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    m_command = app.add_subcommand("completions", tr("Print completions for bash, zsh or fish"));
    m_command->add_option("shell", m_shell, tr("bash, zsh or fish"))->type_name("SHELL");
    m_command->footer(
        tr("Packages install them. For one user and bash: headlight-cli completions bash >\n"
           "~/.local/share/bash-completion/completions/headlight-cli"));
    return m_command;
  }

  int run(Terminal& terminal, std::stop_token) override {
    std::string script = completion(describeCommand(programOf(*m_command)));
    script.pop_back();  // the last line end, which the terminal adds
    terminal.printText(script);
    return kExitOk;
  }

 private:
  std::string completion(const CommandManual& program) const {
    if (m_shell == "bash") return bashCompletion(program);
    if (m_shell == "zsh") return zshCompletion(program);
    if (m_shell == "fish") return fishCompletion(program);
    refuseUsage("completions", tr("needs a shell: bash, zsh or fish"));
  }

  CLI::App* m_command = nullptr;
  std::string m_shell;
};

}  // namespace

std::unique_ptr<Command> makeCompletionsCommand() {
  return std::make_unique<CompletionsCommand>();
}

}  // namespace headlight::cli
