// SPDX-License-Identifier: GPL-3.0-or-later

// runs: the runs of folders beside each other, sorted, in what their configs differ, their curves
// in one figure.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "app/cli/figures/RunFigures.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/reports/WatchTable.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/workbench/figures/RunFigure.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

/// What runs are sorted by; larger is better but for losses, and what is not known comes last.
double rankOf(const ListedRun& run, const std::string& by) {
  const RunMetrics& now = run.standing.numbers;
  const double value = by == "best"   ? -now.bestScore
                       : by == "top1" ? -now.score
                       : by == "als"  ? -now.locality
                       : by == "loss" ? now.loss
                                      : now.validationLoss;
  return std::isfinite(value) ? value : INFINITY;
}

class RunsCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand("runs", tr("Compare runs: their metrics and settings"));
    command
        ->add_option("runs", m_named,
                     tr("Run folders, a sweep folder, or folders with runs up to two levels down"))
        ->type_name("FOLDER");
    command
        ->add_option(
            "--sort", m_sort,
            tr("best (top-1), top1, als, loss or validation_loss, best first; default: by name"))
        ->check(CLI::IsMember({"best", "top1", "als", "loss", "validation_loss"}));
    command->add_flag("--differences", m_differences,
                      tr("Also show the settings in which the configs differ"));
    declareCsv(*command, m_csv, tr("Also write the table to this CSV file; - for standard output"));
    command
        ->add_option("--figure", m_figure.path,
                     tr("Plot the curves of the first 24 runs to this .pdf, .svg or .png file, or "
                        "write their numbers to a .csv file"))
        ->type_name("FILE");
    std::string names;
    for (const RunQuantity& quantity : runQuantities())
      names += quantity.key + ", ";
    command
        ->add_option("--quantity", m_figure.quantity,
                     tr("Quantity to plot: ") + names +
                         tr("or the name of a quantity that a mechanism reports; default "
                            "validation_loss, or loss where no run has it"))
        ->type_name("NAME");
    command
        ->add_option("--smooth", m_figure.smooth,
                     tr("Figure: smooth what is measured in training steps over about this many of "
                        "them; 1: as measured; default 20"))
        ->type_name("STEPS")
        ->check(CLI::Range(1.0, 1e6).description(""));
    command->add_option("--over", m_figure.over, tr("x axis: steps, epochs or time; default steps"))
        ->check(CLI::IsMember({"steps", "epochs", "time"}));
    command->add_flag("--checkpoints", m_checkpoints,
                      tr("Also list the saved weights of each run"));
    declareJson(*command, m_json);
    command->footer(tr("Folders are only read. To follow runs in progress: headlight-cli watch."));
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    if (m_named.empty())
      refuseUsage("runs", tr("needs a FOLDER with runs; see headlight-cli runs --help"));
    prepareOutput("--csv", m_csv, terminal);
    if (!m_figure.path.empty()) valueOrThrow(checkFigureName(m_figure.path));
    FollowedRuns followed;
    auto runs = read(followed, terminal, stop);
    if (runs.empty())
      throw Failure({ErrorCode::NotFound, tr("contains no run, and neither do its folders"),
                     m_named.front()});
    if (!m_sort.empty())
      std::stable_sort(runs.begin(), runs.end(), [&](const ListedRun& a, const ListedRun& b) {
        return rankOf(a, m_sort) < rankOf(b, m_sort);
      });
    if (!m_csv.empty()) valueOrThrow(writeFileAtomically(m_csv, runsCsv(runs)));
    if (!m_figure.path.empty()) writeRunFigure(m_figure, followed, runs, terminal, stop);
    terminal.json() ? reportJson(runs, terminal) : notify(runs, terminal);
    return kExitOk;
  }

 private:
  std::vector<ListedRun> read(FollowedRuns& followed, Terminal& terminal,
                              const std::stop_token& stop) const {
    followed.setFolders({m_named.begin(), m_named.end()});
    ProgressBar bar(terminal);
    RemainingTime remaining;
    const auto notify = [&, show = bar.callback()](std::size_t done, std::size_t all) {
      const auto count = static_cast<std::int64_t>(done), total = static_cast<std::int64_t>(all);
      if (show) show({tr("reading runs"), count, total, remaining.secondsRemaining(count, total)});
    };
    const RunListUpdate news = followed.poll(std::numeric_limits<double>::infinity(), stop, notify);
    if (stop.stop_requested()) throw Failure({ErrorCode::Canceled, "stopped", "runs"});
    terminal.setStatus("");
    if (news.leftOut > 0)
      terminal.warning(std::string(tr("runs left out because a folder has too many: ")) +
                       std::to_string(news.leftOut));
    return followed.runs();
  }

  static std::vector<WatchedRun> rowsOf(const std::vector<ListedRun>& runs) {
    std::vector<WatchedRun> rows;
    for (const ListedRun& run : runs)
      rows.push_back({run.label, run.folder.string(), run.standing});
    return rows;
  }

  std::vector<SettingDifference> differencesOf(const std::vector<ListedRun>& runs) const {
    std::vector<std::shared_ptr<const Experiment>> experiments;
    for (const ListedRun& run : runs)
      experiments.push_back(run.experiment);
    return m_differences ? settingDifferences(experiments) : std::vector<SettingDifference>();
  }

  void notify(const std::vector<ListedRun>& runs, Terminal& terminal) const {
    for (const std::string& line : watchTable(rowsOf(runs)))
      terminal.print(line);
    if (m_checkpoints) reportWeights(runs, terminal);
    for (const ListedRun& run : runs)
      if (run.standing.problem) terminal.warning(run.standing.problem->text());
    for (const SettingDifference& difference : differencesOf(runs)) {
      terminal.print(difference.path);
      for (std::size_t i = 0; i < runs.size(); ++i)
        terminal.print("  " + runs[i].label + ": " + difference.values[i]);
    }
  }

  static void reportWeights(const std::vector<ListedRun>& runs, Terminal& terminal) {
    const auto kept = keptWeights(runs);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      terminal.print(runs[i].label + (kept[i].empty() ? tr(": no weights yet") : ""));
      for (const std::string& path : kept[i])
        terminal.print("  " + path);
    }
  }

  void reportJson(const std::vector<ListedRun>& runs, Terminal& terminal) const {
    Json list = Json::array(), differences = Json::array();
    const auto kept = m_checkpoints ? keptWeights(runs) : std::vector<std::vector<std::string>>();
    for (const WatchedRun& row : rowsOf(runs)) {
      list.push_back(watchJson(row));
      list.back()["masks"] = masksCell(runs[list.size() - 1]);
      if (m_checkpoints) list.back()["checkpoints"] = kept[list.size() - 1];
    }
    for (const SettingDifference& difference : differencesOf(runs))
      differences.push_back({{"path", difference.path}, {"values", difference.values}});
    terminal.printJson(Json{{"runs", list}, {"differences", differences}});
  }

  std::vector<std::string> m_named;
  std::string m_sort, m_csv;
  RunFigureOptions m_figure;
  bool m_differences = false, m_checkpoints = false, m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeRunsCommand() {
  return std::make_unique<RunsCommand>();
}

}  // namespace headlight::cli
