// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/ProgressTask.h"

#include "ui/widgets/ProgressLine.h"

namespace headlight {
namespace {

constexpr int kPollMs = 100;

}  // namespace

ProgressTask::ProgressTask(ProgressLine* line, QObject* parent)
    : QObject(parent), m_line(line), m_reported(std::make_shared<Reported>()) {
  m_poll.setInterval(kPollMs);
  connect(&m_poll, &QTimer::timeout, this, &ProgressTask::show);
  connect(&m_task, &BackgroundTask::busyChanged, this, [this](bool busy) {
    if (!busy) {
      m_poll.stop();
      m_line->clear();
    }
    Q_EMIT busyChanged(busy);
  });
}

ProgressTask::~ProgressTask() {
  m_task.disconnect(this);  // the line may be gone
  m_task.cancel();
}

ProgressCallback ProgressTask::begin() {
  m_reported = std::make_shared<Reported>();
  m_line->setBusy();
  m_poll.start();
  return [reported = m_reported](const Progress& progress) {
    const std::lock_guard lock(reported->mutex);
    reported->progress = progress;
    reported->any = true;
  };
}

void ProgressTask::show() {
  const std::lock_guard lock(m_reported->mutex);
  if (m_reported->any) m_line->setProgress(m_reported->progress);
}

}  // namespace headlight
