// SPDX-License-Identifier: GPL-3.0-or-later

// replay: a run's config with its mask edits, trained again, and whether the weights are the same.

#include "core/workbench/training/Replay.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/Translation.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

class ReplayCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "replay", tr("Retrain a finished run with its mask edits, and compare the weights"));
    command->add_option("run", m_run, tr("Run folder; it is only read"))->type_name("RUN");
    command
        ->add_option("--output", m_output,
                     tr("Folder of the replay; an interrupted replay resumes. Default: RUN-replay"))
        ->type_name("FOLDER");
    declareJson(*command, m_json);
    command->footer(
        tr("Exits with 0 if every tensor of last.safetensors is bit-identical, else with 1. On "
           "another\n"
           "device, number of threads or version of LibTorch the tensors are similar, not "
           "identical."));
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    if (m_run.empty())
      refuseUsage("replay",
                  tr("needs a RUN, the folder of a run; see headlight-cli replay --help"));
    const fs::path folder = m_output.empty() ? makeReplayPath(m_run) : fs::path(m_output);
    if (!terminal.json()) terminal.print(tr("replaying ") + m_run + " in " + folder.string());
    ProgressBar bar(terminal);
    const auto report = replayRun(m_run, folder, {{}, bar.callback()}, stop);
    terminal.setStatus("");
    notify(valueOrThrow(report), terminal);
    return report->same() ? kExitOk : kExitFailed;
  }

 private:
  static void notify(const ReplayReport& report, Terminal& terminal) {
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
