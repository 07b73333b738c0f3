// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One thing at a time away from the window's thread: reading a folder, writing a file. A new job
// supersedes the one before. Destroying it never waits for a job: one that cannot be stopped
// finishes unheard, and is joined when the program ends.

#include <QObject>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

namespace headlight {

class BackgroundTask : public QObject {
  Q_OBJECT
 public:
  explicit BackgroundTask(QObject* parent = nullptr);
  ~BackgroundTask() override;

  /// Runs work(stop) on a thread of its own, then done(result) in the window's thread, unless a
  /// newer job began or this object is gone. `work` must not throw and must not touch widgets.
  template <typename R>
  void run(std::function<R(std::stop_token)> work, std::function<void(R)> done) {
    start([work = std::move(work), done = std::move(done)](std::stop_token stop) {
      auto result = std::make_shared<R>(work(stop));
      return std::function<void()>([result, done] { done(std::move(*result)); });
    });
  }
  void cancel();
  bool isBusy() const { return m_busy; }

 Q_SIGNALS:
  void busyChanged(bool busy);

 private:
  using Job = std::function<std::function<void()>(std::stop_token)>;
  void start(Job job);
  void finish(std::uint64_t job, const std::function<void()>& done);

  struct Shared;
  std::shared_ptr<Shared> m_shared;
  std::stop_source m_stop;
  std::uint64_t m_job = 0;
  bool m_busy = false;
};

}  // namespace headlight
