// SPDX-License-Identifier: GPL-3.0-or-later

// Segments on the canvas: colors, legend, what a click chooses, the truth's borders.

#include <QComboBox>
#include <QPainter>
#include <QTest>

#include "tests/gui/DetectorModel.h"
#include "tests/gui/Grab.h"
#include "ui/canvas/Canvas.h"
#include "ui/canvas/ViewControls.h"
#include "ui/canvas/ViewedDecoder.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/document/KnownTruth.h"

using namespace headlight;
using namespace headlight::synthetic;

namespace {

constexpr int kSide = 64;

/// The left half is class 0, the right half class 1.
ClassImage halves() {
  ClassImage image{kSide, kSide, {}};
  for (int i = 0; i < kSide * kSide; ++i)
    image.classes.push_back(i % kSide < kSide / 2 ? 0 : 1);
  return image;
}

std::shared_ptr<InferenceResult> makeSegmentation() {
  auto inference = makePyramidMaps();
  auto found = std::make_shared<FoundSegments>();
  found->image = halves();
  found->classes = {{0, "sky", 0.5, 0.9}, {1, "road", 0.5, 0.8}};
  found->maskRows = 1, found->maskCols = 2;
  found->queries = {{1, "road", 0.9f, {0.05f, 0.9f}, {10, 250}},
                    {0, "sky", 0.9f, {0.9f, 0.05f}, {250, 10}}};
  found->decoderLayers = 2;
  found->decoder = {{Grid{1, 1, 0}, {1, 1}}, {Grid{1, 2, 0}, {0.9f, 0.1f, 0.25f, 0.75f}}};
  inference->segments = found;
  return inference;
}

ModelInfo makeNamedModel() {
  ModelInfo model = makeDetectorModel();
  model.heads = {1, 1};
  model.classNames = {"sky", "road"};
  return model;
}

struct Fixture {
  Document document;
  Canvas canvas{&document};
  explicit Fixture(std::shared_ptr<const KnownTruth> truth = nullptr) {
    document.setModel(makeNamedModel());
    document.setImage(makeImage(kSide, kSide), "synthetic", {}, std::move(truth));
    document.setInference(makeSegmentation(), -1);
    document.view().change([](ViewOptions& view) { view.layer = 0; });
    canvas.resize(500, 420);
    canvas.show();
    if (!QTest::qWaitForWindowExposed(&canvas)) qFatal("the canvas was not shown");
  }
  QPoint at(double x, double y) const { return canvas.toWidget({x * kSide, y * kSide}).toPoint(); }
  const ViewOptions& view() const { return document.view().options(); }
};

}  // namespace

class SegmentsOnCanvasTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void theLegendNamesClassesAndShares() {
    Fixture f;
    const auto keys = f.canvas.segmentLegend();
    QCOMPARE(static_cast<int>(keys.size()), 2);
    QCOMPARE(keys[0].text, QStringLiteral("sky 50.0 %"));
    QCOMPARE(keys[1].colorIndex, 1);
    QVERIFY(f.canvas.imageArea().contains(keys[1].line));
    QVERIFY(f.canvas.accessibleDescription().contains(QStringLiteral("road 50.0 %")));
  }

  void theLegendLiesBelowWhatCoversIt() {
    Fixture f;
    const auto legend = [&] { return areaOfKeys(f.canvas.segmentLegend()); };
    const QRectF corner = legend();
    QWidget notice(&f.canvas);
    notice.setGeometry(10, 20, f.canvas.width() - 20, 40);
    f.canvas.setCover(&notice);
    QCOMPARE(legend(), corner);  // it is not shown yet
    notice.show();
    QCOMPARE(f.canvas.coveredArea(), QRectF(notice.geometry()));
    QVERIFY(legend().top() >= f.canvas.coveredArea().bottom());
    QCOMPARE(legend().size(), corner.size());
    QVERIFY(f.canvas.imageArea().contains(legend()));
    notice.setGeometry(10, 20, 60, 40);  // beside it
    QCOMPARE(legend(), corner);
    notice.setGeometry(f.canvas.rect());  // no room is left
    QCOMPARE(static_cast<int>(f.canvas.segmentLegend().size()), 1);
    notice.hide();
    QCOMPARE(legend(), corner);
  }

  void aLegendThatDoesNotFitCountsTheRest() {
    FoundSegments many;
    for (int i = 0; i < 40; ++i)
      many.classes.push_back({i, "class", 1.0 / 40, 1});
    const auto keys = segmentKeys(many, QRectF(0, 0, 400, 400), QFontMetricsF(QFont()));
    QCOMPARE(keys.back().text, QStringLiteral("+ %1").arg(40 - static_cast<int>(keys.size()) + 1));
    QCOMPARE(keys.back().colorIndex, -1);
  }

  void aClickChoosesTheQueryAndItsClass() {
    Fixture f;
    QTest::mouseClick(&f.canvas, Qt::LeftButton, {}, f.at(0.8, 0.6));
    QCOMPARE(f.view().segmentQuery, 0);
    QCOMPARE(f.view().method.classIndex, 1);
    QVERIFY(f.document.view().isPinned());
    QCOMPARE(f.view().query, 2 * 4 + 3);  // patch (2, 3)
    QTest::mouseClick(&f.canvas, Qt::LeftButton, {}, f.at(0.1, 0.1));
    QCOMPARE(f.view().segmentQuery, 1);
    QCOMPARE(f.view().method.classIndex, 0);
    f.document.view().pin(5);
    QCOMPARE(f.view().segmentQuery, -1);
  }

  void theClickedQuerysMapOfADecoderLayerIsShownInPlaceOfTheHeads() {
    Fixture f;
    ViewControls controls(&f.document);
    ViewUse use;
    use.objects = true;
    controls.setUse(use);
    controls.show();
    auto* layers = controls.findChild<QComboBox*>(QStringLiteral("viewDecoder"));
    QVERIFY(!layers->isVisible());
    QTest::mouseClick(&f.canvas, Qt::LeftButton, {}, f.at(0.1, 0.1));
    QCOMPARE(layers->count(), 3);
    QCOMPARE(canvasMap(f.document)->rows, 4);  // of the head
    Q_EMIT layers->activated(2);
    QCOMPARE(f.view().decoderLayer, 1);
    const auto map = canvasMap(f.document);
    QCOMPARE(map->rows, 1);
    QCOMPARE(map->values, (std::vector<float>{0.25f, 0.75f}));
    const Legend legend = canvasLegend(f.document, map);
    QCOMPARE(legend.title,
             QStringLiteral("query 1 in decoder layer 1 · mean of heads · level of stride 4"));
    QVERIFY(legend.note.contains(QStringLiteral("mask")));
    QCOMPARE(headsLegend(f.document).note, meaningNote(f.document));  // beside it, of the heads
    QTest::mouseClick(&f.canvas, Qt::LeftButton, {}, f.at(0.8, 0.6));
    QCOMPARE(canvasMap(f.document)->values, (std::vector<float>{0.9f, 0.1f}));
    f.document.view().pin(5);  // no segment
    QCOMPARE(canvasMap(f.document)->rows, 4);
  }

  void theyCanBeHidden() {
    Fixture f;
    const QImage shown = f.canvas.grab().toImage();
    f.document.view().change([](ViewOptions& view) { view.objectBoxes = false; });
    f.canvas.update();
    QVERIFY(f.canvas.segmentLegend().empty());
    QVERIFY(f.canvas.grab().toImage() != shown);
    QTest::mouseClick(&f.canvas, Qt::LeftButton, {}, f.at(0.8, 0.6));
    QCOMPARE(f.view().segmentQuery, -1);
  }

  void theTruthIsNamedByTheDatasetAndDrawnInTheModelsColors() {
    auto truth = std::make_shared<KnownTruth>();
    truth->classNames = {"road", "unknown to the model"};
    truth->segments = halves();
    Fixture f(truth);
    QVERIFY(showsTrueSegments(f.document));
    QCOMPARE(segmentTextAt(f.document, {0.2, 0.5}), QStringLiteral("sky (true: road)"));
    QCOMPARE(modelClassOf(0, *truth, {"sky", "road"}), 1);
    const QImage shown = f.canvas.grab().toImage();
    f.document.view().change([](ViewOptions& view) { view.trueBoxes = false; });
    f.canvas.update();
    QVERIFY(f.canvas.grab().toImage() != shown);
    QCOMPARE(segmentTextAt(f.document, {0.2, 0.5}), QStringLiteral("sky"));
  }

  void anotherModelsClassesColorTheTruthAnew() {
    auto truth = std::make_shared<KnownTruth>();
    truth->classNames = {"road", "unknown to the model"};
    truth->segments = halves();
    Document document;
    SegmentOverlay kept;
    const auto painted = [&](SegmentOverlay& overlay) {
      QImage image(200, 200, QImage::Format_ARGB32_Premultiplied);
      image.fill(Qt::transparent);
      QPainter painter(&image);
      overlay.paint(painter, document, image.rect(), image.rect());
      return image;
    };
    const auto open = [&](const std::vector<std::string>& names) {
      ModelInfo model = makeNamedModel();
      model.classNames = names;
      document.setModel(model);
      document.setImage(makeImage(kSide, kSide), "synthetic", {}, truth);
    };
    open({"sky", "road"});
    const QImage before = painted(kept);
    open({"road", "sky"});
    QVERIFY(showsTrueSegments(document));
    SegmentOverlay fresh;
    const QImage after = painted(kept);
    QVERIFY(after != before);
    QCOMPARE(after, painted(fresh));
  }

  void unknownPixelsHaveNoColor() {
    const QImage colors = classColors({2, 1, {0, kIgnoredClass}});
    QCOMPARE(qAlpha(colors.pixel(0, 0)), 255);
    QCOMPARE(qAlpha(colors.pixel(1, 0)), 0);
  }
};

QTEST_MAIN(SegmentsOnCanvasTest)
#include "SegmentsOnCanvasTest.moc"
