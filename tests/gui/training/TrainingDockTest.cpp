// SPDX-License-Identifier: GPL-3.0-or-later

// The training dock: its display, with synthetic updates; its buttons and mask edits, with one tiny
// real run.

#include "ui/training/TrainingDock.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QSplitter>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <cmath>

#include "core/config/ExperimentTask.h"
#include "core/models/Registry.h"
#include "core/workbench/session/MapRendering.h"
#include "tests/gui/EndlessExperiment.h"
#include "tests/gui/Grab.h"
#include "tests/gui/Idle.h"
#include "tests/gui/SyntheticInference.h"
#include "ui/bridge/TrainingBridge.h"
#include "ui/plots/EditMarks.h"
#include "ui/plots/LocalityPlot.h"
#include "ui/plots/LossPlot.h"
#include "ui/plots/PlotNavigation.h"
#include "ui/plots/Plotting.h"
#include "ui/plots/ReadingsPlot.h"
#include "ui/plots/RunCurvesPlot.h"
#include "ui/training/RunEdits.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"

using namespace headlight;
using namespace headlight::synthetic;

class TrainingDockTest : public QObject {
  Q_OBJECT

  struct Fixture {
    Document document;
    TrainingBridge bridge;
    TrainingDock dock{&document, &bridge};
    ScopedDialogs dialogsAsBefore;
    explicit Fixture(const ModelInfo& model = makeModel()) {
      fill(document, model);
      dock.resize(1180, 240);
      dock.show();
      if (!QTest::qWaitForWindowExposed(&dock)) qFatal("the dock was not shown");
    }
    template <typename W>
    W* find(const char* name) const {
      W* found = dock.findChild<W*>(QString::fromLatin1(name));
      if (!found) qFatal("there is no %s", name);
      return found;
    }
    LossPlot* loss() const { return dock.findChild<LossPlot*>(); }
    LocalityPlot* locality() const { return dock.findChild<LocalityPlot*>(); }
    RunEdits* edits() const { return dock.findChild<RunEdits*>(); }
    /// Waits for a step that began after this call: the first two updates can contain earlier
    /// steps.
    void letStepsBegin() {
      QSignalSpy updates(&bridge, &TrainingBridge::updated);
      QTRY_VERIFY_WITH_TIMEOUT(updates.size() >= 3, 60000);
    }
    QString state() const { return find<QLabel>("trainState")->text(); }
    void feed(const TrainingUpdate& update) {
      Q_EMIT bridge.updated(std::make_shared<const TrainingUpdate>(update));
    }
    void finish(const TrainingOutcome& outcome) {
      Q_EMIT bridge.finished(std::make_shared<const TrainingOutcome>(outcome), {});
    }
  };

  static TrainingUpdate running(std::int64_t step, std::int64_t total) {
    TrainingUpdate update;
    update.state = TrainingState::Running;
    update.progress = {"epoch 3/20", step, total, 72};
    update.epoch = 2;
    update.epochs = 20;
    return update;
  }

  static HeadPoint heads(std::int64_t step, int layers, int count, float shift = 0) {
    HeadPoint point;
    point.step = step;
    for (int l = 0; l < layers; ++l) {
      point.locality.emplace_back();
      for (int h = 0; h < count; ++h)
        point.locality.back().push_back(
            std::clamp(0.1f + 0.6f * l / std::max(1, layers - 1) + 0.08f * h + shift, 0.f, 1.f));
    }
    return point;
  }

  static Experiment tinyExperiment() {
    Experiment experiment = endlessExperiment();
    experiment.name = "tiny";
    experiment.telemetry.probeImages = 2;
    return experiment;
  }

  static ModelInfo infoOf(const Experiment& experiment) {
    ModelInfo info;
    info.experiment = experiment;
    info.heads.assign(static_cast<std::size_t>(experiment.model.depth), experiment.model.heads);
    info.grid = experiment.model.grid();
    return info;
  }

  /// Whether a curve of this name is visible and in the legend; both or neither.
  static bool isDrawn(const LossPlot& plot, const QString& name) {
    const QString legends = legendsOf(plot);
    for (int i = 0; i < plot.plot()->graphCount(); ++i) {
      const QCPGraph* graph = plot.plot()->graph(i);
      if (graph->name() != name) continue;
      const bool named = legends.contains(QLatin1Char('[') + name + QLatin1Char(']'));
      if (graph->visible() != named) qFatal("seen, but not named, or named, but not seen");
      return named;
    }
    return false;
  }

  /// "[train][validation]".
  static QString legendsOf(const LossPlot& plot) {
    QString names;
    for (int i = 0; i < plot.plot()->graphCount(); ++i)
      for (const QCPLegend* legend : plot.plot()->findChildren<QCPLegend*>())
        if (legend->hasItemWithPlottable(plot.plot()->graph(i)))
          names += QLatin1Char('[') + plot.plot()->graph(i)->name() + QLatin1Char(']');
    return names;
  }

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void teacherAndAuxiliaryLossesAreDrawn() {
    LossPlot plot;
    const auto isShown = [&](const QString& name) { return isDrawn(plot, name); };
    plot.addStep({1, 2.0, 1e-3, 10});
    plot.replot();
    QVERIFY(!isShown(QStringLiteral("from the teacher")));
    QVERIFY(!isShown(QStringLiteral("auxiliary")));
    plot.addStep({2, 2.5, 1e-3, 10, 7.0, 0.25});
    plot.replot();
    QVERIFY(isShown(QStringLiteral("from the teacher")));
    QVERIFY(isShown(QStringLiteral("auxiliary")));
    QCOMPARE(plot.distillationLoss().lastValue(), 7.0);
    QCOMPARE(plot.auxiliaryLoss().lastValue(), 0.25);
    plot.clear();
    QVERIFY(!isShown(QStringLiteral("auxiliary")));
  }

  void aDetectorsCurvesAreItsPrecisionsAndItsLosses() {
    LossPlot plot;
    const auto isShown = [&](const char* name) { return isDrawn(plot, QLatin1String(name)); };
    const auto* axis = plot.plot()->axisRect(1)->axis(QCPAxis::atLeft);
    plot.setChance(50);
    plot.addEpoch({1, 10, 2.0, 1.5, 0.25, 0.5, true});
    plot.replot();
    QVERIFY(isShown("top-1") && isShown("top-5") && isShown("chance"));
    QVERIFY(!isShown("classes"));
    QCOMPARE(axis->label(), QStringLiteral("accuracy, %"));
    plot.clear();
    StepPoint step{1, 2.0, 1e-3, 10};
    step.classLoss = 0.5, step.overlapLoss = 1.25, step.sideLoss = 0.25;
    plot.addStep(step);
    EpochPoint point{1, 10, 2.0, 1.5, 0, 0, true};
    point.ap = 0.3, point.ap50 = 0.5, point.ap75 = 0.25;
    plot.addEpoch(point);
    plot.replot();
    for (const char* name : {"AP", "AP50", "AP75", "classes", "overlap", "sides"})
      QVERIFY2(isShown(name), name);
    for (const char* name : {"top-1", "top-5"})
      QVERIFY2(!isShown(name), name);
    QVERIFY2(!legendsOf(plot).contains(QStringLiteral("chance")), qPrintable(legendsOf(plot)));
    QCOMPARE(axis->label(), QStringLiteral("AP, %"));
    QCOMPARE(plot.quality().values(), QVector<double>{30});
    QCOMPARE(plot.partLoss(1).lastValue(), 1.25);
    QVERIFY(axis->range().contains(25) && axis->range().contains(50));
    plot.clear();
    plot.replot();
    QVERIFY(!isShown("AP75") && !isShown("sides") && isShown("top-1"));
    QCOMPARE(axis->label(), QStringLiteral("accuracy, %"));
  }

  void theTaskNamesTheScoresUntilTheyAreMeasured() {
    LossPlot plot;
    const auto isShown = [&](const char* name) { return isDrawn(plot, QLatin1String(name)); };
    const auto* axis = plot.plot()->axisRect(1)->axis(QCPAxis::atLeft);
    plot.setTask(Task::Detect);
    plot.replot();
    QVERIFY(isShown("AP") && isShown("AP50") && isShown("AP75"));
    QVERIFY(!isShown("top-1") && !isShown("top-5"));
    QCOMPARE(axis->label(), QStringLiteral("AP, %"));
    plot.setTask(Task::Rebuild);
    plot.replot();
    QVERIFY(isShown("reconstruction") && !isShown("AP50") && !isShown("AP75"));
    plot.addEpoch({1, 10, 2.0, 1.5, 0.25, 0.5, true});  // what was measured counts
    plot.setTask(Task::Segment);
    plot.replot();
    QVERIFY(isShown("top-1") && isShown("top-5") && !isShown("mIoU"));
    QCOMPARE(axis->label(), QStringLiteral("accuracy, %"));
  }

  void aSegmentersRunSaysMIoUFromItsFirstStep() {
    Fixture f;
    RecordedRun run;
    run.experiment = tinyExperiment();
    run.experiment.model.backbone = backboneForTask(Task::Segment);
    run.history.steps = {{1, 2.5, 1e-3, 10}};
    Q_EMIT f.bridge.recorded(std::make_shared<const RecordedRun>(run));
    for (const char* name : {"mIoU", "mAcc", "pAcc"})
      QVERIFY2(isDrawn(*f.loss(), QLatin1String(name)), name);
    QVERIFY(!legendsOf(*f.loss()).contains(QStringLiteral("top-1")));
    QVERIFY(!legendsOf(*f.loss()).contains(QStringLiteral("chance")));
    QCOMPARE(f.loss()->plot()->axisRect(1)->axis(QCPAxis::atLeft)->label(),
             QStringLiteral("mIoU, %"));
  }

  void recordedRunsDrawThemToo() {
    Fixture f;
    RecordedRun run;
    run.experiment = tinyExperiment();
    run.history.steps = {{1, 2.5, 1e-3, 10, 7.0, std::nullopt},
                         {2, 2.0, 1e-3, 10, 6.0, std::nullopt}};
    Q_EMIT f.bridge.recorded(std::make_shared<const RecordedRun>(run));
    QVERIFY(isDrawn(*f.loss(), QStringLiteral("from the teacher")));
    QVERIFY(!isDrawn(*f.loss(), QStringLiteral("auxiliary")));
    QCOMPARE(f.loss()->distillationLoss().lastValue(), 6.0);
    run.history.steps = {{1, 2.5, 1e-3, 10, std::nullopt, 0.5}};
    Q_EMIT f.bridge.recorded(std::make_shared<const RecordedRun>(run));
    QVERIFY(!isDrawn(*f.loss(), QStringLiteral("from the teacher")));
    QVERIFY(isDrawn(*f.loss(), QStringLiteral("auxiliary")));
    QCOMPARE(f.loss()->auxiliaryLoss().lastValue(), 0.5);
  }

  /// A log that kept every eighth step, as of a resumed run, is smoothed over as many steps as a run
  /// that was watched: where they meet there is no kink.
  void lossIsSmoothedByStep() {
    LossPlot watched, resumed;
    const auto loss = [](std::int64_t step) { return 10 - 0.02 * static_cast<double>(step); };
    for (std::int64_t step = 1; step <= 408; ++step) {
      watched.addStep({step, loss(step), 1e-3, 10});
      if (step > 400 || step % 8 == 0) resumed.addStep({step, loss(step), 1e-3, 10});
      if (step % 8 == 0 && step >= 200)
        QVERIFY2(std::abs(resumed.trainLoss().lastValue() - watched.trainLoss().lastValue()) < 0.1,
                 qPrintable(QString::number(step)));
    }
  }

  void editsAreLabeledInEveryPlot() {
    Fixture f;
    TrainingUpdate update = running(200, 400);
    for (std::int64_t step = 0; step <= 200; step += 10) {
      update.steps.push_back({step, 2, 1e-3, 100});
      update.heads.push_back(heads(step, 3, 2));
      update.heads.back().alpha = {{0.5f, std::nanf("")}, {}, {}};
    }
    update.edits.push_back({40, MaskEdit{"hard 3×3 on layer 2", {}, {}, {}}});
    update.edits.push_back({120, MaskEdit{"no mask on layer 0", {}, {}, {}}});
    f.feed(update);
    f.dock.resize(1600, 400);
    const auto labelsOf = [](QCustomPlot* plot, const EditMarks* marks) {
      plot->replot(QCustomPlot::rpImmediateRefresh);
      return marks->labels();
    };
    auto* readings = f.dock.findChild<ReadingsPlot*>();
    QTRY_VERIFY(readings->isVisible());
    untilIdle();
    for (const auto& [plot, marks] : {std::pair(f.loss()->plot(), f.loss()->edits()),
                                      std::pair(f.locality()->lines(), f.locality()->edits()),
                                      std::pair(readings->plot(), readings->edits())}) {
      QCOMPARE(labelsOf(plot, marks).size(), 2);
      QVERIFY2(marks->labels().front().startsWith(QStringLiteral("hard 3")),
               qPrintable(marks->labels().front()));
      QCOMPARE(marks->lines(), 2);
    }
    // Hovering says all of it, with its step.
    const QCPAxisRect* rect = f.loss()->plot()->axisRect(0);
    const QPointF at(rect->axis(QCPAxis::atBottom)->coordToPixel(40), rect->center().y());
    const QString said = f.loss()->navigation()->textAt(at);
    QVERIFY2(said.contains(QStringLiteral("step 40: hard 3×3 on layer 2")), qPrintable(said));
    f.dock.resize(1180, 240);
    saveGrabs(f.dock, QStringLiteral("training-edits"));
    f.feed({});
    Q_EMIT f.bridge.finished(std::make_shared<const TrainingOutcome>(), {});
    f.feed(running(1, 400));  // another run
    QVERIFY(f.loss()->edits()->marks().isEmpty());
    QVERIFY(f.locality()->edits()->marks().isEmpty());
  }

  void editsTooNearToBeLabeledShareALabel() {
    LossPlot plot;
    plot.resize(900, 240);
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    for (std::int64_t step = 1; step <= 1000; ++step)
      plot.addStep({step, 2, 1e-3, 10});
    for (int i = 0; i < 300; ++i)
      plot.edits()->add(500 + i / 100.0, QStringLiteral("an edit"));
    plot.replot();
    plot.plot()->replot(QCustomPlot::rpImmediateRefresh);
    QCOMPARE(plot.edits()->marks().size(), EditMarks::kMost);
    QCOMPARE(plot.edits()->labels(), QStringList{QStringLiteral("256 edits")});
    QVERIFY(plot.edits()->lines() < 4);
  }

  void runsBesideEachOtherMarkTheirEdits() {
    RunCurvesPlot plot;
    plot.resize(900, 300);
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    NamedCurve a{"a", {{0, 100}, {1, 2}, {}}, {{80, "hard 3×3"}}};
    const NamedCurve b{"b", {{0, 100}, {2, 3}, {}}, {{20, "no mask"}}};
    plot.setLines({a, b}, QStringLiteral("loss"), QStringLiteral("step"));
    plot.plot()->replot(QCustomPlot::rpImmediateRefresh);
    QCOMPARE(plot.edits()->labels(),
             (QStringList{QStringLiteral("b: no mask"), QStringLiteral("a: hard 3×3")}));
    plot.setLines({a}, QStringLiteral("loss"), QStringLiteral("step"));
    plot.plot()->replot(QCustomPlot::rpImmediateRefresh);
    QCOMPARE(plot.edits()->labels(), QStringList{QStringLiteral("hard 3×3")});
  }

  void seriesAreBoundedAndKeepTheirMean() {
    BoundedSeries series(64);
    double sum = 0;
    const int count = 100000;
    for (int i = 0; i < count; ++i) {
      series.add(i, std::sin(i * 1e-3));
      sum += std::sin(i * 1e-3);
    }
    QVERIFY(series.size() <= 64);
    QVERIFY(series.size() >= 32);
    const QVector<double> keys = series.keys(), values = series.values();
    QVERIFY(std::is_sorted(keys.begin(), keys.end()));
    QVERIFY(keys.first() >= 0 && keys.last() < count);
    // Each point is the mean of as many values, but for the last.
    double weighted = 0;
    for (int i = 0; i + 1 < values.size(); ++i)
      weighted += values[i] * static_cast<double>(series.valuesPerPoint());
    const auto rest = count - (values.size() - 1) * series.valuesPerPoint();
    weighted += values.last() * static_cast<double>(rest);
    QVERIFY(std::abs(weighted - sum) < 1e-6 * count);
    series.add(count, std::nan(""));
    QCOMPARE(series.values().size(), values.size());
    BoundedSeries odd(5);  // a point without a partner is kept
    for (int i = 0; i < 5; ++i)
      odd.add(i, i);
    QCOMPARE(odd.keys(), (QVector<double>{0.5, 2.5, 4}));
  }

  void updatesAreShown() {
    Fixture f;
    QCOMPARE(f.state(), QStringLiteral("No training yet"));
    TrainingUpdate update = running(500, 2000);
    for (int i = 1; i <= 500; ++i)
      update.steps.push_back({i, 2.0 * std::exp(-i / 200.0), 1e-3, 212});
    update.epochPoints.push_back({1, 250, 1.4, 1.2, 0.5, 0.9, true});
    update.epochPoints.push_back({2, 500, 1.1, 0.9, 0.625, 0.95, true});
    update.heads.push_back(heads(0, 3, 2));
    update.heads.push_back(heads(50, 3, 2, 0.1f));
    f.feed(update);
    QTRY_COMPARE(f.state(), QStringLiteral("Training · epoch 3/20"));
    QCOMPARE(f.find<QLabel>("trainNumbers")->text(), QStringLiteral("ETA 1:12 · 212 images/s"));
    QCOMPARE(f.find<QProgressBar>("trainProgress")->value(), 2500);
    QCOMPARE(f.loss()->trainLoss().size(), 500);
    QCOMPARE(f.loss()->quality().values(), (QVector<double>{50, 62.5}));
    QCOMPARE(f.loss()->validationLoss().keys(), (QVector<double>{250, 500}));
    // What is drawn.
    const QCustomPlot* plot = f.loss()->plot();
    QCPGraph* top1 = nullptr;
    for (int i = 0; i < plot->graphCount(); ++i)
      if (plot->graph(i)->name() == QStringLiteral("top-1")) top1 = plot->graph(i);
    QVERIFY(top1);
    QTRY_COMPARE(top1->data()->size(), 2);
    QCOMPARE(top1->data()->at(1)->value, 62.5);
    QCOMPARE(f.locality()->lines()->graphCount(), 3);
    QVERIFY(std::abs(f.locality()->lines()->graph(2)->data()->at(1)->value - 0.84) < 1e-5);
  }

  void accuracyStartsBeforeFirstStepAndFitsChance() {
    Fixture f;
    TrainingUpdate update = running(500, 2000);
    update.start = EpochPoint{0, 0, NAN, 2.3, 0.52, 0.6, false};
    update.epochPoints.push_back({1, 250, 1.4, 1.2, 0.5, 0.55, true});
    f.feed(update);
    QTRY_COMPARE(f.loss()->quality().values(), (QVector<double>{52, 50}));
    QCOMPARE(f.loss()->quality().keys(), (QVector<double>{0, 250}));
    const auto range = [&] {
      return f.loss()->plot()->axisRect(1)->axis(QCPAxis::atLeft)->range();
    };
    f.loss()->replot();
    QVERIFY(range().contains(50) && range().contains(60));
    QVERIFY2(range().lower > 45 && range().upper < 65, qPrintable(QString::number(range().lower)));
    f.loss()->setChance(11);
    f.loss()->replot();
    QVERIFY(range().contains(11));
    QVERIFY(range().upper < 65);
  }

  void outcomeDistinguishesBeforeLastAndBest() {
    Fixture f;
    TrainingOutcome outcome;
    outcome.steps = 20;
    outcome.best = "best.safetensors";
    outcome.last = "last.safetensors";
    outcome.startScore = 0.5;
    outcome.bestScore = 0.75;
    outcome.lastScore = 0.625;
    f.finish(outcome);
    QCOMPARE(f.find<MessageLabel>("trainOutcomeText")->text(),
             QStringLiteral("Finished after 20 steps. Validation top-1: 50.0 % before → 62.5 % "
                            "last; best 75.0 %."));
    QSignalSpy opened(&f.dock, &TrainingDock::openCheckpointRequested);
    QVERIFY(!f.find<QPushButton>("openLast")->isHidden());
    f.find<QPushButton>("openLast")->click();
    QCOMPARE(opened.last().first().toString(), QStringLiteral("last.safetensors"));
    f.find<QPushButton>("openBest")->click();
    QCOMPARE(opened.last().first().toString(), QStringLiteral("best.safetensors"));
    QVERIFY(f.find<QPushButton>("compareStart")->isHidden());  // it started from random weights
    const auto enabled = [&](const char* id) {
      const auto commands = f.dock.commands();
      const auto same = [&](QAction* action) { return action->objectName() == QLatin1String(id); };
      return (*std::find_if(commands.begin(), commands.end(), same))->isEnabled();
    };
    QVERIFY(enabled("train.openBest") && !enabled("train.compareStart"));
    outcome.lastScore = 0.75;
    f.finish(outcome);
    QVERIFY(f.find<MessageLabel>("trainOutcomeText")
                ->text()
                .endsWith(QStringLiteral("before → 75.0 % last, the best of this run.")));
    QVERIFY(f.find<QPushButton>("openLast")->isHidden());
  }

  void redrawsAreCoalesced() {
    Fixture f;
    QSignalSpy replots(f.loss()->plot(), &QCustomPlot::afterReplot);
    QTRY_VERIFY(!replots.isEmpty());  // as it was shown
    untilIdle();
    replots.clear();
    TrainingUpdate update = running(1, 100000);
    QElapsedTimer clock;
    clock.start();
    int fed = 0;
    while (clock.elapsed() < 500) {
      update.steps = {{++fed, 1.0, 1e-3, 10}};
      f.feed(update);
      QCoreApplication::processEvents();
    }
    QVERIFY2(fed > 60, qPrintable(QString::number(fed)));
    QVERIFY2(replots.size() >= 3 && replots.size() <= 20,
             qPrintable(QString::number(replots.size())));
  }

  void memoryStaysBounded() {
    Fixture f;
    std::int64_t step = 0;
    for (int round = 0; round < 60; ++round) {
      TrainingUpdate update = running(step, 1000000);
      for (int i = 0; i < 500; ++i)
        update.steps.push_back({++step, 1.0, 1e-3, 10});
      for (int i = 0; i < 50; ++i)
        update.heads.push_back(heads(step + i, 12, 3));
      for (int i = 0; i < 50; ++i)
        update.warnings.push_back("skipped file " + std::to_string(step));
      f.feed(update);
    }
    QVERIFY(f.loss()->trainLoss().size() <= 2048);
    QVERIFY(f.locality()->history().size() <= HeadHistory::kCapacity);
    QCOMPARE(f.dock.warnings().kept().size(), WarningLog::kKept);
    QTRY_COMPARE(f.find<QToolButton>("trainWarnings")->text(), QStringLiteral("3000 warnings"));
  }

  void layersAreShownHeadByHead() {
    Fixture f;
    TrainingUpdate update = running(1, 10);
    update.heads = {heads(0, 3, 4), heads(10, 3, 4)};
    f.feed(update);
    auto* choice = f.find<QComboBox>("localityLayer");
    QTRY_COMPARE(choice->count(), 4);
    choice->setCurrentIndex(2);
    QCOMPARE(f.locality()->shownLayer(), 1);
    QCOMPARE(f.locality()->lines()->graphCount(), 4);
    QVERIFY(std::abs(f.locality()->lines()->graph(3)->data()->at(0)->value - 0.64) < 1e-5);
    choice->setCurrentIndex(0);
    QCOMPARE(f.locality()->lines()->graphCount(), 3);
  }

  void localityFitsDataAndShowsChance() {
    // Of 2 × 3 patches and a class token: corners have 4 neighbors, the middle two 6.
    QVERIFY(std::abs(uniformLocality({2, 3, 1}) - (4 * 4 + 2 * 6) / 6.0 / 7) < 1e-12);
    QVERIFY(std::abs(uniformLocality({1, 1, 0}) - 1) < 1e-12);
    QVERIFY(std::abs(uniformLocality({14, 14, 1}) - 1600.0 / 196 / 197) < 1e-12);

    Fixture f;
    TrainingUpdate update = running(1, 10);
    for (int step = 0; step < 3; ++step) {
      HeadPoint point;
      point.step = 50 * step;
      point.locality = {{0.05f, 0.05f}, {0.07f, 0.09f}};
      update.heads.push_back(point);
    }
    f.feed(update);
    QTRY_COMPARE(f.locality()->lines()->graphCount(), 2);
    const auto range = [&] { return f.locality()->lines()->yAxis->range(); };
    QVERIFY(range().contains(0.05) && range().contains(0.08));
    QVERIFY2(range().upper < 0.12, qPrintable(QString::number(range().upper)));
    f.locality()->setUniform(0.02);
    QVERIFY(range().contains(0.02));
    f.locality()->setUniform(std::nullopt);
    QVERIFY(!range().contains(0.02));
    auto* map = f.locality()->strip()->findChild<QCPColorMap*>();
    QVERIFY(map);
    QVERIFY(map->dataRange().upper < 0.12 && map->dataRange().contains(0.09));
  }

  void legendsAreOutsideCurves() {
    Fixture f;
    TrainingUpdate update = running(1, 10);
    update.steps = {{1, 1.0, 1e-3, 10}};
    update.heads = {heads(0, 3, 2)};
    f.feed(update);
    QTRY_VERIFY(f.locality()->lines()->graphCount() > 0);
    untilIdle();
    for (QCustomPlot* plot : {f.loss()->plot(), f.locality()->lines()}) {
      plot->replot(QCustomPlot::rpImmediateRefresh);
      int legends = 0;
      for (const auto* legend : plot->findChildren<QCPLegend*>()) {
        if (legend->itemCount() == 0) continue;
        ++legends;
        for (const QCPAxisRect* rect : plot->axisRects())
          QVERIFY(!rect->rect().intersects(legend->rect()));
      }
      QVERIFY(legends > 0);
    }
  }

  void currentHeadsHaveRoomForLabels() {
    Fixture f(makeModel(12, 3));
    TrainingUpdate update = running(1, 10);
    update.heads = {heads(0, 12, 3)};
    f.feed(update);
    for (const QSize size : {QSize(1180, 240), QSize(500, 700)}) {
      f.dock.resize(size);
      untilIdle();
      QTRY_VERIFY(f.locality()->strip()->isVisible());
      f.locality()->strip()->replot(QCustomPlot::rpImmediateRefresh);
      const QRect cells = f.locality()->strip()->axisRect()->rect();
      const QFontMetrics text(f.locality()->strip()->xAxis->labelFont());
      QVERIFY2(cells.width() >= text.horizontalAdvance(QStringLiteral("head")) * 2,
               qPrintable(QString::number(cells.width())));
      QVERIFY2(cells.height() >= text.horizontalAdvance(QStringLiteral("layer")),
               qPrintable(QString::number(cells.height())));
    }
  }

  void theLearningRateIsOptional() {
    Fixture f;
    QVERIFY(!f.loss()->isLearningRateVisible());
    f.dock.learningRateAction()->trigger();
    QVERIFY(f.loss()->isLearningRateVisible());
  }

  void outcomeOffersWeightsAndFolder() {
    Fixture f;
    TrainingUpdate update = running(10, 10);
    f.feed(update);
    QVERIFY(!f.find<QFrame>("trainOutcome")->isVisible());
    f.finish({.steps = 10,
              .bestScore = 0.875,
              .last = "/runs/x/last.safetensors",
              .best = "/runs/x/best.safetensors"});
    QVERIFY(f.find<QFrame>("trainOutcome")->isVisible());
    QCOMPARE(f.find<MessageLabel>("trainOutcomeText")->text(),
             QStringLiteral("Finished after 10 steps. Best validation top-1: 87.5 %."));
    QCOMPARE(f.state(), QStringLiteral("Finished"));
    QSignalSpy opened(&f.dock, &TrainingDock::openCheckpointRequested);
    QTest::mouseClick(f.find<QPushButton>("openBest"), Qt::LeftButton);
    QCOMPARE(opened.size(), 1);
    QCOMPARE(opened.at(0).at(0).toString(), QStringLiteral("/runs/x/best.safetensors"));
    QTest::mouseClick(f.find<QToolButton>("closeOutcome"), Qt::LeftButton);
    QVERIFY(!f.find<QFrame>("trainOutcome")->isVisible());
    // A new run begins with empty plots.
    update.steps = {{1, 1.0, 1e-3, 10}};
    f.feed(update);
    QCOMPARE(f.loss()->trainLoss().size(), 1);
  }

  void emptyPlotsAreHiddenBeforeARun() {
    Fixture f;
    QVERIFY(!f.loss()->isVisible());
    QVERIFY(!f.locality()->isVisible());
    QVERIFY(!f.find<QProgressBar>("trainProgress")->isVisible());
    QVERIFY(f.find<QLabel>("trainSentence")->isVisible());
    QSignalSpy asked(&f.dock, &TrainingDock::startRequested);
    QTest::mouseClick(f.find<QToolButton>("trainBegin"), Qt::LeftButton);
    QCOMPARE(asked.size(), 1);
    // A run without a step yet has no curves either, and cannot be begun twice.
    f.feed(running(0, 10));
    QTRY_VERIFY(f.find<QProgressBar>("trainProgress")->isVisible());
    QVERIFY(!f.loss()->isVisible());
    QVERIFY(!f.find<QToolButton>("trainBegin")->isVisible());
    TrainingUpdate update = running(1, 10);
    update.steps = {{1, 1.0, 1e-3, 10}};
    f.feed(update);
    QTRY_VERIFY(f.loss()->isVisible());
    QVERIFY(!f.find<QLabel>("trainSentence")->isVisible());
  }

  void plotsFollowAvailableSpace() {
    Fixture f;
    TrainingUpdate update = running(1, 10);
    update.steps = {{1, 1.0, 1e-3, 10}};
    update.heads = {heads(0, 3, 2)};
    f.feed(update);
    QTRY_VERIFY(f.loss()->isVisible());
    auto* splitter = f.find<QSplitter>("trainingPlotsSplitter");
    QCOMPARE(splitter->orientation(), Qt::Horizontal);
    f.dock.resize(600, 700);
    QTRY_COMPARE(splitter->orientation(), Qt::Vertical);
    QVERIFY(f.locality()->mapTo(&f.dock, QPoint()).y() > f.loss()->geometry().bottom());
    f.dock.resize(1180, 240);
    QTRY_COMPARE(splitter->orientation(), Qt::Horizontal);
  }

  void outcomeNeverGrowsDock() {
    Fixture f;
    TrainingUpdate update = running(1, 10);
    update.steps = {{1, 1.0, 1e-3, 10}};
    f.feed(update);
    QTRY_VERIFY(f.loss()->isVisible());
    const QSize least = f.dock.minimumSizeHint(), size = f.dock.size();
    Q_EMIT f.bridge.finished(
        nullptr, QStringLiteral("the disk is full, which is said at length: ").repeated(12));
    QVERIFY(f.find<QFrame>("trainOutcome")->isVisible());
    QCOMPARE(f.dock.minimumSizeHint(), least);
    untilIdle();
    QCOMPARE(f.dock.size(), size);
    QVERIFY(f.find<QFrame>("trainOutcome")->height() > 30);
    QVERIFY(f.dock.rect().contains(f.find<QFrame>("trainOutcome")->geometry()));
  }

  void failureIsReported() {
    Fixture f;
    f.feed(running(1, 10));
    Q_EMIT f.bridge.finished(nullptr, QStringLiteral("the disk is full"));
    QCOMPARE(f.find<MessageLabel>("trainOutcomeText")->text(), QStringLiteral("the disk is full"));
    QCOMPARE(f.find<MessageLabel>("trainOutcomeText")->tone(), MessageLabel::Tone::Problem);
    QVERIFY(!f.find<QPushButton>("openBest")->isVisible());
    QCOMPARE(f.state(), QStringLiteral("Failed"));
  }

  void warningsAreListed() {
    Fixture f;
    QVERIFY(!f.find<QToolButton>("trainWarnings")->isVisible());
    TrainingUpdate update = running(1, 10);
    update.warnings = {"a.png: is truncated", "b.png: has zero bytes"};
    f.feed(update);
    QTRY_VERIFY(f.find<QToolButton>("trainWarnings")->isVisible());
    QStringList listed;
    dialogs().show = [&](QDialog* dialog, const auto&) {
      const auto* list = dialog->findChild<QListWidget*>(QStringLiteral("warningList"));
      for (int i = 0; i < list->count(); ++i)
        listed << list->item(i)->text();
      dialog->deleteLater();
    };
    QTest::mouseClick(f.find<QToolButton>("trainWarnings"), Qt::LeftButton);
    QCOMPARE(listed, (QStringList{QStringLiteral("a.png: is truncated"),
                                  QStringLiteral("b.png: has zero bytes")}));
  }

  void startNeedsAModel() {
    Document document;
    TrainingBridge bridge;
    TrainingDock dock(&document, &bridge);
    QVERIFY(!dock.startAction()->isEnabled());
    QVERIFY(!dock.pauseAction()->isEnabled());
    QVERIFY(!dock.stopAction()->isEnabled());
    fill(document);
    QVERIFY(dock.startAction()->isEnabled());
    QSignalSpy asked(&dock, &TrainingDock::startRequested);
    dock.startAction()->trigger();
    QCOMPARE(asked.size(), 1);
  }

  void aRealRunIsPausedEditedAndStopped() {
    const Experiment experiment = tinyExperiment();
    Fixture f(infoOf(experiment));
    QTemporaryDir folder;
    f.bridge.start(experiment, folder.filePath(QStringLiteral("run")));
    QVERIFY(!f.dock.startAction()->isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(f.loss()->trainLoss().size() > 2, 60000);
    QTRY_VERIFY_WITH_TIMEOUT(!f.locality()->history().isEmpty(), 60000);
    QTRY_VERIFY(f.locality()->lines()->graphCount() > 0);  // drawn at the next repaint
    QCOMPARE(f.locality()->uniform(), std::optional(uniformLocality(experiment.model.grid())));

    f.dock.pauseAction()->trigger();
    QTRY_VERIFY(f.state().startsWith(QStringLiteral("Paused")));
    QCOMPARE(f.dock.pauseAction()->text(), QStringLiteral("Continue"));
    f.dock.pauseAction()->trigger();
    QCOMPARE(f.dock.pauseAction()->text(), QStringLiteral("Pause"));

    // An edit made while the box is off stays in the window; turning it on brings the run along.
    const auto edit = [&](int layer, int head, const char* text) {
      f.document.inputs().pushEdit(*makeMaskEdit(f.document.inputs().masks(), {{layer, head}},
                                                 *headMaskFromText(text), text));
    };
    edit(0, 1, "hard:3");
    QVERIFY(!f.edits()->isWaiting());
    f.letStepsBegin();
    QCOMPARE(f.bridge.masks()->maskedHeads(), 0);
    f.find<QCheckBox>("train.followEdits.box")->click();
    QTRY_VERIFY_WITH_TIMEOUT(*f.bridge.masks() == f.document.inputs().masks(), 60000);
    edit(1, 0, "soft:5@0.25");
    edit(1, 1, "strict:3");
    QTRY_VERIFY_WITH_TIMEOUT(*f.bridge.masks() == f.document.inputs().masks(), 60000);
    QCOMPARE(f.bridge.masks()->maskedHeads(), 3);

    // What a soft head forgets in the window it forgets in the run.
    f.document.inputs().pushEdit(
        *makeResetEdit(f.document.inputs().masks(), {{1, 0}}, "learned α reset"));
    QTRY_COMPARE_WITH_TIMEOUT(f.bridge.masks()->at(1, 0).resets, 1, 60000);
    QVERIFY(*f.bridge.masks() == f.document.inputs().masks());
    f.document.inputs().undoStack()->undo();
    QTRY_COMPARE_WITH_TIMEOUT(f.bridge.masks()->at(1, 0).resets, 0, 60000);

    // Show the weights of the training: snapshots are asked for.
    QSignalSpy snapshots(&f.bridge, &TrainingBridge::snapshotReady);
    f.dock.lookThroughAction()->trigger();
    QVERIFY(f.bridge.snapshotsWanted());
    QTRY_VERIFY_WITH_TIMEOUT(snapshots.size() > 0, 60000);

    QSignalSpy finished(&f.bridge, &TrainingBridge::finished);
    f.dock.stopAction()->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 60000);
    QTRY_COMPARE(f.state(), QStringLiteral("Stopped"));
    QVERIFY(f.find<MessageLabel>("trainOutcomeText")
                ->text()
                .startsWith(QStringLiteral("Stopped after")));
    QSignalSpy exported(&f.dock, &TrainingDock::exportRequested);
    f.find<QPushButton>("exportRun")->click();
    QCOMPARE(exported.size(), 1);
    QVERIFY(f.bridge.exported()->edits.size() >= 2);
    QVERIFY(f.dock.startAction()->isEnabled());
  }

  void editsOfAnotherModelStayInWindow() {
    const Experiment experiment = tinyExperiment();
    Fixture f(infoOf(experiment));
    QTemporaryDir folder;
    f.bridge.start(experiment, folder.filePath(QStringLiteral("run")));
    f.dock.followEditsAction()->setChecked(true);
    QTRY_VERIFY_WITH_TIMEOUT(f.loss()->trainLoss().size() > 0, 60000);
    f.document.setModel(makeModel(5, 3));
    QVERIFY(!f.dock.followEditsAction()->isEnabled());
    f.document.inputs().pushEdit(
        *makeMaskEdit(f.document.inputs().masks(), {{4, 2}}, *headMaskFromText("hard"), "hard"));
    QTRY_VERIFY(!f.edits()->isWaiting());
    f.letStepsBegin();
    QCOMPARE(f.bridge.masks()->maskedHeads(), 0);
    QSignalSpy finished(&f.bridge, &TrainingBridge::finished);
    f.bridge.stop();
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 60000);
  }

  void runOfAnAutoencoderKeepsItsMasksAndSaysWhy() {
    Experiment experiment = tinyExperiment();
    ModelConfig& model = experiment.model;
    model.backbone = "mae";
    model.layout = {{"decoder_width", 16}, {"decoder_depth", 1}, {"decoder_heads", 2}};
    model.classes = 0;
    model.positions = "none";
    model = checkedAndCompleted(model);
    Fixture f(infoOf(tinyExperiment()));
    QStringList messages;
    connect(&f.document, &Document::message, this, [&](const QString& text) { messages << text; });
    QSignalSpy asked(&f.dock, &TrainingDock::editsUndecided);
    QTemporaryDir folder;
    f.dock.followEditsAction()->setChecked(true);
    f.bridge.start(experiment, folder.filePath(QStringLiteral("run")));
    QTRY_VERIFY_WITH_TIMEOUT(f.loss()->trainLoss().size() > 0, 60000);
    QTRY_VERIFY(!f.dock.followEditsAction()->isEnabled());
    QVERIFY(f.dock.followEditsAction()->toolTip().contains(QStringLiteral("patches are dropped")));
    f.document.inputs().pushEdit(
        *makeMaskEdit(f.document.inputs().masks(), {{0, 1}}, *headMaskFromText("hard:3"), "hard"));
    QTRY_VERIFY(!messages.filter(QStringLiteral("patches are dropped")).isEmpty());
    QTRY_VERIFY(!f.edits()->isWaiting());
    f.letStepsBegin();
    QVERIFY(f.bridge.isRunning());
    QCOMPARE(f.bridge.masks()->maskedHeads(), 0);
    QCOMPARE(f.document.inputs().masks().maskedHeads(), 1);
    QCOMPARE(asked.size(), 0);
    QSignalSpy finished(&f.bridge, &TrainingBridge::finished);
    f.bridge.stop();
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 60000);
    QVERIFY(finished[0][1].toString().isEmpty());
    QVERIFY(f.dock.followEditsAction()->isEnabled());
  }

  void resumedRunShowsItsEarlierCurves() {
    Experiment experiment = tinyExperiment();
    experiment.telemetry.metricsSteps = 1;
    Fixture f(infoOf(experiment));
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("run"));
    QSignalSpy finished(&f.bridge, &TrainingBridge::finished);
    QSignalSpy wentOn(&f.bridge, &TrainingBridge::wentOn);
    f.bridge.start(experiment, path);
    QTRY_VERIFY_WITH_TIMEOUT(f.loss()->validationLoss().size() > 1, 60000);
    f.bridge.stop();
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 60000);
    QVERIFY(wentOn.isEmpty());
    const int validated = f.loss()->validationLoss().size();
    const std::int64_t last = f.locality()->history().newest().step;

    f.bridge.resume(path);
    QVERIFY(f.loss()->trainLoss().isEmpty());
    QTRY_COMPARE_WITH_TIMEOUT(wentOn.size(), 1, 60000);
    QVERIFY(f.loss()->trainLoss().keys().first() < 10);
    QVERIFY(f.loss()->validationLoss().size() >= validated);
    QCOMPARE(f.locality()->history().points().front()->step, std::int64_t{0});
    QVERIFY(f.locality()->history().nearest(last) > 0);
    QTRY_VERIFY_WITH_TIMEOUT(f.locality()->history().newest().step > last, 60000);
    f.bridge.stop();
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 2, 60000);
  }

  void images() {
    Fixture f(makeModel(12, 3));
    TrainingUpdate update = running(620, 1260);
    for (int i = 1; i <= 620; ++i)
      update.steps.push_back(
          {i, 0.4 + 1.8 * std::exp(-i / 220.0) + 0.15 * std::sin(i * 1.7) * std::cos(i * 0.37),
           1e-3 * std::cos(i / 900.0), 212});
    for (int e = 1; e <= 9; ++e)
      update.epochPoints.push_back({e, 63 * e, 1.0, 0.5 + 1.6 * std::exp(-e / 3.0),
                                    0.95 - 0.8 * std::exp(-e / 3.0),
                                    0.99 - 0.5 * std::exp(-e / 2.0), true});
    for (int i = 0; i <= 12; ++i)
      update.heads.push_back(heads(50 * i, 12, 3, 0.02f * i * std::sin(0.3f * i)));
    update.edits.push_back({300, {"hard", {}, "", ""}});
    update.warnings = {"one.png: is truncated"};
    f.feed(update);
    QTRY_VERIFY(f.locality()->lines()->graphCount() > 0);  // drawn at the next repaint
    saveGrabs(f.dock, QStringLiteral("training-dock"));
    f.dock.learningRateAction()->trigger();
    f.locality()->setShownLayer(3);
    f.finish({.steps = 1260,
              .bestScore = 0.934,
              .last = "/r/last.safetensors",
              .best = "/r/best.safetensors"});
    saveGrabs(f.dock, QStringLiteral("training-dock-finished"));
    Fixture fresh;
    saveGrabs(fresh.dock, QStringLiteral("training-dock-empty"));
  }
};

QTEST_MAIN(TrainingDockTest)
#include "TrainingDockTest.moc"
