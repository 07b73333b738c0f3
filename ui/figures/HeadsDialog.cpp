// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/HeadsDialog.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include "core/workbench/figures/HeadFigure.h"
#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/document/Folders.h"
#include "ui/document/ModelText.h"
#include "ui/figures/HeadPixmap.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

/// The metrics computed from maps and outputs of heads: all in one pass.
std::vector<HeadMetric> measuresOfPass() {
  std::vector<HeadMetric> measures;
  for (const HeadMeasureInfo& info : headMeasures())
    if (info.needsMaps || info.needsOutputs) measures.push_back(info.measure);
  return measures;
}

}  // namespace

HeadsDialog::HeadsDialog(const AveragesParts& parts, QWidget* parent)
    : AveragesDialog(parts, parent),
      m_measures(new QComboBox(this)),
      m_image(new QLabel(this)),
      m_caption(new QLabel(this)) {
  setObjectName(QStringLiteral("headsDialog"));
  setWindowTitle(tr("Heads by depth, over images"));
  m_measures->setObjectName(QStringLiteral("headsMeasure"));
  m_measures->setAccessibleName(tr("Head metric shown"));
  for (const HeadMetric measure : measuresOfPass()) {
    m_measures->addItem(coreText(findInfo(measure).title));
    m_measures->setItemData(m_measures->count() - 1, coreText(findInfo(measure).help),
                            Qt::ToolTipRole);
  }
  m_image->setAccessibleName(tr("Every head by depth"));
  m_caption->setObjectName(QStringLiteral("headsCaption"));
  m_caption->setTextFormat(Qt::PlainText);
  m_caption->setWordWrap(true);
  auto* row = new QHBoxLayout;
  row->addWidget(m_measures);
  row->addStretch();
  auto* area = new QScrollArea(this);
  area->setWidget(m_image);
  area->setAlignment(Qt::AlignCenter);
  area->setAccessibleName(tr("The figure"));
  body()->addLayout(row);
  body()->addWidget(area, 1);
  body()->addWidget(m_caption);
  resize(800, 620);
  finish();
  connect(m_measures, &QComboBox::currentIndexChanged, this, &HeadsDialog::draw);
  draw();
}

const HeadValues* HeadsDialog::shown() const {
  const auto index = static_cast<std::size_t>(m_measures->currentIndex());
  return index < m_heads.values.size() ? &m_heads.values[index] : nullptr;
}

QString HeadsDialog::captionText() const {
  if (!shown()) return tr("Press Measure.");
  QString text = tr("%1, masks %2; %3.")
                     .arg(modelTitle(document()->inputs().model()), displayName(m_masks),
                          displayName(fedText(m_heads.fed)));
  if (m_heads.fed.images < 2) return text;
  return text + QLatin1Char(' ') + tr("Bars: standard deviation over images.");
}

void HeadsDialog::draw() {
  const auto image = shown() ? headPixmap(*shown(), devicePixelRatioF()) : QPixmap();
  if (!image)
    status()->setMessage(QString::fromStdString(image.error().text()), MessageLabel::Tone::Problem);
  m_image->setPixmap(image ? *image : QPixmap());
  m_image->adjustSize();
  m_caption->setText(captionText());
  refresh();
}

void HeadsDialog::measure() {
  m_masks = QString::fromStdString(schemeTitle(document()->inputs().masks()));
  run<FedHeads>(
      [](InferenceSession& session, const ImageSource& feed, const MaskScheme& masks,
         const ProgressCallback& progress, std::stop_token stop) {
        return measureHeadMetrics(session, feed, masks, measuresOfPass(), progress, stop);
      },
      [this](const FedHeads& heads) {
        m_heads = heads;
        if (!heads.fed.unread.empty())
          status()->setMessage(QString::fromStdString(heads.fed.unread.front()),
                               MessageLabel::Tone::Problem);
        draw();
      });
}

void HeadsDialog::forget() {
  m_heads = {};
  draw();
}

void HeadsDialog::save() {
  askWhereToSaveHeads(this, *shown(), [this](const QString& path) { saveAs(path); });
}

void HeadsDialog::saveAs(const QString& path) {
  if (!shown()) return;
  status()->reportSaved(path, writeHeadFigure(path.toStdString(), *shown()));
  rememberWritten(path);
}

}  // namespace headlight
