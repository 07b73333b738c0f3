// SPDX-License-Identifier: GPL-3.0-or-later

// Exporting for a cluster: the preview matches the files, and invalid settings write nothing.

#include <QCheckBox>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QGuiApplication>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include "tests/gui/Grab.h"
#include "tests/gui/SyntheticInference.h"
#include "ui/forms/ParameterForm.h"
#include "ui/training/ExportClusterDialog.h"
#include "ui/training/ExportConfigDialog.h"
#include "ui/widgets/MessageLabel.h"

using namespace headlight;
using namespace headlight::synthetic;

class ExportClusterTest : public QObject {
  Q_OBJECT

  static Experiment anExperiment() {
    Experiment experiment;
    experiment.name = "mine";
    experiment.masks.scheme = "sch2";
    return experiment;
  }
  static QString textOf(const ExportClusterDialog& dialog, const char* page) {
    return dialog.findChild<QPlainTextEdit*>(QStringLiteral("page.") + QLatin1String(page))
        ->toPlainText();
  }
  static QString written(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  }
  static MessageLabel* status(const ExportClusterDialog& dialog) {
    return dialog.findChild<MessageLabel*>(QStringLiteral("clusterStatus"));
  }
  static QPushButton* button(const ExportClusterDialog& dialog) {
    return dialog.findChild<QPushButton*>(QStringLiteral("exportCluster"));
  }

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void previewIsWritten() {
    const QTemporaryDir folder;
    ExportClusterDialog dialog(anExperiment(), {});
    dialog.setFolder(folder.filePath(QStringLiteral("a folder")));
    auto* form = dialog.findChild<ParameterForm*>();
    form->setValue(QStringLiteral("machines"), 3);
    Q_EMIT form->changed();
    QVERIFY(textOf(dialog, "slurm.sbatch").contains(QStringLiteral("#SBATCH --nodes=3")));
    QSignalSpy exported(&dialog, &ExportClusterDialog::exported);
    button(dialog)->click();
    QTRY_COMPARE(exported.size(), 1);
    const QDir out(exported.front().front().toString());
    QCOMPARE(out.dirName(), QStringLiteral("a folder"));
    for (const char* name : {"config.json", "run.sh", "torchrun.sh", "mpirun.sh", "slurm.sbatch"})
      QCOMPARE(written(out.filePath(QLatin1String(name))).trimmed(),
               textOf(dialog, name).trimmed());
    QVERIFY(QFile::permissions(out.filePath(QStringLiteral("run.sh"))) & QFile::ExeOwner);
  }

  void commandMatchesShownScript() {
    ExportClusterDialog dialog(anExperiment(), {});
    dialog.setFolder(QStringLiteral("/tmp/it's"));
    QCOMPARE(dialog.command(), QStringLiteral("cd '/tmp/it'\\''s' && ./run.sh"));
    dialog.findChild<QTabWidget*>(QStringLiteral("clusterPages"))->setCurrentIndex(4);
    dialog.findChild<QPushButton*>(QStringLiteral("copyClusterCommand"))->click();
    QCOMPARE(QGuiApplication::clipboard()->text(),
             QStringLiteral("cd '/tmp/it'\\''s' && sbatch slurm.sbatch"));
  }

  void loadedWeightsAreCopied() {
    const QTemporaryDir folder;
    const QString weights = folder.filePath(QStringLiteral("mine.safetensors"));
    QFile file(weights);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("weights") == 7);
    file.close();
    ExportClusterDialog dialog(anExperiment(), weights.toStdString());
    auto* loaded = dialog.findChild<QCheckBox*>(QStringLiteral("clusterFromLoaded"));
    QVERIFY(loaded->isEnabled() && !loaded->isChecked());
    loaded->setChecked(true);
    dialog.setFolder(folder.filePath(QStringLiteral("out")));
    QSignalSpy exported(&dialog, &ExportClusterDialog::exported);
    dialog.exportNow();
    QTRY_COMPARE(exported.size(), 1);
    QCOMPARE(written(folder.filePath(QStringLiteral("out/mine.safetensors"))),
             QStringLiteral("weights"));
    QVERIFY(written(folder.filePath(QStringLiteral("out/config.json")))
                .contains(QStringLiteral("\"weights\": \"mine.safetensors\"")));
    loaded->setChecked(false);
    QVERIFY(dialog.experiment().training.weights.empty());
    QVERIFY(!ExportClusterDialog(anExperiment(), {})
                 .findChild<QCheckBox*>(QStringLiteral("clusterFromLoaded"))
                 ->isEnabled());
  }

  void localDataPathIsReported() {
    Experiment experiment = anExperiment();
    experiment.data.dataset = "image-folder";
    experiment.data.path = "/home/me/images";
    ExportClusterDialog dialog(experiment, {});
    QVERIFY(status(dialog)->text().contains(QStringLiteral("/home/me/images")));
    auto* form = dialog.findChild<ParameterForm*>();
    form->setValue(QStringLiteral("data_folder"), "/scratch");
    Q_EMIT form->changed();
    QVERIFY(status(dialog)->text().isEmpty());
    QVERIFY(textOf(dialog, "config.json").contains(QStringLiteral("/scratch")));
    form->setValue(QStringLiteral("data_folder"), "scratch");
    Q_EMIT form->changed();
    QCOMPARE(status(dialog)->tone(), MessageLabel::Tone::Problem);
    QVERIFY(!button(dialog)->isEnabled());
  }

  void unwritableFolderIsReported() {
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("file")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();
    ExportClusterDialog dialog(anExperiment(), {});
    dialog.setFolder(file.fileName());
    QSignalSpy failed(&dialog, &ExportClusterDialog::failed);
    dialog.exportNow();
    QTRY_COMPARE(failed.size(), 1);
    QCOMPARE(status(dialog)->tone(), MessageLabel::Tone::Problem);
    QVERIFY(button(dialog)->isEnabled());
  }

  void configDialogOpensIt() {
    ExportConfigDialog dialog(anExperiment());
    QSignalSpy wanted(&dialog, &ExportConfigDialog::clusterRequested);
    dialog.findChild<QPushButton*>(QStringLiteral("configForCluster"))->click();
    QCOMPARE(wanted.size(), 1);
  }

  void images() {
    ExportClusterDialog dialog(anExperiment(), "/home/me/mine.safetensors");
    dialog.setFolder(QStringLiteral("/home/me/mine-cluster"));
    dialog.show();
    saveGrabs(dialog, QStringLiteral("export-cluster"));
  }
};

QTEST_MAIN(ExportClusterTest)
#include "ExportClusterTest.moc"
