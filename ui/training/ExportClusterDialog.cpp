// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/ExportClusterDialog.h"

#include <QCheckBox>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QDir>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include "core/base/ShellText.h"
#include "core/config/DatasetKinds.h"
#include "ui/base/BackgroundTask.h"
#include "ui/base/CoreText.h"
#include "ui/base/Icons.h"
#include "ui/document/Folders.h"
#include "ui/forms/ParameterForm.h"
#include "ui/forms/PathRow.h"
#include "ui/training/RunFolders.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {

ExportClusterDialog::ExportClusterDialog(const Experiment& experiment,
                                         const std::string& loadedWeights, QWidget* parent)
    : QDialog(parent),
      m_experiment(experiment),
      m_loaded(loadedWeights),
      m_files(new BackgroundTask(this)),
      m_folder(new PathRow({"clusterFolder",
                            tr("F&older"),
                            tr("Folder to export to"),
                            tr("The folder is created here, for you to copy to the cluster. An "
                               "earlier export in it is replaced"),
                            {},
                            "browseCluster",
                            tr("Browse…"),
                            {}},
                           this)),
      m_form(new ParameterForm(clusterParameters(), {}, this)),
      m_fromLoaded(new QCheckBox(tr("Start from the &loaded weights"), this)),
      m_pages(new QTabWidget(this)),
      m_status(new MessageLabel(this)) {
  setObjectName(QStringLiteral("exportClusterDialog"));
  setWindowTitle(tr("Export for a cluster"));
  resize(980, 640);
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(8);
  layout->addWidget(new QLabel(tr("Create a folder to train elsewhere: the config with masks and "
                                  "edits, the weights, and the scripts that start the training."),
                               this));
  auto* middle = new QSplitter(Qt::Horizontal, this);
  middle->setChildrenCollapsible(false);
  middle->addWidget(makeSettings(loadedWeights));
  middle->addWidget(m_pages);
  middle->setSizes({420, 560});
  layout->addWidget(middle, 1);
  layout->addWidget(m_folder);
  layout->addWidget(m_status);
  layout->addWidget(makeButtons());
  m_status->setObjectName(QStringLiteral("clusterStatus"));
  m_pages->setObjectName(QStringLiteral("clusterPages"));
  m_folder->setPath(QDir(documentsFolder())
                        .filePath(QString::fromStdString(folderName(experiment.name)) +
                                  QStringLiteral("-cluster")));
  connect(m_form, &ParameterForm::changed, this, &ExportClusterDialog::refresh);
  connect(m_fromLoaded, &QCheckBox::toggled, this, &ExportClusterDialog::refresh);
  connect(m_folder, &PathRow::browseRequested, this, &ExportClusterDialog::chooseFolder);
  connect(m_folder, &PathRow::edited, this, &ExportClusterDialog::refresh);
  refresh();
}

QWidget* ExportClusterDialog::makeSettings(const std::string& loadedWeights) {
  auto* settings = new QWidget(this);
  auto* column = new QVBoxLayout(settings);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(m_form, 1);
  column->addWidget(m_fromLoaded);
  m_form->setFilterVisible(false);
  m_fromLoaded->setObjectName(QStringLiteral("clusterFromLoaded"));
  m_fromLoaded->setEnabled(!loadedWeights.empty());
  m_fromLoaded->setChecked(!loadedWeights.empty() &&
                           m_experiment.training.weights == loadedWeights);
  m_fromLoaded->setToolTip(
      loadedWeights.empty()
          ? tr("The loaded model has random weights or is not saved (Ctrl+S)")
          : tr("Copies %1 into the folder").arg(QString::fromStdString(loadedWeights)));
  return settings;
}

QWidget* ExportClusterDialog::makeButtons() {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  m_export = buttons->addButton(tr("Export"), QDialogButtonBox::ActionRole);
  m_export->setObjectName(QStringLiteral("exportCluster"));
  m_export->setIcon(lineIcon(QStringLiteral("export")));
  m_export->setDefault(true);
  auto* copy = buttons->addButton(tr("Copy Command"), QDialogButtonBox::ActionRole);
  copy->setObjectName(QStringLiteral("copyClusterCommand"));
  copy->setToolTip(tr("Copy the command that starts the script shown"));
  connect(m_export, &QPushButton::clicked, this, &ExportClusterDialog::exportNow);
  connect(copy, &QPushButton::clicked, this, [this] {
    QGuiApplication::clipboard()->setText(command());
    m_status->setMessage(tr("Copied to the clipboard: %1").arg(command()));
  });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  return buttons;
}

Experiment ExportClusterDialog::experiment() const {
  Experiment wanted = m_experiment;
  if (m_fromLoaded->isChecked())
    wanted.training.weights = m_loaded;
  else if (wanted.training.weights == m_loaded)
    wanted.training.weights.clear();
  return wanted;
}

ClusterPlan ExportClusterDialog::plan() const {
  ClusterPlan plan;
  // An invalid field shows its own error; nothing is exported until it is corrected.
  static_cast<void>(readParameters(clusterParameters(), m_form->values(), &plan, {}));
  return plan;
}

QString ExportClusterDialog::folder() const {
  return QString::fromStdString(typedFolder(m_folder->path()).string());
}

void ExportClusterDialog::setFolder(const QString& path) {
  m_folder->setPath(path);
  refresh();
}

QString ExportClusterDialog::command() const {
  const int script = m_pages->currentIndex() - 1;
  const auto& launcher = m_launchers.at(static_cast<std::size_t>(std::max(script, 0)));
  return QStringLiteral("cd %1 && %2")
      .arg(QString::fromStdString(shellQuoted(folder().toStdString())),
           QString::fromStdString(launcher.command));
}

void ExportClusterDialog::addPage(const QString& name) {
  auto* text = new QPlainTextEdit(m_pages);
  text->setObjectName(QStringLiteral("page.") + name);
  text->setAccessibleName(name);
  text->setReadOnly(true);
  text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  text->setLineWrapMode(QPlainTextEdit::NoWrap);
  m_pages->addTab(text, name);
}

void ExportClusterDialog::refresh() {
  const ClusterPlan wanted = plan();
  const Experiment exported = plannedExperiment(experiment(), wanted);
  m_launchers = launcherScripts(exported, wanted);
  if (m_pages->count() == 0) {
    addPage(QStringLiteral("config.json"));
    for (const LauncherScript& launcher : m_launchers) {
      addPage(QString::fromStdString(launcher.name));
      m_pages->setTabToolTip(m_pages->count() - 1, coreText(launcher.help));
    }
    m_pages->setCurrentIndex(1);
  }
  const auto show = [this](int page, const std::string& text) {
    auto* view = qobject_cast<QPlainTextEdit*>(m_pages->widget(page));
    view->setPlainText(QString::fromStdString(text));
  };
  show(0, experimentToText(exported));
  for (std::size_t i = 0; i < m_launchers.size(); ++i)
    show(static_cast<int>(i) + 1, m_launchers[i].text);
  const bool right = m_form->isValid() && !m_folder->path().trimmed().isEmpty();
  m_export->setEnabled(right && !m_files->isBusy());
  const bool dataAreHere = !isDrawnData(exported.data.dataset) && wanted.dataFolder.empty();
  if (!m_form->isValid())
    m_status->setMessage(m_form->firstError(), MessageLabel::Tone::Problem);
  else if (dataAreHere)
    m_status->setMessage(
        tr("The data is in %1 on this machine. If it is elsewhere on the cluster, enter that data "
           "folder here, or set DATA when you start a script.")
            .arg(QDir::toNativeSeparators(QString::fromStdString(exported.data.path))));
  else
    m_status->setMessage({});
}

void ExportClusterDialog::chooseFolder() {
  askForFolder(this, tr("Export to a folder"), folder(),
               [this](const QString& path) { setFolder(path); });
}

void ExportClusterDialog::exportNow() {
  m_export->setEnabled(false);
  m_status->setMessage(tr("Writing…"));
  m_files->run<Result<ClusterExport>>(
      [experiment = experiment(), plan = plan(), folder = folder().toStdString()](std::stop_token) {
        return exportForCluster(experiment, plan, folder);
      },
      [this](const Result<ClusterExport>& outcome) { onExported(outcome); });
}

void ExportClusterDialog::onExported(const Result<ClusterExport>& outcome) {
  m_export->setEnabled(true);
  if (!outcome) {
    m_status->setMessage(tr("Not exported. %1").arg(QString::fromStdString(outcome.error().text())),
                         MessageLabel::Tone::Problem);
    return Q_EMIT failed(m_status->text());
  }
  const QString folder = QString::fromStdString(outcome->folder.string());
  m_status->setMessage(
      tr("Exported to %1. Copy the folder to the cluster and start one of its scripts there.")
          .arg(QDir::toNativeSeparators(folder)));
  Q_EMIT exported(folder);
}

}  // namespace headlight
