// SPDX-License-Identifier: GPL-3.0-or-later

// Follows a run that a thread of the test trains like another program: updates are shown, its
// folder is only read, and following can stop at any time.

#include <QAction>
#include <QDir>
#include <QRegularExpression>
#include <QToolButton>

#include <thread>

#include "core/workbench/training/TrainingSession.h"
#include "tests/gui/EndlessExperiment.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/plots/LocalityPlot.h"
#include "ui/plots/LossPlot.h"
#include "ui/training/EvolutionBar.h"
#include "ui/training/FollowedLine.h"
#include "ui/training/RunLine.h"
#include "ui/training/TrainingDock.h"
#include "ui/widgets/MessageLabel.h"

using namespace headlight;

namespace {

/// Somebody else who trains.
class OtherTrainer {
 public:
  explicit OtherTrainer(const QString& folder) {
    Experiment experiment = endlessExperiment();
    experiment.training.checkpointSteps = 5;
    experiment.telemetry.metricsSteps = 1;
    auto begun = TrainingSession::begin(experiment, folder.toStdString());
    if (!begun) qFatal("%s", begun.error().text().c_str());
    m_session = std::move(*begun);
    m_thread =
        std::jthread([this](std::stop_token stop) { static_cast<void>(m_session->run(stop)); });
  }
  ~OtherTrainer() { stop(); }
  TrainingSession& session() { return *m_session; }
  /// Ends with a checkpoint, and lets the folder go.
  void stop() {
    m_thread.request_stop();
    if (m_thread.joinable()) m_thread.join();
    m_session.reset();
  }

 private:
  std::unique_ptr<TrainingSession> m_session;
  std::jthread m_thread;
};

/// A window that polls often.
struct FollowWindow : TestWindow {
  explicit FollowWindow(const QString& sessionPath = {}) : TestWindow(sessionPath) {
    window.followBridge()->setInterval(50);
  }
  template <typename W>
  W* find(const char* name = nullptr) {
    W* found = name ? window.findChild<W*>(QString::fromLatin1(name)) : window.findChild<W*>();
    if (!found) qFatal("there is no %s", name ? name : W::staticMetaObject.className());
    return found;
  }
  QAction* action(const char* id) { return window.actions()->find(QString::fromLatin1(id)); }
  int lossPoints() { return find<LossPlot>()->trainLoss().size(); }
  int measurements() { return static_cast<int>(find<LocalityPlot>()->history().size()); }
  bool follows() { return window.followBridge()->isFollowing(); }
  std::int64_t step() { return window.followBridge()->standing().numbers.step; }
};

}  // namespace

#define FOLLOW(test, folder)                                                \
  do {                                                                      \
    (test)->followBridge()->follow(folder, FollowBridge::Whether::Always);  \
    QTRY_VERIFY_WITH_TIMEOUT((test).follows() && (test).step() > 2, 30000); \
  } while (false)

class FollowTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }
  void init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
    m_folder = std::make_unique<QTemporaryDir>();
  }

  void followedRunGrowsAndCanBeLeft() {
    OtherTrainer other(path("run"));
    FollowWindow test;
    OPEN_SMALL_MODEL(test);
    ScopedDialogs asBefore;
    dialogs().files = [this](QWidget*, const FileQuestion&, const auto& answer) {
      answer({path("run")});
    };
    QVERIFY(!test.action("train.stopFollowing")->isEnabled());
    test.action("train.follow")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(test.lossPoints() > 3 && test.measurements() > 1, 30000);
    QCOMPARE(test->currentWorkspace(), QStringLiteral("train"));
    auto* line = test.find<FollowedLine>();
    QVERIFY(line->isVisible());
    QVERIFY2(line->text().contains(QStringLiteral("Following “run” · training · epoch ")),
             qPrintable(line->text()));
    QVERIFY2(line->text().contains(QStringLiteral(" of 800000")), qPrintable(line->text()));
    QVERIFY2(line->numbers().contains(QStringLiteral("images/s")), qPrintable(line->numbers()));
    QVERIFY2(line->masks().contains(QStringLiteral("0 of 4 heads")), qPrintable(line->masks()));
    const int points = test.lossPoints(), measured = test.measurements();
    QTRY_VERIFY_WITH_TIMEOUT(test.lossPoints() > points && test.measurements() > measured, 30000);

    // Nothing that would change the run.
    for (const char* id : {"train.pause", "train.stop", "train.followEdits"})
      QVERIFY2(!test.action(id)->isEnabled(), id);
    QVERIFY(!test.find<QToolButton>("train.pause.button")->isVisible());

    auto* leave = test.find<QToolButton>("train.stopFollowing.button");
    QTest::mouseClick(leave, Qt::LeftButton);
    QVERIFY(!test.follows());
    QVERIFY(!line->isVisible());
    const int left = test.lossPoints();
    QVERIFY(left > 0);
    QTest::qWait(200);
    QCOMPARE(test.lossPoints(), left);
    QVERIFY(!test.action("train.stopFollowing")->isEnabled());
  }

  void folderIsOnlyRead() {
    OtherTrainer other(path("run"));
    FollowWindow test;
    FOLLOW(test, path("run"));
    other.stop();
    QTRY_COMPARE_WITH_TIMEOUT(test->followBridge()->standing().state, FollowedRunState::Stopped,
                              30000);
    const auto listing = [this] {
      QStringList all;
      for (const QFileInfo& file :
           QDir(path("run")).entryInfoList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot))
        all << file.fileName() + QString::number(file.size()) +
                   file.lastModified().toString(Qt::ISODateWithMs);
      return all;
    };
    const QStringList before = listing();
    QTest::qWait(300);
    QCOMPARE(listing(), before);
    // Nobody holds it, this window neither: it can be resumed.
    QVERIFY(TrainingSession::resume(path("run").toStdString()));
  }

  void truncatedRunIsReadAgain() {
    OtherTrainer other(path("run"));
    FollowWindow test;
    FOLLOW(test, path("run"));
    other.stop();
    QTRY_COMPARE_WITH_TIMEOUT(test->followBridge()->standing().state, FollowedRunState::Stopped,
                              30000);
    QFile log(path("run/metrics.jsonl"));
    QVERIFY(log.open(QIODevice::ReadWrite));
    log.readLine();
    log.readLine();
    log.resize(log.pos());
    log.close();
    QTRY_VERIFY_WITH_TIMEOUT(test.lossPoints() <= 2, 30000);
    QTRY_VERIFY(test.step() <= 2);
  }

  void maskEditsAreShownAtTheirStep() {
    OtherTrainer other(path("run"));
    FollowWindow test;
    FOLLOW(test, path("run"));
    const auto edit = makeMaskEdit(other.session().masks(), {{0, 0}, {1, 1}},
                                   HeadMask{MaskKind::Hard, 3}, "two heads");
    QVERIFY(edit && other.session().submit(*edit));
    auto* line = test.find<FollowedLine>();
    QTRY_VERIFY_WITH_TIMEOUT(line->masks().contains(QStringLiteral("2 of 4 heads")), 30000);
    QVERIFY2(line->masks().contains(QStringLiteral("1 edit so far")), qPrintable(line->masks()));
    // As they were when the run began.
    auto* evolution = test.find<EvolutionBar>();
    QTRY_VERIFY_WITH_TIMEOUT(test.measurements() > 2, 30000);
    evolution->commands().first()->trigger();
    while (evolution->shown() && evolution->shown()->step > 0)
      evolution->commands().first()->trigger();
    QVERIFY2(line->masks().startsWith(QStringLiteral("masks at step 0: “none”, 0 of 4 heads")),
             qPrintable(line->masks()));
  }

  void imagesUseItsCheckpoints() {
    OtherTrainer other(path("run"));
    FollowWindow test;
    test->modelWorker()->createModel(endlessExperiment());
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    const QString image = writeImage(path("image.png"));
    OPEN_IMAGE(test, image);
    FOLLOW(test, path("run"));
    QVERIFY(!test->modelWorker()->isLookingThroughTraining());  // nobody asked
    const auto logits = test.document()->inference()->logits;
    test.action("train.lookThrough")->setChecked(true);
    QTRY_VERIFY_WITH_TIMEOUT(test->modelWorker()->isLookingThroughTraining(), 30000);
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inference()->logits != logits, 30000);
    const auto first = test.document()->inference()->logits;
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inference()->logits != first, 30000);  // the next one
    test.action("train.stopFollowing")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inference()->logits == logits, 30000);
    QVERIFY(!test->modelWorker()->isLookingThroughTraining());
    QVERIFY(!test.action("train.lookThrough")->isChecked());
  }

  void otherModelsWeightsAreNotOffered() {
    OtherTrainer other(path("run"));
    FollowWindow test;
    OPEN_SMALL_MODEL(test);
    FOLLOW(test, path("run"));
    QVERIFY(!test.action("train.lookThrough")->isEnabled());
  }

  void droppedFolderIsFollowed() {
    OtherTrainer other(path("run"));
    FollowWindow test;
    OPEN_SMALL_MODEL(test);
    ScopedDialogs asBefore;
    int asked = 0;
    dialogs().confirm = [&](QWidget*, const QString&, const QString&, const QString&,
                            const auto& answer) {
      ++asked;
      answer(false);
    };
    QVERIFY(dropOn(&test.window, {path("run")}));
    QTRY_VERIFY_WITH_TIMEOUT(test.follows(), 30000);
    QCOMPARE(asked, 0);
    test.action("train.stopFollowing")->trigger();
    other.stop();
    QVERIFY(dropOn(&test.window, {path("run")}));
    QTRY_COMPARE_WITH_TIMEOUT(asked, 1, 30000);
    QVERIFY(!test.follows());
  }

  void nonRunIsRefused() {
    FollowWindow test;
    test->followBridge()->follow(path("nowhere"), FollowBridge::Whether::Always);
    QTRY_COMPARE(test.notices(), 1);
    QCOMPARE(test.newestNotice().title, QStringLiteral("nowhere is not followed"));
    QVERIFY(!test.follows());
    QDir(m_folder->path()).mkpath(QStringLiteral("odd"));
    writeText(path("odd/config.json"), "{\"model\": {\"depth\": \"many\"}}");
    test->followBridge()->follow(path("odd"), FollowBridge::Whether::Always);
    QTRY_COMPARE(test.notices(), 2);
    QVERIFY2(test.newestNotice().text.contains(QStringLiteral("depth")),
             qPrintable(test.newestNotice().text));
  }

  void deletedFolderKeepsLastState() {
    OtherTrainer other(path("run"));
    FollowWindow test;
    FOLLOW(test, path("run"));
    other.stop();
    QVERIFY(QDir(path("run")).removeRecursively());
    QTRY_COMPARE_WITH_TIMEOUT(test->followBridge()->standing().state, FollowedRunState::Gone,
                              30000);
    QVERIFY(test.lossPoints() > 0);
    QVERIFY(
        test.find<MessageLabel>("followedProblem")->text().contains(QStringLiteral("was removed")));
    test.action("train.stopFollowing")->trigger();
    QVERIFY(!test.follows());
  }

  void ownRunEndsFollowing() {
    OtherTrainer other(path("run"));
    FollowWindow test;
    OPEN_SMALL_MODEL(test);
    FOLLOW(test, path("run"));
    Experiment own = smallExperiment();
    own.data.trainSamples = own.data.validationSamples = 18;
    own.data.loaderThreads = 0;
    own.training.epochs = 100000;
    test->startTraining(own, path("own"));
    QVERIFY(!test.follows());
    QVERIFY2(test.newestNotice().text.contains(QStringLiteral("no longer followed")),
             qPrintable(test.newestNotice().text));
    QVERIFY(!test.find<FollowedLine>()->isVisible());
    ScopedDialogs asBefore;
    dialogs().files = [this](QWidget*, const FileQuestion&, const auto& answer) {
      answer({path("run")});
    };
    test.action("train.follow")->trigger();
    QCOMPARE(test.newestNotice().title, QStringLiteral("run is not followed"));
    QVERIFY(!test.follows());
    test->trainingBridge()->stop();
    QTRY_VERIFY_WITH_TIMEOUT(!test->trainingBridge()->isRunning(), 30000);
  }

  void followingIsRestoredAfterRestart() {
    OtherTrainer other(path("run"));
    {
      FollowWindow test(path("session.json"));
      OPEN_SMALL_MODEL(test);
      FOLLOW(test, path("run"));
      QVERIFY(test->close());
    }
    {
      FollowWindow test(path("session.json"));
      QTRY_VERIFY_WITH_TIMEOUT(test.follows() && test.lossPoints() > 0, 30000);
      QVERIFY(test->close());
    }
    other.stop();
    // It has ended: its curves are there, and it is not followed.
    FollowWindow test(path("session.json"));
    QTRY_VERIFY_WITH_TIMEOUT(test.lossPoints() > 0, 30000);
    QVERIFY(!test.follows());
  }

  void otherWorkspacesShowRunLine() {
    OtherTrainer other(path("run"));
    FollowWindow test;
    OPEN_SMALL_MODEL(test);
    FOLLOW(test, path("run"));
    auto* line = test.find<RunLine>();
    test->showWorkspace(QStringLiteral("train"));
    QTRY_VERIFY(!line->isVisible());
    test->showWorkspace(QStringLiteral("look"));
    QTRY_VERIFY(line->isVisible());
    QVERIFY2(line->text().contains(QStringLiteral("following “run”: training")),
             qPrintable(line->text()));
    test.action("train.stopFollowing")->trigger();
    QTRY_VERIFY(!line->isVisible());
  }

 private:
  QString path(const char* name) const { return m_folder->filePath(QLatin1String(name)); }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_MAIN(FollowTest)
#include "FollowTest.moc"
