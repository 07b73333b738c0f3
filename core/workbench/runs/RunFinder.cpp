// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/runs/RunFinder.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <string>
#include <utility>

#include "core/base/files/FileStamp.h"
#include "core/training/run/RunFolder.h"

namespace headlight {
namespace {

constexpr int kDeepestRun = 2;  ///< OUTPUT/VARIANT/seed-SEED of a sweep
/// A folder that was changed this lately may change again within the same tick of its clock.
constexpr std::int64_t kYoungSeconds = 3;
/// Looks between two that read every folder: for clocks that are not what they should be.
constexpr int kReadAnew = 30;

}  // namespace

/// A folder as it was read.
struct RunFinder::Place {
  FileStamp stamp;
  bool settled = false;  ///< as long as its stamp stays, so does all below
  bool isRun = false;
  std::map<std::string, Place> inner;
};

class RunFinder::Walk {
 public:
  Walk(bool anew, std::stop_token stop) : m_anew(anew), m_stop(std::move(stop)) {}

  void enter(const OpenFolder& folder, Place& place, int depth) {
    const FileStamp now = fileStamp(folder, ".").value_or(FileStamp());
    const bool known = !m_anew && place.settled && now == place.stamp;
    if (!known) read(folder, place, depth);
    if (known && !place.isRun) lookBelow(folder, place, depth);
    place.stamp = now;
    place.settled = std::time(nullptr) - now.seconds > kYoungSeconds;
  }
  bool changed() const { return m_changed; }

 private:
  void read(const OpenFolder& folder, Place& place, int depth) {
    const bool isRun = RunFolder::holdsRun(folder);
    if (std::exchange(place.isRun, isRun) != isRun) m_changed = true;
    std::map<std::string, Place> before = std::exchange(place.inner, {});
    if (isRun || depth >= kDeepestRun) return;
    for (const std::string& name : folder.names()) {
      if (name.starts_with('.') || m_stop.stop_requested()) continue;
      const auto inner = folder.subfolder(name, /*make=*/false);
      if (!inner) continue;
      auto known = before.extract(name);
      Place& below = place.inner[name];
      if (known) below = std::move(known.mapped());
      enter(*inner, below, depth + 1);
    }
    m_changed = m_changed || !before.empty();
  }

  /// Its entries are those that were read: a run among them stays one until its folder goes.
  void lookBelow(const OpenFolder& folder, Place& place, int depth) {
    for (auto& [name, below] : place.inner) {
      if (below.isRun || m_stop.stop_requested()) continue;
      if (const auto inner = folder.subfolder(name, /*make=*/false))
        enter(*inner, below, depth + 1);
    }
  }

  bool m_anew, m_changed = false;
  std::stop_token m_stop;
};

RunFinder::RunFinder(std::filesystem::path path)
    : m_path(std::move(path)), m_root(std::make_unique<Place>()) {}
RunFinder::~RunFinder() = default;
RunFinder::RunFinder(RunFinder&&) noexcept = default;
RunFinder& RunFinder::operator=(RunFinder&&) noexcept = default;

bool RunFinder::poll(const std::stop_token& stop) {
  const auto folder = OpenFolder::open(m_path);
  if (!folder) {
    m_leftOut = 0;
    *m_root = {};
    return !std::exchange(m_runs, {}).empty();
  }
  Walk walk(m_inferences++ % kReadAnew == 0, stop);
  walk.enter(*folder, *m_root, 0);
  if (stop.stop_requested()) *m_root = {};  // what is missing in it is read the next time
  if (stop.stop_requested() || !walk.changed()) return false;
  std::vector<std::filesystem::path> found;
  m_leftOut = 0;
  const auto collect = [&](const auto& self, const Place& place,
                           const std::filesystem::path& path) -> void {
    if (place.isRun && found.size() >= kMostRuns)
      ++m_leftOut;
    else if (place.isRun)
      found.push_back(path);
    for (const auto& [name, below] : place.inner)
      self(self, below, path / name);
  };
  collect(collect, *m_root, m_path);
  const bool others = found != m_runs;
  m_runs = std::move(found);
  return others;
}

}  // namespace headlight
