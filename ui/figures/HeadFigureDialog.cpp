// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/HeadFigureDialog.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/workbench/figures/HeadFigure.h"
#include "ui/document/Folders.h"
#include "ui/figures/HeadPixmap.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {

HeadFigureDialog::HeadFigureDialog(const HeadValues& values, const QString& subject,
                                   QWidget* parent)
    : QDialog(parent),
      m_values(values),
      m_image(new QLabel(this)),
      m_status(new MessageLabel(this)) {
  setObjectName(QStringLiteral("headFigureDialog"));
  setWindowTitle(tr("Heads by depth"));
  m_image->setAccessibleName(tr("Every head by depth"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  auto* save = buttons->addButton(tr("&Save…"), QDialogButtonBox::ActionRole);
  save->setToolTip(tr("Save as PDF, SVG or PNG, or the numbers as CSV"));
  save->setDefault(true);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(new QLabel(subject, this));
  layout->addWidget(m_image, 1);
  layout->addWidget(m_status);
  layout->addWidget(buttons);
  connect(save, &QPushButton::clicked, this, &HeadFigureDialog::choosePath);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  draw();
}

void HeadFigureDialog::draw() {
  const auto image = headPixmap(m_values, devicePixelRatioF());
  if (!image)
    return m_status->setMessage(QString::fromStdString(image.error().text()),
                                MessageLabel::Tone::Problem);
  m_image->setPixmap(*image);
}

void HeadFigureDialog::choosePath() {
  askWhereToSaveHeads(this, m_values, [this](const QString& path) { save(path); });
}

void HeadFigureDialog::save(const QString& path) {
  m_status->reportSaved(path, writeHeadFigure(path.toStdString(), m_values));
  rememberWritten(path);
}

}  // namespace headlight
