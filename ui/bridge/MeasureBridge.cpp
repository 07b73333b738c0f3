// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/MeasureBridge.h"

#include <utility>

#include "ui/base/WorkerThread.h"
#include "ui/bridge/ModelWorker.h"

namespace headlight {

MeasureBridge::MeasureBridge(Document* document, ModelWorker* look, int settleMs, QObject* parent)
    : QObject(parent), m_document(document), m_look(look) {
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

/// Weights in training are others in a second: nobody would find them again.
Keeping MeasureBridge::keeping() {
  const bool anew = std::exchange(m_anew, false);
  if (m_look->isLookingThroughTraining()) return {};
  return {m_shelf, anew ? Keeping::Use::Measured : Keeping::Use::KeptOrMeasured};
}

ProgressCallback MeasureBridge::teller() {
  return [this](const Progress& progress) {
    inThreadOf(this, [this, progress] {
      m_progress = progress;
      Q_EMIT changed();
    });
  };
}

void MeasureBridge::takeError(const Error& error) {
  if (error.code != ErrorCode::Canceled) m_problem = QString::fromStdString(error.text());
}

}  // namespace headlight
