// SPDX-License-Identifier: GPL-3.0-or-later

// CompletionPage, continued: its controls, and the questions for files. Nearly every line of them
// sets a member or connects to one.

#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStandardPaths>
#include <QVBoxLayout>

#include <algorithm>

#include "core/base/files/Files.h"
#include "core/workbench/sequences/SequencePictures.h"
#include "core/workbench/session/Pictures.h"
#include "ui/base/BackgroundTask.h"
#include "ui/document/Document.h"
#include "ui/forms/ParameterForm.h"
#include "ui/sequences/CompletionPage.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/IconButton.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {
namespace {

constexpr int kSavedSide = 256;  ///< pixels of a picture in a saved row, about

/// The row of pictures, large enough to be looked at.
Result<void> writeCompletion(const CompletedPicture& picture, const std::string& path) {
  return guarded(path, [&]() -> Result<void> {
    const int side = std::max({1, picture.view.width, picture.view.height});
    const int scale = std::clamp(kSavedSide / side, 1, 64);
    const auto bytes = encodePng(completionRow(picture.view, picture.kept, picture.samples, scale));
    if (!bytes) return bytes.error();
    return writeFileAtomically(path, *bytes);
  });
}

}  // namespace

QWidget* CompletionPage::makeControls() {
  auto* column = new QWidget(this);
  column->setFixedWidth(kFormWidth);
  m_form = new ParameterForm(completionParameters(), QStringLiteral("completion"), column);
  m_form->setFilterVisible(false);
  connect(m_form, &ParameterForm::changed, this, [this] {
    showTiles();
    refreshControls();
  });
  m_progress = new ProgressLine(tr("Progress of the completion"), column);
  m_message = new MessageLabel(column);
  m_message->setObjectName(QStringLiteral("completionMessage"));
  auto* layout = new QVBoxLayout(column);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(makePictureRow(column));
  layout->addWidget(m_form, 1);
  layout->addWidget(m_progress);
  layout->addWidget(m_message);
  layout->addWidget(makeButtonRow(column));
  return column;
}

QWidget* CompletionPage::makePictureRow(QWidget* parent) {
  auto* group = new QWidget(parent);
  m_name = new QLabel(group);
  m_name->setObjectName(QStringLiteral("completionPicture"));
  m_name->setTextFormat(Qt::PlainText);
  m_choose = new QPushButton(tr("Choose Pict&ure…"), group);
  m_choose->setObjectName(QStringLiteral("choosePicture"));
  m_choose->setToolTip(tr("A picture from a file; the model sees its centre square"));
  m_ofWindow = new QPushButton(tr("From the &Window"), group);
  m_ofWindow->setObjectName(QStringLiteral("pictureOfWindow"));
  m_ofWindow->setToolTip(tr("The picture that is open on the canvas of the main window"));
  connect(m_choose, &QPushButton::clicked, this, &CompletionPage::choosePicture);
  connect(m_ofWindow, &QPushButton::clicked, this, &CompletionPage::takePictureOfWindow);
  connect(m_document, &Document::imageChanged, this, &CompletionPage::refreshControls);
  auto* layout = new QVBoxLayout(group);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* row = new QHBoxLayout;
  row->addWidget(m_choose);
  row->addWidget(m_ofWindow);
  layout->addLayout(row);
  layout->addWidget(m_name);
  return group;
}

QWidget* CompletionPage::makeButtonRow(QWidget* parent) {
  auto* row = new QWidget(parent);
  m_complete =
      iconButton(row, "complete", tr("&Complete"), "play", tr("Draw the rows that do not stay"));
  m_cancel = iconButton(row, "cancelCompletion", tr("Cance&l"), "stop",
                        tr("Stop drawing; nothing is kept"));
  m_save = iconButton(row, "saveCompletion", tr("&Save…"), "save",
                      tr("Save the row of pictures as PNG: original, what stays, completions"));
  connect(m_complete, &QPushButton::clicked, this, &CompletionPage::complete);
  connect(m_cancel, &QPushButton::clicked, m_bridge, &SequenceBridge::cancel);
  connect(m_save, &QPushButton::clicked, this, &CompletionPage::choosePng);
  layOutButtons(row, {m_complete, m_cancel, m_save});
  return row;
}

// --- Files -------------------------------------------------------------------------------------

void CompletionPage::choosePicture() {
  FileQuestion question;
  question.title = tr("Picture to complete");
  question.start = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation);
  question.filter =
      tr("Pictures (*.jpg *.jpeg *.png *.webp *.bmp *.tif *.tiff *.ppm *.pgm *.pbm "
         "*.pnm);;All files (*)");
  askForPath(this, question, [this](const QString& path) { openPicture(path); });
}

void CompletionPage::choosePng() {
  if (!m_completed) return;
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  // Those that were asked for: a model that arrives meanwhile takes its own picture.
  askWhereToSave(this, tr("Save the completions"),
                 QDir(folder).filePath(QFileInfo(m_pictureName).completeBaseName() +
                                       QStringLiteral("-completed.png")),
                 tr("PNG (*.png)"),
                 [this, picture = m_completed](const QString& path) { savePng(path, picture); });
}

void CompletionPage::savePng(const QString& path,
                             const std::shared_ptr<const CompletedPicture>& picture) {
  m_writer->run<Result<void>>(
      [path = path.toStdString(), picture](std::stop_token) {
        return writeCompletion(*picture, path);
      },
      [this, path](const Result<void>& written) { m_message->tellSaved(path, written); });
}

}  // namespace headlight
