// Who hears of what: the signals between the parts of the window.

#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QTabWidget>
#include <QUrl>

#include "ui/base/Dialogs.h"
#include "ui/base/MessageLog.h"
#include "ui/base/Theme.h"
#include "ui/opening/GalleryDock.h"
#include "ui/opening/Opener.h"
#include "ui/sequences/SequenceWindow.h"
#include "ui/training/TrainingDock.h"
#include "ui/window/MainWindow.h"
#include "ui/window/StatusLine.h"

namespace headlight {

void MainWindow::connectParts() {
  Document* document = m_document.get();
  connect(document, &Document::failed, this, &MainWindow::onFailed);
  for (const auto signal : {&Document::modelChanged, &Document::imageChanged,
                            &Document::masksChanged, &Document::viewChanged})
    connect(document, signal, this, &MainWindow::sessionChanged);
  for (const auto signal :
       {&Document::modelChanged, &Document::imageChanged, &Document::masksChanged})
    connect(document, signal, this, &MainWindow::updateTitle);
  for (const auto signal :
       {&Document::modelChanged, &Document::imageChanged, &Document::lookChanged})
    connect(document, signal, &m_enableTimer, qOverload<>(&QTimer::start));
  m_enableTimer.setSingleShot(true);
  m_enableTimer.setInterval(0);
  connect(&m_enableTimer, &QTimer::timeout, this, &MainWindow::updateCommands);
  connectLook();
  connectOpener();

  connect(m_galleryDock, &GalleryDock::chosen, m_opener, &Opener::openImage);
  connect(m_galleryDock, &GalleryDock::addRequested, this, &MainWindow::chooseFiles);
  connect(m_gallery.get(), &GalleryModel::rowsInserted, this, &MainWindow::sessionChanged);
  connect(m_gallery.get(), &GalleryModel::rowsRemoved, this, &MainWindow::sessionChanged);
  connect(m_tabs, &QTabWidget::currentChanged, this, &MainWindow::sessionChanged);
  connect(m_theme, &Theme::changed, this, &MainWindow::sessionChanged);
  connect(m_keeper.get(), &SessionKeeper::failed, this,
          [this](const QString& text) { onFailed(tr("The session cannot be saved"), text); });
  connect(m_log, &MessageLog::added, this, [this](LogLevel level, const QString& text) {
    if (level != LogLevel::Info)
      m_notices->add({level == LogLevel::Warning ? Notice::Level::Warning : Notice::Level::Error,
                      {},
                      text,
                      {},
                      {}});
  });
}

void MainWindow::connectLook() {
  connect(m_look.get(), &LookBridge::activityChanged, this, &MainWindow::showActivity);
  connect(m_look.get(), &LookBridge::openingFailed, this, [this] {
    if (!std::exchange(m_restoring, false)) return;
    if (m_restored) m_keeper->keepPrevious(*m_restored);
    if (!m_document->hasModel()) openDemo();
  });
  connect(m_look.get(), &LookBridge::computeDescribed, m_status,
          &StatusLine::setComputeDescription);
  connect(m_look.get(), &LookBridge::saved, this, [this](const QString& path) {
    Q_EMIT m_document->message(tr("Saved %1").arg(QDir::toNativeSeparators(path)));
  });
  connect(m_look.get(), &LookBridge::weightsLoaded, this,
          [this](const QString& path, const LoadReport& report) {
            Q_EMIT m_document->message(
                tr("Loaded %1: %2")
                    .arg(QFileInfo(path).fileName(), QString::fromStdString(report.summary())));
          });
  connect(m_status, &StatusLine::cancelRequested, this, [this] {
    m_look->cancelOpening();
    m_images->cancelInspections();
  });
}

void MainWindow::connectOpener() {
  connect(m_opener, &Opener::notice, m_notices, &NoticeBar::add);
  connect(m_opener, &Opener::sessionFound, this, [this](const Session& found, const QString& path) {
    restoreSession(found);
    m_notices->add({Notice::Level::Info,
                    {},
                    tr("The session of %1 was restored.").arg(QFileInfo(path).fileName()),
                    tr("Go back"),
                    [this] { restorePrevious(); }});
  });
  connect(m_opener, &Opener::settingsFound, this,
          [this](const Experiment& experiment) { m_settings = experiment; });
  connect(m_opener, &Opener::runFound, this, [this](const QString& folder) {
    dialogs().confirm(this, tr("Resume this training run?"), QDir::toNativeSeparators(folder),
                      tr("Resume"), [this, folder](bool yes) {
                        if (yes) m_training->resume(folder);
                      });
  });
  connect(m_opener, &Opener::sequenceFound, this,
          [this](const QString& path) { showSequences()->openPath(path); });
  connect(m_opener, &Opener::dataFound, this, [this](const QString& kind, const QString& folder) {
    m_settings = trainingExperiment();
    m_settings->data.dataset = kind.toStdString();
    m_settings->data.path = folder.toStdString();
    m_notices->add({Notice::Level::Info,
                    {},
                    tr("%1 can be trained on (%2).").arg(QFileInfo(folder).fileName(), kind),
                    tr("Train…"),
                    [this] { chooseTraining(); }});
  });
}

void MainWindow::connectTraining() {
  TrainingBridge* training = m_training.get();
  connect(m_trainingDock, &TrainingDock::startRequested, this, &MainWindow::chooseTraining);
  connect(m_trainingDock, &TrainingDock::exportRequested, this,
          [this](const Experiment& experiment) { exportConfig(experiment, this); });
  connect(m_trainingDock, &TrainingDock::openCheckpointRequested, this,
          [this](const QString& path) {
            ModelSource source;
            source.weights = path.toStdString();
            m_look->openModel(source);
          });
  connect(m_trainingDock, &TrainingDock::openFolderRequested, this,
          [](const QString& path) { QDesktopServices::openUrl(QUrl::fromLocalFile(path)); });
  connect(training, &TrainingBridge::snapshotsWantedChanged, this, [this](bool wanted) {
    if (!wanted) m_look->releaseTraining();
  });
  connect(training, &TrainingBridge::snapshotReady, this,
          [this](std::shared_ptr<const ModelSnapshot> snapshot) {
            const auto experiment = m_training->experiment();
            // Once is enough: the next one would be refused as well.
            if (experiment && !m_look->adopt(*experiment, std::move(snapshot)))
              m_training->setSnapshotsWanted(false);
          });
  connect(training, &TrainingBridge::stateChanged, this, &MainWindow::updateCommands);
  connect(training, &TrainingBridge::finished, this,
          [this](std::shared_ptr<const TrainingOutcome>, const QString& error) {
            if (!error.isEmpty()) onFailed(tr("The training ended"), error);
            if (m_closing) close();
          });
}

bool MainWindow::isTraining() const {
  return m_training->isRunning() || (m_sequences && m_sequences->isTraining());
}

void MainWindow::showActivity() {
  m_status->setActivity(m_look->activity(), m_look->isOpening());
  updateCommands();
}

void MainWindow::onFailed(const QString& title, const QString& text) {
  logInfo(title.toStdString() + ": " + text.toStdString());  // Help → Messages
  m_notices->add({Notice::Level::Error, title, text, {}, {}});
}

}  // namespace headlight
