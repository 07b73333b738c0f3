// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/HeadPixmap.h"

#include <QCoreApplication>
#include <QDir>

#include "core/workbench/figures/HeadFigure.h"
#include "ui/base/Images.h"
#include "ui/document/Folders.h"
#include "ui/widgets/Dialogs.h"

namespace headlight {
namespace {}  // namespace

Result<QPixmap> headPixmap(const HeadValues& values, double ratio) {
  const auto image = headFigure(values, ratio);
  if (!image) return image.error();
  QPixmap pixmap = QPixmap::fromImage(toQImage(*image));
  pixmap.setDevicePixelRatio(ratio);
  return pixmap;
}

void askWhereToSaveHeads(QWidget* parent, const HeadValues& values,
                         const std::function<void(const QString& path)>& save) {
  const QString name =
      QString::fromStdString(findInfo(values.measure).name) + QStringLiteral("-by-depth.pdf");
  askWhereToSave(parent, QObject::tr("Save the figure"), QDir(figureFolder()).filePath(name),
                 QObject::tr("PDF (*.pdf);;SVG (*.svg);;PNG (*.png);;Numbers (*.csv)"), save);
}

}  // namespace headlight
