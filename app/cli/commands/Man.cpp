// SPDX-License-Identifier: GPL-3.0-or-later

// man: the manual pages of the program, made from what --help shows.

#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/CommandManuals.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Translation.h"
#include "core/base/Version.h"
#include "core/base/files/Files.h"
#include "core/base/manual/ManualPage.h"

namespace headlight::cli {
namespace {

/// The page of the command above: "headlight-cli sequence" of "headlight-cli sequence train".
std::string pageAbove(const CommandManual& command) {
  CommandManual above;
  const auto space = command.name.rfind(' ');
  above.name = space == std::string::npos ? "" : command.name.substr(0, space);
  return above.pageName();
}

class ManCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    m_command = app.add_subcommand("man", tr("Print the manual page of a command, for man"));
    m_command
        ->add_option("command", m_words,
                     tr("Command whose page to print, such as sequence train; without it, the "
                        "page of headlight-cli"))
        ->type_name("COMMAND");
    m_command
        ->add_option("--folder", m_folder,
                     tr("Write the pages of all commands into this folder instead"))
        ->type_name("FOLDER");
    m_command->footer(
        tr("Read a page without installing it: headlight-cli man train > train.1; man ./train.1"));
    return m_command;
  }

  int run(Terminal& terminal, std::stop_token) override {
    const CommandManual program = describeCommand(programOf(*m_command));
    if (!m_folder.empty()) return writeAll(program);
    const std::string name = wanted(program.name);
    bool found = false;
    forEachCommand(program, [&](const CommandManual& command) {
      if (command.name != name) return;
      found = true;
      terminal.printText(page(command));
    });
    if (!found) refuseUsage(name, tr("is not a command; headlight-cli --help lists them"));
    return kExitOk;
  }

 private:
  /// Without its last line end, which the terminal adds.
  static std::string page(const CommandManual& command) {
    std::string text = manualPage(command, kVersion, pageAbove(command));
    text.pop_back();
    return text;
  }

  std::string wanted(std::string name) const {
    for (const std::string& word : m_words)
      name += " " + word;
    return name;
  }

  int writeAll(const CommandManual& program) const {
    if (!m_words.empty()) refuseUsage("--folder", tr("writes all pages; leave out the command"));
    std::filesystem::create_directories(m_folder);
    forEachCommand(program, [&](const CommandManual& command) {
      valueOrThrow(writeFileAtomically(
          std::filesystem::path(m_folder) / (command.pageName() + ".1"), page(command) + "\n"));
    });
    return kExitOk;
  }

  CLI::App* m_command = nullptr;
  std::vector<std::string> m_words;
  std::string m_folder;
};

}  // namespace

std::unique_ptr<Command> makeManCommand() {
  return std::make_unique<ManCommand>();
}

}  // namespace headlight::cli
