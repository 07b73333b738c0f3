// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/GetModelDialog.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/base/CoreText.h"
#include "ui/base/Icons.h"
#include "ui/base/SanitizedText.h"
#include "ui/opening/FetchJob.h"
#include "ui/opening/WeightsList.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/LabeledFields.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"
#include "ui/widgets/Questions.h"

namespace headlight {

GetModelDialog::GetModelDialog(FetchOptions options, QWidget* parent)
    : QDialog(parent),
      m_options(std::move(options)),
      m_list(new WeightsList(this)),
      m_about(new QLabel(this)),
      m_rate(new QLabel(this)),
      m_progress(new ProgressLine(tr("Progress of the download"), this)),
      m_status(new MessageLabel(this)),
      m_job(new FetchJob(this)) {
  setObjectName(QStringLiteral("getModelDialog"));
  setWindowTitle(tr("Get a model"));
  resize(980, 620);
  m_about->setObjectName(QStringLiteral("weightsAbout"));
  m_rate->setObjectName(QStringLiteral("fetchRate"));
  m_status->setObjectName(QStringLiteral("fetchStatus"));
  for (QLabel* label : {m_about, m_rate}) {
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
  }
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(m_list, 1);
  layout->addWidget(m_about);
  layout->addWidget(m_progress);
  layout->addWidget(m_rate);
  layout->addWidget(m_status);
  makeButtons();
  connect(m_list, &WeightsList::currentChanged, this, &GetModelDialog::refresh);
  connect(m_list, &WeightsList::activated, this, [this] {
    if (m_open->isEnabled()) return open();
    if (m_download->isEnabled()) download();
  });
  connect(m_job, &FetchJob::progressed, this, &GetModelDialog::onProgress);
  connect(m_job, &FetchJob::ended, this, &GetModelDialog::onEnded);
  m_list->setFocus();
  refresh();
}

void GetModelDialog::makeButtons() {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  m_download = addDialogButton(buttons, tr("&Download"), "download",
                               tr("Download from the Hugging Face hub and check the file"));
  m_stop =
      addDialogButton(buttons, tr("S&top"), "stopDownload",
                      tr("The part downloaded so far is kept; the download continues next time"));
  m_open = addDialogButton(buttons, tr("&Open"), "openFetched", tr("Open the downloaded model"));
  m_stop->setIcon(lineIcon(QStringLiteral("stop")));
  connect(m_download, &QPushButton::clicked, this, &GetModelDialog::download);
  connect(m_stop, &QPushButton::clicked, this, &GetModelDialog::stop);
  connect(m_open, &QPushButton::clicked, this, &GetModelDialog::open);
  connect(buttons, &QDialogButtonBox::rejected, this, &GetModelDialog::reject);
  for (QPushButton* button : findChildren<QPushButton*>())
    button->setAutoDefault(false);  // Enter is the list's
  layout()->addWidget(buttons);
}

bool GetModelDialog::isDownloading() const {
  return m_job->isRunning();
}

void GetModelDialog::showEvent(QShowEvent* event) {
  QDialog::showEvent(event);
  findCached();
}

/// Away from the window's thread: the cache may lie on a slow drive.
void GetModelDialog::findCached() {
  auto all = publishedWeights();
  if (const PublishedWeights* other = m_list->current())
    all.push_back(*other);  // not listed, maybe
  m_looking.run<std::set<std::string>>(
      [options = m_options, all = std::move(all)](std::stop_token stop) {
        std::set<std::string> here;
        for (const PublishedWeights& weights : all)
          if (!stop.stop_requested() && fetchedAlready(weights, options)) here.insert(weights.name);
        return here;
      },
      [this](const std::set<std::string>& here) { m_list->setHere(here); });
}

void GetModelDialog::describe() {
  const PublishedWeights* weights = m_list->current();
  if (!weights) return m_about->setText(tr("Choose what to download."));
  const QString cache = QDir::toNativeSeparators(QString::fromStdString(m_options.cache.string()));
  if (weights->parameters == 0)
    return m_about->setText(tr("%1 on the hub: size and license are not known here. Saved to %2")
                                .arg(displayName(weights->repository), shownText(cache)));
  m_about->setText(tr("%1: about %2, license %3, images of %4 pixels. %5")
                       .arg(displayName(weights->name), displayName(sizeText(*weights)),
                            displayName(weights->license))
                       .arg(weights->imageSize)
                       .arg(m_list->isHere(*weights) ? tr("It is on this computer.")
                                                     : tr("Saved to %1").arg(shownText(cache))));
}

void GetModelDialog::refresh() {
  describe();
  const PublishedWeights* weights = m_list->current();
  const bool here = weights && m_list->isHere(*weights);
  m_download->setEnabled(canFetch() && weights && !here && !isDownloading());
  m_stop->setEnabled(isDownloading() && !m_job->isStopping());
  m_open->setEnabled(here);
  if (!canFetch())
    m_status->setMessage(tr("This build cannot download because it has no libcurl. Get models "
                            "with Python's huggingface_hub, and open them under Models on this "
                            "computer."),
                         MessageLabel::Tone::Problem);
}

void GetModelDialog::download() {
  const PublishedWeights* weights = m_list->current();
  if (!weights || isDownloading()) return;
  m_status->clear();
  m_progress->setBusy();
  m_job->start(*weights, m_options);
  refresh();
}

void GetModelDialog::stop() {
  m_job->stop();
  refresh();
}

void GetModelDialog::open() {
  const PublishedWeights* weights = m_list->current();
  if (!weights) return;
  const auto here = fetchedAlready(*weights, m_options);
  if (!here) return findCached();  // it is gone
  Q_EMIT openRequested(QString::fromStdString(here->folder.string()));
  if (!isDownloading()) accept();  // the opened model is shown
}

void GetModelDialog::onProgress(const FetchProgress& progress) {
  if (progress.progress.total > 0) m_progress->setProgress(progress.progress);
  m_rate->setText(coreText(fetchText(progress)));
}

void GetModelDialog::onEnded(const Result<FetchedModel>& fetched) {
  withdrawQuestions(this);
  m_progress->clear();
  m_rate->clear();
  if (fetched)
    say(*fetched);
  else if (fetched.error().code == ErrorCode::Canceled)
    m_status->setMessage(tr("Stopped. The part downloaded so far is kept; Download continues it."));
  else
    m_status->setMessage(shownText(QString::fromStdString(fetched.error().text())),
                         MessageLabel::Tone::Problem);
  refresh();
  Q_EMIT ended();
  if (m_closing) QDialog::reject();
  m_closing = false;
}

void GetModelDialog::say(const FetchedModel& fetched) {
  const QString note = shownText(coreText(fetched.note));
  m_status->setMessage(tr("%1 is on this computer and was checked. %2")
                           .arg(displayName(fetched.weights.name), note)
                           .trimmed(),
                       note.isEmpty() ? MessageLabel::Tone::Plain : MessageLabel::Tone::Problem);
  findCached();
}

void GetModelDialog::reject() {
  if (!isDownloading()) return QDialog::reject();
  dialogs().confirm(this, tr("A model is being downloaded"),
                    tr("Closing stops the download. The part downloaded so far is kept, and the "
                       "download continues next time."),
                    tr("Stop and Close"), [this](bool yes) {
                      if (!yes) return;
                      if (!isDownloading()) return QDialog::reject();
                      m_closing = true;
                      stop();
                    });
}

}  // namespace headlight
