// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/BackgroundTask.h"

#include <algorithm>
#include <atomic>
#include <list>
#include <mutex>
#include <thread>

#include "ui/base/ThreadPriority.h"
#include "ui/base/WorkerThread.h"

namespace headlight {

/// Outlives the task where a job does. The lock makes "is it still there" and "post to it" one
/// step.
struct BackgroundTask::Shared {
  std::mutex mutex;
  BackgroundTask* owner = nullptr;
};

namespace {

struct Worker {
  std::jthread thread;
  std::shared_ptr<std::atomic<bool>> finished;
};

/// Every thread that a task started: those that finished are joined when the next one starts, the
/// rest when the program ends. Used in the window's thread only.
std::list<Worker>& workers() {
  static std::list<Worker> all;
  all.remove_if([](const Worker& worker) { return worker.finished->load(); });
  return all;
}

}  // namespace

BackgroundTask::BackgroundTask(QObject* parent)
    : QObject(parent), m_shared(std::make_shared<Shared>()) {
  m_shared->owner = this;
}

BackgroundTask::~BackgroundTask() {
  m_stop.request_stop();
  const std::lock_guard lock(m_shared->mutex);
  m_shared->owner = nullptr;
}

void BackgroundTask::start(Job job) {
  m_stop.request_stop();
  m_stop = std::stop_source();
  const std::uint64_t number = ++m_job;
  const auto finished = std::make_shared<std::atomic<bool>>(false);
  std::jthread thread([shared = m_shared, job = std::move(job), token = m_stop.get_token(), number,
                       finished](const std::stop_token&) mutable {
    runBehindTheWindow();
    {
      std::function<void()> done = job(token);
      job = nullptr;
      const std::lock_guard lock(shared->mutex);
      if (BackgroundTask* owner = shared->owner)
        callInThread(owner,
                     [owner, number, done = std::move(done)] { owner->finish(number, done); });
    }
    finished->store(true);
  });
  workers().push_back({std::move(thread), finished});
  if (!std::exchange(m_busy, true)) Q_EMIT busyChanged(true);
}

void BackgroundTask::finish(std::uint64_t job, const std::function<void()>& done) {
  if (job != m_job) return;  // a newer one is under way
  m_busy = false;
  Q_EMIT busyChanged(false);
  done();
}

void BackgroundTask::cancel() {
  m_stop.request_stop();
  ++m_job;
  if (std::exchange(m_busy, false)) Q_EMIT busyChanged(false);
}

}  // namespace headlight
