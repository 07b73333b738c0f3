// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/FetchJob.h"

#include <mutex>
#include <optional>

#include "ui/base/CombinedStopSource.h"

namespace headlight {
namespace {

constexpr int kFetchPollMs = 100;

}  // namespace

/// What the download said since it was last asked.
struct FetchJob::Told {
  std::mutex mutex;
  std::optional<FetchProgress> progress;
};

FetchJob::FetchJob(QObject* parent) : QObject(parent), m_told(std::make_shared<Told>()) {
  m_poll.setInterval(kFetchPollMs);
  connect(&m_poll, &QTimer::timeout, this, &FetchJob::collect);
}

void FetchJob::start(const PublishedWeights& weights, const FetchOptions& options) {
  m_stopping = {};
  m_told = std::make_shared<Told>();
  m_poll.start();
  m_task.run<Result<FetchedModel>>(
      [weights, options, told = m_told, asked = m_stopping.get_token()](std::stop_token gone) {
        const auto tell = [&told](const FetchProgress& progress) {
          const std::lock_guard lock(told->mutex);
          told->progress = progress;
        };
        const CombinedStopSource stop(asked, gone);
        return fetchModel(weights, options, tell, stop.token());
      },
      [this](const Result<FetchedModel>& fetched) {
        collect();
        m_poll.stop();
        Q_EMIT ended(fetched);
      });
}

void FetchJob::stop() {
  m_stopping.request_stop();
}

void FetchJob::collect() {
  std::optional<FetchProgress> progress;
  {
    const std::lock_guard lock(m_told->mutex);
    progress.swap(m_told->progress);
  }
  if (progress) Q_EMIT progressed(*progress);
}

}  // namespace headlight
