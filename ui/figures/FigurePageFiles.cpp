// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/FigurePageFiles.h"

#include <QDir>

#include "core/base/files/Files.h"
#include "ui/document/Folders.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressTask.h"

namespace headlight {

FigurePageFiles::FigurePageFiles(ProgressLine* progress, MessageLabel* status, QWidget* dialog)
    : QObject(dialog),
      m_dialog(dialog),
      m_status(status),
      m_writer(new ProgressTask(progress, this)) {
  connect(m_writer, &ProgressTask::busyChanged, this, &FigurePageFiles::busyChanged);
}

void FigurePageFiles::askWhereToExport(const TakePath& take) {
  headlight::askWhereToSave(m_dialog, tr("Export the page"),
                            QDir(figureFolder()).filePath("figure-page.pdf"),
                            tr("PDF (*.pdf);;SVG (*.svg);;PNG, with the session (*.png)"), take);
}

void FigurePageFiles::askWhereToSave(const TakePath& take) {
  headlight::askWhereToSave(m_dialog, tr("Save the page"),
                            QDir(figureFolder()).filePath("figure-page.json"),
                            tr("Figure page (*.json)"), take);
}

void FigurePageFiles::askWhatToOpen(const TakePath& take) {
  FileQuestion question;
  question.title = tr("Open a page");
  question.start = figureFolder();
  question.filter = tr("Figure page (*.json)");
  askForPath(m_dialog, question, take);
}

void FigurePageFiles::exportPage(const PageJob& job, const QString& path) {
  m_status->setMessage(tr("Drawing…"));
  m_writer->run<Result<void>>(
      [job, path, session = m_session ? m_session() : QByteArray()](
          const ProgressCallback& progress, std::stop_token stop) {
        return headlight::exportPage(job, path, session, progress, stop);
      },
      [this, path](const Result<void>& written) {
        m_status->reportSaved(path, written);
        rememberWritten(path);
      });
}

void FigurePageFiles::save(const FigurePage& page, const QString& path) {
  m_status->reportSaved(path, writeFileAtomically(path.toStdString(), pageToText(page)));
  rememberWritten(path);
}

std::optional<FigurePage> FigurePageFiles::open(const QString& path) {
  const auto page = readFigurePage(path.toStdString());
  if (page) return *page;
  m_status->setMessage(QString::fromStdString(page.error().text()), MessageLabel::Tone::Problem);
  return std::nullopt;
}

bool FigurePageFiles::isBusy() const {
  return m_writer->isBusy();
}

void FigurePageFiles::cancel() {
  m_writer->cancel();
}

}  // namespace headlight
