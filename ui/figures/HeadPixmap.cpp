// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/HeadPixmap.h"

#include <QCoreApplication>
#include <QDir>

#include "core/workbench/figures/HeadFigure.h"
#include "ui/base/Images.h"
#include "ui/document/Folders.h"
#include "ui/widgets/Dialogs.h"

namespace headlight {
namespace {

QString headText(const char* text) {
  return QCoreApplication::translate("HeadPixmap", text);
}

}  // namespace

Result<QPixmap> headPixmap(const HeadValues& values, double ratio) {
  const auto image = headFigure(values, ratio);
  if (!image) return image.error();
  QPixmap picture = QPixmap::fromImage(toQImage(*image));
  picture.setDevicePixelRatio(ratio);
  return picture;
}

void askWhereToSaveHeads(QWidget* parent, const HeadValues& values,
                         const std::function<void(const QString& path)>& save) {
  const QString name =
      QString::fromStdString(infoOf(values.measure).name) + QStringLiteral("-by-depth.pdf");
  askWhereToSave(parent, headText("Save the figure"), QDir(figureFolder()).filePath(name),
                 headText("PDF (*.pdf);;SVG (*.svg);;PNG (*.png);;Numbers (*.csv)"), save);
}

}  // namespace headlight
