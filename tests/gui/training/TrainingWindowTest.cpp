// SPDX-License-Identifier: GPL-3.0-or-later

// Training from the window: it stays usable, shows the training weights, and closes in order.

#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>

#include "core/workbench/runs/RunFollower.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/compare/CompareSides.h"
#include "ui/widgets/MessageLabel.h"

using namespace headlight;

class TrainingWindowTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }
  void init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
    m_folder = std::make_unique<QTemporaryDir>();
    m_image = writeImage(path("image.png"));
  }

  void trainsWhileTheWindowIsUsed() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    TrainingBridge* bridge = test->trainingBridge();
    std::int64_t steps = 0;
    double lastLoss = 0;
    TrainingState state = TrainingState::Preparing;
    connect(bridge, &TrainingBridge::updated, this, [&](const auto& update) {
      state = update->state;
      steps = update->progress.done;
      if (!update->steps.empty()) lastLoss = update->steps.back().loss;
    });
    QString ending;
    std::shared_ptr<const TrainingOutcome> outcome;
    connect(bridge, &TrainingBridge::finished, this, [&](const auto& result, const QString& error) {
      outcome = result;
      ending = error.isEmpty() ? QStringLiteral("well") : error;
    });
    const auto logits = test.document()->inference()->logits;
    test->startTraining(endless(), path("run"));
    QVERIFY(bridge->isRunning());
    QTRY_VERIFY_WITH_TIMEOUT(steps >= 5, 30000);
    QVERIFY(lastLoss > 0);

    // The loaded model is another copy: an edit is seen at once and training does not touch it.
    test.document()->inputs().pushEdit(*makeMaskEdit(test.document()->inputs().masks(), {{0, 0}},
                                                     {MaskKind::Strict, 3}, "strict"));
    QTRY_VERIFY(!test.document()->isStale());
    test.document()->inputs().undoStack()->undo();
    QTRY_VERIFY(!test.document()->isStale());
    QCOMPARE(test.document()->inference()->logits, logits);

    bridge->pause();
    QVERIFY(bridge->isPaused());
    // It takes edits, one after another, and all at the step at which it paused.
    std::vector<std::int64_t> takenAt;
    connect(bridge, &TrainingBridge::updated, this, [&](const auto& update) {
      for (const AppliedEdit& edit : update->edits)
        takenAt.push_back(edit.step);
    });
    QTRY_COMPARE_WITH_TIMEOUT(state, TrainingState::Paused, 30000);
    const std::int64_t paused = steps;
    for (const int radius : {3, 5}) {
      const auto taken = takenAt.size();
      bridge->submit(*makeMaskEdit(*bridge->masks(), {{0, 0}}, {MaskKind::Hard, radius}, "hard"));
      QTRY_VERIFY_WITH_TIMEOUT(takenAt.size() > taken, 30000);
    }
    QCOMPARE(takenAt, std::vector<std::int64_t>(2, paused));
    QCOMPARE(steps, paused);
    bridge->unpause();
    QTRY_VERIFY_WITH_TIMEOUT(steps > paused, 30000);
    QVERIFY(bridge->exported());

    test->actions()->find(QStringLiteral("train.stop"))->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(ending, QStringLiteral("well"), 30000);
    QVERIFY(outcome && outcome->state == TrainingState::Stopped);
    QVERIFY(QFile::exists(path("run/last.safetensors")));

    // And goes on from there.
    const std::int64_t before = outcome->steps;
    ending.clear();
    bridge->resume(path("run"));
    QTRY_VERIFY_WITH_TIMEOUT(steps > before, 30000);
    bridge->stop();
    QTRY_COMPARE_WITH_TIMEOUT(ending, QStringLiteral("well"), 30000);
  }

  void snapshotReceiverMayUnsubscribe() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    test->startTraining(endless(), path("run"));
    TrainingBridge* bridge = test->trainingBridge();
    std::int64_t steps = 0;
    connect(bridge, &TrainingBridge::updated, this,
            [&](const auto& update) { steps = update->progress.done; });
    QTRY_VERIFY_WITH_TIMEOUT(steps >= 2, 30000);
    connect(bridge, &TrainingBridge::snapshotReady, bridge,
            [bridge] { bridge->setSnapshotsWanted(false); });
    QSignalSpy changes(bridge, &TrainingBridge::snapshotsWantedChanged);
    bridge->setSnapshotsWanted(true);
    QTRY_VERIFY_WITH_TIMEOUT(!bridge->snapshotsWanted(), 30000);
    QCOMPARE(changes.size(), 2);
    QCOMPARE(changes.last().first().toBool(), false);
    bridge->stop();
    QTRY_VERIFY_WITH_TIMEOUT(!bridge->isRunning(), 30000);
  }

  void showsTrainingWeights() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    const auto logits = test.document()->inference()->logits;
    test->startTraining(endless(), path("run"));
    QAction* through = test->actions()->find(QStringLiteral("train.lookThrough"));
    QTRY_VERIFY(through->isEnabled());
    through->setChecked(true);
    QTRY_VERIFY_WITH_TIMEOUT(test->modelWorker()->isLookingThroughTraining(), 30000);
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inference()->logits != logits, 30000);
    QVERIFY(test.document()->view().describe().contains(QStringLiteral("training")));
    through->setChecked(false);
    QVERIFY(!test->modelWorker()->isLookingThroughTraining());
    QTRY_VERIFY(!test.document()->isStale());
    QCOMPARE(test.document()->inference()->logits, logits);
    QVERIFY(!test.document()->view().describe().contains(QStringLiteral("training")));
  }

  void trainWorkspaceShowsTrainingWeights() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    const auto logits = test.document()->inference()->logits;
    const QAction* through = test->actions()->find(QStringLiteral("train.lookThrough"));
    QVERIFY2(!through->isEnabled(), "without a run it would do nothing");
    test->startTraining(endless(), path("run"));
    QVERIFY(!test->trainingBridge()->snapshotsWanted());  // in Look the open model stays
    test->showWorkspace(QStringLiteral("train"));
    QVERIFY(test.document()->view().describe().contains(QStringLiteral("not run “run”")));
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inference()->logits != logits, 30000);
    const auto* shown = test->findChild<QLabel*>(QStringLiteral("trainShown"));
    for (const QString& said :
         {test.document()->view().describe(), test->windowTitle(), shown->text()}) {
      QVERIFY2(said.contains(QStringLiteral("run run · training · step ")), qPrintable(said));
      QVERIFY2(!said.contains(QStringLiteral("not run")), qPrintable(said));
    }
    test->showWorkspace(QStringLiteral("look"));
    QVERIFY(!test->modelWorker()->isLookingThroughTraining());
    QVERIFY(!test.document()->view().describe().contains(QStringLiteral("run “")));
    test->showWorkspace(QStringLiteral("train"));
    QTRY_VERIFY_WITH_TIMEOUT(test->modelWorker()->isLookingThroughTraining(), 30000);
    // Who switches it off is not overruled, and is told what is shown.
    test->actions()->find(QStringLiteral("train.lookThrough"))->setChecked(false);
    test->showWorkspace(QStringLiteral("look"));
    test->showWorkspace(QStringLiteral("train"));
    QVERIFY(!test->trainingBridge()->snapshotsWanted());
    QVERIFY(shown->text().contains(QStringLiteral("the open model, not run “run”")));
    test->trainingBridge()->stop();
    QTRY_VERIFY_WITH_TIMEOUT(!test->trainingBridge()->isRunning(), 30000);
    QVERIFY(!shown->text().contains(QStringLiteral("not run")));
  }

  void editsDuringARunAskOnce() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    TrainingBridge* bridge = test->trainingBridge();
    const auto questions = [&] {
      int count = 0;
      for (const Notice& notice : test->noticeBar()->notices())
        count += !notice.other.isEmpty();
      return count;
    };
    const auto edit = [&](int head) {
      test.document()->inputs().pushEdit(*makeMaskEdit(test.document()->inputs().masks(),
                                                       {{0, head}}, {MaskKind::Hard, 3}, "hard"));
    };
    test->startTraining(endless(), path("run"));
    QTRY_VERIFY_WITH_TIMEOUT(bridge->masks().has_value(), 30000);
    edit(0);
    QCOMPARE(questions(), 1);
    QTRY_VERIFY(!test.log.lines().filter(QStringLiteral("changes the open model only")).isEmpty());
    QCOMPARE(bridge->masks()->maskedHeads(), 0);
    test->findChild<QPushButton*>(QStringLiteral("noticeOther"))->click();
    edit(1);
    QCOMPARE(questions(), 0);  // remembered
    bridge->stop();
    QTRY_VERIFY_WITH_TIMEOUT(!bridge->isRunning(), 30000);
    // The next run asks again; the other answer brings it all to the run.
    test->startTraining(endless(), path("again"));
    QTRY_VERIFY_WITH_TIMEOUT(bridge->masks().has_value(), 30000);
    test.document()->inputs().undoStack()->undo();
    QCOMPARE(questions(), 1);
    test->findChild<QPushButton*>(QStringLiteral("noticeAction"))->click();
    QTRY_VERIFY_WITH_TIMEOUT(*bridge->masks() == test.document()->inputs().masks(), 30000);
    QTRY_VERIFY_WITH_TIMEOUT(!test.log.lines().filter(QStringLiteral("Training, step")).isEmpty(),
                             30000);
  }

  void runsWindowSeesFinishedRunAtOnce() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    test->startTraining(endless(), path("run"));
    TrainingBridge* bridge = test->trainingBridge();
    std::int64_t steps = 0;
    connect(bridge, &TrainingBridge::updated, this,
            [&](const auto& update) { steps = update->progress.done; });
    QTRY_VERIFY_WITH_TIMEOUT(steps >= 2, 30000);
    RunFollower follower(path("run").toStdString());
    QCOMPARE(follower.poll().standing.state, FollowedRunState::Training);
    bridge->stop();
    QTRY_VERIFY_WITH_TIMEOUT(!bridge->isRunning(), 30000);
    QCOMPARE(follower.poll().standing.state, FollowedRunState::Stopped);
    Experiment few = endless();
    few.training.epochs = 1;
    QSignalSpy finished(bridge, &TrainingBridge::finished);
    test->startTraining(few, path("few"));
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 30000);
    QCOMPARE(RunFollower(path("few").toStdString()).poll().standing.state,
             FollowedRunState::Finished);
    // How good it was before and after is said.
    const QString said = test->findChild<MessageLabel*>(QStringLiteral("trainOutcomeText"))->text();
    QVERIFY2(said.contains(QStringLiteral(" before → ")), qPrintable(said));
    QVERIFY2(said.contains(QStringLiteral(" last")), qPrintable(said));
  }

  void runIsComparedWithStartingWeights() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    const QString start = path("start.safetensors");
    QSignalSpy saved(test->modelWorker(), &ModelWorker::saved);
    test->modelWorker()->saveModel(start);
    QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, 30000);
    Experiment few = endless();
    few.training.epochs = 1;
    few.training.weights = start.toStdString();
    QSignalSpy finished(test->trainingBridge(), &TrainingBridge::finished);
    test->startTraining(few, path("run"));
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 30000);
    auto* compare = test->findChild<QPushButton*>(QStringLiteral("compareStart"));
    QVERIFY(!compare->isHidden());
    QAction* command = test->actions()->find(QStringLiteral("train.compareStart"));
    QVERIFY(command->isEnabled());
    command->trigger();  // as the button, for whoever has a keyboard alone
    QCOMPARE(test->currentWorkspace(), QStringLiteral("compare"));
    const auto* sides = test->findChild<CompareSides*>();
    QCOMPARE(sides->comparison().sides[0].model, start);
    QCOMPARE(sides->comparison().sides[1].model, path("run/best.safetensors"));
    QTRY_VERIFY_WITH_TIMEOUT(
        sides->left().inference() && sides->right().inference() && !sides->isBusy(), 30000);
    QVERIFY(sides->left().inference()->logits != sides->right().inference()->logits);
  }

  void mapsOfAnotherMechanismAreNotShown() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    const auto logits = test.document()->inference()->logits;
    Experiment other = endless();
    other.model.mechanism = "aft_full";  // with as many heads and patches
    QVERIFY(!ModelWorker::canLookThrough(other.model, endless().model));
    test->startTraining(other, path("run"));
    QAction* through = test->actions()->find(QStringLiteral("train.lookThrough"));
    QTRY_VERIFY_WITH_TIMEOUT(!through->isEnabled(), 30000);
    TrainingBridge* bridge = test->trainingBridge();
    bridge->setSnapshotsWanted(true);
    QTRY_VERIFY_WITH_TIMEOUT(!bridge->snapshotsWanted(), 30000);  // refused once, asked no more
    QCOMPARE(test.newestNotice().title, QStringLiteral("The run trains another model"));
    QVERIFY(!test->modelWorker()->isLookingThroughTraining());
    QVERIFY(!test.document()->view().describe().contains(QStringLiteral("training")));
    QCOMPARE(test.document()->inference()->logits, logits);
  }

  void closingAsksStopsAndCheckpoints() {
    ScopedDialogs scoped;
    bool answer = false;
    int asked = 0;
    dialogs().confirm = [&](QWidget*, const QString&, const QString&, const QString&,
                            const std::function<void(bool)>& done) {
      ++asked;
      done(answer);
    };
    TestWindow test(path("session.json"));
    OPEN_SMALL_MODEL(test);
    std::int64_t steps = 0;
    connect(test->trainingBridge(), &TrainingBridge::updated, this,
            [&](const auto& update) { steps = update->progress.done; });
    test->startTraining(endless(), path("run"));
    QTRY_VERIFY_WITH_TIMEOUT(steps >= 2, 30000);
    test->close();
    QVERIFY(test->isVisible());
    QVERIFY(test->trainingBridge()->isRunning());
    answer = true;
    test->close();
    QTRY_VERIFY_WITH_TIMEOUT(!test->isVisible(), 30000);
    QCOMPARE(asked, 2);
    QVERIFY(!test->trainingBridge()->isRunning());
    QVERIFY(QFile::exists(path("run/last.safetensors")));
    QVERIFY(QFile::exists(path("session.json")));
  }

  void destroyedDuringTraining() {
    for (const int updates : {0, 1, 5}) {  // at once, while it is prepared, amid steps
      TestWindow test;
      OPEN_SMALL_MODEL(test);
      QSignalSpy updated(test->trainingBridge(), &TrainingBridge::updated);
      test->startTraining(endless(), path("run") + QString::number(updates));
      QTRY_VERIFY_WITH_TIMEOUT(updated.size() >= updates, 30000);
    }
  }

  void startErrorsAreReported() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    writeText(path("in-the-way"), "a file");
    test->startTraining(endless(), path("in-the-way/run"));
    QTRY_VERIFY_WITH_TIMEOUT(!test->trainingBridge()->isRunning(), 30000);
    QVERIFY(test.notices() > 0);
    QCOMPARE(test.newestNotice().level, Notice::Level::Error);
    // Resuming where there is no run; the notice about the run before goes.
    const QString before = test.newestNotice().text;
    test->trainingBridge()->resume(m_folder->path());
    QTRY_VERIFY_WITH_TIMEOUT(!test->trainingBridge()->isRunning(), 30000);
    QVERIFY(test.notices() > 0);
    QCOMPARE(test.newestNotice().level, Notice::Level::Error);
    QVERIFY2(test.newestNotice().text != before, qPrintable(before));
  }

  void settingsAreRemembered() {
    TestWindow test(path("session.json"));
    OPEN_SMALL_MODEL(test);
    Experiment experiment = endless();
    experiment.training.learningRate = 0.123;
    test->startTraining(experiment, path("run"));
    QCOMPARE(test->trainingExperiment().training.learningRate, 0.123);
    QCOMPARE(test->session()->experiment.training.learningRate, 0.123);
    QCOMPARE(test->trainingExperiment().model.width, 32);
  }

  void deletedFolderIsRecreated() {
    ScopedDialogs asBefore;
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    TrainingBridge* bridge = test->trainingBridge();
    QSignalSpy finished(bridge, &TrainingBridge::finished);
    std::int64_t steps = 0;
    bool paused = false;
    connect(bridge, &TrainingBridge::updated, this, [&](const auto& update) {
      steps = update->progress.done;
      paused = update->state == TrainingState::Paused;
    });
    test->startTraining(endless(), path("run"));
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path("run/last.safetensors")), 30000);
    const std::int64_t atCheckpoint = steps;
    QTRY_VERIFY_WITH_TIMEOUT(steps > atCheckpoint, 30000);
    bridge->pause();
    QTRY_VERIFY_WITH_TIMEOUT(paused, 30000);
    QTRY_VERIFY(QDir(path("run")).removeRecursively());  // a log may just have been written
    bridge->unpause();
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 30000);
    const auto button = [&](const char* name) {
      return test->findChild<QPushButton*>(QLatin1String(name));
    };
    const QString said = test->findChild<MessageLabel*>(QStringLiteral("trainOutcomeText"))->text();
    QVERIFY2(said.contains(QStringLiteral("was deleted")), qPrintable(said));
    QVERIFY2(said.contains(QStringLiteral("steps since")), qPrintable(said));
    QVERIFY2(said.contains(QStringLiteral("still in memory")), qPrintable(said));
    QVERIFY(button("openRunFolder")->isHidden() && button("resumeRun")->isHidden());
    QTRY_VERIFY(!test.log.lines().filter(QStringLiteral("was deleted")).isEmpty());

    dialogs().files = [&](QWidget*, const FileQuestion&, const auto& answer) {
      answer({path("rescued.safetensors")});
    };
    QSignalSpy saved(bridge, &TrainingBridge::weightsSaved);
    button("saveRunWeights")->click();
    QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, 30000);
    QVERIFY(QFile::exists(path("rescued.safetensors")));
    QVERIFY(!test.log.lines().filter(QStringLiteral("rescued.safetensors")).isEmpty());

    const std::int64_t ended = steps;
    QSignalSpy wentOn(bridge, &TrainingBridge::updated);
    button("recreateRunFolder")->click();
    QTRY_VERIFY_WITH_TIMEOUT(!button("resumeRun")->isHidden(), 30000);
    QVERIFY(QFile::exists(path("run/last.safetensors")));
    QVERIFY(button("recreateRunFolder")->isHidden() && button("saveRunWeights")->isHidden());
    button("resumeRun")->click();
    QTRY_VERIFY_WITH_TIMEOUT(steps > ended, 30000);
    bridge->stop();
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 2, 30000);
    QVERIFY(finished.last().at(1).toString().isEmpty());
    QVERIFY(!test.log.lines().filter(QStringLiteral("Stopped after")).isEmpty());
  }

  void noticesAreKept() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    writeText(path("nothing.txt"), "nothing");
    const int before = test.notices();
    test->openPaths({path("nothing.txt")});
    QTRY_VERIFY_WITH_TIMEOUT(test.notices() > before, 20000);
    const QString said = test.newestNotice().text;
    QVERIFY(!said.isEmpty());
    test->noticeBar()->closeAll();
    QVERIFY(!test.log.lines().filter(said).isEmpty());
  }

 private:
  Experiment endless() const {
    Experiment experiment = smallExperiment();
    experiment.data.trainSamples = 64;
    experiment.data.validationSamples = 18;
    experiment.data.loaderThreads = 0;
    experiment.training.epochs = 100000;
    experiment.training.batchSize = 8;
    experiment.training.warmupEpochs = 0;
    experiment.training.learningRate = 0.01;
    experiment.telemetry.probeImages = 2;
    return experiment;
  }
  QString path(const char* name) const { return m_folder->filePath(QLatin1String(name)); }

  std::unique_ptr<QTemporaryDir> m_folder;
  QString m_image;
};

QTEST_MAIN(TrainingWindowTest)
#include "TrainingWindowTest.moc"
