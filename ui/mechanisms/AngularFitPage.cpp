// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mechanisms/AngularFitPage.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

#include "core/workbench/figures/AngularFigure.h"
#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/plots/ErrorMapPlot.h"
#include "ui/plots/PanelsPlot.h"
#include "ui/widgets/LabeledFields.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"
#include "ui/widgets/ProgressTask.h"

namespace headlight {
namespace {

QSpinBox* fitNumberBox(const char* name, const QString& what, int low, int high, int value,
                       QWidget* parent) {
  auto* box = new QSpinBox(parent);
  box->setObjectName(QString::fromLatin1(name));
  box->setAccessibleName(what);
  box->setRange(low, high);
  box->setValue(value);
  return box;
}

}  // namespace

AngularFitPage::AngularFitPage(QWidget* parent)
    : QWidget(parent),
      m_target(new QComboBox(this)),
      m_hidden(
          fitNumberBox("fitHidden", tr("Hidden units"), 1, 1024, AngularFitOptions().hidden, this)),
      m_steps(fitNumberBox("fitSteps", tr("Steps"), 1, 100000, AngularFitOptions().steps, this)),
      m_seed(fitNumberBox("fitSeed", tr("Seed"), 0, 999999, 0, this)),
      m_start(new QPushButton(tr("&Fit"), this)),
      m_cancel(new QPushButton(tr("Cancel"), this)),
      m_state(new QLabel(this)),
      m_progress(new ProgressLine(tr("Progress of the fit"), this)),
      m_task(new ProgressTask(m_progress, this)),
      m_curves(new PanelsPlot(tr("degrees"), 0, 180, this)),
      m_losses(new PanelsPlot(tr("step"), 1, 10000, this)),
      m_errors(new ErrorMapPlot(this)) {
  setObjectName(QStringLiteral("angularFitPage"));
  m_target->setObjectName(QStringLiteral("fitTarget"));
  m_target->setAccessibleName(tr("Target of the fit"));
  m_target->addItem(tr("the whole kernel"));
  m_target->addItem(tr("the residual of the linear terms"));
  m_target->setToolTip(plainToolTip(
      tr("The whole kernel 1 − θ/π, or only the residual. For the residual, the fit shown is the "
         "linear terms plus the network, like attention with a depthwise convolution beside it.")));
  m_start->setObjectName(QStringLiteral("fitStart"));
  m_start->setToolTip(tr("Train the network (a few seconds)"));
  m_cancel->setObjectName(QStringLiteral("fitCancel"));
  m_cancel->setToolTip(tr("Stop and keep the previous result"));
  for (QPushButton* button : {m_start, m_cancel})
    button->setAutoDefault(false);
  m_state->setObjectName(QStringLiteral("fitState"));
  m_state->setTextFormat(Qt::PlainText);
  m_state->setWordWrap(true);
  m_curves->setObjectName(QStringLiteral("fitCurves"));
  m_curves->setAccessibleName(tr("The kernel and its fit"));
  m_losses->setObjectName(QStringLiteral("fitLosses"));
  m_losses->setAccessibleName(tr("Loss by step"));
  m_losses->setLogarithmic();
  auto* plots = new QGridLayout;
  plots->addWidget(m_curves, 0, 0);
  plots->addWidget(m_losses, 0, 1);
  plots->addWidget(m_errors, 1, 0, 1, 2);
  plots->setColumnStretch(0, 1);
  plots->setColumnStretch(1, 1);
  plots->setRowStretch(0, 1);
  plots->setRowStretch(1, 1);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(makeFields());
  layout->addWidget(m_state);
  layout->addLayout(plots, 1);
  connect(m_start, &QPushButton::clicked, this, &AngularFitPage::fit);
  connect(m_cancel, &QPushButton::clicked, this, &AngularFitPage::cancel);
  connect(m_task, &ProgressTask::busyChanged, this, &AngularFitPage::refresh);
  refresh();
}

QLayout* AngularFitPage::makeFields() {
  auto* row = new QHBoxLayout;
  addLabeledField(row, tr("&Learn"), m_target);
  addLabeledField(row, tr("&Hidden units"), m_hidden);
  addLabeledField(row, tr("&Steps"), m_steps);
  addLabeledField(row, tr("S&eed"), m_seed);
  row->addWidget(m_start);
  row->addWidget(m_cancel);
  row->addWidget(m_progress, 1);
  return row;
}

AngularFitOptions AngularFitPage::options() const {
  AngularFitOptions options;
  options.target = m_target->currentIndex() == 1 ? AngularTarget::Residual : AngularTarget::Kernel;
  options.hidden = m_hidden->value();
  options.steps = m_steps->value();
  options.seed = static_cast<std::uint64_t>(m_seed->value());
  return options;
}

bool AngularFitPage::isFitting() const {
  return m_task->isBusy();
}

void AngularFitPage::fit() {
  m_task->run<Result<AngularFit>>(
      [options = options()](const ProgressCallback& notify, std::stop_token stop) {
        return fitAngularKernel(options, notify, stop);
      },
      [this](const Result<AngularFit>& fitted) { take(fitted); });
  refresh();
}

void AngularFitPage::cancel() {
  m_task->cancel();
  refresh();
}

void AngularFitPage::take(const Result<AngularFit>& fitted) {
  if (!fitted) {
    m_state->setText(coreText(fitted.error().text()));
    return;
  }
  m_fit = *fitted;
  m_curves->setPanels({fitPanel(*m_fit)});
  m_losses->setAxisRange(1, std::max(2, m_fit->steps.back()));
  m_losses->setPanels({lossPanel(*m_fit)});
  m_errors->setFit(*m_fit);
  refresh();
  Q_EMIT changed();
}

void AngularFitPage::refresh() {
  const bool fitting = isFitting();
  m_start->setEnabled(!fitting);
  m_start->setText(m_fit ? tr("&Fit Again") : tr("&Fit"));
  m_cancel->setEnabled(fitting);
  for (QWidget* field : {static_cast<QWidget*>(m_target), static_cast<QWidget*>(m_hidden),
                         static_cast<QWidget*>(m_steps), static_cast<QWidget*>(m_seed)})
    field->setEnabled(!fitting);
  for (QWidget* plot : {static_cast<QWidget*>(m_curves), static_cast<QWidget*>(m_losses),
                        static_cast<QWidget*>(m_errors)})
    plot->setVisible(m_fit.has_value());
  m_state->setText(m_fit ? coreText(fitText(*m_fit))
                         : tr("A two-layer network learns the angular kernel from q·k: low "
                              "frequencies first, high frequencies last. Press Fit."));
}

void AngularFitPage::save(const QString& path, MessageLabel* status) const {
  if (m_fit) status->reportSaved(path, writeFit(path.toStdString(), *m_fit));
}

}  // namespace headlight
