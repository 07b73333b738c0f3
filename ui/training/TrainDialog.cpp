// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/TrainDialog.h"

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QSignalBlocker>
#include <QTabWidget>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

#include "core/base/Progress.h"
#include "core/config/DatasetKinds.h"
#include "core/models/Registry.h"
#include "core/workbench/sweeps/TrainingEstimate.h"
#include "ui/base/BackgroundTask.h"
#include "ui/base/Icons.h"
#include "ui/base/SanitizedText.h"
#include "ui/document/Document.h"
#include "ui/forms/IdleFields.h"
#include "ui/forms/ParameterForm.h"
#include "ui/forms/PathRow.h"
#include "ui/training/RecipeRow.h"
#include "ui/training/RunFolders.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

constexpr int kProbeDelayMs = 250;  ///< of rest after the last keystroke
constexpr int kEstimateDelayMs = 500;

/// The same where two runs take as long.
std::string estimateKey(Experiment experiment) {
  experiment.name.clear();
  experiment.training.weights.clear();
  return experimentToText(experiment);
}

/// What a run starts from by itself: the weights that are looked through.
Experiment startingFromOpen(Experiment experiment, const Document& document) {
  if (experiment.training.weights.empty() && document.hasModel())
    experiment.training.weights = document.model().weights.string();
  return experiment;
}

}  // namespace

Experiment trainingExperimentOf(const Document& document) {
  Experiment experiment;
  if (!document.canCompute()) return experiment;
  experiment = document.model().experiment;
  experiment.masks = describeMasks(document.masks());
  experiment.name = runName(experiment.name, document.model().experiment.masks, experiment.masks);
  experiment.edits.clear();
  // Where the open weights were once begun from is not where they go on from.
  experiment.training.weights.clear();
  return experiment;
}

TrainDialog::TrainDialog(Document* document, const Experiment& experiment, QWidget* parent)
    : QDialog(parent),
      m_document(document),
      m_initial(startingFromOpen(experiment, *document)),
      m_experiment(m_initial),
      m_probeTimer(new QTimer(this)),
      m_probe(new BackgroundTask(this)),
      m_folderCheck(new BackgroundTask(this)),
      m_detect(new BackgroundTask(this)),
      m_estimateTimer(new QTimer(this)),
      m_estimate(new BackgroundTask(this)) {
  setObjectName(QStringLiteral("trainDialog"));
  setWindowTitle(tr("Train"));
  resize(680, 660);
  m_tabs = new QTabWidget(this);
  m_tabs->setObjectName(QStringLiteral("trainTabs"));
  m_tabs->setDocumentMode(true);
  m_dataPage = makeTrainDataPage(QString::fromStdString(m_initial.data.path), this);
  m_dataPage.column->addWidget(addForm("data"), 1);
  addTab(m_dataPage.page, "data", tr("Data"));
  addTab(addForm("training"), "training", tr("Training"));
  addTab(addForm("telemetry"), "telemetry", tr("Telemetry"));
  addTab(addForm(""), "", tr("Run"));
  m_recipe = new RecipeRow(this);
  m_buttons = makeTrainButtons(this);
  m_footer = makeTrainFooter(*document, this);
  connectParts();
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(8);
  auto* subject = new QLabel(
      tr("%1 with masks “%2”")
          .arg(displayName(experiment.model.name), displayName(masksTitle(experiment.masks))),
      this);
  subject->setObjectName(QStringLiteral("trainSubject"));
  subject->setTextFormat(Qt::PlainText);
  QFont bold = font();
  bold.setBold(true);
  subject->setFont(bold);
  layout->addWidget(subject);
  layout->addWidget(m_recipe);
  layout->addWidget(m_tabs, 1);
  layout->addWidget(m_footer.footer);
  layout->addWidget(m_buttons.box);

  m_probeTimer->setSingleShot(true);
  m_probeTimer->setInterval(kProbeDelayMs);
  connect(m_probeTimer, &QTimer::timeout, this, &TrainDialog::probe);
  m_estimateTimer->setSingleShot(true);
  m_estimateTimer->setInterval(kEstimateDelayMs);
  connect(m_estimateTimer, &QTimer::timeout, this, &TrainDialog::estimate);
  showStart();
  onNameChanged();
  check();
  probe();
}

void TrainDialog::connectParts() {
  connect(m_dataPage.folder, &PathRow::browseRequested, this, &TrainDialog::chooseDataFolder);
  connect(m_dataPage.folder, &PathRow::edited, this, &TrainDialog::setDataFolder);
  connect(m_recipe, &RecipeRow::chosen, this, &TrainDialog::takeRecipe);
  for (QRadioButton* choice : {m_footer.start.fromLoaded, m_footer.start.fromRandom})
    connect(choice, &QRadioButton::clicked, this, &TrainDialog::takeStart);
  connect(m_footer.folder, &PathRow::browseRequested, this, &TrainDialog::chooseRunFolder);
  connect(m_footer.folder, &PathRow::edited, this, &TrainDialog::setRunFolder);
  connect(m_buttons.exportConfig, &QPushButton::clicked, this,
          [this] { Q_EMIT exportRequested(experiment()); });
  connect(m_buttons.box, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(m_buttons.box, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

ParameterForm* TrainDialog::addForm(const std::string& key) {
  const auto& sections = experimentSections();
  const auto section = std::find_if(sections.begin(), sections.end(),
                                    [&](const Section& s) { return s.key == key; });
  auto* form = new ParameterForm(*section->table, QString::fromStdString(key), this);
  const Json all = experimentToJson(m_initial);
  form->setValues(key.empty() ? writeParameters(runParameters(), &m_initial) : all[key]);
  connect(form, &ParameterForm::changed, this, &TrainDialog::onChanged);
  m_forms[key] = form;
  return form;
}

void TrainDialog::addTab(QWidget* page, const std::string& key, const QString& title) {
  auto* frame = new QWidget(this);
  auto* layout = new QVBoxLayout(frame);
  layout->setContentsMargins(4, 10, 4, 4);
  layout->addWidget(page);
  m_tabOf[key] = m_tabs->addTab(frame, title);
  m_tabTitles[key] = title;
}

// --- Values ------------------------------------------------------------------------------------

Json TrainDialog::sectionsAsJson() const {
  return withValues(experimentToJson(m_initial), m_forms);
}

Experiment TrainDialog::experiment() const {
  Experiment experiment = m_experiment;
  if (!m_summary.classNames.empty())
    experiment.model.classes = static_cast<int>(m_summary.classNames.size());
  return experiment;
}

std::filesystem::path TrainDialog::folder() const {
  return typedFolder(m_footer.folder->path());
}

void TrainDialog::onChanged() {
  if (sender() == m_forms.at("")) onNameChanged();
  if (sender() == m_forms.at("training")) showStart();
  check();
}

void TrainDialog::onNameChanged() {
  const Json name = m_forms.at("")->values()["name"];
  if (m_folderChosen || !name.is_string()) return checkFolder();
  m_folderCheck->run<FolderState>(
      [name = name.get<std::string>()](std::stop_token) {
        return FolderState{freeRunFolder(name), false};
      },
      [this](FolderState state) {
        m_folderState = state;
        m_footer.folder->setPath(QString::fromStdString(state.folder.string()));
        check();
      });
}

void TrainDialog::setRunFolder(const QString& path) {
  m_footer.folder->setPath(path);
  m_folderChosen = !path.trimmed().isEmpty();
  if (m_folderChosen)
    checkFolder();
  else
    onNameChanged();
  check();
}

void TrainDialog::checkFolder() {
  m_folderCheck->run<FolderState>(
      [folder = folder()](std::stop_token) {
        return FolderState{folder, holdsRun(folder)};
      },
      [this](FolderState state) {
        m_folderState = state;
        check();
      });
}

void TrainDialog::takeStart() {
  const bool loaded = m_footer.start.fromLoaded->isChecked();
  m_forms.at("training")
      ->setValue(QStringLiteral("weights"),
                 loaded ? m_document->model().weights.string() : std::string());
  showStart();
  check();
}

/// The choice that the settings stand for.
void TrainDialog::showStart() {
  const Json value = m_forms.at("training")->values()["weights"];
  const std::string weights = value.is_string() ? value.get<std::string>() : std::string();
  const TrainStart& start = m_footer.start;
  const bool loaded =
      start.fromLoaded->isEnabled() && weights == m_document->model().weights.string();
  const bool other = !weights.empty() && !loaded;
  if (other)
    start.fromFile->setText(displayName(QFileInfo(QString::fromStdString(weights)).fileName()));
  start.fromFile->setVisible(other);
  (loaded ? start.fromLoaded : other ? start.fromFile : start.fromRandom)->setChecked(true);
}

/// A recipe over the settings that the person had; without one those come back.
void TrainDialog::takeRecipe(const Recipe* recipe) {
  if (m_own.is_null()) m_own = sectionsAsJson();
  Json settings = m_own;
  if (recipe)
    applyRecipe(settings, *recipe);
  else
    m_own = nullptr;
  fill(settings);
}

/// Only what recipes are about: where the data are and what the run is called stay as they are.
void TrainDialog::fill(const Json& experiment) {
  for (const std::string& path : recipePaths()) {
    const auto dot = path.find('.');
    const std::string section = path.substr(0, dot), name = path.substr(dot + 1);
    const Json& value = experiment[section][name];
    if (section == "model")  // it has no form here
      findParameter(modelParameters(), name)->set(&m_initial.model, value);
    else
      m_forms.at(section)->setValue(QString::fromStdString(name), value);
  }
  check();
}

void TrainDialog::setDataFolder(const QString& path) {
  m_dataPage.folder->setPath(path);
  ParameterForm* form = m_forms.at("data");
  const QString trimmed = path.trimmed();
  form->setValue(QStringLiteral("path"), trimmed.toStdString());
  if (trimmed.isEmpty()) {
    m_detect->cancel();
    m_dataPage.note->clear();
    form->setValue(QStringLiteral("dataset"), kProceduralData);
    return check();
  }
  m_detect->run<FoundData>(
      [path = std::filesystem::path(trimmed.toStdString())](std::stop_token) {
        return lookForData(path);
      },
      [this, form, trimmed](const FoundData& found) {
        if (found.kind.empty()) {
          m_dataPage.note->setMessage(
              tr("No dataset was recognised there: class folders with images, tar "
                 "shards, CIFAR binary files or IDX files are.\n%1")
                  .arg(found.why),
              MessageLabel::Tone::Problem);
        } else {
          m_dataPage.note->setMessage(tr("%1 found.").arg(QString::fromStdString(found.kind)));
          form->setValue(QStringLiteral("dataset"), found.kind);
        }
        check();
      });
  check();
}

void TrainDialog::chooseDataFolder() {
  askForFolder(this, tr("Folder of the dataset"), m_dataPage.folder->path(),
               [this](const QString& folder) { setDataFolder(folder); });
}

void TrainDialog::chooseRunFolder() {
  askForFolder(this, tr("Run folder"), QString::fromStdString(runsFolder().string()),
               [this](const QString& folder) { setRunFolder(folder); });
}

// --- Checking ----------------------------------------------------------------------------------

QString TrainDialog::firstProblem(Experiment& experiment) {
  for (const auto& [key, tab] : m_tabOf)
    if (const QString error = m_forms.at(key)->firstError(); !error.isEmpty())
      return tr("%1: %2").arg(m_tabTitles.at(key), error);
  auto read = experimentFromJson(sectionsAsJson(), modelCatalogue());
  if (!read) return QString::fromStdString(read.error().text());
  experiment = *read;
  if (experiment.data.dataset != kProceduralData && experiment.data.path.empty())
    return tr("Data: choose the folder of the %1 dataset.")
        .arg(QString::fromStdString(experiment.data.dataset));
  if (folder().empty()) return tr("Choose a run folder.");
  if (m_folderState.folder == folder() && m_folderState.holdsRun)
    return tr(
        "The run folder holds a run already. Choose another, or go on with that one by Resume.");
  return {};
}

void TrainDialog::updateFieldVisibility() {
  ParameterForm* form = m_forms.at("data");
  m_forms.at("training")->hideFields(idleTrainingFields(m_forms.at("training")->values()));
  std::vector<std::string> idle = idleDataFields(form->values()["dataset"].get<std::string>());
  if (idle.front() != "path") idle.emplace_back("path");  // it has a row above the form
  form->hideFields(idle);
}

void TrainDialog::check() {
  updateFieldVisibility();
  m_recipe->compare(sectionsAsJson());
  Experiment read;
  const QString problem = firstProblem(read);
  m_footer.error->setMessage(problem, MessageLabel::Tone::Problem);
  if (problem.isEmpty()) {
    m_experiment = read;
    if (const std::string key = datasetKey(m_experiment); key != m_asked) m_probeTimer->start();
  }
  const bool dataIsKnown = m_summary.of == datasetKey(m_experiment) && m_summary.error.isEmpty();
  const bool folderIsKnown = m_folderState.folder == folder() && !m_folderState.holdsRun;
  m_valid = problem.isEmpty() && dataIsKnown && folderIsKnown;
  m_buttons.exportConfig->setEnabled(problem.isEmpty() && dataIsKnown);
  m_buttons.start->setEnabled(m_valid);
  markTabs();
  showSummary();
  if (m_valid && m_estimatedFor != estimateKey(experiment())) m_estimateTimer->start();
  showTime();
}

/// In the background: nobody need wait for it to start.
void TrainDialog::estimate() {
  const std::string key = estimateKey(experiment());
  if (!m_valid || key == m_estimatedFor) return;
  m_estimatedFor = key;
  m_seconds.reset();
  m_estimate->run<Result<double>>(
      [experiment = experiment()](std::stop_token stop) {
        return estimateTraining(experiment, stop);
      },
      [this](const Result<double>& seconds) {
        m_seconds = seconds;
        showTime();
      });
  showTime();
}

void TrainDialog::showTime() {
  if (!m_valid) return m_footer.time->clear();
  if (!m_seconds || m_estimatedFor != estimateKey(experiment()))
    return m_footer.time->setMessage(tr("Measuring how long it takes…"), MessageLabel::Tone::Quiet);
  if (!*m_seconds)
    return m_footer.time->setMessage(tr("How long it takes is not known: %1")
                                         .arg(QString::fromStdString(m_seconds->error().text())),
                                     MessageLabel::Tone::Problem);
  m_footer.time->setMessage(tr("Takes about %1 here, as a few steps tell.")
                                .arg(QString::fromStdString(formatDuration(**m_seconds))));
}

void TrainDialog::markTabs() {
  for (const auto& [key, tab] : m_tabOf)
    m_tabs->setTabIcon(tab,
                       m_forms.at(key)->isValid() ? QIcon() : lineIcon(QStringLiteral("warning")));
}

void TrainDialog::probe() {
  const std::string key = datasetKey(m_experiment);
  if (key == m_asked) return;
  m_asked = key;
  const DatasetSpec spec =
      datasetSpecOf(m_experiment.data, m_experiment.model.imageSize, m_experiment.seed);
  m_probe->run<DatasetSummary>([spec, key](std::stop_token) { return summariseDataset(spec, key); },
                               [this](DatasetSummary summary) {
                                 m_summary = std::move(summary);
                                 check();
                               });
  showSummary();
}

void TrainDialog::showSummary() {
  if (m_summary.of != datasetKey(m_experiment))
    return m_footer.summary->setMessage(tr("Looking at the data…"));
  if (!m_summary.error.isEmpty())
    return m_footer.summary->setMessage(m_summary.error, MessageLabel::Tone::Problem);
  m_footer.summary->setMessage(datasetSentence(m_summary, m_experiment));
}

}  // namespace headlight
