// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/ReplayDialog.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/base/CombinedStopSource.h"
#include "ui/base/CoreText.h"
#include "ui/base/Icons.h"
#include "ui/forms/PathRow.h"
#include "ui/training/RunFolders.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"
#include "ui/widgets/ProgressTask.h"

namespace headlight {

ReplayDialog::ReplayDialog(const QString& run, QWidget* parent)
    : QDialog(parent),
      m_run(new PathRow({"replayRun",
                         tr("&Run"),
                         tr("Folder of the run"),
                         tr("A finished run. Its folder is only read"),
                         {},
                         "browseReplayRun",
                         tr("Browse…"),
                         {}},
                        this)),
      m_where(new QLabel(this)),
      m_progress(new ProgressLine(tr("Progress of the replay"), this)),
      m_task(new ProgressTask(m_progress, this)),
      m_status(new MessageLabel(this)) {
  setObjectName(QStringLiteral("replayDialog"));
  setWindowTitle(tr("Replay a run"));
  auto* layout = new QVBoxLayout(this);
  auto* about =
      new QLabel(tr("Trains the run's config again, with every mask edit at its step, and compares "
                    "the two last checkpoints bit by bit. The window stays usable."),
                 this);
  about->setWordWrap(true);
  about->setMinimumWidth(460);
  layout->addWidget(about);
  layout->addWidget(m_run);
  m_where->setObjectName(QStringLiteral("replayFolder"));
  layout->addWidget(m_where);
  layout->addWidget(m_progress);
  layout->addWidget(m_status);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  m_start = buttons->addButton(tr("Replay"), QDialogButtonBox::ActionRole);
  m_start->setObjectName(QStringLiteral("startReplay"));
  m_start->setIcon(lineIcon(QStringLiteral("play")));
  m_start->setDefault(true);
  m_stop = buttons->addButton(tr("Stop"), QDialogButtonBox::ActionRole);
  m_stop->setObjectName(QStringLiteral("stopReplay"));
  layout->addWidget(buttons);
  connect(m_start, &QPushButton::clicked, this, &ReplayDialog::start);
  connect(m_stop, &QPushButton::clicked, this, &ReplayDialog::stop);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(m_task, &ProgressTask::busyChanged, this, &ReplayDialog::refresh);
  connect(m_run, &PathRow::edited, this, &ReplayDialog::refresh);
  connect(m_run, &PathRow::browseRequested, this, [this] {
    askForFolder(this, tr("Run to replay"), this->run(), [this](const QString& path) {
      m_run->setPath(path);
      refresh();
    });
  });
  m_run->setPath(run);
  refresh();
}

QString ReplayDialog::run() const {
  return QString::fromStdString(typedFolder(m_run->path()).string());
}

bool ReplayDialog::isReplaying() const {
  return m_task->isBusy();
}

void ReplayDialog::refresh() {
  const bool idle = !isReplaying(), named = !m_run->path().trimmed().isEmpty();
  m_run->setEnabled(idle);
  m_start->setEnabled(idle && named);
  m_stop->setEnabled(!idle && !m_stopping.stop_requested());
  m_where->setText(named ? tr("The replay is trained in %1. An interrupted replay continues there")
                               .arg(QDir::toNativeSeparators(QString::fromStdString(
                                   makeReplayPath(run().toStdString()).string())))
                         : QString());
}

void ReplayDialog::start() {
  if (isReplaying()) return;
  m_stopping = {};
  m_status->setMessage(tr("Replaying…"));
  const std::filesystem::path run = this->run().toStdString();
  m_task->run<Result<ReplayReport>>(
      [run, asked = m_stopping.get_token()](const ProgressCallback& progress,
                                            std::stop_token gone) {
        // Stop writes a checkpoint and reports it. When the dialog closes, nobody needs the report.
        const CombinedStopSource stop(asked, gone);
        return replayRun(run, makeReplayPath(run), {{}, progress}, stop.token());
      },
      [this](const Result<ReplayReport>& report) { finish(report); });
  refresh();
}

void ReplayDialog::stop() {
  m_stopping.request_stop();
  if (isReplaying()) m_status->setMessage(tr("Stopping…"));
  refresh();
}

void ReplayDialog::finish(const Result<ReplayReport>& report) {
  m_stopping = {};
  refresh();
  if (report) {
    const QString text = coreText(replayText(*report));
    m_status->setMessage(text.left(1).toUpper() + text.mid(1) + QLatin1Char('.'),
                         report->same() ? MessageLabel::Tone::Plain : MessageLabel::Tone::Problem);
  } else if (report.error().code == ErrorCode::Canceled) {
    m_status->setMessage(tr("Stopped with a checkpoint. Press Replay to continue from it."));
  } else {
    m_status->setMessage(QString::fromStdString(report.error().text()),
                         MessageLabel::Tone::Problem);
  }
  Q_EMIT ended();
}

}  // namespace headlight
