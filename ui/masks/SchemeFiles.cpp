// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/SchemeFiles.h"

#include <QFileInfo>
#include <QWidget>

#include "core/base/files/Files.h"
#include "core/config/Experiment.h"
#include "core/config/MasksJson.h"
#include "ui/base/BackgroundTask.h"
#include "ui/document/Document.h"
#include "ui/widgets/Dialogs.h"

namespace headlight {

SchemeFiles::SchemeFiles(Document* document, QWidget* asks)
    : QObject(asks), m_document(document), m_asks(asks), m_task(new BackgroundTask(this)) {}

void SchemeFiles::load(const QString& path) {
  if (!m_document->inputs().hasModel()) return;
  const MaskShape shape = m_document->inputs().masks().shape();
  m_task->run<Result<MaskScheme>>(
      [path = path.toStdString(), shape](std::stop_token) {
        return guarded(path, [&] { return masksFromNameOrFile(path, shape); });
      },
      [this, path](Result<MaskScheme> scheme) {
        const QString file = QFileInfo(path).fileName();
        if (!scheme)
          return Q_EMIT m_document->failed(tr("“%1” was not loaded").arg(file),
                                           QString::fromStdString(scheme.error().text()));
        auto edit = makeMaskEdit(m_document->inputs().masks(), *scheme,
                                 tr("scheme from %1").arg(file).toStdString());
        if (!edit)  // another model was opened meanwhile
          return Q_EMIT m_document->failed(tr("“%1” was not loaded").arg(file),
                                           QString::fromStdString(edit.error().text()));
        m_document->inputs().pushEdit(*edit);
        Q_EMIT m_document->message(edit->empty() ? tr("The masks already match “%1”.").arg(file)
                                                 : tr("Masks loaded from “%1”.").arg(file));
      });
}

void SchemeFiles::save(const QString& path) {
  if (!m_document->inputs().hasModel()) return;
  m_task->run<Result<void>>(
      [path = path.toStdString(),
       text = maskFileText(m_document->inputs().masks())](std::stop_token) {
        return guarded(path, [&] { return writeFileAtomically(path, text); });
      },
      [this, path](Result<void> written) {
        const QString file = QFileInfo(path).fileName();
        if (!written)
          return Q_EMIT m_document->failed(tr("“%1” was not saved").arg(file),
                                           QString::fromStdString(written.error().text()));
        Q_EMIT m_document->message(tr("Masks saved to “%1”.").arg(file));
      });
}

void SchemeFiles::chooseToLoad() {
  FileQuestion question;
  question.title = tr("Load mask scheme");
  question.filter = tr("Mask schemes and configs (*.json);;All files (*)");
  askForPath(m_asks, question, [this](const QString& path) { load(path); });
}

void SchemeFiles::chooseToSave() {
  askWhereToSave(m_asks, tr("Save mask scheme"), QStringLiteral("masks.json"),
                 tr("Mask schemes (*.json)"), [this](const QString& path) { save(path); });
}

}  // namespace headlight
