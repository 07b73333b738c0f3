// SPDX-License-Identifier: GPL-3.0-or-later

// Two models, mask schemes or images side by side: the content of each side, one cursor and one
// scale for both, and their difference.

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
#include "tests/gui/SyntheticInference.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Actions.h"
#include "ui/bridge/CompareLoader.h"
#include "ui/bridge/GalleryModel.h"
#include "ui/compare/CompareView.h"
#include "ui/compare/ComparedExplanation.h"
#include "ui/compare/ComparedImage.h"
#include "ui/compare/LinkedViews.h"
#include "ui/document/RecentPaths.h"
#include "ui/figures/ExplanationFigure.h"
#include "ui/plots/Plotting.h"
#include "ui/plots/RunCurvesPlot.h"
#include "ui/workspace/ImageTabs.h"

using namespace headlight;
using namespace headlight::synthetic;

class SideBySideTest : public QObject {
  Q_OBJECT

  static ComparedImage* imageOf(QWidget& sides, const char* side) {
    return sides.findChild<ComparedImage*>(
        QStringLiteral("compare.%1.image").arg(QLatin1String(side)));
  }
  static DifferenceImage* differenceOf(QWidget& sides) {
    return sides.findChild<DifferenceImage*>(QStringLiteral("compareDifference"));
  }
  static void editAndLook(Document& document) {
    const auto edit =
        makeMaskEdit(document.inputs().masks(), {{0, 0}}, HeadMask{MaskKind::Hard, 3}, "test");
    QVERIFY(edit.ok());
    document.inputs().pushEdit(*edit);
    document.setInference(makeInference(document.inputs().model(), 3), 5);
  }
  /// Opens the menu and triggers the entry, as a user does.
  static void choose(QWidget& window, const char* button, const QString& text) {
    auto* chooser = window.findChild<ChoiceButton*>(QLatin1String(button));
    QVERIFY(chooser);
    Q_EMIT chooser->menu()->aboutToShow();
    for (QAction* action : chooser->menu()->actions())
      if (action->text() == text) return action->trigger();
    QFAIL(qPrintable(text + QStringLiteral(" is not offered")));
  }

  /// The entries of a side's menu of models, by their text.
  static QStringList offered(QWidget& window, const char* button) {
    auto* chooser = window.findChild<ChoiceButton*>(QLatin1String(button));
    Q_EMIT chooser->menu()->aboutToShow();
    QStringList texts;
    for (const QAction* action : chooser->menu()->actions())
      texts << action->text();
    return texts;
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

  /// The window in its Compare workspace with a small model of random weights and an image.
  struct Opened {
    QTemporaryDir folder;
    TestWindow test;
    QString image;
    Opened() {
      const auto open = [this] { OPEN_SMALL_MODEL(test); };
      open();
      image = writeImage(folder.filePath(QStringLiteral("a.png")));
      const auto show = [this] { OPEN_IMAGE(test, image); };
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
    auto *left = imageOf(f.sides, "left"), *right = imageOf(f.sides, "right");
    auto* difference = differenceOf(f.sides);
    QVERIFY(!left->shownMap() && !difference->shownMap() && right->shownMap());
    editAndLook(f.document);
    QVERIFY(left->shownMap() && right->shownMap() && difference->shownMap());
    QCOMPARE(left->shownMap()->range.high, right->shownMap()->range.high);
    QCOMPARE(difference->shownMap()->colorMap, ColorMap::Diverging);
    for (std::size_t i = 0; i < difference->shownMap()->values.size(); ++i)
      QCOMPARE(difference->shownMap()->values[i],
               right->shownMap()->values[i] - left->shownMap()->values[i]);
    // Where the head looked before and no longer does: the lowest color.
    QTRY_VERIFY(difference->width() > 100);
    COMPARE_COLOR(
        pixelAt(difference->grab().toImage(), difference->patchRect(hottest(0, 0, 0)).center()),
        mapColor(ColorMap::Diverging, 0), 4);
    QTest::mouseClick(right, Qt::LeftButton, {}, right->patchRect(6).center().toPoint());
    QCOMPARE(f.document.view().options().query, 7);
    QCOMPARE(f.sides.left().view().options().query, 7);
  }

  void pointerIsShared() {
    Shown f;
    editAndLook(f.document);
    f.document.view().unpin();
    QVERIFY(!f.sides.left().view().isPinned());
    auto *left = imageOf(f.sides, "left"), *right = imageOf(f.sides, "right");
    const int before = f.document.view().options().query;
    moveMouse(left, left->patchRect(8).center());
    QCOMPARE(f.document.view().options().query, 9);
    QCOMPARE(f.document.view().steady().query, before);  // only followed
    QCOMPARE(f.sides.right().view().options().query, 9);
    QCOMPARE(right->pointedPatch(), 8);
    QCOMPARE(differenceOf(f.sides)->pointedPatch(), 8);
    moveMouse(left, QPointF(left->width() / 2, left->height() - 2));  // the legend
    QCOMPARE(f.document.view().options().query, before);
    QCOMPARE(right->pointedPatch(), -1);
  }

  void unlinkedLeftSideIsIndependent() {
    Shown f;
    editAndLook(f.document);
    Comparison comparison = f.sides.comparison();
    comparison.linked = false;
    f.sides.setComparison(comparison);
    f.document.view().change([](ViewOptions& view) { view.layer = 1; });
    QCOMPARE(f.sides.right().view().options().layer, 1);
    QCOMPARE(f.sides.left().view().options().layer, 0);
    auto* left = imageOf(f.sides, "left");
    left->setFocus();
    QTest::keyClick(left, Qt::Key_BracketRight);
    QTest::keyClick(left, Qt::Key_BracketRight);
    QCOMPARE(f.sides.left().view().options().layer, 2);
    QCOMPARE(f.document.view().options().layer, 1);
    QTest::keyClick(left, Qt::Key_H);  // how maps are drawn stays one
    QCOMPARE(f.document.view().options().style, f.sides.left().view().options().style);
    comparison.linked = true;
    f.sides.setComparison(comparison);
    QCOMPARE(f.sides.left().view().options().layer, 1);
  }

  void unlinkedLeftSideKeepsItsPlace() {
    Comparison kept;
    {
      Shown f;
      editAndLook(f.document);
      kept.linked = false;
      f.sides.setComparison(kept);
      auto* left = imageOf(f.sides, "left");
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
    QCOMPARE(sides.left().view().options().layer, 1);
    QCOMPARE(sides.right().view().options().layer, document.view().options().layer);
    QVERIFY(sides.comparison() == kept);
    kept.linked = true;
    sides.setComparison(kept);
    QVERIFY(!sides.comparison().place);
  }

  void smallerModelDoesNotMoveOthers() {
    Document window, left, right;
    fill(window, makeModel(6, 4));
    LinkedViews links(&window, &left, &right, nullptr);
    fill(left, makeModel(2, 2));
    fill(right, makeModel(6, 4));
    window.view().change([](ViewOptions& view) {
      view.layer = 5;
      view.head = 3;
    });
    QCOMPARE(left.view().options().layer, 1);
    QCOMPARE(left.view().options().head, 1);
    left.view().change([](ViewOptions& view) { view.query = 4; });
    QCOMPARE(window.view().options().query, 4);
    QCOMPARE(window.view().options().layer, 5);
    QCOMPARE(right.view().options().head, 3);
    left.setModel(makeModel(3, 2));  // opened anew: it begins with the window's view
    QCOMPARE(window.view().options().layer, 5);
    QCOMPARE(left.view().options().layer, 2);
    QCOMPARE(left.view().options().query, 4);
  }

  void choosingAnotherTokenEndsFollowing() {
    Document document;
    fill(document);
    const int before = document.view().options().query;
    document.view().follow(5);
    document.view().endFollowing();
    QCOMPARE(document.view().options().query, before);
    document.view().follow(5);
    document.view().change([](ViewOptions& view) { view.query = 9; });
    document.view().endFollowing();
    QCOMPARE(document.view().options().query, 9);
    QCOMPARE(document.view().steady().query, 9);
  }

  void anotherImageOnOneSide() {
    Opened f;
    const QString other = writeImage(f.folder.filePath(QStringLiteral("b.png")), 64, 48, 90);
    f.test->openPaths({f.folder.path()});
    COMPARE_SETTLED(f);
    OPEN_IMAGE(f.test, f.image);
    choose(f.test.window, "compare.left.image", QStringLiteral("b.png"));
    choose(f.test.window, "compare.left.masks", QStringLiteral("Current masks of the window"));
    QTRY_COMPARE_WITH_TIMEOUT(f.sides().left().inputs().imagePath(), other, 20000);
    COMPARE_SETTLED(f);
    QVERIFY(f.sides().left().inference());
    QVERIFY(f.sides().left().inference() != f.sides().right().inference());
    QCOMPARE(f.sides().right().inputs().imagePath(), f.image);
    QCOMPARE(f.sides().right().inference(), f.test.document()->inference());
    f.test->actions()->find(QStringLiteral("view.compare.swap"))->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(f.sides().right().inputs().imagePath(), other, 20000);
    COMPARE_SETTLED(f);
    QCOMPARE(f.sides().left().inputs().imagePath(), f.image);
    QVERIFY(differenceOf(f.sides())->difference());
  }

  void anImageIsDroppedOnASide() {
    Opened f;
    const QString other = writeImage(f.folder.filePath(QStringLiteral("b.png")), 64, 48, 90);
    auto* chooser = f.sides().findChild<SideChooser*>(QStringLiteral("compare.right"));
    QVERIFY(dropOn(chooser, {other}));
    QTRY_COMPARE_WITH_TIMEOUT(f.sides().right().inputs().imagePath(), other, 20000);
    COMPARE_SETTLED(f);
    QCOMPARE(f.test.document()->inputs().imagePath(), f.image);
    QVERIFY(!f.test->gallery()->indexOf(other).isValid());
    QVERIFY(dropOn(chooser, {other, f.image}));  // several are the window's
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
    choose(sides, "compare.left.model", QStringLiteral("run a · epoch 5"));
    QCOMPARE(sides.comparison().sides[0].model, run + QStringLiteral("/epoch-0005.safetensors"));
    QCOMPARE(sides.comparison().sides[0].masks, SideMasks::Own);
    auto* chooser = sides.findChild<ChoiceButton*>(QStringLiteral("compare.left.model"));
    QVERIFY(chooser->accessibleName().contains(QStringLiteral("run a · epoch 5")));
    choose(sides, "compare.left.model", QStringLiteral("run a · last"));
    choose(sides, "compare.left.model", QStringLiteral("This model: synthetic"));
    QCOMPARE(sides.comparison().sides[0].masks, SideMasks::Present);
    QVERIFY(chooser->accessibleName().contains(QStringLiteral("synthetic")));
  }

  void theStepOfWeightsIsReadAfterwards() {
    QTemporaryDir folder;
    const QString run = folder.filePath(QStringLiteral("a"));
    QVERIFY(QDir().mkpath(run));
    const QByteArray header(R"({"__metadata__":{"experiment":"{}","step":"500"}})");
    QByteArray length(8, '\0');
    length[0] = static_cast<char>(header.size());
    writeText(run + QStringLiteral("/best.safetensors"), length + header);
    RecentPaths recent{QString()};
    recent.add(RecentKind::Run, run);
    Document document;
    fill(document);
    CompareSides sides(&document, nullptr, {&recent, nullptr}, nullptr);
    auto* chooser = sides.findChild<ChoiceButton*>(QStringLiteral("compare.left.model"));
    QVERIFY(offered(sides, "compare.left.model").contains(QStringLiteral("run a · best")));
    const auto texts = [&] {
      QStringList all;
      for (const QAction* action : chooser->menu()->actions())
        all << action->text();
      return all;
    };
    QTRY_VERIFY(texts().contains(QStringLiteral("run a · best · step 500")));
  }

  void theModelBeforeTrainingIsOffered() {
    QTemporaryDir folder;
    const QString run = folder.filePath(QStringLiteral("a"));
    QVERIFY(QDir().mkpath(run));
    Experiment began = smallExperiment();
    const auto writeConfig = [&] {
      writeText(run + QStringLiteral("/config.json"),
                QByteArray::fromStdString(experimentToText(began)));
    };
    began.training.weights = "/somewhere/mine.safetensors";
    writeConfig();
    Document document;
    ModelInfo model = makeModel();
    model.weights = run.toStdString() + "/best.safetensors";
    model.weightsName = "run a · best · step 500";
    model.experiment.seed = 99;  // of another model, which the weights were loaded into
    fill(document, model);
    CompareSides sides(&document, nullptr, {}, nullptr);
    QVERIFY(offered(sides, "compare.right.model")
                .contains(QStringLiteral("This model: synthetic · run a · best · step 500")));
    choose(sides, "compare.left.model", QStringLiteral("Before training: mine.safetensors"));
    QCOMPARE(sides.comparison().sides[0].model, QStringLiteral("/somewhere/mine.safetensors"));
    // Of a run from random weights: those of its seed.
    began.training.weights.clear();
    began.seed = 7;
    writeConfig();
    choose(sides, "compare.left.model", QStringLiteral("Before training: random weights, seed 7"));
    QCOMPARE(sides.comparison().sides[0].model, run + QStringLiteral("/config.json"));
    // Other weights were trained from nothing that is known.
    model.weights = run.toStdString() + "/mine.safetensors";
    document.setModel(model);
    for (const QString& text : offered(sides, "compare.right.model"))
      QVERIFY2(!text.startsWith(QStringLiteral("Before training")), qPrintable(text));
  }

  void anotherModelAndASchemeOfItsOwn() {
    Opened f;
    Experiment experiment = smallExperiment();
    experiment.seed = 99;
    auto other = InferenceSession::create(experiment);
    QVERIFY(other.ok());
    const QString path = f.folder.filePath(QStringLiteral("other.safetensors"));
    const MaskShape shape = makeMaskShape((*other)->info().experiment.model);
    QVERIFY((*other)->save(path.toStdString(), MaskScheme(shape)).ok());
    Comparison comparison;
    comparison.sides[0] = {path, SideMasks::Named, QStringLiteral("sch1"), {}};
    f.sides().setComparison(comparison);
    QTRY_VERIFY_WITH_TIMEOUT(f.sides().left().inference(), 20000);
    COMPARE_SETTLED(f);
    const auto expected =
        (*other)->infer(f.test.document()->inputs().image(), *masksFromNameOrFile("sch1", shape));
    QVERIFY(expected.ok());
    const auto& logits = f.sides().left().inference()->logits;
    QCOMPARE(logits.size(), expected->logits.size());
    for (std::size_t i = 0; i < logits.size(); ++i)
      QVERIFY(std::abs(logits[i] - expected->logits[i]) < 1e-5f);
    QVERIFY(f.sides().left().inputs().masks().maskedHeads() > 0);
    QCOMPARE(f.test.document()->inputs().masks().maskedHeads(),
             0);  // the window's stay as they are
  }

  void incomparableSidesAreReported() {
    Opened f;
    Comparison comparison;
    comparison.sides[0].model = f.folder.filePath(QStringLiteral("missing.safetensors"));
    f.sides().setComparison(comparison);
    COMPARE_SETTLED(f);
    auto* bridge = f.sides().findChildren<CompareLoader*>().value(0);
    QTRY_VERIFY(!bridge->problem().isEmpty());
    QVERIFY2(bridge->problem().contains(QStringLiteral("missing.safetensors")),
             qPrintable(bridge->problem()));
    QVERIFY(!f.sides().left().inference());
    comparison.sides[0] = {{}, SideMasks::Named, QStringLiteral("no such scheme"), {}};
    f.sides().setComparison(comparison);
    QTRY_VERIFY(bridge->problem().contains(QStringLiteral("no such scheme")));
    comparison.sides[0] = {{}, SideMasks::Present, {}, QStringLiteral("/nowhere/a.png")};
    f.sides().setComparison(comparison);
    QTRY_VERIFY(bridge->problem().contains(QStringLiteral("a.png")));
    comparison.sides[0] = {};
    f.sides().setComparison(comparison);
    QTRY_VERIFY(bridge->problem().isEmpty() && f.sides().left().inference());
  }

  void pendingEditIsFollowed() {
    Opened f;
    COMPARE_SETTLED(f);
    const auto edit = makeMaskEdit(f.test.document()->inputs().masks(), {{1, 0}},
                                   HeadMask{MaskKind::Hard, 3}, "hard");
    f.test.document()->inputs().pushEdit(*edit);
    QTRY_VERIFY_WITH_TIMEOUT(differenceOf(f.sides())->difference(), 20000);
    COMPARE_SETTLED(f);
    QCOMPARE(f.sides().left().inputs().masks().maskedHeads(), 0);
    QCOMPARE(f.sides().right().inputs().masks().maskedHeads(), 1);
    QCOMPARE(f.sides().right().inference(), f.test.document()->inference());
    f.test.document()->inputs().undoStack()->undo();
    COMPARE_SETTLED(f);
    QCOMPARE(f.sides().right().inputs().masks().maskedHeads(), 0);
  }

  void bothSidesShowExplanations() {
    Opened f;
    choose(f.test.window, "compare.left.masks", QStringLiteral("None"));
    choose(f.test.window, "compare.right.masks", QStringLiteral("None"));
    const QString other = writeImage(f.folder.filePath(QStringLiteral("b.png")), 64, 48, 90);
    auto* chooser = f.sides().findChild<SideChooser*>(QStringLiteral("compare.right"));
    QVERIFY(dropOn(chooser, {other}));
    QTRY_COMPARE_WITH_TIMEOUT(f.sides().right().inputs().imagePath(), other, 20000);
    COMPARE_SETTLED(f);
    auto* shown = f.test.window.findChild<QComboBox*>(QStringLiteral("compare.shown"));
    shown->setCurrentIndex(shown->findText(QStringLiteral("Grad-CAM")));
    Q_EMIT shown->activated(shown->currentIndex());
    QVERIFY(f.sides().comparison().otherExplanation);
    const auto* left = f.sides().leftExplanation()->heatmap();
    const auto* right = f.sides().rightExplanation()->heatmap();
    QTRY_VERIFY_WITH_TIMEOUT(left->heatmap() && right->heatmap(), 20000);
    QVERIFY(left->isVisible() && !imageOf(f.sides(), "left")->isVisible());
    QVERIFY(left->heatmap()->values != right->heatmap()->values);
    QCOMPARE(left->shownMap()->range.high, right->shownMap()->range.high);
    auto* difference = differenceOf(f.sides());
    QTRY_VERIFY(difference->difference());
    for (std::size_t i = 0; i < left->heatmap()->values.size(); ++i)
      QCOMPARE(difference->difference()->values[i],
               right->heatmap()->values[i] - left->heatmap()->values[i]);
    saveGrabs(f.test.window, QStringLiteral("compare-explanations"));
    // The key goes back and forth; an explanation's own key chooses it for both.
    f.test->actions()->find(QStringLiteral("view.compare.way"))->trigger();
    QVERIFY(imageOf(f.sides(), "left")->isVisible());
    f.test->showTab(QStringLiteral("canvas"));  // from elsewhere it leads there
    f.test->actions()->find(QStringLiteral("view.compare.way"))->trigger();
    QVERIFY(f.sides().isVisible() && left->isVisible());
    f.test->actions()->find(QStringLiteral("view.way.similarity"))->trigger();
    QVERIFY(f.sides().isVisible() && f.sides().comparison().otherExplanation);
    QTRY_VERIFY_WITH_TIMEOUT(left->heatmap() && left->heatmap()->method == "similarity", 20000);
    QTRY_VERIFY_WITH_TIMEOUT(right->heatmap() && right->heatmap()->method == "similarity", 20000);
    const auto figure = captureComparedExplanations(f.sides());
    QVERIFY2(figure.ok(), figure.ok() ? "" : figure.error().text().c_str());
    QCOMPARE(figure->sides.size(), std::size_t{3});
    QVERIFY(figure->caption.title.contains(QStringLiteral("similarity with")));
    // A marked object keeps its box, on each side its own.
    f.test->actions()->find(QStringLiteral("view.way.dino-mask"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(left->heatmap() && left->heatmap()->box, 20000);
    QTRY_VERIFY_WITH_TIMEOUT(right->heatmap() && right->heatmap()->box, 20000);
    QVERIFY(left->legend().detail.contains(left->objectText()));
    const auto marked = captureComparedExplanations(f.sides());
    QVERIFY2(marked.ok(), marked.ok() ? "" : marked.error().text().c_str());
    QVERIFY(marked->sides[0].found == left->heatmap()->box);
    QVERIFY(marked->sides[1].found == right->heatmap()->box);
    QVERIFY(marked->caption.title.contains(left->objectText()));
    QVERIFY(marked->caption.note.contains(right->objectText()));
    QVERIFY(!marked->caption.detail.contains(right->objectText()));
    // Curves and colors have no difference, which is said.
    f.test->actions()->find(QStringLiteral("view.way.logit-lens"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!f.sides().isBusy(), 20000);
    QVERIFY(!difference->difference());
    QCOMPARE(captureComparedExplanations(f.sides())->sides.size(), std::size_t{2});
    // A class has one color on both sides, and both have one axis.
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

  void comparisonIsKeptInSession() {
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
