// SPDX-License-Identifier: GPL-3.0-or-later

// The plot of a mechanism's readings and of the fit of learned masks: by itself, in the training
// dock with made-up updates, and over real, tiny runs.

#include "ui/plots/ReadingsPlot.h"

#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>

#include <cmath>

#include "tests/gui/EndlessExperiment.h"
#include "tests/gui/Grab.h"
#include "tests/gui/Idle.h"
#include "tests/gui/Mouse.h"
#include "tests/gui/SyntheticInference.h"
#include "ui/bridge/TrainingBridge.h"
#include "ui/plots/LocalityPlot.h"
#include "ui/plots/LossPlot.h"
#include "ui/plots/PlotNavigation.h"
#include "ui/plots/Plotting.h"
#include "ui/training/EvolutionBar.h"
#include "ui/training/TrainingDock.h"

using namespace headlight;
using namespace headlight::synthetic;

class ReadingsPlotTest : public QObject {
  Q_OBJECT

  /// Layer l: nonzeros (l + 1) / 8 at first, halved every 100 steps; epsilon step / 10000.
  static HeadPoint measured(std::int64_t step, int layers = 2) {
    HeadPoint point;
    point.step = step;
    point.images = 8;
    for (int l = 0; l < layers; ++l) {
      point.locality.push_back({0.25f, 0.5f});
      point.readings.push_back(
          {{"nonzeros", (l + 1) / 8.0 * std::exp2(-static_cast<double>(step) / 100)},
           {"epsilon", static_cast<double>(step) / 10000}});
    }
    return point;
  }
  static MaskFit fitted(std::vector<int> layers = {0, 1}) {
    return {"mask_fit.csv", std::move(layers), {0.25, 0.02, 0.0003}};
  }

  struct Plot {
    HeadHistory history;
    ReadingsPlot widget{&history};
    QCustomPlot* plot = widget.plot();
    Plot() {
      widget.resize(420, 220);
      widget.show();
      if (!QTest::qWaitForWindowExposed(&widget)) qFatal("the plot was not shown");
    }
    void draw() {
      widget.replot();
      plot->replot(QCustomPlot::rpImmediateRefresh);
    }
    QPointF at(double key) const {
      return {plot->xAxis->coordToPixel(key), static_cast<double>(plot->axisRect()->center().y())};
    }
    QString said(double key) const { return widget.navigation()->textAt(at(key)); }
    QComboBox* choice() const { return widget.findChild<QComboBox*>(); }
    QLabel* title() const { return widget.findChild<QLabel*>(QStringLiteral("readingsTitle")); }
  };

  struct Dock {
    Document document;
    TrainingBridge bridge;
    TrainingDock dock{&document, &bridge};
    explicit Dock(const ModelInfo& model = makeModel()) {
      fill(document, model);
      dock.resize(1180, 240);
      dock.show();
      if (!QTest::qWaitForWindowExposed(&dock)) qFatal("the dock was not shown");
    }
    ReadingsPlot* readings() const { return dock.findChild<ReadingsPlot*>(); }
    QComboBox* choice() const { return readings()->findChild<QComboBox*>(); }
    void feed(const TrainingUpdate& update) {
      Q_EMIT bridge.updated(std::make_shared<const TrainingUpdate>(update));
    }
  };

  static TrainingUpdate running() {
    TrainingUpdate update;
    update.state = TrainingState::Running;
    return update;
  }

  /// Until stopped, of layers with a mechanism.
  static Experiment endless(const std::string& mechanism) {
    Experiment experiment = endlessExperiment();
    experiment.model.mechanism = mechanism;
    experiment.telemetry.probeImages = 3;
    return experiment;
  }

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void alphaIsDrawnByLayerAndByHead() {
    Plot f;
    const float none = std::nanf("");
    for (const int step : {0, 100, 200}) {
      HeadPoint point;
      point.step = step;
      const float alpha = 0.5f - static_cast<float>(step) / 1000;
      point.alpha = {{none, none}, {alpha, alpha / 2}, {none, step == 100 ? none : 0.25f}};
      f.history.add(point);
    }
    QVERIFY(!f.widget.isEmpty());
    f.draw();
    QCOMPARE(f.choice()->count(), 3);  // by layer, and the two layers that have soft heads
    QCOMPARE(f.plot->yAxis->label(), QStringLiteral("α"));
    QCOMPARE(f.plot->graphCount(), 2);
    QCOMPARE(f.plot->graph(0)->name(), QStringLiteral("L1"));
    QVERIFY(std::abs(f.plot->graph(0)->data()->at(2)->value - 0.225) < 1e-6);
    f.choice()->setCurrentIndex(1);
    QCOMPARE(f.plot->graphCount(), 2);
    QCOMPARE(f.plot->graph(1)->name(), QStringLiteral("head 1"));
    QVERIFY(std::abs(f.plot->graph(1)->data()->at(1)->value - 0.2) < 1e-6);
    // A head that was not soft meanwhile has a gap.
    f.choice()->setCurrentIndex(2);
    QCOMPARE(f.plot->graphCount(), 1);
    QVERIFY(std::isnan(f.plot->graph(0)->data()->at(1)->value));
    saveGrabs(f.widget, QStringLiteral("alpha"));
  }

  void aLineALayerAndItsAxesSayWhatTheyShow() {
    Plot f;
    QVERIFY(f.widget.isEmpty());
    for (const int step : {0, 100, 200})
      f.history.add(measured(step));
    f.draw();
    QVERIFY(!f.widget.isEmpty());
    QCOMPARE(f.plot->graphCount(), 2);
    QCOMPARE(f.plot->yAxis->label(), QStringLiteral("nonzeros\nmean of 8 images"));
    QCOMPARE(f.plot->xAxis->label(), QStringLiteral("step"));
    QCOMPARE(f.plot->yAxis->scaleType(), QCPAxis::stLinear);
    QVERIFY(f.plot->yAxis->range().contains(0.25) && f.plot->yAxis->range().contains(1 / 32.0));
    QCOMPARE(f.said(95), QStringLiteral("step 100\nL0  0.0625\nL1  0.125"));
    moveMouse(f.plot, f.at(0));
    QVERIFY2(QToolTip::text().contains(QStringLiteral("0.25")), qPrintable(QToolTip::text()));
  }

  void appendedLinesEqualTheWholeHistory() {
    Plot f;
    // The history is thinned twice on the way, and its newest point is often replaced by the next.
    for (int step = 0; step < 1700; ++step) {
      HeadPoint point = measured(step, step < 300 ? 1 : 2);
      if (step % 7 == 0) point.readings.back().front().second = std::nan("");
      if (step > 900) point.readings.front().push_back({"late", static_cast<double>(step)});
      f.history.add(point);
      if (step % 3 == 0) f.widget.replot();
    }
    ReadingsPlot fresh(&f.history);
    for (ReadingsPlot* plot : {&f.widget, &fresh})
      plot->replot();
    auto* choices = fresh.findChild<QComboBox*>();
    QCOMPARE(f.choice()->count(), 3);
    QCOMPARE(choices->count(), 3);
    for (int choice = 0; choice < choices->count(); ++choice) {
      f.choice()->setCurrentIndex(choice);
      choices->setCurrentIndex(choice);
      QCOMPARE(f.choice()->currentText(), choices->currentText());
      QCOMPARE(f.plot->graphCount(), fresh.plot()->graphCount());
      for (int line = 0; line < f.plot->graphCount(); ++line) {
        const auto grown = f.plot->graph(line)->data(), whole = fresh.plot()->graph(line)->data();
        QCOMPARE(grown->size(), whole->size());
        QVERIFY(grown->size() > 100);
        for (int i = 0; i < grown->size(); ++i) {
          QCOMPARE(grown->at(i)->key, whole->at(i)->key);
          QCOMPARE(grown->at(i)->value, whole->at(i)->value);
        }
      }
    }
    // Another run, shorter and of another mechanism.
    f.history.clear();
    HeadPoint other = measured(0);
    other.readings = {{{"other", 1.0}}};
    f.history.add(other);
    f.draw();
    QCOMPARE(f.plot->graphCount(), 1);
    QCOMPARE(f.title()->text(), QStringLiteral("other"));
  }

  void oneOfSeveralIsChosen() {
    Plot f;
    f.history.add(measured(0));
    f.history.add(measured(100));
    f.draw();
    QVERIFY(f.choice()->isVisible());
    QVERIFY(!f.title()->isVisible());
    QVERIFY(!f.choice()->accessibleName().isEmpty());
    QCOMPARE(f.choice()->count(), 2);
    QVERIFY(f.choice()->itemText(0).startsWith(QStringLiteral("nonzeros")));
    f.choice()->setCurrentIndex(1);
    QCOMPARE(f.plot->yAxis->label(), QStringLiteral("epsilon\nmean of 8 images"));
    QCOMPARE(f.plot->xAxis->label(), QStringLiteral("step"));
    QCOMPARE(f.said(100), QStringLiteral("step 100\nL0  0.01\nL1  0.01"));
    // What was chosen stays, whatever comes.
    f.history.add(measured(200));
    f.widget.setMaskFits({fitted()});
    f.draw();
    QCOMPARE(f.choice()->currentIndex(), 1);
    QCOMPARE(f.choice()->count(), 3);
    QCOMPARE(f.said(200), QStringLiteral("step 200\nL0  0.02\nL1  0.02"));
  }

  void layersWithoutAReadingHaveNoLine() {
    Plot f;
    HeadPoint point = measured(0, 3);
    point.readings[1].clear();
    point.readings[2] = {{"entropy", 1.5}};
    point.images = 1;
    f.history.add(point);
    f.draw();
    QCOMPARE(f.said(0), QStringLiteral("step 0\nL0  0.125"));
    QCOMPARE(f.choice()->count(), 3);
    f.choice()->setCurrentIndex(2);  // as the mechanism calls it
    QCOMPARE(f.choice()->currentText(), QStringLiteral("entropy"));
    QCOMPARE(f.plot->yAxis->label(), QStringLiteral("entropy\nof 1 image"));
    QCOMPARE(f.plot->xAxis->label(), QStringLiteral("step"));
    QCOMPARE(f.said(0), QStringLiteral("step 0\nL2  1.5"));
  }

  void theFitHasALogarithmicAxis() {
    Plot f;
    f.widget.setMaskFits({fitted()});
    f.draw();
    QVERIFY(!f.choice()->isVisible());  // there is but one
    QCOMPARE(f.title()->text(),
             QStringLiteral("mask fit: mean squared error of ABᵀ, by step of Algorithm 1"));
    QCOMPARE(f.plot->graphCount(), 1);
    QCOMPARE(f.plot->yAxis->scaleType(), QCPAxis::stLogarithmic);
    QVERIFY(std::abs(f.plot->yAxis->range().lower / 1e-4 - 1) < 1e-9);
    QVERIFY(std::abs(f.plot->yAxis->range().upper - 1) < 1e-9);
    QCOMPARE(f.plot->xAxis->label(), QStringLiteral("step of Algorithm 1"));
    QCOMPARE(f.plot->yAxis->label(), QStringLiteral("error of ABᵀ"));
    QCOMPARE(f.said(2), QStringLiteral("step of Algorithm 1 2\nmean squared error  0.0003"));
    // Two fits: each says whose it is. An error of nothing has no place on such an axis.
    MaskFit other = fitted({2, 4, 5});
    other.errors = {0.5, 0};
    f.widget.setMaskFits({fitted(), other});
    f.draw();
    QCOMPARE(f.plot->graphCount(), 2);
    QCOMPARE(f.said(0),
             QStringLiteral("step of Algorithm 1 0\nlayers 0–1  0.25\nlayers 2, 4–5  0.5"));
    QCOMPARE(f.plot->graph(1)->dataCount(), 1);
    // Beside readings it comes last, and leaving it the axis is as before.
    f.history.add(measured(0));
    f.history.add(measured(100));
    f.draw();
    QCOMPARE(f.plot->yAxis->scaleType(), QCPAxis::stLinear);
    f.choice()->setCurrentIndex(2);
    QCOMPARE(f.plot->yAxis->scaleType(), QCPAxis::stLogarithmic);
    f.choice()->setCurrentIndex(0);
    QCOMPARE(f.plot->yAxis->scaleType(), QCPAxis::stLinear);
    QCOMPARE(f.said(100), QStringLiteral("step 100\nL0  0.0625\nL1  0.125"));
  }

  void keysReadAndZoomIt() {
    Plot f;
    for (int step = 0; step <= 200; step += 100)
      f.history.add(measured(step));
    f.draw();
    QVERIFY(f.plot->focusPolicy() & Qt::TabFocus);
    QVERIFY(f.plot->accessibleName().startsWith(QStringLiteral("nonzeros")));
    f.plot->setFocus();
    QTest::keyClick(f.plot, Qt::Key_Left);
    QCOMPARE(f.plot->accessibleDescription(), QStringLiteral("step 200; L0  0.03125; L1  0.0625"));
    QTest::keyClick(f.plot, Qt::Key_Left);
    QVERIFY(f.plot->accessibleDescription().startsWith(QStringLiteral("step 100;")));
    QTest::keyClick(f.plot, Qt::Key_Plus);
    QVERIFY(f.widget.navigation()->isCloser());
    f.history.add(measured(300));
    f.draw();
    QVERIFY(f.widget.navigation()->isCloser());  // new steps do not take the view away
    f.choice()->setCurrentIndex(1);              // another choice is seen whole
    QVERIFY(!f.widget.navigation()->isCloser());
    QCOMPARE(f.plot->xAxis->range().upper, 1.02 * 300);
  }

  void theDockShowsItOnlyWhereARunHasReadings() {
    Dock f;
    QVERIFY(!f.readings()->isVisible());
    TrainingUpdate update = running();
    HeadPoint bare = measured(0);
    bare.readings = {{}, {}};
    update.heads = {bare};
    f.feed(update);
    QTRY_VERIFY(f.dock.findChild<LocalityPlot*>()->lines()->graphCount() > 0);
    QVERIFY(!f.readings()->isVisible());

    update.heads = {measured(100), measured(200), measured(300)};
    f.feed(update);
    QTRY_VERIFY(f.readings()->isVisible());
    QCOMPARE(f.readings()->plot()->graphCount(), 2);
    QTRY_VERIFY(f.readings()->width() >= f.readings()->plot()->minimumWidth());
    QCOMPARE(f.readings()->plot()->graph(1)->dataCount(), 3);

    // The end of a run leaves it; the next one begins without.
    Q_EMIT f.bridge.finished(std::make_shared<const TrainingOutcome>(), {});
    QVERIFY(f.readings()->isVisible());
    TrainingUpdate next = running();
    next.heads = {bare};
    untilIdle();
    QSignalSpy drawn(f.dock.findChild<LossPlot*>()->plot(), &QCustomPlot::afterReplot);
    f.feed(next);
    QVERIFY(!f.readings()->isVisible());
    QVERIFY(drawn.wait());
    QVERIFY(!f.readings()->isVisible());
  }

  void theEvolutionIsMarkedOnTheStepsOfTheRunAlone() {
    Plot f;
    f.history.add(measured(0));
    f.history.add(measured(100));
    f.widget.setMaskFits({fitted()});
    f.draw();
    const auto* mark = qobject_cast<QCPItemStraightLine*>(f.plot->item(0));
    QVERIFY(mark);
    QVERIFY(!mark->visible());
    f.widget.setShownStep(100);
    QVERIFY(mark->visible());
    QCOMPARE(mark->point1->key(), 100.0);
    f.choice()->setCurrentIndex(2);
    QVERIFY(!mark->visible());
    f.choice()->setCurrentIndex(0);
    QVERIFY(mark->visible());
    f.widget.setShownStep(std::nullopt);
    QVERIFY(!mark->visible());
  }

  void aRealRunShowsItsNonzeros() {
    const Experiment experiment = endless("linear_angular");
    Dock f;
    QTemporaryDir folder;
    f.bridge.start(experiment, folder.filePath(QStringLiteral("run")));
    QTRY_VERIFY_WITH_TIMEOUT(f.readings()->isVisible(), 60000);
    QVERIFY(f.choice()->currentText().startsWith(QStringLiteral("nonzeros")));
    QCOMPARE(f.readings()->plot()->graphCount(), 2);
    QCOMPARE(f.readings()->plot()->yAxis->label(), QStringLiteral("nonzeros\nmean of 3 images"));
    QCOMPARE(f.readings()->plot()->xAxis->label(), QStringLiteral("step"));
    QSignalSpy finished(&f.bridge, &TrainingBridge::finished);
    f.bridge.stop();
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 60000);
  }

  void aRealRunShowsItsFitAndAgainWhenItGoesOn() {
    const Experiment experiment = endless("learned_mask");
    Dock f;
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("run"));
    for (int round = 0; round < 2; ++round) {
      QSignalSpy finished(&f.bridge, &TrainingBridge::finished);
      QSignalSpy updated(&f.bridge, &TrainingBridge::updated);
      round == 0 ? f.bridge.start(experiment, path) : f.bridge.resume(path);
      QVERIFY(!f.readings()->isVisible());
      QTRY_VERIFY_WITH_TIMEOUT(f.readings()->isVisible(), 60000);
      QCOMPARE(f.readings()->plot()->graphCount(), 1);
      QVERIFY(f.readings()->plot()->graph(0)->dataCount() > 2);
      QCOMPARE(f.readings()->plot()->yAxis->scaleType(), QCPAxis::stLogarithmic);
      QTRY_VERIFY_WITH_TIMEOUT(updated.size() > 2, 60000);
      f.bridge.stop();
      QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 60000);
      QVERIFY(f.readings()->isVisible());
    }
  }

  void images() {
    Dock f(makeModel(12, 3));
    TrainingUpdate update = running();
    update.maskFits = {fitted({0, 1, 2})};
    for (int step = 0; step <= 600; step += 50)
      update.heads.push_back(measured(step, 12));
    f.feed(update);
    QTRY_VERIFY(f.readings()->isVisible());
    saveGrabs(f.dock, QStringLiteral("training-dock-readings"));
    f.choice()->setCurrentIndex(2);
    saveGrabs(f.dock, QStringLiteral("training-dock-mask-fit"));
  }
};

QTEST_MAIN(ReadingsPlotTest)
#include "ReadingsPlotTest.moc"
