// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/FetchJob.h"

#include <mutex>
#include <optional>

#include "ui/base/CombinedStopSource.h"

namespace headlight {
namespace {

constexpr int kFetchPollMs = 100;

}  // namespace

/// Progress of the download since the last poll.
struct FetchJob::Reported {
  std::mutex mutex;
  std::optional<FetchProgress> progress;
};

FetchJob::FetchJob(QObject* parent) : QObject(parent), m_reported(std::make_shared<Reported>()) {
  m_poll.setInterval(kFetchPollMs);
  connect(&m_poll, &QTimer::timeout, this, &FetchJob::collect);
}

void FetchJob::start(const PublishedWeights& weights, const FetchOptions& options) {
  m_stopping = {};
  m_reported = std::make_shared<Reported>();
  m_poll.start();
  m_task.run<Result<FetchedModel>>(
      [weights, options, reported = m_reported,
       asked = m_stopping.get_token()](std::stop_token gone) {
        const auto notify = [&reported](const FetchProgress& progress) {
          const std::lock_guard lock(reported->mutex);
          reported->progress = progress;
        };
        const CombinedStopSource stop(asked, gone);
        return fetchModel(weights, options, notify, stop.token());
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
    const std::lock_guard lock(m_reported->mutex);
    progress.swap(m_reported->progress);
  }
  if (progress) Q_EMIT progressed(*progress);
}

}  // namespace headlight
