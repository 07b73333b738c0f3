// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sequences/SequenceModelPage.h"

#include <QDir>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <utility>

#include "core/workbench/sequences/SequenceTraining.h"
#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/sequences/CompletionPage.h"
#include "ui/sequences/ContinuationPage.h"
#include "ui/training/RunFolders.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/IconButton.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {
namespace {

constexpr std::int64_t kScoredSequences = 64;

}  // namespace

QString sequenceModelSentence(const SequenceModelInfo& info) {
  const SequenceExperiment& experiment = info.experiment;
  const QLocale locale = QLocale::c();
  const QString data = experiment.ofImages()
                           ? QObject::tr("images of %1 × %1").arg(experiment.data.imageSize)
                           : QObject::tr("text");
  QString mechanism = displayName(experiment.model.mechanism);
  if (experiment.model.hasHeads())
    mechanism += QObject::tr(" with %1 heads").arg(experiment.model.heads);
  const double macs = static_cast<double>(sequenceCost(experiment).macs) / 1e9;
  // One arg() call: a name may contain "%3".
  return QObject::tr(
             "%1: %2, %3 blocks of %4 features, %5 bytes per sequence, %6 parameters, %7 GMACs; %8")
      .arg(displayName(experiment.name), mechanism, QString::number(experiment.model.depth),
           QString::number(experiment.model.width),
           locale.toString(static_cast<qlonglong>(experiment.length())),
           locale.toString(static_cast<qlonglong>(info.parameters)), QString::number(macs, 'g', 3),
           data);
}

SequenceModelPage::SequenceModelPage(SequenceBridge* bridge, Document* document, QWidget* parent)
    : QWidget(parent), m_bridge(bridge) {
  setObjectName(QStringLiteral("sequenceModelPage"));
  m_message = new MessageLabel(this);
  m_message->setObjectName(QStringLiteral("sequenceModelMessage"));
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(8);
  layout->addWidget(makeModelRow());
  layout->addWidget(m_message);
  m_stack = new QStackedWidget(this);
  auto* hint = new QLabel(
      tr("Open the folder of a run, or its weights. If you have none, train one first."), m_stack);
  hint->setAlignment(Qt::AlignCenter);
  hint->setWordWrap(true);
  hint->setForegroundRole(QPalette::PlaceholderText);
  m_stack->addWidget(hint);
  m_completion = new CompletionPage(bridge, document, m_stack);
  m_stack->addWidget(m_completion);
  m_continuation = new ContinuationPage(bridge, m_stack);
  m_stack->addWidget(m_continuation);
  layout->addWidget(m_stack, 1);
  connectBridge();
  refreshControls();
}

QWidget* SequenceModelPage::makeModelRow() {
  auto* row = new QWidget(this);
  m_model = new QLabel(tr("No sequence model is open"), row);
  m_model->setObjectName(QStringLiteral("sequenceModel"));
  m_model->setTextFormat(Qt::PlainText);
  m_model->setWordWrap(true);
  m_model->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_openRun =
      iconButton(row, "openSequenceRun", tr("Open &Run…"), "folder",
                 tr("Open the best weights of a run folder, or its last if it has no best"));
  m_openWeights = iconButton(row, "openSequenceWeights", tr("&Open Weights…"), "weights",
                             tr("Open a checkpoint of a sequence model (.safetensors)"));
  m_score = iconButton(
      row, "scoreSequence", tr("&Measure"), "info",
      tr("Measure the bits per byte on the model's validation data, on at most %1 sequences")
          .arg(kScoredSequences));
  connect(m_openRun, &QPushButton::clicked, this, &SequenceModelPage::chooseFolder);
  connect(m_openWeights, &QPushButton::clicked, this, &SequenceModelPage::chooseWeights);
  connect(m_score, &QPushButton::clicked, this, [this] {
    m_bridge->job() == SequenceBridge::Job::Scoring ? m_bridge->cancel()
                                                    : m_bridge->score(kScoredSequences);
  });
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_model, 1);
  for (QPushButton* button : {m_openRun, m_openWeights, m_score})
    layout->addWidget(button);
  return row;
}

void SequenceModelPage::connectBridge() {
  connect(m_bridge, &SequenceBridge::modelChanged, this, &SequenceModelPage::onModelChanged);
  connect(m_bridge, &SequenceBridge::jobChanged, this, &SequenceModelPage::onJobChanged);
  connect(m_bridge, &SequenceBridge::scored, this, &SequenceModelPage::onScored);
  connect(m_bridge, &SequenceBridge::openFailed, this, [this](const QString& text) {
    m_message->setMessage(tr("Not opened. %1").arg(text), MessageLabel::Tone::Problem);
  });
  connect(m_bridge, &SequenceBridge::progressed, this, &SequenceModelPage::onProgress);
  using Job = SequenceBridge::Job;
  connect(m_bridge, &SequenceBridge::canceled, this, [this](Job job) {
    if (job == Job::Scoring) m_message->setMessage(tr("Measuring was canceled."));
  });
  connect(m_bridge, &SequenceBridge::failed, this, [this](Job job, const QString& text) {
    if (job == Job::Scoring) m_message->setMessage(text, MessageLabel::Tone::Problem);
  });
  connect(m_completion, &CompletionPage::saidUnseen, m_message, &MessageLabel::setMessage);
}

void SequenceModelPage::onJobChanged() {
  if (std::exchange(m_refused, false)) m_message->clear();
  refreshControls();
}

void SequenceModelPage::onProgress(const Progress& progress) {
  if (m_bridge->job() != SequenceBridge::Job::Scoring) return;
  QString text = tr("Measuring: %1 of %2").arg(progress.done).arg(progress.total);
  const QString remaining = remainingText(progress.secondsRemaining);
  if (!remaining.isEmpty()) text += QStringLiteral(" · ") + remaining;
  if (m_refused)
    text += QStringLiteral(" · ") + tr("The model is busy. Cancel its current job first.");
  m_message->setMessage(text);
}

void SequenceModelPage::open(const QString& path) {
  if (m_bridge->isWorking()) {
    m_refused = true;
    m_message->setMessage(tr("The model is busy. Cancel its current job first."),
                          MessageLabel::Tone::Problem);
    return;
  }
  m_message->setMessage(tr("Opening %1…").arg(QDir::toNativeSeparators(path)));
  m_bridge->open(path);
}

void SequenceModelPage::onModelChanged() {
  const SequenceModelInfo& info = *m_bridge->model();
  m_model->setText(sequenceModelSentence(info));
  m_model->setToolTip(plainToolTip(QDir::toNativeSeparators(info.weights)));
  m_message->clear();
  QWidget* page = m_continuation;
  if (info.experiment.ofImages()) page = m_completion;
  m_stack->setCurrentWidget(page);
  refreshControls();
}

void SequenceModelPage::onScored(const SequenceScore& score) {
  QString text = tr("%1 %2 on %3 sequences of the validation data.")
                     .arg(score.bits, 0, 'f', 3)
                     .arg(coreText(m_bridge->model()->experiment.unit()))
                     .arg(score.sequences);
  if (score.skipped == 1) text += tr(" 1 image could not be read.");
  if (score.skipped > 1) text += tr(" %1 images could not be read.").arg(score.skipped);
  m_message->setMessage(text, MessageLabel::Tone::Plain);
}

void SequenceModelPage::refreshControls() {
  const bool busy = m_bridge->isBusy();
  const bool scoring = m_bridge->job() == SequenceBridge::Job::Scoring;
  m_openRun->setEnabled(!busy);
  m_openWeights->setEnabled(!busy);
  m_score->setEnabled(m_bridge->model() && (!busy || scoring));
  m_score->setText(scoring ? tr("Cancel &Measuring") : tr("&Measure"));
}

void SequenceModelPage::chooseFolder() {
  askForFolder(this, tr("Open a run of a sequence model"),
               QString::fromStdString(runsFolder().string()),
               [this](const QString& folder) { open(folder); });
}

void SequenceModelPage::chooseWeights() {
  FileQuestion question;
  question.title = tr("Open weights of a sequence model");
  question.start = QString::fromStdString(runsFolder().string());
  question.filter = tr("Checkpoints (*.safetensors);;All files (*)");
  askForPath(this, question, [this](const QString& path) { open(path); });
}

}  // namespace headlight
