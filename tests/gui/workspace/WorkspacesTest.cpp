// SPDX-License-Identifier: GPL-3.0-or-later

// The four workspaces: what each has room for, that each is remembered by itself, and that sizes
// come back as they were.

#include <QDockWidget>
#include <QScreen>
#include <QToolButton>

#include "tests/gui/Idle.h"
#include "tests/gui/SyntheticLook.h"
#include "tests/gui/WindowFixture.h"
#include "ui/canvas/Canvas.h"
#include "ui/training/RunLine.h"

using namespace headlight;

namespace {

/// The side of the square that the model sees, in pixels of the screen.
double pictureSide(TestWindow& test) {
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
    m_picture = writePicture(m_folder->filePath(QStringLiteral("picture.png")), 64, 64);
  }

  void thePictureHasTheRoomThatWasPromised_data() {
    QTest::addColumn<QString>("workspace");
    QTest::addColumn<QSize>("window");
    QTest::addColumn<double>("least");
    QTest::newRow("look") << "look" << QSize(1280, 800) << 540.0;
    QTest::newRow("look, large") << "look" << QSize(1920, 1080) << 800.0;
    QTest::newRow("mask") << "mask" << QSize(1280, 800) << 400.0;
  }
  void thePictureHasTheRoomThatWasPromised() {
    QFETCH(QString, workspace);
    QFETCH(QSize, window);
    QFETCH(double, least);
    TestWindow test;
    test->resize(window);
    OPEN_SMALL_MODEL(test);
    OPEN_PICTURE(test, m_picture);
    test->showWorkspace(workspace);
    test->actions()->find(QStringLiteral("view.workspace.putBack"))->trigger();
    QCOMPARE(test->size(), window);
    QVERIFY2(pictureSide(test) >= least, qPrintable(QString::number(pictureSide(test))));
  }

  void everyWorkspaceFitsASmallScreen() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_PICTURE(test, m_picture);
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

  void keysGoFromOneToAnother() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_PICTURE(test, m_picture);
    QCOMPARE(test->currentWorkspace(), QStringLiteral("look"));
    const std::pair<Qt::Key, const char*> keys[] = {
        {Qt::Key_F2, "mask"}, {Qt::Key_F3, "train"}, {Qt::Key_F4, "compare"}, {Qt::Key_F1, "look"}};
    for (const auto& [key, name] : keys) {
      press(test, key);
      QCOMPARE(test->currentWorkspace(), QLatin1String(name));
    }
    test->actions()->find(QStringLiteral("view.workspace.previous"))->trigger();
    QCOMPARE(test->currentWorkspace(), QStringLiteral("compare"));
    test->actions()->find(QStringLiteral("view.workspace.next"))->trigger();
    QCOMPARE(test->currentWorkspace(), QStringLiteral("look"));
    auto* button = test->findChild<QToolButton*>(QStringLiteral("view.workspace.mask.button"));
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(test->currentWorkspace(), QStringLiteral("mask"));
    QVERIFY(button->isChecked());
  }

  void eachKeepsItsArrangement() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_PICTURE(test, m_picture);
    synthetic::untilIdle();
    auto* heads = test->findChild<QDockWidget*>(QStringLiteral("dock.heads"));
    auto* masks = test->findChild<QDockWidget*>(QStringLiteral("dock.masks"));
    heads->hide();
    test->showTab(QStringLiteral("rollout"));
    press(test, Qt::Key_F2);
    QVERIFY(masks->isVisible());
    QCOMPARE(test->currentTab(), QStringLiteral("canvas"));
    press(test, Qt::Key_F1);
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
      OPEN_PICTURE(test, m_picture);
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
      QTRY_VERIFY_WITH_TIMEOUT(test.document()->hasModel(), 20000);
      QTRY_COMPARE_WITH_TIMEOUT(test.document()->imagePath(), m_picture, 20000);
      synthetic::untilIdle();
      QCOMPARE(test->currentWorkspace(), QStringLiteral("mask"));
      QTRY_COMPARE(dockSizes(test), before);
      QVERIFY(test->close());
    }
  }

  void aRunIsOneLineUntilTrainIsShown() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_PICTURE(test, m_picture);
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
    press(test, Qt::Key_F1);
    QTRY_VERIFY(line->isVisible());
    test->trainingBridge()->stop();
    QTRY_VERIFY_WITH_TIMEOUT(!test->trainingBridge()->isRunning(), 30000);
    QTRY_VERIFY(line->text().contains(QStringLiteral("stopped")));
  }

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
  QString m_picture;
};

QTEST_MAIN(WorkspacesTest)
#include "WorkspacesTest.moc"
