// SPDX-License-Identifier: GPL-3.0-or-later

// train: a config, headless; or a run that goes on.

#include <filesystem>

#include "app/cli/options/ExperimentOptions.h"
#include "app/cli/reports/TrainingReporter.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/Signals.h"
#include "core/base/files/Files.h"
#include "core/workbench/sweeps/TrainingEstimate.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

/// runs/NAME, or runs/NAME-2 … where that is taken.
fs::path freshRunFolder(const std::string& experiment) {
  const std::string name = folderNameFrom(experiment, "run");
  fs::path folder = fs::path("runs") / name;
  std::error_code unknown;  // then making it says what is wrong
  for (int n = 2; fs::exists(folder, unknown); ++n)
    folder = fs::path("runs") / (name + "-" + std::to_string(n));
  return folder;
}

class TrainCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand("train", "Train as a config says, or go on with a run");
    command
        ->add_option("config", m_options.config,
                     "An Experiment: exported by the window, or written by hand")
        ->type_name("CONFIG");
    command
        ->add_option("--resume", m_resume,
                     "Go on with the run in this folder, exactly as if never interrupted; takes "
                     "no config and no parameters")
        ->type_name("RUN");
    command
        ->add_option("--run", m_run,
                     "Folder of the run: config, metrics.csv, metrics.jsonl, checkpoints; "
                     "default runs/NAME, numbered where that exists")
        ->type_name("FOLDER");
    m_options.declare(*command);
    command->add_flag("--resume-or-start", m_resumeOrStart,
                      "Go on with the run in --run where there is one, as it began, else start it: "
                      "for jobs that are started again by themselves");
    command->add_flag("--plan", m_planOnly,
                      "Say where it would start and how long it would take here, as a few steps "
                      "tell, and train nothing");
    command->add_flag(
        "--json", m_json,
        "One JSON object a line: start, step, heads, edit and epoch events as they happen, "
        "and finished or stopped at the end");
    command->footer(
        "Every parameter of the Experiment is a flag, in the groups above.\n"
        "Ctrl+C writes a checkpoint and exits with 130; --resume goes on from there. A second\n"
        "Ctrl+C does not wait. A run that was killed goes on from its last checkpoint.\n"
        "Under torchrun, mpirun and srun the processes train one run together: every step's\n"
        "images are shared out among them, and process 0 writes and speaks.");
    m_options.declareFlags(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    surviveClosedPipes();
    if (m_planOnly) return plan(terminal, stop);
    m_together.launch = valueOrThrow(launchOfThisProcess());
    m_together.stop = stop;
    const bool resumes = !m_resume.empty() || (m_resumeOrStart && holdsRun(m_run));
    auto session = guarded("", [&] { return open(resumes); });
    if (!session) {
      // Who never met the others speaks for itself, and the first that is left for all.
      if (m_together.launch.rank > 0) terminal.silence(peersNotified());
      throw Failure(session.error());
    }
    return train(**session, resumes, terminal, stop);
  }

 private:
  int plan(Terminal& terminal, const std::stop_token& stop) const {
    if (!m_resume.empty() || m_resumeOrStart)
      refuseUsage("--plan", "is about a run that begins; leave --resume out");
    const Experiment experiment = described();
    terminal.note(startText(experiment));
    const double seconds = valueOrThrow(estimateTraining(experiment, stop));
    if (terminal.json())
      terminal.printJson(
          Json{{"event", "plan"}, {"weights", experiment.training.weights}, {"seconds", seconds}});
    else
      terminal.print("takes about " + formatDuration(seconds) + " here");
    return kExitOk;
  }

  int train(TrainingSession& session, bool resumes, Terminal& terminal, std::stop_token stop) {
    terminal.note((resumes ? "going on with " : "training ") + session.experiment().name + " in " +
                  session.folder().string() + companyText());
    if (!resumes) terminal.note(startText(session.experiment()));
    if (terminal.json())
      terminal.printJson(Json{{"event", "begin"},
                              {"run", session.folder().string()},
                              {"resumed", resumes},
                              {"weights", session.experiment().training.weights},
                              {"processes", m_together.launch.count}});
    auto outcome = [&] {
      const TrainingReporter reporter(session, terminal);
      return session.run(stop);
    }();
    if (!outcome && m_together.launch.rank > 0) terminal.silence(!session.speaks());
    return report(valueOrThrow(std::move(outcome)), session.folder(), terminal);
  }

  /// Where it begins, with the flag that makes it begin elsewhere.
  static std::string startText(const Experiment& experiment) {
    const std::string& weights = experiment.training.weights;
    return weights.empty() ? "starting from random weights (seed " +
                                 std::to_string(experiment.seed) + "; --weights FILE to go on)"
                           : "starting from the weights of " + weights;
  }

  std::string companyText() const {
    const Launch& launch = m_together.launch;
    return launch.alone()
               ? ""
               : ", " + std::to_string(launch.count) + " processes by " + launch.launcher;
  }

  static bool holdsRun(const fs::path& folder) {
    std::error_code unknown;
    return fs::exists(folder / "config.json", unknown) ||
           fs::exists(folder / "last.safetensors", unknown);
  }

  /// Runs `body`; where it throws, the processes that wait for this one get to know why.
  template <typename Body>
  auto toldIfNot(Body&& body) const {
    try {
      return body();
    } catch (const std::exception& exception) {
      notifyWaitingPeers(m_together.launch, messageOf(exception), m_together.stop);
      throw;
    }
  }

  /// Process 0 begins or resumes; the others join it. Where it cannot, they get to know.
  std::unique_ptr<TrainingSession> open(bool resumes) {
    toldIfNot([&] { requireFolderToResume(); });
    const bool first = m_together.launch.rank == 0;
    auto outcome = guarded("", [&]() -> std::unique_ptr<TrainingSession> {
      if (!m_resume.empty()) {
        m_together.task = {{"resume", true}};
        return first ? resume() : join(std::nullopt);
      }
      const Experiment experiment = toldIfNot([&] { return described(); });
      m_together.task = taskOf(experiment);
      if (!first) return join(experiment);
      return resumes ? resumeIn(m_run) : begin(experiment);
    });
    return valueOrThrow(std::move(outcome));
  }

  void requireFolderToResume() const {
    if (m_resumeOrStart && m_run.empty())
      refuseUsage("--resume-or-start", "needs --run FOLDER, where the run is or will be");
  }

  std::unique_ptr<TrainingSession> join(const std::optional<Experiment>& own) const {
    return valueOrThrow(TrainingSession::join(own, m_together));
  }
  std::unique_ptr<TrainingSession> resumeIn(const fs::path& folder) const {
    return valueOrThrow(TrainingSession::resume(folder, m_together));
  }

  std::unique_ptr<TrainingSession> resume() const {
    if (!m_options.config.empty() || !m_run.empty() || m_resumeOrStart ||
        !m_options.changesNothing())
      refuseUsage("--resume",
                  "goes on exactly as the run began and takes nothing else; to change "
                  "something start a new run with --weights RUN/last.safetensors");
    return resumeIn(m_resume);
  }

  Experiment described() const {
    if (m_options.config.empty() && m_options.model.empty() && m_options.flags.empty())
      refuseUsage("train", "needs a CONFIG, or --resume RUN, or at least --model NAME");
    return m_options.describe();
  }

  std::unique_ptr<TrainingSession> begin(const Experiment& experiment) const {
    const fs::path folder = m_run.empty() ? freshRunFolder(experiment.name) : fs::path(m_run);
    return valueOrThrow(TrainingSession::begin(experiment, folder, m_together));
  }

  static Json optionalJson(const std::optional<double>& value) {
    return value ? Json(*value) : Json();
  }

  static std::string percentText(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f %%", 100 * share);
    return text;
  }

  /// "top-1 11.11 % before → 52.00 % last, best top-1 54.00 %".
  static std::string accuracyText(const TrainingOutcome& outcome) {
    std::string text;
    if (outcome.startTop1 && outcome.lastTop1)
      text = "top-1 " + percentText(*outcome.startTop1) + " before → " +
             percentText(*outcome.lastTop1) + " last, ";
    return text + "best top-1 " + percentText(outcome.bestTop1);
  }

  int report(const TrainingOutcome& outcome, const fs::path& folder, Terminal& terminal) const {
    const bool finished = outcome.state == TrainingState::Finished;
    if (terminal.json()) {
      terminal.printJson(Json{{"event", finished ? "finished" : "stopped"},
                              {"steps", outcome.steps},
                              {"start_top1", optionalJson(outcome.startTop1)},
                              {"last_top1", optionalJson(outcome.lastTop1)},
                              {"best_top1", outcome.bestTop1},
                              {"run", folder.string()},
                              {"last", outcome.last.string()},
                              {"best", outcome.best.string()}});
    } else if (finished) {
      terminal.print("finished: " + std::to_string(outcome.steps) + " steps, " +
                     accuracyText(outcome));
      terminal.print("weights: " + outcome.best.string() + " (best), " + outcome.last.string() +
                     " (last)");
    }
    if (finished) return kExitOk;
    throw Failure({ErrorCode::Canceled,
                   "stopped after " + std::to_string(outcome.steps) +
                       " steps, checkpoint written; go on with: headlight-cli train --resume " +
                       folder.string(),
                   ""});
  }

  std::string m_resume, m_run;
  bool m_json = false, m_resumeOrStart = false, m_planOnly = false;
  DistributedContext m_together;
  ExperimentOptions m_options;
};

}  // namespace

std::unique_ptr<Command> makeTrainCommand() {
  return std::make_unique<TrainCommand>();
}

}  // namespace headlight::cli
