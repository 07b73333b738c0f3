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

#include "core/workbench/loading/Input.h"
#include "core/workbench/session/Images.h"
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

/// Files dropped on a text field go to the window instead.
void takeNoDropsIn(QWidget* parts) {
  for (auto* field : parts->findChildren<QLineEdit*>())
    field->setAcceptDrops(false);
  for (auto* area : parts->findChildren<QAbstractScrollArea*>()) {
    area->setAcceptDrops(false);
    area->viewport()->setAcceptDrops(false);
  }
}

enum class DroppedKind { Run, Folder, Config, Weights, Image, Text };

bool nameEndsIn(const std::filesystem::path& path, const char* ending) {
  return QString::fromStdString(path.string()).endsWith(QLatin1String(ending), Qt::CaseInsensitive);
}

/// A text that begins with a brace is a config only if it parses as one or is named .json.
DroppedKind droppedFileKind(const Input& input) {
  if (input.isImage()) return DroppedKind::Image;
  if (input.holdsTensors() || input.kind == InputKind::Weights) return DroppedKind::Weights;
  const bool config = input.isJson() && readSequenceExperiment(input.path);
  return config || nameEndsIn(input.path, ".json") ? DroppedKind::Config : DroppedKind::Text;
}

/// Reads the disk.
DroppedKind droppedKind(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return droppedFileKind(identifyOrGuess(path));
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
  m_tabs->addTab(m_mapsPage, lineIcon(QStringLiteral("heads")), tr("Attention"));
  m_tabs->setTabToolTip(0, tr("Train a sequence model on images or on a text"));
  m_tabs->setTabToolTip(1, tr("Complete images or continue text with a trained model"));
  m_tabs->setTabToolTip(2, tr("Show the attention of every head of a trained model"));
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
  // Pages first, because they read the bridges. Then the bridges join their threads.
  delete m_tabs;
}

/// Except errors of a form that is being filled in.
void SequenceWindow::gatherMessages() {
  for (auto* label : m_tabs->findChildren<MessageLabel*>())
    if (label->objectName() != QStringLiteral("sequenceError"))
      connect(label, &MessageLabel::said, this, [this](const QString& text, auto tone) {
        if (tone != MessageLabel::Tone::Quiet)
          Q_EMIT reported(text, tone == MessageLabel::Tone::Problem);
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
  // At once: what is chosen while the path is being identified counts more than the run in it.
  m_trainPage->offerRun(path);
  m_reader->run<Input>(
      [path = path.toStdString()](std::stop_token) { return identifyOrGuess(path); },
      [this, path](const Input& input) {
        if (input.isJson()) return openConfig(path);
        openModel(path);
      });
}

void SequenceWindow::openModel(const QString& path) {
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
                            ? tr("A training is running. Stop it first, or wait until it ends.")
                            : QString::fromStdString(experiment.error().text()));
      });
}

void SequenceWindow::closeEvent(QCloseEvent* event) {
  if (!m_training->isRunning()) {
    m_bridge->cancel();
    return event->accept();
  }
  event->ignore();
  if (m_closing) return;  // stopping; its end closes the window
  dialogs().confirm(
      this, tr("A training is running"),
      tr("Closing stops it after the current step and writes a checkpoint to resume from."),
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
  m_trainPage->offerRun(path);
  m_reader->run<DroppedKind>(
      [path = path.toStdString()](std::stop_token) { return droppedKind(path); },
      [this, path](DroppedKind kind) {
        if (kind == DroppedKind::Folder || kind == DroppedKind::Text)
          return takeData([&](SequenceTrainPage& page) {
            kind == DroppedKind::Folder ? page.setImages(path) : page.setTextFile(path);
          });
        if (kind == DroppedKind::Config) return openConfig(path);
        if (kind != DroppedKind::Image) return openModel(path);
        showModel();
        m_modelPage->completion()->openImage(path);
      });
}

void SequenceWindow::takeData(const std::function<void(SequenceTrainPage&)>& take) {
  if (m_trainPage->takesSettings()) {
    showTraining();
    return take(*m_trainPage);
  }
  dialogs().error(this, tr("The data was not loaded"),
                  isTraining() ? tr("A training is running. Stop it first, or wait until it ends.")
                               : tr("The settings shown belong to a run. Choose New Run first."));
}

}  // namespace headlight
