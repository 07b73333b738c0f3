// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/RunImage.h"

#include <QFileInfo>
#include <QScopedValueRollback>

#include <utility>

#include "ui/base/SanitizedText.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/bridge/TrainingBridge.h"
#include "ui/document/Document.h"
#include "ui/workspace/Workspaces.h"

namespace headlight {

RunImage::RunImage(Document* document, TrainingBridge* training, ModelWorker* inference,
                   Workspaces* workspaces, QObject* parent)
    : QObject(parent),
      m_document(document),
      m_training(training),
      m_inference(inference),
      m_workspaces(workspaces) {
  connect(training, &TrainingBridge::stateChanged, this, &RunImage::onState);
  connect(training, &TrainingBridge::snapshotsWantedChanged, this, &RunImage::onWanted);
  connect(workspaces, &Workspaces::changed, this, &RunImage::refresh);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &RunImage::onModel);
  connect(inference, &ModelWorker::throughTrainingChanged, this, &RunImage::refreshNote);
}

bool RunImage::fits() const {
  const auto run = m_training->experiment();
  return run && m_document->inputs().hasModel() &&
         ModelWorker::canLookThrough(run->model, m_document->inputs().model().experiment.model);
}

void RunImage::onState() {
  const bool running = m_training->isRunning();
  if (running && !std::exchange(m_running, true)) m_declined = false;
  m_running = running;
  refresh();
}

/// Switched off by the user, or because the run's weights cannot be shown.
void RunImage::onWanted(bool wanted) {
  if (!m_changing) {
    m_own = false;
    m_declined = !wanted;
  }
  refreshNote();
}

/// Who opens a model wants to see it, and not the run's weights over it.
void RunImage::onModel() {
  if (m_own) {
    m_declined = true;
    want(false);
  }
  refresh();
}

void RunImage::refresh() {
  const bool here = m_workspaces->current() == Workspace::Train;
  if (m_own && !here) want(false);
  if (here && m_running && !m_declined && !m_training->snapshotsWanted() && fits()) want(true);
  refreshNote();
}

void RunImage::want(bool wanted) {
  const QScopedValueRollback changing(m_changing, true);
  m_own = wanted;
  m_training->setSnapshotsWanted(wanted);
}

void RunImage::refreshNote() {
  const bool other = m_workspaces->current() == Workspace::Train && m_running &&
                     !m_inference->isLookingThroughTraining();
  m_document->setRunNote(other ? tr("the open model, not run “%1”")
                                     .arg(displayName(QFileInfo(m_training->folder()).fileName()))
                               : QString());
}

}  // namespace headlight
