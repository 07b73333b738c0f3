// SPDX-License-Identifier: GPL-3.0-or-later

// SequenceTrainPage, continued: its run, from beginning to end. What it is begun with and what it
// says are shown by the same labels and buttons as the settings.

#include <QLabel>
#include <QPushButton>

#include <cmath>

#include "ui/bridge/SequenceTrainingBridge.h"
#include "ui/plots/BitsPlot.h"
#include "ui/sequences/SequenceTrainPage.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {

namespace {

/// " · 12.3 steps/s · 412 MB"; what is not known is left out.
QString trainingPace(const SequenceReading& reading) {
  QString text;
  if (reading.stepsPerSecond > 0)
    text += QObject::tr(" · %1 steps/s")
                .arg(reading.stepsPerSecond, 0, 'f', reading.stepsPerSecond < 10 ? 2 : 0);
  if (reading.peakBytes > 0)
    text += QObject::tr(" · %1 MB").arg(QString::number(reading.peakBytes / 1'000'000));
  return text;
}

}  // namespace

void SequenceTrainPage::start() {
  check();
  if (!m_start->isEnabled() || m_folderState.holdsRun) return;
  m_plot->clear();
  begin();
  m_bridge->start(m_experiment, QString::fromStdString(folder().string()));
}

void SequenceTrainPage::resume() {
  if (m_bridge->isRunning() || !folderIsKnown() || !m_folderState.experiment) return;
  const QString path = QString::fromStdString(folder().string());
  // Its curve goes on where it is shown, and is read where it is not.
  const bool shown = m_usable == path && m_plot->train().size() > 0;
  if (!shown) m_plot->clear();
  begin();
  m_bridge->resume(*m_folderState.experiment, path, /*withHistory=*/!shown);
}

void SequenceTrainPage::begin() {
  m_outcome->clear();
  m_trainBits.reset();
  m_validationBits.reset();
  m_numbers->clear();
  m_usable.clear();
  m_progress->setBusy();
}

void SequenceTrainPage::onStateChanged() {
  if (m_bridge->isStopping())
    m_state->setText(tr("Stopping…"));
  else if (m_bridge->isRunning())
    m_state->setText(tr("Preparing…"));
  if (m_bridge->isRunning()) m_plot->setUnit(QLatin1String(m_bridge->experiment().unit()));
  check();
}

void SequenceTrainPage::onUpdated(const std::vector<SequenceReading>& readings) {
  for (const SequenceReading& reading : readings) {
    if (reading.validationBits) {
      m_validationBits = reading.validationBits;
      m_plot->addValidation(reading.step, *reading.validationBits);
    } else if (!reading.validating) {
      m_trainBits = reading.trainBits;
      m_plot->addStep(reading.step, reading.trainBits);
    }
  }
  const SequenceReading& last = readings.back();
  m_progress->setProgress({{}, last.step, last.steps, last.secondsLeft});
  if (!m_bridge->isStopping()) {
    const QString step = tr("Step %1 of %2").arg(last.step).arg(last.steps);
    m_state->setText(
        last.validating
            ? tr("%1, validating: %2 %").arg(step).arg(std::floor(100 * last.validationFraction))
            : step);
  }
  QStringList numbers;
  if (m_trainBits) numbers << tr("train %1").arg(*m_trainBits, 0, 'f', 3);
  if (m_validationBits) numbers << tr("validation %1").arg(*m_validationBits, 0, 'f', 3);
  m_numbers->setText(numbers.join(QStringLiteral(" · ")) + QLatin1Char(' ') +
                     QLatin1String(m_bridge->experiment().unit()) + trainingPace(last));
  if (isVisible()) m_plot->replot();  // else showEvent catches up
}

void SequenceTrainPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  m_plot->replot();
}

void SequenceTrainPage::onFinished(const std::shared_ptr<const SequenceOutcome>& outcome,
                                   const QString& error) {
  m_progress->clear();
  if (!outcome) {
    m_state->setText(tr("Failed"));
    m_outcome->setMessage(error, MessageLabel::Tone::Problem);
    return checkFolder();
  }
  m_state->setText(outcome->finished ? tr("Finished") : tr("Stopped"));
  QString text = outcome->finished
                     ? tr("Finished after %1 steps.")
                     : tr("Stopped after %1 steps, with a checkpoint to resume from.");
  text = text.arg(outcome->steps);
  if (outcome->bestBits)
    text += tr(" Best validation: %1 %2.")
                .arg(*outcome->bestBits, 0, 'f', 3)
                .arg(QLatin1String(m_bridge->experiment().unit()));
  m_outcome->setMessage(text, MessageLabel::Tone::Plain);
  if (!outcome->last.empty() || !outcome->best.empty()) m_usable = m_bridge->folder();
  // A run that was stopped is offered to be resumed; after a finished one comes another.
  outcome->finished ? newRun() : checkFolder();
}

}  // namespace headlight
