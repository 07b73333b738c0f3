// SPDX-License-Identifier: GPL-3.0-or-later

// SequenceTrainPage, continued: its forms, rows and buttons, and the questions for files. Nearly
// every line of them sets a member or connects to one.

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QVBoxLayout>

#include "ui/bridge/SequenceTrainingBridge.h"
#include "ui/document/SequenceSettings.h"
#include "ui/forms/IdleFields.h"
#include "ui/forms/ParameterForm.h"
#include "ui/forms/PathRow.h"
#include "ui/plots/BitsPlot.h"
#include "ui/plots/PlotCommands.h"
#include "ui/sequences/SequenceTrainPage.h"
#include "ui/training/RunFolders.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/IconButton.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {
namespace {

constexpr int kSequenceSettingsWidth = 420;

QWidget* paddedTab(QWidget* content, QWidget* parent) {
  auto* frame = new QWidget(parent);
  auto* layout = new QVBoxLayout(frame);
  layout->setContentsMargins(4, 10, 4, 4);
  layout->addWidget(content);
  return frame;
}

}  // namespace

ParameterForm* SequenceTrainPage::addForm(const std::string& key) {
  auto* form = new ParameterForm(*sequenceSection(key).table, QString::fromStdString(key), this);
  const Json all = sequenceToJson(m_experiment);
  form->setValues(key.empty() ? writeParameters(sequenceRunParameters(), &m_experiment) : all[key]);
  connect(form, &ParameterForm::changed, this, &SequenceTrainPage::onSettingsChanged);
  if (key.empty()) connect(form, &ParameterForm::changed, this, &SequenceTrainPage::proposeFolder);
  m_forms[key] = form;
  return form;
}

QWidget* SequenceTrainPage::makeSettings() {
  auto* column = new QWidget(this);
  column->setMinimumWidth(kSequenceSettingsWidth);
  auto* tabs = new QTabWidget(column);
  tabs->setObjectName(QStringLiteral("sequenceSettings"));
  tabs->setAccessibleName(tr("Settings"));
  tabs->setDocumentMode(true);
  tabs->addTab(paddedTab(makeDataTab(), tabs), tr("Data"));
  tabs->addTab(paddedTab(addForm("model"), tabs), tr("Model"));
  tabs->addTab(paddedTab(makeTrainingTab(), tabs), tr("Training"));
  tabs->addTab(paddedTab(addForm(""), tabs), tr("Run"));
  m_error = new MessageLabel(column);
  m_error->setObjectName(QStringLiteral("sequenceError"));
  auto* layout = new QVBoxLayout(column);
  layout->setContentsMargins(0, 0, 6, 0);
  layout->addWidget(tabs, 1);
  layout->addWidget(makeFolderRow());
  layout->addWidget(m_error);
  layout->addWidget(makeButtonRow());
  return column;
}

QWidget* SequenceTrainPage::makeDataTab() {
  auto* page = new QWidget(this);
  auto* pictures =
      iconButton(page, "choosePictures", tr("Picture &Folder…"), "folder",
                 tr("Learn from the pictures of a folder, or from CIFAR-10's binary files"));
  auto* text = iconButton(page, "chooseTextFile", tr("Te&xt File…"), "open",
                          tr("Learn from the bytes of a file"));
  connect(pictures, &QPushButton::clicked, this, &SequenceTrainPage::choosePictures);
  connect(text, &QPushButton::clicked, this, &SequenceTrainPage::chooseTextFile);
  m_dataButtons = {pictures, text};
  auto* row = new QHBoxLayout;
  row->addWidget(pictures);
  row->addWidget(text);
  row->addStretch(1);
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(row);
  layout->addWidget(addForm("data"), 1);
  return page;
}

QWidget* SequenceTrainPage::makeTrainingTab() {
  auto* page = new QWidget(this);
  auto* weights = iconButton(page, "chooseStartWeights", tr("Starting &Weights…"), "weights",
                             tr("Begin with the weights of a run of the same model"));
  connect(weights, &QPushButton::clicked, this, &SequenceTrainPage::chooseStartWeights);
  m_dataButtons.push_back(weights);
  auto* row = new QHBoxLayout;
  row->addWidget(weights);
  row->addStretch(1);
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(row);
  layout->addWidget(addForm("training"), 1);
  return page;
}

QWidget* SequenceTrainPage::makeFolderRow() {
  m_folder = new PathRow(
      {"sequenceRunFolder",
       tr("Run f&older"),
       tr("Run folder"),
       tr("Where the config, metrics and checkpoints of this run are written; one that holds a run "
          "can be resumed"),
       {},
       "browseSequenceRun",
       tr("&Browse…"),
       tr("A folder for the run, or one that holds a run to be resumed")},
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
                        tr("Go on with the run in this folder from its last checkpoint"));
  m_newRun = iconButton(row, "newSequenceRun", tr("&New Run"), "add",
                        tr("Back to your own settings and a folder that is free"));
  m_stop = iconButton(row, "stopSequence", tr("S&top"), "stop",
                      tr("End at the next step, with a checkpoint that can be resumed"));
  connect(m_start, &QPushButton::clicked, this, &SequenceTrainPage::start);
  connect(m_resume, &QPushButton::clicked, this, &SequenceTrainPage::resume);
  connect(m_newRun, &QPushButton::clicked, this, &SequenceTrainPage::newRun);
  connect(m_stop, &QPushButton::clicked, m_bridge, &SequenceTrainingBridge::stop);
  layOutButtons(row, {m_start, m_resume, m_newRun, m_stop})->addStretch(1);
  return row;
}

QWidget* SequenceTrainPage::makeProgress() {
  auto* column = new QWidget(this);
  m_state = new QLabel(tr("No training yet"), column);
  m_state->setObjectName(QStringLiteral("sequenceState"));
  m_numbers = new QLabel(column);
  m_numbers->setObjectName(QStringLiteral("sequenceNumbers"));
  m_progress = new ProgressLine(tr("Progress of the training"), column);
  m_plot = new BitsPlot(column);
  new PlotCommands(column, /*keys=*/false);  // those of the first window go to its own plots
  m_outcome = new MessageLabel(column);
  m_outcome->setObjectName(QStringLiteral("sequenceOutcome"));
  m_use = iconButton(column, "useSequence", tr("&Use It"), "forward",
                     tr("Open what was learnt, and complete pictures or continue text"));
  connect(m_use, &QPushButton::clicked, this, [this] { Q_EMIT useRequested(m_usable); });
  auto* status = new QHBoxLayout;
  status->addWidget(m_state);
  status->addStretch(1);
  status->addWidget(m_numbers);
  auto* end = new QHBoxLayout;
  end->addWidget(m_outcome, 1);
  end->addWidget(m_use, 0, Qt::AlignRight | Qt::AlignBottom);
  auto* layout = new QVBoxLayout(column);
  layout->setContentsMargins(6, 0, 0, 0);
  layout->addLayout(status);
  layout->addWidget(m_progress);
  layout->addWidget(m_plot, 1);
  layout->addLayout(end);
  return column;
}

void SequenceTrainPage::updateFieldVisibility() {
  const Json data = m_forms.at("data")->values(), model = m_forms.at("model")->values();
  const bool text = data["kind"] == "text";
  std::vector<std::string> hidden;
  if (text)
    hidden = {"dataset",       "image_size",         "max_samples",
              "train_samples", "validation_samples", "validation_fraction",
              "augment"};
  else
    hidden = idleDataFields(data["dataset"].get<std::string>());
  m_forms.at("data")->hideFields(hidden);
  hidden.clear();
  if (!text) hidden.emplace_back("length");
  const Json& mechanism = model["mechanism"];
  const bool softmax = mechanism == "softmax", biased = !softmax && mechanism != "aft_simple";
  hidden.emplace_back(softmax ? "query" : "heads");
  if (mechanism != "aft_local") hidden.emplace_back("window");
  if (!biased) hidden.emplace_back("factorised");
  if (!biased || model["factorised"] == false) hidden.emplace_back("rank");
  m_forms.at("model")->hideFields(hidden);
}

void SequenceTrainPage::lockSettings(bool locked) {
  for (const auto& [key, form] : m_forms) {
    std::vector<std::string> names;
    if (locked)
      for (const Parameter& parameter : *sequenceSection(key).table)
        names.push_back(parameter.name);
    form->setReadOnlyFields(names);
  }
  for (QWidget* button : m_dataButtons)
    button->setEnabled(!locked);
}

// --- Choosing files and folders ----------------------------------------------------------------

void SequenceTrainPage::chooseRunFolder() {
  askForFolder(this, tr("Run folder"), QString::fromStdString(runsFolder().string()),
               [this](const QString& folder) { setRunFolder(folder); });
}

void SequenceTrainPage::chooseStartWeights() {
  FileQuestion question;
  question.title = tr("Weights to begin with");
  question.start = QString::fromStdString(runsFolder().string());
  question.filter = tr("Checkpoints (*.safetensors);;All files (*)");
  askForPath(this, question, [this](const QString& path) {
    if (!takesSettings()) return;
    m_forms.at("training")->setValue(QStringLiteral("weights"), path.toStdString());
    onSettingsChanged();
  });
}

void SequenceTrainPage::choosePictures() {
  askForFolder(this, tr("Folder of the pictures"), {},
               [this](const QString& folder) { setPictures(folder); });
}

void SequenceTrainPage::chooseTextFile() {
  FileQuestion question;
  question.title = tr("Text to learn from");
  question.filter = tr("All files (*)");
  askForPath(this, question, [this](const QString& path) { setTextFile(path); });
}

}  // namespace headlight
