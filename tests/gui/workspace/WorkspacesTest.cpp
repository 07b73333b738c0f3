// SPDX-License-Identifier: GPL-3.0-or-later

// The four workspaces: what each has room for, that each is remembered by itself, and that sizes
// come back as they were.

#include <QDockWidget>
#include <QScreen>
#include <QToolButton>

#include "tests/gui/Idle.h"
#include "tests/gui/SyntheticInference.h"
#include "tests/gui/WindowFixture.h"
#include "ui/canvas/Canvas.h"
#include "ui/training/RunLine.h"
#include "ui/workspace/Arranging.h"

using namespace headlight;

namespace {

/// The side of the square that the model sees, in pixels of the screen.
double imageSide(TestWindow& test) {
  synthetic::untilIdle();
  const QRectF region = test->findChild<Canvas*>("canvas")->regionRect();
  return std::min(region.width(), region.height());
}

void press(TestWindow& test, Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
  test->activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(&test.window));
  QTest::keyClick(&test.window, key, modifiers);
  synthetic::untilIdle();
}

QMap<QString, QSize> dockSizes(TestWindow& test) {
  QMap<QString, QSize> sizes;
  for (auto* dock : test->findChildren<QDockWidget*>())
    if (dock->isVisible()) sizes[dock->objectName()] = dock->size();
  return sizes;
}

}  // namespace

class WorkspacesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    synthetic::failOnQtWarnings();
    m_folder = std::make_unique<QTemporaryDir>();
    m_image = writeImage(m_folder->filePath(QStringLiteral("image.png")), 64, 64);
  }

  void theImageHasTheRoomThatWasPromised_data() {
    QTest::addColumn<QString>("workspace");
    QTest::addColumn<QSize>("window");
    QTest::addColumn<double>("least");
    QTest::newRow("look") << "look" << QSize(1280, 800) << 540.0;
    QTest::newRow("look, large") << "look" << QSize(1920, 1080) << 800.0;
    QTest::newRow("mask") << "mask" << QSize(1280, 800) << 400.0;
  }
  void theImageHasTheRoomThatWasPromised() {
    QFETCH(QString, workspace);
    QFETCH(QSize, window);
    QFETCH(double, least);
    TestWindow test;
    test->resize(window);
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    test->showWorkspace(workspace);
    test->actions()->find(QStringLiteral("view.workspace.putBack"))->trigger();
    QCOMPARE(test->size(), window);
    QVERIFY2(imageSide(test) >= least, qPrintable(QString::number(imageSide(test))));
    QVERIFY(test->findChild<QDockWidget*>(QStringLiteral("dock.gallery"))->isVisible());
  }

  void everyWorkspaceFitsASmallScreen() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    for (const char* name : {"look", "mask", "train", "compare"}) {
      test->showWorkspace(QLatin1String(name));
      synthetic::untilIdle();
      const QSize least = test->minimumSizeHint();
      QVERIFY2(least.width() <= 1024 && least.height() <= 700,
               qPrintable(QStringLiteral("%1: %2 x %3")
                              .arg(QLatin1String(name))
                              .arg(least.width())
                              .arg(least.height())));
    }
  }

  void noNameChangesTheWindowsSize_data() {
    QTest::addColumn<QSize>("window");
    QTest::newRow("small") << QSize(1280, 800);
    QTest::newRow("large") << QSize(1920, 1080);
    QTest::newRow("low") << QSize(1280, 700);
  }
  void noNameChangesTheWindowsSize() {
    QFETCH(QSize, window);
    const QString longName(200, QLatin1Char('m'));
    TestWindow test;
    test->resize(window);
    Experiment experiment = smallExperiment();
    experiment.name = experiment.model.name = longName.toStdString();
    test->modelWorker()->createModel(experiment);
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    OPEN_IMAGE(test, writeImage(m_folder->filePath(longName + QStringLiteral(".png")), 64, 64));
    QByteArray classes;
    for (int i = 0; i < 9; ++i)
      classes += longName.toUtf8() + QByteArray::number(i) + '\n';
    writeText(m_folder->filePath(QStringLiteral("classes.txt")), classes);
    test->modelWorker()->nameClasses(m_folder->filePath(QStringLiteral("classes.txt")));
    QTRY_COMPARE(test.document()->inputs().model().classNames.size(), std::size_t(9));
    MaskScheme scheme = test.document()->inputs().masks();
    scheme.set(0, 0, HeadMask{MaskKind::Hard, 3});
    scheme.setName(longName.toStdString());
    test.document()->inputs().replaceMasks(scheme);
    experiment.data.trainSamples = experiment.data.validationSamples = 16;
    experiment.training.epochs = 1;
    experiment.training.batchSize = 8;
    test->startTraining(experiment, m_folder->filePath(longName));
    QTRY_VERIFY_WITH_TIMEOUT(!test->trainingBridge()->isRunning(), 60000);
    for (const char* name : {"look", "mask", "train", "compare", "train", "look"}) {
      test->showWorkspace(QLatin1String(name));
      synthetic::untilIdle();
      QTRY_VERIFY_WITH_TIMEOUT(!test.document()->isStale(), 20000);
      synthetic::untilIdle();
      QVERIFY2(test->size() == window && test->minimumSizeHint().width() <= 1024,
               qPrintable(QStringLiteral("%1: %2, at least %3")
                              .arg(QLatin1String(name))
                              .arg(test->width())
                              .arg(test->minimumSizeHint().width())));
    }
  }

  void keysGoFromOneToAnother() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    QCOMPARE(test->currentWorkspace(), QStringLiteral("look"));
    const std::pair<Qt::Key, const char*> keys[] = {
        {Qt::Key_F2, "mask"}, {Qt::Key_F3, "train"}, {Qt::Key_F4, "compare"}};
    for (const auto& [key, name] : keys) {
      press(test, key);
      QCOMPARE(test->currentWorkspace(), QLatin1String(name));
    }
    press(test, Qt::Key_1, Qt::ControlModifier);
    QCOMPARE(test->currentWorkspace(), QStringLiteral("look"));
    test->actions()->find(QStringLiteral("view.workspace.previous"))->trigger();
    QCOMPARE(test->currentWorkspace(), QStringLiteral("compare"));
    test->actions()->find(QStringLiteral("view.workspace.next"))->trigger();
    QCOMPARE(test->currentWorkspace(), QStringLiteral("look"));
    auto* button = test->findChild<QToolButton*>(QStringLiteral("view.workspace.mask.button"));
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(test->currentWorkspace(), QStringLiteral("mask"));
    QVERIFY(button->isChecked());
  }

  void aFirstStartFillsTheScreen() {
    const QString session = m_folder->filePath(QStringLiteral("first/session.json"));
    QWidget window;
    window.resize(300, 200);
    QVERIFY(startsMaximized(window, session));
    QVERIFY(!startsMaximized(window, {}));
    QDir().mkpath(QFileInfo(session).path());
    writeText(session, "{}");
    QVERIFY(!startsMaximized(window, session));
    window.resize(window.screen()->availableSize());  // no room for its frame
    QVERIFY(startsMaximized(window, session));
  }

  /// The window manager gives a maximized window its size after it was shown.
  void docksAreSizedForAWindowThatIsMaximizedLate() {
    Theme theme;
    MessageLog log(false);
    MainWindow window(&theme, &log, TestWindow::optionsFor({}));
    window.resize(1280, 800);
    window.setWindowState(Qt::WindowMaximized);
    window.show();
    synthetic::untilIdle();
    window.resize(1920, 1080);
    synthetic::untilIdle();
    auto* heads = window.findChild<QDockWidget*>(QStringLiteral("dock.heads"));
    QVERIFY2(heads->width() >= 610, qPrintable(QString::number(heads->width())));
  }

  void eachKeepsItsArrangement() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    synthetic::untilIdle();
    auto* heads = test->findChild<QDockWidget*>(QStringLiteral("dock.heads"));
    auto* masks = test->findChild<QDockWidget*>(QStringLiteral("dock.masks"));
    heads->hide();
    test->showTab(QStringLiteral("rollout"));
    press(test, Qt::Key_F2);
    QVERIFY(masks->isVisible());
    QCOMPARE(test->currentTab(), QStringLiteral("canvas"));
    press(test, Qt::Key_1, Qt::ControlModifier);
    QVERIFY(!masks->isVisible());
    QVERIFY(!heads->isVisible());
    QCOMPARE(test->currentTab(), QStringLiteral("rollout"));
    test->actions()->find(QStringLiteral("view.workspace.putBack"))->trigger();
    QVERIFY(heads->isVisible());
    QCOMPARE(test->currentTab(), QStringLiteral("canvas"));
  }

  void aRestartRestoresSizesExactly() {
    const QString session = m_folder->filePath(QStringLiteral("session.json"));
    QMap<QString, QSize> before;
    {
      TestWindow test(session);
      OPEN_SMALL_MODEL(test);
      OPEN_IMAGE(test, m_image);
      // What does not fit the screen with its frame is made smaller by Qt 6.8 when it is restored.
      const QSize room = test->screen()->availableSize() - QSize(40, 60);
      test->resize(test->size().boundedTo(room));
      press(test, Qt::Key_F2);
      auto* masks = test->findChild<QDockWidget*>(QStringLiteral("dock.masks"));
      test->resizeDocks({masks}, {360}, Qt::Horizontal);
      synthetic::untilIdle();
      before = dockSizes(test);
      QVERIFY(test->close());
    }
    for (int start = 0; start < 3; ++start) {  // nor do they creep
      TestWindow test(session);
      QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
      QTRY_COMPARE_WITH_TIMEOUT(test.document()->inputs().imagePath(), m_image, 20000);
      synthetic::untilIdle();
      QCOMPARE(test->currentWorkspace(), QStringLiteral("mask"));
      QTRY_COMPARE(dockSizes(test), before);
      QVERIFY(test->close());
    }
  }

  void aRunIsOneLineUntilTrainIsShown() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    auto* line = test->findChild<RunLine*>();
    QVERIFY(!line->isVisible());
    Experiment experiment = smallExperiment();
    experiment.data.trainSamples = 32;
    experiment.data.validationSamples = 16;
    experiment.training.epochs = 1000;
    experiment.training.batchSize = 8;
    test->startTraining(experiment, m_folder->filePath(QStringLiteral("run a")));
    QTRY_VERIFY(line->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(line->text().contains(QStringLiteral("top-1")), 60000);
    QVERIFY2(line->text().contains(QStringLiteral("run a")), qPrintable(line->text()));
    QTest::mouseClick(line->findChild<QToolButton*>(QStringLiteral("runLineOpen")), Qt::LeftButton);
    QCOMPARE(test->currentWorkspace(), QStringLiteral("train"));
    QTRY_VERIFY(!line->isVisible());
    press(test, Qt::Key_1, Qt::ControlModifier);
    QTRY_VERIFY(line->isVisible());
    auto* close = line->findChild<QToolButton*>(QStringLiteral("runLineClose"));
    QVERIFY(!close->isVisible());  // it goes on
    test->trainingBridge()->stop();
    QTRY_VERIFY_WITH_TIMEOUT(!test->trainingBridge()->isRunning(), 30000);
    QTRY_VERIFY(line->text().contains(QStringLiteral("stopped")));
    // What has ended can be closed, and stays closed until a run begins.
    QTRY_VERIFY(close->isVisible());
    QTest::mouseClick(close, Qt::LeftButton);
    QVERIFY(!line->isVisible());
    press(test, Qt::Key_F2);
    QVERIFY(!line->isVisible());
    test->trainingBridge()->resume(m_folder->filePath(QStringLiteral("run a")));
    QTRY_VERIFY(line->isVisible());
    QTRY_VERIFY(!close->isVisible());
    test->trainingBridge()->stop();
    QTRY_VERIFY_WITH_TIMEOUT(!test->trainingBridge()->isRunning(), 30000);
  }

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
  QString m_image;
};

QTEST_MAIN(WorkspacesTest)
#include "WorkspacesTest.moc"
