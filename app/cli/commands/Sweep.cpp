// SPDX-License-Identifier: GPL-3.0-or-later

// sweep: several variants of one experiment from several seeds, and the table that compares them.

#include <filesystem>

#include "app/cli/figures/SweepFigures.h"
#include "app/cli/options/ParameterFlags.h"
#include "app/cli/options/RecipeList.h"
#include "app/cli/reports/SweepDesigning.h"
#include "app/cli/reports/SweepReporter.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/Signals.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/Recipes.h"
#include "core/workbench/sweeps/SweepDesign.h"
#include "core/workbench/training/DistributedContext.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

class SweepCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "sweep", tr("Train variants of an experiment and compare them in a table"));
    m_designing.declare(*command);
    command
        ->add_option("-o,--output", m_output,
                     tr("Folder of the runs and of sweep.csv, sweep.md and sweep.png; default "
                        "sweeps/NAME. If it contains part of this sweep, only the rest is trained"))
        ->type_name("FOLDER");
    command->add_flag("--join", m_join,
                      tr("Share the sweep with other processes started with the same flags, on "
                         "this machine or on others that can access --output"));
    command->add_option("--recipe", m_recipe, recipeHelp())->type_name("NAME");
    command->add_flag("--no-speed", m_noSpeed,
                      tr("Skip the speed measurement (images or sequences per second) at the end"));
    command
        ->add_option("--speed-batch", m_speedBatch,
                     tr("Batch size of the speed measurement; default 32"))
        ->type_name("INT")
        ->check(CLI::Range(1, 4096).description(""));
    command->add_flag("--plan", m_planOnly,
                      tr("Only estimate: count the runs and measure a few steps of each variant, "
                         "without training"));
    command->add_flag("--report", m_reportOnly,
                      tr("Only show the finished runs in --output, without training"));
    command
        ->add_option(
            "--over", m_over,
            tr("Also plot the results over this setting, which must differ between variants, with "
               "deviations over seeds: sweep-over-PATH.csv, .png and .pdf. May be repeated"))
        ->type_name("PATH")
        ->expected(1)
        ->take_all();
    command->add_flag("--json", m_json,
                      tr("Print one JSON object per line: skipped, begin, epoch (validation of a "
                         "sequence model), run and waiting events as they happen, and finished "
                         "with the rows of the table at the end"));
    command->footer(
        tr("Every parameter of the base is a flag, in the groups above. Flags change the base "
           "before the\n"
           "variants do. For sequence models, see the flags in sequence train --help.\n"
           "Ctrl+C writes a checkpoint and exits with 130. The same command then resumes: finished "
           "runs\n"
           "are skipped, an interrupted one continues exactly. The same holds after a kill.\n"
           "With --join any number of processes train one sweep. Each takes the next free run;\n"
           "the run of a dead process is taken over. Give all of them the same flags, and "
           "--threads if\n"
           "they share a machine. Under Slurm: #SBATCH --array=0-7, then\n"
           "  srun headlight-cli sweep SWEEP --output FOLDER --join\n"
           "FOLDER must be shared by all machines, on a file system with locks (NFS with locking "
           "enabled)."));
    m_flags.declare(*command, {"", "model", "masks", "data", "training", "telemetry"});
    m_sequenceFlags.declareRest(*command, {"data", "model", "training"}, tr("Sequence models"));
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    surviveClosedPipes();
    if (m_flags.given("seed"))
      refuseUsage("--seed",
                  tr("does not apply to sweeps; list the seeds in the sweep file or with --seeds"));
    if (!m_join) requireOneProcess();
    const SweepPlan plan = m_designing.plan([this](Json& base) { change(base); });
    const fs::path output = outputFor(plan);
    if (!plan.about.empty()) terminal.note(plan.about);
    requireAxes(plan);
    if (trainsNothing(plan, output, terminal, stop)) return kExitOk;
    terminal.note(tr("sweep of ") + std::to_string(plan.variants.size()) + tr(" variants from ") +
                  std::to_string(plan.seeds.size()) + tr(" seeds in ") + output.string());
    SweepReporter reporter(plan, terminal);
    const SweepObserver observer = reporter.observer();
    const SweepReport report =
        valueOrThrow(runSweep(plan, output, {!m_noSpeed, m_speedBatch, m_join}, observer, stop));
    reporter.notify(report, output);
    writeCurves(plan, report, m_over, output, terminal);
    return exitCodeAfter(report);
  }

 private:
  /// Known before hours of training are over.
  void requireAxes(const SweepPlan& plan) const {
    for (const std::string& axis : m_over)
      valueOrThrow(sweepCurves(plan, {}, axis));
  }

  /// Where only the file, the time or what is finished was asked for.
  bool trainsNothing(const SweepPlan& plan, const fs::path& output, Terminal& terminal,
                     std::stop_token stop) const {
    if (m_designing.save(plan)) {
      terminal.note(tr("saved ") + m_designing.saved());
      return true;
    }
    if (m_planOnly) {
      ProgressBar bar(terminal);
      const auto notify = [&](const Progress& progress) { bar.show(progress); };
      reportPlan(plan, valueOrThrow(estimateSweep(plan, output, notify, stop)), terminal);
    }
    if (m_reportOnly) {
      const SweepReport report = valueOrThrow(sweepReport(plan, output));
      SweepReporter(plan, terminal).notify(report, output);
      if (report.rows.empty())
        terminal.note(tr("no finished runs in ") + output.string());
      else
        writeCurves(plan, report, m_over, output, terminal);
    }
    return m_planOnly || m_reportOnly;
  }

  static void requireOneProcess() {
    // Joined, it does not matter who started them: they meet in the folder alone.
    if (const auto launch = launchOfThisProcess(); launch && !launch->alone())
      refuseUsage(launch->launcher,
                  tr("started several processes; give --join so that they share one sweep"));
  }

  void change(Json& base) const {
    const bool sequences = isOfSequences(base);
    if (!m_recipe.empty() && sequences)
      refuseUsage("--recipe",
                  tr("applies only to image classifiers; this sweep trains sequence models"));
    if (!m_recipe.empty()) valueOrThrow(applyRecipe(base, m_recipe));
    const ParameterFlags& meaning = sequences ? m_sequenceFlags : m_flags;
    m_flags.applyAs(meaning, base);
    m_sequenceFlags.applyAs(meaning, base);
  }

  fs::path outputFor(const SweepPlan& plan) const {
    if (!m_output.empty()) return m_output;
    const std::string folder = m_designing.folder();
    return folder.empty() ? fs::path("sweeps") / folderNameFrom(plan.name, "sweep")
                          : fs::path(folder);
  }

  static int exitCodeAfter(const SweepReport& report) {
    if (report.failures.empty()) return kExitOk;
    const SweepFailure& first = report.failures.front();
    throw Failure({first.error.code,
                   std::to_string(report.failures.size()) + " of " + std::to_string(report.total) +
                       tr(" runs failed; the first: ") + first.error.text(),
                   first.run});
  }

  SweepDesigning m_designing;
  std::string m_output, m_recipe;
  std::vector<std::string> m_over;
  std::int64_t m_speedBatch = 32;
  bool m_noSpeed = false, m_json = false, m_join = false, m_planOnly = false, m_reportOnly = false;
  ParameterFlags m_flags;
  ParameterFlags m_sequenceFlags{sequenceSections(), overrideSequenceParameter};
};

}  // namespace

std::unique_ptr<Command> makeSweepCommand() {
  return std::make_unique<SweepCommand>();
}

}  // namespace headlight::cli
