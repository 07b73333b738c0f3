// SPDX-License-Identifier: GPL-3.0-or-later

// The canvas: colors, the token cursor by mouse and keys, zoom, and what is said on the image.

#include "ui/canvas/Canvas.h"

#include <QComboBox>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

#include <cmath>

#include "tests/gui/Grab.h"
#include "tests/gui/Mouse.h"
#include "tests/gui/SyntheticInference.h"
#include "ui/base/MaskColors.h"
#include "ui/canvas/ViewControls.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/canvas/ViewedTiles.h"

using namespace headlight;
using namespace headlight::synthetic;

namespace {

/// Of places of a window of 2 × 5 patches.
float learnedValue(int head, int from, int to) {
  return 0.25f * static_cast<float>(head) - 0.1f * static_cast<float>(from) +
         0.05f * static_cast<float>(to);
}

/// Attention, and a learned map within two windows, the upper and the lower half.
std::shared_ptr<InferenceResult> withOuterBias(const ModelInfo& model) {
  constexpr int kInside = 2 * kCols;
  auto windows = std::make_shared<WindowPlaces>();
  windows->window = {2, kCols, 0};
  const Grid& grid = model.grid;
  for (int token = 0; token < grid.tokens(); ++token) {
    const int patch = std::max(token - grid.prefix, 0), first = patch / kInside * kInside;
    windows->place.push_back(patch % kInside);
    for (int i = 0; i < kInside; ++i)
      windows->seen.push_back(token < grid.prefix ? -1 : grid.prefix + first + i);
  }
  LearnedMap learned{"outer_bias", "outer bias B_o", {}};
  learned.maps.meaning = "added after the softmax";
  learned.maps.isSigned = true;
  for (const int heads : model.heads) {
    auto values = std::make_shared<std::vector<float>>();
    for (int head = 0; head < heads; ++head)
      for (int pair = 0; pair < kInside * kInside; ++pair)
        values->push_back(learnedValue(head, pair / kInside, pair % kInside));
    learned.maps.layers.push_back({heads, grid, values, windows});
  }
  auto inference = makeInference(model);
  inference->learned.push_back(learned);
  return inference;
}

}  // namespace

class CanvasTest : public QObject {
  Q_OBJECT

  struct Fixture {
    Document document;
    Canvas canvas{&document};
    explicit Fixture(const ModelInfo& model = makeModel(), const Image& image = makeImage()) {
      fill(document, model, image);
      canvas.resize(500, 420);
      canvas.show();
      QVERIFY(QTest::qWaitForWindowExposed(&canvas));
      canvas.setFocus();
    }
    QImage grab() { return canvas.grab().toImage(); }
    QPointF center(int patch) const { return canvas.patchRect(patch).center(); }
    void set(const std::function<void(ViewOptions&)>& edit) {
      ViewOptions view = document.view().options();
      edit(view);
      document.view().set(view);
    }
    void wheel(const QPointF& at, int delta) {
      QWheelEvent event(at, canvas.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, Qt::NoModifier,
                        Qt::NoScrollPhase, false);
      QCoreApplication::sendEvent(&canvas, &event);
    }
  };

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void hottestPatchHasTheTopColor_data() {
    QTest::addColumn<int>("layer");
    QTest::addColumn<int>("head");
    QTest::addColumn<int>("query");
    QTest::newRow("class token") << 0 << 0 << 0;
    QTest::newRow("a patch") << 1 << 1 << 7;
    QTest::newRow("last layer") << 2 << 0 << 20;
  }
  void hottestPatchHasTheTopColor() {
    QFETCH(int, layer);
    QFETCH(int, head);
    QFETCH(int, query);
    Fixture f;
    f.set([&](ViewOptions& view) {
      view.layer = layer;
      view.head = head;
      view.query = query;
    });
    const QImage grabbed = f.grab();
    COMPARE_COLOR(pixelAt(grabbed, f.center(hottest(layer, head, query))),
                  mapColor(ColorMap::Viridis, 1), 1);
    COMPARE_COLOR(pixelAt(grabbed, f.center(coldest(layer, head, query))),
                  mapColor(ColorMap::Viridis, 0), 1);
  }

  /// A number once, and whose attention it is.
  void thePointedPatchSaysWhoseAttention() {
    Fixture f;
    f.set([](ViewOptions& view) {
      view.layer = 0;
      view.head = 0;
      view.query = 0;
    });
    f.canvas.resize(900, 500);
    const int hot = hottest(0, 0, 0);
    f.canvas.showPointed(hot);
    QCOMPARE(f.canvas.pointedText(),
             QStringLiteral("patch (%1, %2): 30.0 % of the attention of the class token   "
                            "rank 1 of 20 · 6.3 × uniform")
                 .arg(hot / kCols)
                 .arg(hot % kCols));
    f.set([](ViewOptions& view) { view.query = 8; });
    f.canvas.showPointed(3);
    QVERIFY2(f.canvas.pointedText().contains(QStringLiteral("% of the attention of patch (1, 2)")),
             qPrintable(f.canvas.pointedText()));
    f.canvas.showPointed(7);
    QVERIFY2(f.canvas.pointedText().contains(QStringLiteral("% of its own attention")),
             qPrintable(f.canvas.pointedText()));
  }

  void opacityMixesMapAndImage() {
    Fixture f;
    f.set([](ViewOptions& view) { view.opacity = 0.5; });
    const QColor top = mapColor(ColorMap::Viridis, 1), image(60, 120, 180);
    const QColor half((top.red() + image.red()) / 2, (top.green() + image.green()) / 2,
                      (top.blue() + image.blue()) / 2);
    COMPARE_COLOR(pixelAt(f.grab(), f.center(hottest(0, 0, 0))), half, 3);
    f.set([](ViewOptions& view) { view.showOverlay = false; });
    COMPARE_COLOR(pixelAt(f.grab(), f.center(hottest(0, 0, 0))), image, 1);
  }

  void sharedScaleComparesHeads() {
    Fixture f;
    f.set([](ViewOptions& view) { view.sharedRange = true; });
    // The highest peak of all is layer 2's head 1; here the hottest patch is below the top.
    const double high = peak(2, 1), low = kColdest;
    COMPARE_COLOR(pixelAt(f.grab(), f.center(hottest(0, 0, 0))),
                  mapColor(ColorMap::Viridis, (peak(0, 0) - low) / (high - low)), 2);
    QVERIFY(f.canvas.accessibleDescription().contains("one scale for all heads"));
  }

  void smoothKeepsThePeak() {
    Fixture f;
    f.set([](ViewOptions& view) { view.smooth = true; });
    COMPARE_COLOR(pixelAt(f.grab(), f.center(hottest(0, 0, 0))), mapColor(ColorMap::Viridis, 1),
                  12);
  }

  void signedMapsDiverge() {
    ModelInfo model = makeModel();
    model.mapIsSigned = true;
    model.experiment.model.mechanism = "linear_angular";
    model.mapMeaning = "signed weights";
    Fixture f(model);
    auto inference = makeInference(model);
    inference->maps.isSigned = true;
    f.document.setInference(inference, -1);
    QCOMPARE(f.canvas.shownMap()->colorMap, ColorMap::Viridis);  // nothing in it is negative
    auto values = std::make_shared<std::vector<float>>(*inference->maps.layers[0].values);
    for (std::size_t i = 0; i < values->size(); i += 3)
      (*values)[i] *= -1;
    auto signedInference = std::make_shared<InferenceResult>(*inference);
    signedInference->maps.layers[0].values = values;
    f.document.setInference(signedInference, -1);
    QCOMPARE(f.canvas.shownMap()->colorMap, ColorMap::Diverging);
    QVERIFY(f.canvas.accessibleDescription().contains("% negative"));
    QCOMPARE(f.canvas.shownMap()->range.low, -f.canvas.shownMap()->range.high);
    QVERIFY(f.canvas.accessibleDescription().contains("signed weights"));
  }

  void clickSetsTheTokenAndDragFollows() {
    Fixture f;
    QTest::mouseClick(&f.canvas, Qt::LeftButton, {}, f.center(7).toPoint());
    QCOMPARE(f.document.view().options().query, 8);
    QTest::mousePress(&f.canvas, Qt::LeftButton, {}, f.center(0).toPoint());
    QCOMPARE(f.document.view().options().query, 1);
    moveMouse(&f.canvas, f.center(13), Qt::LeftButton);
    QCOMPARE(f.document.view().options().query, 14);
    // Beyond the region's corner: its last patch.
    moveMouse(&f.canvas, f.canvas.regionRect().bottomRight() + QPointF(5, 5), Qt::LeftButton);
    QCOMPARE(f.document.view().options().query, 20);
    QTest::mouseRelease(&f.canvas, Qt::LeftButton, {}, f.center(13).toPoint());
    moveMouse(&f.canvas, f.center(2));
    QCOMPARE(f.document.view().options().query, 20);
  }

  void cursorIsOutlined() {
    Fixture f;
    f.set([](ViewOptions& view) { view.query = 8; });
    const QRectF patch = f.canvas.patchRect(7);
    COMPARE_COLOR(pixelAt(f.grab(), {patch.left(), patch.center().y()}),
                  f.canvas.palette().color(QPalette::Highlight), 2);
    f.set([](ViewOptions& view) { view.query = 1; });
    QVERIFY(distance(pixelAt(f.grab(), {patch.left(), patch.center().y()}),
                     f.canvas.palette().color(QPalette::Highlight)) > 40);
  }

  void keysMoveTheToken() {
    Fixture f;
    f.set([](ViewOptions& view) { view.query = 8; });
    QTest::keyClick(&f.canvas, Qt::Key_Right);
    QCOMPARE(f.document.view().options().query, 9);
    QTest::keyClick(&f.canvas, Qt::Key_Down);
    QCOMPARE(f.document.view().options().query, 14);
    for (int i = 0; i < 9; ++i)
      QTest::keyClick(&f.canvas, Qt::Key_Left);
    QCOMPARE(f.document.view().options().query, 11);
    for (int i = 0; i < 9; ++i)
      QTest::keyClick(&f.canvas, Qt::Key_Up);
    QCOMPARE(f.document.view().options().query, 1);
    QTest::keyClick(&f.canvas, Qt::Key_C);
    QCOMPARE(f.document.view().options().query, 0);
    QTest::keyClick(&f.canvas, Qt::Key_D);  // no distillation token here
    QCOMPARE(f.document.view().options().query, 0);
    QTest::keyClick(&f.canvas, Qt::Key_Right);  // from the class token to the middle
    QCOMPARE(f.document.view().options().query, 1 + 2 * kCols + 2);
  }

  void distillationTokenByKeyAndChip() {
    Fixture f(makeModel(3, 2, true));
    QTest::keyClick(&f.canvas, Qt::Key_D);
    QCOMPARE(f.document.view().options().query, 1);
    QTest::mouseClick(&f.canvas, Qt::LeftButton, {}, {20, 18});
    QCOMPARE(f.document.view().options().query, 0);
    QVERIFY(f.canvas.accessibleDescription().contains("class and distillation tokens get 10 %"));
  }

  void keysChangeLayerHeadAndLook() {
    Fixture f;
    QTest::keyClick(&f.canvas, Qt::Key_BracketRight);
    QCOMPARE(f.document.view().options().layer, 1);
    QTest::keyClick(&f.canvas, Qt::Key_BracketLeft);
    QTest::keyClick(&f.canvas, Qt::Key_BracketLeft);
    QCOMPARE(f.document.view().options().layer, 0);
    QTest::keyClick(&f.canvas, Qt::Key_Period);
    QCOMPARE(f.document.view().options().head, 1);
    for (int i = 0; i < 4; ++i)
      QTest::keyClick(&f.canvas, Qt::Key_Comma);
    QCOMPARE(f.document.view().options().head, -1);
    QTest::keyClick(&f.canvas, Qt::Key_O);
    QVERIFY(!f.document.view().options().showOverlay);
    QTest::keyClick(&f.canvas, Qt::Key_S);
    QVERIFY(f.document.view().options().smooth);
  }

  void zoomKeepsThePointUnderTheCursor() {
    Fixture f;
    QVERIFY(f.canvas.isFitted());
    const double fitted = f.canvas.zoom();
    const QPointF at = f.center(6);
    const QPointF before = f.canvas.toImage(at);
    f.wheel(at, 360);
    QVERIFY(f.canvas.zoom() > fitted * 1.9);
    const QPointF after = f.canvas.toImage(at);
    QVERIFY2(QLineF(before, after).length() < 1e-6, "the image moved under the pointer");
    QTest::keyClick(&f.canvas, Qt::Key_0);
    QVERIFY(f.canvas.isFitted());
    QCOMPARE(f.canvas.zoom(), fitted);
    QTest::keyClick(&f.canvas, Qt::Key_1);
    QCOMPARE(f.canvas.zoom(), 1.0);
    QTest::keyClick(&f.canvas, Qt::Key_Plus);
    QCOMPARE(f.canvas.zoom(), 1.25);
    QTest::keyClick(&f.canvas, Qt::Key_Minus);
    QCOMPARE(f.canvas.zoom(), 1.0);
  }

  void middleButtonAndSpaceDragTheImage() {
    Fixture f;
    f.wheel(f.center(6), 480);
    const int query = f.document.view().options().query;
    const auto drag = [&](Qt::MouseButton button) {
      const QPointF before = f.canvas.toWidget({40, 32});
      QTest::mousePress(&f.canvas, button, {}, {200, 200});
      QMouseEvent move(QEvent::MouseMove, QPointF(230, 215),
                       f.canvas.mapToGlobal(QPointF(230, 215)), Qt::NoButton, button,
                       Qt::NoModifier);
      QCoreApplication::sendEvent(&f.canvas, &move);
      QTest::mouseRelease(&f.canvas, button, {}, {230, 215});
      return f.canvas.toWidget({40, 32}) - before;
    };
    QCOMPARE(drag(Qt::MiddleButton), QPointF(30, 15));
    QTest::keyPress(&f.canvas, Qt::Key_Space);
    QCOMPARE(drag(Qt::LeftButton), QPointF(30, 15));
    QTest::keyRelease(&f.canvas, Qt::Key_Space);
    QCOMPARE(f.document.view().options().query, query);
  }

  void onlyTheRegionThatTheModelSeesIsClear() {
    // Twice as wide as the model's view: a quarter to each side is not seen.
    Fixture f(makeModel(), makeImage(160, 64));
    const QRectF region = f.canvas.regionRect();
    const QPointF left(region.left() - 12, region.center().y());
    QVERIFY(left.x() > f.canvas.toWidget({0, 32}).x());
    f.set([](ViewOptions& view) { view.showOverlay = false; });
    const QColor image(60, 120, 180);
    COMPARE_COLOR(pixelAt(f.grab(), region.center() + QPointF(3, 3)), image, 1);
    QVERIFY2(pixelAt(f.grab(), left).lightness() < image.lightness() / 3, "not dimmed");
    QCOMPARE(f.canvas.patchAt(left), -1);
    QTest::mouseClick(&f.canvas, Qt::LeftButton, {}, left.toPoint());
    QCOMPARE(f.document.view().options().query, 0);
    // Darker than the headlight's dark, in any theme.
    f.set([](ViewOptions& view) {
      view.showOverlay = true;
      view.style = MapStyle::Headlight;
    });
    for (const QColor& window : {QColor(Qt::white), QColor(30, 30, 30)}) {
      QPalette theme = f.canvas.palette();
      theme.setColor(QPalette::Window, window);
      f.canvas.setPalette(theme);
      const QImage grabbed = f.grab();
      QVERIFY(pixelAt(grabbed, left).lightness() <
              pixelAt(grabbed, f.center(coldest(0, 0, 0))).lightness());
    }
  }

  void mapsAreBuiltOnlyWhenTheyChange() {
    Fixture f;
    f.grab();
    const int builds = f.canvas.mapBuilds();
    moveMouse(&f.canvas, f.center(3));
    moveMouse(&f.canvas, f.center(9));
    f.wheel(f.center(9), 120);
    f.set([](ViewOptions& view) { view.opacity = 0.3; });
    f.grab();
    QCOMPARE(f.canvas.mapBuilds(), builds);
    f.set([](ViewOptions& view) { view.query = 5; });
    QCOMPARE(f.canvas.mapBuilds(), builds + 1);
  }

  void hoverShowsGridAndValue() {
    Fixture f;
    QEvent leave(QEvent::Leave);  // the screen's pointer may have been left over the canvas
    QCoreApplication::sendEvent(&f.canvas, &leave);
    const QImage before = f.grab();
    moveMouse(&f.canvas, f.center(7));
    const QImage after = f.grab();
    const QRectF patch = f.canvas.patchRect(7);
    QVERIFY(pixelAt(before, {patch.left(), patch.center().y()}) !=
            pixelAt(after, {patch.left(), patch.center().y()}));
    // The note with the value, beside the patch.
    const QRect note = QRectF(patch.right() + 10, patch.top() - 24, 40, 12).toRect();
    QVERIFY(before.copy(note) != after.copy(note));
  }

  void thePatchUnderThePointerLooksUntilOneIsPinned() {
    Fixture f;
    f.document.view().unpin();
    moveMouse(&f.canvas, f.center(9));
    QCOMPARE(f.document.view().options().query, f.document.inputs().model().grid.prefix + 9);
    moveMouse(&f.canvas, f.center(4));
    QCOMPARE(f.document.view().options().query, f.document.inputs().model().grid.prefix + 4);
    QCOMPARE(f.document.view().steady().query, 0);  // what a session keeps
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(&f.canvas, &leave);
    QCOMPARE(f.document.view().options().query, 0);

    QTest::mouseClick(&f.canvas, Qt::LeftButton, {}, f.center(7).toPoint());
    QVERIFY(f.document.view().isPinned());
    moveMouse(&f.canvas, f.center(2));
    QCOMPARE(f.document.view().options().query, f.document.inputs().model().grid.prefix + 7);
    QTest::keyClick(&f.canvas, Qt::Key_Escape);
    QVERIFY(!f.document.view().isPinned());
    QCOMPARE(f.document.view().options().query,
             f.document.inputs().model().grid.prefix + 2);  // the pointer is still there
    QCoreApplication::sendEvent(&f.canvas, &leave);
    QCOMPARE(f.document.view().options().query, f.document.inputs().model().grid.prefix + 7);
  }

  void inTheHeadlightAttentionIsLight() {
    Fixture f;
    f.set([](ViewOptions& view) { view.style = MapStyle::Headlight; });
    const QColor image(60, 120, 180);
    const QImage lit = f.grab();
    COMPARE_COLOR(pixelAt(lit, f.center(hottest(0, 0, 0))), image, 2);
    const QColor dark = pixelAt(lit, f.center(coldest(0, 0, 0)));
    QVERIFY(dark.lightness() < image.lightness() / 2);
    QVERIFY(dark.saturationF() < image.saturationF());
    f.set([](ViewOptions& view) { view.dim = 0; });
    COMPARE_COLOR(pixelAt(f.grab(), f.center(coldest(0, 0, 0))), image, 2);
    for (const MapStyle next : {MapStyle::Warm, MapStyle::Overlay, MapStyle::Headlight}) {
      QTest::keyClick(&f.canvas, Qt::Key_H);
      QCOMPARE(f.document.view().options().style, next);
    }
  }

  void saysWhatItShows() {
    Fixture f;
    const QString said = f.canvas.accessibleDescription();
    for (const char* part : {"layer 0", "head 0", "class token", "scaled to this map", "0.002",
                             "0.3", "class token gets 10 %"})
      QVERIFY2(said.contains(part), qPrintable(said + " lacks " + part));
    const auto edit =
        makeMaskEdit(f.document.inputs().masks(), {{0, 0}}, HeadMask{MaskKind::Hard, 3}, "test");
    QVERIFY(edit.ok());
    f.document.inputs().pushEdit(*edit);
    f.document.setInference(makeInference(f.document.inputs().model(), 1), 5);
    QVERIFY(f.canvas.accessibleDescription().contains("hard 3×3"));
  }

  void whereItsPatchesWereMergedItSaysSoAndOutlinesTheMergedOne() {
    Fixture f;
    auto inference = std::make_shared<InferenceResult>(*f.document.inference());
    inference->maps.layers[2] = makeLayer({2, 5, 1}, 2, 2);
    f.document.setInference(inference, -1);
    f.set([](ViewOptions& view) { view.layer = 2, view.query = 1 + 3 * kCols + 1; });
    const QString title = canvasLegend(f.document, canvasMap(f.document)).title;
    QVERIFY2(title.contains(QStringLiteral("patch (3, 1) · merged to 2 × 5")), qPrintable(title));
    // Row 3 of 4 lies in row 1 of 2; its outline spans rows 2 and 3.
    const QRectF merged = f.canvas.patchRect(1 * 5 + 1);
    QVERIFY(merged.height() > 1.9 * f.canvas.regionRect().height() / kRows);
    for (const double y : {merged.top(), merged.bottom()})
      COMPARE_COLOR(pixelAt(f.grab(), {merged.center().x(), y}),
                    f.canvas.palette().color(QPalette::Highlight), 40);
  }

  void hoveringSurvivesACoarserLayer() {
    Fixture f;
    auto inference = std::make_shared<InferenceResult>(*f.document.inference());
    inference->maps.layers[1] = makeLayer({2, 2, 1}, 1, 2);
    f.document.setInference(inference, -1);
    const int last = kRows * kCols - 1;
    const auto leave = [&] {
      QEvent event(QEvent::Leave);
      QCoreApplication::sendEvent(&f.canvas, &event);
    };
    const QImage alone = f.grab();
    moveMouse(&f.canvas, f.center(last));
    QVERIFY(f.grab() != alone);
    // The map below the pointer has four patches now: nothing is read where it has none.
    QTest::keyClick(&f.canvas, Qt::Key_BracketRight);
    QCOMPARE(f.canvas.shownMap()->values.size(), std::size_t(4));
    const QImage coarser = f.grab();
    leave();
    QCOMPARE(f.grab(), coarser);
    QTest::keyClick(&f.canvas, Qt::Key_BracketLeft);
    // And with another model while the pointer rests.
    moveMouse(&f.canvas, f.center(last));
    ModelInfo smaller = makeModel();
    smaller.experiment.model.imageSize = smaller.experiment.model.imageWidth = 32;
    smaller.grid = smaller.experiment.model.grid();
    f.document.setModel(smaller);
    const QImage other = f.grab();
    leave();
    QCOMPARE(f.grab(), other);
  }

  void prefixShareBelongsToTheMergedQuery() {
    Fixture f;
    // Patch (3, 1) lies in the merged one (1, 1), the seventh token of a class token and 2 × 5.
    const Grid merged{2, 5, 1};
    auto values = std::make_shared<std::vector<float>>();
    for (int row = 0; row < 2 * merged.tokens(); ++row)
      for (int key = 0; key < merged.tokens(); ++key)
        values->push_back(key == 0 && row % merged.tokens() == 7 ? 0.5f : 0.05f);
    auto inference = std::make_shared<InferenceResult>(*f.document.inference());
    inference->maps.layers[2] = {2, merged, values};
    f.document.setInference(inference, -1);
    f.set([](ViewOptions& view) { view.layer = 2, view.query = 1 + 3 * kCols + 1; });
    const QString detail = canvasLegend(f.document, canvasMap(f.document)).detail;
    QVERIFY2(detail.contains(QStringLiteral("class token gets 50 %")), qPrintable(detail));
  }

  void aTokenThatJoinsLaterIsSaid() {
    Fixture f;
    auto inference = std::make_shared<InferenceResult>(*f.document.inference());
    for (const int layer : {0, 1})
      inference->maps.layers[static_cast<std::size_t>(layer)] =
          makeLayer({kRows, kCols, 0}, layer, 2);
    f.document.setInference(inference, -1);
    QVERIFY(!f.canvas.shownMap());  // of the class token in layer 0
    QCOMPARE(canvasLegend(f.document, canvasMap(f.document)).detail,
             QStringLiteral("the class token joins in layer 2"));
    QVERIFY(headsLegend(f.document)
                .detail.startsWith(QStringLiteral("the class token joins in layer 2")));
    // A patch of layer 0 gives nothing to a class token that is not there.
    f.set([](ViewOptions& view) { view.query = 5; });
    QVERIFY(!canvasLegend(f.document, canvasMap(f.document)).detail.contains("class token"));
    f.set([](ViewOptions& view) { view.layer = 2; });
    QVERIFY(canvasLegend(f.document, canvasMap(f.document)).detail.contains("class token gets"));
  }

  void mapMeaningIsShownBelow() {
    ModelInfo model = makeUnmaskableModel();
    model.mapMeaning = std::string(8, 'x').append(" ").append(120, 'y');
    for (int i = 0; i < 12; ++i)
      model.mapMeaning += " and more";
    Fixture plain;
    Fixture f(model);
    const Legend legend = canvasLegend(f.document, canvasMap(f.document));
    QCOMPARE(legend.note, QString::fromStdString(model.mapMeaning));
    QVERIFY(!headsLegend(f.document).note.isEmpty());
    QVERIFY(!headsLegend(f.document).title.contains(QStringLiteral("mask")));
    // Its lines take from the image, not from each other.
    QVERIFY(f.canvas.regionRect().bottom() < plain.canvas.regionRect().bottom());
    saveGrabs(f.canvas, QStringLiteral("canvas-note"));
  }

  void withoutAClassTokenTheMiddleLooks() {
    ModelInfo model = makeModel();
    model.grid.prefix = 0;
    Document document;
    document.setModel(model);
    QCOMPARE(document.view().describeToken(document.view().options().query),
             QStringLiteral("patch (2, 2)"));
  }

  void isCrispOnDenseScreens() {
    // At twice the resolution blocks end on the device's pixel, not on every second one.
    Fixture f;
    QImage dense(f.canvas.size() * 2, QImage::Format_RGB32);
    dense.setDevicePixelRatio(2);
    f.canvas.render(&dense);
    COMPARE_COLOR(pixelAt(dense, f.center(hottest(0, 0, 0))), mapColor(ColorMap::Viridis, 1), 1);
  }

  void emptyAndImageOnlyArePainted() {
    Document document;
    Canvas canvas(&document);
    canvas.resize(400, 300);
    const QImage nothing = canvas.grab().toImage();
    document.setImage(makeImage(), "synthetic", {});
    const QImage image = canvas.grab().toImage();
    QVERIFY(nothing != image);
    COMPARE_COLOR(image.pixelColor(200, 100), QColor(60, 120, 180), 1);
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, {200, 100});
    QTest::keyClick(&canvas, Qt::Key_Right);
    QVERIFY(canvas.regionRect().isEmpty());
  }

  void aLargeImageArrivesInFullLater() {
    // 2000 × 1600 is scaled beside the window's thread; a coarse one stands in at once.
    Fixture f(makeModel(), makeImage(2000, 1600, QColor(200, 40, 40)));
    f.set([](ViewOptions& view) { view.showOverlay = false; });
    COMPARE_COLOR(pixelAt(f.grab(), f.canvas.regionRect().center() + QPointF(3, 3)),
                  QColor(200, 40, 40), 2);
  }

  void learnedMapsAreChosenWhereThereAreSome() {
    Fixture f;
    ViewControls controls(&f.document);
    controls.show();
    auto* shown = controls.findChild<QComboBox*>("viewShown");
    QVERIFY(shown);
    QVERIFY(!shown->isVisible());  // attention is all that there is
    f.document.setInference(withOuterBias(f.document.inputs().model()), -1);
    QTRY_VERIFY(shown->isVisible());
    QCOMPARE(shown->count(), 2);
    QCOMPARE(shown->currentText(), QString("attention"));
    f.set([](ViewOptions& view) {
      view.query = 1 + 2 * kCols + 3;  // patch (2, 3): place (0, 3) of the lower window
      view.smooth = true;
    });
    shown->setCurrentIndex(1);
    Q_EMIT shown->activated(1);
    QCOMPARE(f.document.view().options().learned, std::string("outer_bias"));
    const auto map = canvasMap(f.document);
    QVERIFY(map);
    QVERIFY(std::isnan(map->values[0]));                      // the other window
    QCOMPARE(map->values[2 * kCols], learnedValue(0, 3, 0));  // head 0, from place 3 to place 0
    QCOMPARE(map->values[3 * kCols + 4], learnedValue(0, 3, 9));
    QVERIFY(map->colorMap == ColorMap::Diverging && !map->smooth);
    QCOMPARE(map->range.low, -map->range.high);
    // A tile is the window alone, the query in its first row.
    const InferenceResult& inference = *f.document.inference();
    const auto tile =
        tileMap(shownMaps(inference, f.document.view().options()), f.document.inputs().model().grid,
                f.document.view().options(), 0, 0, nullptr);
    QVERIFY(tile && tile->rows == 2 && tile->cols == kCols);
    QCOMPARE(tile->values[0], learnedValue(0, 3, 0));
    QCOMPARE(tile->values[kCols + 4], learnedValue(0, 3, kCols + 4));
    const TileCells cells =
        tileCells(shownMaps(inference, f.document.view().options()),
                  f.document.inputs().model().grid, f.document.view().options().query, 0);
    QVERIFY(cells.rows == 2 && cells.cols == kCols && cells.queryPatch == 3);
    QVERIFY(headsLegend(f.document).title.contains("the window of the query"));
    const Legend legend = canvasLegend(f.document, map);
    for (const char* words : {"outer bias B_o", "layer 0", "head 0", "patch (2, 3)",
                              "place (0, 3) of its 2 by 5 window"})
      QVERIFY2(legend.title.contains(words), words);
    QCOMPARE(legend.note, QString("added after the softmax"));
    QVERIFY(!legend.detail.contains("class token"));
    QVERIFY(headsLegend(f.document).title.contains("outer bias B_o"));
    // Rollout stays with attention.
    QVERIFY(meaningNote(f.document) != legend.note);
    // Locality and masks are of attention.
    QVERIFY(!headsLegend(f.document).title.contains("ALS"));
    const auto mask =
        makeMaskEdit(f.document.inputs().masks(), {{0, 0}}, HeadMask{MaskKind::Hard, 3}, "test");
    QVERIFY(mask.ok());
    f.document.inputs().pushEdit(*mask);
    QCOMPARE(canvasLegend(f.document, map).title, legend.title);
    // One key steps through all that there is.
    QCOMPARE(nextShown(*f.document.inference(), ""), std::string("outer_bias"));
    QCOMPARE(nextShown(*f.document.inference(), "outer_bias"), std::string());
    // Another image of the model leaves the choice, another model does not.
    f.document.setImage(makeImage(), "another", {});
    QVERIFY(shown->isVisible());
    f.document.setInference(withOuterBias(f.document.inputs().model()), -1);
    QCOMPARE(f.document.view().options().learned, std::string("outer_bias"));
    QCOMPARE(shown->currentIndex(), 1);
    f.document.setModel(makeModel());
    QVERIFY(f.document.view().options().learned.empty());
    QTRY_VERIFY(!shown->isVisible());
  }

  void theMaskIsOutlinedAroundTheToken() {
    Fixture f;
    const auto edit = [&](int layer, const char* mask) {
      const auto made =
          makeMaskEdit(f.document.inputs().masks(), {{layer, 0}}, *headMaskFromText(mask), "test");
      QVERIFY(made.ok());
      f.document.inputs().pushEdit(*made);
    };
    f.set([](ViewOptions& view) {
      view.query = 1 + 2 * kCols + 2;
      view.opacity = 0;
    });
    const QImage before = f.grab();
    edit(0, "hard:3");  // at once, before the result comes
    QCOMPARE(f.canvas.maskSight().window.size(), std::size_t(4));
    QCOMPARE(QString::fromStdString(f.canvas.maskSight().text),
             QStringLiteral("hard: logits outside become 0, so they still get exp(0)"));
    // Around the 3 × 3 patches about (2, 2), in the color of the kind.
    const QRectF window = f.canvas.patchRect(kCols + 1).united(f.canvas.patchRect(3 * kCols + 3));
    const QColor line = maskColor(MaskKind::Hard, f.canvas.palette()).lighter(130);
    const QImage outlined = f.grab();
    // Where the line falls between two pixels, one of them has most of it.
    const auto nearest = [](const QImage& image, const QPointF& point, const QColor& color) {
      int least = 255;
      for (const int x : {-1, 0, 1})
        for (const int y : {-1, 0, 1})
          least = std::min(least, distance(pixelAt(image, point + QPointF(x, y)), color));
      return least;
    };
    const double beside = window.width() / 12;  // the token's own frame is in the middle
    for (const QPointF& point : {QPointF(window.left() + beside, window.top()),
                                 QPointF(window.left(), window.top() + beside),
                                 QPointF(window.right(), window.top() + beside)})
      QVERIFY(nearest(outlined, point, line) < 40);
    COMPARE_COLOR(pixelAt(outlined, window.topLeft() + QPointF(beside, beside)),
                  pixelAt(before, window.topLeft() + QPointF(beside, beside)), 2);
    QVERIFY(f.canvas.accessibleDescription().contains("exp(0)"));
    // It follows the token, and the class token sees everything.
    f.set([](ViewOptions& view) { view.query = 1; });
    QCOMPARE(f.canvas.maskSight().window.back().lastCol, 2);  // cut by the corner
    f.set([](ViewOptions& view) { view.query = 0; });
    QVERIFY(!f.canvas.maskSight().isDrawn());
    QVERIFY(f.canvas.maskSight().text.find("choose a patch") != std::string::npos);
    // The switch.
    f.set([](ViewOptions& view) {
      view.query = 1 + 2 * kCols + 2;
      view.maskOutline = false;
    });
    QVERIFY(f.canvas.maskSight().text.empty() && !f.canvas.maskSight().isDrawn());
    const QRect image = f.canvas.regionRect().toAlignedRect();  // the caption names the mask
    QCOMPARE(f.grab().copy(image), before.copy(image));
  }

  /// They would cover the image: only the class token and the query have one then.
  void manyRegistersHaveNoChips() {
    for (const int registers : {2, 12}) {
      ModelInfo model = makeModel();
      model.experiment.model.registers = registers;
      model.grid = model.experiment.model.grid();
      Fixture f(model);
      f.set([](ViewOptions& view) { view.query = 0; });
      const QFontMetricsF metrics(f.canvas.font());
      const double second = 8 + metrics.horizontalAdvance(QStringLiteral("class")) + 20 + 6;
      const QPointF chip(second + 12, f.canvas.imageArea().top() + 8 + metrics.height() / 2);
      QTest::mouseClick(&f.canvas, Qt::LeftButton, {}, chip.toPoint());
      const int query = f.document.view().options().query;
      QCOMPARE(query == 1, registers == 2);
      QVERIFY(query == 1 || query == 0 || query > registers);
    }
  }

  void whereAMaskCannotMatterItIsSaid() {
    Fixture f;
    f.set([](ViewOptions& view) {
      view.layer = 2;
      view.query = 8;
    });
    const auto made =
        makeMaskEdit(f.document.inputs().masks(), {{2, 0}}, *headMaskFromText("hard:3"), "test");
    f.document.inputs().pushEdit(*made);
    QVERIFY(f.canvas.maskSight().isDrawn());  // its map changes all the same
    QVERIFY(f.canvas.maskSight().text.find(
                "no effect here: the last layer's patches are not read") != std::string::npos);
    saveGrabs(f.canvas, QStringLiteral("canvas-mask"));
  }

  void controlsThatDoNothingAreAbsent() {
    Fixture f;
    ViewControls controls(&f.document);
    controls.resize(1600, 40);
    controls.show();
    QVERIFY(QTest::qWaitForWindowExposed(&controls));
    const auto isThere = [&](const char* name) {
      return controls.findChild<QWidget*>(QString::fromLatin1(name))->isVisible();
    };
    ViewUse rollout;
    rollout.layer = rollout.head = rollout.token = rollout.sharedScale = false;
    controls.setUse(rollout);
    for (const char* name : {"viewLayer", "viewHead", "viewToken", "viewShared", "viewMask"})
      QTRY_VERIFY2(!isThere(name), name);
    QVERIFY(isThere("viewOverlay") && isThere("viewStyle") && isThere("viewColorMap"));
    ViewUse canvas;
    canvas.mask = true;
    controls.setUse(canvas);
    for (const char* name : {"viewLayer", "viewHead", "viewToken", "viewShared", "viewMask"})
      QTRY_VERIFY2(isThere(name), name);
    controls.findChild<QToolButton*>("viewMask")->click();
    QVERIFY(!f.document.view().options().maskOutline);
  }

  void controlsFollowAndLead() {
    Fixture f;
    ViewControls controls(&f.document);
    auto* layer = controls.findChild<QSpinBox*>("viewLayer");
    auto* token = controls.findChild<QSpinBox*>("viewToken");
    auto* head = controls.findChild<QComboBox*>("viewHead");
    QVERIFY(layer && token && head);
    QCOMPARE(layer->maximum(), 2);
    QCOMPARE(head->count(), 3);
    layer->setValue(2);
    QCOMPARE(f.document.view().options().layer, 2);
    f.set([](ViewOptions& view) {
      view.query = 8;
      view.head = -1;
    });
    QCOMPARE(token->text(), QString("patch (1, 2)"));
    QCOMPARE(head->currentIndex(), 0);
    token->selectAll();
    QTest::keyClicks(token, "3, 4");
    QTest::keyClick(token, Qt::Key_Return);
    QCOMPARE(f.document.view().options().query, 20);
    token->selectAll();
    QTest::keyClicks(token, "class");
    QTest::keyClick(token, Qt::Key_Return);
    QCOMPARE(f.document.view().options().query, 0);
    auto* smooth = controls.findChild<QToolButton*>("viewSmooth");
    QVERIFY(smooth);
    smooth->click();
    QVERIFY(f.document.view().options().smooth);
    auto* opacity = controls.findChild<QSlider*>("viewOpacity");
    QVERIFY(opacity);
    opacity->setValue(25);
    QCOMPARE(f.document.view().options().opacity, 0.25);
  }
};

QTEST_MAIN(CanvasTest)
#include "CanvasTest.moc"
