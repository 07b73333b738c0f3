// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sequences/SequenceTrainPage.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include <utility>

#include "core/config/DatasetKinds.h"
#include "core/workbench/session/Datasets.h"
#include "ui/base/BackgroundTask.h"
#include "ui/bridge/SequenceTrainingBridge.h"
#include "ui/document/SequenceSettings.h"
#include "ui/forms/PathRow.h"
#include "ui/sequences/SequenceForms.h"
#include "ui/sequences/SequenceRunPanel.h"
#include "ui/training/RunFolders.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/IconButton.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

constexpr int kSequenceSettingsWidth = 420;

}  // namespace

SequenceTrainPage::SequenceTrainPage(SequenceTrainingBridge* bridge, QWidget* parent)
    : QWidget(parent),
      m_bridge(bridge),
      m_folderCheck(new BackgroundTask(this)),
      m_detect(new BackgroundTask(this)),
      m_offer(new BackgroundTask(this)),
      m_experiment(smallSequenceExperiment()) {
  setObjectName(QStringLiteral("sequenceTrainPage"));
  auto* splitter = new QSplitter(this);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(makeSettings());
  m_run = new SequenceRunPanel(bridge, this);
  splitter->addWidget(m_run);
  splitter->setStretchFactor(1, 1);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(splitter);
  connectForms();
  connect(m_run, &SequenceRunPanel::useRequested, this, &SequenceTrainPage::useRequested);
  // Connected after the panel, which shows the run's end first.
  connect(bridge, &SequenceTrainingBridge::stateChanged, this, &SequenceTrainPage::check);
  connect(bridge, &SequenceTrainingBridge::finished, this, &SequenceTrainPage::onFinished);
  connect(m_detect, &BackgroundTask::busyChanged, this, &SequenceTrainPage::check);
  proposeFolder();
  onSettingsChanged();
}

QWidget* SequenceTrainPage::makeSettings() {
  auto* column = new QWidget(this);
  column->setMinimumWidth(kSequenceSettingsWidth);
  m_forms = new SequenceForms(m_experiment, column);
  m_error = new MessageLabel(column);
  m_error->setObjectName(QStringLiteral("sequenceError"));
  auto* layout = new QVBoxLayout(column);
  layout->setContentsMargins(0, 0, 6, 0);
  layout->addWidget(m_forms, 1);
  layout->addWidget(makeFolderRow());
  layout->addWidget(m_error);
  layout->addWidget(makeButtonRow());
  return column;
}

QWidget* SequenceTrainPage::makeFolderRow() {
  m_folder = new PathRow({"sequenceRunFolder",
                          tr("Run f&older"),
                          tr("Run folder"),
                          tr("The run's config, metrics and checkpoints are written here. A folder "
                             "that contains a run can be resumed"),
                          {},
                          "browseSequenceRun",
                          tr("&Browse…"),
                          tr("Choose a folder for a new run, or one with a run to resume")},
                         this);
  connect(m_folder, &PathRow::browseRequested, this, &SequenceTrainPage::chooseRunFolder);
  connect(m_folder, &PathRow::edited, this, &SequenceTrainPage::setRunFolder);
  return m_folder;
}

QWidget* SequenceTrainPage::makeButtonRow() {
  auto* row = new QWidget(this);
  m_start = iconButton(row, "startSequence", tr("&Start Training"), "play",
                       tr("Train with these settings; the window stays usable"));
  m_resume = iconButton(row, "resumeSequence", tr("&Resume"), "play",
                        tr("Continue the run in this folder from its last checkpoint"));
  m_newRun = iconButton(row, "newSequenceRun", tr("&New Run"), "add",
                        tr("Return to your own settings and an unused folder"));
  m_stop = iconButton(row, "stopSequence", tr("S&top"), "stop",
                      tr("Stop at the next step and write a checkpoint to resume from"));
  connect(m_start, &QPushButton::clicked, this, &SequenceTrainPage::start);
  connect(m_resume, &QPushButton::clicked, this, &SequenceTrainPage::resume);
  connect(m_newRun, &QPushButton::clicked, this, &SequenceTrainPage::newRun);
  connect(m_stop, &QPushButton::clicked, m_bridge, &SequenceTrainingBridge::stop);
  layOutButtons(row, {m_start, m_resume, m_newRun, m_stop})->addStretch(1);
  return row;
}

void SequenceTrainPage::connectForms() {
  connect(m_forms, &SequenceForms::changed, this, &SequenceTrainPage::onSettingsChanged);
  connect(m_forms, &SequenceForms::runChanged, this, &SequenceTrainPage::proposeFolder);
  connect(m_forms, &SequenceForms::imagesWanted, this, &SequenceTrainPage::chooseImages);
  connect(m_forms, &SequenceForms::textFileWanted, this, &SequenceTrainPage::chooseTextFile);
  connect(m_forms, &SequenceForms::startWeightsWanted, this,
          &SequenceTrainPage::chooseStartWeights);
}

// --- Settings ----------------------------------------------------------------------------------

Json SequenceTrainPage::settingsAsJson() const {
  return m_forms->settings(m_experiment);
}

void SequenceTrainPage::showSettings(const Json& json) {
  m_forms->showSettings(json);
  onSettingsChanged();
}

void SequenceTrainPage::setExperiment(const SequenceExperiment& experiment) {
  if (m_bridge->isRunning()) return;
  m_detect->cancel();
  m_own.reset();
  m_experiment = experiment;
  showSettings(sequenceToJson(experiment));
  newRun();
}

bool SequenceTrainPage::takesSettings() const {
  return !m_bridge->isRunning() && !m_own;
}

void SequenceTrainPage::setImages(const QString& folder) {
  m_forms->setImages(folder);
  m_detect->run<std::string>(
      [path = std::filesystem::path(folder.toStdString())](std::stop_token) {
        const auto kind = guarded(path.string(), [&] { return detectDatasetKind(path); });
        return kind ? *kind : std::string();
      },
      [this](const std::string& kind) {
        if (!kind.empty()) m_forms->setDataset(kind);
        onSettingsChanged();
      });
  onSettingsChanged();
}

void SequenceTrainPage::setTextFile(const QString& path) {
  m_detect->cancel();
  m_forms->setTextFile(path);
  onSettingsChanged();
}

void SequenceTrainPage::onSettingsChanged() {
  m_forms->hideIdleFields();
  check();
}

QString SequenceTrainPage::firstProblem() {
  if (QString error = m_forms->firstError(); !error.isEmpty()) return error;
  auto read = sequenceFromJson(settingsAsJson());
  if (!read) return QString::fromStdString(read.error().text());
  if (read->data.path.empty() && !read->ofImages())
    return tr("Data: choose the text file to train on.");
  if (read->data.path.empty() && !isDrawnData(read->data.dataset))
    return tr("Data: choose the folder of the images.");
  m_experiment = *read;
  return {};
}

void SequenceTrainPage::check() {
  const bool running = m_bridge->isRunning();
  const bool holdsRun = folderIsKnown() && m_folderState.holdsRun;
  const QString problem = holdsRun ? m_folderState.error : firstProblem();
  if (!problem.isEmpty())
    m_error->setMessage(problem, MessageLabel::Tone::Problem);
  else if (holdsRun && !running)
    m_error->setMessage(
        tr("This folder contains a run with the settings above. Resume it, or start a new run in "
           "another folder."));
  else if (m_detect->isBusy())
    m_error->setMessage(tr("Detecting the image format…"));
  else
    m_error->clear();
  m_start->setVisible(!holdsRun);
  m_start->setEnabled(!running && !holdsRun && !m_detect->isBusy() && problem.isEmpty() &&
                      folderIsKnown());
  m_resume->setVisible(holdsRun);
  m_resume->setEnabled(!running && holdsRun && problem.isEmpty());
  m_newRun->setVisible(holdsRun);
  m_newRun->setEnabled(!running);
  m_stop->setEnabled(running && !m_bridge->isStopping());
  m_run->refreshUse();
  m_forms->setLocked(running || m_own.has_value());
  m_folder->setEnabled(!running);
}

// --- The folder --------------------------------------------------------------------------------

std::filesystem::path SequenceTrainPage::folder() const {
  return typedFolder(m_folder->path());
}

bool SequenceTrainPage::folderIsKnown() const {
  const std::filesystem::path shown = folder();
  return !shown.empty() && m_folderState.folder == shown;
}

void SequenceTrainPage::proposeFolder() {
  const Json name = m_forms->name();
  if (m_folderChosen || !name.is_string()) return;
  m_folderCheck->run<FolderState>(
      [name = name.get<std::string>()](std::stop_token) {
        FolderState state;
        state.folder = freeRunFolder(name);
        return state;
      },
      [this](FolderState state) {
        m_folder->setPath(QString::fromStdString(state.folder.string()));
        takeFolderState(std::move(state));
      });
}

void SequenceTrainPage::newRun() {
  m_offer->cancel();
  m_folderChosen = false;
  takeFolderState({});
  proposeFolder();
}

void SequenceTrainPage::setRunFolder(const QString& path) {
  if (m_bridge->isRunning()) return;
  m_offer->cancel();
  m_folder->setPath(path);
  m_folderChosen = !path.trimmed().isEmpty();
  m_folderChosen ? checkFolder() : newRun();
  check();
}

void SequenceTrainPage::offerRun(const QString& path) {
  m_offer->run<bool>([folder = std::filesystem::path(path.toStdString())](
                         std::stop_token) { return holdsRun(folder); },
                     [this, path](bool holds) {
                       if (holds) setRunFolder(path);
                     });
}

void SequenceTrainPage::checkFolder() {
  m_folderCheck->run<FolderState>(
      [folder = folder()](std::stop_token) {
        FolderState state;
        state.folder = folder;
        state.holdsRun = holdsRun(folder);
        if (!state.holdsRun) return state;
        const auto experiment = loadSequenceExperiment(folder);
        if (experiment)
          state.experiment = *experiment;
        else
          state.error = tr("The run in this folder cannot be resumed. %1")
                            .arg(QString::fromStdString(experiment.error().text()));
        return state;
      },
      [this](FolderState state) { takeFolderState(std::move(state)); });
}

void SequenceTrainPage::takeFolderState(FolderState state) {
  m_folderState = std::move(state);
  if (m_folderState.experiment) {
    m_detect->cancel();
    if (!m_own) m_own = settingsAsJson();
    showSettings(sequenceToJson(*m_folderState.experiment));
  } else if (m_own) {
    const Json own = *std::exchange(m_own, std::nullopt);
    showSettings(own);
  }
  check();
}

// --- Choosing files and folders ----------------------------------------------------------------

void SequenceTrainPage::chooseRunFolder() {
  askForFolder(this, tr("Run folder"), QString::fromStdString(runsFolder().string()),
               [this](const QString& folder) { setRunFolder(folder); });
}

void SequenceTrainPage::chooseStartWeights() {
  FileQuestion question;
  question.title = tr("Starting weights");
  question.start = QString::fromStdString(runsFolder().string());
  question.filter = tr("Checkpoints (*.safetensors);;All files (*)");
  askForPath(this, question, [this](const QString& path) {
    if (!takesSettings()) return;
    m_forms->setStartWeights(path);
    onSettingsChanged();
  });
}

void SequenceTrainPage::chooseImages() {
  askForFolder(this, tr("Folder of the images"), {},
               [this](const QString& folder) { setImages(folder); });
}

void SequenceTrainPage::chooseTextFile() {
  FileQuestion question;
  question.title = tr("Training text");
  question.filter = tr("All files (*)");
  askForPath(this, question, [this](const QString& path) { setTextFile(path); });
}

// --- The run -----------------------------------------------------------------------------------

void SequenceTrainPage::start() {
  check();
  if (!m_start->isEnabled()) return;
  m_run->begin(/*withCurve=*/false);
  m_bridge->start(m_experiment, QString::fromStdString(folder().string()));
}

void SequenceTrainPage::resume() {
  if (m_bridge->isRunning() || !folderIsKnown() || !m_folderState.experiment) return;
  const QString path = QString::fromStdString(folder().string());
  // If its curve is shown, it continues; otherwise it is read from the folder.
  const bool shown = m_run->showsRun(path);
  m_run->begin(/*withCurve=*/shown);
  m_bridge->resume(*m_folderState.experiment, path, /*withHistory=*/!shown);
}

/// A stopped run is offered for resuming; after a finished one, a new folder is proposed.
void SequenceTrainPage::onFinished(const std::shared_ptr<const SequenceOutcome>& outcome) {
  outcome && outcome->finished ? newRun() : checkFolder();
}

}  // namespace headlight
