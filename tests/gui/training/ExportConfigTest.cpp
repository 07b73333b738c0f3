// SPDX-License-Identifier: GPL-3.0-or-later

// Exporting: the JSON reads back as the same Experiment, the command is the one that trains it.

#include <QCheckBox>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QGuiApplication>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "core/models/Registry.h"
#include "tests/gui/Grab.h"
#include "tests/gui/SyntheticInference.h"
#include "ui/training/ExportConfigDialog.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"

using namespace headlight;
using namespace headlight::synthetic;

class ExportConfigTest : public QObject {
  Q_OBJECT

  static Experiment anExperiment() {
    Experiment experiment;
    experiment.name = "mine";
    experiment.model = findPublishedModel("deit_tiny_patch16_224")->config;
    experiment.model.name = "deit_tiny_patch16_224";
    experiment.masks.scheme = "sch2";
    experiment.training.epochs = 3;
    const MaskScheme scheme(12, 3);
    experiment.edits.push_back(
        {17, *makeMaskEdit(scheme, {{1, 2}}, *headMaskFromText("soft:5@0.25"), "soft")});
    return experiment;
  }

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void theJsonIsTheExperiment() {
    ExportConfigDialog dialog(anExperiment());
    const auto read = experimentFromText(dialog.json().toStdString(), "shown", modelCatalog());
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
    QCOMPARE(experimentToText(*read), experimentToText(anExperiment()));
    QCOMPARE(read->edits.size(), 1u);
  }

  void savingWritesFileAndNamesItInCommand() {
    ScopedDialogs asBefore;
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a config.json"));
    dialogs().files = [&](QWidget*, const FileQuestion& question, const auto& answer) {
      QCOMPARE(question.mode, FileQuestion::Mode::SaveFile);
      QCOMPARE(question.start, QStringLiteral("mine.json"));
      answer({path});
    };
    ExportConfigDialog dialog(anExperiment());
    QCOMPARE(dialog.command(), QStringLiteral("headlight-cli train mine.json --run runs/mine"));
    QSignalSpy saved(&dialog, &ExportConfigDialog::saved);
    dialog.findChild<QPushButton*>(QStringLiteral("saveConfig"))->click();
    QTRY_COMPARE(saved.size(), 1);
    const auto read = readExperiment(path.toStdString(), modelCatalog());
    QVERIFY(read.ok());
    QCOMPARE(experimentToText(*read), experimentToText(anExperiment()));
    QCOMPARE(dialog.command(),
             QStringLiteral("headlight-cli train '%1' --run runs/mine").arg(path));
  }

  void shellSpecialNamesAreQuoted() {
    Experiment experiment = anExperiment();
    experiment.name = "it's; $(mine) ../x";
    ExportConfigDialog dialog(experiment);
    QCOMPARE(dialog.command(), QStringLiteral("headlight-cli train it_s____mine__.._x.json --run "
                                              "runs/it_s____mine__.._x"));
  }

  void copying() {
    ExportConfigDialog dialog(anExperiment());
    dialog.findChild<QPushButton*>(QStringLiteral("copyCommand"))->click();
    QCOMPARE(QGuiApplication::clipboard()->text(), dialog.command());
    dialog.findChild<QPushButton*>(QStringLiteral("copyConfig"))->click();
    QCOMPARE(QGuiApplication::clipboard()->text(), dialog.json());
  }

  void writeErrorIsReported() {
    QTemporaryDir folder;
    ExportConfigDialog dialog(anExperiment());
    QSignalSpy failed(&dialog, &ExportConfigDialog::failed);
    dialog.saveTo(folder.filePath(QStringLiteral("no/such/config.json")));
    QTRY_COMPARE(failed.size(), 1);
    QCOMPARE(dialog.findChild<MessageLabel*>(QStringLiteral("configStatus"))->tone(),
             MessageLabel::Tone::Problem);
    QCOMPARE(dialog.command(), QStringLiteral("headlight-cli train mine.json --run runs/mine"));
  }

  void weightsAreCopiedWithConfig() {
    QTemporaryDir folder;
    const auto at = [&](const char* name) { return folder.filePath(QString::fromLatin1(name)); };
    QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("out")));
    QFile weights(at("mine.safetensors"));
    QVERIFY(weights.open(QIODevice::WriteOnly) && weights.write("weights") == 7);
    weights.close();
    Experiment experiment = anExperiment();
    experiment.training.weights = at("mine.safetensors").toStdString();
    ExportConfigDialog dialog(experiment);
    auto* copy = dialog.findChild<QCheckBox*>(QStringLiteral("copyWeights"));
    QVERIFY(!copy->isHidden() && copy->isChecked());
    QSignalSpy saved(&dialog, &ExportConfigDialog::saved);
    dialog.saveTo(at("out/config.json"));
    QTRY_COMPARE(saved.size(), 1);
    QVERIFY(QFile::exists(at("out/mine.safetensors")));
    QVERIFY(dialog.json().contains(QStringLiteral("\"weights\": \"mine.safetensors\"")));
    copy->setChecked(false);
    QVERIFY(QFile::remove(at("out/mine.safetensors")));
    dialog.saveTo(at("out/config.json"));
    QTRY_COMPARE(saved.size(), 2);
    QVERIFY(!QFile::exists(at("out/mine.safetensors")));
    QVERIFY(ExportConfigDialog(anExperiment())
                .findChild<QCheckBox*>(QStringLiteral("copyWeights"))
                ->isHidden());
  }

  void images() {
    ExportConfigDialog dialog(anExperiment());
    dialog.show();
    saveGrabs(dialog, QStringLiteral("export-config"));
  }
};

QTEST_MAIN(ExportConfigTest)
#include "ExportConfigTest.moc"
