#include "ui/document/Folders.h"

#include <QFileInfo>
#include <QStandardPaths>

#include "ui/document/Document.h"

namespace headlight {

QString documentsFolder() {
  return QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
}

QString pictureFolder(const Document& document) {
  const QFileInfo file(document.imagePath());
  const bool onDisk = document.imagePath().startsWith('/') && file.exists();
  return onDisk ? file.absolutePath() : documentsFolder();
}

}  // namespace headlight
