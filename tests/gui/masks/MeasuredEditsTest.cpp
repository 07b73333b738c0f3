// SPDX-License-Identifier: GPL-3.0-or-later

// An edit is measured: on the image against a state that is known, on a dataset, by the heads'
// numbers; and schemes are kept by name.

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QToolButton>

#include "core/config/DatasetKinds.h"
#include "tests/gui/DetectorModel.h"
#include "tests/gui/SyntheticInference.h"
#include "tests/gui/WindowFixture.h"
#include "ui/document/MaskCommand.h"
#include "ui/evaluation/EffectImages.h"
#include "ui/evaluation/EffectLine.h"
#include "ui/masks/HeadSelectDialog.h"
#include "ui/masks/MaskMatrix.h"
#include "ui/masks/SchemesDialog.h"
#include "ui/window/EffectController.h"

using namespace headlight;

namespace {

constexpr int kLong = 60000;

MaskEdit edited(Document* document, const std::vector<HeadPlace>& heads, const HeadMask& mask) {
  return *makeMaskEdit(document->inputs().masks(), heads, mask, "edit");
}

ImageSample drawnImages() {
  ImageSample sample;
  sample.data.validationSamples = 24;
  sample.data.trainSamples = 16;
  sample.samples = 18;
  return sample;
}

}  // namespace

class MeasuredEditsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    synthetic::failOnQtWarnings();
    m_folder = std::make_unique<QTemporaryDir>();
    m_image = writeImage(m_folder->filePath(QStringLiteral("image.png")));
  }

  void aStrokeIsComparedWithTheStateAtItsBeginning() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    Document* document = test.document();
    const auto untouched = document->inference()->logits;
    const int stroke = MaskCommand::newStroke();
    for (const HeadPlace& head : {HeadPlace{0, 0}, HeadPlace{0, 1}, HeadPlace{1, 0}}) {
      document->inputs().pushEdit(edited(document, {head}, {MaskKind::Strict, 1}), stroke);
      QTRY_VERIFY(!document->isStale());  // an image of every cell in between
    }
    QVERIFY(document->reference().inference());
    QCOMPARE(document->reference().inference()->logits, untouched);
    QVERIFY(document->inference()->logits != untouched);
  }

  void theReferenceIsAChoice() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    Document* document = test.document();
    const auto untouched = document->inference()->logits;
    document->inputs().pushEdit(edited(document, {{0, 0}}, {MaskKind::Strict, 1}));
    QTRY_VERIFY(!document->isStale());
    const auto first = document->inference()->logits;
    test->actions()->find(QStringLiteral("masks.compare.pin"))->trigger();
    document->inputs().pushEdit(edited(document, {{1, 1}}, {MaskKind::Strict, 1}));
    document->inputs().pushEdit(edited(document, {{2, 0}}, {MaskKind::Strict, 1}));
    QTRY_VERIFY(!document->isStale());
    QTRY_VERIFY(document->reference().inference());
    QCOMPARE(document->reference().inference()->logits, first);
    QCOMPARE(document->reference().describe(), QStringLiteral("pinned state"));
    test->actions()->find(QStringLiteral("masks.compare.unmasked"))->trigger();
    QTRY_VERIFY(document->reference().inference());
    QCOMPARE(document->reference().inference()->logits, untouched);
    // For another image it is computed anew.
    const QString other = writeImage(m_folder->filePath(QStringLiteral("other.png")), 40, 36, 77);
    OPEN_IMAGE(test, other);
    QTRY_VERIFY(document->reference().inference());
    QVERIFY(document->reference().inference()->logits != untouched);
    QCOMPARE(document->reference().inference()->weights, document->inference()->weights);
  }

  void classesThatDoNotFitAreAnErrorWithTheWaysOut() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    MaskEffectBridge* bridge = test->effect()->bridge();
    auto* line = test->findChild<EffectLine*>();
    auto* byNumber = line->findChild<QToolButton*>(QStringLiteral("effectByNumber"));
    QVERIFY(byNumber && byNumber->isHidden());
    ImageSample sample = drawnImages();
    sample.matching.match = "name";  // the model has no names
    bridge->setSample(sample);
    QTRY_VERIFY_WITH_TIMEOUT(bridge->isMisfit(), kLong);
    QVERIFY(!bridge->present());
    QVERIFY2(line->text().contains(QStringLiteral("no class names")), qPrintable(line->text()));
    QVERIFY2(!line->text().contains(QStringLiteral("--")), "flags are for the command line");
    QVERIFY(!byNumber->isHidden());
    byNumber->click();
    QTRY_VERIFY_WITH_TIMEOUT(bridge->present(), kLong);
    QCOMPARE(bridge->sample()->matching.match, std::string("index"));
    QVERIFY2(line->text().contains(QStringLiteral("by number, as requested")),
             qPrintable(line->text()));
    QVERIFY(byNumber->isHidden());
  }

  void aDetectorIsMeasuredByItsPrecision() {
    TestWindow test;
    Experiment experiment = smallExperiment();
    experiment.model = synthetic::makeDetectorConfig(9);
    test->modelWorker()->createModel(experiment);
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    OPEN_IMAGE(test, m_image);
    ImageSample sample;
    sample.data.dataset = kTextureScenes;
    sample.data.validationSamples = 4;
    sample.samples = 3;
    sample.matching.match = "index";
    MaskEffectBridge* bridge = test->effect()->bridge();
    bridge->setSample(sample);
    QTRY_VERIFY2_WITH_TIMEOUT(bridge->present(), qPrintable(bridge->problem()), kLong);
    QVERIFY(bridge->present()->scores && bridge->present()->scores->ap);
    QCOMPARE(bridge->present()->scores->images, std::int64_t{3});
    auto* line = test->findChild<EffectLine*>();
    QVERIFY2(line->text().contains(QStringLiteral("3 images: AP ")), qPrintable(line->text()));
    QVERIFY(!line->text().contains(QStringLiteral("top-1")));
    QVERIFY(!line->findChild<QToolButton*>(QStringLiteral("effectImages"))->isEnabled());
    test.document()->inputs().pushEdit(
        edited(test.document(), {{0, 0}, {0, 1}}, {MaskKind::Strict, 1}));
    QTRY_VERIFY_WITH_TIMEOUT(bridge->present() && bridge->sinceReference(), kLong);
    QVERIFY2(line->text().contains(QStringLiteral("no masks → now")), qPrintable(line->text()));
  }

  void onADataSetItIsWhatCoreMeasures() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    Document* document = test.document();
    MaskEffectBridge* bridge = test->effect()->bridge();
    auto* line = test->findChild<EffectLine*>();
    QVERIFY(line->text().contains(QStringLiteral("Choose a dataset")));
    bridge->setSample(drawnImages());
    QTRY_VERIFY_WITH_TIMEOUT(bridge->present(), kLong);
    QVERIFY(line->text().contains(QStringLiteral("18 images")));
    document->inputs().pushEdit(edited(document, {{0, 0}, {0, 1}}, {MaskKind::Strict, 1}));
    QTRY_VERIFY_WITH_TIMEOUT(bridge->present() && bridge->sinceReference(), kLong);

    const auto session = InferenceSession::create(smallExperiment());
    QVERIFY(session);
    const auto direct = evaluateSchemes(
        **session, drawnImages(),
        {MaskScheme(document->inputs().masks().shape()), document->inputs().masks()});
    QVERIFY2(direct, direct ? "" : direct.error().text().c_str());
    QCOMPARE(bridge->unmasked()->loss, (*direct)[0].loss);
    QCOMPARE(bridge->present()->loss, (*direct)[1].loss);
    QCOMPARE(bridge->present()->top1, (*direct)[1].top1);
    QVERIFY2(line->text().contains(QStringLiteral("before the last edit → now")),
             qPrintable(line->text()));

    // What was measured is kept: undo measures nothing.
    document->inputs().undoStack()->undo();
    QVERIFY(bridge->present());
    QVERIFY(!bridge->isBusy());
  }

  void theNextEditCancelsTheMeasurement() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    MaskEffectBridge* bridge = test->effect()->bridge();
    ImageSample many = drawnImages();
    many.data.validationSamples = 100'000;
    many.samples = 0;
    bridge->setSample(many);
    QTRY_VERIFY_WITH_TIMEOUT(bridge->isBusy(), kLong);
    Document* document = test.document();
    document->inputs().pushEdit(edited(document, {{0, 0}}, {MaskKind::Strict, 1}));
    QVERIFY(!bridge->isBusy());
    QVERIFY(!bridge->present());
    bridge->setSample(drawnImages());
    QTRY_VERIFY_WITH_TIMEOUT(bridge->present(), kLong);
  }

  void imagesThatChangeAreShownAndOpen() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    Document* document = test.document();
    test->effect()->bridge()->setSample(drawnImages());
    document->inputs().pushEdit(
        edited(document, {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}}, {MaskKind::Strict, 1}));
    QTRY_VERIFY_WITH_TIMEOUT(test->effect()->bridge()->sinceReference(), kLong);
    ScopedDialogs scoped;
    QDialog* shown = nullptr;
    dialogs().show = [&](QDialog* dialog, const auto&) { shown = dialog; };
    test->actions()->find(QStringLiteral("masks.effect.images"))->trigger();
    QVERIFY(shown);
    const std::unique_ptr<QDialog> dialog(shown);
    auto* worst = dialog->findChild<QListWidget*>(QStringLiteral("worstImages"));
    QVERIFY(worst->count() > 0);
    QTRY_VERIFY_WITH_TIMEOUT(!worst->item(0)->icon().isNull(), kLong);
    const Image before = document->inputs().image();
    Q_EMIT worst->itemActivated(worst->item(0));
    QVERIFY(document->inputs().image().pixels != before.pixels);
  }

  void headsShowTheChosenNumber() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    Document* document = test.document();
    QCOMPARE(*document->numbers().value(1, 0),
             static_cast<double>(*document->numbers().locality(1, 0)));
    HeadValuesBridge* bridge = test->effect()->heads();
    for (const HeadMetric measure : {HeadMetric::Entropy, HeadMetric::Importance}) {
      bridge->choose(measure, false);
      QTRY_VERIFY_WITH_TIMEOUT(document->numbers().value(1, 0), kLong);
      const auto session = InferenceSession::create(smallExperiment());
      const auto direct = measureHeadMetrics(**session, document->inputs().image(),
                                             document->inputs().masks(), measure);
      QVERIFY(direct);
      QCOMPARE(*document->numbers().value(1, 0), direct->values[1][0]);
    }
    bridge->choose(HeadMetric::Distance, false);
    QTRY_VERIFY_WITH_TIMEOUT(document->numbers().chance(0), kLong);
    QVERIFY(
        document->numbers().text(*document->numbers().value(0, 0)).endsWith(QStringLiteral("px")));
    test->effect()->bridge()->setSample(drawnImages());
    bridge->setSample(drawnImages());
    bridge->choose(HeadMetric::Entropy, true);
    QTRY_VERIFY_WITH_TIMEOUT(document->numbers().heads().values, kLong);
    QVERIFY(document->numbers().describe().contains(QStringLiteral("18 images")));
  }

  void headsAreSelectedByTheirNumber() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    Document* document = test.document();
    ScopedDialogs scoped;
    std::vector<HeadPlace> expected;
    dialogs().show = [&](QDialog* dialog, const auto& done) {
      auto* select = qobject_cast<HeadSelectDialog*>(dialog);
      auto* bound = select->findChild<QDoubleSpinBox*>(QStringLiteral("headBound"));
      bound->setValue(*document->numbers().value(1, 1) + 0.0002);
      for (int layer = 0; layer < 3; ++layer)
        for (int head = 0; head < 2; ++head)
          if (*document->numbers().value(layer, head) < bound->value())
            expected.push_back({layer, head});
      QCOMPARE(select->findChild<QTableWidget*>()->rowCount(), 6);
      done(QDialog::Accepted);
      delete dialog;
    };
    test->actions()->find(QStringLiteral("masks.selectByValue"))->trigger();
    QVERIFY(!expected.empty());
    QCOMPARE(test->currentWorkspace(), QStringLiteral("mask"));
    QVERIFY(test->findChild<MaskMatrix*>()->selection() == expected);
  }

  void schemesAreKeptByName() {
    Document document;
    synthetic::fill(document);
    document.inputs().pushEdit(edited(&document, {{0, 0}}, {MaskKind::Hard, 3}));
    const SchemeLibrary shelf(m_folder->filePath(QStringLiteral("schemes")).toStdString());
    SchemesDialog dialog(&document, shelf);
    auto* list = dialog.findChild<QListWidget*>();
    const auto click = [&](const char* name) {
      auto* button = dialog.findChild<QPushButton*>(QLatin1String(name));
      QVERIFY(button->isEnabled());
      button->click();
    };
    dialog.saveAs(QStringLiteral("mine"));
    QVERIFY(shelf.has("mine"));
    QCOMPARE(list->currentItem()->text(), QStringLiteral("mine"));
    QVERIFY(!list->currentItem()->icon().isNull());
    list->currentItem()->setText(QStringLiteral("ours"));
    QTRY_VERIFY(shelf.has("ours"));
    QVERIFY(!shelf.has("mine"));
    list->currentItem()->setText(QStringLiteral("../away"));
    QTRY_COMPARE(list->currentItem()->text(), QStringLiteral("ours"));
    click("schemeRemove");
    QVERIFY(!shelf.has("ours"));
    click("schemeBack");
    QVERIFY(shelf.has("ours"));

    const MaskScheme kept = document.inputs().masks();
    document.inputs().undoStack()->undo();
    click("schemeApply");
    QVERIFY(document.inputs().masks() == kept);
    document.inputs().undoStack()->undo();
    QCOMPARE(document.inputs().masks().maskedHeads(), 0);
  }

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
  QString m_image;
};

QTEST_MAIN(MeasuredEditsTest)
#include "MeasuredEditsTest.moc"
