// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/ExportConfigDialog.h"

#include <QCheckBox>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/base/ShellText.h"
#include "core/workbench/export/ConfigExport.h"
#include "ui/base/BackgroundTask.h"
#include "ui/base/Icons.h"
#include "ui/training/RunFolders.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

QString shellText(const QString& text) {
  return QString::fromStdString(shellQuoted(text.toStdString()));
}

}  // namespace

ExportConfigDialog::ExportConfigDialog(const Experiment& experiment, QWidget* parent)
    : QDialog(parent),
      m_experiment(experiment),
      m_files(new BackgroundTask(this)),
      m_text(new QPlainTextEdit(this)),
      m_command(new QLineEdit(this)),
      m_copyWeights(new QCheckBox(tr("Copy the weights beside the config"), this)),
      m_status(new MessageLabel(this)) {
  setObjectName(QStringLiteral("exportConfigDialog"));
  setWindowTitle(tr("Export config"));
  resize(680, 560);
  m_path = QString::fromStdString(folderName(experiment.name)) + QStringLiteral(".json");
  const QFont mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  m_text->setObjectName(QStringLiteral("configText"));
  m_text->setAccessibleName(tr("The experiment as JSON"));
  m_text->setReadOnly(true);
  m_text->setFont(mono);
  m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
  m_text->setPlainText(QString::fromStdString(experimentToText(experiment)));
  m_command->setObjectName(QStringLiteral("configCommand"));
  m_command->setAccessibleName(tr("The command that trains it"));
  m_command->setReadOnly(true);
  m_command->setFont(mono);
  m_status->setObjectName(QStringLiteral("configStatus"));

  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(8);
  layout->addWidget(new QLabel(
      tr("The complete config of this training, masks included, for headlight-cli train."), this));
  layout->addWidget(m_text, 1);
  layout->addWidget(new QLabel(tr("Train it with"), this));
  auto* row = new QHBoxLayout;
  row->addWidget(m_command, 1);
  auto* copyCommand = new QPushButton(tr("Copy Command"), this);
  copyCommand->setObjectName(QStringLiteral("copyCommand"));
  connect(copyCommand, &QPushButton::clicked, this, [this] {
    QGuiApplication::clipboard()->setText(command());
    m_status->setMessage(tr("The command was copied to the clipboard."));
  });
  row->addWidget(copyCommand);
  layout->addLayout(row);
  m_copyWeights->setObjectName(QStringLiteral("copyWeights"));
  m_copyWeights->setToolTip(
      tr("Copies starting weights and teacher checkpoints stored elsewhere, so that you can move "
         "the folder to another machine"));
  m_copyWeights->setVisible(!weightsNamedBy(experiment).empty());
  m_copyWeights->setChecked(true);
  layout->addWidget(m_copyWeights);
  layout->addWidget(m_status);

  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  auto* save = buttons->addButton(tr("Save…"), QDialogButtonBox::ActionRole);
  save->setObjectName(QStringLiteral("saveConfig"));
  save->setIcon(lineIcon(QStringLiteral("save")));
  save->setDefault(true);
  auto* copy = buttons->addButton(tr("Copy JSON"), QDialogButtonBox::ActionRole);
  copy->setObjectName(QStringLiteral("copyConfig"));
  auto* cluster = buttons->addButton(tr("For a Cluster…"), QDialogButtonBox::ActionRole);
  cluster->setObjectName(QStringLiteral("configForCluster"));
  cluster->setToolTip(tr("Export a folder with this config, its weights and start scripts"));
  connect(cluster, &QPushButton::clicked, this, [this] { Q_EMIT clusterRequested(m_experiment); });
  connect(save, &QPushButton::clicked, this, &ExportConfigDialog::chooseFile);
  connect(copy, &QPushButton::clicked, this, [this] {
    QGuiApplication::clipboard()->setText(json());
    m_status->setMessage(tr("The JSON was copied to the clipboard."));
  });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout->addWidget(buttons);
  refreshCommand();
}

QString ExportConfigDialog::json() const {
  return m_text->toPlainText();
}

QString ExportConfigDialog::command() const {
  return m_command->text();
}

void ExportConfigDialog::refreshCommand() {
  const QString folder =
      QStringLiteral("runs/") + QString::fromStdString(folderName(m_experiment.name));
  m_command->setText(
      QStringLiteral("headlight-cli train %1 --run %2").arg(shellText(m_path), shellText(folder)));
  m_command->setCursorPosition(0);
}

void ExportConfigDialog::chooseFile() {
  askWhereToSave(this, tr("Save config"), m_path, tr("Configs (*.json)"),
                 [this](const QString& path) { saveTo(path); });
}

void ExportConfigDialog::saveTo(const QString& path) {
  const bool copyWeights = m_copyWeights->isChecked();
  m_files->run<Result<Experiment>>(
      [path = path.toStdString(), experiment = m_experiment, copyWeights](std::stop_token) {
        return exportConfig(experiment, path, copyWeights);
      },
      [this, path](Result<Experiment> written) {
        if (!written) {
          m_status->setMessage(
              tr("Not saved. %1").arg(QString::fromStdString(written.error().text())),
              MessageLabel::Tone::Problem);
          return Q_EMIT failed(m_status->text());
        }
        m_path = path;
        m_text->setPlainText(QString::fromStdString(experimentToText(*written)));
        refreshCommand();
        m_status->setMessage(tr("Saved to %1.").arg(path));
        Q_EMIT saved(path);
      });
}

}  // namespace headlight
