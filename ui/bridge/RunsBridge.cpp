// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/RunsBridge.h"

#include <utility>

namespace headlight {
namespace {

/// The longest turn: updates come at least this often while many runs are read.
constexpr double kTurnSeconds = 0.1;

}  // namespace

RunsBridge::RunsBridge(QObject* parent)
    : QObject(parent), m_runs(std::make_shared<FollowedRuns>()) {
  m_timer.setSingleShot(
      true);  // the next round begins when this one is done, however slow the disk
  m_timer.setInterval(static_cast<int>(1000 * kRunPollSeconds));
  connect(&m_timer, &QTimer::timeout, this, &RunsBridge::poll);
}

RunsBridge::~RunsBridge() {
  m_stop.request_stop();
}

/// Runs that are being read can wait.
void RunsBridge::interrupt() {
  m_stop.request_stop();
  m_stop = std::stop_source();
}

void RunsBridge::setFolders(std::vector<std::filesystem::path> named,
                            std::set<std::filesystem::path> hidden) {
  interrupt();
  m_worker.post([runs = m_runs, named = std::move(named),
                 hidden = std::move(hidden)](std::stop_token) mutable {
    runs->setFolders(std::move(named), std::move(hidden));
  });
  poll();
}

void RunsBridge::setCompared(std::vector<std::uint64_t> ids) {
  interrupt();
  m_worker.post(
      [this, runs = m_runs, ids = std::move(ids), stop = m_stop.get_token()](std::stop_token) {
        runs->setCompared(ids);
        const auto news = std::make_shared<const RunListUpdate>(runs->pollCompared(stop));
        callInThread(this, [this, news] { Q_EMIT reported(news); });
      });
}

void RunsBridge::setPolling(bool wanted) {
  m_polling = wanted;
  if (wanted)
    poll();
  else
    m_timer.stop();
}

void RunsBridge::poll() {
  m_timer.stop();
  m_again = m_looking;
  if (!m_looking) lookOn();
}

void RunsBridge::lookOn() {
  m_looking = true;
  m_worker.post([this, runs = m_runs, stop = m_stop.get_token()](std::stop_token) {
    const auto news = std::make_shared<const RunListUpdate>(runs->poll(kTurnSeconds, stop));
    const bool whole = !stop.stop_requested();
    callInThread(this, [this, news, whole] { take(news, whole); });
  });
}

void RunsBridge::take(const std::shared_ptr<const RunListUpdate>& news, bool whole) {
  Q_EMIT reported(news);
  if (!whole || news->waiting > 0 || std::exchange(m_again, false)) return lookOn();
  m_looking = false;
  Q_EMIT roundDone();
  if (m_polling) m_timer.start();
}

}  // namespace headlight
