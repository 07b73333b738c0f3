// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/RunControl.h"

#include <utility>

namespace headlight {
namespace {

/// Points that wait for a watcher; beyond this every second one is dropped.
constexpr std::size_t kMaxStepPoints = 8192;
constexpr std::size_t kMaxHeadPoints = 256;
constexpr std::size_t kMaxWarnings = 256;

/// Keeps the newest and every second one before it.
template <typename T>
void thin(std::vector<T>& points, std::size_t limit) {
  if (points.size() <= limit) return;
  std::size_t kept = 0;
  for (std::size_t i = (points.size() - 1) % 2; i < points.size(); i += 2)
    points[kept++] = std::move(points[i]);
  points.resize(kept);
}

}  // namespace

void RunControl::pause() {
  const std::lock_guard lock(m_mutex);
  m_paused = true;
}

void RunControl::unpause() {
  const std::lock_guard lock(m_mutex);
  m_paused = false;
  m_changed.notify_all();
}

void RunControl::requestSnapshot() {
  const std::lock_guard lock(m_mutex);
  m_snapshotWanted = true;
  m_changed.notify_all();
}

void RunControl::poke() {
  const std::lock_guard lock(m_mutex);
  m_poked = true;
  m_changed.notify_all();
}

void RunControl::setWakeUp(std::function<void()> wakeUp) {
  const std::lock_guard lock(m_wakeMutex);
  m_wakeUp = std::move(wakeUp);
}

TrainingUpdate RunControl::takeUpdate() {
  const std::lock_guard lock(m_mutex);
  TrainingUpdate taken = std::move(m_update);
  m_update = TrainingUpdate();
  m_update.state = taken.state;
  m_update.message = taken.message;
  m_update.progress = taken.progress;
  m_update.epoch = taken.epoch;
  m_update.epochs = taken.epochs;
  m_woken = false;
  return taken;
}

void RunControl::publish(const std::function<void(TrainingUpdate&)>& change) {
  {
    const std::lock_guard lock(m_mutex);
    change(m_update);
    thin(m_update.steps, kMaxStepPoints);
    thin(m_update.heads, kMaxHeadPoints);
    if (m_update.warnings.size() > kMaxWarnings) m_update.warnings.resize(kMaxWarnings);
  }
  wake();
}

void RunControl::wake() {
  const std::lock_guard wakeLock(m_wakeMutex);
  if (!m_wakeUp) return;
  {
    const std::lock_guard lock(m_mutex);
    if (std::exchange(m_woken, true)) return;
  }
  m_wakeUp();
}

bool RunControl::paused() const {
  const std::lock_guard lock(m_mutex);
  return m_paused;
}

bool RunControl::takeSnapshotRequest() {
  const std::lock_guard lock(m_mutex);
  return std::exchange(m_snapshotWanted, false);
}

void RunControl::waitWhilePaused(std::stop_token stop) {
  std::unique_lock lock(m_mutex);
  m_changed.wait(lock, stop, [this] { return !m_paused || m_poked || m_snapshotWanted; });
  m_poked = false;
}

}  // namespace headlight
