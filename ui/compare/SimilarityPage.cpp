// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/SimilarityPage.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/SimilarityBridge.h"
#include "ui/compare/SimilarityMatrix.h"
#include "ui/document/Document.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {
namespace {

enum Source { kThisImage, kDataSet };

QToolButton* quietButton(const char* name, const QString& text, const QString& tip,
                         QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setObjectName(QString::fromLatin1(name));
  button->setText(text);
  button->setToolTip(plainToolTip(tip));
  button->setAutoRaise(true);
  button->setFocusPolicy(Qt::StrongFocus);
  return button;
}

}  // namespace

SimilarityPage::SimilarityPage(Document* document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_source(new QComboBox(this)),
      m_state(new QLabel(this)),
      m_progress(new ProgressLine(tr("Progress of comparing layers"), this)),
      m_cancel(quietButton("similarityCancel", tr("Cancel"), tr("Back to this image"), this)),
      m_anew(
          quietButton("similarityAnew", tr("Measure Again"), tr("Ignore the saved result"), this)) {
  setObjectName(QStringLiteral("similarityPage"));
  m_source->setObjectName(QStringLiteral("similaritySource"));
  m_source->setAccessibleName(tr("Images over which layers are compared"));
  m_source->setToolTip(plainToolTip(
      tr("Compare on this image, or as the mean over the evaluation dataset (Ctrl+K, D)")));
  m_source->addItems({tr("This image"), tr("The dataset")});
  m_state->setObjectName(QStringLiteral("similarityState"));
  m_state->setTextFormat(Qt::PlainText);
  m_progress->setMaximumWidth(220);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  row->addWidget(m_source);
  row->addWidget(m_state, 1);
  row->addWidget(m_progress);
  row->addWidget(m_cancel);
  row->addWidget(m_anew);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(row);
  layout->addWidget(new SimilarityMatrix(document, this), 1);
  connect(&document->numbers(), &HeadNumberState::layersChanged, this, &SimilarityPage::refresh);
  refresh();
}

void SimilarityPage::setAverages(SimilarityBridge* bridge) {
  m_bridge = bridge;
  connect(bridge, &SimilarityBridge::changed, this, &SimilarityPage::refresh);
  connect(m_source, &QComboBox::activated, bridge,
          [bridge](int source) { bridge->average(source == kDataSet); });
  connect(m_cancel, &QToolButton::clicked, bridge, [bridge] { bridge->average(false); });
  connect(m_anew, &QToolButton::clicked, bridge, &SimilarityBridge::measureAnew);
  refresh();
}

QString SimilarityPage::stateText() const {
  return m_state->text();
}

QString SimilarityPage::describeState() const {
  const LayerNumbers& numbers = m_document->numbers().layers();
  if (!m_bridge || !m_bridge->canAverage())
    return tr("choose a dataset to average over (Ctrl+K, D)");
  if (!numbers.averaged) return {};
  if (!m_bridge->problem().isEmpty()) return m_bridge->problem();
  if (m_bridge->isDue()) return tr("measuring…");
  if (!numbers.values) return {};
  QString state = tr("mean of %1 images").arg(numbers.values->images);
  if (!numbers.values->measured.empty())
    state += QStringLiteral(", ") + coreText(measuredText(numbers.values->measured));
  return state;
}

void SimilarityPage::refresh() {
  const bool averaged = m_document->numbers().layers().averaged,
             due = m_bridge && m_bridge->isDue();
  m_source->setEnabled(m_bridge && m_bridge->canAverage());
  m_source->setCurrentIndex(averaged ? kDataSet : kThisImage);
  m_state->setText(describeState());
  m_state->setToolTip(plainToolTip(m_state->text()));
  m_progress->setVisible(averaged && due);
  if (due) m_progress->setProgress(m_bridge->progress());
  m_cancel->setVisible(averaged && due);
  m_anew->setVisible(averaged && !due && m_document->numbers().layers().values);
}

}  // namespace headlight
