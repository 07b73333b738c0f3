// SPDX-License-Identifier: GPL-3.0-or-later

// What a detector found on the canvas: boxes with names and scores, and where each one's detection
// token looks.

#include <QFile>
#include <QTemporaryDir>

#include <cstring>

#include "core/models/Registry.h"
#include "core/workbench/session/Objects.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/canvas/Canvas.h"
#include "ui/figures/DocumentPage.h"

using namespace headlight;

namespace {

const QString kFolder = QStringLiteral(HEADLIGHT_GOLDEN_DIR "/transformers/yolos_detect/");
constexpr int kDetections = 6, kShark = 2, kNoObject = 7;

/// The bytes of one tensor of a safetensors file: first, and how many.
std::pair<qsizetype, qsizetype> placeOf(const QByteArray& file, const char* tensor) {
  quint64 length = 0;
  std::memcpy(&length, file.constData(), sizeof length);
  const qsizetype begin = 8 + static_cast<qsizetype>(length);
  const auto header = nlohmann::json::parse(file.constData() + 8, file.constData() + begin);
  const auto& offsets = header[tensor]["data_offsets"];
  const auto from = offsets[0].get<qsizetype>(), to = offsets[1].get<qsizetype>();
  return {begin + from, to - from};
}

/// The detector of random weights finds one class, or no object, wherever it looks.
QString sureDetector(const QTemporaryDir& folder, std::size_t found = kShark) {
  for (const char* name : {"config.json", "preprocessor_config.json"})
    QFile::copy(kFolder + QLatin1String(name), folder.filePath(QLatin1String(name)));
  QFile from(kFolder + QStringLiteral("model.safetensors"));
  if (!from.open(QIODevice::ReadOnly)) return {};
  QByteArray bytes = from.readAll();
  const auto [first, size] = placeOf(bytes, "class_labels_classifier.layers.2.bias");
  std::vector<float> bias(static_cast<std::size_t>(size) / sizeof(float), 0);
  bias[found] = 12;
  std::memcpy(bytes.data() + first, bias.data(), static_cast<std::size_t>(size));
  QFile to(folder.filePath(QStringLiteral("model.safetensors")));
  if (!to.open(QIODevice::WriteOnly)) return {};
  to.write(bytes);
  return folder.path();
}

struct Detection {
  explicit Detection(const QString& model) : test() {
    test->openPaths({model});
    opened = QTest::qWaitFor([&] { return test.document()->inputs().hasModel(); }, 20000);
    const QString image = writeImage(images.filePath(QStringLiteral("image.png")), 96, 64);
    test->openPaths({image});
    opened = opened && QTest::qWaitFor(
                           [&] {
                             return test.document()->inputs().imagePath() == image &&
                                    test.document()->inference() && !test.document()->isStale();
                           },
                           20000);
    canvas = test->findChild<Canvas*>();
  }
  ViewOptions view() { return test.document()->view().options(); }

  QTemporaryDir images;
  TestWindow test;
  Canvas* canvas = nullptr;
  bool opened = false;
};

}  // namespace

class ObjectsOnCanvasTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }

  void everyObjectIsBoxedWithNameAndScore() {
    QTemporaryDir folder;
    Detection f(sureDetector(folder));
    QVERIFY(f.opened);
    const auto marks = f.canvas->objects();
    const auto& found = f.test.document()->inference()->objects;
    QCOMPARE(static_cast<int>(found.size()), kDetections);
    QCOMPARE(static_cast<int>(marks.size()), kDetections);
    const QRectF region = f.canvas->regionRect();
    const Grid grid = f.test.document()->inputs().model().grid;
    for (std::size_t i = 0; i < marks.size(); ++i) {
      QVERIFY2(marks[i].text.startsWith(QStringLiteral("great white shark ")),
               qPrintable(marks[i].text));
      QVERIFY(marks[i].text.endsWith(QStringLiteral(" %")));
      QCOMPARE(marks[i].token, grid.prefix - kDetections + found[i].token);
      QVERIFY(region.contains(marks[i].box) && region.contains(marks[i].label));
      const double left = region.left() + std::max(0.0, found[i].box[0]) * region.width();
      QVERIFY(std::abs(marks[i].box.left() - left) < 1e-6);
    }
  }

  void aClickOnALabelLetsItsTokenLook() {
    QTemporaryDir folder;
    Detection f(sureDetector(folder));
    QVERIFY(f.opened);
    const ObjectMark last = f.canvas->objects().back();
    const auto best = f.canvas->objects();
    const QPointF point = last.label.center();
    const ObjectMark* uppermost = labelAt(best, point);
    QVERIFY(uppermost);
    QTest::mouseClick(f.canvas, Qt::LeftButton, {}, point.toPoint());
    QCOMPARE(f.view().query, uppermost->token);
    QVERIFY(f.test.document()->view().isPinned());
    QVERIFY(labelAt(f.canvas->objects(), point)->isQuery);
    QVERIFY(!labelAt(best, QPointF(-5, -5)));
  }

  void theyCanBeHidden() {
    QTemporaryDir folder;
    Detection f(sureDetector(folder));
    QVERIFY(f.opened);
    QAction* boxes = f.test->actions()->find(QStringLiteral("view.objectBoxes"));
    QVERIFY(boxes && boxes->isEnabled() && boxes->isChecked());
    const QImage shown = f.canvas->grab().toImage();
    boxes->trigger();
    QVERIFY(!f.view().objectBoxes && f.canvas->objects().empty());
    QVERIFY(f.canvas->grab().toImage() != shown);
    boxes->trigger();
    QCOMPARE(f.canvas->grab().toImage(), shown);
    // The canvas takes O for itself.
    f.canvas->setFocus();
    QTest::keyClick(f.canvas, Qt::Key_O, Qt::ShiftModifier);
    QVERIFY(!f.view().objectBoxes && f.view().showOverlay);
    QTest::keyClick(f.canvas, Qt::Key_O);
    QVERIFY(!f.view().objectBoxes && !f.view().showOverlay);
  }

  void theLowestScoreIsChosenAndFigurePagesTakeItOver() {
    QTemporaryDir folder;
    Detection f(sureDetector(folder));
    QVERIFY(f.opened);
    QAction* more = f.test->actions()->find(QStringLiteral("view.moreBoxes"));
    QAction* fewer = f.test->actions()->find(QStringLiteral("view.fewerBoxes"));
    QVERIFY(more && fewer && more->isEnabled() && fewer->isEnabled());
    QCOMPARE(static_cast<int>(f.canvas->objects().size()), kDetections);
    for (int i = 0; i < 12; ++i)
      fewer->trigger();
    QVERIFY(f.view().objectThreshold > 0.999);
    QVERIFY(f.canvas->objects().empty());  // none is that sure
    more->trigger();
    QCOMPARE(static_cast<int>(f.canvas->objects().size()), kDetections);
    QCOMPARE(makePageOptions(*f.test.document()).threshold, f.view().objectThreshold);
    for (int i = 0; i < 30; ++i)
      more->trigger();
    QCOMPARE(f.view().objectThreshold, 0.0);
  }

  void aModelWithoutAttentionOpensAndIsRun() {
    TestWindow test;
    Experiment experiment = smallExperiment();
    const auto model = modelFromJson(
        {{"backbone", "lcnet"}, {"image_size", 64}, {"classes", 9}, {"layout", {{"size", "xs"}}}},
        modelCatalog());
    QVERIFY(model);
    experiment.model = *model;
    test->modelWorker()->createModel(experiment);
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    QTemporaryDir images;
    OPEN_IMAGE(test, writeImage(images.filePath(QStringLiteral("image.png"))));
    QVERIFY(test.document()->inference()->maps.layers.empty());
    QVERIFY(!test.document()->inference()->logits.empty());
    QVERIFY(test->actions()->find(QStringLiteral("view.objectBoxes"))->isEnabled());
    auto* canvas = test->findChild<Canvas*>();
    for (const auto key : {Qt::Key_Period, Qt::Key_Comma, Qt::Key_Up, Qt::Key_Down})
      QTest::keyClick(canvas, key);
    QCOMPARE(test.document()->view().options().layer, 0);
  }

  void whoFindsNothingBoxesNothing() {
    QTemporaryDir folder;
    Detection f(sureDetector(folder, kNoObject));
    QVERIFY(f.opened);
    QVERIFY(f.canvas->objects().empty());
  }

  void classifiersHaveNoSuchSwitch() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    QVERIFY(!test->actions()->find(QStringLiteral("view.objectBoxes"))->isEnabled());
    QVERIFY(!test->findChild<QToolButton*>(QStringLiteral("viewObjects"))->isVisible());
  }
};

QTEST_MAIN(ObjectsOnCanvasTest)
#include "ObjectsOnCanvasTest.moc"
