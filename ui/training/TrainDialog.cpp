// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/TrainDialog.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QScreen>
#include <QSignalBlocker>
#include <QTabWidget>
#include <QTimer>
#include <QToolButton>
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
#include "ui/document/ModelText.h"
#include "ui/forms/IdleFields.h"
#include "ui/forms/ParameterForm.h"
#include "ui/forms/PathRow.h"
#include "ui/training/RecipeRow.h"
#include "ui/training/RunFolders.h"
#include "ui/training/TaskSettings.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

constexpr int kProbeDelayMs = 250;  ///< pause after the last keystroke
constexpr int kEstimateDelayMs = 500;
constexpr int kWidth = 680, kAdvancedHeight = 700;

/// Equal for two runs that take the same time.
std::string estimateKey(Experiment experiment) {
  experiment.name.clear();
  experiment.training.weights.clear();
  return experimentToText(experiment);
}

/// By default a run starts from the open model's weights.
Experiment startingFromOpen(Experiment experiment, const Document& document) {
  if (experiment.training.weights.empty() && document.inputs().hasModel())
    experiment.training.weights = document.inputs().model().weights.string();
  return experiment;
}

}  // namespace

Experiment makeTrainingExperiment(const Document& document) {
  Experiment experiment;
  if (!document.inputs().canCompute()) return experiment;
  experiment = document.inputs().model().experiment;
  experiment.masks = describeMasks(document.inputs().masks());
  experiment.name =
      runName(experiment.name, document.inputs().model().experiment.masks, experiment.masks);
  experiment.edits.clear();
  // The starting weights of the open model are not those of the new run.
  experiment.training.weights.clear();
  return experiment;
}

TrainDialog::TrainDialog(Document* document, const Experiment& experiment, QWidget* parent)
    : QDialog(parent),
      m_document(document),
      m_initial(fittedToTask(startingFromOpen(experiment, *document))),
      m_task(taskOf(m_initial.model)),
      m_experiment(m_initial),
      m_probeTimer(new QTimer(this)),
      m_probe(new BackgroundTask(this)),
      m_folderCheck(new BackgroundTask(this)),
      m_detect(new BackgroundTask(this)),
      m_estimateTimer(new QTimer(this)),
      m_estimate(new BackgroundTask(this)) {
  setObjectName(QStringLiteral("trainDialog"));
  setWindowTitle(tr("Train"));
  m_questions = makeTrainQuestions(*document, m_task, this);
  m_questions.data->setPath(QString::fromStdString(m_initial.data.path));
  m_advancedButton = makeAdvancedButton(this);
  m_advanced = makeAdvanced();
  askInQuestions();
  m_error = new MessageLabel(this);
  m_error->setObjectName(QStringLiteral("trainError"));
  m_buttons = makeTrainButtons(this);
  connectParts();
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(8);
  layout->addWidget(makeSubject(experiment));
  layout->addWidget(m_questions.panel);
  layout->addWidget(m_advancedButton);
  layout->addWidget(m_advanced, 1);
  layout->addStretch();
  layout->addWidget(m_error);
  layout->addWidget(m_buttons.box);
  m_advanced->hide();

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
  resize(kWidth, sizeHint().height());
}

QLabel* TrainDialog::makeSubject(const Experiment& experiment) {
  auto* subject = new QLabel(
      tr("%1 with masks “%2”")
          .arg(displayName(experiment.model.name), displayName(masksTitle(experiment.masks))),
      this);
  subject->setObjectName(QStringLiteral("trainSubject"));
  subject->setTextFormat(Qt::PlainText);
  QFont bold = font();
  bold.setBold(true);
  subject->setFont(bold);
  return subject;
}

QWidget* TrainDialog::makeAdvanced() {
  auto* page = new QWidget(this);
  m_recipe = new RecipeRow(page);
  m_tabs = new QTabWidget(page);
  m_tabs->setObjectName(QStringLiteral("trainTabs"));
  m_tabs->setDocumentMode(true);
  addTab(addForm("data"), "data", tr("Data"));
  addTab(addForm("training"), "training", tr("Training"));
  addTab(addForm("telemetry"), "telemetry", tr("Telemetry"));
  addTab(addForm(""), "", tr("Run"));
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_recipe);
  layout->addWidget(m_tabs, 1);
  return page;
}

/// Two fields of the forms are asked for in plain words, before all others; in this order by Tab.
void TrainDialog::askInQuestions() {
  ParameterForm* training = m_forms.at("training");
  const TrainQuestions& questions = m_questions;
  training->moveField(QStringLiteral("epochs"), questions.grid, questions.howLong,
                      tr("How long? (epochs)"));
  training->moveField(QStringLiteral("learning_rate"), questions.grid, questions.howFast,
                      tr("How fast? (learning rate)"));
  alignQuestions(questions);
  QWidget* last = questions.start.fromFile;
  for (const char* name : {"field.epochs", "reset.epochs", "field.learning_rate",
                           "reset.learning_rate", "runFolder", "browseRun"}) {
    auto* next = questions.panel->findChild<QWidget*>(QLatin1String(name));
    setTabOrder(last, next);
    last = next;
  }
  setTabOrder(last, m_advancedButton);
}

void TrainDialog::showAdvanced(bool shown) {
  m_advancedButton->setArrowType(shown ? Qt::DownArrow : Qt::RightArrow);
  m_advanced->setVisible(shown);
  layout()->activate();
  resize(width(), shown ? kAdvancedHeight : sizeHint().height());
  const QRect room = screen()->availableGeometry();
  const int below = geometry().y() + height() - room.bottom();
  if (below > 0) move(x(), std::max(room.top(), y() - below));
}

/// Nothing that was changed is out of mind when it is out of sight.
void TrainDialog::countAdvanced() {
  const int changed = m_forms.at("data")->changedFromDefault({"path", "dataset"}) +
                      m_forms.at("training")->changedFromDefault({"weights"}) +
                      m_forms.at("telemetry")->changedFromDefault();
  m_advancedButton->setText(
      changed == 0 ? tr("Advanced") : tr("Advanced (changed from the default: %1)").arg(changed));
}

void TrainDialog::connectParts() {
  connect(m_questions.data, &PathRow::browseRequested, this, &TrainDialog::chooseDataFolder);
  connect(m_questions.data, &PathRow::edited, this, &TrainDialog::setDataFolder);
  connect(m_advancedButton, &QToolButton::toggled, this, &TrainDialog::showAdvanced);
  connect(m_recipe, &RecipeRow::chosen, this, &TrainDialog::takeRecipe);
  for (QRadioButton* choice : {m_questions.start.fromLoaded, m_questions.start.fromRandom})
    connect(choice, &QRadioButton::clicked, this, &TrainDialog::takeStart);
  connect(m_questions.folder, &PathRow::browseRequested, this, &TrainDialog::chooseRunFolder);
  connect(m_questions.folder, &PathRow::edited, this, &TrainDialog::setRunFolder);
  connect(m_buttons.exportConfig, &QPushButton::clicked, this,
          [this] { Q_EMIT exportRequested(experiment()); });
  connect(m_buttons.box, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(m_buttons.box, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

ParameterForm* TrainDialog::addForm(const std::string& key) {
  const auto& sections = experimentSections();
  const auto section = std::find_if(sections.begin(), sections.end(),
                                    [&](const Section& s) { return s.key == key; });
  const ParameterTable& table = key == "data" ? dataTableFor(m_task) : *section->table;
  auto* form = new ParameterForm(table, QString::fromStdString(key), this);
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
  return typedFolder(m_questions.folder->path());
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
        m_questions.folder->setPath(QString::fromStdString(state.folder.string()));
        check();
      });
}

void TrainDialog::setRunFolder(const QString& path) {
  m_questions.folder->setPath(path);
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
  const bool loaded = m_questions.start.fromLoaded->isChecked();
  m_forms.at("training")
      ->setValue(QStringLiteral("weights"),
                 loaded ? m_document->inputs().model().weights.string() : std::string());
  showStart();
  check();
}

/// The choice that matches the settings.
void TrainDialog::showStart() {
  const Json value = m_forms.at("training")->values()["weights"];
  const std::string weights = value.is_string() ? value.get<std::string>() : std::string();
  const TrainStart& start = m_questions.start;
  const bool loaded =
      start.fromLoaded->isEnabled() && weights == m_document->inputs().model().weights.string();
  const bool other = !weights.empty() && !loaded;
  if (other) start.fromFile->setText(weightsName(weights));
  start.fromFile->setVisible(other);
  (loaded ? start.fromLoaded : other ? start.fromFile : start.fromRandom)->setChecked(true);
}

/// Applies a recipe to the user's settings; null restores them.
void TrainDialog::takeRecipe(const Recipe* recipe) {
  if (m_own.is_null()) m_own = sectionsAsJson();
  Json settings = m_own;
  if (recipe)
    applyRecipe(settings, *recipe);
  else
    m_own = nullptr;
  turnOffClassOptions(settings, m_task);
  fill(settings);
}

/// Sets only the values of recipes: data folder and run name stay.
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
  m_questions.data->setPath(path);
  ParameterForm* form = m_forms.at("data");
  const QString trimmed = path.trimmed();
  form->setValue(QStringLiteral("path"), trimmed.toStdString());
  if (trimmed.isEmpty()) {
    m_detect->cancel();
    m_questions.note->clear();
    form->setValue(QStringLiteral("dataset"), drawnDataFor(m_task));
    return check();
  }
  m_detect->run<FoundData>(
      [path = std::filesystem::path(trimmed.toStdString())](std::stop_token) {
        return lookForData(path);
      },
      [this, form, trimmed](const FoundData& found) {
        if (found.kind.empty()) {
          m_questions.note->setMessage(tr("No dataset was found in this folder. Choose one %1.\n%2")
                                           .arg(knownFolders(m_task), found.why),
                                       MessageLabel::Tone::Problem);
        } else {
          m_questions.note->setMessage(tr("%1 found.").arg(QString::fromStdString(found.kind)));
          form->setValue(QStringLiteral("dataset"), found.kind);
        }
        check();
      });
  check();
}

void TrainDialog::chooseDataFolder() {
  askForFolder(this, tr("Folder of the dataset"), m_questions.data->path(),
               [this](const QString& folder) { setDataFolder(folder); });
}

void TrainDialog::chooseRunFolder() {
  askForFolder(this, tr("Run folder"), QString::fromStdString(runsFolder().string()),
               [this](const QString& folder) { setRunFolder(folder); });
}

// --- Checking ----------------------------------------------------------------------------------

QString TrainDialog::firstProblem(Experiment& experiment) {
  const Json dataset = m_forms.at("data")->values()["dataset"];
  if (const QString problem = taskProblem(m_task, dataset.get<std::string>()); !problem.isEmpty())
    return tr("Data: %1").arg(problem);
  for (const auto& [key, tab] : m_tabOf)
    if (const QString error = m_forms.at(key)->firstError(); !error.isEmpty())
      return tr("%1: %2").arg(m_tabTitles.at(key), error);
  auto read = experimentFromJson(sectionsAsJson(), modelCatalog());
  if (!read) return QString::fromStdString(read.error().text());
  experiment = *read;
  if (!isDrawnData(experiment.data.dataset) && experiment.data.path.empty())
    return tr("Data: choose the folder of the %1 dataset.")
        .arg(QString::fromStdString(experiment.data.dataset));
  if (folder().empty()) return tr("Choose a run folder.");
  if (m_folderState.folder == folder() && m_folderState.holdsRun)
    return tr(
        "The run folder already contains a run. Choose another folder, or continue that run with "
        "Resume.");
  return {};
}

void TrainDialog::updateFieldVisibility() {
  ParameterForm* form = m_forms.at("data");
  m_forms.at("training")
      ->hideFields(idleTrainingFields(m_forms.at("training")->values(), m_task != Task::Classify));
  std::vector<std::string> idle = idleDataFields(form->values()["dataset"].get<std::string>());
  if (idle.front() != "path") idle.emplace_back("path");  // it has a row above the form
  form->hideFields(idle);
}

void TrainDialog::check() {
  updateFieldVisibility();
  m_recipe->compare(sectionsAsJson());
  countAdvanced();
  Experiment read;
  const QString problem = firstProblem(read);
  m_error->setMessage(problem, MessageLabel::Tone::Problem);
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

/// Runs in the background; training can start before it ends.
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
  if (!m_valid) return m_questions.time->clear();
  if (!m_seconds || m_estimatedFor != estimateKey(experiment()))
    return m_questions.time->setMessage(tr("Estimating the run time…"), MessageLabel::Tone::Quiet);
  if (!*m_seconds)
    return m_questions.time->setMessage(tr("The run time could not be estimated: %1")
                                            .arg(QString::fromStdString(m_seconds->error().text())),
                                        MessageLabel::Tone::Problem);
  m_questions.time->setMessage(tr("Takes about %1 on this machine (estimated from a few steps).")
                                   .arg(QString::fromStdString(formatDuration(**m_seconds))));
}

void TrainDialog::markTabs() {
  for (const auto& [key, tab] : m_tabOf) {
    const bool wrong = m_forms.at(key)->hasErrorHere();
    m_tabs->setTabIcon(tab, wrong ? lineIcon(QStringLiteral("warning")) : QIcon());
    if (wrong) m_advancedButton->setChecked(true);  // nobody can mend what is not seen
  }
}

void TrainDialog::probe() {
  const std::string key = datasetKey(m_experiment);
  if (key == m_asked) return;
  m_asked = key;
  const DatasetSpec spec =
      makeDatasetSpec(m_experiment.data, m_experiment.model.imageSize, m_experiment.seed);
  m_probe->run<DatasetSummary>([spec, key](std::stop_token) { return summarizeDataset(spec, key); },
                               [this](DatasetSummary summary) {
                                 m_summary = std::move(summary);
                                 check();
                               });
  showSummary();
}

void TrainDialog::showSummary() {
  if (m_summary.of != datasetKey(m_experiment))
    return m_questions.summary->setMessage(tr("Reading the dataset…"));
  if (!m_summary.error.isEmpty())
    return m_questions.summary->setMessage(m_summary.error, MessageLabel::Tone::Problem);
  m_questions.summary->setMessage(datasetSentence(m_summary, m_experiment));
}

}  // namespace headlight
