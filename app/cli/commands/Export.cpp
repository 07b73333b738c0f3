// SPDX-License-Identifier: GPL-3.0-or-later

// export: an experiment as a folder that trains elsewhere, with its launchers; or as a config.

#include <filesystem>

#include "app/cli/options/ExperimentOptions.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/options/TableFlags.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Translation.h"
#include "core/workbench/export/ClusterExport.h"
#include "core/workbench/export/ConfigExport.h"
#include "core/workbench/loading/Input.h"
#include "core/workbench/runs/RecordedRun.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

class ExportCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "export",
        tr("Export an experiment with weights and launch scripts for training on a cluster"));
    command
        ->add_option("config", m_options.config,
                     tr("An Experiment, a run folder (with its edits so far), or a checkpoint "
                        "(with its masks)"))
        ->type_name("CONFIG|FILE|RUN");
    command
        ->add_option("-o,--output", m_output,
                     tr("Folder to write: config.json, weights, ") + launcherNames() +
                         tr("; if it ends in .json, only that config"))
        ->type_name("FOLDER|FILE");
    m_options.declare(*command);
    command->add_flag("--leave-weights", m_leaveWeights,
                      tr("With a .json output: refer to weights where they are instead of copying "
                         "them beside the config"));
    declareJson(*command, m_json);
    m_planFlags.declare(*command);
    command->footer(tr(
        "Every parameter of the Experiment is a flag, in the groups above, as for train.\n"
        "The scripts resume the run if it exists. The environment variables HEADLIGHT, RUN, DATA,\n"
        "MACHINES and PROCESSES override their settings."));
    m_options.declareFlags(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token) override {
    if (m_options.config.empty() && m_options.model.empty() && m_options.flags.empty())
      refuseUsage("export", tr("needs a CONFIG, or at least --model NAME"));
    if (m_output.empty()) refuseUsage("export", tr("needs --output FOLDER"));
    const Experiment experiment = m_options.describe(recordedBase());
    if (fs::path(m_output).extension() == ".json") return writeConfig(experiment, terminal);
    if (m_leaveWeights)
      refuseUsage("--leave-weights", tr("needs a config as output: --output NAME.json"));
    return writeFolder(experiment, terminal);
  }

 private:
  /// What a run's folder or a checkpoint says of itself; nothing of a config.
  std::optional<Json> recordedBase() const {
    const std::string& given = m_options.config;
    if (given.empty()) return std::nullopt;
    const Input input = identifyOrGuess(given);
    if (input.kind == InputKind::HubFolder || input.holdsTensors())
      return experimentToJson(experimentByName(given));
    if (!input.isFolder()) return std::nullopt;
    return experimentToJson(replayExperiment(valueOrThrow(readRecordedRun(given))));
  }

  ClusterPlan plan() const {
    ClusterPlan plan;
    m_planFlags.read(&plan);
    return plan;
  }

  int writeConfig(const Experiment& experiment, Terminal& terminal) const {
    if (!m_planFlags.empty())
      refuseUsage(m_output, tr("is a config, which names no machines; give a folder"));
    valueOrThrow(exportConfig(experiment, m_output, !m_leaveWeights));
    if (terminal.json())
      terminal.printJson(Json{{"config", m_output}});
    else
      terminal.print(m_output);
    return kExitOk;
  }

  int writeFolder(const Experiment& experiment, Terminal& terminal) const {
    const ClusterExport exported = valueOrThrow(exportForCluster(experiment, plan(), m_output));
    Json commands = Json::array();
    for (const LauncherScript& launcher : exported.launchers)
      commands.push_back(launcher.command);
    if (terminal.json()) {
      terminal.printJson(Json{{"folder", exported.folder.string()},
                              {"config", (exported.folder / "config.json").string()},
                              {"weights", exported.experiment.training.weights},
                              {"commands", commands}});
      return kExitOk;
    }
    terminal.print(exported.folder.string() +
                   tr(": copy the folder to the cluster and start one of these in it"));
    for (const LauncherScript& launcher : exported.launchers)
      terminal.print("  " + launcher.command);
    return kExitOk;
  }

  std::string m_output;
  bool m_leaveWeights = false, m_json = false;
  ExperimentOptions m_options;
  TableFlags m_planFlags{clusterParameters(), "Cluster"};
};

}  // namespace

std::unique_ptr<Command> makeExportCommand() {
  return std::make_unique<ExportCommand>();
}

}  // namespace headlight::cli
