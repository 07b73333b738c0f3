#include "ui/figures/HeadFigureDialog.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/workbench/HeadFigure.h"
#include "ui/base/Dialogs.h"
#include "ui/base/Images.h"
#include "ui/base/MessageLabel.h"
#include "ui/document/Folders.h"

namespace headlight {

HeadFigureDialog::HeadFigureDialog(const HeadValues& values, const QString& subject,
                                   QWidget* parent)
    : QDialog(parent),
      m_values(values),
      m_picture(new QLabel(this)),
      m_status(new MessageLabel(this)) {
  setObjectName(QStringLiteral("headFigureDialog"));
  setWindowTitle(tr("Heads by depth"));
  m_picture->setAccessibleName(tr("Every head by depth"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  auto* save = buttons->addButton(tr("&Save…"), QDialogButtonBox::ActionRole);
  save->setToolTip(tr("As PDF, SVG or PNG, or the numbers as CSV"));
  save->setDefault(true);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(new QLabel(subject, this));
  layout->addWidget(m_picture, 1);
  layout->addWidget(m_status);
  layout->addWidget(buttons);
  connect(save, &QPushButton::clicked, this, &HeadFigureDialog::choosePath);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  draw();
}

void HeadFigureDialog::draw() {
  const double ratio = devicePixelRatioF();
  const auto image = headFigure(m_values, ratio);
  if (!image)
    return m_status->setMessage(QString::fromStdString(image.error().text()),
                                MessageLabel::Tone::Problem);
  QImage picture = toQImage(*image);
  picture.setDevicePixelRatio(ratio);
  m_picture->setPixmap(QPixmap::fromImage(picture));
}

void HeadFigureDialog::choosePath() {
  const QString name =
      QString::fromStdString(infoOf(m_values.measure).name) + QStringLiteral("-by-depth.pdf");
  askWhereToSave(this, tr("Save the figure"), QDir(figureFolder()).filePath(name),
                 tr("PDF (*.pdf);;SVG (*.svg);;PNG (*.png);;Numbers (*.csv)"),
                 [this](const QString& path) { save(path); });
}

void HeadFigureDialog::save(const QString& path) {
  m_status->tellSaved(path, writeHeadFigure(path.toStdString(), m_values));
  rememberWritten(path);
}

}  // namespace headlight
