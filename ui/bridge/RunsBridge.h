// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Lists the runs on disk: polls them every two seconds on a thread of
// its own, a little at a time, and tells what has changed. Never changes anything in them.

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <memory>
#include <set>
#include <stop_token>
#include <vector>

#include "core/workbench/runs/FollowedRuns.h"
#include "ui/base/WorkerThread.h"

namespace headlight {

class RunsBridge : public QObject {
  Q_OBJECT
 public:
  explicit RunsBridge(QObject* parent = nullptr);
  ~RunsBridge() override;  ///< joins its thread

  /// As FollowedRuns; then polls.
  void setFolders(std::vector<std::filesystem::path> named, std::set<std::filesystem::path> hidden);
  /// The curves of these runs come with the next news.
  void setCompared(std::vector<std::uint64_t> ids);
  /// Polls now, and while `wanted` again and again.
  void setPolling(bool wanted);
  void poll();
  /// Between two rounds; for tests.
  void setInterval(int milliseconds) { m_timer.setInterval(milliseconds); }

 Q_SIGNALS:
  void reported(std::shared_ptr<const headlight::RunListUpdate> news);
  void roundDone();  ///< every run was polled

 private:
  void lookOn();
  void take(const std::shared_ptr<const RunListUpdate>& news, bool whole);
  void interrupt();

  std::shared_ptr<FollowedRuns> m_runs;  ///< asked on the worker's thread only
  bool m_looking = false, m_again = false, m_polling = false;
  QTimer m_timer;
  std::stop_source m_stop;
  WorkerThread m_worker;  // last: joined first
};

}  // namespace headlight
