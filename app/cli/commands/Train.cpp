// SPDX-License-Identifier: GPL-3.0-or-later

// train: a config, headless; or a run that goes on.

#include <filesystem>

#include "app/cli/options/ExperimentOptions.h"
#include "app/cli/reports/TrainingReporter.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/Signals.h"
#include "core/base/Translation.h"
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
    auto* command = app.add_subcommand("train", tr("Train from a config, or resume a run"));
    command
        ->add_option("config", m_options.config,
                     tr("An Experiment, exported by the window or written by hand"))
        ->type_name("CONFIG");
    command
        ->add_option("--resume", m_resume,
                     tr("Resume the run in this folder, exactly as if it was never interrupted; "
                        "takes no config and no parameters"))
        ->type_name("RUN");
    command
        ->add_option("--run", m_run,
                     tr("Run folder: config, metrics.csv, metrics.jsonl, checkpoints; default "
                        "runs/NAME, with a number if it exists"))
        ->type_name("FOLDER");
    m_options.declare(*command);
    command->add_flag("--resume-or-start", m_resumeOrStart,
                      tr("Resume the run in --run with its original settings, or start it if there "
                         "is none; for jobs that restart automatically"));
    command->add_flag("--plan", m_planOnly,
                      tr("Only show the starting weights and estimate the training time from a few "
                         "steps, without training"));
    command->add_flag("--json", m_json,
                      tr("Print one JSON object per line: start, step, heads, edit and epoch "
                         "events as they happen, and finished or stopped at the end"));
    command->footer(tr(
        "Every parameter of the Experiment is a flag, in the groups above.\n"
        "Ctrl+C writes a checkpoint and exits with 130; --resume continues from there. A second\n"
        "Ctrl+C exits at once. A killed run resumes from its last checkpoint.\n"
        "Under torchrun, mpirun and srun the processes train one run together: the images of each\n"
        "step are divided among them, and process 0 writes files and messages."));
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
      refuseUsage("--plan", tr("applies only to a new run; leave out --resume"));
    const Experiment experiment = described();
    terminal.note(startText(experiment));
    const double seconds = valueOrThrow(estimateTraining(experiment, stop));
    if (terminal.json())
      terminal.printJson(
          Json{{"event", "plan"}, {"weights", experiment.training.weights}, {"seconds", seconds}});
    else
      terminal.print(tr("takes about ") + formatDuration(seconds) + tr(" here"));
    return kExitOk;
  }

  int train(TrainingSession& session, bool resumes, Terminal& terminal, std::stop_token stop) {
    terminal.note((resumes ? tr("resuming ") : tr("training ")) + session.experiment().name +
                  " in " + session.folder().string() + companyText());
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
    return weights.empty()
               ? tr("starting from random weights (seed ") + std::to_string(experiment.seed) +
                     tr("; --weights FILE starts from weights)")
               : tr("starting from the weights of ") + weights;
  }

  std::string companyText() const {
    const Launch& launch = m_together.launch;
    return launch.alone()
               ? ""
               : ", " + std::to_string(launch.count) + tr(" processes by ") + launch.launcher;
  }

  static bool holdsRun(const fs::path& folder) {
    std::error_code unknown;
    return fs::exists(folder / "config.json", unknown) ||
           fs::exists(folder / "last.safetensors", unknown);
  }

  /// Runs `body`; where it throws, the processes that wait for this one get to know why.
  template <typename Body>
  auto reportedIfNot(Body&& body) const {
    try {
      return body();
    } catch (const std::exception& exception) {
      notifyWaitingPeers(m_together.launch, failureMessage(exception), m_together.stop);
      throw;
    }
  }

  /// Process 0 begins or resumes; the others join it. Where it cannot, they get to know.
  std::unique_ptr<TrainingSession> open(bool resumes) {
    reportedIfNot([&] { requireFolderToResume(); });
    const bool first = m_together.launch.rank == 0;
    auto outcome = guarded("", [&]() -> std::unique_ptr<TrainingSession> {
      if (!m_resume.empty()) {
        m_together.task = {{"resume", true}};
        return first ? resume() : join(std::nullopt);
      }
      const Experiment experiment = reportedIfNot([&] { return described(); });
      m_together.task = sharedTask(experiment);
      if (!first) return join(experiment);
      return resumes ? resumeIn(m_run) : begin(experiment);
    });
    return valueOrThrow(std::move(outcome));
  }

  void requireFolderToResume() const {
    if (m_resumeOrStart && m_run.empty())
      refuseUsage("--resume-or-start", tr("needs --run FOLDER, the existing or new run folder"));
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
                  tr("continues the run with its original settings and takes no others. To change "
                     "settings, start a new run with --weights RUN/last.safetensors"));
    return resumeIn(m_resume);
  }

  Experiment described() const {
    if (m_options.config.empty() && m_options.model.empty() && m_options.flags.empty())
      refuseUsage("train", tr("needs a CONFIG, or --resume RUN, or at least --model NAME"));
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
    if (outcome.startScore && outcome.lastScore)
      text = outcome.scoreName + " " + percentText(*outcome.startScore) + tr(" before → ") +
             percentText(*outcome.lastScore) + tr(" last, ");
    return text + tr("best ") + outcome.scoreName + " " + percentText(outcome.bestScore);
  }

  int report(const TrainingOutcome& outcome, const fs::path& folder, Terminal& terminal) const {
    const bool finished = outcome.state == TrainingState::Finished;
    const std::string score = scoreKey(outcome.scoreName);
    if (terminal.json()) {
      terminal.printJson(Json{{"event", finished ? "finished" : "stopped"},
                              {"steps", outcome.steps},
                              {"start_" + score, optionalJson(outcome.startScore)},
                              {"last_" + score, optionalJson(outcome.lastScore)},
                              {"best_" + score, outcome.bestScore},
                              {"run", folder.string()},
                              {"last", outcome.last.string()},
                              {"best", outcome.best.string()}});
    } else if (finished) {
      terminal.print("finished: " + std::to_string(outcome.steps) + tr(" steps, ") +
                     accuracyText(outcome));
      terminal.print("weights: " + outcome.best.string() + " (best), " + outcome.last.string() +
                     " (last)");
    }
    if (finished) return kExitOk;
    throw Failure(
        {ErrorCode::Canceled,
         tr("stopped after ") + std::to_string(outcome.steps) +
             tr(" steps, checkpoint written; resume with: headlight-cli train --resume ") +
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
