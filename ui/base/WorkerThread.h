// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A thread that runs tasks one after another, and the way back to the window's thread. The bridges
// own one each; nothing else in ui/ starts threads.

#include <QMetaObject>
#include <QObject>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "ui/base/PostedCall.h"

namespace headlight {

class WorkerThread {
 public:
  /// A task is given a token that is stopped when the thread is told to end.
  using Task = std::function<void(std::stop_token)>;

  WorkerThread();
  ~WorkerThread();  ///< drops what waits, stops what runs, joins

  void post(Task task);
  /// Drops the tasks that have not begun.
  void clear();

 private:
  void run(std::stop_token stop);

  std::mutex m_mutex;
  std::condition_variable_any m_wake;
  std::deque<Task> m_tasks;
  std::jthread m_thread;  // last: it starts when all else exists
};

/// Runs `call` in the thread of `receiver`, unless `receiver` is destroyed before that. Never
/// waits.
template <typename Call>
void callInThread(QObject* receiver, Call&& call) {
  QMetaObject::invokeMethod(receiver, PostedCall(std::forward<Call>(call)), Qt::QueuedConnection);
}

}  // namespace headlight
