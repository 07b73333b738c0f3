// SPDX-License-Identifier: GPL-3.0-or-later

// Where docks stand: that it comes back as it was, from sessions of now and of before, and that no
// description of it, however damaged, hurts the window.

#include <QDockWidget>
#include <QRandomGenerator>
#include <QScreen>
#include <QTabBar>

#include <array>

#include "tests/fuzz/Mutator.h"
#include "tests/gui/Idle.h"
#include "tests/gui/SyntheticInference.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/document/LayoutBytes.h"
#include "ui/document/Session.h"
#include "ui/widgets/NoticeBar.h"
#include "ui/workspace/Arranging.h"
#include "ui/workspace/Workspaces.h"

using namespace headlight;

namespace {

constexpr int kMutations = 300;
constexpr int kDrawn = 100;

QDockWidget* dockOf(TestWindow& test, const char* name) {
  return test->findChild<QDockWidget*>(QStringLiteral("dock.") + QLatin1String(name));
}

/// Of all docks: area, whether they are shown and float, their place and those in tabs with them.
QStringList standing(TestWindow& test) {
  QStringList lines;
  for (const QString& name : knownDocks()) {
    auto* dock = dockOf(test, qPrintable(name));
    QStringList tabs;
    for (const QDockWidget* other : test->tabifiedDockWidgets(dock))
      tabs << other->objectName();
    const QRect place = dock->isVisible() && !dock->visibleRegion().isEmpty()
                            ? QRect(dock->pos(), dock->size())
                            : QRect();
    lines << QStringLiteral("%1: area %2, hidden %3, floating %4, at %5 %6 %7 %8, with %9")
                 .arg(name)
                 .arg(test->dockWidgetArea(dock))
                 .arg(dock->isHidden())
                 .arg(dock->isFloating())
                 .arg(place.x())
                 .arg(place.y())
                 .arg(place.width())
                 .arg(place.height())
                 .arg(tabs.join(' '));
  }
  return lines;
}

/// Docks moved, closed, in tabs and floating: another arrangement for each number.
void rearrange(TestWindow& test, int kind) {
  auto *gallery = dockOf(test, "gallery"), *masks = dockOf(test, "masks"),
       *heads = dockOf(test, "heads"), *prediction = dockOf(test, "prediction"),
       *training = dockOf(test, "training");
  for (auto* dock : {gallery, masks, heads, prediction, training}) {
    dock->setFloating(false);
    dock->show();
  }
  switch (kind) {
    case 0:  // moved to the other side, one closed
      test->addDockWidget(Qt::LeftDockWidgetArea, heads);
      test->addDockWidget(Qt::BottomDockWidgetArea, prediction);
      training->hide();
      masks->hide();
      test->resizeDocks({heads}, {330}, Qt::Horizontal);
      return;
    case 1:  // in tabs, the first in front
      test->addDockWidget(Qt::RightDockWidgetArea, heads);
      test->tabifyDockWidget(heads, masks);
      test->tabifyDockWidget(masks, prediction);
      heads->raise();
      gallery->hide();
      training->hide();
      return;
    case 2:  // beside one another within an area
      test->addDockWidget(Qt::TopDockWidgetArea, gallery);
      test->splitDockWidget(masks, heads, Qt::Horizontal);
      test->splitDockWidget(heads, prediction, Qt::Vertical);
      training->hide();
      return;
    default:
      gallery->setFloating(true);
      gallery->setGeometry(60, 70, 210, 300);
      masks->hide();
      training->hide();
  }
}

/// Wherever it was damaged: the window goes on, with each of its docks.
void requireWhole(TestWindow& test) {
  QCoreApplication::processEvents();
  for (const QString& name : knownDocks())
    QVERIFY(dockOf(test, qPrintable(name)));
  QVERIFY(recordLayout(test.window));
}

QByteArray textOf(const Json& json) {
  return QByteArray::fromStdString(json.dump());
}

}  // namespace

class LayoutTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }
  void init() {
    synthetic::failOnQtWarnings();
    m_folder = std::make_unique<QTemporaryDir>();
  }

  void everyArrangementComesBack_data() {
    QTest::addColumn<int>("kind");
    QTest::newRow("moved and closed") << 0;
    QTest::newRow("in tabs") << 1;
    QTest::newRow("nested") << 2;
    QTest::newRow("floating") << 3;
  }
  void everyArrangementComesBack() {
    QFETCH(int, kind);
    const QString session = m_folder->filePath(QStringLiteral("session.json"));
    QStringList inference, mask;
    {
      TestWindow test(session);
      OPEN_SMALL_MODEL(test);
      rearrange(test, kind);
      synthetic::untilIdle();
      test->showWorkspace(QStringLiteral("mask"));
      rearrange(test, (kind + 1) % 4);
      synthetic::untilIdle();
      mask = standing(test);
      test->showWorkspace(QStringLiteral("look"));
      synthetic::untilIdle();
      inference = standing(test);
      QVERIFY(inference != mask);
      QVERIFY(test->close());
    }
    TestWindow test(session);
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    synthetic::untilIdle();
    QTRY_COMPARE(standing(test), inference);
    test->showWorkspace(QStringLiteral("mask"));
    synthetic::untilIdle();
    QTRY_COMPARE(standing(test), mask);
    QCOMPARE(test.notices(), 0);
    QFile file(session);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    QVERIFY(text.contains("\"layout\"") && !text.contains("\"docks\": \"AAAA"));
  }

  void aClosedDockOpensWhereItWas() {
    const QString session = m_folder->filePath(QStringLiteral("session.json"));
    QStringList before;
    {
      TestWindow test(session);
      OPEN_SMALL_MODEL(test);
      rearrange(test, 2);
      synthetic::untilIdle();
      before = standing(test);
      dockOf(test, "heads")->hide();
      synthetic::untilIdle();
      QVERIFY(test->close());
    }
    TestWindow test(session);
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    synthetic::untilIdle();
    QVERIFY(dockOf(test, "heads")->isHidden());
    dockOf(test, "heads")->show();
    synthetic::untilIdle();
    QCOMPARE(standing(test).filter(QStringLiteral("area")).size(), 5);
    for (int i = 0; i < before.size(); ++i)  // sizes are shared out anew
      QCOMPARE(standing(test)[i].section(", at", 0, 0), before[i].section(", at", 0, 0));
    QVERIFY(dockOf(test, "heads")->y() < dockOf(test, "prediction")->y());
    QCOMPARE(dockOf(test, "heads")->x(), dockOf(test, "prediction")->x());
    QVERIFY(dockOf(test, "heads")->x() > dockOf(test, "masks")->x());
  }

  void sessionsOfBeforeKeepTheirArrangement() {
    const QString path = m_folder->filePath(QStringLiteral("session.json"));
    QStringList before;
    {
      TestWindow test;
      OPEN_SMALL_MODEL(test);
      rearrange(test, 2);
      synthetic::untilIdle();
      before = standing(test);
      Json json = Json::parse(sessionToText(*test->session()).toStdString());
      json["window"].erase("place");
      json["window"]["geometry"] = test->saveGeometry().toBase64().toStdString();
      json["window"]["workspaces"]["look"].erase("layout");
      json["window"]["workspaces"]["look"]["docks"] = test->saveState().toBase64().toStdString();
      writeText(path, textOf(json));
    }
    TestWindow test(path);
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    synthetic::untilIdle();
    QTRY_COMPARE(standing(test), before);
    QCOMPARE(test.notices(), 0);
  }

  void aFigureWithADamagedArrangementOpens() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    synthetic::untilIdle();
    const QStringList before = standing(test);
    test->openPaths({QStringLiteral(HEADLIGHT_SOURCE_DIR "/tests/gui/files/session-docks.png")});
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->inputs().masks().name(), std::string("sch2"), 20000);
    QTRY_COMPARE(test.document()->view().options().layer, 1);
    QCOMPARE(test.document()->view().options().query, 3);
    synthetic::untilIdle();
    QTRY_COMPARE(standing(test).size(), before.size());
    for (int i = 0; i < before.size(); ++i)
      QCOMPARE(standing(test)[i].section(", at", 0, 0), before[i].section(", at", 0, 0));
    bool said = false;
    for (const Notice& notice : test->noticeBar()->notices())
      said = said || notice.text.contains(QStringLiteral("arrangement of the window is damaged"));
    QVERIFY(said);
    requireWhole(test);
  }

  void areasThatThereAreNotAreRefused() {
    TestWindow test;
    const QByteArray whole = test->saveState();
    QVERIFY(guarded("", [&] { return layoutFromBytes(whole, ""); }));
    QByteArray wild = whole;
    wild[13] = 0x31;  // of the first area's number: Qt takes it for a place in an array of four
    QVERIFY(!guarded("", [&] { return layoutFromBytes(wild, ""); }));
    for (int length = 0; length < whole.size(); ++length) {
      const QByteArray cut = whole.left(length);
      static_cast<void>(guarded("", [&] { return layoutFromBytes(cut, ""); }));
    }
    QVERIFY(!guarded("", [&] { return layoutFromBytes({}, ""); }));
  }

  /// A dock that is dragged is in two places: its own and the one that is kept free for it.
  void whileADockIsDraggedTheArrangementStaysKnown() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    auto* workspaces = test->findChild<Workspaces*>();
    for (const auto workspace : {Workspace::Mask, Workspace::Look}) {
      workspaces->show(workspace);
      synthetic::untilIdle();
    }
    auto* dock = dockOf(test, "prediction");
    QWindow* window = test->windowHandle();
    const QPoint title = dock->mapTo(&test.window, QPoint(30, 8));
    QTest::mousePress(window, Qt::LeftButton, {}, title);
    bool inTwoPlaces = false;
    for (int x = title.x(); x > 4; x -= 20) {
      QTest::mouseMove(window, QPoint(x, std::max(title.y() - (title.x() - x), 200)));
      QTest::qWait(5);
      inTwoPlaces = inTwoPlaces || !recordLayout(test.window);
      QVERIFY(workspaces->arrangements().value(QStringLiteral("look")).docks);
    }
    QVERIFY(inTwoPlaces);
    QVERIFY(!test->findChild<NoticeBar*>()->isVisible());
    QTest::mouseRelease(window, Qt::LeftButton, {}, QPoint(4, 200));
    synthetic::untilIdle();
    requireWhole(test);
  }

  void aDraggedDockIsPutDownBeforeDocksAreArranged() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    auto* workspaces = test->findChild<Workspaces*>();
    const std::array all{Workspace::Mask, Workspace::Train, Workspace::Compare, Workspace::Look};
    for (const auto workspace : all) {
      workspaces->show(workspace);
      synthetic::untilIdle();
    }
    auto* dock = dockOf(test, "prediction");
    QWindow* window = test->windowHandle();
    int inTwoPlaces = 0;
    for (const auto workspace : all) {
      if (workspace == Workspace::Look) break;
      const QPoint title = dock->mapTo(&test.window, QPoint(30, 8));
      QTest::mousePress(window, Qt::LeftButton, {}, title);
      for (int x = title.x(); x > 4 && recordLayout(test.window); x -= 20) {
        QTest::mouseMove(window, QPoint(x, std::max(title.y() - (title.x() - x), 200)));
        QTest::qWait(5);
      }
      inTwoPlaces += recordLayout(test.window) ? 0 : 1;
      workspaces->show(workspace);
      QVERIFY(recordLayout(test.window));
      QTest::mouseRelease(window, Qt::LeftButton, {}, QPoint(4, 200));
      workspaces->show(Workspace::Look);
      synthetic::untilIdle();
      requireWhole(test);
    }
    QVERIFY(inTwoPlaces > 0);
  }

  void offScreenWindowsReturn() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    synthetic::untilIdle();
    WindowLayout layout = *recordLayout(test.window);
    for (LayoutArea& area : layout.areas)
      for (LayoutPart& part : area.docks.parts)
        if (part.dock == QStringLiteral("gallery")) part.floating = QRect(20000, -20000, 9000, 200);
    QVERIFY(arrangeDocks(&test.window, layout));
    synthetic::untilIdle();
    auto* gallery = dockOf(test, "gallery");
    QVERIFY(gallery->isFloating());
    QVERIFY(test->screen()->geometry().contains(gallery->geometry().center()));
    WindowPlace place = *placeOf(test.window);
    place.normal = place.shown = QRect(30000, 30000, 900, 700);
    putAt(&test.window, place);
    synthetic::untilIdle();
    QVERIFY(test->screen()->geometry().intersects(test->geometry()));
  }

  void descriptionsAreChecked_data() {
    QTest::addColumn<QByteArray>("layout");
    const auto row = [](const char* name, const QByteArray& left) {
      QTest::newRow(name) << QByteArray(R"({"version": 1, "center": [9, 9], "areas": {"left": )") +
                                 left + "}}";
    };
    row("no area", "[]");
    row("a dock for an area", R"({"size": [9, 9], "docks": {"dock": "heads"}})");
    row("tabs for an area", R"({"size": [9, 9], "docks": {"tabs": [{"dock": "heads"}]}})");
    row("nothing", R"({"size": [9, 9], "docks": {"row": []}})");
    row("twice", R"({"size": [9, 9], "docks": {"row": [{"dock": "heads"}, {"dock": "heads"}]}})");
    row("unknown", R"({"size": [9, 9], "docks": {"row": [{"dock": "kitchen"}]}})");
    row("tabs in tabs", R"({"size": [9, 9], "docks": {"row": [{"tabs": [{"tabs": []}]}]}})");
    row("large", R"({"size": [9, 9], "docks": {"row": [{"dock": "heads", "size": 99999}]}})");
    row("no number", R"({"size": [9, 9], "docks": {"row": [{"dock": "heads", "size": 1.5}]}})");
    row("floats nowhere",
        R"({"size": [9, 9], "docks": {"row": [{"dock": "heads", "floating": [0, 0, 0, 0]}]}})");
    QByteArray deep = R"({"dock": "heads"})";
    for (int i = 0; i < 20; ++i)
      deep = R"({"row": [)" + deep + "]}";
    row("deep", R"({"size": [9, 9], "docks": )" + deep + "}");
    QTest::newRow("newer") << QByteArray(R"({"version": 2, "center": [9, 9], "areas": {}})");
    QTest::newRow("no object") << QByteArray("3");
  }
  void descriptionsAreChecked() {
    QFETCH(QByteArray, layout);
    Session session;
    session.experiment = smallExperiment();
    Json json = Json::parse(sessionToText(session).toStdString());
    json["window"]["workspaces"]["look"] = {{"page", "rollout"},
                                            {"layout", Json::parse(layout.toStdString())}};
    const auto read = sessionFromText(textOf(json), QStringLiteral("s.json"));
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(read->damaged, QStringList{QStringLiteral("look")});
    QVERIFY(!read->arrangements[QStringLiteral("look")].docks);
    QCOMPARE(read->arrangements[QStringLiteral("look")].page, QStringLiteral("rollout"));
  }

  /// The bytes of before, as a foreign file may have them.
  void mutatedBytesHurtNothing() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    std::vector<std::string> states;
    for (int kind = 0; kind < 4; ++kind) {
      rearrange(test, kind);
      synthetic::untilIdle();
      states.push_back(test->saveState().toStdString());
    }
    fuzz::Mutator mutator(11);
    int sound = 0;
    for (int i = 0; i < kMutations; ++i) {
      const auto& state = states[mutator.below(states.size())];
      const auto bytes =
          QByteArray::fromStdString(mutator.mutate(state, states[mutator.below(states.size())]));
      const auto layout = guarded("", [&] { return layoutFromBytes(bytes, "docks"); });
      if (!layout) continue;
      ++sound;
      arrangeDocks(&test.window, *layout);
      requireWhole(test);
      const auto place = guarded("", [&] {
        return placeFromBytes(
            QByteArray::fromStdString(mutator.mutate(test->saveGeometry().toStdString(), "")), "");
      });
      if (place && !place->fullScreen) putAt(&test.window, *place);
    }
    QVERIFY(sound > 0 && sound < kMutations);
  }

  void mutatedDescriptionsHurtNothing() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    std::vector<std::string> texts;
    for (int kind = 0; kind < 4; ++kind) {
      rearrange(test, kind);
      synthetic::untilIdle();
      texts.push_back(layoutToJson(*recordLayout(test.window)).dump());
    }
    fuzz::Mutator mutator(12);
    int sound = 0;
    for (int i = 0; i < kMutations; ++i) {
      const Json json = Json::parse(mutator.mutateJson(texts[mutator.below(texts.size())],
                                                       texts[mutator.below(texts.size())]),
                                    nullptr, false);
      const auto layout = guarded("", [&] { return layoutFromJson(json, "layout"); });
      if (!layout) continue;
      ++sound;
      QVERIFY(arrangeDocks(&test.window, *layout));
      requireWhole(test);
    }
    QVERIFY(sound > 0 && sound < kMutations);
  }

  /// Sound ones of every shape, with docks left out, nested, in tabs, closed and floating.
  void everySoundDescriptionIsTaken() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    QRandomGenerator random(13);
    for (int i = 0; i < kDrawn; ++i) {
      const WindowLayout layout = drawnLayout(random);
      const auto again =
          guarded("", [&] { return layoutFromJson(layoutToJson(layout), "layout"); });
      QVERIFY2(again, again ? "" : again.error().text().c_str());
      QVERIFY(*again == layout);
      QVERIFY(arrangeDocks(&test.window, layout));
      requireWhole(test);
    }
  }

 private:
  static LayoutPart drawnGroup(QRandomGenerator& random, QStringList& docks, int depth) {
    LayoutPart group;
    group.kind = random.bounded(2) ? LayoutPart::Kind::Row : LayoutPart::Kind::Column;
    if (depth > 0 && random.bounded(3) == 0) group.kind = LayoutPart::Kind::Tabs;
    group.size = random.bounded(-1, 900);
    for (int left = random.bounded(1, 4); left > 0 && !docks.isEmpty(); --left) {
      if (group.kind != LayoutPart::Kind::Tabs && depth < 4 && random.bounded(3) == 0) {
        group.parts.push_back(drawnGroup(random, docks, depth + 1));
        continue;
      }
      LayoutPart dock;
      dock.dock = docks.takeAt(random.bounded(docks.size()));
      dock.size = random.bounded(-1, 900);
      dock.visible = random.bounded(4) != 0;
      if (random.bounded(5) == 0) {
        dock.floating = QRect(random.bounded(900), random.bounded(700), 1 + random.bounded(2000),
                              1 + random.bounded(2000));
        dock.size = -1;
      }
      if (random.bounded(2)) group.current = dock.dock;
      group.parts.push_back(dock);
    }
    if (group.kind != LayoutPart::Kind::Tabs) group.current.clear();
    return group;
  }
  static WindowLayout drawnLayout(QRandomGenerator& random) {
    QStringList docks = knownDocks();
    WindowLayout layout;
    layout.center = {random.bounded(1500), random.bounded(1500)};
    for (const auto area : {Qt::LeftDockWidgetArea, Qt::RightDockWidgetArea, Qt::TopDockWidgetArea,
                            Qt::BottomDockWidgetArea}) {
      if (docks.isEmpty() || random.bounded(2)) continue;
      layout.areas.push_back(
          {area, {random.bounded(1500), random.bounded(1500)}, drawnGroup(random, docks, 0)});
    }
    return layout;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_MAIN(LayoutTest)
#include "LayoutTest.moc"
