// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sequences/CompletionFiles.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>

#include "core/base/files/Files.h"
#include "core/workbench/sequences/SequenceImages.h"
#include "core/workbench/session/Images.h"
#include "ui/bridge/SequenceBridge.h"
#include "ui/document/Folders.h"
#include "ui/sequences/CompletionPage.h"
#include "ui/widgets/Dialogs.h"

namespace headlight {
namespace {

constexpr int kSavedSide = 256;  ///< approximate pixels of an image in a saved row

}  // namespace

void askForImageToComplete(QWidget* page, const std::function<void(const QString& path)>& take) {
  FileQuestion question;
  question.title = CompletionPage::tr("Image to complete");
  question.start = userImagesFolder();
  question.filter = CompletionPage::tr("%1;;All files (*)").arg(imageFilter());
  askForPath(page, question, take);
}

void askWhereToSaveCompletion(QWidget* page, const QString& imageName,
                              const std::function<void(const QString& path)>& take) {
  const QString name = QFileInfo(imageName).completeBaseName() + QStringLiteral("-completed.png");
  askWhereToSave(page, CompletionPage::tr("Save the completions"),
                 QDir(documentsFolder()).filePath(name), CompletionPage::tr("PNG (*.png)"), take);
}

Result<void> writeCompletion(const CompletedImage& image, const std::string& path) {
  return guarded(path, [&]() -> Result<void> {
    const int side = std::max({1, image.view.width, image.view.height});
    const int scale = std::clamp(kSavedSide / side, 1, 64);
    const auto bytes = encodePng(completionRow(image.view, image.kept, image.samples, scale));
    if (!bytes) return bytes.error();
    return writeFileAtomically(path, *bytes);
  });
}

}  // namespace headlight
