// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A job away from the window's thread (BackgroundTask.h) that tells how far it is: a bar follows
// it.

#include <QTimer>

#include <memory>
#include <mutex>

#include "core/base/Progress.h"
#include "ui/base/BackgroundTask.h"

namespace headlight {

class ProgressLine;

class ProgressTask : public QObject {
  Q_OBJECT
 public:
  /// `line` outlives it.
  ProgressTask(ProgressLine* line, QObject* parent);
  ~ProgressTask() override;

  /// BackgroundTask::run; work(progress, stop) may tell its progress from any thread.
  template <typename R>
  void run(std::function<R(const ProgressCallback&, std::stop_token)> work,
           std::function<void(R)> done) {
    const ProgressCallback notify = begin();
    m_task.run<R>(
        [work = std::move(work), notify](std::stop_token stop) { return work(notify, stop); },
        std::move(done));
  }
  /// Its `done` is not called any more.
  void cancel() { m_task.cancel(); }
  bool isBusy() const { return m_task.isBusy(); }

 Q_SIGNALS:
  void busyChanged(bool busy);

 private:
  struct Reported {
    std::mutex mutex;
    Progress progress;
    bool any = false;
  };
  ProgressCallback begin();
  void show();

  ProgressLine* m_line;
  std::shared_ptr<Reported> m_reported;  ///< shared with a job that may outlive this
  QTimer m_poll;
  BackgroundTask m_task;
};

}  // namespace headlight
