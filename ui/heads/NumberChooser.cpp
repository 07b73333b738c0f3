// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heads/NumberChooser.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/HeadValuesBridge.h"
#include "ui/document/Document.h"

namespace headlight {

NumberChooser::NumberChooser(Document* document, HeadValuesBridge* bridge, QWidget* parent)
    : QWidget(parent), m_document(document), m_bridge(bridge) {
  setObjectName(QStringLiteral("numberChooser"));
  m_measure = new QComboBox(this);
  m_measure->setObjectName(QStringLiteral("headMeasure"));
  m_measure->setAccessibleName(tr("Head metric"));
  m_measure->setToolTip(plainToolTip(
      tr("The head metric that the heads and the matrix show; heads can be selected by it")));
  for (const HeadMeasureInfo& info : headMeasures()) {
    m_measure->addItem(coreText(info.title), static_cast<int>(info.measure));
    m_measure->setItemData(m_measure->count() - 1, plainToolTip(coreText(info.help)),
                           Qt::ToolTipRole);
  }
  m_averaged = new QToolButton(this);
  m_averaged->setObjectName(QStringLiteral("headAveraged"));
  m_averaged->setText(tr("over data"));
  m_averaged->setCheckable(true);
  m_averaged->setAutoRaise(true);
  m_averaged->setToolTip(
      plainToolTip(tr("On: averaged over the evaluation data. Off: for this image")));
  m_anew = new QToolButton(this);
  m_anew->setObjectName(QStringLiteral("headAnew"));
  m_anew->setText(tr("remeasure"));
  m_anew->setAutoRaise(true);
  m_anew->setToolTip(plainToolTip(tr("Measure these averages again and ignore cached results")));
  m_state = new QLabel(this);
  m_state->setObjectName(QStringLiteral("headMeasureState"));
  m_state->setTextFormat(Qt::PlainText);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(6, 2, 6, 2);
  layout->addWidget(m_measure);
  layout->addWidget(m_averaged);
  layout->addWidget(m_anew);
  layout->addWidget(m_state, 1);
  connect(m_measure, &QComboBox::activated, this, &NumberChooser::choose);
  connect(m_averaged, &QToolButton::toggled, this, &NumberChooser::choose);
  connect(m_anew, &QToolButton::clicked, bridge, &HeadValuesBridge::measureAnew);
  connect(bridge, &HeadValuesBridge::changed, this, &NumberChooser::refresh);
  connect(&document->numbers(), &HeadNumberState::changed, this, &NumberChooser::refresh);
  refresh();
}

void NumberChooser::choose() {
  if (m_reading) return;
  m_bridge->choose(static_cast<HeadMetric>(m_measure->currentData().toInt()),
                   m_averaged->isChecked());
}

void NumberChooser::refresh() {
  m_reading = true;
  const HeadNumbers& numbers = m_document->numbers().heads();
  m_measure->setCurrentIndex(m_measure->findData(static_cast<int>(numbers.measure)));
  m_averaged->setEnabled(m_bridge->canAverage());
  m_averaged->setChecked(numbers.averaged);
  m_reading = false;
  m_anew->setVisible(numbers.averaged && numbers.values && !numbers.values->measured.empty() &&
                     !m_bridge->isBusy());
  QString state = m_bridge->problem();
  if (state.isEmpty() && m_bridge->isBusy()) {
    const Progress& progress = m_bridge->progress();
    state = progress.total > 0 ? tr("%1 %").arg(100 * progress.done / progress.total)
                               : tr("measuring…");
  }
  if (state.isEmpty() && numbers.values) {
    QStringList said{coreText(numbers.values->note),
                     coreText(measuredText(numbers.values->measured))};
    said.removeAll(QString());
    state = said.join(QStringLiteral("; "));
  }
  m_state->setText(state);
  m_state->setToolTip(plainToolTip(state));
}

}  // namespace headlight
