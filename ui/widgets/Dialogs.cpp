// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/Dialogs.h"

#include <QApplication>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QRegularExpression>
#include <QTimer>

#include "ui/base/SanitizedText.h"

namespace headlight {
namespace {

/// The window that the person works in, if it belongs to `parent`: a question that belongs to the
/// window behind it gets no keys from a window manager.
QWidget* frontOf(QWidget* parent) {
  QWidget* active = QApplication::activeWindow();
  if (!active || !active->isVisible()) return parent;
  for (QWidget* above = active; above; above = above->parentWidget())
    if (above == parent) return active;
  return parent;
}

QMessageBox* makeBox(QMessageBox::Icon icon, const QString& title, const QString& text,
                     QMessageBox::StandardButton button, QWidget* parent) {
  auto* box = new QMessageBox(icon, displayName(title), shownText(title), button, frontOf(parent));
  box->setInformativeText(shownText(text));
  for (auto* label : box->findChildren<QLabel*>())
    label->setTextFormat(Qt::PlainText);
  return box;
}

void showError(QWidget* parent, const QString& title, const QString& text) {
  auto* box = makeBox(QMessageBox::Warning, title, text, QMessageBox::Ok, parent);
  box->setTextInteractionFlags(Qt::TextSelectableByMouse);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->open();
}

void askToConfirm(QWidget* parent, const QString& title, const QString& text, const QString& action,
                  std::function<void(bool)> answer) {
  auto* box = makeBox(QMessageBox::Question, title, text, QMessageBox::Cancel, parent);
  const auto* accept = box->addButton(action, QMessageBox::AcceptRole);
  box->setAttribute(Qt::WA_DeleteOnClose);
  QObject::connect(box, &QDialog::finished, box, [box, accept, answer = std::move(answer)] {
    answer(box->clickedButton() == accept);
  });
  box->open();
}

/// The start of a save is a proposed file: the folder is shown, the name filled in.
void proposeFile(QFileDialog* dialog, const FileQuestion& question) {
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(question.suffix);
  const QFileInfo proposed(question.start);
  dialog->setDirectory(proposed.absolutePath());
  dialog->selectFile(proposed.fileName());
}

/// So that typing replaces the proposed name. Qt selects it as the dialog opens, and lets go of it by
/// an event that waits by then; so this waits behind it. A dialog of the desktop has no such field.
void selectProposedName(QFileDialog* dialog) {
  auto* name = dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
  if (!name) return;
  name->setFocus();
  QTimer::singleShot(0, name, &QLineEdit::selectAll);
}

void askForFiles(QWidget* parent, const FileQuestion& question,
                 std::function<void(const QStringList&)> answer) {
  auto* dialog = new QFileDialog(frontOf(parent), question.title, question.start, question.filter);
  using Mode = FileQuestion::Mode;
  dialog->setFileMode(question.mode == Mode::OpenFile     ? QFileDialog::ExistingFile
                      : question.mode == Mode::OpenFiles  ? QFileDialog::ExistingFiles
                      : question.mode == Mode::OpenFolder ? QFileDialog::Directory
                                                          : QFileDialog::AnyFile);
  if (question.mode == Mode::OpenFolder) dialog->setOption(QFileDialog::ShowDirsOnly);
  if (question.mode == Mode::SaveFile) proposeFile(dialog, question);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  QObject::connect(dialog, &QDialog::finished, dialog,
                   [dialog, answer = std::move(answer)](int result) {
                     answer(result == QDialog::Accepted ? dialog->selectedFiles() : QStringList());
                   });
  dialog->open();
  if (question.mode == Mode::SaveFile) selectProposedName(dialog);
}

void showDialog(QDialog* dialog, std::function<void(int)> done) {
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  QObject::connect(dialog, &QDialog::finished, dialog, [done = std::move(done)](int result) {
    if (done) done(result);
  });
  dialog->open();
}

void showBeside(QDialog* dialog) {
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->show();
}

}  // namespace

QString imagePatterns() {
  return QStringLiteral(
      "*.jpg *.jpeg *.png *.webp *.bmp *.tif *.tiff *.ppm *.pgm *.pbm *.pnm *.heic *.heif *.avif "
      "*.jxl");
}

QString imageFilter() {
  return QObject::tr("Images (%1)").arg(imagePatterns());
}

Dialogs& dialogs() {
  static Dialogs current{showError, askToConfirm, askForFiles, showDialog, showBeside};
  return current;
}

void askToStop(QDialog* dialog, const QString& title, const QString& text,
               std::function<void()> stop) {
  dialogs().confirm(dialog, title, text, QObject::tr("Stop and Close"),
                    [dialog, stop = std::move(stop)](bool yes) {
                      if (!yes) return;
                      stop();
                      dialog->done(QDialog::Rejected);
                    });
}

void askForPath(QWidget* parent, const FileQuestion& question,
                std::function<void(const QString& path)> take) {
  dialogs().files(parent, question, [take = std::move(take)](const QStringList& paths) {
    if (!paths.isEmpty()) take(paths.front());
  });
}

void askWhereToSave(QWidget* parent, const QString& title, const QString& start,
                    const QString& filter, std::function<void(const QString& path)> take) {
  static const QRegularExpression ending(QStringLiteral("\\*\\.(\\w+)"));
  FileQuestion question;
  question.mode = FileQuestion::Mode::SaveFile;
  question.title = title;
  question.start = start;
  question.filter = filter;
  question.suffix = ending.match(filter).captured(1);
  askForPath(parent, question, std::move(take));
}

void askForFolder(QWidget* parent, const QString& title, const QString& start,
                  std::function<void(const QString& folder)> take) {
  FileQuestion question;
  question.mode = FileQuestion::Mode::OpenFolder;
  question.title = title;
  question.start = start;
  askForPath(parent, question, std::move(take));
}

}  // namespace headlight
