// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/teaching/TeachBridge.h"

#include <QCoreApplication>
#include <QPointer>

#include <utility>

#include "ui/base/WorkerThread.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/document/Document.h"

namespace headlight {

TeachBridge::TeachBridge(Document* document, ModelWorker* inference, QObject* parent)
    : QObject(parent), m_document(document), m_inference(inference) {
  m_settled.setSingleShot(true);
  m_settled.setInterval(kSettledMs);
  connect(&m_settled, &QTimer::timeout, this, &TeachBridge::measureEdit);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &TeachBridge::onModel);
  connect(&document->inputs(), &InferenceInputs::masksChanged, this, &TeachBridge::settle);
  connect(&m_task, &BackgroundTask::busyChanged, this, &TeachBridge::changed);
}

/// Results are of one backbone: another model has none, but for the one that was just taught, in
/// memory or from the file where it was saved.
void TeachBridge::onModel() {
  if (m_using) return;
  const auto saved = std::exchange(m_saved, {});
  if (!saved.empty() && m_document->inputs().model().weights == saved) return Q_EMIT changed();
  m_task.cancel();
  m_settled.stop();
  m_taught.reset();
  m_edited.reset();
  m_used = false;
  m_problem.clear();
  Q_EMIT changed();
}

void TeachBridge::teach(const AdaptRequest& request) {
  m_settled.stop();
  m_request = request;
  m_request.previous.reset();
  m_masks = m_document->inputs().masks();
  run(m_request, &TeachBridge::takeTaught);
}

void TeachBridge::stop() {
  m_settled.stop();
  m_task.cancel();
  m_progress = {};
  Q_EMIT changed();
}

void TeachBridge::run(const AdaptRequest& request, void (TeachBridge::*take)(const Known&)) {
  m_problem.clear();
  // The job may outlive this object: the application carries its progress.
  const ProgressCallback notify = [self = QPointer(this)](const Progress& progress) {
    callInThread(QCoreApplication::instance(), [self, progress] {
      if (!self || !self->isBusy()) return;
      self->m_progress = progress;
      Q_EMIT self->changed();
    });
  };
  m_task.run<Result<AdaptReport>>(
      [session = m_inference->session(), request, notify,
       masks = m_document->inputs().masks()](std::stop_token stop) -> Result<AdaptReport> {
        const auto open = session();
        if (!open) return Error{ErrorCode::Canceled, "no model is open", ""};
        return adapt(*open, masks, request, notify, stop);
      },
      [this, take](const Result<AdaptReport>& report) {
        m_progress = {};
        if (report)
          (this->*take)(std::make_shared<const AdaptReport>(*report));
        else if (report.error().code != ErrorCode::Canceled)
          m_problem = QString::fromStdString(report.error().text());
        Q_EMIT changed();
      });
}

void TeachBridge::takeTaught(const Known& report) {
  m_taught = report;
  m_edited.reset();
  m_used = false;
  Q_EMIT finished();
}

void TeachBridge::takeEdited(const Known& report) {
  m_edited = report;
}

void TeachBridge::settle() {
  if (!m_taught || m_using) return;
  m_task.cancel();
  m_progress = {};
  m_edited.reset();
  if (!m_following || m_document->inputs().masks() == m_masks)
    m_settled.stop();
  else
    m_settled.start();
  Q_EMIT changed();
}

void TeachBridge::setFollowing(bool on) {
  if (std::exchange(m_following, on) == on) return;
  if (!on) return stop();
  if (!m_edited) settle();
}

/// The same classifier under the new masks, and one fitted again.
void TeachBridge::measureEdit() {
  if (!m_taught || !m_document->inputs().canCompute()) return;
  AdaptRequest request = m_request;
  request.previous = m_taught->head;
  run(request, &TeachBridge::takeEdited);
}

void TeachBridge::use() {
  if (!m_taught || m_using) return;
  m_using = true;
  const auto data =
      m_request.classes.empty() ? std::optional(m_request.data) : std::optional<DataConfig>();
  m_inference->useHead(m_taught->head, data, [self = QPointer(this)](const QString& problem) {
    if (!self) return;
    self->m_using = false;
    self->m_used = problem.isEmpty();
    self->m_problem = problem;
    Q_EMIT self->changed();
  });
}

}  // namespace headlight
