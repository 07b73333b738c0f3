// SPDX-License-Identifier: GPL-3.0-or-later

// The guided tour: five steps over the live window, each with the open model's numbers; closed
// docks, other workspaces, leaving at any time, and that everything is as it was afterwards.

#include "ui/tour/Tour.h"

#include <QDockWidget>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>

#include "tests/gui/Grab.h"
#include "tests/gui/SyntheticInference.h"
#include "tests/gui/WindowFixture.h"
#include "ui/canvas/Canvas.h"
#include "ui/masks/MaskMatrix.h"
#include "ui/tour/BalloonPlace.h"
#include "ui/tour/TourBalloon.h"
#include "ui/tour/TourRing.h"
#include "ui/tour/TourTexts.h"

using namespace headlight;
using namespace headlight::synthetic;

namespace {

struct Touring : TestWindow {
  explicit Touring(const QString& sessionPath = {}) : TestWindow(sessionPath) {}
  Tour* tour() { return window.findChild<Tour*>(); }
  TourBalloon* balloon() { return window.findChild<TourBalloon*>(); }
  TourRing* ring() { return window.findChild<TourRing*>(); }
  QPushButton* button(const char* name) {
    return balloon()->findChild<QPushButton*>(QLatin1String(name));
  }
  void click(const char* name) {
    QTest::mouseClick(button(name), Qt::LeftButton);
    untilIdle();
  }
  QDockWidget* dock(const char* name) {
    return window.findChild<QDockWidget*>(QStringLiteral("dock.") + QLatin1String(name));
  }
  bool isSeen() { return balloon()->isVisible() && window.rect().contains(balloon()->geometry()); }
  void begin() {
    window.actions()->find(QStringLiteral("help.tour"))->trigger();
    untilIdle();
  }
};

/// Which docks are shown, which page and workspace.
QStringList arrangement(MainWindow& window) {
  QStringList docks;
  for (const auto* dock : window.findChildren<QDockWidget*>())
    docks << dock->objectName() + (dock->isVisible() ? QStringLiteral("+") : QStringLiteral("-"));
  docks.sort();
  return QStringList{window.currentWorkspace(), window.currentTab()} + docks;
}

}  // namespace

class TourTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    failOnQtWarnings();
    m_folder = std::make_unique<QTemporaryDir>();
    m_image = writeImage(m_folder->filePath(QStringLiteral("image.png")), 64, 64);
  }

  void aBalloonStandsBesideItsTarget_data() {
    QTest::addColumn<QRect>("target");
    QTest::addColumn<QList<QRect>>("keepFree");
    QTest::newRow("left") << QRect(10, 300, 100, 50) << QList<QRect>();
    QTest::newRow("right") << QRect(1100, 300, 100, 50) << QList<QRect>();
    QTest::newRow("top") << QRect(0, 0, 1280, 60) << QList<QRect>();
    QTest::newRow("bottom") << QRect(0, 740, 1280, 60) << QList<QRect>();
    QTest::newRow("an image around it")
        << QRect(500, 300, 40, 40) << QList<QRect>{QRect(160, 60, 640, 700)};
  }
  void aBalloonStandsBesideItsTarget() {
    QFETCH(QRect, target);
    QFETCH(QList<QRect>, keepFree);
    const QRect bounds(0, 0, 1280, 800);
    const BalloonPlace place = placeBalloon({360, 180}, target, bounds, keepFree);
    QVERIFY(place.points && bounds.contains(place.balloon));
    QVERIFY(!place.balloon.intersects(target));
    for (const QRect& rect : keepFree)
      QVERIFY(!place.balloon.intersects(rect));
    QVERIFY(target.contains(place.to) && place.balloon.contains(place.from));
  }
  void withoutATargetItStandsInTheMiddle() {
    const QRect bounds(0, 0, 400, 300);
    const BalloonPlace place = placeBalloon({360, 180}, {}, bounds, {});
    QVERIFY(!place.points && bounds.contains(place.balloon));
    QVERIFY(bounds.contains(placeBalloon({360, 180}, bounds, bounds, {}).balloon));
  }

  void fiveStepsOverTheLiveWindow() {
    Touring test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    const QStringList before = arrangement(test.window);
    test.begin();
    const char* workspaces[] = {"look", "look", "mask", "train", "compare"};
    QStringList texts;
    for (int step = 0; step < 5; ++step) {
      QCOMPARE(test.tour()->step(), step);
      QCOMPARE(test->currentWorkspace(), QLatin1String(workspaces[step]));
      QVERIFY(test.isSeen());
      QVERIFY(!test.ring()->target().isEmpty());
      QVERIFY(test.balloon()->accessibleName().contains(QString::number(step + 1)));
      QCOMPARE(test.balloon()->accessibleDescription(), test.balloon()->text());
      QVERIFY(!test.button("tourShowAgain")->isVisible());
      texts << test.balloon()->text();
      saveGrabs(test.window, QStringLiteral("tour-%1").arg(step + 1));
      if (step < 4) test.click("tourNext");
    }
    QCOMPARE(texts.removeDuplicates(), 0);
    for (const QString& text : texts.mid(0, 4))
      QVERIFY2(text.contains(QStringLiteral("small")), qPrintable(text));
    test.click("tourBack");
    QCOMPARE(test.tour()->step(), 3);
    test.click("tourNext");
    test.click("tourNext");
    QVERIFY(!test.tour()->isRunning() && !test.balloon()->isVisible() && !test.ring()->isVisible());
    QCOMPARE(arrangement(test.window), before);
    QVERIFY(!test.document()->inputs().undoStack()->canUndo());
  }

  /// The ring is around the patch of which the text says how much it gets.
  void theFirstStepFramesTheBrightestPatch() {
    Touring test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    test.begin();
    const auto* canvas = test->findChild<Canvas*>(QStringLiteral("canvas"));
    const auto expectRing = [&] {
      untilIdle();
      const auto brightest = findBrightest(*test.document());
      QVERIFY(brightest);
      const QRectF patch = canvas->patchRect(brightest->patch);
      const QPoint middle = canvas->mapTo(&test.window, patch.center().toPoint());
      QVERIFY(test.ring()->target().contains(middle));
      QVERIFY(test.ring()->target().width() < patch.width() + 4);
      QVERIFY(!test.balloon()->geometry().intersects(test.ring()->target()));
    };
    expectRing();
    test.document()->view().change([](ViewOptions& view) { view.layer = 0; });
    expectRing();
    test->resize(1500, 900);
    expectRing();
    test.dock("gallery")->hide();
    expectRing();
  }

  void theNumbersAreTheModels() {
    const ModelInfo model = makeModel();
    const auto inference = makeInference(model);
    Document document;
    document.setModel(model);
    document.setImage(makeImage(), QStringLiteral("image"), {});
    document.setInference(inference, -1);
    document.view().change([](ViewOptions& view) {
      view.layer = 1;
      view.head = 0;
      view.query = 0;
    });
    const auto brightest = findBrightest(document);
    QVERIFY(brightest);
    QCOMPARE(brightest->patch, hottest(1, 0, 0));
    QVERIFY(std::abs(brightest->value - double(peak(1, 0))) < 1e-6);
    QVERIFY2(tokenStepText(document).contains(QStringLiteral("4.8 %")),  // of 21 tokens
             qPrintable(tokenStepText(document)));
    QVERIFY(headsStepText(document).contains(QStringLiteral("6 heads in 3 layers")));
  }

  void withoutAModelNothingIsClaimed() {
    const Document document;
    QVERIFY(!findBrightest(document));
    for (const QString& text : {tokenStepText(document), headsStepText(document),
                                masksStepText(document), trainStepText(document, {})})
      QVERIFY2(text.contains(QStringLiteral("Open a model")), qPrintable(text));
    Touring test;
    test.begin();
    for (int step = 0; step < 5; ++step) {
      QVERIFY(test.isSeen());
      test.click("tourNext");
    }
    QVERIFY(!test.tour()->isRunning());
  }

  void modelsThatCannotBeMaskedSaySo() {
    Document document;
    document.setModel(makeUnmaskableModel());
    QVERIFY2(masksStepText(document).contains(QStringLiteral("can be masked")),
             qPrintable(masksStepText(document)));
  }

  /// The dock of each step was closed before, and is closed while the step is shown.
  void closedDocksAreShownAndClosedAgain_data() {
    QTest::addColumn<int>("step");
    QTest::addColumn<QString>("workspace");
    QTest::addColumn<QString>("dock");
    QTest::newRow("heads") << 1 << "look"
                           << "heads";
    QTest::newRow("masks") << 2 << "mask"
                           << "masks";
    QTest::newRow("training") << 3 << "train"
                              << "training";
  }
  void closedDocksAreShownAndClosedAgain() {
    QFETCH(int, step);
    QFETCH(QString, workspace);
    QFETCH(QString, dock);
    Touring test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    test->showWorkspace(workspace);
    QDockWidget* closed = test.dock(qPrintable(dock));
    closed->hide();
    test->showWorkspace(QStringLiteral("look"));
    untilIdle();
    const QStringList before = arrangement(test.window);
    test.begin();
    for (int i = 0; i < step; ++i)
      test.click("tourNext");
    QVERIFY(closed->isVisible() && !test.ring()->target().isEmpty());
    closed->close();
    untilIdle();
    QVERIFY(test.isSeen() && test.ring()->target().isEmpty());
    QVERIFY(test.button("tourShowAgain")->isVisible());
    test.click("tourShowAgain");
    QVERIFY(closed->isVisible() && !test.ring()->target().isEmpty());
    QVERIFY(!test.button("tourShowAgain")->isVisible());
    test.click("tourLeave");
    QCOMPARE(arrangement(test.window), before);
    test->showWorkspace(workspace);
    QVERIFY(!closed->isVisible());
  }

  /// A floating dock is beside the window: the balloon stays in it.
  void aFloatingDockIsNoTarget() {
    Touring test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    test.dock("heads")->setFloating(true);
    test.begin();
    test.click("tourNext");
    QVERIFY(test.isSeen() && test.ring()->target().isEmpty());
    test.dock("heads")->setFloating(false);
    untilIdle();
    QVERIFY(!test.ring()->target().isEmpty());
  }

  void anotherWorkspaceIsGoneBackFrom() {
    Touring test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    test->showTab(QStringLiteral("rollout"));
    const QStringList before = arrangement(test.window);
    test.begin();
    QCOMPARE(test->currentTab(), QStringLiteral("canvas"));
    for (const char* elsewhere : {"train", "compare", "mask"}) {
      test->showWorkspace(QLatin1String(elsewhere));
      untilIdle();
      QVERIFY(test.isSeen() && test.ring()->target().isEmpty());
      test.click("tourShowAgain");
      QCOMPARE(test->currentWorkspace(), QStringLiteral("look"));
      QVERIFY(!test.ring()->target().isEmpty());
    }
    test->showWorkspace(QStringLiteral("train"));
    test.tour()->leave();
    untilIdle();
    QCOMPARE(arrangement(test.window), before);
  }

  void keysWorkAndTheFocusStays() {
    Touring test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    test->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&test.window));
    auto* canvas = test->findChild<Canvas*>(QStringLiteral("canvas"));
    canvas->setFocus();
    test.begin();
    QCOMPARE(QApplication::focusWidget(), canvas);
    QTest::keyClick(canvas, Qt::Key_Right, Qt::AltModifier);
    untilIdle();
    QCOMPARE(test.tour()->step(), 1);
    QCOMPARE(QApplication::focusWidget(), canvas);
    QTest::keyClick(canvas, Qt::Key_Left, Qt::AltModifier);
    untilIdle();
    QCOMPARE(test.tour()->step(), 0);
    test.click("tourNext");
    QCOMPARE(QApplication::focusWidget(), canvas);
    const int layer = test.document()->view().options().layer;
    QTest::keyClick(canvas, Qt::Key_BracketLeft);  // the window is alive
    QCOMPARE(test.document()->view().options().layer, layer - 1);
    QTest::keyClick(canvas, Qt::Key_Escape);
    QVERIFY(!test.tour()->isRunning());
    QVERIFY(!test->actions()->find(QStringLiteral("help.tourNext"))->isEnabled());
  }

  void itIsSteppedThroughByKeyboardInTheBalloon() {
    Touring test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    test->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&test.window));
    test.begin();
    test.button("tourNext")->setFocus();
    for (int step = 1; step < 5; ++step) {
      QTest::keyClick(test.button("tourNext"), Qt::Key_Space);
      untilIdle();
      QCOMPARE(test.tour()->step(), step);
      QCOMPARE(QApplication::focusWidget(), test.button("tourNext"));
    }
    QTest::keyClick(test.button("tourNext"), Qt::Key_Space);
    untilIdle();
    QVERIFY(!test.tour()->isRunning());
    QVERIFY(!test.balloon()->isAncestorOf(QApplication::focusWidget()));
  }

  /// A field that is being edited keeps its Esc.
  void fieldsKeepTheirEsc() {
    Touring test;
    OPEN_SMALL_MODEL(test);
    test->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&test.window));
    test.begin();
    QLineEdit field(&test.window);
    field.show();
    field.setFocus();
    QCOMPARE(QApplication::focusWidget(), &field);
    QTest::keyClick(&field, Qt::Key_Escape);
    QVERIFY(test.tour()->isRunning());
  }

  void startingTwiceBeginsAgain() {
    Touring test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    test->showWorkspace(QStringLiteral("mask"));
    untilIdle();
    const QStringList before = arrangement(test.window);
    test.begin();
    for (int i = 0; i < 3; ++i)
      test.click("tourNext");
    test.begin();
    QCOMPARE(test.tour()->step(), 0);
    QCOMPARE(test->findChildren<TourBalloon*>().size(), 1);
    QCOMPARE(test->findChildren<TourRing*>().size(), 1);
    test.click("tourLeave");
    QCOMPARE(arrangement(test.window), before);
  }

  /// Its mask edit is one undo step, shown as before → after, and taken back at the end.
  void itsMaskEditIsTakenBack() {
    Touring test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    QUndoStack* undo = test.document()->inputs().undoStack();
    test.begin();
    test.click("tourNext");
    test.click("tourNext");
    QVERIFY(test.button("tourTry")->isVisible());
    test.click("tourTry");
    QCOMPARE(undo->count(), 1);
    QCOMPARE(test.document()->inputs().masks().maskedHeads(), 2);
    QVERIFY(!test.button("tourTry")->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(test.balloon()->text().contains(QStringLiteral("2 of 6 heads")),
                             20000);
    QTRY_VERIFY_WITH_TIMEOUT(test.balloon()->text().contains(QStringLiteral("went from")), 20000);
    test.click("tourNext");
    QVERIFY(test.balloon()->text().contains(QStringLiteral("2 of 6 heads")));
    test.click("tourLeave");
    QCOMPARE(test.document()->inputs().masks().maskedHeads(), 0);
    QVERIFY(undo->canRedo());
  }

  /// What the person edited after it stays.
  void laterEditsStay() {
    Touring test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    test.begin();
    test.click("tourNext");
    test.click("tourNext");
    test.click("tourTry");
    InferenceInputs& inputs = test.document()->inputs();
    inputs.pushEdit(*makeMaskEdit(inputs.masks(), {{0, 0}}, {MaskKind::Hard, 3}, "mine"));
    test.tour()->leave();
    QCOMPARE(inputs.masks().maskedHeads(), 3);
    inputs.undoStack()->undo();
    inputs.undoStack()->undo();
    QCOMPARE(inputs.masks().maskedHeads(), 0);
  }

  void anotherModelInTheMiddle() {
    Touring test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    test.begin();
    test.click("tourNext");
    test.click("tourNext");
    test.click("tourTry");
    Experiment other = smallExperiment();
    other.model.depth = 5;
    test->modelWorker()->createModel(other);
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->inputs().model().heads.size(), std::size_t(5),
                              20000);
    QTRY_VERIFY_WITH_TIMEOUT(test.balloon()->text().contains(QStringLiteral("of 10 heads")), 20000);
    QVERIFY(test.button("tourTry")->isVisible());
    test.tour()->leave();
    QVERIFY(!test.document()->inputs().undoStack()->canUndo());
  }

  /// The session is as without the tour.
  void closingTheWindowLeavesIt() {
    const QString path = m_folder->filePath(QStringLiteral("session.json"));
    {
      Touring test(path);
      OPEN_SMALL_MODEL(test);
      OPEN_IMAGE(test, m_image);
      test.begin();
      for (int i = 0; i < 3; ++i)
        test.click("tourNext");
      QCOMPARE(test->currentWorkspace(), QStringLiteral("train"));
      test->close();
      QVERIFY(!test.tour()->isRunning());
    }
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto session = sessionFromText(file.readAll(), path);
    QVERIFY(session);
    QCOMPARE(session->workspace, QStringLiteral("look"));
  }
  void theWindowMayGoInTheMiddle() {
    for (int step = 0; step < 5; ++step) {
      Touring test;
      OPEN_SMALL_MODEL(test);
      OPEN_IMAGE(test, m_image);
      test.begin();
      for (int i = 0; i < step; ++i)
        test.click("tourNext");
    }
  }

  void itsColorsFollowTheTheme() {
    Touring test;
    OPEN_SMALL_MODEL(test);
    test.begin();
    for (const ThemeChoice choice : {ThemeChoice::Dark, ThemeChoice::Light, ThemeChoice::Dark}) {
      test.theme.setChoice(choice);
      untilIdle();
      const QPalette colors = test.balloon()->palette();
      const double ground = colors.color(QPalette::Window).lightnessF();
      const double text = colors.color(QPalette::WindowText).lightnessF();
      QVERIFY(std::abs(ground - text) > 0.4);
      QCOMPARE(ground < text, choice == ThemeChoice::Dark);
    }
    test.theme.setChoice(ThemeChoice::Light);
  }

  void smallWindowsHoldTheBalloon() {
    Touring test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    test->resize(test->minimumSizeHint());
    test.begin();
    for (int step = 0; step < 5; ++step) {
      QVERIFY(test.isSeen());
      test.click("tourNext");
    }
  }

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
  QString m_image;
};

QTEST_MAIN(TourTest)
#include "TourTest.moc"
