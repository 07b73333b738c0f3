// SPDX-License-Identifier: GPL-3.0-or-later

// What was opened last: kept, listed in the menu, and on the page of a window with nothing in it.

#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>

#include "tests/gui/Grab.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/document/RecentPaths.h"
#include "ui/opening/RecentCommands.h"

using namespace headlight;

class RecentTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }
  void init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
    m_folder = std::make_unique<QTemporaryDir>();
    m_image = writeImage(path("image & more.png"));
  }

  void weightsOfRunsAndOfTheHubHaveTheirNames() {
    QCOMPARE(RecentCommands::titleOf(QStringLiteral("/runs/a/best.safetensors")),
             QStringLiteral("run a · best"));
    QCOMPARE(RecentCommands::titleOf(
                 QStringLiteral("/c/hub/models--timm--vit.x/snapshots/0a/model.safetensors")),
             QStringLiteral("timm/vit.x (hub)"));
    QCOMPARE(RecentCommands::titleOf(QStringLiteral("/m/mine.safetensors")),
             QStringLiteral("mine.safetensors — /m"));
  }

  void theNewestComeFirstAndAreKept() {
    QStringList made;
    {
      RecentPaths recent(path("session.json"));
      for (int i = 0; i < RecentPaths::kMost + 3; ++i) {
        made.prepend(path(QStringLiteral("%1.png").arg(i)));
        writeText(made.first(), "x");
        recent.add(RecentKind::File, made.first());
      }
      QCOMPARE(recent.of(RecentKind::File), made.mid(0, RecentPaths::kMost));
      recent.add(RecentKind::File, made[4]);  // again
      made.move(4, 0);
      recent.add(RecentKind::Model, QStringLiteral("deit_tiny_patch16_224"));
      recent.add(RecentKind::Model, QStringLiteral("no-such-model"));
      const auto kept = [&] {
        QFile file(path("recent.json"));
        return file.open(QIODevice::ReadOnly) && file.readAll().contains("no-such-model");
      };
      QTRY_VERIFY(kept());
    }
    QVERIFY(QFile::remove(made[2]));
    made.removeAt(2);
    RecentPaths recent(path("session.json"));
    QCOMPARE(recent.of(RecentKind::File), made.mid(0, RecentPaths::kMost - 1));
    QCOMPARE(recent.of(RecentKind::Model), QStringList{QStringLiteral("deit_tiny_patch16_224")});
    QCOMPARE(recent.of(RecentKind::Run), QStringList());
  }

  void aDamagedListIsEmpty() {
    for (const char* text : {"", "[1, 2", R"({"files": 3, "models": [1, null], "runs": {}})"}) {
      writeText(path("recent.json"), text);
      const RecentPaths recent(path("session.json"));
      for (const auto kind : {RecentKind::File, RecentKind::Model, RecentKind::Run})
        QCOMPARE(recent.of(kind), QStringList());
    }
  }

  void theMenuOpensThemAgain() {
    const auto saved = InferenceSession::create(smallExperiment());
    QVERIFY((*saved)->save(path("weights.safetensors").toStdString(),
                           MaskScheme(MaskShape((*saved)->info().heads))));
    const QString other = writeImage(path("other.png"), 30, 30, 9);
    {
      TestWindow test(path("session.json"));
      QCOMPARE(entries(test), QStringList{QStringLiteral("Nothing opened yet")});
      test->openPaths({path("weights.safetensors")});
      QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
      OPEN_IMAGE(test, m_image);
      OPEN_IMAGE(test, other);
      test->imageBridge()->loadImage(QStringLiteral(":/samples/striped-disc.png"));
      QTRY_VERIFY(
          test.document()->inputs().imagePath().startsWith(':'));  // not of the person's own
      test->startTraining(smallExperiment(), path("run"));
      test->trainingBridge()->stop();
      QTRY_VERIFY_WITH_TIMEOUT(!test->trainingBridge()->isRunning(), 60000);
      QVERIFY(QDir().mkpath(path("run")));  // also where it was stopped before it had begun
      QVERIFY(test->close());
    }
    TestWindow test(path("session.json"));
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    const QStringList listed = entries(test);
    QCOMPARE(listed.size(), 4);
    QVERIFY2(listed[0].startsWith(QStringLiteral("other.png — ")), qPrintable(listed[0]));
    QVERIFY2(listed[1].startsWith(QStringLiteral("image && more.png — ")), qPrintable(listed[1]));
    QVERIFY2(listed[2].startsWith(QStringLiteral("weights.safetensors — ")), qPrintable(listed[2]));
    QVERIFY2(listed[3].startsWith(QStringLiteral("run — ")), qPrintable(listed[3]));
    trigger(test, 1);
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->inputs().imagePath(), m_image, 20000);
    test->modelWorker()->createModel(smallExperiment(64));
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->inputs().model().experiment.model.width, 64, 20000);
    trigger(test, 2);
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->inputs().model().experiment.model.width, 32, 20000);
    QCOMPARE(test.document()->inputs().model().weights.string(),
             path("weights.safetensors").toStdString());
  }

  void anEmptyWindowSaysWhatCanBeOpened() {
    {
      RecentPaths recent(path("session.json"));
      recent.add(RecentKind::File, m_image);
      QTRY_VERIFY(QFile::exists(path("recent.json")));
    }
    TestWindow test(path("session.json"));
    auto* page = test->findChild<QWidget*>(QStringLiteral("startPage"));
    QVERIFY(page && page->isVisible());
    synthetic::saveGrabs(test.window, QStringLiteral("start"));
    for (const char* name : {"start.file.open", "start.model.choose", "start.model.demo"})
      QVERIFY2(page->findChild<QPushButton*>(QLatin1String(name)), name);
    auto* list = page->findChild<QListWidget*>(QStringLiteral("startRecent"));
    QCOMPARE(list->count(), 1);
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                      list->visualItemRect(list->item(0)).center());
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->inputs().imagePath(), m_image, 20000);
    QVERIFY(!page->isVisible());
  }

 private:
  QString path(const QString& name) const { return m_folder->filePath(name); }

  static QList<QAction*> shown(TestWindow& test) {
    auto* menu = test->actions()->find(QStringLiteral("file.recent"))->menu();
    Q_EMIT menu->aboutToShow();
    QList<QAction*> actions;
    for (QAction* action : menu->actions())
      if (!action->isSeparator()) actions << action;
    return actions;
  }
  static QStringList entries(TestWindow& test) {
    QStringList texts;
    for (const QAction* action : shown(test))
      texts << action->text();
    return texts;
  }
  static void trigger(TestWindow& test, int entry) { shown(test)[entry]->trigger(); }

  std::unique_ptr<QTemporaryDir> m_folder;
  QString m_image;
};

QTEST_MAIN(RecentTest)
#include "RecentTest.moc"
