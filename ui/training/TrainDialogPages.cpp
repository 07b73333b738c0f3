// TrainDialog's pages, footer and buttons, and the questions for folders.

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QPushButton>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/base/Dialogs.h"
#include "ui/base/Icons.h"
#include "ui/base/MessageLabel.h"
#include "ui/document/Document.h"
#include "ui/forms/ParameterForm.h"
#include "ui/forms/PathRow.h"
#include "ui/training/TrainDialog.h"

namespace headlight {

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

QWidget* TrainDialog::makeDataTab() {
  auto* page = new QWidget(this);
  m_dataFolder = new PathRow({"dataFolder",
                              tr("&Folder"),
                              tr("Folder of the dataset"),
                              tr("A folder of class folders, CIFAR-10/100 binary files or IDX "
                                 "files: its kind is found by itself"),
                              tr("none: procedural texture-shape images"),
                              "browseData",
                              tr("Browse…"),
                              {}},
                             page);
  m_dataFolder->setPath(QString::fromStdString(m_initial.data.path));
  m_dataNote = new MessageLabel(page);
  m_dataNote->setObjectName(QStringLiteral("dataNote"));
  auto* form = addForm("data");
  form->hideFields({"path"});
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_dataFolder);
  layout->addWidget(m_dataNote);
  layout->addWidget(form, 1);
  connect(m_dataFolder, &PathRow::browseRequested, this, &TrainDialog::chooseDataFolder);
  connect(m_dataFolder, &PathRow::edited, this, &TrainDialog::setDataFolder);
  return page;
}

QWidget* TrainDialog::makeFooter() {
  auto* footer = new QWidget(this);
  m_summaryLabel = new MessageLabel(footer);
  m_summaryLabel->setObjectName(QStringLiteral("dataSummary"));
  m_fromLoaded = new QCheckBox(tr("Start from the &loaded weights"), footer);
  m_fromLoaded->setObjectName(QStringLiteral("fromLoaded"));
  const bool hasFile = m_document->hasModel() && !m_document->model().weights.empty();
  m_fromLoaded->setEnabled(hasFile);
  m_fromLoaded->setToolTip(
      hasFile
          ? tr("Begins with %1 instead of random weights")
                .arg(QString::fromStdString(m_document->model().weights.string()))
          : tr("The loaded model has random weights, or was not saved: there is no file to begin "
               "with"));
  connect(m_fromLoaded, &QCheckBox::toggled, this, &TrainDialog::startFromLoaded);
  m_folder = new PathRow({"runFolder",
                          tr("Run f&older"),
                          tr("Run folder"),
                          tr("Where the config, metrics and checkpoints of this run are written"),
                          {},
                          "browseRun",
                          tr("Browse…"),
                          {}},
                         footer);
  m_error = new MessageLabel(footer);
  m_error->setObjectName(QStringLiteral("trainError"));
  auto* layout = new QVBoxLayout(footer);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_summaryLabel);
  layout->addWidget(m_fromLoaded);
  layout->addWidget(m_folder);
  layout->addWidget(m_error);
  connect(m_folder, &PathRow::browseRequested, this, &TrainDialog::chooseRunFolder);
  connect(m_folder, &PathRow::edited, this, &TrainDialog::setRunFolder);
  return footer;
}

void TrainDialog::makeButtons() {
  m_buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  auto* start = m_buttons->addButton(tr("Start Training"), QDialogButtonBox::AcceptRole);
  start->setObjectName(QStringLiteral("startTraining"));
  start->setIcon(lineIcon(QStringLiteral("play")));
  start->setDefault(true);
  m_export = m_buttons->addButton(tr("Export Config…"), QDialogButtonBox::ActionRole);
  m_export->setObjectName(QStringLiteral("exportTraining"));
  m_export->setIcon(lineIcon(QStringLiteral("export")));
  m_export->setToolTip(tr("Save these settings, model and masks for headlight-cli train"));
  connect(m_export, &QPushButton::clicked, this, [this] { Q_EMIT exportRequested(experiment()); });
  connect(m_buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

// --- Choosing folders --------------------------------------------------------------------------

void TrainDialog::chooseDataFolder() {
  askForFolder(this, tr("Folder of the dataset"), m_dataFolder->path(),
               [this](const QString& folder) { setDataFolder(folder); });
}

void TrainDialog::chooseRunFolder() {
  askForFolder(this, tr("Run folder"), QString::fromStdString(runsFolder().string()),
               [this](const QString& folder) { setRunFolder(folder); });
}

}  // namespace headlight
