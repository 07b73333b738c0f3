// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/SweepJob.h"

#include <mutex>
#include <optional>

#include "ui/base/CombinedStopSource.h"
#include "ui/widgets/ProgressTask.h"

namespace headlight {
namespace {

constexpr int kSweepPollMs = 250;

}  // namespace

/// The reports of the sweep since the last poll.
struct SweepJob::Reported {
  std::mutex mutex;
  std::optional<SweepReport> report;
  QString failure;
};

SweepJob::SweepJob(ProgressLine* line, QObject* parent)
    : QObject(parent), m_task(new ProgressTask(line, this)) {
  m_poll.setInterval(kSweepPollMs);
  connect(&m_poll, &QTimer::timeout, this, &SweepJob::collect);
}

SweepJob::~SweepJob() = default;

bool SweepJob::isRunning() const {
  return m_task->isBusy();
}

void SweepJob::start(const SweepPlan& plan, const std::filesystem::path& folder) {
  m_stopping = {};
  m_reported = std::make_shared<Reported>();
  m_poll.start();
  m_task->run<Result<SweepReport>>(
      [plan, folder, reported = m_reported, asked = m_stopping.get_token()](
          const ProgressCallback& progress, std::stop_token gone) {
        SweepObserver observer;
        observer.progress = progress;
        observer.table = [&reported](const SweepReport& report) {
          const std::lock_guard lock(reported->mutex);
          reported->report = report;
        };
        observer.failed = [&](const SweepRun& run, const Error& error) {
          const std::lock_guard lock(reported->mutex);
          reported->failure = QString::fromStdString(sweepRunName(plan, run) + ": " + error.text());
        };
        // Stop writes a checkpoint and reports it. When the dialog closes, nobody needs the report.
        const CombinedStopSource stop(asked, gone);
        return runSweep(plan, folder, {}, observer, stop.token());
      },
      [this](const Result<SweepReport>& report) { finish(report); });
}

void SweepJob::stop() {
  m_stopping.request_stop();
}

void SweepJob::collect() {
  std::optional<SweepReport> report;
  QString failure;
  {
    const std::lock_guard lock(m_reported->mutex);
    report.swap(m_reported->report);
    failure.swap(m_reported->failure);
  }
  if (!failure.isEmpty()) Q_EMIT runFailed(failure);
  if (report) Q_EMIT reported(*report);
}

void SweepJob::finish(const Result<SweepReport>& report) {
  collect();
  m_poll.stop();
  m_stopping = {};
  Q_EMIT ended(report);
}

}  // namespace headlight
