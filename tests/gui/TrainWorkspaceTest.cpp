// The workspace in which a run is watched: the room of its curves, and what is left of the run when
// the window is opened again.

#include "tests/gui/Idle.h"
#include "tests/gui/SyntheticLook.h"
#include "tests/gui/WindowFixture.h"
#include "ui/plots/LocalityPlot.h"
#include "ui/plots/LossPlot.h"
#include "ui/plots/Plotting.h"
#include "ui/plots/ReadingsPlot.h"

using namespace headlight;

class TrainWorkspaceTest : public QObject {
  Q_OBJECT

  /// Curves, ALS and readings of the first 50 steps.
  static TrainingUpdate madeUp() {
    TrainingUpdate update;
    update.state = TrainingState::Running;
    for (int step = 1; step <= 50; ++step) {
      update.steps.push_back({step, 2.0 / step, 1e-3, 100});
      HeadPoint point;
      point.step = step;
      point.locality.assign(3, {0.2f, 0.5f});
      point.readings.assign(3, {{"nonzeros", 1.0 / step}});
      update.heads.push_back(point);
    }
    return update;
  }

 private Q_SLOTS:
  void init() { synthetic::failOnQtWarnings(); }

  void curvesHaveTheRoomThatWasPromised_data() {
    QTest::addColumn<QSize>("window");
    QTest::newRow("small") << QSize(1280, 800);
    QTest::newRow("large") << QSize(1920, 1080);
  }
  void curvesHaveTheRoomThatWasPromised() {
    QFETCH(QSize, window);
    TestWindow test;
    test->resize(window);
    OPEN_SMALL_MODEL(test);
    test->showWorkspace(QStringLiteral("train"));
    test->actions()->find(QStringLiteral("view.workspace.putBack"))->trigger();
    TrainingBridge* bridge = test->trainingBridge();
    Q_EMIT bridge->updated(std::make_shared<const TrainingUpdate>(madeUp()));
    Q_EMIT bridge->finished(std::make_shared<const TrainingOutcome>(), {});
    auto* readings = test->findChild<ReadingsPlot*>();
    QTRY_VERIFY(readings->isVisible());
    synthetic::untilIdle();
    QCOMPARE(test->size(), window);
    QRect together;
    for (QWidget* plot : {static_cast<QWidget*>(test->findChild<LossPlot*>()),
                          static_cast<QWidget*>(test->findChild<LocalityPlot*>()),
                          static_cast<QWidget*>(readings)}) {
      QVERIFY(plot->isVisible());
      together |= QRect(plot->mapTo(&test.window, QPoint()), plot->size());
    }
    QVERIFY2(together.height() >= 0.45 * window.height(),
             qPrintable(QString::number(together.height())));
    QVERIFY2(together.width() >= 0.45 * window.width(),
             qPrintable(QString::number(together.width())));
  }
};

QTEST_MAIN(TrainWorkspaceTest)
#include "TrainWorkspaceTest.moc"
