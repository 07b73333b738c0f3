// sweep: several variants of one experiment from several seeds, and the table that compares them.

#include <cmath>
#include <filesystem>

#include "app/cli/Command.h"
#include "app/cli/ExitCodes.h"
#include "app/cli/ParameterFlags.h"
#include "app/cli/ProgressBar.h"
#include "app/cli/RecipeList.h"
#include "app/cli/Signals.h"
#include "core/config/Recipes.h"
#include "core/workbench/Sweep.h"
#include "core/workbench/Together.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

Json numberOrNull(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json rowJson(const SweepRow& row) {
  return {{"variant", row.name},
          {"backbone", row.backbone},
          {"mechanism", row.mechanism},
          {"masks", row.masks},
          {"runs", row.runs},
          {"best_top1",
           {{"mean", row.bestTop1.mean}, {"deviation", numberOrNull(row.bestTop1.deviation)}}},
          {"last_top1",
           {{"mean", row.lastTop1.mean}, {"deviation", numberOrNull(row.lastTop1.deviation)}}},
          {"parameters", row.parameters},
          {"macs", row.macs},
          {"images_per_second", row.imagesPerSecond > 0 ? Json(row.imagesPerSecond) : Json()}};
}

std::string rowText(const SweepRow& row, std::size_t nameWidth) {
  std::string name = row.name;
  name.resize(std::max(nameWidth, name.size()), ' ');
  char rest[200];
  std::snprintf(rest, sizeof rest, "  best top-1 %s %%  last %s %%  %.2f M  %.1f M MACs",
                percentText(row.bestTop1).c_str(), percentText(row.lastTop1).c_str(),
                static_cast<double>(row.parameters) / 1e6, static_cast<double>(row.macs) / 1e6);
  std::string line = name + rest;
  if (row.imagesPerSecond > 0) {
    std::snprintf(rest, sizeof rest, "  %.0f images/s", row.imagesPerSecond);
    line += rest;
  }
  return line;
}

/// Says how a sweep goes: lines and a bar for a person, JSON lines for a program.
class SweepReporter {
 public:
  SweepReporter(const SweepPlan& plan, Terminal& terminal)
      : m_plan(plan), m_terminal(terminal), m_bar(terminal) {}

  SweepObserver observer() {
    SweepObserver observer;
    observer.started = [this](const SweepRun& run, SweepObserver::Start start) {
      started(run, start);
    };
    observer.update = [this](const SweepRun& run, const TrainingUpdate& update) {
      updated(run, update);
    };
    observer.finished = [this](const SweepRun& run, const TrainingOutcome& outcome) {
      finished(run, outcome);
    };
    observer.failed = [this](const SweepRun& run, const Error& error) {
      m_terminal.error({error.code, error.text(), name(run)});
    };
    observer.waiting = [this](std::int64_t runs) { waiting(runs); };
    observer.progress = [this](const Progress& progress) { m_bar.show(progress); };
    return observer;
  }

 private:
  std::string name(const SweepRun& run) const { return sweepRunName(m_plan, run); }
  /// Every event of a run names it.
  Json event(const std::string& kind, const SweepRun& run) const {
    return {{"event", kind},
            {"variant", m_plan.variants[run.variant].name},
            {"seed", m_plan.seeds[run.seed]}};
  }

  static const char* startText(SweepObserver::Start start) {
    switch (start) {
      case SweepObserver::Start::Begun:
        return ": training";
      case SweepObserver::Start::Resumed:
        return ": going on";
      case SweepObserver::Start::Skipped:
        return ": finished before";
      case SweepObserver::Start::Elsewhere:
        return ": finished by another worker";
    }
    return "";
  }

  void started(const SweepRun& run, SweepObserver::Start start) {
    if (!m_terminal.json()) {
      m_terminal.note(name(run) + startText(start));
      return;
    }
    const bool resumed = start == SweepObserver::Start::Resumed;
    const bool trains = resumed || start == SweepObserver::Start::Begun;
    Json json = event(trains ? "begin" : "skipped", run);
    json["run"] = run.folder.string();
    if (trains) json["resumed"] = resumed;
    m_terminal.printJson(json);
  }

  void waiting(std::int64_t runs) {
    if (m_terminal.json())
      m_terminal.printJson(Json{{"event", "waiting"}, {"runs", runs}});
    else
      m_terminal.note(
          "nothing is left to take; waiting for " + std::to_string(runs) +
          (runs == 1 ? " run that another worker trains" : " runs that other workers train"));
  }

  void updated(const SweepRun& run, const TrainingUpdate& update) {
    for (const auto& warning : update.warnings)
      m_terminal.warning(name(run) + ": " + warning);
    for (const auto& point : update.epochPoints) {
      if (m_terminal.json()) {
        Json json = event("epoch", run);
        json.update(Json{{"epoch", point.epoch},
                         {"train_loss", point.trainLoss},
                         {"validation_loss", point.validationLoss},
                         {"top1", point.top1}});
        m_terminal.printJson(json);
        continue;
      }
      char line[160];
      std::snprintf(line, sizeof line, ": epoch %lld/%lld  train loss %.4f  top-1 %.2f %%",
                    static_cast<long long>(point.epoch), static_cast<long long>(update.epochs),
                    point.trainLoss, 100 * point.top1);
      m_terminal.note(name(run) + line);
    }
  }

  void finished(const SweepRun& run, const TrainingOutcome& outcome) {
    if (!m_terminal.json()) return;
    Json json = event("run", run);
    json["steps"] = outcome.steps;
    json["best_top1"] = outcome.bestTop1;
    m_terminal.printJson(json);
  }

  const SweepPlan& m_plan;
  Terminal& m_terminal;
  ProgressBar m_bar;
};

class SweepCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command =
        app.add_subcommand("sweep", "Train variants of an experiment and compare them in a table");
    command
        ->add_option("sweep", m_file,
                     "A sweep file: {\"base\": an Experiment or the path of one, \"variants\": "
                     "[{\"name\": …, \"overrides\": {\"model.mechanism\": …}}] or \"mechanisms\": "
                     "[…], \"seeds\": [0, 1, 2]}")
        ->type_name("SWEEP");
    command
        ->add_option("-o,--output", m_output,
                     "Folder of the runs and of sweep.csv, sweep.md and sweep.png; default "
                     "sweeps/NAME. Where it holds part of this sweep, the rest is trained")
        ->type_name("FOLDER");
    command->add_flag("--join", m_join,
                      "Work at it beside other processes that were started like this one, here or "
                      "on other machines that see --output");
    command->add_option("--recipe", m_recipe, recipeHelp())->type_name("NAME");
    command->add_flag("--no-speed", m_noSpeed, "Do not measure images per second at the end");
    command
        ->add_option("--speed-batch", m_speedBatch,
                     "Images a forward pass when measuring them; default 32")
        ->type_name("INT")
        ->check(CLI::Range(1, 4096).description(""));
    command->add_flag("--json", m_json,
                      "One JSON object a line: skipped, begin, epoch and run events as they "
                      "happen, and finished with the rows of the table at the end");
    command->footer(
        "Every parameter of the Experiment is a flag, in the groups above; they change the base\n"
        "before the variants do.\n"
        "Ctrl+C writes a checkpoint and exits with 130. The same command then goes on: runs that\n"
        "are finished are skipped, an interrupted one goes on exactly. So it is after a kill.\n"
        "With --join any number of processes train one sweep, each the next run that nobody "
        "holds;\n"
        "a run whose process died is taken over. Give all of them the same flags, and --threads "
        "where\n"
        "they share a machine. Under Slurm: #SBATCH --array=0-7, then\n"
        "  srun headlight-cli sweep SWEEP --output FOLDER --join\n"
        "FOLDER must be one that all machines see, on a file system with locks (NFS with its "
        "locks on).");
    m_flags.declare(*command, {"", "model", "masks", "data", "training", "telemetry"});
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    surviveClosedPipes();
    if (m_file.empty()) refuseUsage("sweep", "needs a sweep file; headlight-cli sweep --help");
    if (m_flags.given("seed"))
      refuseUsage("--seed", "does nothing here: the sweep file lists the seeds");
    if (!m_join) requireOneProcess();
    const SweepPlan plan = valueOrThrow(readSweep(m_file, [this](Json& base) { change(base); }));
    const fs::path output = m_output.empty() ? defaultFolder(plan) : fs::path(m_output);
    if (!plan.about.empty()) terminal.note(plan.about);
    terminal.note("sweep of " + std::to_string(plan.variants.size()) + " variants from " +
                  std::to_string(plan.seeds.size()) + " seeds in " + output.string());
    SweepReporter reporter(plan, terminal);
    const SweepObserver observer = reporter.observer();
    const SweepReport report =
        valueOrThrow(runSweep(plan, output, {!m_noSpeed, m_speedBatch, m_join}, observer, stop));
    return tell(report, output, terminal);
  }

 private:
  static void requireOneProcess() {
    // Joined, it does not matter who started them: they meet in the folder alone.
    if (const auto launch = launchOfThisProcess(); launch && !launch->alone())
      refuseUsage(launch->launcher,
                  "started several processes; with --join they are workers of one sweep");
  }

  void change(Json& base) const {
    if (!m_recipe.empty()) valueOrThrow(applyRecipe(base, m_recipe));
    m_flags.apply(base);
  }

  static fs::path defaultFolder(const SweepPlan& plan) {
    std::string name = plan.name;
    for (char& letter : name)
      if (letter == '/' || letter == '\\' || static_cast<unsigned char>(letter) < ' ') letter = '_';
    if (name.empty() || name[0] == '.') name = "sweep" + name;
    return fs::path("sweeps") / name;
  }

  static int tell(const SweepReport& report, const fs::path& output, Terminal& terminal) {
    if (terminal.json()) {
      Json rows = Json::array();
      for (const SweepRow& row : report.rows)
        rows.push_back(rowJson(row));
      terminal.printJson(Json{{"event", "finished"},
                              {"runs", report.finished},
                              {"failed", report.failures.size()},
                              {"output", output.string()},
                              {"rows", rows}});
    } else {
      std::size_t width = 0;
      for (const SweepRow& row : report.rows)
        width = std::max(width, row.name.size());
      for (const SweepRow& row : report.rows)
        terminal.print(rowText(row, width));
      if (!report.rows.empty())
        terminal.print("tables: " + (output / "sweep.csv").string() + ", sweep.md, sweep.png");
    }
    if (report.failures.empty()) return kExitOk;
    const SweepFailure& first = report.failures.front();
    throw Failure({first.error.code,
                   std::to_string(report.failures.size()) + " of " + std::to_string(report.total) +
                       " runs could not be trained to their end; the first: " + first.error.text(),
                   first.run});
  }

  std::string m_file, m_output, m_recipe;
  std::int64_t m_speedBatch = 32;
  bool m_noSpeed = false, m_json = false, m_join = false;
  ParameterFlags m_flags;
};

}  // namespace

std::unique_ptr<Command> makeSweepCommand() {
  return std::make_unique<SweepCommand>();
}

}  // namespace headlight::cli
