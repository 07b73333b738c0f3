// watch: runs that somebody trains, here or on a machine that shares the folder, as a table.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include "app/cli/Command.h"
#include "app/cli/ExitCodes.h"
#include "app/cli/WatchTable.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

/// Everything that was named, with what was found in it so far.
class WatchList {
 public:
  explicit WatchList(const std::vector<std::string>& named) : m_named(named.begin(), named.end()) {}

  /// Looks at every run, those of a sweep that have come since included.
  void look(const std::stop_token& stop) {
    for (const fs::path& path : m_named)
      find(path);
    for (Watched& run : m_runs)
      if (!stop.stop_requested()) run.row.standing = run.follower.look(stop).standing;
  }

  std::vector<WatchedRun> rows() const {
    std::vector<WatchedRun> rows;
    for (const Watched& run : m_runs)
      rows.push_back(run.row);
    return rows;
  }

  /// Of a sweep that goes on, another run may begin.
  bool ended() const {
    return std::all_of(m_runs.begin(), m_runs.end(),
                       [](const Watched& run) { return hasEnded(run.row.standing.state); }) &&
           std::none_of(m_named.begin(), m_named.end(), isHeld);
  }

  /// The first that could not be read.
  std::optional<Error> problem() const {
    for (const Watched& run : m_runs)
      if (run.row.standing.problem) return run.row.standing.problem;
    return std::nullopt;
  }

 private:
  struct Watched {
    RunFollower follower;
    WatchedRun row;
  };

  /// What holds no run has a row too, which says so, until there is one in it.
  void find(const fs::path& path) {
    std::vector<fs::path> runs = runsIn(path);
    if (runs.empty() && !m_found.contains(path)) {
      add(path, path);
      return;
    }
    m_found.insert(path);
    if (!runs.empty() && runs.front() != path)
      std::erase_if(m_runs, [&](const Watched& run) { return run.follower.folder() == path; });
    for (const fs::path& run : runs)
      add(run, path);
  }

  void add(const fs::path& run, const fs::path& named) {
    const bool known = std::any_of(m_runs.begin(), m_runs.end(), [&](const Watched& other) {
      return other.follower.folder() == run;
    });
    if (known) return;
    const bool inside = m_named.size() == 1 && run != named;
    const fs::path label = inside ? run.lexically_relative(named) : run;
    m_runs.push_back({RunFollower(run), {label.string(), run.string(), {}}});
  }

  std::vector<fs::path> m_named;
  std::set<fs::path> m_found;  ///< of these, in which there was a run
  std::vector<Watched> m_runs;
};

class WatchCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command =
        app.add_subcommand("watch", "Follow runs that are trained elsewhere, side by side");
    command
        ->add_option("runs", m_named,
                     "Folders of runs, or of a sweep: all its runs. They are only read, also over "
                     "a network file system")
        ->type_name("RUN");
    command->add_option("--every", m_every, "Seconds between two looks; default 2")
        ->type_name("SECONDS")
        ->check(CLI::Range(0.1, 86400.0).description(""));
    command->add_flag("--once", m_once, "Look once, print the table and exit");
    command->add_flag("--json", m_json, "One JSON object a look, with an object a run in it");
    command->footer(
        "On a terminal the table is renewed in place; elsewhere a line is printed for a run\n"
        "whenever something of it has changed. Ends when every run has ended.\n"
        "\"training?\": its lock cannot be seen from here, and its newest line is younger than\n"
        "ten minutes. \"left\" is at the pace of the last 32 logged steps, without validation.");
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    if (m_named.empty())
      refuseUsage("watch",
                  "needs a RUN: the folder of a run or of a sweep; headlight-cli watch --help");
    for (std::string& path : m_named)
      while (path.size() > 1 && path.ends_with('/'))
        path.pop_back();
    WatchList list(m_named);
    for (;;) {
      list.look(stop);
      if (stop.stop_requested()) break;
      const bool last = m_once || list.ended();
      tell(list.rows(), last, terminal);
      if (!last && wait(stop)) continue;
      if (last) return conclude(list);
      break;
    }
    throw Failure({ErrorCode::Canceled, "no longer watched; the runs go on", "watch"});
  }

 private:
  static int conclude(const WatchList& list) {
    if (const auto problem = list.problem()) throw Failure(*problem);
    return kExitOk;
  }

  void tell(const std::vector<WatchedRun>& rows, bool ended, Terminal& terminal) {
    if (terminal.json()) return tellJson(rows, ended, terminal);
    if (!terminal.showsResults()) return tellChanges(rows, terminal);
    std::vector<std::string> lines = watchTable(rows);
    for (const WatchedRun& row : rows)
      if (row.standing.problem) lines.push_back("  " + row.standing.problem->text());
    terminal.redraw(lines);
  }

  void tellJson(const std::vector<WatchedRun>& rows, bool ended, Terminal& terminal) const {
    Json runs = Json::array();
    for (const WatchedRun& row : rows)
      runs.push_back(watchJson(row));
    terminal.printJson(
        Json{{"time", std::time(nullptr)}, {"ended", ended && !m_once}, {"runs", runs}});
  }

  /// How old a line is changes with every look, and is not compared.
  void tellChanges(const std::vector<WatchedRun>& rows, Terminal& terminal) {
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
  std::map<std::string, Json> m_said;  ///< of each folder, as it was told last
};

}  // namespace

std::unique_ptr<Command> makeWatchCommand() {
  return std::make_unique<WatchCommand>();
}

}  // namespace headlight::cli
