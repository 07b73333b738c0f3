// SPDX-License-Identifier: GPL-3.0-or-later

// replay: a run's config with its mask edits, trained again, and whether the weights are the same.

#include "core/workbench/training/Replay.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

class ReplayCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "replay", "Train a finished run again, with its mask edits, and compare the weights");
    command->add_option("run", m_run, "The folder of the run; it is only read")->type_name("RUN");
    command
        ->add_option("--output", m_output,
                     "Folder of the replay, where an interrupted one goes on; default: RUN-replay")
        ->type_name("FOLDER");
    command->add_flag("--json", m_json, "The result as one JSON object");
    command->footer(
        "Exits with 0 where every tensor of last.safetensors is the same bit for bit, with 1 "
        "where\n"
        "one is not: on another device, number of threads or version of LibTorch they are alike,\n"
        "not the same.");
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    if (m_run.empty())
      refuseUsage("replay", "needs a RUN: the folder of a run; headlight-cli replay --help");
    const fs::path folder = m_output.empty() ? replayFolderOf(m_run) : fs::path(m_output);
    if (!terminal.json()) terminal.print("replaying " + m_run + " in " + folder.string());
    ProgressBar bar(terminal);
    const auto report = replayRun(m_run, folder, {{}, bar.callback()}, stop);
    terminal.setStatus("");
    tell(valueOrThrow(report), terminal);
    return report->same() ? kExitOk : kExitFailed;
  }

 private:
  static void tell(const ReplayReport& report, Terminal& terminal) {
    if (!terminal.json()) return terminal.print(replayText(report));
    terminal.printJson(Json{{"run", report.run.string()},
                            {"replay", report.replay.string()},
                            {"same", report.same()},
                            {"steps", report.steps},
                            {"edits", report.edits},
                            {"tensors", report.tensors},
                            {"different", report.different},
                            {"first_different", report.firstDifferent},
                            {"largest_difference", report.largest}});
  }

  std::string m_run, m_output;
  bool m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeReplayCommand() {
  return std::make_unique<ReplayCommand>();
}

}  // namespace headlight::cli
