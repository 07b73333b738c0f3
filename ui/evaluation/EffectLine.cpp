// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/evaluation/EffectLine.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <cmath>

#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/MaskEffectBridge.h"
#include "ui/document/Document.h"
#include "ui/widgets/LabeledFields.h"

namespace headlight {
namespace {

constexpr int kEffectSteps = 1000;

QString signedNumber(double value, int decimals) {
  const QString number = QString::number(std::abs(value), 'f', decimals);
  if (number.toDouble() == 0) return QStringLiteral("±0");
  return (value > 0 ? QStringLiteral("+") : QStringLiteral("−")) + number;
}

std::int64_t imageCount(const SchemeResult& result) {
  return result.scores ? result.scores->images : static_cast<std::int64_t>(result.images.size());
}

QString scoreText(const QString& name, double share) {
  return QObject::tr("%1 %2 %").arg(name).arg(share * 100, 0, 'f', 1);
}

/// "top-1 81.3 %", "AP 40.1 %, AP50 60.2 %, AP75 41.0 %".
QString scoreTexts(const SchemeResult& result) {
  if (!result.scores) return scoreText(QObject::tr("top-1"), result.top1);
  QStringList texts;
  for (const NamedScore& score : result.scores->scores())
    texts << scoreText(coreText(score.name), score.value);
  return texts.join(QStringLiteral(", "));
}

}  // namespace

QString pointsChange(double share) {
  const QString number = signedNumber(share * 100, 1);
  return number == QStringLiteral("±0") ? number : number + QObject::tr(" points");
}

EffectLine::EffectLine(Document* document, MaskEffectBridge* bridge, QWidget* parent)
    : QWidget(parent), m_document(document), m_bridge(bridge) {
  setObjectName(QStringLiteral("effectLine"));
  setAccessibleName(tr("Effect of the masks on a dataset"));
  m_words = new QLabel(this);
  m_words->setObjectName(QStringLiteral("effectWords"));
  m_words->setTextFormat(Qt::PlainText);
  m_words->setWordWrap(true);
  m_progress = new QProgressBar(this);
  m_progress->setAccessibleName(tr("Progress of the measurement"));
  m_progress->setRange(0, kEffectSteps);
  m_progress->setTextVisible(false);
  m_progress->setMaximumHeight(4);
  const auto button = [this](const char* name, const QString& text, const QString& tip,
                             void (EffectLine::*signal)()) {
    auto* made = new QToolButton(this);
    made->setObjectName(QLatin1String(name));
    made->setText(text);
    made->setToolTip(tip);
    made->setAutoRaise(true);
    made->setFocusPolicy(Qt::StrongFocus);
    connect(made, &QToolButton::clicked, this, signal);
    return made;
  };
  m_images = button("effectImages", tr("Images…"), QString(), &EffectLine::imagesRequested);
  m_data = button("effectData", tr("Data…"),
                  tr("Choose the evaluation dataset and the number of images"),
                  &EffectLine::dataRequested);
  m_byNumber = button("effectByNumber", tr("Match by number"),
                      tr("Match the dataset's first class to the model's class 0, and so on"),
                      &EffectLine::byNumberRequested);
  m_classMap = button("effectClassMap", tr("Class map…"),
                      tr("Choose a file that maps dataset classes to model classes"),
                      &EffectLine::classMapRequested);
  auto* buttons = new QVBoxLayout;
  buttons->setSpacing(0);
  buttons->addWidget(m_byNumber);
  buttons->addWidget(m_classMap);
  buttons->addWidget(m_data);
  buttons->addWidget(m_images);
  buttons->addStretch(1);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 4, 0);
  row->addWidget(m_words, 1);
  row->addLayout(buttons);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 4);
  layout->setSpacing(2);
  layout->addLayout(row);
  layout->addWidget(m_progress);
  connect(bridge, &MaskEffectBridge::changed, this, &EffectLine::refresh);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &EffectLine::refresh);
  connect(&document->reference(), &ReferenceState::changed, this, &EffectLine::refresh);
  refresh();
}

QString EffectLine::text() const {
  return m_words->text();
}

QString EffectLine::presentText() const {
  const auto present = m_bridge->present();
  const QString data = displayName(m_bridge->sample()->data.dataset);
  if (!present) return tr("%1: measuring…").arg(data);
  QString numbers = tr("%1, %2 images: %3, loss %4")
                        .arg(data)
                        .arg(imageCount(*present))
                        .arg(scoreTexts(*present))
                        .arg(present->loss, 0, 'f', 3);
  if (present->classMatch.empty()) return numbers;
  return numbers + QLatin1Char('\n') + tr("classes %1").arg(displayName(present->classMatch));
}

QString EffectLine::changeText() const {
  QStringList parts;
  const auto effect = m_bridge->sinceReference();
  const auto present = m_bridge->present(), unmasked = m_bridge->unmasked();
  if (effect && m_document->reference().kind() != Reference::Unmasked) {
    parts << tr("%1 → now: %2, loss %3")
                 .arg(m_document->reference().describe(), pointsChange(effect->top1Rise),
                      signedNumber(effect->lossRise, 3));
    if (present && !present->scores) parts.back() += tr(", changed: %1").arg(effect->changed);
  }
  if (present && unmasked && m_document->inputs().masks().maskedHeads() > 0)
    parts << tr("no masks → now: %1, loss %2")
                 .arg(pointsChange(qualityOf(*present) - qualityOf(*unmasked)),
                      signedNumber(present->loss - unmasked->loss, 3));
  return parts.join(QLatin1Char('\n'));
}

/// Why there are no images to compare; empty: there are.
QString EffectLine::whyNoImages() const {
  if (!m_bridge->sample() || !m_document->inputs().canCompute())
    return tr("Choose evaluation data first");
  if (!m_bridge->present()) return tr("The images have not been measured yet");
  if (m_bridge->present()->scores) return tr("Only predictions of classifiers are compared");
  return {};
}

void EffectLine::refresh() {
  const bool measures = m_bridge->sample().has_value() && m_document->inputs().canCompute();
  m_data->setEnabled(m_document->inputs().canCompute());
  setUsable(m_images,
            tr("Show the images whose prediction changed and those whose loss increased most"),
            whyNoImages());
  m_progress->setVisible(m_bridge->isBusy());
  const auto present = measures ? m_bridge->present() : nullptr;
  const bool misfit = measures && m_bridge->isMisfit();
  m_words->setToolTip(present  ? plainToolTip(coreText(measuredText(present->measured)))
                      : misfit ? plainToolTip(m_bridge->problem())
                               : QString());
  for (QToolButton* wayOut : {m_byNumber, m_classMap})
    wayOut->setVisible(misfit);
  const Progress& progress = m_bridge->progress();
  m_progress->setValue(
      progress.total > 0 ? static_cast<int>(kEffectSteps * progress.done / progress.total) : 0);
  if (!measures)
    m_words->setText(tr("Choose a dataset to measure the effect of the masks."));
  else if (misfit)  // what can be done about it stands on the buttons, and in the tip
    m_words->setText(m_bridge->problem().section(QStringLiteral("; "), 0, 0));
  else if (!m_bridge->problem().isEmpty())
    m_words->setText(m_bridge->problem());
  else if (const QString change = changeText(); change.isEmpty())
    m_words->setText(presentText());
  else
    m_words->setText(presentText() + QLatin1Char('\n') + change);
}

}  // namespace headlight
