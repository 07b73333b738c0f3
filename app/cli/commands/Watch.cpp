// SPDX-License-Identifier: GPL-3.0-or-later

// watch: runs that somebody trains, here or on a machine that shares the folder, as a table.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>

#include "app/cli/reports/WatchTable.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Translation.h"
#include "core/base/files/LockState.h"
#include "core/workbench/runs/FollowedRuns.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

/// Everything that was named, with what was found in it so far.
class WatchList {
 public:
  explicit WatchList(const std::vector<std::string>& named)
      : m_named(named.begin(), named.end()), m_runs(FollowedRuns::Vanished::Stay) {
    m_runs.setFolders(m_named);
  }

  /// Looks at every run, those of a sweep that have come since included.
  void poll(const std::stop_token& stop) {
    m_leftOut = m_runs.poll(std::numeric_limits<double>::infinity(), stop).leftOut;
    m_rows.clear();
    for (ListedRun& run : m_runs.runs())
      m_rows.push_back({labelOf(run), run.folder.string(), std::move(run.standing)});
  }

  const std::vector<WatchedRun>& rows() const { return m_rows; }
  std::size_t leftOut() const { return m_leftOut; }

  /// In a sweep in progress, another run may begin.
  bool ended() const {
    return std::all_of(m_rows.begin(), m_rows.end(),
                       [](const WatchedRun& run) { return hasEnded(run.standing.state); }) &&
           std::none_of(m_named.begin(), m_named.end(), isHeld);
  }

  /// The first that could not be read.
  std::optional<Error> problem() const {
    for (const WatchedRun& run : m_rows)
      if (run.standing.problem) return run.standing.problem;
    return std::nullopt;
  }

 private:
  /// As it was named, or in the one folder that was.
  std::string labelOf(const ListedRun& run) const {
    const bool inside = m_named.size() == 1 && run.folder != run.named;
    return (inside ? run.folder.lexically_relative(run.named) : run.folder).string();
  }

  std::vector<fs::path> m_named;
  FollowedRuns m_runs;
  std::vector<WatchedRun> m_rows;
  std::size_t m_leftOut = 0;
};

class WatchCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand("watch", tr("Follow runs in progress, side by side"));
    command
        ->add_option("runs", m_named,
                     tr("Run folders, or a sweep folder for all its runs. They are only read, also "
                        "over a network file system"))
        ->type_name("RUN");
    command->add_option("--every", m_every, tr("Seconds between updates; default 2"))
        ->type_name("SECONDS")
        ->check(CLI::Range(0.1, 86400.0).description(""));
    command->add_flag("--once", m_once, tr("Print the table once and exit"));
    command->add_flag("--json", m_json,
                      tr("Print one JSON object per update, with an object for each run"));
    command->footer(tr(
        "On a terminal the table is updated in place; elsewhere a line is printed whenever a run\n"
        "changes. Ends when every run has ended.\n"
        "\"training?\": the lock is not visible from here, and the newest log line is less than\n"
        "ten minutes old. \"left\" assumes the pace of the last 32 logged steps, without "
        "validation."));
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    if (m_named.empty())
      refuseUsage(
          "watch",
          tr("needs a RUN, the folder of a run or of a sweep; see headlight-cli watch --help"));
    for (std::string& path : m_named)
      while (path.size() > 1 && path.ends_with('/'))
        path.pop_back();
    WatchList list(m_named);
    for (;;) {
      list.poll(stop);
      if (stop.stop_requested()) break;
      if (list.leftOut() > std::exchange(m_leftOut, list.leftOut()))
        terminal.warning(std::string(tr("runs left out because a folder has too many: ")) +
                         std::to_string(list.leftOut()));
      const bool last = m_once || list.ended();
      notify(list.rows(), last, terminal);
      if (!last && wait(stop)) continue;
      if (last) return conclude(list);
      break;
    }
    throw Failure({ErrorCode::Canceled, tr("watching stopped; the runs continue"), "watch"});
  }

 private:
  static int conclude(const WatchList& list) {
    if (const auto problem = list.problem()) throw Failure(*problem);
    return kExitOk;
  }

  void notify(const std::vector<WatchedRun>& rows, bool ended, Terminal& terminal) {
    if (terminal.json()) return reportJson(rows, ended, terminal);
    if (!terminal.showsResults()) return reportChanges(rows, terminal);
    std::vector<std::string> lines = watchTable(rows);
    for (const WatchedRun& row : rows)
      if (row.standing.problem) lines.push_back("  " + row.standing.problem->text());
    terminal.redraw(lines);
  }

  void reportJson(const std::vector<WatchedRun>& rows, bool ended, Terminal& terminal) const {
    Json runs = Json::array();
    for (const WatchedRun& row : rows)
      runs.push_back(watchJson(row));
    terminal.printJson(
        Json{{"time", std::time(nullptr)}, {"ended", ended && !m_once}, {"runs", runs}});
  }

  /// How old a line is changes with every look, and is not compared.
  void reportChanges(const std::vector<WatchedRun>& rows, Terminal& terminal) {
    const std::vector<std::string> lines = watchTable(rows);
    if (m_said.empty()) terminal.print(lines.front());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Json now = watchJson(rows[i]);
      now.erase("seconds_since_line");
      if (std::exchange(m_said[rows[i].folder], now) == now) continue;
      terminal.print(lines[i + 1]);
      if (rows[i].standing.problem) terminal.print("  " + rows[i].standing.problem->text());
    }
  }

  /// False where it was told to stop meanwhile.
  bool wait(const std::stop_token& stop) const {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    wake.wait_for(lock, stop, std::chrono::duration<double>(m_every), [] { return false; });
    return !stop.stop_requested();
  }

  std::vector<std::string> m_named;
  double m_every = kRunPollSeconds;
  bool m_once = false, m_json = false;
  std::size_t m_leftOut = 0;
  std::map<std::string, Json> m_said;  ///< of each folder, as it was told last
};

}  // namespace

std::unique_ptr<Command> makeWatchCommand() {
  return std::make_unique<WatchCommand>();
}

}  // namespace headlight::cli
