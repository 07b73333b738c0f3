// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sequences/SequenceWindow.h"

#include <QAbstractScrollArea>
#include <QCloseEvent>
#include <QDropEvent>
#include <QLineEdit>
#include <QMimeData>
#include <QShortcut>
#include <QTabWidget>
#include <QUrl>
#include <QVBoxLayout>

#include <filesystem>
#include <system_error>
#include <utility>

#include "core/workbench/loading/FileContent.h"
#include "core/workbench/session/Pictures.h"
#include "ui/base/BackgroundTask.h"
#include "ui/base/Icons.h"
#include "ui/bridge/SequenceBridge.h"
#include "ui/bridge/SequenceTrainingBridge.h"
#include "ui/sequences/CompletionPage.h"
#include "ui/sequences/SequenceMapsPage.h"
#include "ui/sequences/SequenceModelPage.h"
#include "ui/sequences/SequenceTrainPage.h"
#include "ui/training/RunFolders.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

/// A file dropped on a text field is for the window, not to be typed in.
void takeNoDropsIn(QWidget* parts) {
  for (auto* field : parts->findChildren<QLineEdit*>())
    field->setAcceptDrops(false);
  for (auto* area : parts->findChildren<QAbstractScrollArea*>()) {
    area->setAcceptDrops(false);
    area->viewport()->setAcceptDrops(false);
  }
}

enum class DroppedKind { Run, Folder, Config, Weights, Picture, Text };

bool nameEndsIn(const std::filesystem::path& path, const char* ending) {
  return QString::fromStdString(path.string()).endsWith(QLatin1String(ending), Qt::CaseInsensitive);
}

/// By its content; where that says nothing, by its name. A text that begins with a brace is a
/// config only if it is one.
DroppedKind droppedFileKind(const std::filesystem::path& path) {
  switch (contentOfFile(path)) {
    case FileContent::Checkpoint:
      return DroppedKind::Weights;
    case FileContent::Png:
    case FileContent::OtherPicture:
      return DroppedKind::Picture;
    case FileContent::Json:
      if (readSequenceExperiment(path)) return DroppedKind::Config;
      break;
    case FileContent::Video:
    case FileContent::Playlist:
      break;
    case FileContent::Unknown:
      if (hasImageExtension(path)) return DroppedKind::Picture;
      if (nameEndsIn(path, ".safetensors")) return DroppedKind::Weights;
      break;
  }
  return nameEndsIn(path, ".json") ? DroppedKind::Config : DroppedKind::Text;
}

/// Asks the disk.
DroppedKind droppedKind(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return droppedFileKind(path);
  const bool weights = std::filesystem::exists(path / "best.safetensors", ignored);
  return weights || holdsRun(path) ? DroppedKind::Run : DroppedKind::Folder;
}

QString droppedFile(const QMimeData* data) {
  for (const QUrl& url : data->urls())
    if (url.isLocalFile()) return url.toLocalFile();
  return {};
}

}  // namespace

SequenceWindow::SequenceWindow(Document* document, QWidget* parent)
    : QWidget(parent, Qt::Window),
      m_training(std::make_unique<SequenceTrainingBridge>()),
      m_bridge(std::make_unique<SequenceBridge>()),
      m_reader(new BackgroundTask(this)) {
  setObjectName(QStringLiteral("sequenceWindow"));
  setWindowTitle(tr("Sequence models"));
  setAccessibleName(windowTitle());
  setAcceptDrops(true);
  resize(1060, 680);
  m_tabs = new QTabWidget(this);
  m_tabs->setObjectName(QStringLiteral("sequenceTabs"));
  m_tabs->setAccessibleName(windowTitle());
  m_tabs->setDocumentMode(true);
  m_trainPage = new SequenceTrainPage(m_training.get(), m_tabs);
  m_modelPage = new SequenceModelPage(m_bridge.get(), document, m_tabs);
  m_tabs->addTab(m_trainPage, lineIcon(QStringLiteral("play")), tr("Train"));
  m_mapsPage = new SequenceMapsPage(m_bridge.get(), m_modelPage->completion(), m_tabs);
  m_tabs->addTab(m_modelPage, lineIcon(QStringLiteral("model")), tr("Complete and continue"));
  m_tabs->addTab(m_mapsPage, lineIcon(QStringLiteral("heads")), tr("Look"));
  m_tabs->setTabToolTip(0, tr("Train a sequence model on pictures or on a text"));
  m_tabs->setTabToolTip(1, tr("Complete pictures or continue text with a trained one"));
  m_tabs->setTabToolTip(2, tr("See where every head of a trained one looks"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->addWidget(m_tabs);
  takeNoDropsIn(m_tabs);
  gatherMessages();
  auto* close = new QShortcut(QKeySequence::Close, this);
  connect(close, &QShortcut::activated, this, &QWidget::close);
  auto* help = new QShortcut(QKeySequence::HelpContents, this);
  connect(help, &QShortcut::activated, this, &SequenceWindow::helpRequested);
  connect(m_trainPage, &SequenceTrainPage::useRequested, this, [this](const QString& folder) {
    showModel();
    m_modelPage->open(folder);
  });
  connect(m_training.get(), &SequenceTrainingBridge::finished, this, [this] {
    Q_EMIT trainingEnded();
    if (std::exchange(m_closing, false)) this->close();
  });
}

SequenceWindow::~SequenceWindow() {
  // Pages first: they read the bridges until they are gone. Then the bridges join their threads.
  delete m_tabs;
}

/// But for what is wrong with a form that is being filled in: that is no event.
void SequenceWindow::gatherMessages() {
  for (auto* label : m_tabs->findChildren<MessageLabel*>())
    if (label->objectName() != QStringLiteral("sequenceError"))
      connect(label, &MessageLabel::said, this, [this](const QString& text, auto tone) {
        if (tone != MessageLabel::Tone::Quiet)
          Q_EMIT told(text, tone == MessageLabel::Tone::Problem);
      });
}

void SequenceWindow::showTraining() {
  m_tabs->setCurrentWidget(m_trainPage);
}

void SequenceWindow::showModel() {
  m_tabs->setCurrentWidget(m_modelPage);
}

bool SequenceWindow::isTraining() const {
  return m_training->isRunning();
}

void SequenceWindow::stopTraining() {
  m_training->stop();
}

void SequenceWindow::openPath(const QString& path) {
  if (looksLikeConfig(path.toStdString())) return openConfig(path);
  // A run is both to be used and to be resumed.
  if (!path.endsWith(QStringLiteral(".safetensors"), Qt::CaseInsensitive) &&
      contentOfFile(path.toStdString()) != FileContent::Checkpoint)
    m_trainPage->offerRun(path);
  showModel();
  m_modelPage->open(path);
}

void SequenceWindow::openConfig(const QString& path) {
  showTraining();
  m_reader->run<Result<SequenceExperiment>>(
      [path = path.toStdString()](std::stop_token) {
        return guarded(path, [&] { return readSequenceExperiment(path); });
      },
      [this](const Result<SequenceExperiment>& experiment) {
        if (experiment && !isTraining()) return m_trainPage->setExperiment(*experiment);
        dialogs().error(this, tr("The config was not opened"),
                        experiment
                            ? tr("A training is running. Stop it first, or wait for its end.")
                            : QString::fromStdString(experiment.error().text()));
      });
}

void SequenceWindow::closeEvent(QCloseEvent* event) {
  if (!m_training->isRunning()) {
    m_bridge->cancel();
    return event->accept();
  }
  event->ignore();
  if (m_closing) return;  // stopping; its end closes
  dialogs().confirm(this, tr("A training is running"),
                    tr("Closing stops it after the present step and writes a checkpoint, so that "
                       "it can be resumed from there."),
                    tr("Stop and close"), [this](bool yes) {
                      if (!yes) return;
                      if (!m_training->isRunning()) {
                        close();
                        return;
                      }
                      m_closing = true;
                      m_training->stop();
                    });
}

void SequenceWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (!droppedFile(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void SequenceWindow::dropEvent(QDropEvent* event) {
  const QString path = droppedFile(event->mimeData());
  if (path.isEmpty()) return;
  event->acceptProposedAction();
  m_reader->run<DroppedKind>(
      [path = path.toStdString()](std::stop_token) { return droppedKind(path); },
      [this, path](DroppedKind kind) {
        if (kind == DroppedKind::Folder || kind == DroppedKind::Text)
          return takeData([&](SequenceTrainPage& page) {
            kind == DroppedKind::Folder ? page.setPictures(path) : page.setTextFile(path);
          });
        if (kind == DroppedKind::Config) return openConfig(path);
        if (kind != DroppedKind::Picture) return openPath(path);
        showModel();
        m_modelPage->completion()->openPicture(path);
      });
}

void SequenceWindow::takeData(const std::function<void(SequenceTrainPage&)>& take) {
  if (m_trainPage->takesSettings()) {
    showTraining();
    return take(*m_trainPage);
  }
  dialogs().error(
      this, tr("The data was not taken"),
      isTraining() ? tr("A training is running. Stop it first, or wait for its end.")
                   : tr("The settings that are shown are those of a run. Choose New Run first."));
}

}  // namespace headlight
