// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/MeasureBridge.h"

#include <QCoreApplication>
#include <QPointer>

#include <utility>

#include "ui/base/WorkerThread.h"
#include "ui/bridge/ModelWorker.h"

namespace headlight {

MeasureBridge::MeasureBridge(Document* document, ModelWorker* inference, int settleMs,
                             QObject* parent)
    : QObject(parent), m_document(document), m_inference(inference) {
  m_settled.setSingleShot(true);
  m_settled.setInterval(settleMs);
  connect(&m_settled, &QTimer::timeout, this, [this] { measure(); });
  connect(&m_task, &BackgroundTask::busyChanged, this, &MeasureBridge::changed);
}

void MeasureBridge::measureAnew() {
  m_anew = true;
  restart();
}

void MeasureBridge::forget() {
  m_task.cancel();
  m_progress = {};
  m_problem.clear();
}

/// Weights in training change every second, so caching them is useless.
CachePolicy MeasureBridge::keeping() {
  const bool anew = std::exchange(m_anew, false);
  if (m_inference->isLookingThroughTraining()) return {};
  return {m_shelf, anew ? CachePolicy::Use::Measured : CachePolicy::Use::KeptOrMeasured};
}

ProgressCallback MeasureBridge::teller() {
  // The job may outlive this object: the application carries its progress.
  return [self = QPointer(this)](const Progress& progress) {
    callInThread(QCoreApplication::instance(), [self, progress] {
      if (!self) return;
      self->m_progress = progress;
      Q_EMIT self->changed();
    });
  };
}

void MeasureBridge::takeError(const Error& error) {
  if (error.code != ErrorCode::Canceled) m_problem = QString::fromStdString(error.text());
}

}  // namespace headlight
