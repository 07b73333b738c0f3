// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/runs/FollowedRuns.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/workbench/runs/FollowedRun.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using RoundClock = std::chrono::steady_clock;

/// Rounds in which every run that has ended is opened once, whatever its files look like.
constexpr std::uint64_t kOpenedWithin = 15;

std::string labelOf(const fs::path& run, const fs::path& named, bool several) {
  const auto nameOf = [](const fs::path& path) {
    const fs::path whole = path.lexically_normal();
    return (whole.has_filename() ? whole : whole.parent_path()).filename();
  };
  const fs::path inside = run.lexically_relative(named);
  if (inside.empty() || inside == "." || *inside.begin() == "..") return nameOf(run).string();
  return several ? (nameOf(named) / inside).string() : inside.string();
}

}  // namespace

FollowedRuns::FollowedRuns(Vanished vanished) : m_vanished(vanished) {}
FollowedRuns::~FollowedRuns() = default;

void FollowedRuns::setFolders(std::vector<fs::path> named, std::set<fs::path> hidden) {
  std::vector<RunFinder> finders;
  for (fs::path& path : named) {
    const auto known = std::find_if(m_finders.begin(), m_finders.end(),
                                    [&](const RunFinder& one) { return one.path() == path; });
    const bool twice = std::any_of(finders.begin(), finders.end(),
                                   [&](const RunFinder& one) { return one.path() == path; });
    if (known != m_finders.end() && !twice) finders.push_back(std::move(*known));
    if (known == m_finders.end() && !twice) finders.emplace_back(std::move(path));
  }
  m_finders = std::move(finders);
  m_hidden = std::move(hidden);
  m_round.clear();
  m_other = true;
}

void FollowedRuns::findRuns(const std::stop_token& stop) {
  bool other = m_other;
  m_leftOut = 0;
  for (RunFinder& finder : m_finders) {
    other = finder.poll(stop) || other;
    m_leftOut += finder.leftOut();
  }
  m_other = other;
  if (other && !stop.stop_requested()) listAnew();
}

/// Those found; of `Vanished::Stay` first those known before, and where there is none the folder.
std::vector<fs::path> FollowedRuns::expandRuns(const RunFinder& finder) const {
  if (m_vanished == Vanished::Leave) return finder.runs();
  std::vector<fs::path> folders;
  for (const FollowedRun* known : m_order)
    if (known->row.named == finder.path()) folders.push_back(known->row.folder);
  const bool isOne = !finder.runs().empty() && finder.runs().front() == finder.path();
  if (!finder.runs().empty() && !isOne) std::erase(folders, finder.path());
  for (const fs::path& run : finder.runs())
    if (std::find(folders.begin(), folders.end(), run) == folders.end()) folders.push_back(run);
  if (folders.empty()) folders.push_back(finder.path());
  return folders;
}

void FollowedRuns::listAnew() {
  std::map<fs::path, std::unique_ptr<FollowedRun>> before = std::exchange(m_known, {});
  std::vector<FollowedRun*> order;
  for (const RunFinder& finder : m_finders)
    for (const fs::path& folder : expandRuns(finder)) {
      if (m_hidden.contains(folder) || m_known.contains(folder)) continue;
      auto known = before.extract(folder);
      auto& run = m_known[folder];
      if (known) run = std::move(known.mapped());
      if (!run)
        run = std::make_unique<FollowedRun>(ListedRun{"", folder, {}, nullptr, {}, ++m_ids});
      run->row.named = finder.path();
      const std::string label = labelOf(folder, finder.path(), m_finders.size() > 1);
      run->changed = std::exchange(run->row.label, label) != label || run->changed;
      order.push_back(run.get());
    }
  for (const auto& [folder, run] : before)
    m_removed.push_back(run->row.id);
  m_order = std::move(order);
  m_other = false;
}

void FollowedRuns::setCompared(const std::vector<std::uint64_t>& ids) {
  for (FollowedRun* run : m_order)
    run->setCompared(std::find(ids.begin(), ids.end(), run->row.id) != ids.end());
}

void FollowedRuns::lookAt(FollowedRun& run, const std::stop_token& stop) {
  const bool due = (run.row.id + m_rounds) % kOpenedWithin == 0;
  if (run.row.looked && !due && run.follower.isSettled()) return;
  run.poll(stop);
}

RunListUpdate FollowedRuns::poll(double seconds, const std::stop_token& stop,
                                 const ReportTo& notify) {
  const auto began = RoundClock::now();
  if (m_round.empty()) {
    findRuns(stop);
    if (stop.stop_requested()) return takeNews();
    m_round.assign(m_order.rbegin(), m_order.rend());
    ++m_rounds;
  }
  while (!m_round.empty() && !stop.stop_requested()) {
    lookAt(*m_round.back(), stop);
    if (stop.stop_requested()) break;
    m_round.pop_back();
    if (notify) notify(m_order.size() - m_round.size(), m_order.size());
    if (std::chrono::duration<double>(RoundClock::now() - began).count() >= seconds) break;
  }
  return takeNews();
}

RunListUpdate FollowedRuns::pollCompared(const std::stop_token& stop) {
  for (FollowedRun* run : m_order)
    if (run->compared && !stop.stop_requested()) lookAt(*run, stop);
  return takeNews();
}

RunListUpdate FollowedRuns::takeNews() {
  RunListUpdate news;
  news.removed = std::exchange(m_removed, {});
  for (FollowedRun* run : m_order) {
    if (std::exchange(run->changed, false)) news.changed.push_back(run->row);
    if (std::exchange(run->grown, false))
      news.histories[run->row.id] = std::make_shared<const RunHistory>(run->history);
  }
  news.waiting = m_round.size();
  news.leftOut = m_leftOut;
  return news;
}

std::vector<ListedRun> FollowedRuns::runs() const {
  std::vector<ListedRun> rows;
  for (const FollowedRun* run : m_order)
    rows.push_back(run->rowNow());
  return rows;
}

std::shared_ptr<const RunHistory> FollowedRuns::history(std::uint64_t id) const {
  for (const FollowedRun* run : m_order)
    if (run->row.id == id && run->compared) return std::make_shared<const RunHistory>(run->history);
  return nullptr;
}

}  // namespace headlight
