// SPDX-License-Identifier: GPL-3.0-or-later

// FigurePageDialog, continued: the files that a page leaves as and comes from.

#include <QDir>

#include "core/base/files/Files.h"
#include "ui/document/Folders.h"
#include "ui/figures/FigurePageDialog.h"
#include "ui/forms/ParameterForm.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressTask.h"

namespace headlight {

void FigurePageDialog::chooseWhereToSave() {
  askWhereToSave(this, tr("Export the page"), QDir(figureFolder()).filePath("figure-page.pdf"),
                 tr("PDF (*.pdf);;SVG (*.svg);;PNG, with the session (*.png)"),
                 [this](const QString& path) { save(path); });
}

void FigurePageDialog::save(const QString& path) {
  if (!m_form->isValid())
    return m_status->setMessage(m_form->firstError(), MessageLabel::Tone::Problem);
  m_status->setMessage(tr("Drawing…"));
  m_writer->run<Result<void>>(
      [job = job(), path, session = m_session ? m_session() : QByteArray()](
          const ProgressCallback& progress, std::stop_token stop) {
        return exportPage(job, path, session, progress, stop);
      },
      [this, path](const Result<void>& written) {
        m_status->tellSaved(path, written);
        rememberWritten(path);
      });
}

void FigurePageDialog::chooseDescription(bool toSave) {
  const QString start = QDir(figureFolder()).filePath("figure-page.json");
  const QString filter = tr("Figure page (*.json)");
  if (toSave)
    return askWhereToSave(this, tr("Save the page"), start, filter,
                          [this](const QString& path) { saveDescription(path); });
  FileQuestion question;
  question.title = tr("Open a page");
  question.start = figureFolder();
  question.filter = filter;
  askForPath(this, question, [this](const QString& path) { openDescription(path); });
}

void FigurePageDialog::saveDescription(const QString& path) {
  m_status->tellSaved(path, writeFileAtomically(path.toStdString(), pageToText(page())));
  rememberWritten(path);
}

void FigurePageDialog::openDescription(const QString& path) {
  const auto page = readFigurePage(path.toStdString());
  if (!page)
    return m_status->setMessage(QString::fromStdString(page.error().text()),
                                MessageLabel::Tone::Problem);
  setPage(*page);
  Q_EMIT pageChanged();
}

}  // namespace headlight
