// SPDX-License-Identifier: GPL-3.0-or-later

// The workspace Train: the size of its curves, and the run that is restored with the window.

#include <QPushButton>
#include <QSignalSpy>

#include "tests/gui/Idle.h"
#include "tests/gui/SyntheticInference.h"
#include "tests/gui/WindowFixture.h"
#include "ui/plots/LocalityPlot.h"
#include "ui/plots/LossPlot.h"
#include "ui/plots/Plotting.h"
#include "ui/plots/ReadingsPlot.h"
#include "ui/widgets/MessageLabel.h"

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

  void curvesHaveMinimumSize_data() {
    QTest::addColumn<QSize>("window");
    QTest::newRow("small") << QSize(1280, 800);
    QTest::newRow("large") << QSize(1920, 1080);
  }
  void curvesHaveMinimumSize() {
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

  void stoppedRunResumesAndIsRestored() {
    QTemporaryDir folder;
    const QString session = folder.filePath(QStringLiteral("session.json"));
    const QString run = folder.filePath(QStringLiteral("run"));
    Experiment experiment = smallExperiment();
    experiment.name = "yesterday";
    experiment.data.trainSamples = 64;
    experiment.data.validationSamples = 18;
    experiment.data.loaderThreads = 0;
    experiment.training.epochs = 1000;
    experiment.training.batchSize = 8;
    experiment.telemetry.metricsSteps = 1;
    std::int64_t trained = 0;
    {
      TestWindow test(session);
      OPEN_SMALL_MODEL(test);
      TrainingBridge* bridge = test->trainingBridge();
      QSignalSpy finished(bridge, &TrainingBridge::finished);
      auto* resume = test->findChild<QPushButton*>(QStringLiteral("resumeRun"));
      auto* loss = test->findChild<LossPlot*>();
      connect(bridge, &TrainingBridge::updated, this,
              [&](const auto& update) { trained = update->progress.done; });
      test->startTraining(experiment, run);
      QTRY_VERIFY_WITH_TIMEOUT(trained > 8, 60000);
      bridge->stop();
      QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 60000);
      QVERIFY(!resume->isHidden());
      const std::int64_t stopped = trained;
      resume->click();
      QVERIFY(bridge->isRunning());
      QTRY_VERIFY_WITH_TIMEOUT(trained > stopped, 60000);
      QVERIFY(loss->trainLoss().keys().first() <= 2);  // with the curves of before
      bridge->stop();
      QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 2, 60000);
      QVERIFY(test->close());
    }
    {
      TestWindow test(session);
      auto* loss = test->findChild<LossPlot*>();
      QTRY_VERIFY_WITH_TIMEOUT(!loss->isEmpty(), 20000);
      QVERIFY(loss->trainLoss().keys().last() > 8);
      QVERIFY(!test->trainingBridge()->isRunning());
      const auto* said = test->findChild<MessageLabel*>(QStringLiteral("trainOutcomeText"));
      QVERIFY2(said->text().contains(QStringLiteral("yesterday")), qPrintable(said->text()));
      auto* resume = test->findChild<QPushButton*>(QStringLiteral("resumeRun"));
      QVERIFY(!resume->isHidden());
      QSignalSpy finished(test->trainingBridge(), &TrainingBridge::finished);
      const std::int64_t before = trained;
      connect(test->trainingBridge(), &TrainingBridge::updated, this,
              [&](const auto& update) { trained = update->progress.done; });
      resume->click();
      QTRY_VERIFY_WITH_TIMEOUT(trained > before, 60000);
      test->trainingBridge()->stop();
      QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 60000);
      QVERIFY(test->close());
    }
    QVERIFY(QDir(run).removeRecursively());
    TestWindow test(session);
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    synthetic::untilIdle();
    QVERIFY(test->findChild<LossPlot*>()->isEmpty());
    QVERIFY(test->trainingBridge()->folder().isEmpty());
  }
};

QTEST_MAIN(TrainWorkspaceTest)
#include "TrainWorkspaceTest.moc"
