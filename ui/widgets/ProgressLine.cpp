// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/ProgressLine.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>

namespace headlight {
namespace {

constexpr int kBarSteps = 1000;

}  // namespace

QString remainingText(double secondsRemaining) {
  if (secondsRemaining < 0) return {};
  return QObject::tr("ETA %1").arg(QString::fromStdString(formatDuration(secondsRemaining)));
}

ProgressLine::ProgressLine(const QString& what, QWidget* parent)
    : QWidget(parent), m_bar(new QProgressBar(this)), m_remaining(new QLabel(this)) {
  m_bar->setAccessibleName(what);
  m_bar->setToolTip(what);
  m_bar->setTextVisible(false);
  m_bar->setMaximumHeight(10);
  m_bar->setMinimumWidth(80);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_bar, 1);
  layout->addWidget(m_remaining);
  clear();
}

void ProgressLine::setProgress(const Progress& progress) {
  m_bar->setRange(0, kBarSteps);
  const double share =
      progress.total > 0 ? static_cast<double>(progress.done) / static_cast<double>(progress.total)
                         : 0;
  m_bar->setValue(static_cast<int>(kBarSteps * share));
  m_remaining->setText(remainingText(progress.secondsRemaining));
}

void ProgressLine::setBusy() {
  m_bar->setRange(0, 0);
  m_remaining->clear();
}

void ProgressLine::clear() {
  m_bar->setRange(0, kBarSteps);
  m_bar->setValue(0);
  m_remaining->clear();
}

}  // namespace headlight
