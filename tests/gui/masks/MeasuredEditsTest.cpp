// SPDX-License-Identifier: GPL-3.0-or-later

// An edit is measured: on the picture against a state that is known, on a data set, by the heads'
// numbers; and schemes are kept by name.

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QToolButton>

#include "tests/gui/SyntheticLook.h"
#include "tests/gui/WindowFixture.h"
#include "ui/document/MaskCommand.h"
#include "ui/evaluation/EffectLine.h"
#include "ui/evaluation/EffectPictures.h"
#include "ui/masks/HeadSelectDialog.h"
#include "ui/masks/MaskMatrix.h"
#include "ui/masks/SchemesDialog.h"
#include "ui/window/EffectController.h"

using namespace headlight;

namespace {

constexpr int kLong = 60000;

MaskEdit edited(Document* document, const std::vector<HeadPlace>& heads, const HeadMask& mask) {
  return *makeMaskEdit(document->masks(), heads, mask, "edit");
}

PictureSample drawnPictures() {
  PictureSample sample;
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
    m_picture = writePicture(m_folder->filePath(QStringLiteral("picture.png")));
  }

  void aStrokeIsComparedWithTheStateAtItsBeginning() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_PICTURE(test, m_picture);
    Document* document = test.document();
    const auto untouched = document->look()->logits;
    const int stroke = MaskCommand::newStroke();
    for (const HeadPlace& head : {HeadPlace{0, 0}, HeadPlace{0, 1}, HeadPlace{1, 0}}) {
      document->pushEdit(edited(document, {head}, {MaskKind::Strict, 1}), stroke);
      QTRY_VERIFY(!document->isStale());  // a picture of every cell in between
    }
    QVERIFY(document->referenceLook());
    QCOMPARE(document->referenceLook()->logits, untouched);
    QVERIFY(document->look()->logits != untouched);
  }

  void theReferenceIsAChoice() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_PICTURE(test, m_picture);
    Document* document = test.document();
    const auto untouched = document->look()->logits;
    document->pushEdit(edited(document, {{0, 0}}, {MaskKind::Strict, 1}));
    QTRY_VERIFY(!document->isStale());
    const auto first = document->look()->logits;
    test->actions()->find(QStringLiteral("masks.compare.pin"))->trigger();
    document->pushEdit(edited(document, {{1, 1}}, {MaskKind::Strict, 1}));
    document->pushEdit(edited(document, {{2, 0}}, {MaskKind::Strict, 1}));
    QTRY_VERIFY(!document->isStale());
    QTRY_VERIFY(document->referenceLook());
    QCOMPARE(document->referenceLook()->logits, first);
    QCOMPARE(document->describeReference(), QStringLiteral("pinned state"));
    test->actions()->find(QStringLiteral("masks.compare.unmasked"))->trigger();
    QTRY_VERIFY(document->referenceLook());
    QCOMPARE(document->referenceLook()->logits, untouched);
    // Of another picture it is looked at anew.
    const QString other = writePicture(m_folder->filePath(QStringLiteral("other.png")), 40, 36, 77);
    OPEN_PICTURE(test, other);
    QTRY_VERIFY(document->referenceLook());
    QVERIFY(document->referenceLook()->logits != untouched);
    QCOMPARE(document->referenceLook()->weights, document->look()->weights);
  }

  void classesThatDoNotFitAreAnErrorWithTheWaysOut() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_PICTURE(test, m_picture);
    MaskEffectBridge* bridge = test->effect()->bridge();
    auto* line = test->findChild<EffectLine*>();
    auto* byNumber = line->findChild<QToolButton*>(QStringLiteral("effectByNumber"));
    QVERIFY(byNumber && byNumber->isHidden());
    PictureSample sample = drawnPictures();
    sample.matching.match = "name";  // the model has no names
    bridge->setSample(sample);
    QTRY_VERIFY_WITH_TIMEOUT(bridge->isMisfit(), kLong);
    QVERIFY(!bridge->present());
    QVERIFY2(line->text().contains(QStringLiteral("no class names")), qPrintable(line->text()));
    QVERIFY(!byNumber->isHidden());
    byNumber->click();
    QTRY_VERIFY_WITH_TIMEOUT(bridge->present(), kLong);
    QCOMPARE(bridge->sample()->matching.match, std::string("index"));
    QVERIFY2(line->text().contains(QStringLiteral("by number, on purpose")),
             qPrintable(line->text()));
    QVERIFY(byNumber->isHidden());
  }

  void onADataSetItIsWhatCoreMeasures() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_PICTURE(test, m_picture);
    Document* document = test.document();
    MaskEffectBridge* bridge = test->effect()->bridge();
    auto* line = test->findChild<EffectLine*>();
    QVERIFY(line->text().contains(QStringLiteral("Choose a data set")));
    bridge->setSample(drawnPictures());
    QTRY_VERIFY_WITH_TIMEOUT(bridge->present(), kLong);
    QVERIFY(line->text().contains(QStringLiteral("18 pictures")));
    document->pushEdit(edited(document, {{0, 0}, {0, 1}}, {MaskKind::Strict, 1}));
    QTRY_VERIFY_WITH_TIMEOUT(bridge->present() && bridge->sinceReference(), kLong);

    const auto session = InferenceSession::create(smallExperiment());
    QVERIFY(session);
    const auto direct = evaluateSchemes(**session, drawnPictures(),
                                        {MaskScheme(document->masks().shape()), document->masks()});
    QVERIFY2(direct, direct ? "" : direct.error().text().c_str());
    QCOMPARE(bridge->unmasked()->loss, (*direct)[0].loss);
    QCOMPARE(bridge->present()->loss, (*direct)[1].loss);
    QCOMPARE(bridge->present()->top1, (*direct)[1].top1);
    QVERIFY2(line->text().contains(QStringLiteral("before the last edit → now")),
             qPrintable(line->text()));

    // What was measured is kept: undo measures nothing.
    document->undoStack()->undo();
    QVERIFY(bridge->present());
    QVERIFY(!bridge->isBusy());
  }

  void theNextEditCancelsTheMeasurement() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_PICTURE(test, m_picture);
    MaskEffectBridge* bridge = test->effect()->bridge();
    PictureSample many = drawnPictures();
    many.data.validationSamples = 100'000;
    many.samples = 0;
    bridge->setSample(many);
    QTRY_VERIFY_WITH_TIMEOUT(bridge->isBusy(), kLong);
    Document* document = test.document();
    document->pushEdit(edited(document, {{0, 0}}, {MaskKind::Strict, 1}));
    QVERIFY(!bridge->isBusy());
    QVERIFY(!bridge->present());
    bridge->setSample(drawnPictures());
    QTRY_VERIFY_WITH_TIMEOUT(bridge->present(), kLong);
  }

  void picturesThatChangeAreShownAndOpen() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_PICTURE(test, m_picture);
    Document* document = test.document();
    test->effect()->bridge()->setSample(drawnPictures());
    document->pushEdit(
        edited(document, {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}}, {MaskKind::Strict, 1}));
    QTRY_VERIFY_WITH_TIMEOUT(test->effect()->bridge()->sinceReference(), kLong);
    ScopedDialogs scoped;
    QDialog* shown = nullptr;
    dialogs().show = [&](QDialog* dialog, const auto&) { shown = dialog; };
    test->actions()->find(QStringLiteral("masks.effect.pictures"))->trigger();
    QVERIFY(shown);
    const std::unique_ptr<QDialog> dialog(shown);
    auto* worst = dialog->findChild<QListWidget*>(QStringLiteral("worstPictures"));
    QVERIFY(worst->count() > 0);
    QTRY_VERIFY_WITH_TIMEOUT(!worst->item(0)->icon().isNull(), kLong);
    const Image before = document->image();
    Q_EMIT worst->itemActivated(worst->item(0));
    QVERIFY(document->image().pixels != before.pixels);
  }

  void headsShowTheChosenNumber() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_PICTURE(test, m_picture);
    Document* document = test.document();
    QCOMPARE(*document->number(1, 0), static_cast<double>(*document->locality(1, 0)));
    HeadValuesBridge* bridge = test->effect()->heads();
    for (const HeadMetric measure : {HeadMetric::Entropy, HeadMetric::Importance}) {
      bridge->choose(measure, false);
      QTRY_VERIFY_WITH_TIMEOUT(document->number(1, 0), kLong);
      const auto session = InferenceSession::create(smallExperiment());
      const auto direct =
          measureHeadMetrics(**session, document->image(), document->masks(), measure);
      QVERIFY(direct);
      QCOMPARE(*document->number(1, 0), direct->values[1][0]);
    }
    bridge->choose(HeadMetric::Distance, false);
    QTRY_VERIFY_WITH_TIMEOUT(document->numberChance(0), kLong);
    QVERIFY(document->numberText(*document->number(0, 0)).endsWith(QStringLiteral("px")));
    test->effect()->bridge()->setSample(drawnPictures());
    bridge->setSample(drawnPictures());
    bridge->choose(HeadMetric::Entropy, true);
    QTRY_VERIFY_WITH_TIMEOUT(document->numbers().values, kLong);
    QVERIFY(document->describeNumbers().contains(QStringLiteral("18 pictures")));
  }

  void headsAreSelectedByTheirNumber() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_PICTURE(test, m_picture);
    Document* document = test.document();
    ScopedDialogs scoped;
    std::vector<HeadPlace> expected;
    dialogs().show = [&](QDialog* dialog, const auto& done) {
      auto* select = qobject_cast<HeadSelectDialog*>(dialog);
      auto* bound = select->findChild<QDoubleSpinBox*>(QStringLiteral("headBound"));
      bound->setValue(*document->number(1, 1) + 0.0002);
      for (int layer = 0; layer < 3; ++layer)
        for (int head = 0; head < 2; ++head)
          if (*document->number(layer, head) < bound->value()) expected.push_back({layer, head});
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
    document.pushEdit(edited(&document, {{0, 0}}, {MaskKind::Hard, 3}));
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

    const MaskScheme kept = document.masks();
    document.undoStack()->undo();
    click("schemeApply");
    QVERIFY(document.masks() == kept);
    document.undoStack()->undo();
    QCOMPARE(document.masks().maskedHeads(), 0);
  }

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
  QString m_picture;
};

QTEST_MAIN(MeasuredEditsTest)
#include "MeasuredEditsTest.moc"
