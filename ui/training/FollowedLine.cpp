// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/FollowedLine.h"

#include <QAction>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {
namespace {

constexpr int kFollowedSteps = 1000;  ///< of the bar

QLabel* plainLabel(const char* name, QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setObjectName(QString::fromLatin1(name));
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  return label;
}

QString percent(double share) {
  return QStringLiteral("%1 %").arg(100 * share, 0, 'f', 1);
}

QString ageText(double seconds) {
  if (seconds < 0) return QObject::tr("no log line yet");
  const QString age = seconds < 60 ? QObject::tr("%1 s").arg(static_cast<int>(seconds))
                                   : QString::fromStdString(formatDuration(seconds));
  return QObject::tr("newest log line %1 ago").arg(age);
}

QString stepsText(const RunMetrics& now) {
  QString text = QObject::tr("epoch %1/%2 · step %3").arg(now.epoch).arg(now.epochs).arg(now.step);
  return now.steps > 0 ? QObject::tr("%1 of %2").arg(text).arg(now.steps) : text;
}

QStringList numberTexts(const RunMetrics& now) {
  QStringList texts;
  if (std::isfinite(now.loss)) texts << QObject::tr("loss %1").arg(now.loss, 0, 'f', 4);
  if (std::isfinite(now.score))
    texts << QObject::tr("%1 %2 (best %3)")
                 .arg(coreText(now.scoreName), percent(now.score), percent(now.bestScore));
  if (std::isfinite(now.locality)) texts << QObject::tr("ALS %1").arg(now.locality, 0, 'f', 3);
  if (std::isfinite(now.learningRate))
    texts << QObject::tr("learning rate %1").arg(now.learningRate, 0, 'g', 3);
  if (std::isfinite(now.imagesPerSecond))
    texts << QObject::tr("%1 images/s")
                 .arg(now.imagesPerSecond, 0, 'f', now.imagesPerSecond < 10 ? 1 : 0);
  if (now.secondsRemaining >= 0) texts << remainingText(now.secondsRemaining);
  return texts;
}

}  // namespace

QString followedStateText(const RunStatus& standing) {
  const QString state = coreText(followedStateName(standing.state));
  return standing.certain ? state : QObject::tr("%1, as far as can be seen").arg(state);
}

double followedShare(const RunMetrics& numbers) {
  if (numbers.steps <= 0) return 0;
  return std::clamp(static_cast<double>(numbers.step) / static_cast<double>(numbers.steps), 0.0,
                    1.0);
}

FollowedLine::FollowedLine(QAction* stop, QWidget* parent)
    : QFrame(parent),
      m_state(plainLabel("followedState", this)),
      m_progress(new QProgressBar(this)),
      m_numbers(plainLabel("followedNumbers", this)),
      m_masks(plainLabel("followedMasks", this)),
      m_problem(new MessageLabel(this)) {
  setObjectName(QStringLiteral("followedLine"));
  setAccessibleName(tr("The followed run"));
  setFrameShape(QFrame::StyledPanel);
  setVisible(false);
  m_progress->setAccessibleName(tr("Progress of the followed run"));
  m_progress->setRange(0, kFollowedSteps);
  m_progress->setTextVisible(false);
  m_progress->setMaximumHeight(8);
  m_problem->setObjectName(QStringLiteral("followedProblem"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 3, 4, 3);
  layout->setSpacing(2);
  layout->addWidget(makeHead(stop));
  layout->addWidget(m_progress);
  layout->addWidget(m_numbers);
  layout->addWidget(m_masks);
  layout->addWidget(m_problem);
}

QWidget* FollowedLine::makeHead(QAction* stop) {
  auto* head = new QWidget(this);
  auto* layout = new QHBoxLayout(head);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_state, 1);
  m_open = new QPushButton(tr("Open Checkpoint"), head);
  m_open->setObjectName(QStringLiteral("openFollowed"));
  m_open->setToolTip(
      tr("Open the weights of the run's newest checkpoint in this window; the run is not changed"));
  connect(m_open, &QPushButton::clicked, this, &FollowedLine::openCheckpoint);
  layout->addWidget(m_open);
  auto* leave = new QToolButton(head);
  leave->setObjectName(QStringLiteral("train.stopFollowing.button"));
  leave->setDefaultAction(stop);
  leave->setToolButtonStyle(Qt::ToolButtonTextOnly);
  leave->setFocusPolicy(Qt::StrongFocus);
  layout->addWidget(leave);
  return head;
}

void FollowedLine::setStanding(const QString& folder, const RunStatus& standing,
                               bool hasCheckpoint) {
  QStringList parts{tr("Following “%1”").arg(displayName(QFileInfo(folder).fileName())),
                    followedStateText(standing)};
  if (standing.numbers.epochs > 0) parts << stepsText(standing.numbers);
  parts << ageText(standing.secondsSinceLine);
  m_state->setText(parts.join(QStringLiteral(" · ")));
  m_state->setToolTip(plainToolTip(QDir::toNativeSeparators(folder)));
  m_progress->setValue(static_cast<int>(followedShare(standing.numbers) * kFollowedSteps));
  m_numbers->setText(numberTexts(standing.numbers).join(QStringLiteral(" · ")));
  m_numbers->setVisible(!m_numbers->text().isEmpty());
  m_open->setVisible(hasCheckpoint);
  m_problem->setMessage(
      standing.problem ? shownText(QString::fromStdString(standing.problem->text())) : QString(),
      MessageLabel::Tone::Problem);
}

void FollowedLine::setMasks(const QString& text, const QString& edits) {
  m_masks->setText(text);
  m_masks->setToolTip(plainToolTip(edits));
  m_masks->setVisible(!text.isEmpty());
}

QString FollowedLine::text() const {
  return m_state->text();
}
QString FollowedLine::numbers() const {
  return m_numbers->text();
}
QString FollowedLine::masks() const {
  return m_masks->text();
}

}  // namespace headlight
