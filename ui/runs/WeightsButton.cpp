// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/WeightsButton.h"

#include <QMenu>

#include "ui/base/BackgroundTask.h"
#include "ui/base/Icons.h"

namespace headlight {
namespace {

QString checkpointText(const RunCheckpoint& checkpoint) {
  const std::string name = checkpoint.path.filename().string();
  if (checkpoint.epoch > 0) return WeightsButton::tr("After epoch %1").arg(checkpoint.epoch);
  return name.starts_with("best") ? WeightsButton::tr("With the &best validation")
                                  : WeightsButton::tr("The &last checkpoint");
}

}  // namespace

WeightsButton::WeightsButton(QWidget* parent)
    : QPushButton(tr("Open &Weights"), parent),
      m_menu(new QMenu(this)),
      m_reading(new BackgroundTask(this)),
      m_opening(new BackgroundTask(this)) {
  setObjectName(QStringLiteral("openRunWeights"));
  setIcon(lineIcon(QStringLiteral("weights")));
  setToolTip(tr("Open any checkpoint of the run"));
  setAutoDefault(false);
  setMenu(m_menu);
  setRun({});
  connect(m_menu, &QMenu::aboutToShow, this, &WeightsButton::read);
}

void WeightsButton::setRun(const QString& folder) {
  setEnabled(!folder.isEmpty());
  if (folder == m_run) return;
  m_run = folder;
  m_reading->cancel();
  m_menu->clear();
  if (!folder.isEmpty()) read();
}

void WeightsButton::read() {
  m_reading->run<std::vector<RunCheckpoint>>(
      [run = m_run.toStdString()](std::stop_token) { return checkpointsIn(run); },
      [this](const std::vector<RunCheckpoint>& kept) { fill(kept); });
}

void WeightsButton::fill(const std::vector<RunCheckpoint>& kept) {
  if (kept == m_kept && !m_menu->isEmpty()) return;  // it may be open
  m_kept = kept;
  m_menu->clear();
  for (const RunCheckpoint& checkpoint : kept)
    m_menu->addAction(checkpointText(checkpoint), this,
                      [this, path = QString::fromStdString(checkpoint.path.string())] {
                        Q_EMIT openRequested(path);
                      });
  if (kept.empty()) m_menu->addAction(tr("This run has no checkpoint yet"))->setEnabled(false);
}

void WeightsButton::openBest() {
  if (m_run.isEmpty()) return;
  m_opening->run<std::vector<RunCheckpoint>>(
      [run = m_run.toStdString()](std::stop_token) { return checkpointsIn(run); },
      [this](const std::vector<RunCheckpoint>& kept) {
        if (kept.empty()) return Q_EMIT nothingKept();
        Q_EMIT openRequested(QString::fromStdString(kept.front().path.string()));
      });
}

}  // namespace headlight
