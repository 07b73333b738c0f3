// SPDX-License-Identifier: GPL-3.0-or-later

// A sweep from the window: varied settings, number of runs and estimated time, the table of
// results, the sweep file, and errors.

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "core/workbench/sweeps/SweepDesign.h"
#include "tests/gui/EndlessExperiment.h"
#include "tests/gui/Grab.h"
#include "tests/gui/SyntheticInference.h"
#include "ui/base/Resources.h"
#include "ui/plots/Plotting.h"
#include "ui/plots/SweepPlot.h"
#include "ui/runs/SweepDialog.h"
#include "ui/runs/SweepSettingRow.h"
#include "ui/runs/SweepSettings.h"
#include "ui/runs/SweepTable.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"

using namespace headlight;
using namespace headlight::synthetic;

namespace {

constexpr int kLongWait = 120'000;

Experiment sweptExperiment(std::int64_t epochs) {
  Experiment experiment = endlessExperiment();
  experiment.name = "swept";
  experiment.training.epochs = epochs;
  experiment.data.trainSamples = 32;
  experiment.data.validationSamples = 18;
  return experiment;
}

QString statusOf(const SweepDialog& dialog) {
  return dialog.findChild<MessageLabel*>(QStringLiteral("sweepStatus"))->text();
}

QString timeOf(const SweepDialog& dialog) {
  return dialog.findChild<QLabel*>(QStringLiteral("sweepTime"))->text();
}

QPushButton* buttonOf(const SweepDialog& dialog, const char* name) {
  return dialog.findChild<QPushButton*>(QString::fromLatin1(name));
}

}  // namespace

class SweepDialogTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }
  void init() { failOnQtWarnings(); }

  void tableFillsAndCurveIsDrawn() {
    const QTemporaryDir folder;
    SweepDialog dialog(sweptExperiment(1));
    QSignalSpy planned(&dialog, &SweepDialog::planned), estimated(&dialog, &SweepDialog::estimated);
    dialog.setFolder(folder.filePath(QStringLiteral("sweep")));
    dialog.settings()->setSettings({{"data.fraction", "0.5, 1"}, {"masks", "none, sch1"}});
    dialog.settings()->setSeeds(QStringLiteral("0,1"));
    QTRY_VERIFY_WITH_TIMEOUT(dialog.plan(), kLongWait);
    QCOMPARE(dialog.plan()->variants.size(), std::size_t(4));
    QTRY_VERIFY_WITH_TIMEOUT(dialog.estimate().has_value(), kLongWait);
    QCOMPARE(dialog.estimate()->left, 8);
    QVERIFY2(timeOf(dialog).contains(QStringLiteral("runs: 8")), qPrintable(timeOf(dialog)));
    QVERIFY2(timeOf(dialog).contains(QStringLiteral("about")), qPrintable(timeOf(dialog)));
    QCOMPARE(dialog.table()->rowCount(), 4);

    QSignalSpy ended(&dialog, &SweepDialog::ended);
    buttonOf(dialog, "startSweep")->click();
    QVERIFY(dialog.isSweeping() && !buttonOf(dialog, "startSweep")->isEnabled());
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kLongWait);
    QVERIFY2(statusOf(dialog).contains(QStringLiteral("Finished")), qPrintable(statusOf(dialog)));
    QCOMPARE(dialog.table()->item(0, 1)->text(), QStringLiteral("2/2"));
    QVERIFY(dialog.table()->item(3, 2)->text().contains(QStringLiteral("±")));
    QCOMPARE(dialog.plot()->plot()->graphCount(), 2);
    QCOMPARE(dialog.plot()->plot()->graph(0)->dataCount(), 2);
    // The same numbers as the command's.
    const auto report = valueOrThrow(sweepReport(*dialog.plan(), dialog.folder().toStdString()));
    QCOMPARE(dialog.table()->item(2, 2)->text(),
             QString::fromStdString(percentText(report.rows[2].best)));
    QCOMPARE(dialog.plot()->plot()->graph(1)->data()->at(1)->value, 100 * report.rows[3].best.mean);
    dialog.show();
    saveGrabs(dialog, QStringLiteral("sweep"));
    // Fractions have an order, schemes have none: points, with chance in sight.
    QCustomPlot* plot = dialog.plot()->plot();
    QCOMPARE(plot->graph(0)->lineStyle(), QCPGraph::lsLine);
    auto* axis = dialog.findChild<QComboBox*>(QStringLiteral("sweepAxis"));
    axis->setCurrentIndex(axis->findData(QStringLiteral("masks.scheme")));
    QCOMPARE(plot->graphCount(), 2);
    for (int i = 0; i < 2; ++i)
      QCOMPARE(plot->graph(i)->lineStyle(), QCPGraph::lsNone);
    QVERIFY(plot->graph(0)->data()->at(0)->key != plot->graph(1)->data()->at(0)->key);
    QVERIFY(plot->yAxis->range().contains(100.0 / 9));
    QVERIFY2(plot->yAxis->label().contains(QStringLiteral("over 2 seeds")),
             qPrintable(plot->yAxis->label()));
    saveGrabs(dialog, QStringLiteral("sweep-names"));

    // Opened again it is that sweep, with all that is finished.
    SweepDialog again(sweptExperiment(3));
    again.setFolder(folder.filePath(QStringLiteral("sweep")));
    QTRY_VERIFY_WITH_TIMEOUT(again.plan(), kLongWait);
    QTRY_COMPARE(again.table()->rowCount(), 4);
    QCOMPARE(again.table()->item(0, 1)->text(), QStringLiteral("2/2"));
    QVERIFY(timeOf(again).contains(QStringLiteral("finished: 8")));
  }

  void readySweepUsesThisDataAndItsFileMatches() {
    const QTemporaryDir folder;
    SweepDialog dialog(sweptExperiment(2));
    dialog.settings()->chooseReady(QStringLiteral("ibit-figure4"));
    QTRY_VERIFY_WITH_TIMEOUT(dialog.plan(), kLongWait);
    QCOMPARE(dialog.plan()->variants.size(), std::size_t(10));
    const Experiment& first = dialog.plan()->variants.front().experiment;
    QCOMPARE(first.data.dataset, std::string("texture-shape"));
    QCOMPARE(first.data.fraction, 0.05);
    QCOMPARE(first.training.epochs, 2);
    auto* axis = dialog.findChild<QComboBox*>(QStringLiteral("sweepAxis"));
    QCOMPARE(axis->itemData(0).toString(), QStringLiteral("data.fraction"));
    auto* about = dialog.findChild<QLabel*>(QStringLiteral("sweepAbout"));
    QVERIFY(about->text().contains(QStringLiteral("ImageNet")));
    const QString saved = folder.filePath(QStringLiteral("saved.json"));
    dialog.saveFile(saved);
    const auto plan = valueOrThrow(readSweep(saved.toStdString()));
    QCOMPARE(plan.variants.size(), std::size_t(10));
    QCOMPARE(experimentToJson(plan.variants[4].experiment),
             experimentToJson(dialog.plan()->variants[4].experiment));
    dialog.show();
    saveGrabs(dialog, QStringLiteral("sweep-ready"));
  }

  void everyReadySweepCanBeRead() {
    SweepDialog dialog(sweptExperiment(6));
    auto* source = dialog.findChild<QComboBox*>(QStringLiteral("sweepSource"));
    QVERIFY(source->count() > 12);
    for (int i = 1; i + 1 < source->count(); ++i) {
      dialog.settings()->chooseReady(source->itemText(i));
      QSignalSpy planned(&dialog, &SweepDialog::planned);
      QTRY_COMPARE_WITH_TIMEOUT(planned.size(), 1, kLongWait);
      QVERIFY2(dialog.plan(), qPrintable(source->itemText(i) + ": " + statusOf(dialog)));
    }
  }

  void stoppingKeepsResults() {
    ScopedDialogs asBefore;
    const QTemporaryDir folder;
    SweepDialog dialog(sweptExperiment(100'000));
    dialog.setFolder(folder.filePath(QStringLiteral("long")));
    dialog.settings()->setSettings({{"masks", "none, sch1"}});
    QTRY_VERIFY_WITH_TIMEOUT(dialog.plan(), kLongWait);
    QSignalSpy ended(&dialog, &SweepDialog::ended);
    dialog.show();
    dialog.start();
    const QString first = folder.filePath(QStringLiteral("long/none/seed-0/metrics.csv"));
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(first), kLongWait);
    dialogs().confirm = [](QWidget*, const QString&, const QString&, const QString&,
                           const auto& answer) { answer(false); };
    dialog.close();
    QVERIFY(dialog.isVisible() && dialog.isSweeping());
    dialogs().confirm = [](QWidget*, const QString&, const QString&, const QString&,
                           const auto& answer) { answer(true); };
    dialog.close();
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kLongWait);
    QTRY_VERIFY(!dialog.isVisible());
    QVERIFY(QFile::exists(folder.filePath(QStringLiteral("long/none/seed-0/last.safetensors"))));
  }

  void errorsAreReportedAndCleared() {
    SweepDialog dialog(sweptExperiment(1));
    QTRY_VERIFY(statusOf(dialog).contains(QStringLiteral("Choose a setting")));
    QVERIFY(!buttonOf(dialog, "startSweep")->isEnabled());
    dialog.settings()->setSettings({{"training.epoch", "1,2"}});
    QTRY_VERIFY(statusOf(dialog).contains(QStringLiteral("training.epochs")));
    dialog.settings()->setSettings({{"training.epochs", "1,2"}});
    QTRY_VERIFY_WITH_TIMEOUT(dialog.plan(), kLongWait);
    QVERIFY(buttonOf(dialog, "startSweep")->isEnabled());
    dialog.settings()->setSeeds(QStringLiteral("one"));
    QTRY_VERIFY(statusOf(dialog).contains(QStringLiteral("seeds")));
    QVERIFY(!dialog.plan());
    dialog.settings()->setSeeds(QStringLiteral("1"));
    dialog.settings()->chooseReady(QStringLiteral("mait-table3"));
    QTRY_VERIFY(statusOf(dialog).contains(QStringLiteral("several values")));
  }

  void rowOffersValuesOfItsSetting() {
    SweepSettingRow row;
    QSignalSpy changed(&row, &SweepSettingRow::changed);
    row.setSetting({"model.mechanism", "softmax"});
    auto* menu = row.findChild<QMenu*>();
    Q_EMIT menu->aboutToShow();
    QAction* aft = nullptr;
    for (QAction* action : menu->actions())
      if (action->text() == QStringLiteral("aft_conv")) aft = action;
    QVERIFY(aft && !aft->isChecked());
    aft->trigger();
    QCOMPARE(row.setting().values, std::string("softmax, aft_conv"));
    aft->trigger();
    QCOMPARE(row.setting().values, std::string("softmax"));
    QVERIFY(changed.size() > 2);
  }
};

QTEST_MAIN(SweepDialogTest)
#include "SweepDialogTest.moc"
