// SPDX-License-Identifier: GPL-3.0-or-later

// Rollout and similarity: values as core gives them, worked out beside the window.

#include <QComboBox>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>

#include "tests/gui/SyntheticInference.h"
#include "ui/bridge/AnalysisBridge.h"
#include "ui/canvas/RolloutView.h"
#include "ui/canvas/ViewedRollout.h"
#include "ui/compare/SimilarityMatrix.h"

using namespace headlight;
using namespace headlight::synthetic;

class RolloutTest : public QObject {
  Q_OBJECT

  template <typename View>
  struct Fixture {
    Document document;
    View view{&document, nullptr};
    explicit Fixture(const ModelInfo& model = makeModel()) {
      fill(document, model);
      view.resize(700, 460);
      view.show();
      QVERIFY(QTest::qWaitForWindowExposed(&view));
    }
    void editAndLook() {
      const auto edit =
          makeMaskEdit(document.inputs().masks(), {{0, 0}}, HeadMask{MaskKind::Hard, 3}, "test");
      QVERIFY(edit.ok());
      document.inputs().pushEdit(*edit);
      document.setInference(makeInference(document.inputs().model(), 3), 5);
    }
  };

  static bool shows(const RolloutView& view, const Document& document,
                    const RolloutOptions& options) {
    const auto expected = rollout(document.inference()->maps, options);
    const auto& map = view.image()->shownMap();
    return expected.ok() && map && map->values == *expected;
  }

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void showsTheRollout() {
    Fixture<RolloutView> f;
    QTRY_VERIFY(shows(f.view, f.document, {}));
    const auto& map = *f.view.image()->shownMap();
    const auto top = std::max_element(map.values.begin(), map.values.end()) - map.values.begin();
    COMPARE_COLOR(pixelAt(f.view.image()->grab().toImage(),
                          f.view.image()->patchRect(static_cast<int>(top)).center()),
                  mapColor(ColorMap::Viridis, 1), 1);
  }

  void saysWhatItDoesToMapsWithoutADenominator() {
    ModelInfo model = makeModel();
    Document document;
    fill(document, model);
    const MapOverlay map =
        rolloutMap(model.grid, std::vector<float>(model.grid.patches(), 0.1f), {});
    QVERIFY(!rolloutLegend(document, {}, map).detail.contains("normalized"));
    model.mapRowsSumToOne = false;
    document.inputs().updateModel(model);
    QVERIFY(rolloutLegend(document, {}, map).detail.contains("rows of each map normalized"));
  }

  void fusionAndDiscardAreObeyed() {
    Fixture<RolloutView> f;
    QTRY_VERIFY(shows(f.view, f.document, {}));
    auto* fusion = f.view.findChild<QComboBox*>("rolloutFusion");
    auto* discard = f.view.findChild<QSlider*>("rolloutDiscard");
    QVERIFY(fusion && discard);
    fusion->setCurrentIndex(1);
    Q_EMIT fusion->activated(1);
    discard->setValue(60);
    const RolloutOptions options{HeadFusion::Max, 0.6};
    QCOMPARE(f.document.view().options().rollout.discardRatio, 0.6);
    QTRY_VERIFY(shows(f.view, f.document, options));
    QVERIFY(!shows(f.view, f.document, {}));
  }

  void newestOfManyRequestsWins() {
    Fixture<RolloutView> f;
    auto* discard = f.view.findChild<QSlider*>("rolloutDiscard");
    for (int i = 1; i <= 90; ++i)
      discard->setValue(i);
    QTRY_VERIFY(shows(f.view, f.document, {HeadFusion::Mean, 0.9}));
    // None of the others comes after it: the next one is the next that is asked for.
    auto* bridge = AnalysisBridge::of(&f.document);
    std::vector<double> arrived;
    connect(bridge, &AnalysisBridge::rolloutReady, this,
            [&] { arrived.push_back(bridge->rollout()->options.discardRatio); });
    discard->setValue(50);
    QTRY_VERIFY(shows(f.view, f.document, {HeadFusion::Mean, 0.5}));
    QCOMPARE(arrived, std::vector<double>{0.5});
  }

  void followsTheLook() {
    Fixture<RolloutView> f;
    QTRY_VERIFY(shows(f.view, f.document, {}));
    const auto old = f.view.image()->shownMap()->values;
    f.editAndLook();
    QTRY_VERIFY(shows(f.view, f.document, {}));
    QVERIFY(f.view.image()->shownMap()->values != old);
    f.document.setImage(makeImage(), "other", {});
    QVERIFY(!f.view.image()->shownMap());
  }

  void aHiddenTabWorksNothingOut() {
    Document document;
    RolloutView view(&document);
    fill(document);
    // One at a time: a rollout that the tab had asked for would arrive before this one.
    auto* bridge = AnalysisBridge::of(&document);
    QSignalSpy ready(bridge, &AnalysisBridge::rolloutReady);
    bridge->requestRollout(document.inference(), {HeadFusion::Max, 0.25});
    QVERIFY(ready.wait());
    QVERIFY(bridge->rollout() && bridge->rollout()->options.fusion == HeadFusion::Max);
  }

  void closingWhileWorkingIsSafe() {
    for (int i = 0; i < 20; ++i) {
      Fixture<RolloutView> f(makeModel(6, 4));
      f.view.findChild<QSlider*>("rolloutDiscard")->setValue(i + 1);
    }
    // Theirs are not heard of; one that stays open gets its own.
    Fixture<RolloutView> f(makeModel(6, 4));
    QTRY_VERIFY(shows(f.view, f.document, {}));
  }

  void similarityIsCores() {
    Fixture<SimilarityMatrix> f;
    auto* bridge = AnalysisBridge::of(&f.document);
    QTRY_VERIFY(bridge->similarity());
    const auto expected = layerSimilarity(f.document.inference()->maps, 0);
    QVERIFY(expected.ok());
    QCOMPARE(bridge->similarity()->values, *expected);
    auto* matrix = &f.view;
    const QImage grabbed = matrix->grab().toImage();
    const auto corner = [&](int row, int column) {
      return matrix->cellRect(row, column).topLeft() + QPointF(8, 8);
    };
    COMPARE_COLOR(pixelAt(grabbed, corner(1, 1)), mapColor(ColorMap::Viridis, 1), 2);
    COMPARE_COLOR(pixelAt(grabbed, corner(0, 2)), mapColor(ColorMap::Viridis, (*expected)[2]), 2);
    QTest::mouseClick(matrix, Qt::LeftButton, {}, matrix->cellRect(2, 0).center().toPoint());
    QCOMPARE(f.document.view().options().layer, 2);
  }

  void layersOnDifferentGridsAreNotCompared() {
    Fixture<SimilarityMatrix> f;
    auto inference = std::make_shared<InferenceResult>(*f.document.inference());
    inference->maps.layers[2] = makeLayer({2, 5, 1}, 2, 2);
    f.document.setInference(inference, -1);
    auto* bridge = AnalysisBridge::of(&f.document);
    QTRY_VERIFY(bridge->similarity() && bridge->similarity()->inference == f.document.inference());
    auto* matrix = &f.view;
    QCOMPARE(matrix->describePair(0, 2),
             QStringLiteral("layer 0 and layer 2: on different grids, not compared"));
    QVERIFY(matrix->describePair(0, 1).startsWith(QStringLiteral("layer 0 and layer 1: 0.")));
    QCOMPARE(matrix->describePair(2, 2), QStringLiteral("layer 2 and layer 2: 1.000"));
  }

  void similarityOfTheMeanIsTheMean() {
    Fixture<SimilarityMatrix> f;
    ViewOptions view = f.document.view().options();
    view.head = -1;
    f.document.view().set(view);
    auto* bridge = AnalysisBridge::of(&f.document);
    QTRY_VERIFY(bridge->similarity() && bridge->similarity()->head == -1);
    const auto first = layerSimilarity(f.document.inference()->maps, 0);
    const auto second = layerSimilarity(f.document.inference()->maps, 1);
    for (std::size_t i = 0; i < first->size(); ++i)
      QVERIFY(std::abs(bridge->similarity()->values[i] - ((*first)[i] + (*second)[i]) / 2) < 1e-6);
  }
};

QTEST_MAIN(RolloutTest)
#include "RolloutTest.moc"
