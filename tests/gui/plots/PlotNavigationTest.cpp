// SPDX-License-Identifier: GPL-3.0-or-later

// Reading and moving in the plots, with real mouse and wheel events.

#include "ui/plots/PlotNavigation.h"

#include <QTest>
#include <QToolTip>
#include <QWheelEvent>

#include <cmath>

#include "tests/gui/Mouse.h"
#include "tests/gui/SyntheticInference.h"
#include "ui/plots/LocalityPlot.h"
#include "ui/plots/LossPlot.h"
#include "ui/plots/Plotting.h"

using namespace headlight;
using namespace headlight::synthetic;

class PlotNavigationTest : public QObject {
  Q_OBJECT

  static void wheel(QWidget* widget, QPointF position, int notches) {
    QWheelEvent event(position, widget->mapToGlobal(position), {}, {0, 120 * notches}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(widget, &event);
  }
  static void drag(QWidget* widget, QPoint from, QPoint to) {
    QTest::mousePress(widget, Qt::LeftButton, {}, from);
    moveMouse(widget, (from + to) / 2, Qt::LeftButton);
    moveMouse(widget, to, Qt::LeftButton);
    QTest::mouseRelease(widget, Qt::LeftButton, {}, to);
  }

  /// Steps 1 to 200 with loss 2 − step / 200; a validation after 100 and 200 steps.
  struct Losses {
    LossPlot widget;
    QCustomPlot* plot = widget.plot();
    QCPAxisRect *loss = nullptr, *accuracy = nullptr;
    Losses() {
      addSteps(1, 200);
      widget.addEpoch({1, 100, 1.5, 1.25, 0.5, 0.75, true});
      widget.addEpoch({2, 200, 1.0, 0.75, 0.625, 0.875, true});
      widget.resize(700, 200);
      widget.show();
      if (!QTest::qWaitForWindowExposed(&widget)) qFatal("the plot was not shown");
      widget.replot();
      plot->replot(QCustomPlot::rpImmediateRefresh);
      loss = plot->axisRect(0);
      accuracy = plot->axisRect(1);
    }
    void addSteps(int first, int last) {
      for (int step = first; step <= last; ++step)
        widget.addStep({step, 2 - step / 200.0, 1e-3, 100});
    }
    QPointF at(QCPAxisRect* rect, double step) const {
      return {rect->axis(QCPAxis::atBottom)->coordToPixel(step),
              static_cast<double>(rect->center().y())};
    }
    QCPRange range(QCPAxisRect* rect) const { return rect->axis(QCPAxis::atBottom)->range(); }
    QString said(QCPAxisRect* rect, double step) const {
      return widget.navigation()->textAt(at(rect, step));
    }
  };

  static HeadPoint measured(std::int64_t step) {
    HeadPoint point;
    point.step = step;
    point.locality = {{0.125f, 0.25f}, {0.5f, 0.75f}};
    return point;
  }

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void hoveringSaysTheValues() {
    Losses f;
    const QStringList lines = f.said(f.loss, 100.2).split(QLatin1Char('\n'));
    QCOMPARE(lines[0], QStringLiteral("step 100"));
    QCOMPARE(lines[1], QStringLiteral("train, as measured  1.5"));
    QVERIFY2(lines[2].startsWith(QStringLiteral("train  1.")), qPrintable(lines[2]));
    QCOMPARE(lines[3], QStringLiteral("validation  1.25"));
    QCOMPARE(lines.size(), 4);  // the learning rate is not shown, edits are no curve
    // Between two validations: the nearer one, and where it is from.
    QVERIFY(f.said(f.loss, 160).startsWith(QStringLiteral("step 160\n")));
    QVERIFY(f.said(f.loss, 160).endsWith(QStringLiteral("validation  0.75 (step 200)")));
    QCOMPARE(f.said(f.accuracy, 120), QStringLiteral("step 100\ntop-1  50\ntop-5  75"));
    f.widget.setLearningRateVisible(true);
    QVERIFY(f.said(f.loss, 100).contains(QStringLiteral("learning rate  0.001")));
    QCOMPARE(f.widget.navigation()->textAt({1, 1}), QString());
  }

  void theTooltipFollowsTheMouse() {
    Losses f;
    moveMouse(f.plot, f.at(f.accuracy, 190));
    QVERIFY2(QToolTip::text().contains(QStringLiteral("step 200")), qPrintable(QToolTip::text()));
    QVERIFY(QToolTip::text().contains(QStringLiteral("62.5")));
    moveMouse(f.plot, f.at(f.accuracy, 90));
    QVERIFY(QToolTip::text().contains(QStringLiteral("step 100")));
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(f.plot, &leave);
    QTRY_VERIFY(!QToolTip::isVisible());
  }

  void anEmptyPlotSaysNothing() {
    LossPlot widget;
    widget.resize(500, 200);
    widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
    widget.plot()->replot(QCustomPlot::rpImmediateRefresh);
    const QPointF middle = widget.plot()->axisRect(0)->center();
    QCOMPARE(widget.navigation()->textAt(middle), QString());
    moveMouse(widget.plot(), middle);
    wheel(widget.plot(), middle, 3);
  }

  void theWheelZoomsAlongTheSteps() {
    Losses f;
    const QCPRange all = f.range(f.loss);
    const double values = f.loss->axis(QCPAxis::atLeft)->range().size();
    wheel(f.plot, f.at(f.loss, 50), 4);
    const QCPRange closer = f.range(f.loss);
    QVERIFY(closer.size() < 0.7 * all.size());
    QVERIFY(closer.contains(50));
    QCOMPARE(f.loss->axis(QCPAxis::atLeft)->range().size(), values);
    QCOMPARE(f.range(f.accuracy).lower, closer.lower);  // both show the same steps
    QCOMPARE(f.range(f.accuracy).upper, closer.upper);
    QVERIFY(f.widget.navigation()->isCloser());
    // However far: something stays to be seen; and back out is everything, no further.
    wheel(f.plot, f.at(f.loss, 50), 100);
    QVERIFY(f.range(f.loss).size() >= 1 - 1e-9);
    for (int i = 0; i < 60; ++i)
      wheel(f.plot, f.loss->center(), -4);
    QCOMPARE(f.range(f.loss).lower, all.lower);
    QCOMPARE(f.range(f.loss).upper, all.upper);
    QVERIFY(!f.widget.navigation()->isCloser());
  }

  void draggingMovesAndADoubleClickShowsEverything() {
    Losses f;
    const QCPRange all = f.range(f.loss);
    wheel(f.plot, f.at(f.loss, 100), 6);
    const QCPRange closer = f.range(f.loss);
    const QPoint from = f.at(f.loss, 100).toPoint();
    drag(f.plot, from, from - QPoint(40, 15));
    const QCPRange moved = f.range(f.loss);
    QVERIFY(moved.lower > closer.lower + 1);
    QVERIFY(std::abs(moved.size() - closer.size()) < 1e-6 * closer.size());
    drag(f.plot, from, from + QPoint(3000, 0));  // not beyond the first step
    QVERIFY(std::abs(f.range(f.loss).lower - all.lower) < 1e-9);
    QVERIFY(std::abs(f.range(f.loss).size() - closer.size()) < 1e-6 * closer.size());
    QTest::mouseDClick(f.plot, Qt::LeftButton, {}, from);
    QCOMPARE(f.range(f.loss).upper, all.upper);
    QVERIFY(!f.widget.navigation()->isCloser());
  }

  void keysReadZoomAndShowEverything() {
    Losses f;
    QVERIFY(f.plot->focusPolicy() & Qt::TabFocus);
    QVERIFY(!f.plot->accessibleName().isEmpty());
    f.plot->setFocus();
    const auto said = [&] { return f.plot->accessibleDescription(); };
    const auto key = [&](Qt::Key pressed) { QTest::keyClick(f.plot, pressed); };
    const QCPRange all = f.range(f.loss);
    key(Qt::Key_Left);  // begins with the newest
    QVERIFY2(said().startsWith(QStringLiteral("step 200; train, as measured  1;")),
             qPrintable(said()));
    QVERIFY(said().endsWith(QStringLiteral("validation  0.75")));
    QVERIFY(QToolTip::text().contains(QStringLiteral("step 200")));
    key(Qt::Key_Left);  // a fortieth of what is in sight
    QVERIFY2(said().startsWith(QStringLiteral("step 195;")), qPrintable(said()));
    key(Qt::Key_Right);
    QVERIFY(said().startsWith(QStringLiteral("step 200;")));
    key(Qt::Key_Right);  // there is nothing beyond
    QVERIFY(said().startsWith(QStringLiteral("step 200;")));
    // Validations lie further from one another than that.
    key(Qt::Key_Down);
    QCOMPARE(said(), QStringLiteral("step 200; top-1  62.5; top-5  87.5"));
    key(Qt::Key_Left);
    QCOMPARE(said(), QStringLiteral("step 100; top-1  50; top-5  75"));
    key(Qt::Key_Up);
    QVERIFY(said().startsWith(QStringLiteral("step 100; train")));

    for (int i = 0; i < 12; ++i)
      key(Qt::Key_Plus);
    QVERIFY(f.widget.navigation()->isCloser());
    QVERIFY(f.range(f.loss).size() < 0.1 * all.size());
    QVERIFY(f.range(f.loss).contains(100));
    QCOMPARE(f.range(f.accuracy).lower, f.range(f.loss).lower);
    for (int i = 0; i < 30; ++i)
      key(Qt::Key_Left);  // a step each, as near as this; what is read stays in sight
    QVERIFY2(said().startsWith(QStringLiteral("step 70;")), qPrintable(said()));
    QVERIFY(f.range(f.loss).contains(70));
    key(Qt::Key_Minus);
    key(Qt::Key_Home);
    QCOMPARE(f.range(f.loss).lower, all.lower);
    QCOMPARE(f.range(f.loss).upper, all.upper);
    QVERIFY(!f.widget.navigation()->isCloser());
    key(Qt::Key_Plus);
    QVERIFY(f.widget.navigation()->isCloser());
    key(Qt::Key_0);
    QVERIFY(!f.widget.navigation()->isCloser());
    key(Qt::Key_Escape);
    QTRY_VERIFY(!QToolTip::isVisible());
  }

  void keysReadTheMapCellByCell() {
    LocalityPlot widget;
    widget.add(measured(0));
    widget.replot();
    widget.resize(620, 220);
    widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
    QCustomPlot* strip = widget.strip();
    const auto saidAfter = [&](Qt::Key pressed) {
      QTest::keyClick(strip, pressed);
      return strip->accessibleDescription();
    };
    QCOMPARE(saidAfter(Qt::Key_Right), QStringLiteral("layer 0 · head 0; ALS  0.125"));
    QCOMPARE(saidAfter(Qt::Key_Right), QStringLiteral("layer 0 · head 1; ALS  0.25"));
    QCOMPARE(saidAfter(Qt::Key_Right), QStringLiteral("layer 0 · head 1; ALS  0.25"));
    QCOMPARE(saidAfter(Qt::Key_Down), QStringLiteral("layer 1 · head 1; ALS  0.75"));
    QCOMPARE(saidAfter(Qt::Key_Left), QStringLiteral("layer 1 · head 0; ALS  0.5"));
    QCOMPARE(saidAfter(Qt::Key_Up), QStringLiteral("layer 0 · head 0; ALS  0.125"));
  }

  void keysOfAnEmptyPlotSayNothing() {
    LossPlot widget;
    widget.resize(500, 200);
    widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
    widget.plot()->setFocus();
    for (const Qt::Key key :
         {Qt::Key_Left, Qt::Key_Right, Qt::Key_Down, Qt::Key_Plus, Qt::Key_Home})
      QTest::keyClick(widget.plot(), key);
    QCOMPARE(widget.plot()->accessibleDescription(), QString());
  }

  void newStepsDoNotTakeTheViewAway() {
    Losses f;
    wheel(f.plot, f.at(f.loss, 50), 4);
    const QCPRange closer = f.range(f.loss);
    f.addSteps(201, 400);
    f.widget.replot();
    QCOMPARE(f.range(f.loss).lower, closer.lower);
    QCOMPARE(f.range(f.loss).upper, closer.upper);
    f.widget.navigation()->showEverything();
    QCOMPARE(f.range(f.loss).upper, 1.02 * 400);
    // A new run is seen from its start.
    wheel(f.plot, f.at(f.loss, 50), 4);
    f.widget.clear();
    QVERIFY(!f.widget.navigation()->isCloser());
    f.addSteps(1, 10);
    f.widget.replot();
    QCOMPARE(f.range(f.loss).upper, 1.02 * 10);
  }

  void theMapSaysLayerHeadAndLocality() {
    LocalityPlot widget;
    for (const int step : {0, 100, 200})
      widget.add(measured(step));
    widget.replot();
    widget.resize(620, 220);
    widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
    QCustomPlot* strip = widget.strip();
    for (QCustomPlot* plot : {strip, widget.lines()})
      plot->replot(QCustomPlot::rpImmediateRefresh);
    const auto cell = [&](int layer, int head) {
      return QPointF(strip->xAxis->coordToPixel(head), strip->yAxis->coordToPixel(layer));
    };
    QCOMPARE(widget.stripNavigation()->textAt(cell(1, 0)),
             QStringLiteral("layer 1 · head 0\nALS  0.5"));
    QCOMPARE(widget.stripNavigation()->textAt(cell(0, 1)),
             QStringLiteral("layer 0 · head 1\nALS  0.25"));
    moveMouse(strip, cell(1, 1));
    QVERIFY(QToolTip::text().contains(QStringLiteral("0.75")));

    QCustomPlot* lines = widget.lines();
    const QPointF middle(lines->xAxis->coordToPixel(95), lines->axisRect()->center().y());
    QCOMPARE(widget.lineNavigation()->textAt(middle),
             QStringLiteral("step 100\nL0  0.1875\nL1  0.625"));
    wheel(lines, middle, 3);
    QVERIFY(widget.lineNavigation()->isCloser());
    widget.replot();
    QVERIFY(widget.lineNavigation()->isCloser());
  }
};

QTEST_MAIN(PlotNavigationTest)
#include "PlotNavigationTest.moc"
