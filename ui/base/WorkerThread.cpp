// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/WorkerThread.h"

#include "ui/base/ThreadPriority.h"

namespace headlight {

WorkerThread::WorkerThread() : m_thread([this](std::stop_token stop) { run(std::move(stop)); }) {}

WorkerThread::~WorkerThread() {
  clear();
  m_thread.request_stop();  // wakes the wait below; jthread joins
}

void WorkerThread::post(Task task) {
  {
    const std::lock_guard lock(m_mutex);
    m_tasks.push_back(std::move(task));
  }
  m_wake.notify_one();
}

void WorkerThread::clear() {
  std::deque<Task> dropped;  // destroyed outside the lock: a task may own anything
  const std::lock_guard lock(m_mutex);
  dropped.swap(m_tasks);
}

void WorkerThread::run(std::stop_token stop) {
  runBehindTheWindow();
  while (true) {
    Task task;
    {
      std::unique_lock lock(m_mutex);
      if (!m_wake.wait(lock, stop, [this] { return !m_tasks.empty(); })) return;
      if (stop.stop_requested()) return;
      task = std::move(m_tasks.front());
      m_tasks.pop_front();
    }
    task(stop);
  }
}

}  // namespace headlight
