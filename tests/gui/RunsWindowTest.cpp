// Runs beside runs in the window: the table follows the folder, selected runs are compared.

#include <QComboBox>
#include <QFile>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>

#include "tests/gui/EndlessExperiment.h"
#include "tests/gui/Grab.h"
#include "tests/gui/SyntheticLook.h"
#include "ui/plots/Plotting.h"
#include "ui/plots/RunCurvesPlot.h"
#include "ui/training/RunsWindow.h"

using namespace headlight;
using namespace headlight::synthetic;
namespace fs = std::filesystem;

class RunsWindowTest : public QObject {
  Q_OBJECT

  static void writeRun(const fs::path& folder, double rate, double top1) {
    Experiment experiment = endlessExperiment();
    experiment.training.learningRate = rate;
    fs::create_directories(folder);
    std::ofstream(folder / "config.json") << experimentToText(experiment);
    std::ofstream lines(folder / "metrics.jsonl");
    for (int step = 1; step <= 20; ++step)
      lines << Json{{"type", "step"},
                    {"step", step},
                    {"steps", 40},
                    {"epoch", (step - 1) / 10},
                    {"loss", 2.0 / step + rate}}
                   .dump()
            << "\n";
    for (int epoch = 1; epoch <= 2; ++epoch)
      lines << Json{{"type", "epoch"},
                    {"step", 10 * epoch},
                    {"epoch", epoch},
                    {"validation_loss", 1.0},
                    {"top1", top1 * epoch / 2}}
                   .dump()
            << "\n";
  }
  static void selectAll(RunsWindow& window) {
    QSignalSpy compared(&window, &RunsWindow::compared);
    window.table()->selectAll();
    QTRY_VERIFY(!compared.isEmpty());
  }

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void runsAreListedComparedAndExported() {
    const QTemporaryDir folder;
    const fs::path at = folder.path().toStdString();
    writeRun(at / "a", 0.001, 0.5);
    writeRun(at / "b" / "seed-0", 0.002, 0.75);
    RunsWindow window(folder.path());
    QSignalSpy listed(&window, &RunsWindow::listed);
    window.show();
    QTRY_VERIFY(!listed.isEmpty());
    QCOMPARE(window.table()->rowCount(), 2);
    selectAll(window);
    QTRY_COMPARE(window.curves()->plot()->graphCount(), 2);
    QCOMPARE(window.curves()->plot()->graph(0)->dataCount(), 20);
    QCOMPARE(window.differences()->rowCount(), 1);
    QCOMPARE(window.differences()->item(0, 0)->text(), QStringLiteral("training.learning_rate"));
    QCOMPARE(window.differences()->item(0, 2)->text(), QStringLiteral("0.002"));
    window.findChild<QComboBox*>(QStringLiteral("runQuantity"))->setCurrentIndex(2);
    window.findChild<QComboBox*>(QStringLiteral("runAxis"))->setCurrentIndex(1);
    QCOMPARE(window.curves()->plot()->graph(1)->dataCount(), 2);
    QCOMPARE(window.curves()->plot()->graph(1)->dataMainValue(1), 75.0);
    QCOMPARE(window.curves()->plot()->graph(1)->dataMainKey(1), 2.0);
    window.exportTable(folder.filePath(QStringLiteral("runs.csv")));
    QFile csv(folder.filePath(QStringLiteral("runs.csv")));
    QVERIFY(csv.open(QIODevice::ReadOnly));
    QVERIFY(csv.readAll().contains("\"b/seed-0\","));
    saveGrabs(window, QStringLiteral("runs"));
  }

  void numbersAreSortedAsNumbers() {
    const QTemporaryDir folder;
    const fs::path at = folder.path().toStdString();
    writeRun(at / "a", 0.001, 0.095);
    writeRun(at / "b", 0.001, 0.5);
    writeRun(at / "c", 0.001, 0.25);
    fs::remove(at / "c" / "metrics.jsonl");
    RunsWindow window(folder.path());
    QSignalSpy listed(&window, &RunsWindow::listed);
    window.show();
    QTRY_VERIFY(!listed.isEmpty());
    window.table()->sortByColumn(6, Qt::DescendingOrder);
    QCOMPARE(window.table()->item(0, 0)->text(), QStringLiteral("b"));
    QCOMPARE(window.table()->item(1, 0)->text(), QStringLiteral("a"));
    QCOMPARE(window.table()->item(2, 0)->text(), QStringLiteral("c"));
  }

  void theSelectionStaysWhenRunsComeAndGo() {
    const QTemporaryDir folder;
    const fs::path at = folder.path().toStdString();
    for (const char* name : {"b", "c"})
      writeRun(at / name, 0.001, 0.5);
    RunsWindow window(folder.path());
    QSignalSpy listed(&window, &RunsWindow::listed);
    window.show();
    QTRY_VERIFY(!listed.isEmpty());
    window.table()->selectRow(1);
    writeRun(at / "a", 0.001, 0.5);
    fs::remove_all(at / "b");
    listed.clear();
    window.setFolder(folder.path());
    QTRY_VERIFY(!listed.isEmpty());
    QCOMPARE(window.table()->rowCount(), 2);
    QVERIFY(window.table()->item(1, 0)->isSelected());
    QCOMPARE(window.table()->item(1, 0)->text(), QStringLiteral("c"));
    fs::remove_all(at);
    listed.clear();
    window.setFolder(folder.path());
    QTRY_VERIFY(!listed.isEmpty());
    QCOMPARE(window.table()->rowCount(), 0);
    QVERIFY(!window.findChild<QPushButton*>(QStringLiteral("openRunBest"))->isEnabled());
  }
};

QTEST_MAIN(RunsWindowTest)
#include "RunsWindowTest.moc"
