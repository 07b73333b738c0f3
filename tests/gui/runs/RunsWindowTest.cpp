// SPDX-License-Identifier: GPL-3.0-or-later

// Comparing runs in the window: the table follows the folders, selected runs are compared.

#include <QComboBox>
#include <QElapsedTimer>
#include <QFile>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>

#include "core/workbench/figures/RunFigure.h"
#include "tests/gui/EndlessExperiment.h"
#include "tests/gui/Grab.h"
#include "tests/gui/Idle.h"
#include "tests/gui/SyntheticInference.h"
#include "tests/gui/WindowFixture.h"
#include "ui/bridge/RunsBridge.h"
#include "ui/plots/PlotExport.h"
#include "ui/plots/Plotting.h"
#include "ui/plots/RunCurvesPlot.h"
#include "ui/runs/RunPlaces.h"
#include "ui/runs/RunPlacesBar.h"
#include "ui/runs/RunsComparison.h"
#include "ui/runs/RunsTable.h"
#include "ui/runs/RunsTableModel.h"
#include "ui/runs/RunsWindow.h"
#include "ui/runs/WeightsButton.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"

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
  static void addStep(const fs::path& folder, int step, double loss) {
    std::ofstream(folder / "metrics.jsonl", std::ios::app)
        << Json{{"type", "step"}, {"step", step}, {"loss", loss}}.dump() << "\n";
  }
  static void writeTimes(const fs::path& folder) {
    std::ofstream(folder / "metrics.csv") << "epoch,step,seconds\n1,10,60\n2,20,90\n";
  }
  static QString bytesOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  }

  static double threadSeconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  /// A shown window of some folders, after all runs were read.
  struct ShownRuns {
    explicit ShownRuns(const QString& folder, const QString& file = {})
        : places(file, folder), window(&places), listed(&window, &RunsWindow::listed) {
      window.bridge()->setInterval(20);
      window.show();
    }
    void untilListed() {
      listed.clear();
      window.bridge()->poll();
      QTRY_VERIFY_WITH_TIMEOUT(!listed.isEmpty(), 60000);
    }
    RunsTable* table() { return window.table(); }
    int rows() { return table()->rows()->rowCount(); }
    QString text(int row, int column) { return table()->text(row, column); }
    QCustomPlot* plot() { return window.comparison()->curves()->plot(); }
    template <typename Part>
    Part* part(const char* name) {
      return window.findChild<Part*>(QLatin1String(name));
    }
    void selectAll() {
      QSignalSpy compared(&window, &RunsWindow::compared);
      table()->selectAll();
      QTRY_VERIFY(!compared.isEmpty());
    }

    RunPlaces places;
    RunsWindow window;
    QSignalSpy listed;
  };

 private Q_SLOTS:
  void init() {
    failOnQtWarnings();
    m_folder = std::make_unique<QTemporaryDir>();
  }

  void runsAreListedComparedAndExported() {
    writeRun(at("a"), 0.001, 0.5);
    writeRun(at("b/seed-0"), 0.002, 0.75);
    ShownRuns shown(m_folder->path());
    shown.untilListed();
    QCOMPARE(shown.rows(), 2);
    QVERIFY(shown.text(0, RunsTableModel::Config).startsWith(QStringLiteral("vit, softmax, 2 ")));
    shown.selectAll();
    QCOMPARE(shown.plot()->graphCount(), 2);
    QCOMPARE(shown.plot()->graph(0)->dataCount(), 2);  // validation first
    QTableWidget* differences = shown.window.comparison()->differences();
    QCOMPARE(differences->rowCount(), 1);
    QCOMPARE(differences->item(0, 0)->text(), QStringLiteral("training.learning_rate"));
    QCOMPARE(differences->item(0, 2)->text(), QStringLiteral("0.002"));
    shown.window.comparison()->choose(QStringLiteral("top1"), QStringLiteral("epochs"));
    QCOMPARE(shown.plot()->graph(1)->dataCount(), 2);
    QCOMPARE(shown.plot()->graph(1)->dataMainValue(1), 75.0);
    QCOMPARE(shown.plot()->graph(1)->dataMainKey(1), 2.0);
    saveGrabs(shown.window, QStringLiteral("runs"));
  }

  void timeAxisUsesLoggedTimes() {
    writeRun(at("a"), 0.001, 0.5);
    writeRun(at("b"), 0.002, 0.75);
    ShownRuns shown(m_folder->path());
    shown.untilListed();
    shown.selectAll();
    RunsComparison* comparison = shown.window.comparison();
    comparison->choose(QStringLiteral("loss"), QStringLiteral("time"));
    QVERIFY2(comparison->curves()->note().contains(QStringLiteral("has no time")),
             qPrintable(comparison->curves()->note()));
    writeTimes(at("b"));
    addStep(at("b"), 25, 0.5);
    QTRY_COMPARE(shown.plot()->graph(1)->dataCount(), 20);
    QCOMPARE(shown.plot()->graph(1)->dataMainKey(19), 2.5);
    QCOMPARE(shown.plot()->graph(0)->dataCount(), 0);
    QCOMPARE(comparison->curves()->note(), QString());
    QVERIFY(shown.part<MessageLabel>("runCurvesMissing")->text().contains(QStringLiteral("a: ")));
  }

  /// Window and command line write the same files.
  void tableAndCurvesMatchCommandLine() {
    writeRun(at("a"), 0.001, 0.5);
    writeRun(at("b/seed-0"), 0.002, 0.75);
    ShownRuns shown(m_folder->path());
    shown.untilListed();
    shown.selectAll();
    const QTemporaryDir out;
    shown.window.exportTable(out.filePath(QStringLiteral("runs.csv")));
    FollowedRuns followed;
    followed.setFolders({fs::path(m_folder->path().toStdString())});
    followed.poll(std::numeric_limits<double>::infinity());
    QCOMPARE(bytesOf(out.filePath(QStringLiteral("runs.csv"))).toStdString(),
             runsCsv(followed.runs()));
    std::vector<NamedCurve> curves;
    std::vector<std::uint64_t> ids;
    for (const ListedRun& run : followed.runs())
      ids.push_back(run.id);
    followed.setCompared(ids);
    auto histories = followed.pollCompared().histories;
    for (const ListedRun& run : followed.runs())
      curves.push_back(
          {run.label, makeRunCurve(*histories[run.id], "loss", RunAxis::Epoch, kUsualSmoothing)});
    shown.window.comparison()->choose(QStringLiteral("loss"), QStringLiteral("epochs"));
    QVERIFY(writePlot(*shown.plot(), out.filePath(QStringLiteral("curves.csv"))));
    QCOMPARE(bytesOf(out.filePath(QStringLiteral("curves.csv"))).toStdString(),
             runCurvesCsv(curves, RunAxis::Epoch));
  }

  void validationComesFirstAndTrainingIsSmoothed() {
    writeRun(at("a"), 0.001, 0.5);
    ShownRuns shown(m_folder->path());
    shown.untilListed();
    RunsComparison* comparison = shown.window.comparison();
    QCOMPARE(comparison->quantity(), QStringLiteral("validation_loss"));
    shown.selectAll();
    QCOMPARE(comparison->quantity(), QStringLiteral("validation_loss"));
    auto* smoothing = shown.part<QComboBox>("runSmoothing");
    QVERIFY(!smoothing->isEnabled());
    comparison->choose(QStringLiteral("loss"), QStringLiteral("steps"));
    QVERIFY(smoothing->isEnabled());
    QVERIFY(shown.plot()->yAxis->label().contains(QStringLiteral("smoothed over 20 steps")));
    const double smooth = shown.plot()->graph(0)->dataMainValue(19);
    smoothing->setCurrentIndex(0);
    QCOMPARE(shown.plot()->graph(0)->dataMainValue(19), 2.0 / 20 + 0.001);
    QVERIFY(smooth > 2.0 / 20 + 0.05);
    QVERIFY(!shown.plot()->yAxis->label().contains(QStringLiteral("smoothed")));
    addStep(at("a"), 25, 0.5);  // what was chosen stays
    QTRY_COMPARE(shown.plot()->graph(0)->dataCount(), 21);
    QCOMPARE(comparison->quantity(), QStringLiteral("loss"));
  }

  void masksHaveAColumn() {
    writeRun(at("a"), 0.001, 0.5);
    Experiment masked = endlessExperiment();
    masked.masks.scheme = "sch2";
    fs::create_directories(at("b"));
    std::ofstream(at("b") / "config.json") << experimentToText(masked);
    ShownRuns shown(m_folder->path());
    shown.untilListed();
    QCOMPARE(shown.text(0, RunsTableModel::Masks), QStringLiteral("none"));
    QCOMPARE(shown.text(1, RunsTableModel::Masks), QStringLiteral("sch2"));
    shown.table()->sortByColumn(RunsTableModel::Masks, Qt::DescendingOrder);
    QCOMPARE(shown.text(0, 0), QStringLiteral("b"));
    QCOMPARE(
        shown.table()->rows()->headerData(RunsTableModel::Masks, Qt::Horizontal, Qt::DisplayRole),
        QVariant(QStringLiteral("Masks")));
  }

  void plotIsExportedByButton() {
    writeRun(at("a"), 0.001, 0.5);
    ShownRuns shown(m_folder->path());
    shown.untilListed();
    auto* button = shown.part<QPushButton>("exportRunPlot");
    QVERIFY(!button->isEnabled());
    shown.selectAll();
    QVERIFY(button->isEnabled());
    const QTemporaryDir out;
    const QString path = out.filePath(QStringLiteral("curves.pdf"));
    const ScopedDialogs scoped;
    dialogs().files = [&](QWidget*, const FileQuestion&,
                          const std::function<void(const QStringList&)>& answer) {
      answer({path});
    };
    button->click();
    QVERIFY(bytesOf(path).startsWith(QStringLiteral("%PDF")));
  }

  void numbersSortNumericallyUnknownLast() {
    writeRun(at("a"), 0.001, 0.095);
    writeRun(at("b"), 0.001, 0.5);
    writeRun(at("c"), 0.001, 0.25);
    fs::remove(at("c") / "metrics.jsonl");
    ShownRuns shown(m_folder->path());
    shown.untilListed();
    const auto order = [&] { return shown.text(0, 0) + shown.text(1, 0) + shown.text(2, 0); };
    QCOMPARE(order(), QStringLiteral("abc"));
    shown.table()->sortByColumn(RunsTableModel::BestTop1, Qt::DescendingOrder);
    QCOMPARE(order(), QStringLiteral("bac"));
    shown.table()->sortByColumn(RunsTableModel::BestTop1, Qt::AscendingOrder);
    QCOMPARE(order(), QStringLiteral("abc"));
    shown.table()->sortByColumn(RunsTableModel::Run, Qt::DescendingOrder);
    QCOMPARE(order(), QStringLiteral("cba"));
    // A row that changes moves to its place, and stays selected.
    shown.table()->sortByColumn(RunsTableModel::Loss, Qt::AscendingOrder);
    shown.table()->selectRow(1);
    QCOMPARE(shown.table()->chosen(9).at(0).label, std::string("b"));
    addStep(at("b"), 30, 0.0001);
    QTRY_COMPARE(order(), QStringLiteral("bac"));
    QCOMPARE(shown.table()->chosen(9).size(), std::size_t(1));
    QCOMPARE(shown.table()->chosen(9).at(0).label, std::string("b"));
    QVERIFY(shown.table()->selectionModel()->isRowSelected(0, {}));
  }

  void selectionSurvivesListChanges() {
    for (const char* name : {"b", "c"})
      writeRun(at(name), 0.001, 0.5);
    ShownRuns shown(m_folder->path());
    shown.untilListed();
    shown.table()->selectRow(1);
    writeRun(at("a"), 0.001, 0.5);
    fs::remove_all(at("b"));
    QTRY_COMPARE(shown.text(0, 0), QStringLiteral("a"));
    QTRY_COMPARE(shown.rows(), 2);
    QCOMPARE(shown.table()->chosen(9).size(), std::size_t(1));
    QCOMPARE(shown.table()->chosen(9).at(0).label, std::string("c"));
    fs::remove_all(m_folder->path().toStdString());
    QTRY_COMPARE(shown.rows(), 0);
    QVERIFY(!shown.part<QPushButton>("openRunBest")->isEnabled());
    shown.untilListed();
    QVERIFY(shown.window.status()->text().contains(QStringLiteral("No runs")));
  }

  /// A round over runs that stay draws nothing.
  void unchangedRunsAreNotRedrawn() {
    for (const char* name : {"a", "b"})
      writeRun(at(name), 0.001, 0.5);
    ShownRuns shown(m_folder->path());
    shown.untilListed();
    shown.selectAll();
    untilIdle();
    QSignalSpy changed(shown.table()->rows(), &QAbstractItemModel::dataChanged);
    QSignalSpy moved(shown.table()->rows(), &QAbstractItemModel::layoutChanged);
    QSignalSpy drawn(shown.plot(), &QCustomPlot::afterReplot);
    for (int round = 0; round < 20; ++round)
      shown.untilListed();
    QCOMPARE(changed.size() + moved.size() + drawn.size(), 0);
  }

  void foldersAreAddedDroppedRemovedAndRemembered() {
    const QTemporaryDir other, kept;
    const fs::path second = other.path().toStdString();
    writeRun(at("a"), 0.001, 0.5);
    writeRun(at("b"), 0.001, 0.5);
    writeRun(second / "x" / "c", 0.001, 0.5);
    writeRun(second / "y", 0.001, 0.5);
    const QString file = kept.filePath(QStringLiteral("runs.json"));
    {
      ShownRuns shown(m_folder->path(), file);
      shown.untilListed();
      QCOMPARE(shown.rows(), 2);
      QVERIFY(dropOn(&shown.window,
                     {other.filePath(QStringLiteral("x")), other.filePath(QStringLiteral("y"))}));
      QTRY_COMPARE(shown.rows(), 4);
      shown.untilListed();
      QStringList labels;
      for (int row = 0; row < 4; ++row)
        labels << shown.text(row, 0);
      QVERIFY(labels.contains(QStringLiteral("x/c")));
      QVERIFY(labels.contains(QStringLiteral("y")));
      // One that was found, and one that was added itself.
      shown.table()->selectRow(static_cast<int>(labels.indexOf(QStringLiteral("y"))));
      QTest::keyClick(shown.table(), Qt::Key_Delete);
      QTRY_COMPARE(shown.rows(), 3);
      shown.table()->clearSelection();
      shown.table()->selectRow(0);
      shown.part<QPushButton>("removeRuns")->click();
      QTRY_COMPARE(shown.rows(), 2);
      QVERIFY(fs::exists(second / "y" / "config.json"));
      QTRY_VERIFY(bytesOf(file).contains(QStringLiteral("removed_runs")));
      QTRY_VERIFY(!bytesOf(file).contains(other.filePath(QStringLiteral("y"))));
    }
    ShownRuns again(QStringLiteral("/nowhere"), file);
    again.untilListed();
    QCOMPARE(again.rows(), 2);
    const auto actions = again.window.findChild<RunPlacesBar*>()->menu()->actions();
    QCOMPARE(actions.size(), 3);  // two folders, and the runs that were taken out
    actions.last()->trigger();
    QTRY_COMPARE(again.rows(), 3);
    again.window.findChild<RunPlacesBar*>()->menu()->actions().first()->trigger();
    QTRY_COMPARE(again.rows(), 1);
  }

  void windowKeepsListBesideSession() {
    const QTemporaryDir kept;
    const QString session = kept.filePath(QStringLiteral("session.json"));
    qputenv("HOME", kept.path().toLocal8Bit());  // where runs go
    writeRun(at("a"), 0.001, 0.5);
    {
      TestWindow test(session);
      test->actions()->find(QStringLiteral("train.runs"))->trigger();
      auto* runs = test->findChild<RunsWindow*>();
      QVERIFY(runs && runs->isVisible());
      QVERIFY(dropOn(runs, {m_folder->path()}));
      QTRY_COMPARE(runs->table()->rows()->rowCount(), 1);
      runs->close();
      test->actions()->find(QStringLiteral("train.runs"))->trigger();
      QCOMPARE(test->findChildren<RunsWindow*>().size(), 1);  // nothing is read a second time
      QTRY_VERIFY(bytesOf(kept.filePath(QStringLiteral("runs.json"))).contains(m_folder->path()));
    }
    TestWindow test(session);
    test->actions()->find(QStringLiteral("train.runs"))->trigger();
    QTRY_COMPARE(test->findChild<RunsWindow*>()->table()->rows()->rowCount(), 1);
  }

  void damagedFolderListIsIgnored() {
    writeRun(at("a"), 0.001, 0.5);
    const QString file = m_folder->filePath(QStringLiteral("runs.json"));
    std::ofstream(file.toStdString()) << "{\"folders\": [3";
    ShownRuns shown(m_folder->path(), file);
    shown.untilListed();
    QCOMPARE(shown.rows(), 1);
  }

  void anyCheckpointCanBeOpened() {
    writeRun(at("a"), 0.001, 0.5);
    writeRun(at("b"), 0.001, 0.5);
    for (const char* name : {"best", "last", "epoch-0002", "epoch-0004"})
      std::ofstream(at("a") / (std::string(name) + ".safetensors")) << "x";
    ShownRuns shown(m_folder->path());
    shown.untilListed();
    QSignalSpy opened(&shown.window, &RunsWindow::openRequested);
    auto* weights = shown.window.findChild<WeightsButton*>();
    QVERIFY(!weights->isEnabled());
    shown.table()->selectRow(0);
    QVERIFY(weights->isEnabled());
    QTRY_COMPARE(weights->menu()->actions().size(), 4);
    QCOMPARE(weights->menu()->actions().at(2)->text(), QStringLiteral("After epoch 4"));
    weights->menu()->actions().at(2)->trigger();
    QCOMPARE(opened.takeFirst().at(0).toString(),
             m_folder->filePath(QStringLiteral("a/epoch-0004.safetensors")));
    shown.part<QPushButton>("openRunBest")->click();
    QTRY_COMPARE(opened.size(), 1);
    QCOMPARE(opened.takeFirst().at(0).toString(),
             m_folder->filePath(QStringLiteral("a/best.safetensors")));
    shown.table()->selectRow(1);
    QTRY_COMPARE(weights->menu()->actions().size(), 1);
    QVERIFY(!weights->menu()->actions().first()->isEnabled());
    shown.part<QPushButton>("openRunBest")->click();
    QTRY_VERIFY(shown.window.status()->text().contains(QStringLiteral("no checkpoint")));
  }

  /// Vanishing, changing and growing while they are read.
  void folderChangesAreHandled() {
    for (int i = 0; i < 30; ++i)
      writeRun(at(qPrintable(QString::number(i))), 0.001, 0.5);
    ShownRuns shown(m_folder->path());
    shown.window.bridge()->setInterval(0);
    shown.table()->selectAll();
    for (int i = 0; i < 120; ++i) {
      const fs::path folder = at(qPrintable(QString::number(i % 30)));
      if (i % 5 == 0)
        fs::remove_all(folder);
      else if (i % 5 == 1)
        std::ofstream(folder / "config.json") << "{\"model\": " << i;
      else if (i % 5 == 2)
        std::ofstream(folder / "metrics.jsonl") << "{\"type\":\"step\",\"step\":1}\n";
      else if (fs::exists(folder))
        addStep(folder, 100 + i, 0.5);
      if (i % 10 == 0) shown.table()->selectAll();
      QTest::qWait(2);
    }
    shown.window.bridge()->setInterval(20);
    shown.untilListed();
    shown.untilListed();
    int there = 0;
    for (int i = 0; i < 30; ++i)
      if (fs::exists(at(qPrintable(QString::number(i))) / "config.json")) ++there;
    QCOMPARE(shown.rows(), there);
  }

  /// Times are printed, not asserted.
  void tenThousandRunsAreListed() {
    constexpr int kRuns = 10000;
    const std::string config = experimentToText(endlessExperiment());
    for (int i = 0; i < kRuns; ++i) {
      const fs::path folder =
          at(qPrintable(QStringLiteral("v%1/seed-%2").arg(i / 100).arg(i % 100)));
      fs::create_directories(folder);
      std::ofstream(folder / "config.json") << config;
      addStep(folder, i + 1, 1.0 / (1 + i % 977));
    }
    QElapsedTimer clock;
    clock.start();
    ShownRuns shown(m_folder->path());
    // What the window's thread does at most between two turns of its loop: its own time, whatever
    // else the machine does.
    double longest = 0, beat = threadSeconds();
    QTimer heart;
    connect(&heart, &QTimer::timeout, this, [&] {
      const double now = threadSeconds();
      longest = std::max(longest, now - std::exchange(beat, now));
    });
    const auto report = [&](const char* what) {
      qInfo("%s: %lld ms; the window's thread was busy for at most %.0f ms", what, clock.restart(),
            1000 * std::exchange(longest, 0));
      beat = threadSeconds();
    };
    heart.start(1);
    shown.untilListed();
    report("10,000 runs listed");
    QCOMPARE(shown.rows(), kRuns);
    for (int round = 0; round < 3; ++round)
      shown.untilListed();
    report("three more rounds");
    shown.table()->sortByColumn(RunsTableModel::Loss, Qt::AscendingOrder);
    QTest::qWait(50);
    report("sorted");
    QVERIFY(shown.text(0, RunsTableModel::Loss) <= shown.text(kRuns - 1, RunsTableModel::Loss));
    shown.table()->selectAll();
    QTest::qWait(300);
    report("all selected");
    QCOMPARE(shown.plot()->graphCount(), static_cast<int>(kMostCompared));
    // Scrolling and selection stay where they are when a run in sight of neither changes.
    shown.table()->selectRow(5000);
    const std::string chosen = shown.table()->chosen(1).at(0).label;
    shown.table()->verticalScrollBar()->setValue(4990);
    addStep(at("v3/seed-4"), 20000, 0.25);
    shown.listed.clear();
    QTRY_VERIFY_WITH_TIMEOUT(shown.listed.size() >= 2, 60000);
    report("two rounds with a change");
    QCOMPARE(shown.table()->verticalScrollBar()->value(), 4990);
    QCOMPARE(shown.table()->chosen(1).at(0).label, chosen);
  }

 private:
  fs::path at(const char* name) const { return fs::path(m_folder->path().toStdString()) / name; }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_MAIN(RunsWindowTest)
#include "RunsWindowTest.moc"
