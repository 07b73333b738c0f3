// SPDX-License-Identifier: GPL-3.0-or-later

// The evolution slider: a step of the run is chosen by keys or mouse, and the mask matrix, the ALS
// plot and the loss say what was recorded then; the right end is live, or, once the run has ended,
// the present model.

#include <QAction>
#include <QLabel>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSlider>
#include <QStyle>
#include <QTest>
#include <QToolButton>

#include <cmath>

#include "tests/gui/Grab.h"
#include "tests/gui/SyntheticInference.h"
#include "ui/bridge/TrainingBridge.h"
#include "ui/masks/MaskMatrix.h"
#include "ui/masks/MaskPanel.h"
#include "ui/plots/LocalityPlot.h"
#include "ui/plots/LossPlot.h"
#include "ui/plots/Plotting.h"
#include "ui/training/EvolutionBar.h"
#include "ui/training/TrainingDock.h"

using namespace headlight;
using namespace headlight::synthetic;

class EvolutionTest : public QObject {
  Q_OBJECT

  /// Head (l, h) at `step`: ALS step / 1000 + 0.01 h; α of (0, 1) falls from 0.9 by step / 2000.
  static HeadPoint measured(std::int64_t step, int layers = 3, int heads = 2) {
    HeadPoint point;
    point.step = step;
    for (int l = 0; l < layers; ++l) {
      point.locality.emplace_back();
      point.alpha.emplace_back();
      for (int h = 0; h < heads; ++h) {
        point.locality.back().push_back(static_cast<float>(step) / 1000 + 0.01f * h);
        point.alpha.back().push_back(l == 0 && h == 1 ? 0.9f - static_cast<float>(step) / 2000
                                                      : std::nanf(""));
      }
    }
    return point;
  }

  struct Fixture {
    Document document;
    TrainingBridge bridge;
    TrainingDock dock{&document, &bridge};
    MaskPanel masks{&document};
    explicit Fixture(const ModelInfo& model = makeModel()) {
      fill(document, model);
      document.inputs().pushEdit(*makeMaskEdit(document.inputs().masks(), {{0, 1}},
                                               *headMaskFromText("soft:3@0.5"), "soft"));
      dock.resize(1180, 240);
      masks.resize(330, 420);
      for (QWidget* widget : {static_cast<QWidget*>(&dock), static_cast<QWidget*>(&masks)}) {
        widget->show();
        if (!QTest::qWaitForWindowExposed(widget)) qFatal("not shown");
      }
    }
    /// Measurements every 100 steps up to `last`, as of a run that is going on.
    void feed(std::int64_t first, std::int64_t last, int layers = 3, int heads = 2) {
      auto update = std::make_shared<TrainingUpdate>();
      update->state = TrainingState::Running;
      update->progress = {"epoch 1/1", last, 2000, 60};
      for (std::int64_t step = first; step <= last; step += 100) {
        update->steps.push_back({step, 1, 1e-3, 100});
        update->heads.push_back(measured(step, layers, heads));
      }
      Q_EMIT bridge.updated(update);
      QTRY_COMPARE(newestShown(), last);
    }
    std::int64_t newestShown() const {
      return dock.evolution()->shown() ? locality()->history().newest().step
                                       : label().split(QLatin1Char(' ')).last().toLongLong();
    }
    QSlider* slider() const { return dock.findChild<QSlider*>(QStringLiteral("evolutionSlider")); }
    QString label() const {
      return dock.findChild<QLabel*>(QStringLiteral("evolutionLabel"))->text();
    }
    QToolButton* live() const {
      return dock.findChild<QToolButton*>(QStringLiteral("evolutionLive"));
    }
    LocalityPlot* locality() const { return dock.findChild<LocalityPlot*>(); }
    QString status() const {
      return masks.findChild<QLabel*>(QStringLiteral("maskStatus"))->text();
    }
    void key(Qt::Key key) { QTest::keyClick(slider(), key); }
    /// Pixels of the ALS bar of a cell in this color.
    int barWidth(int layer, int head, const QColor& color) {
      MaskMatrix* matrix = masks.matrix();
      const QImage image = matrix->viewport()->grab().toImage();
      const QRect cell = matrix->cellRect({layer, head});
      int most = 0;
      for (int y = cell.bottom() - 12; y <= cell.bottom(); ++y) {
        int count = 0;
        for (int x = cell.left(); x <= cell.right(); ++x)
          count += distance(pixelAt(image, QPointF(x, y)), color) < 8;
        most = std::max(most, count);
      }
      return most;
    }
  };

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void sliderIsDisabledWithoutRecording() {
    Fixture f;
    QVERIFY(!f.slider()->isEnabled());
    QVERIFY(!f.live()->isEnabled());
    QCOMPARE(f.label(), QStringLiteral("live"));
    QVERIFY(!f.slider()->toolTip().isEmpty());
    QVERIFY(!f.slider()->accessibleName().isEmpty());
  }

  void smallerModelCanBeOpenedWhileAStepIsShown() {
    Fixture f(makeModel(12, 6));
    f.feed(0, 300, 12, 6);
    f.key(Qt::Key_Home);
    QVERIFY(f.document.recorded().point());
    QTest::mouseClick(f.masks.matrix()->viewport(), Qt::LeftButton, {},
                      f.masks.matrix()->cellRect({0, 5}).center());
    QVERIFY(f.status().contains(QStringLiteral("layer 0, head 5")));
    // Whoever is told that nothing is recorded any more asks about the new model.
    bool modelWasNotified = false;
    connect(&f.document.inputs(), &InferenceInputs::modelChanged, this,
            [&] { modelWasNotified = true; });
    int reported = 0;
    connect(&f.document.recorded(), &RecordedStep::changed, this, [&] {
      ++reported;
      QVERIFY(modelWasNotified);
    });
    f.document.setModel(makeModel(12, 3));
    QCOMPARE(reported, 1);
    QVERIFY(!f.document.recorded().point());
    QVERIFY2(!f.status().contains(QStringLiteral("head 5")), qPrintable(f.status()));
    QVERIFY2(f.status().contains(QStringLiteral("of 36 heads")), qPrintable(f.status()));
  }

  void keysMoveThroughRun() {
    Fixture f;
    f.feed(0, 900);
    QVERIFY(f.slider()->isEnabled());
    QCOMPARE(f.label(), QStringLiteral("live · step 900"));
    QVERIFY(f.slider()->toolTip().contains(QStringLiteral("not the weights")));
    f.key(Qt::Key_Left);
    QCOMPARE(f.label(), QStringLiteral("step 900 of 900"));
    f.key(Qt::Key_Home);
    QCOMPARE(f.label(), QStringLiteral("step 0 of 900"));
    for (int i = 0; i < 3; ++i)
      f.key(Qt::Key_Right);
    QCOMPARE(f.label(), QStringLiteral("step 300 of 900"));
    QCOMPARE(f.slider()->accessibleDescription(), f.label());
    QVERIFY(f.live()->isEnabled());
    f.key(Qt::Key_End);
    QCOMPARE(f.label(), QStringLiteral("live · step 900"));
    QVERIFY(!f.live()->isEnabled());
    // The palette's commands do the same.
    f.dock.evolution()->earlierAction()->trigger();
    f.dock.evolution()->earlierAction()->trigger();
    QCOMPARE(f.label(), QStringLiteral("step 800 of 900"));
    f.dock.evolution()->laterAction()->trigger();
    f.dock.evolution()->laterAction()->trigger();
    QVERIFY(!f.dock.evolution()->shown());
  }

  void nothingIsLiveOnceTheRunHasEnded() {
    Fixture f;
    f.feed(0, 900);
    TrainingOutcome outcome;
    outcome.steps = 940;
    Q_EMIT f.bridge.finished(std::make_shared<const TrainingOutcome>(outcome), {});
    QCOMPARE(f.label(), QStringLiteral("now · last step 940"));
    QCOMPARE(f.live()->text(), QStringLiteral("Now"));
    f.key(Qt::Key_Left);
    QCOMPARE(f.label(), QStringLiteral("step 900 of 940"));
    f.key(Qt::Key_End);
    QCOMPARE(f.label(), QStringLiteral("now · last step 940"));
    f.feed(0, 100);
    QCOMPARE(f.label(), QStringLiteral("live · step 100"));
    QCOMPARE(f.live()->text(), QStringLiteral("Live"));
  }

  void matrixShowsStep() {
    Fixture f;
    const float before = *f.document.numbers().locality(2, 1);
    const QColor highlight = f.masks.palette().color(QPalette::Highlight);
    QCOMPARE(f.barWidth(2, 1, highlight), 0);
    f.feed(0, 900);
    QCOMPARE(*f.document.numbers().locality(2, 1), before);  // live: the model that is open
    f.dock.evolution()->move(-7);
    QCOMPARE(f.label(), QStringLiteral("step 300 of 900"));
    QVERIFY(std::abs(*f.document.numbers().locality(2, 1) - 0.31f) < 1e-6);
    QVERIFY(std::abs(*f.document.recorded().alpha(0, 1) - 0.75f) < 1e-6);
    QVERIFY(!f.document.recorded().alpha(0, 0));
    QVERIFY(f.status().startsWith(QStringLiteral("ALS and α as recorded at training step 300 · ")));
    const QString said = f.masks.matrix()->describeCell({0, 1});
    QVERIFY2(said.contains(QStringLiteral("step 300. Its α was 0.750.")), qPrintable(said));
    QVERIFY2(said.contains(QStringLiteral("(ALS) 0.31")), qPrintable(said));
    const int early = f.barWidth(2, 1, highlight);
    f.dock.evolution()->move(6);
    const int late = f.barWidth(2, 1, highlight);
    QVERIFY2(early > 5 && late > 2 * early, qPrintable(QString("%1, %2").arg(early).arg(late)));
    QTest::mouseClick(f.live(), Qt::LeftButton);
    QCOMPARE(*f.document.numbers().locality(2, 1), before);
    QCOMPARE(f.barWidth(2, 1, highlight), 0);
    QVERIFY(!f.status().contains(QStringLiteral("recorded")));
  }

  void plotsMarkStep() {
    Fixture f;
    f.feed(0, 900);
    const auto marks = [](QCustomPlot* plot) {
      QList<double> steps;
      for (int i = 0; i < plot->itemCount(); ++i)
        if (auto* line = qobject_cast<QCPItemStraightLine*>(plot->item(i)); line && line->visible())
          steps << line->point1->key();
      return steps;
    };
    QCustomPlot* loss = f.dock.findChild<LossPlot*>()->plot();
    QVERIFY(marks(loss).isEmpty());
    f.dock.evolution()->move(-7);
    QCOMPARE(marks(loss), (QList<double>{300, 300}));
    QCOMPARE(marks(f.locality()->lines()), (QList<double>{300}));
    auto* map = qobject_cast<QCPColorMap*>(f.locality()->strip()->plottable(0));
    QVERIFY(map);
    QVERIFY(std::abs(map->data()->cell(1, 2) - 0.31) < 1e-6);
    f.dock.evolution()->goLive();
    QVERIFY(marks(loss).isEmpty());
    QVERIFY(std::abs(map->data()->cell(1, 2) - 0.91) < 1e-6);
  }

  void chosenStepStaysDuringRun() {
    Fixture f;
    f.feed(0, 900);
    f.dock.evolution()->move(-7);
    f.feed(1000, 1500);
    QTRY_COMPARE(f.label(), QStringLiteral("step 300 of 1500"));
    QCOMPARE(f.slider()->value(), 3);
    QCOMPARE(f.slider()->maximum(), 16);
    // So many measurements that most are dropped: the step that is shown is shown still.
    f.feed(1600, 100000);
    QTRY_COMPARE(f.label(), QStringLiteral("step 300 of 100000"));
    QVERIFY(f.slider()->maximum() <= HeadHistory::kCapacity);
    QVERIFY(std::abs(*f.document.numbers().locality(0, 0) - 0.3f) < 1e-6);
    f.key(Qt::Key_End);
    QCOMPARE(f.label(), QStringLiteral("live · step 100000"));
    f.feed(100100, 100200);
    QTRY_COMPARE(f.label(), QStringLiteral("live · step 100200"));
  }

  void draggingShowsSteps() {
    Fixture f;
    f.feed(0, 900);
    QSlider* slider = f.slider();
    const int y = slider->height() / 2;
    QTest::mousePress(slider, Qt::LeftButton, {}, {slider->width() - 6, y});
    QMouseEvent move(QEvent::MouseMove, QPointF(6, y), slider->mapToGlobal(QPointF(6, y)),
                     Qt::LeftButton, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(slider, &move);
    QCOMPARE(f.label(), QStringLiteral("step 0 of 900"));
    QTest::mouseRelease(slider, Qt::LeftButton, {}, {6, y});
    QVERIFY(f.document.recorded().point() && f.document.recorded().point()->step == 0);
  }

  void newModelOrRunGoesLive() {
    Fixture f;
    f.feed(0, 900);
    f.dock.evolution()->move(-3);
    f.document.setModel(makeModel(5, 3));
    QVERIFY(!f.document.recorded().point());
    QVERIFY(!f.dock.evolution()->shown());
    // The run's heads are not the model's: plots only.
    f.dock.evolution()->move(-3);
    QVERIFY(f.dock.evolution()->shown());
    QVERIFY(!f.document.recorded().point());
    // A new run begins with nothing recorded.
    Q_EMIT f.bridge.finished(std::make_shared<const TrainingOutcome>(), {});
    QVERIFY(f.slider()->isEnabled());  // what was recorded can be seen after the end
    f.feed(0, 100);
    QVERIFY(!f.dock.evolution()->shown());
    QCOMPARE(f.slider()->maximum(), 2);
  }

  void nearestMeasurementIsShown() {
    HeadHistory history;
    QCOMPARE(history.nearest(5), std::size_t{0});
    for (const int step : {0, 10, 20})
      history.add(measured(step));
    QCOMPARE(history.nearest(-3), std::size_t{0});
    QCOMPARE(history.nearest(4), std::size_t{0});
    QCOMPARE(history.nearest(16), std::size_t{2});
    QCOMPARE(history.nearest(1000), std::size_t{2});
  }

  void images() {
    Fixture f(makeModel(12, 3));
    f.feed(0, 900, 12, 3);
    QTRY_VERIFY(f.dock.findChild<LocalityPlot*>()->lines()->graphCount() > 0);  // drawn
    saveGrabs(f.dock, QStringLiteral("evolution-live"));
    f.dock.evolution()->move(-7);
    saveGrabs(f.dock, QStringLiteral("evolution-step"));
    saveGrabs(f.masks, QStringLiteral("evolution-masks"));
  }
};

QTEST_MAIN(EvolutionTest)
#include "EvolutionTest.moc"
