// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/Folders.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

#include "core/workbench/loading/MapFile.h"
#include "ui/document/Document.h"

namespace headlight {

QString documentsFolder() {
  const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  return QFileInfo(documents).isDir() ? documents : QDir::homePath();  // not every account has one
}

QString userImagesFolder() {
  const QString images = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation);
  return QFileInfo(images).isDir() ? images : documentsFolder();
}

namespace {

QString& rememberedFolder() {
  static QString folder;
  return folder;
}

}  // namespace

QString lastFigureFolder() {
  return rememberedFolder();
}

QString figureFolder() {
  const QString& last = rememberedFolder();
  if (!last.isEmpty() && QFileInfo(last).isDir()) return last;
  return userImagesFolder();
}

void rememberFigureFolder(const QString& path) {
  const QFileInfo file(path);
  rememberedFolder() = file.isDir() ? file.absoluteFilePath() : file.absolutePath();
}

void rememberWritten(const QString& path) {
  if (QFileInfo::exists(path)) rememberFigureFolder(path);
}

QString imageFolder(const Document& document) {
  QFileInfo file(document.inputs().imagePath());
  if (!file.exists())
    if (const auto place = parseMapPlace(document.inputs().imagePath().toStdString()))
      file = QFileInfo(QString::fromStdString(place->file.string()));
  const bool onDisk = document.inputs().imagePath().startsWith('/') && file.exists();
  return onDisk ? file.absolutePath() : documentsFolder();
}

}  // namespace headlight
