// SPDX-License-Identifier: GPL-3.0-or-later

// Boxes of cells and true boxes on the canvas: which token a label makes look in layers of other
// grids, which box is chosen, and where the boxes of a dataset lie.

#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include "core/config/DatasetKinds.h"
#include "tests/gui/DetectorModel.h"
#include "tests/gui/Grab.h"
#include "ui/bridge/GalleryModel.h"
#include "ui/bridge/ImageBridge.h"
#include "ui/canvas/Canvas.h"
#include "ui/canvas/ViewControls.h"
#include "ui/document/ChosenCell.h"
#include "ui/document/KnownTruth.h"

using namespace headlight;
using namespace headlight::synthetic;

namespace {

constexpr int kSide = 64;

/// Maps on 4 × 4 and 2 × 2 patches, and two boxes that cells of one patch found.
std::shared_ptr<InferenceResult> makeDetection() {
  auto inference = makePyramidMaps();
  FoundObject large{11, 0, "striped disc", 0.9f, {0.5, 0.5, 1, 1}, 38};
  FoundObject small{11, 1, "dotted cross", 0.8f, {0.55, 0.1, 0.8, 0.4}, 75};
  inference->objects = {large, small};
  return inference;
}

std::shared_ptr<const KnownTruth> makeTruth() {
  return std::make_shared<const KnownTruth>(
      KnownTruth{{{{16, 8, 32, 40}, 1, 1280, false}, {{0, 0, 8, 8}, 0, 64, false}},
                 {"dotted cross", "unknown to the model"}});
}

ModelInfo makeOneHeadDetector() {
  ModelInfo model = makeDetectorModel();
  model.heads = {1, 1};
  model.classNames = {"striped disc", "dotted cross"};
  return model;
}

}  // namespace

class TruthOnCanvasTest : public QObject {
  Q_OBJECT

  struct Fixture {
    Document document;
    Canvas canvas{&document};
    explicit Fixture(std::shared_ptr<const KnownTruth> truth = nullptr) {
      document.setModel(makeOneHeadDetector());
      document.setImage(makeImage(kSide, kSide), "synthetic", {}, std::move(truth));
      document.setInference(makeDetection(), -1);
      canvas.resize(500, 420);
      canvas.show();
      if (!QTest::qWaitForWindowExposed(&canvas)) qFatal("the canvas was not shown");
    }
    void click(std::size_t object) {
      QTest::mouseClick(&canvas, Qt::LeftButton, {},
                        canvas.objects()[object].label.center().toPoint());
    }
    const ViewOptions& view() const { return document.view().options(); }
  };

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void aLabelChoosesItsBoxAndTheTokenOfItsCell() {
    Fixture f;
    QCOMPARE(static_cast<int>(f.canvas.objects().size()), 2);
    f.click(1);
    QCOMPARE(f.view().query, 11);
    QVERIFY(f.document.view().isPinned());
    QCOMPARE(chosenCell(f.document), 75);
    // Both boxes have this token, and one was chosen.
    QVERIFY(f.canvas.objects()[1].isQuery && !f.canvas.objects()[0].isQuery);
    f.click(0);
    QCOMPARE(chosenCell(f.document), 38);
    QVERIFY(f.canvas.objects()[0].isQuery && !f.canvas.objects()[1].isQuery);
    // Patch (2, 3) of 4 × 4 lies in patch (1, 1) of 2 × 2.
    QCOMPARE(queryInLayer(f.view().query, f.document.inputs().model().grid, Grid{2, 2, 0}), 3);
    for (const int layer : {0, 1}) {
      f.document.view().change([layer](ViewOptions& view) { view.layer = layer; });
      QVERIFY(f.canvas.shownMap());
      QCOMPARE(f.canvas.shownMap()->rows, layer == 0 ? 4 : 2);
      QCOMPARE(chosenCell(f.document), 38);
    }
    f.document.view().pin(5);
    QCOMPARE(chosenCell(f.document), -1);
  }

  void aBoxThatIsNotThereIsNotChosen() {
    Fixture f;
    f.document.view().pinBox(11, 20);
    QCOMPARE(chosenCell(f.document), -1);
    QVERIFY(f.canvas.objects()[0].isQuery && f.canvas.objects()[1].isQuery);
  }

  void trueBoxesLieWhereTheDatasetSays() {
    Fixture f(makeTruth());
    const QRectF region = f.canvas.regionRect();
    const auto marks = viewedTruth(f.document, region);
    QCOMPARE(static_cast<int>(marks.size()), 2);
    const QRectF expected(region.left() + region.width() / 4, region.top() + region.height() / 8,
                          region.width() / 2, region.height() * 40 / kSide);
    QVERIFY(std::abs(marks[0].box.left() - expected.left()) < 1e-6);
    QVERIFY(std::abs(marks[0].box.bottom() - expected.bottom()) < 1e-6);
    QCOMPARE(marks[0].colorIndex, 1);  // the model has no such name: the dataset's label
    QCOMPARE(marks[1].colorIndex, 1);  // "dotted cross", which the model has as class 1
  }

  void theyCanBeHidden() {
    Fixture f(makeTruth());
    ViewControls controls(&f.document);
    ViewUse use;
    use.objects = true;
    controls.setUse(use);
    controls.resize(1600, controls.sizeHint().height());
    controls.show();
    auto* button = controls.findChild<QToolButton*>(QStringLiteral("viewTruth"));
    QVERIFY(button && button->isChecked());
    QTRY_VERIFY(button->isVisible());
    const QImage shown = f.canvas.grab().toImage();
    button->click();
    QVERIFY(viewedTruth(f.document, f.canvas.regionRect()).empty());
    QVERIFY(f.canvas.grab().toImage() != shown);
    button->click();
    QCOMPARE(f.canvas.grab().toImage(), shown);
    f.document.setImage(makeImage(kSide, kSide), "other", {});
    QVERIFY(!showsTruth(f.document));
    QTRY_VERIFY(!button->isVisible());  // a tool bar hides with its next layout
  }

  void drawnScenesComeWithTheirBoxes() {
    ImageBridge images;
    GalleryModel gallery(&images);
    gallery.addScenes();
    gallery.addScenes();
    QCOMPARE(gallery.rowCount(), GalleryModel::kScenes);
    QCOMPARE(gallery.sources().size(), GalleryModel::kScenes);  // a session keeps their addresses
    GalleryModel again(&images);
    for (const QString& address : gallery.sources()) {
      QVERIFY(ImageBridge::isDrawnPath(address));
      again.addScene(address);
      again.addScene(address);
    }
    QCOMPARE(again.sources(), gallery.sources());
    QCOMPARE(again.index(2).data().toString(), gallery.index(2).data().toString());
    QVERIFY(!ImageBridge::isDrawnPath(QStringLiteral("dataset:coco:1:/data/coco")));
    QVERIFY(!ImageBridge::isDrawnPath(QStringLiteral("/photos/a.png")));
    std::shared_ptr<const KnownTruth> truth;
    Image scene;
    connect(&images, &ImageBridge::imageLoaded, this,
            [&](const Image& image, const QString&, const QString&, const auto& loaded) {
              scene = image;
              truth = loaded;
            });
    images.loadImage(gallery.pathAt(gallery.index(2)));
    QTRY_VERIFY(truth);
    QVERIFY(!truth->boxes.empty());
    for (const LabeledBox& box : truth->boxes) {
      QVERIFY(box.box.x >= 0 && box.box.x + box.box.width <= scene.width);
      QVERIFY(box.label >= 0 && box.label < static_cast<int>(truth->classNames.size()));
    }
    gallery.clear();
    QCOMPARE(gallery.rowCount(), 0);
  }
};

QTEST_MAIN(TruthOnCanvasTest)
#include "TruthOnCanvasTest.moc"
