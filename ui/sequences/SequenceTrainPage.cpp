// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sequences/SequenceTrainPage.h"

#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include <utility>

#include "core/config/DatasetKinds.h"
#include "core/workbench/session/Datasets.h"
#include "ui/base/BackgroundTask.h"
#include "ui/bridge/SequenceTrainingBridge.h"
#include "ui/document/SequenceSettings.h"
#include "ui/forms/ParameterForm.h"
#include "ui/forms/PathRow.h"
#include "ui/training/RunFolders.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {

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
  splitter->addWidget(makeProgress());
  splitter->setStretchFactor(1, 1);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(splitter);
  connect(bridge, &SequenceTrainingBridge::stateChanged, this, &SequenceTrainPage::onStateChanged);
  connect(bridge, &SequenceTrainingBridge::updated, this, &SequenceTrainPage::onUpdated);
  connect(bridge, &SequenceTrainingBridge::finished, this, &SequenceTrainPage::onFinished);
  connect(m_detect, &BackgroundTask::busyChanged, this, &SequenceTrainPage::check);
  proposeFolder();
  onSettingsChanged();
}

// --- Settings ----------------------------------------------------------------------------------

Json SequenceTrainPage::settingsAsJson() const {
  return withValues(sequenceToJson(m_experiment), m_forms);
}

void SequenceTrainPage::showSettings(const Json& json) {
  for (const auto& [key, form] : m_forms) {
    Json values = Json::object();
    for (const Parameter& parameter : *sequenceSection(key).table) {
      const Json& section = key.empty() ? json : json.at(key);
      values[parameter.name] = section.at(parameter.name);
    }
    form->setValues(values);
  }
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

void SequenceTrainPage::setPictures(const QString& folder) {
  ParameterForm* form = m_forms.at("data");
  form->setValue(QStringLiteral("kind"), "pictures");
  form->setValue(QStringLiteral("dataset"), kImageFolder);
  form->setValue(QStringLiteral("path"), folder.toStdString());
  m_detect->run<std::string>(
      [path = std::filesystem::path(folder.toStdString())](std::stop_token) {
        const auto kind = guarded(path.string(), [&] { return detectDatasetKind(path); });
        return kind ? *kind : std::string();
      },
      [this, form](std::string kind) {
        if (!kind.empty()) form->setValue(QStringLiteral("dataset"), kind);
        onSettingsChanged();
      });
  onSettingsChanged();
}

void SequenceTrainPage::setTextFile(const QString& path) {
  m_detect->cancel();
  m_forms.at("data")->setValue(QStringLiteral("kind"), "text");
  m_forms.at("data")->setValue(QStringLiteral("path"), path.toStdString());
  onSettingsChanged();
}

void SequenceTrainPage::onSettingsChanged() {
  updateFieldVisibility();
  check();
}

QString SequenceTrainPage::firstProblem() {
  for (const Section& section : sequenceSections())
    if (const QString error = m_forms.at(section.key)->firstError(); !error.isEmpty())
      return tr("%1: %2").arg(QString::fromStdString(section.title), error);
  auto read = sequenceFromJson(settingsAsJson());
  if (!read) return QString::fromStdString(read.error().text());
  if (read->data.path.empty() && !read->ofPictures())
    return tr("Data: choose the text file to learn from.");
  if (read->data.path.empty() && read->data.dataset != kProceduralData)
    return tr("Data: choose the folder of the pictures.");
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
        tr("This folder holds a run, with the settings above: resume it, or begin "
           "a new run in a folder of its own."));
  else if (m_detect->isBusy())
    m_error->setMessage(tr("Finding out how the pictures are kept…"));
  else
    m_error->clear();
  m_start->setVisible(!holdsRun);
  m_start->setEnabled(!running && !m_detect->isBusy() && problem.isEmpty() && folderIsKnown());
  m_resume->setVisible(holdsRun);
  m_resume->setEnabled(!running && problem.isEmpty());
  m_newRun->setVisible(holdsRun);
  m_newRun->setEnabled(!running);
  m_stop->setEnabled(running && !m_bridge->isStopping());
  m_use->setEnabled(!m_usable.isEmpty() && !running);
  lockSettings(running || m_own.has_value());
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
  const Json name = m_forms.at("")->values()["name"];
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
        const auto experiment = sequenceExperimentOf(folder);
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

}  // namespace headlight
