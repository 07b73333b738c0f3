// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sequences/SequenceRunPanel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <cmath>

#include "ui/base/CoreText.h"
#include "ui/bridge/SequenceTrainingBridge.h"
#include "ui/plots/BitsPlot.h"
#include "ui/plots/PlotCommands.h"
#include "ui/widgets/IconButton.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {
namespace {

/// " · 12.3 steps/s · 412 MB", without unknown values.
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

SequenceRunPanel::SequenceRunPanel(SequenceTrainingBridge* bridge, QWidget* parent)
    : QWidget(parent),
      m_bridge(bridge),
      m_state(new QLabel(tr("No training yet"), this)),
      m_numbers(new QLabel(this)),
      m_progress(new ProgressLine(tr("Progress of the training"), this)),
      m_plot(new BitsPlot(this)) {
  m_state->setObjectName(QStringLiteral("sequenceState"));
  m_numbers->setObjectName(QStringLiteral("sequenceNumbers"));
  new PlotCommands(this, /*keys=*/false);  // the main window has the keys for its own plots
  m_outcome = new MessageLabel(this);
  m_outcome->setObjectName(QStringLiteral("sequenceOutcome"));
  m_use = iconButton(this, "useSequence", tr("&Use It"), "forward",
                     tr("Open the trained model to complete images or continue text"));
  layOut();
  connect(m_use, &QPushButton::clicked, this, [this] { Q_EMIT useRequested(m_usable); });
  connect(bridge, &SequenceTrainingBridge::stateChanged, this, &SequenceRunPanel::onStateChanged);
  connect(bridge, &SequenceTrainingBridge::updated, this, &SequenceRunPanel::onUpdated);
  connect(bridge, &SequenceTrainingBridge::finished, this, &SequenceRunPanel::onFinished);
}

void SequenceRunPanel::layOut() {
  auto* status = new QHBoxLayout;
  status->addWidget(m_state);
  status->addStretch(1);
  status->addWidget(m_numbers);
  auto* end = new QHBoxLayout;
  end->addWidget(m_outcome, 1);
  end->addWidget(m_use, 0, Qt::AlignRight | Qt::AlignBottom);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 0, 0, 0);
  layout->addLayout(status);
  layout->addWidget(m_progress);
  layout->addWidget(m_plot, 1);
  layout->addLayout(end);
}

bool SequenceRunPanel::showsRun(const QString& folder) const {
  return m_usable == folder && m_plot->train().size() > 0;
}

void SequenceRunPanel::begin(bool withCurve) {
  if (!withCurve) m_plot->clear();
  m_outcome->clear();
  m_trainBits.reset();
  m_validationBits.reset();
  m_numbers->clear();
  m_usable.clear();
  m_progress->setBusy();
}

void SequenceRunPanel::refreshUse() {
  m_use->setEnabled(!m_usable.isEmpty() && !m_bridge->isRunning());
}

void SequenceRunPanel::onStateChanged() {
  if (m_bridge->isStopping())
    m_state->setText(tr("Stopping…"));
  else if (m_bridge->isRunning())
    m_state->setText(tr("Preparing…"));
  if (m_bridge->isRunning()) m_plot->setUnit(coreText(m_bridge->experiment().unit()));
}

void SequenceRunPanel::onUpdated(const std::vector<SequenceReading>& readings) {
  for (const SequenceReading& reading : readings)
    take(reading);
  const SequenceReading& last = readings.back();
  m_progress->setProgress({{}, last.step, last.steps, last.secondsLeft});
  if (!m_bridge->isStopping()) {
    const QString step = tr("Step %1 of %2").arg(last.step).arg(last.steps);
    m_state->setText(
        last.validating
            ? tr("%1, validating: %2 %").arg(step).arg(std::floor(100 * last.validationFraction))
            : step);
  }
  showNumbers(last);
  if (isVisible()) m_plot->replot();  // else showEvent catches up
}

void SequenceRunPanel::take(const SequenceReading& reading) {
  if (reading.validationBits) {
    m_validationBits = reading.validationBits;
    m_plot->addValidation(reading.step, *reading.validationBits);
  } else if (!reading.validating) {
    m_trainBits = reading.trainBits;
    m_plot->addStep(reading.step, reading.trainBits);
  }
}

void SequenceRunPanel::showNumbers(const SequenceReading& last) {
  QStringList numbers;
  if (m_trainBits) numbers << tr("train %1").arg(*m_trainBits, 0, 'f', 3);
  if (m_validationBits) numbers << tr("validation %1").arg(*m_validationBits, 0, 'f', 3);
  m_numbers->setText(numbers.join(QStringLiteral(" · ")) + QLatin1Char(' ') +
                     coreText(m_bridge->experiment().unit()) + trainingPace(last));
}

void SequenceRunPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  m_plot->replot();
}

QString SequenceRunPanel::outcomeText(const SequenceOutcome& outcome) const {
  QString text = outcome.finished ? tr("Finished after %1 steps.")
                                  : tr("Stopped after %1 steps, with a checkpoint to resume from.");
  text = text.arg(outcome.steps);
  if (outcome.bestBits)
    text += tr(" Best validation: %1 %2.")
                .arg(*outcome.bestBits, 0, 'f', 3)
                .arg(coreText(m_bridge->experiment().unit()));
  return text;
}

void SequenceRunPanel::onFinished(const std::shared_ptr<const SequenceOutcome>& outcome,
                                  const QString& error) {
  m_progress->clear();
  if (!outcome) {
    m_state->setText(tr("Failed"));
    m_outcome->setMessage(error, MessageLabel::Tone::Problem);
    return;
  }
  m_state->setText(outcome->finished ? tr("Finished") : tr("Stopped"));
  m_outcome->setMessage(outcomeText(*outcome), MessageLabel::Tone::Plain);
  if (!outcome->last.empty() || !outcome->best.empty()) m_usable = m_bridge->folder();
}

}  // namespace headlight
