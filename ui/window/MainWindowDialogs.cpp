// Commands that ask something first, or take a while.

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <QTabWidget>

#include "core/base/Files.h"
#include "ui/base/BackgroundTask.h"
#include "ui/base/Dialogs.h"
#include "ui/figures/FigureExport.h"
#include "ui/maps/CompareView.h"
#include "ui/opening/ModelDialog.h"
#include "ui/opening/Opener.h"
#include "ui/sequences/SequenceWindow.h"
#include "ui/training/ExportConfigDialog.h"
#include "ui/training/TrainDialog.h"
#include "ui/window/MainWindow.h"
#include "ui/window/StatusLine.h"

namespace headlight {
namespace {

QString documents() {
  return QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
}

/// The folder of the picture that is open, or the person's documents.
QString folderOf(const Document& document) {
  const QFileInfo file(document.imagePath());
  return document.imagePath().startsWith('/') && file.exists() ? file.absolutePath() : documents();
}

FigureKind figureOf(const QString& tab, const QWidget* page) {
  if (tab == QStringLiteral("heads")) return FigureKind::Heads;
  if (tab == QStringLiteral("rollout")) return FigureKind::Rollout;
  if (tab != QStringLiteral("compare")) return FigureKind::Canvas;
  const auto* compare = qobject_cast<const CompareView*>(page);
  return compare && compare->page() == CompareView::Page::Edit ? FigureKind::Comparison
                                                               : FigureKind::Similarity;
}

}  // namespace

void MainWindow::chooseFiles() {
  FileQuestion question;
  question.mode = FileQuestion::Mode::OpenFiles;
  question.title = tr("Open");
  question.start = folderOf(*m_document);
  question.filter =
      tr("All that Headlight opens (*.jpg *.jpeg *.png *.webp *.bmp *.tif *.tiff "
         "*.safetensors *.pth *.json);;Pictures (*.jpg *.jpeg *.png *.webp *.bmp "
         "*.tif *.tiff);;Checkpoints (*.safetensors *.pth);;Configs, masks and "
         "sessions (*.json);;All files (*)");
  dialogs().files(this, question, [this](const QStringList& paths) { openPaths(paths); });
}

void MainWindow::chooseFolder() {
  FileQuestion question;
  question.mode = FileQuestion::Mode::OpenFolder;
  question.title = tr("Open a folder of pictures, a dataset or a training run");
  question.start = folderOf(*m_document);
  dialogs().files(this, question, [this](const QStringList& paths) { openPaths(paths); });
}

void MainWindow::chooseModel() {
  auto* dialog = new ModelDialog(m_document.get(), this);
  dialogs().show(dialog, [this, dialog](int result) {
    if (result != QDialog::Accepted) return;
    if (dialog->isPublished()) {
      m_look->openModel(dialog->source());
      return;
    }
    const QString weights = QString::fromStdString(dialog->weights().string());
    m_look->createModel(dialog->experiment(), [this, weights] {
      if (!weights.isEmpty()) m_opener->loadWeights(weights);
    });
  });
}

void MainWindow::chooseWeights() {
  FileQuestion question;
  question.title = tr("Load weights");
  question.start = documents();
  question.filter = tr("Checkpoints (*.safetensors *.pth *.pt);;All files (*)");
  askForPath(this, question, [this](const QString& path) { m_opener->loadWeights(path); });
}

void MainWindow::saveWeights() {
  FileQuestion question;
  question.mode = FileQuestion::Mode::SaveFile;
  question.title = tr("Save weights");
  const QString name = QString::fromStdString(m_document->model().experiment.model.name);
  question.start = QDir(documents()).filePath(name + QStringLiteral(".safetensors"));
  question.filter = tr("safetensors (*.safetensors)");
  question.suffix = QStringLiteral("safetensors");
  askForPath(this, question, [this](const QString& path) { m_look->saveModel(path); });
}

void MainWindow::saveSessionAs() {
  FileQuestion question;
  question.mode = FileQuestion::Mode::SaveFile;
  question.title = tr("Save session");
  question.start = QDir(documents()).filePath(QStringLiteral("headlight-session.json"));
  question.filter = tr("Sessions (*.json)");
  question.suffix = QStringLiteral("json");
  askForPath(this, question, [this](const QString& path) {
    const QString error = m_keeper->saveTo(path);
    if (error.isEmpty())
      Q_EMIT m_document->message(tr("Saved %1").arg(QDir::toNativeSeparators(path)));
    else
      onFailed(tr("The session was not saved"), error);
  });
}

void MainWindow::openSessionFile() {
  FileQuestion question;
  question.title = tr("Open session");
  question.start = documents();
  question.filter = tr("Sessions (*.json *.png);;All files (*)");
  dialogs().files(this, question, [this](const QStringList& paths) { openPaths(paths); });
}

void MainWindow::exportFigure() {
  const FigureKind kind = figureOf(currentTab(), m_tabs->currentWidget());
  auto captured = captureFigure(*m_document, kind);
  if (!captured) {
    onFailed(tr("There is nothing to export"), QString::fromStdString(captured.error().text()));
    return;
  }
  FileQuestion question;
  question.mode = FileQuestion::Mode::SaveFile;
  question.title = tr("Export figure");
  question.start = QDir(folderOf(*m_document))
                       .filePath(QFileInfo(m_document->imageName()).completeBaseName() +
                                 QLatin1Char('-') + currentTab() + QStringLiteral(".png"));
  question.filter = tr("PNG, with the session (*.png);;SVG (*.svg);;PDF (*.pdf)");
  question.suffix = QStringLiteral("png");
  captured->session = sessionToText(sessionOf(*m_document));
  askForPath(this, question, [this, request = *captured](const QString& path) mutable {
    request.path = path;
    m_status->setActivity(tr("Drawing %1…").arg(QFileInfo(request.path).fileName()), false);
    m_writer->run<Result<void>>(
        [request](std::stop_token) { return writeFigure(request); },
        [this, path = request.path](Result<void> written) {
          showActivity();
          if (written)
            Q_EMIT m_document->message(tr("Saved %1").arg(QDir::toNativeSeparators(path)));
          else
            onFailed(tr("The figure was not saved"),
                     QString::fromStdString(written.error().text()));
        });
  });
}

void MainWindow::exportConfig(const Experiment& experiment, QWidget* parent) {
  auto* dialog = new ExportConfigDialog(experiment, parent);
  connect(dialog, &ExportConfigDialog::saved, this, [this](const QString& path) {
    Q_EMIT m_document->message(tr("Saved %1").arg(QDir::toNativeSeparators(path)));
  });
  dialogs().show(dialog, {});
}

SequenceWindow* MainWindow::showSequences() {
  if (!m_sequences) {
    m_sequences = new SequenceWindow(m_document.get(), this);
    connect(m_sequences, &SequenceWindow::trainingEnded, this, [this] {
      if (m_closing) close();
    });
    connect(m_sequences, &SequenceWindow::helpRequested, this,
            [this] { showHelp(QStringLiteral("sequences")); });
  }
  m_sequences->show();
  m_sequences->raise();
  m_sequences->activateWindow();
  return m_sequences;
}

void MainWindow::chooseTraining() {
  if (!m_document->hasModel() || m_training->isRunning()) return;
  auto* dialog = new TrainDialog(m_document.get(), trainingExperiment(), this);
  connect(dialog, &TrainDialog::exportRequested, this,
          [this, dialog](const Experiment& experiment) {
            rememberSettings(experiment);
            exportConfig(experiment, dialog);
          });
  dialogs().show(dialog, [this, dialog](int result) {
    if (result == QDialog::Accepted)
      startTraining(dialog->experiment(), QString::fromStdString(dialog->folder().string()));
  });
}

void MainWindow::chooseRunToResume() {
  askForFolder(this, tr("Resume a training run"), QString::fromStdString(runsFolder().string()),
               [this](const QString& folder) { m_training->resume(folder); });
}

void MainWindow::copyPicture() {
  QApplication::clipboard()->setPixmap(m_tabs->currentWidget()->grab());
  Q_EMIT m_document->message(tr("Copied"));
}

}  // namespace headlight
