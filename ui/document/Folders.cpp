#include "ui/document/Folders.h"

#include <QFileInfo>
#include <QStandardPaths>

#include "ui/document/Document.h"

namespace headlight {

QString documentsFolder() {
  return QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
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
  const QString pictures = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation);
  return QFileInfo(pictures).isDir() ? pictures : documentsFolder();
}

void rememberFigureFolder(const QString& path) {
  const QFileInfo file(path);
  rememberedFolder() = file.isDir() ? file.absoluteFilePath() : file.absolutePath();
}

QString pictureFolder(const Document& document) {
  const QFileInfo file(document.imagePath());
  const bool onDisk = document.imagePath().startsWith('/') && file.exists();
  return onDisk ? file.absolutePath() : documentsFolder();
}

}  // namespace headlight
