// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A list of runs that is kept: each folder is followed by one RunFollower, so that only what has
// grown is read, and of ten thousand runs that have ended next to nothing. Reads only. For one
// thread at a time. No torch type here.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <vector>

#include "core/workbench/runs/RunFinder.h"
#include "core/workbench/runs/RunList.h"

namespace headlight {

struct FollowedRun;

/// What became known since the last time.
struct RunListUpdate {
  std::vector<ListedRun> changed;      ///< new runs, and those that are not what they were
  std::vector<std::uint64_t> removed;  ///< ids of runs that are in the list no more
  /// Compared runs by id; those that have grown.
  std::map<std::uint64_t, std::shared_ptr<const RunHistory>> histories;
  std::size_t waiting = 0;  ///< runs that the next looks look at, before a round is done
  std::size_t leftOut = 0;  ///< runs beyond kMostRuns of a folder
};

class FollowedRuns {
 public:
  /// Called with how many runs of this round were looked at, and how many there are.
  using ReportTo = std::function<void(std::size_t done, std::size_t all)>;
  enum class Vanished { Leave, Stay };

  /// `vanished`: whether a run whose folder is gone leaves the list, or stays and says so; then a
  /// folder in which there is no run yet is in the list too, until there is one.
  explicit FollowedRuns(Vanished vanished = Vanished::Leave);
  ~FollowedRuns();

  /// The runs that each of them stands for (RunFinder.h), in that order, each once; without the
  /// folders of `hidden`. Those known already stay as they are.
  void setFolders(std::vector<std::filesystem::path> named,
                  std::set<std::filesystem::path> hidden = {});
  /// Keeps the curves of these runs from the next poll on.
  void setCompared(const std::vector<std::uint64_t>& ids);

  /// Blocks while it reads, at least one run and for about `seconds`: then the rest of the round
  /// waits for the next look. A round looks at every run; where `stop` is asked for it goes on the
  /// next time. Runs that have ended and whose files stay are not opened again, but for some in
  /// every round: somebody may hold them.
  RunListUpdate poll(double seconds, const std::stop_token& stop = {}, const ReportTo& notify = {});
  /// The same for compared runs alone, begins no round.
  RunListUpdate pollCompared(const std::stop_token& stop = {});

  /// In the order of the folders, then by name; how old their newest lines are is of now.
  std::vector<ListedRun> runs() const;
  std::shared_ptr<const RunHistory> history(std::uint64_t id) const;  ///< null: not compared

 private:
  void findRuns(const std::stop_token& stop);
  std::vector<std::filesystem::path> expandRuns(const RunFinder& finder) const;
  void listAnew();
  void lookAt(FollowedRun& run, const std::stop_token& stop);
  RunListUpdate takeNews();

  Vanished m_vanished;
  std::set<std::filesystem::path> m_hidden;
  std::vector<RunFinder> m_finders;
  std::map<std::filesystem::path, std::unique_ptr<FollowedRun>> m_known;
  std::vector<FollowedRun*> m_order;
  std::vector<FollowedRun*> m_round;  ///< still to be looked at
  bool m_other = false;               ///< there are other folders than the list knows
  std::uint64_t m_ids = 0, m_rounds = 0;
  std::size_t m_leftOut = 0;
  std::vector<std::uint64_t> m_removed;
};

}  // namespace headlight
