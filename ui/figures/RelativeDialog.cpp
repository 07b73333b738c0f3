// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/RelativeDialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/document/Folders.h"
#include "ui/document/ModelText.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {

RelativeDialog::RelativeDialog(const AveragesParts& parts, QWidget* parent)
    : AveragesDialog(parts, parent),
      m_shows(new QComboBox(this)),
      m_showsLabel(new QLabel(tr("Sho&w"), this)),
      m_oneScale(new QCheckBox(tr("&One scale for all heads"), this)),
      m_view(new RelativeView(this)),
      m_place(new QLabel(this)),
      m_caption(new QLabel(this)) {
  setObjectName(QStringLiteral("relativeDialog"));
  setWindowTitle(tr("Attention by offset"));
  resize(760, 680);
  m_shows->setObjectName(QStringLiteral("relativeShows"));
  m_shows->setAccessibleName(tr("Quantity shown by offset"));
  m_showsLabel->setBuddy(m_shows);
  m_oneScale->setObjectName(QStringLiteral("relativeOneScale"));
  m_oneScale->setToolTip(plainToolTip(
      tr("One color scale over the values of all heads; otherwise each head has its own")));
  m_place->setObjectName(QStringLiteral("relativePlace"));
  m_caption->setObjectName(QStringLiteral("relativeCaption"));
  for (QLabel* label : {m_place, m_caption}) {
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
  }
  auto* row = new QHBoxLayout;
  row->addWidget(m_showsLabel);
  row->addWidget(m_shows);
  row->addWidget(m_oneScale);
  row->addStretch();
  auto* area = new QScrollArea(this);
  area->setWidget(m_view);
  area->setAccessibleName(tr("Maps by layer and head"));
  body()->addLayout(row);
  body()->addWidget(area, 1);
  body()->addWidget(m_place);
  body()->addWidget(m_caption);
  offer();
  finish();
  connect(m_shows, &QComboBox::currentIndexChanged, this, &RelativeDialog::showMaps);
  connect(m_oneScale, &QCheckBox::toggled, this, &RelativeDialog::showMaps);
  connect(m_view, &RelativeView::placeChanged, m_place, &QLabel::setText);
  showMaps();
}

/// Offers only the quantities that this model has.
void RelativeDialog::offer() {
  const QSignalBlocker quiet(m_shows);
  m_shows->clear();
  m_shows->addItem(tr("attention"), static_cast<int>(Shows::Attention));
  if (document()->inputs().hasModel() && hasGradientBiasing(document()->inputs().model())) {
    m_shows->addItem(tr("gradient with the mask"), static_cast<int>(Shows::Masked));
    m_shows->addItem(tr("gradient without the mask"), static_cast<int>(Shows::Unmasked));
    m_shows->addItem(tr("their ratio"), static_cast<int>(Shows::Ratio));
    for (int i = 1; i < m_shows->count(); ++i)
      m_shows->setItemData(i,
                           tr("Gradient biasing (IBiT §6.2): the mean magnitude of the loss's "
                              "gradient at the logits"),
                           Qt::ToolTipRole);
  }
  m_shows->setVisible(m_shows->count() > 1);
  m_showsLabel->setVisible(m_shows->count() > 1);
}

RelativeDialog::Shows RelativeDialog::shows() const {
  return static_cast<Shows>(m_shows->currentData().toInt());
}

RelativeView::Maps RelativeDialog::maps() const {
  if (shows() == Shows::Attention) return m_attention;
  if (!m_biasing) return nullptr;
  const RelativeMaps& maps = shows() == Shows::Masked     ? m_biasing->masked
                             : shows() == Shows::Unmasked ? m_biasing->unmasked
                                                          : m_biasing->ratio;
  return {m_biasing, &maps};
}

RelativeStyle RelativeDialog::style() const {
  RelativeStyle style;
  style.colorMap = document()->view().options().colorMap;
  style.oneScale = m_oneScale->isChecked();
  if (document()->inputs().hasModel()) {
    const QString model = modelTitle(document()->inputs().model());
    style.subject = tr("%1, masks %2").arg(model, m_masks).toStdString();
  }
  return style;
}

QString RelativeDialog::captionText() const {
  const auto present = maps();
  if (!present) return tr("Press Measure.");
  QString text = coreText(present->title) + QStringLiteral(", ") + displayName(style().subject) +
                 QStringLiteral(". ") + coreText(relativeCaption(*present, style()));
  text[0] = text[0].toUpper();
  if (shows() != Shows::Attention)
    text += QLatin1Char(' ') + coreText(lossText(*m_biasing)) + QLatin1Char('.');
  return text;
}

void RelativeDialog::showMaps() {
  m_view->setMaps(maps(), style());
  m_view->setVisible(maps() != nullptr);
  m_caption->setText(captionText());
  refresh();
}

void RelativeDialog::measure() {
  m_masks = QString::fromStdString(schemeTitle(document()->inputs().masks()));
  const auto unread = [this](const SourceCount& fed) {
    if (!fed.unread.empty())
      status()->setMessage(QString::fromStdString(fed.unread.front()), MessageLabel::Tone::Problem);
  };
  if (shows() == Shows::Attention)
    run<RelativeMaps>(&measureRelative, [this, unread](const RelativeMaps& maps) {
      m_attention = std::make_shared<const RelativeMaps>(maps);
      unread(maps.fed);
      showMaps();
    });
  else
    run<GradientBiasing>(&measureGradientBiasing, [this, unread](const GradientBiasing& biasing) {
      m_biasing = std::make_shared<const GradientBiasing>(biasing);
      unread(biasing.masked.fed);
      showMaps();
    });
}

void RelativeDialog::forget() {
  m_attention = nullptr;
  m_biasing = nullptr;
  offer();
  showMaps();
}

void RelativeDialog::save() {
  const QString name = shows() == Shows::Attention ? QStringLiteral("attention-by-offset.pdf")
                                                   : QStringLiteral("gradient-by-offset.pdf");
  askWhereToSave(this, tr("Save the figure"), QDir(figureFolder()).filePath(name),
                 tr("PDF (*.pdf);;SVG (*.svg);;PNG (*.png);;Numbers (*.csv)"),
                 [this](const QString& path) { saveAs(path); });
}

void RelativeDialog::saveAs(const QString& path) {
  const auto present = maps();
  if (!present) return;
  status()->reportSaved(path, writeRelativeFigure(path.toStdString(), *present, style()));
  rememberWritten(path);
}

}  // namespace headlight
