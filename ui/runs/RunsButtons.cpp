// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/RunsButtons.h"

#include <QPushButton>

#include "ui/base/Icons.h"
#include "ui/runs/WeightsButton.h"

namespace headlight {

RunsButtons::RunsButtons(QWidget* parent)
    : QDialogButtonBox(QDialogButtonBox::Close, parent), m_weights(new WeightsButton(this)) {
  m_best = add(tr("Open &Best Weights"), "openRunBest", "weights",
               tr("Open the weights with the best validation result in the window"));
  addButton(m_weights, QDialogButtonBox::ActionRole);
  m_follow = add(tr("&Follow"), "followRun", "play",
                 tr("Show the run's curves and weights in the window while it trains"));
  m_remove = add(tr("&Remove"), "removeRuns", "remove",
                 tr("Remove the selected runs from the list (Delete); the disk is not changed"));
  m_export =
      add(tr("&Export Table…"), "exportRuns", "export", tr("Save the table as sorted, as CSV"));
  connect(m_best, &QPushButton::clicked, this, &RunsButtons::openBest);
  connect(m_weights, &WeightsButton::openRequested, this, &RunsButtons::openRequested);
  connect(m_weights, &WeightsButton::nothingKept, this, &RunsButtons::nothingKept);
  connect(m_follow, &QPushButton::clicked, this, [this] { Q_EMIT followRequested(m_run); });
  connect(m_remove, &QPushButton::clicked, this, &RunsButtons::removeRequested);
  connect(m_export, &QPushButton::clicked, this, &RunsButtons::exportRequested);
}

QPushButton* RunsButtons::add(const QString& text, const char* name, const char* icon,
                              const QString& tip) {
  QPushButton* button = addButton(text, QDialogButtonBox::ActionRole);
  button->setObjectName(QString::fromLatin1(name));
  button->setIcon(lineIcon(QString::fromLatin1(icon)));
  button->setToolTip(tip);
  button->setAutoDefault(false);
  return button;
}

void RunsButtons::setChoice(const QString& one, bool any) {
  m_run = one;
  m_weights->setRun(one);
  m_best->setEnabled(!one.isEmpty());
  m_follow->setEnabled(!one.isEmpty());
  m_remove->setEnabled(any);
}

void RunsButtons::setListed(bool any) const {
  m_export->setEnabled(any);
}

void RunsButtons::openBest() {
  m_weights->openBest();
}

}  // namespace headlight
