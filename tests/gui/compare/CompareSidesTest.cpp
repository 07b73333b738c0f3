// SPDX-License-Identifier: GPL-3.0-or-later

// Two of anything side by side: each side shows what it was told to, one cursor and one scale for
// both, and their difference.

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QMenu>
#include <QTest>

#include "core/models/Registry.h"
#include "core/workbench/session/InferenceSession.h"
#include "tests/gui/Grab.h"
#include "tests/gui/Mouse.h"
#include "tests/gui/SyntheticLook.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Actions.h"
#include "ui/bridge/CompareLoader.h"
#include "ui/bridge/GalleryModel.h"
#include "ui/compare/CompareView.h"
#include "ui/compare/ComparedExplanation.h"
#include "ui/compare/ComparedPicture.h"
#include "ui/compare/LinkedViews.h"
#include "ui/document/RecentPaths.h"
#include "ui/figures/ExplanationFigure.h"
#include "ui/plots/Plotting.h"
#include "ui/plots/RunCurvesPlot.h"
#include "ui/workspace/PictureTabs.h"

using namespace headlight;
using namespace headlight::synthetic;

class SideBySideTest : public QObject {
  Q_OBJECT

  static ComparedPicture* pictureOf(QWidget& sides, const char* side) {
    return sides.findChild<ComparedPicture*>(
        QStringLiteral("compare.%1.picture").arg(QLatin1String(side)));
  }
  static DifferencePicture* differenceOf(QWidget& sides) {
    return sides.findChild<DifferencePicture*>(QStringLiteral("compareDifference"));
  }
  static void editAndLook(Document& document) {
    const auto edit = makeMaskEdit(document.masks(), {{0, 0}}, HeadMask{MaskKind::Hard, 3}, "test");
    QVERIFY(edit.ok());
    document.pushEdit(*edit);
    document.setLook(makeLook(document.model(), 3), 5);
  }
  /// As a person opens the menu and takes the entry.
  static void choose(QWidget& window, const char* button, const QString& text) {
    auto* chooser = window.findChild<ChoiceButton*>(QLatin1String(button));
    QVERIFY(chooser);
    Q_EMIT chooser->menu()->aboutToShow();
    for (QAction* action : chooser->menu()->actions())
      if (action->text() == text) return action->trigger();
    QFAIL(qPrintable(text + QStringLiteral(" is not offered")));
  }

  struct Shown {
    Document document;
    CompareSides sides{&document, nullptr, {}, nullptr};
    Shown() {
      fill(document, makeModel());
      sides.resize(1000, 500);
      sides.show();
      QVERIFY(QTest::qWaitForWindowExposed(&sides));
    }
  };

  /// The window in its Compare workspace with a small model of random weights and a picture.
  struct Opened {
    QTemporaryDir folder;
    TestWindow test;
    QString picture;
    Opened() {
      const auto open = [this] { OPEN_SMALL_MODEL(test); };
      open();
      picture = writePicture(folder.filePath(QStringLiteral("a.png")));
      const auto show = [this] { OPEN_PICTURE(test, picture); };
      show();
      test->showWorkspace(QStringLiteral("compare"));
    }
    CompareSides& sides() { return *test.window.findChild<CompareSides*>(); }
  };
#define COMPARE_SETTLED(opened) \
  QTRY_VERIFY_WITH_TIMEOUT((opened).test->isIdle() && !(opened).sides().isBusy(), 20000)

 private Q_SLOTS:
  void init() {
    failOnQtWarnings();
  }

  void beforeAfterAndDifference() {
    Shown f;
    auto *left = pictureOf(f.sides, "left"), *right = pictureOf(f.sides, "right");
    auto* difference = differenceOf(f.sides);
    QVERIFY(!left->shownMap() && !difference->shownMap() && right->shownMap());
    editAndLook(f.document);
    QVERIFY(left->shownMap() && right->shownMap() && difference->shownMap());
    QCOMPARE(left->shownMap()->range.high, right->shownMap()->range.high);
    QCOMPARE(difference->shownMap()->colorMap, ColorMap::Diverging);
    for (std::size_t i = 0; i < difference->shownMap()->values.size(); ++i)
      QCOMPARE(difference->shownMap()->values[i],
               right->shownMap()->values[i] - left->shownMap()->values[i]);
    // Where the head looked before and no longer does: the lowest colour.
    QTRY_VERIFY(difference->width() > 100);
    COMPARE_COLOR(
        pixelAt(difference->grab().toImage(), difference->patchRect(hottest(0, 0, 0)).center()),
        mapColor(ColorMap::Diverging, 0), 4);
    QTest::mouseClick(right, Qt::LeftButton, {}, right->patchRect(6).center().toPoint());
    QCOMPARE(f.document.view().query, 7);
    QCOMPARE(f.sides.left().view().query, 7);
  }

  void onePointerForAll() {
    Shown f;
    editAndLook(f.document);
    f.document.unpin();
    QVERIFY(!f.sides.left().isPinned());
    auto *left = pictureOf(f.sides, "left"), *right = pictureOf(f.sides, "right");
    const int before = f.document.view().query;
    moveMouse(left, left->patchRect(8).center());
    QCOMPARE(f.document.view().query, 9);
    QCOMPARE(f.document.steadyView().query, before);  // only followed
    QCOMPARE(f.sides.right().view().query, 9);
    QCOMPARE(right->pointedPatch(), 8);
    QCOMPARE(differenceOf(f.sides)->pointedPatch(), 8);
    moveMouse(left, QPointF(left->width() / 2, left->height() - 2));  // the legend
    QCOMPARE(f.document.view().query, before);
    QCOMPARE(right->pointedPatch(), -1);
  }

  void unlinkedTheLeftSideGoesItsOwnWay() {
    Shown f;
    editAndLook(f.document);
    Comparison comparison = f.sides.comparison();
    comparison.linked = false;
    f.sides.setComparison(comparison);
    f.document.changeView([](ViewOptions& view) { view.layer = 1; });
    QCOMPARE(f.sides.right().view().layer, 1);
    QCOMPARE(f.sides.left().view().layer, 0);
    auto* left = pictureOf(f.sides, "left");
    left->setFocus();
    QTest::keyClick(left, Qt::Key_BracketRight);
    QTest::keyClick(left, Qt::Key_BracketRight);
    QCOMPARE(f.sides.left().view().layer, 2);
    QCOMPARE(f.document.view().layer, 1);
    QTest::keyClick(left, Qt::Key_H);  // how maps are drawn stays one
    QCOMPARE(f.document.view().style, f.sides.left().view().style);
    comparison.linked = true;
    f.sides.setComparison(comparison);
    QCOMPARE(f.sides.left().view().layer, 1);
  }

  void unlinkedTheLeftSidesPlaceIsKept() {
    Comparison kept;
    {
      Shown f;
      editAndLook(f.document);
      kept.linked = false;
      f.sides.setComparison(kept);
      auto* left = pictureOf(f.sides, "left");
      left->setFocus();
      QTest::keyClick(left, Qt::Key_BracketRight);
      kept = f.sides.comparison();
      QVERIFY(kept.place);
      QCOMPARE(kept.place->layer, 1);
    }
    Document document;
    CompareSides sides(&document, nullptr, {}, nullptr);
    sides.setComparison(kept);
    sides.show();
    fill(document, makeModel());
    editAndLook(document);
    QCOMPARE(sides.left().view().layer, 1);
    QCOMPARE(sides.right().view().layer, document.view().layer);
    QVERIFY(sides.comparison() == kept);
    kept.linked = true;
    sides.setComparison(kept);
    QVERIFY(!sides.comparison().place);
  }

  void aSmallerModelDoesNotPullTheOthers() {
    Document window, left, right;
    fill(window, makeModel(6, 4));
    LinkedViews links(&window, &left, &right, nullptr);
    fill(left, makeModel(2, 2));
    fill(right, makeModel(6, 4));
    window.changeView([](ViewOptions& view) {
      view.layer = 5;
      view.head = 3;
    });
    QCOMPARE(left.view().layer, 1);
    QCOMPARE(left.view().head, 1);
    left.changeView([](ViewOptions& view) { view.query = 4; });
    QCOMPARE(window.view().query, 4);
    QCOMPARE(window.view().layer, 5);
    QCOMPARE(right.view().head, 3);
    left.setModel(makeModel(3, 2));  // opened anew: it begins with the window's view
    QCOMPARE(window.view().layer, 5);
    QCOMPARE(left.view().layer, 2);
    QCOMPARE(left.view().query, 4);
  }

  void followingEndsWhereAnotherTokenIsChosen() {
    Document document;
    fill(document);
    const int before = document.view().query;
    document.follow(5);
    document.endFollowing();
    QCOMPARE(document.view().query, before);
    document.follow(5);
    document.changeView([](ViewOptions& view) { view.query = 9; });
    document.endFollowing();
    QCOMPARE(document.view().query, 9);
    QCOMPARE(document.steadyView().query, 9);
  }

  void anotherPictureOnOneSide() {
    Opened f;
    const QString other = writePicture(f.folder.filePath(QStringLiteral("b.png")), 64, 48, 90);
    f.test->openPaths({f.folder.path()});
    COMPARE_SETTLED(f);
    OPEN_PICTURE(f.test, f.picture);
    choose(f.test.window, "compare.left.picture", QStringLiteral("b.png"));
    choose(f.test.window, "compare.left.masks", QStringLiteral("As they are in the window"));
    QTRY_COMPARE_WITH_TIMEOUT(f.sides().left().imagePath(), other, 20000);
    COMPARE_SETTLED(f);
    QVERIFY(f.sides().left().look());
    QVERIFY(f.sides().left().look() != f.sides().right().look());
    QCOMPARE(f.sides().right().imagePath(), f.picture);
    QCOMPARE(f.sides().right().look(), f.test.document()->look());
    f.test->actions()->find(QStringLiteral("view.compare.swap"))->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(f.sides().right().imagePath(), other, 20000);
    COMPARE_SETTLED(f);
    QCOMPARE(f.sides().left().imagePath(), f.picture);
    QVERIFY(differenceOf(f.sides())->difference());
  }

  void aPictureIsDroppedOnASide() {
    Opened f;
    const QString other = writePicture(f.folder.filePath(QStringLiteral("b.png")), 64, 48, 90);
    auto* chooser = f.sides().findChild<SideChooser*>(QStringLiteral("compare.right"));
    QVERIFY(dropOn(chooser, {other}));
    QTRY_COMPARE_WITH_TIMEOUT(f.sides().right().imagePath(), other, 20000);
    COMPARE_SETTLED(f);
    QCOMPARE(f.test.document()->imagePath(), f.picture);
    QVERIFY(!f.test->gallery()->indexOf(other).isValid());
    QVERIFY(dropOn(chooser, {other, f.picture}));  // several are the window's
    QTRY_VERIFY_WITH_TIMEOUT(f.test->gallery()->indexOf(other).isValid(), 20000);
  }

  void theCheckpointsOfARunAreOffered() {
    QTemporaryDir folder;
    const QString run = folder.filePath(QStringLiteral("a"));
    QVERIFY(QDir().mkpath(run));
    for (const char* name : {"last.safetensors", "epoch-0005.safetensors", "metrics.csv"}) {
      QFile file(QDir(run).filePath(QLatin1String(name)));
      QVERIFY(file.open(QIODevice::WriteOnly));
    }
    RecentPaths recent{QString()};
    recent.add(RecentKind::Run, run);
    Document document;
    fill(document);
    CompareSides sides(&document, nullptr, {&recent, nullptr}, nullptr);
    choose(sides, "compare.left.model", QStringLiteral("run “a”: epoch-0005"));
    QCOMPARE(sides.comparison().sides[0].model, run + QStringLiteral("/epoch-0005.safetensors"));
    QCOMPARE(sides.comparison().sides[0].masks, SideMasks::Own);
    choose(sides, "compare.left.model", QStringLiteral("run “a”: last"));
    choose(sides, "compare.left.model", QStringLiteral("This model"));
    QCOMPARE(sides.comparison().sides[0].masks, SideMasks::Present);
  }

  void anotherModelAndASchemeOfItsOwn() {
    Opened f;
    Experiment experiment = smallExperiment();
    experiment.seed = 99;
    auto other = InferenceSession::create(experiment);
    QVERIFY(other.ok());
    const QString path = f.folder.filePath(QStringLiteral("other.safetensors"));
    const MaskShape shape = maskShapeOf((*other)->info().experiment.model);
    QVERIFY((*other)->save(path.toStdString(), MaskScheme(shape)).ok());
    Comparison comparison;
    comparison.sides[0] = {path, SideMasks::Named, QStringLiteral("sch1"), {}};
    f.sides().setComparison(comparison);
    QTRY_VERIFY_WITH_TIMEOUT(f.sides().left().look(), 20000);
    COMPARE_SETTLED(f);
    const auto expected =
        (*other)->look(f.test.document()->image(), *masksFromNameOrFile("sch1", shape));
    QVERIFY(expected.ok());
    const auto& logits = f.sides().left().look()->logits;
    QCOMPARE(logits.size(), expected->logits.size());
    for (std::size_t i = 0; i < logits.size(); ++i)
      QVERIFY(std::abs(logits[i] - expected->logits[i]) < 1e-5f);
    QVERIFY(f.sides().left().masks().maskedHeads() > 0);
    QCOMPARE(f.test.document()->masks().maskedHeads(), 0);  // the window's stay as they are
  }

  void whatCannotBeComparedIsSaid() {
    Opened f;
    Comparison comparison;
    comparison.sides[0].model = f.folder.filePath(QStringLiteral("missing.safetensors"));
    f.sides().setComparison(comparison);
    COMPARE_SETTLED(f);
    auto* bridge = f.sides().findChildren<CompareLoader*>().value(0);
    QTRY_VERIFY(!bridge->problem().isEmpty());
    QVERIFY2(bridge->problem().contains(QStringLiteral("missing.safetensors")),
             qPrintable(bridge->problem()));
    QVERIFY(!f.sides().left().look());
    comparison.sides[0] = {{}, SideMasks::Named, QStringLiteral("no such scheme"), {}};
    f.sides().setComparison(comparison);
    QTRY_VERIFY(bridge->problem().contains(QStringLiteral("no such scheme")));
    comparison.sides[0] = {{}, SideMasks::Present, {}, QStringLiteral("/nowhere/a.png")};
    f.sides().setComparison(comparison);
    QTRY_VERIFY(bridge->problem().contains(QStringLiteral("a.png")));
    comparison.sides[0] = {};
    f.sides().setComparison(comparison);
    QTRY_VERIFY(bridge->problem().isEmpty() && f.sides().left().look());
  }

  void anEditOnTheWayIsFollowed() {
    Opened f;
    COMPARE_SETTLED(f);
    const auto edit =
        makeMaskEdit(f.test.document()->masks(), {{1, 0}}, HeadMask{MaskKind::Hard, 3}, "hard");
    f.test.document()->pushEdit(*edit);
    QTRY_VERIFY_WITH_TIMEOUT(differenceOf(f.sides())->difference(), 20000);
    COMPARE_SETTLED(f);
    QCOMPARE(f.sides().left().masks().maskedHeads(), 0);
    QCOMPARE(f.sides().right().masks().maskedHeads(), 1);
    QCOMPARE(f.sides().right().look(), f.test.document()->look());
    f.test.document()->undoStack()->undo();
    COMPARE_SETTLED(f);
    QCOMPARE(f.sides().right().masks().maskedHeads(), 0);
  }

  void bothSidesInAnotherWay() {
    Opened f;
    choose(f.test.window, "compare.left.masks", QStringLiteral("None"));
    choose(f.test.window, "compare.right.masks", QStringLiteral("None"));
    const QString other = writePicture(f.folder.filePath(QStringLiteral("b.png")), 64, 48, 90);
    auto* chooser = f.sides().findChild<SideChooser*>(QStringLiteral("compare.right"));
    QVERIFY(dropOn(chooser, {other}));
    QTRY_COMPARE_WITH_TIMEOUT(f.sides().right().imagePath(), other, 20000);
    COMPARE_SETTLED(f);
    auto* shown = f.test.window.findChild<QComboBox*>(QStringLiteral("compare.shown"));
    shown->setCurrentIndex(shown->findText(QStringLiteral("Grad-CAM")));
    Q_EMIT shown->activated(shown->currentIndex());
    QVERIFY(f.sides().comparison().otherExplanation);
    const auto* left = f.sides().leftExplanation()->heat();
    const auto* right = f.sides().rightExplanation()->heat();
    QTRY_VERIFY_WITH_TIMEOUT(left->heat() && right->heat(), 20000);
    QVERIFY(left->isVisible() && !pictureOf(f.sides(), "left")->isVisible());
    QVERIFY(left->heat()->values != right->heat()->values);
    QCOMPARE(left->shownMap()->range.high, right->shownMap()->range.high);
    auto* difference = differenceOf(f.sides());
    QTRY_VERIFY(difference->difference());
    for (std::size_t i = 0; i < left->heat()->values.size(); ++i)
      QCOMPARE(difference->difference()->values[i],
               right->heat()->values[i] - left->heat()->values[i]);
    saveGrabs(f.test.window, QStringLiteral("compare-ways"));
    // The key goes back and forth; a way's own key chooses it for both.
    f.test->actions()->find(QStringLiteral("view.compare.way"))->trigger();
    QVERIFY(pictureOf(f.sides(), "left")->isVisible());
    f.test->showTab(QStringLiteral("canvas"));  // from elsewhere it leads there
    f.test->actions()->find(QStringLiteral("view.compare.way"))->trigger();
    QVERIFY(f.sides().isVisible() && left->isVisible());
    f.test->actions()->find(QStringLiteral("view.way.similarity"))->trigger();
    QVERIFY(f.sides().isVisible() && f.sides().comparison().otherExplanation);
    QTRY_VERIFY_WITH_TIMEOUT(left->heat() && left->heat()->way == ExplanationMethod::Similarity,
                             20000);
    QTRY_VERIFY_WITH_TIMEOUT(right->heat() && right->heat()->way == ExplanationMethod::Similarity,
                             20000);
    const auto figure = captureComparedExplanations(f.sides());
    QVERIFY2(figure.ok(), figure.ok() ? "" : figure.error().text().c_str());
    QCOMPARE(figure->sides.size(), std::size_t{3});
    QVERIFY(figure->caption.title.contains(QStringLiteral("similarity with")));
    // Curves and colours have no difference, which is said.
    f.test->actions()->find(QStringLiteral("view.way.depth"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!f.sides().isBusy(), 20000);
    QVERIFY(!difference->difference());
    QCOMPARE(captureComparedExplanations(f.sides())->sides.size(), std::size_t{2});
    // A class has one colour on both sides, and both have one axis.
    const auto* here = f.sides().leftExplanation()->findChild<RunCurvesPlot*>()->plot();
    const auto* there = f.sides().rightExplanation()->findChild<RunCurvesPlot*>()->plot();
    QVERIFY(here->graphCount() > 0);
    QTRY_COMPARE(here->graphCount(), there->graphCount());
    for (int i = 0; i < here->graphCount(); ++i) {
      QCOMPARE(here->graph(i)->name(), there->graph(i)->name());
      QCOMPARE(here->graph(i)->pen().color(), there->graph(i)->pen().color());
    }
    QCOMPARE(here->yAxis->range().upper, there->yAxis->range().upper);
  }

  void itIsKeptInTheSession() {
    Comparison comparison;
    comparison.otherExplanation = true;
    comparison.sides[0] = {QStringLiteral("a.safetensors"), SideMasks::Named,
                           QStringLiteral("my scheme"), QStringLiteral("/b.png")};
    comparison.linked = false;
    comparison.difference = false;
    comparison.place = CompareSidePlace{2, -1, 7};
    const auto read = comparisonFromJson(comparisonToJson(comparison));
    QVERIFY(read.ok());
    QVERIFY(*read == comparison);
    for (const char* wrong :
         {R"([])", R"({"left": 3})", R"({"left": {"masks": "some"}})", R"({"linked": 1})",
          R"({"right": {"model": {}}})", R"({"place": 1})", R"({"place": {"layer": 1, "head": 0}})",
          R"({"place": {"layer": -1, "head": 0, "query": 0}})"})
      QVERIFY2(!comparisonFromJson(Json::parse(wrong)).ok(), wrong);
    Session session;
    session.comparison = comparison;
    const auto restored = sessionFromText(sessionToText(session), QStringLiteral("test"));
    QVERIFY(restored.ok());
    QVERIFY(restored->comparison == comparison);
  }
};

QTEST_MAIN(SideBySideTest)
#include "CompareSidesTest.moc"
