// SPDX-License-Identifier: GPL-3.0-or-later

// Choosing a model: published ones with their costs, one's own with what is wrong with it, weights;
// and the report of what a checkpoint would do.

#include "core/models/Registry.h"
#include "ui/opening/ModelDialog.h"

#include <QAbstractSpinBox>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTreeWidget>

#include "tests/gui/Grab.h"
#include "tests/gui/SyntheticInference.h"
#include "ui/forms/ParameterForm.h"
#include "ui/opening/LoadReportDialog.h"
#include "ui/opening/ModelList.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"

using namespace headlight;
using namespace headlight::synthetic;

class ModelDialogTest : public QObject {
  Q_OBJECT

  struct Fixture {
    Document& document;
    ModelDialog dialog;
    ScopedDialogs dialogsAsBefore;
    explicit Fixture(Document& doc) : document(doc), dialog(&doc) {
      dialog.show();
      if (!QTest::qWaitForWindowExposed(&dialog)) qFatal("the dialog was not shown");
    }
    template <typename W>
    W* find(const char* name) const {
      W* found = dialog.findChild<W*>(QString::fromLatin1(name));
      if (!found) qFatal("there is no %s", name);
      return found;
    }
    QPushButton* open() const { return find<QPushButton>("openModel"); }
    QString cost() const { return find<QLabel>("modelCost")->text(); }
    bool has(const char* name) const {
      return dialog.findChild<QWidget*>(QString::fromLatin1(name)) != nullptr;
    }
    int top(const char* field) const {
      return find<QWidget>(field)->mapTo(&dialog, QPoint(0, 0)).y();
    }
    void choose(const char* field, const QString& value) {
      find<QComboBox>(field)->setCurrentText(value);
    }
    void type(const char* field, const QString& text) {
      auto* editor = find<QWidget>(field);
      editor->setFocus();
      QTest::keySequence(editor, QKeySequence::SelectAll);
      QTest::keyClicks(editor, text);
    }
  };

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void everyPublishedModelIsListedWithItsCost() {
    Document document;
    Fixture f(document);
    auto* list = f.find<QTreeWidget>("modelList");
    QStringList listed;
    for (int i = 1; i < list->topLevelItemCount() - 1;
         ++i)  // between the common ones and one's own
      for (int k = 0; k < list->topLevelItem(i)->childCount(); ++k)
        listed << list->topLevelItem(i)->child(k)->text(0);
    QCOMPARE(listed.size(), static_cast<qsizetype>(publishedModels().size()));
    for (const PublishedModel& model : publishedModels()) {
      QCOMPARE(listed.count(QString::fromStdString(model.name)), 1);
      f.dialog.selectModel(QString::fromStdString(model.name));
      QVERIFY2(f.dialog.isValid() && f.dialog.isPublished(), model.name.c_str());
      QCOMPARE(f.dialog.source().model, model.name);
      const QString parameters = list->currentItem()->text(1);
      QVERIFY2(f.cost().startsWith(parameters), qPrintable(f.cost()));
    }
    f.dialog.selectModel(QStringLiteral("deit_tiny_patch16_224"));
    const double macs = modelCost(findPublishedModel("deit_tiny_patch16_224")->config).macs;
    QVERIFY(std::abs(macs / 1e9 - 1.26) < 0.05 * 1.26);  // as published
    QCOMPARE(f.cost(), QStringLiteral("5.72 M parameters · %1 GMACs · 14 × 14 patches, 197 tokens")
                           .arg(macs / 1e9, 0, 'g', 3));
  }

  void theListIsFiltered() {
    Document document;
    Fixture f(document);
    auto* list = f.find<QTreeWidget>("modelList");
    f.type("modelFilter", QStringLiteral("deit small"));
    QStringList shown;
    for (int i = 0; i < list->topLevelItemCount(); ++i) {
      const auto* family = list->topLevelItem(i);
      int here = 0;
      for (int k = 0; k < family->childCount(); ++k) {
        const auto* item = family->child(k);
        if (item->isHidden()) continue;
        ++here;
        const QString all = item->text(0) + item->toolTip(0) + family->text(0);
        for (const char* word : {"deit", "small"})
          QVERIFY2(all.contains(QLatin1String(word), Qt::CaseInsensitive), qPrintable(all));
        if (!family->isHidden()) shown << item->text(0);
      }
      QVERIFY2(family->isHidden() == (here == 0), qPrintable(family->text(0)));
      QVERIFY2(here == 0 || family->isExpanded(), qPrintable(family->text(0)));
    }
    QVERIFY(shown.contains(QStringLiteral("deit_small_patch16_224")));
    QVERIFY(shown.size() < static_cast<qsizetype>(publishedModels().size()) / 2);
    QCOMPARE(shown.removeDuplicates(), 0);
  }

  void itOpensOnWhatIsCommonAndNotOnCustom() {
    Document document;
    fill(document, makeModel(3, 2));  // dimensions of one's own
    Fixture f(document);
    auto* list = f.find<QTreeWidget>("modelList");
    QCOMPARE(f.dialog.source().model, std::string("deit_tiny_patch16_224"));
    QVERIFY(f.dialog.isPublished());
    QCOMPARE(list->currentItem()->parent(), list->topLevelItem(0));
    QVERIFY(list->topLevelItem(0)->text(0).startsWith(QStringLiteral("Common")));
    QVERIFY(list->topLevelItem(0)->isExpanded());
    QCOMPARE(list->topLevelItem(list->topLevelItemCount() - 1)->text(0), QStringLiteral("Custom…"));
    for (int i = 1; i < list->topLevelItemCount(); ++i)
      QVERIFY(!list->topLevelItem(i)->isExpanded());
    Document published;
    ModelInfo small = makeModel(12, 6);
    small.experiment.model = findPublishedModel("deit_small_patch16_224")->config;
    fill(published, small);
    Fixture again(published);
    QCOMPARE(again.dialog.source().model, std::string("deit_small_patch16_224"));
  }

  void aFamilyNamesItsPaperAndIsNoModel() {
    Document document;
    Fixture f(document);
    auto* list = f.find<QTreeWidget>("modelList");
    QTreeWidgetItem* family = nullptr;
    for (int i = 0; i < list->topLevelItemCount(); ++i)
      if (list->topLevelItem(i)->text(0).startsWith(QStringLiteral("DeiT ·")))
        family = list->topLevelItem(i);
    QVERIFY(family);
    QCOMPARE(family->text(0), QStringLiteral("DeiT · Touvron et al. 2021"));
    list->setCurrentItem(family);
    QCOMPARE(f.find<QLabel>("modelDescription")->text(), family->text(0));
    QVERIFY(!f.open()->isEnabled());
    list->setCurrentItem(family->child(1));
    QVERIFY(f.open()->isEnabled());
    QCOMPARE(f.dialog.source().model, family->child(1)->text(0).toStdString());
  }

  void sizesAreInMillionsAndBillions() {
    QCOMPARE(millionsText(5.7174e6), QStringLiteral("5.72 M"));
    QCOMPARE(millionsText(1.1362e9), QStringLiteral("1,136 M"));
    QCOMPARE(millionsText(91e3), QStringLiteral("0.091 M"));
    QCOMPARE(billionsText(281e6), QStringLiteral("0.281 G"));
    QCOMPARE(billionsText(1784.4e9), QStringLiteral("1,784 G"));
    Document document;
    Fixture f(document);
    for (const PublishedModel& model : publishedModels()) {
      f.dialog.selectModel(QString::fromStdString(model.name));
      const auto* item = f.find<QTreeWidget>("modelList")->currentItem();
      QVERIFY2(item->text(1).endsWith(QStringLiteral(" M")), model.name.c_str());
      QVERIFY2(item->text(2).endsWith(QStringLiteral(" G")), model.name.c_str());
      QVERIFY2(!(item->text(1) + item->text(2)).contains(QLatin1Char('e')), model.name.c_str());
    }
  }

  void typingChoosesAndEnterOpensThat() {
    Document document;
    Fixture f(document);
    auto* filter = f.find<QLineEdit>("modelFilter");
    auto* list = f.find<QTreeWidget>("modelList");
    f.dialog.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&f.dialog));
    QCOMPARE(f.dialog.focusWidget(), filter);  // it can be typed at once
    QSignalSpy accepted(&f.dialog, &QDialog::accepted);
    QTest::keyClicks(filter, QStringLiteral("deit_small"));
    QCOMPARE(f.dialog.source().model, std::string("deit_small_patch16_224"));
    QVERIFY(f.dialog.isPublished() && !list->currentItem()->isHidden());
    QTest::keyClick(filter, Qt::Key_Return);
    QCOMPARE(accepted.size(), 1);
  }

  void arrowsFromTheFieldEnterTheList() {
    Document document;
    Fixture f(document);
    auto* filter = f.find<QLineEdit>("modelFilter");
    auto* list = f.find<QTreeWidget>("modelList");
    QTest::keyClicks(filter, QStringLiteral("deit"));
    const QTreeWidgetItem* first = list->currentItem();
    QTest::keyClick(filter, Qt::Key_Down);
    QVERIFY(list->currentItem() != first && !list->currentItem()->isHidden());
    QVERIFY(f.dialog.focusWidget() == list);
    QSignalSpy accepted(&f.dialog, &QDialog::accepted);
    QTest::keyClick(list, Qt::Key_Return);
    QCOMPARE(accepted.size(), 1);
    QCOMPARE(f.dialog.source().model, list->currentItem()->text(0).toStdString());
  }

  void whereNothingMatchesEnterOpensNothing() {
    Document document;
    Fixture f(document);
    auto* filter = f.find<QLineEdit>("modelFilter");
    auto* said = f.find<MessageLabel>("modelNoMatch");
    const QTreeWidgetItem* before = f.find<QTreeWidget>("modelList")->currentItem();
    QSignalSpy accepted(&f.dialog, &QDialog::accepted);
    QTest::keyClicks(filter, QStringLiteral("zzz"));
    QVERIFY2(said->text().contains(QStringLiteral("zzz")), qPrintable(said->text()));
    QVERIFY(said->isVisible());
    QTest::keyClick(filter, Qt::Key_Return);
    QCOMPARE(accepted.size(), 0);
    QVERIFY(f.dialog.isVisible());
    filter->clear();
    QCOMPARE(f.find<QTreeWidget>("modelList")->currentItem(), before);
    QVERIFY(f.open()->isEnabled() && !said->isVisible());
  }

  void editingMakesItOnesOwnWithLiveCost() {
    Document document;
    Fixture f(document);
    f.dialog.selectModel(QStringLiteral("deit_tiny_patch16_224"));
    const QString before = f.cost();
    f.type("field.depth", QStringLiteral("6"));
    QVERIFY(f.cost() != before);
    QVERIFY(f.dialog.isValid());
    QVERIFY(!f.dialog.isPublished());
    QCOMPARE(f.dialog.experiment().model.depth, 6);
    ModelConfig expected = findPublishedModel("deit_tiny_patch16_224")->config;
    expected.depth = 6;
    QVERIFY(f.cost().startsWith(
        QStringLiteral("%1 M").arg(modelCost(expected).parameters / 1e6, 0, 'g', 3)));
    f.type("field.depth", QStringLiteral("12"));
    QVERIFY(f.dialog.isPublished());
  }

  void anEditedModelIsNotThePublishedOneByName() {
    Document document;
    Fixture f(document);
    auto* list = f.find<QTreeWidget>("modelList");
    auto* description = f.find<QLabel>("modelDescription");
    f.dialog.selectModel(QStringLiteral("deit_tiny_patch16_224"));
    const QString published = description->text();
    QCOMPARE(f.dialog.experiment().model.name, std::string("deit_tiny_patch16_224"));
    f.type("field.depth", QStringLiteral("6"));
    QCOMPARE(f.dialog.experiment().model.name, std::string("custom"));
    QVERIFY2(description->text().contains(QStringLiteral("edited from deit_tiny_patch16_224")),
             qPrintable(description->text()));
    // A click on the name that is chosen already shows that model again.
    list->scrollToItem(list->currentItem());
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                      list->visualItemRect(list->currentItem()).center());
    QVERIFY(f.dialog.isPublished());
    QCOMPARE(f.dialog.experiment().model.depth, 12);
    QCOMPARE(f.find<QAbstractSpinBox>("field.depth")->text(), QStringLiteral("12"));
    QCOMPARE(description->text(), published);
  }

  void maskedModelsCostWhatTheirPapersCount() {
    Document document;
    Fixture f(document);
    const PublishedModel& model = *findPublishedModel("h_mait_tiny");
    QVERIFY(publishedCost(model).macs < modelCost(model.config).macs);
    const QString counted = QStringLiteral("%1 G").arg(publishedCost(model).macs / 1e9, 0, 'g', 3);
    f.dialog.selectModel(QStringLiteral("h_mait_tiny"));
    QCOMPARE(f.find<QTreeWidget>("modelList")->currentItem()->text(2), counted);
    QVERIFY2(f.cost().contains(counted + QStringLiteral("MACs")), qPrintable(f.cost()));
    // One's own has no masks of a paper.
    f.type("field.classes", QStringLiteral("9"));
    ModelConfig own = model.config;
    own.classes = 9;
    QVERIFY2(
        f.cost().contains(QStringLiteral("%1 GMACs").arg(modelCost(own).macs / 1e9, 0, 'g', 3)),
        qPrintable(f.cost()));
  }

  void mismatchIsReported() {
    Document document;
    Fixture f(document);
    f.dialog.selectModel(QStringLiteral("deit_tiny_patch16_224"));
    f.type("field.heads", QStringLiteral("5"));
    QVERIFY(!f.dialog.isValid());
    QVERIFY(!f.open()->isEnabled());
    QVERIFY(f.find<MessageLabel>("modelError")
                ->text()
                .contains(QStringLiteral("5 heads do not divide the width 192")));
    QVERIFY(f.find<MessageLabel>("error.heads")->isVisible());
    f.type("field.heads", QStringLiteral("4"));
    QVERIFY(f.dialog.isValid());
    QVERIFY(f.open()->isEnabled());
    f.type("field.patch_size", QStringLiteral("15"));
    QVERIFY(
        f.find<MessageLabel>("modelError")->text().contains(QStringLiteral("15-pixel patches")));
    f.type("field.patch_size", QString());
    QTest::keyClick(f.find<QWidget>("field.patch_size"), Qt::Key_Backspace);
    QVERIFY(!f.dialog.isValid());
  }

  void optionsComeAndGoWithTheMechanism() {
    Document document;
    Fixture f(document);
    f.dialog.selectModel(QStringLiteral("deit_tiny_patch16_224"));
    QVERIFY(!f.has("field.attention.gumbel"));
    f.choose("field.mechanism", QStringLiteral("aft_conv"));
    QVERIFY(f.has("field.attention.gumbel") &&
            f.find<QWidget>("field.attention.kernel")->isVisible());
    QVERIFY2(f.dialog.isValid(), qPrintable(f.find<MessageLabel>("modelError")->text()));
    QVERIFY(!f.dialog.isPublished());
    f.type("field.attention.kernel", QStringLiteral("7"));
    QVERIFY(f.dialog.isValid());
    ModelConfig model = f.dialog.experiment().model;
    QCOMPARE(model.mechanism, std::string("aft_conv"));
    QCOMPARE(model.attention.at("kernel").get<int>(), 7);
    QCOMPARE(model.depth, 12);  // what all models share stays
    // Another mechanism: its options go, and so do their values.
    f.choose("field.mechanism", QStringLiteral("softmax"));
    QVERIFY(!f.has("field.attention.gumbel"));
    QVERIFY2(f.dialog.isPublished(), qPrintable(f.find<MessageLabel>("modelError")->text()));
    QVERIFY(!f.dialog.experiment().model.attention.contains("gumbel"));
  }

  void aWrongOptionIsSaidBesideItsField() {
    Document document;
    Fixture f(document);
    f.dialog.selectModel(QStringLiteral("aft_conv_tiny_11_32"));
    QVERIFY(f.dialog.isPublished());
    QVERIFY(
        f.find<QLabel>("modelDescription")
            ->text()
            .endsWith(QStringLiteral("Published: 5.4 M parameters.")));  // the paper counts no MACs
    for (const char* wrong :
         {"999", "4"}) {  // out of range; of no middle, which only AFT-conv knows
      f.type("field.attention.kernel", QString::fromLatin1(wrong));
      QVERIFY(!f.dialog.isValid());
      QVERIFY(!f.open()->isEnabled());
      QVERIFY2(f.find<MessageLabel>("error.attention.kernel")->isVisible(), wrong);
      QVERIFY(f.find<MessageLabel>("modelError")->isVisible());
    }
    QVERIFY(f.find<MessageLabel>("error.attention.kernel")
                ->text()
                .contains(QStringLiteral("has no center")));
    f.type("field.attention.kernel", QStringLiteral("11"));
    QVERIFY(f.dialog.isPublished());
    QVERIFY(!f.find<MessageLabel>("error.attention.kernel")->isVisible());
  }

  void optionsComeAndGoWithTheBackbone() {
    Document document;
    Fixture f(document);
    f.dialog.selectModel(QStringLiteral("deit_tiny_patch16_224"));
    QVERIFY(!f.has("field.layout.stem"));
    f.choose("field.backbone", QStringLiteral("swin"));
    QVERIFY(f.has("field.layout.stem") && f.has("field.layout.merging"));
    // It has no class token, and says so where the token is switched off.
    QVERIFY(!f.dialog.isValid());
    QVERIFY2(f.find<MessageLabel>("error.class_token")->isVisible(),
             qPrintable(f.find<MessageLabel>("modelError")->text()));
    f.find<QCheckBox>("field.class_token")->setChecked(false);
    QVERIFY2(f.dialog.isValid(), qPrintable(f.find<MessageLabel>("modelError")->text()));
    f.choose("field.layout.stem", QStringLiteral("conv"));
    ModelConfig model = f.dialog.experiment().model;
    QCOMPARE(model.backbone, std::string("swin"));
    QCOMPARE(model.layout.at("stem").get<std::string>(), std::string("conv"));
    f.choose("field.backbone", QStringLiteral("vit"));
    QVERIFY(!f.has("field.layout.merging"));
    f.find<QCheckBox>("field.class_token")->setChecked(true);
    QVERIFY(f.dialog.isPublished());
  }

  void optionsStandBelowTheirChoice() {
    Document document;
    Fixture f(document);
    f.dialog.selectModel(QStringLiteral("aft_conv_tiny_11_32"));
    f.choose("field.backbone", QStringLiteral("swin"));
    QTRY_VERIFY(f.top("field.mechanism") < f.top("field.attention.kernel"));
    QVERIFY(f.top("field.backbone") < f.top("field.mechanism"));
    QVERIFY(f.top("field.attention.kernel") < f.top("field.layout.stem"));
    for (const char* shared : {"field.image_size", "field.width", "field.mean"})
      QVERIFY2(f.top("field.layout.merging") < f.top(shared), shared);
    // And so they are reached by keys.
    const QWidget* next = f.find<QWidget>("field.mechanism");
    do {
      next = next->nextInFocusChain();
    } while (!next->objectName().startsWith(QStringLiteral("field.")));
    QVERIFY2(next->objectName().startsWith(QStringLiteral("field.attention.")),
             qPrintable(next->objectName()));
  }

  void fixedSettingsOfTheBackboneAreHidden() {
    Document document;
    Fixture f(document);
    const auto isShown = [&](const char* field) { return f.find<QWidget>(field)->isVisible(); };
    f.dialog.selectModel(QStringLiteral("deit_tiny_patch16_224"));
    for (const char* ofOthers :
         {"field.depths", "field.stage_widths", "field.stage_heads", "field.class_depth"})
      QVERIFY2(!isShown(ofOthers), ofOthers);
    QVERIFY(isShown("field.depth") && isShown("field.class_token") && isShown("field.distilled"));
    f.choose("field.backbone", QStringLiteral("swin"));
    QVERIFY(isShown("field.depths") && isShown("field.stage_widths"));
    QVERIFY(!isShown("field.distilled") && !isShown("field.class_depth"));
    QVERIFY(isShown("field.class_token"));  // it is on, which is to be mended
    f.dialog.selectModel(QStringLiteral("swin_tiny_patch4_window7_224"));
    QVERIFY(f.dialog.isValid());
    QVERIFY(!isShown("field.class_token"));
    f.dialog.selectModel(QStringLiteral("deit_tiny_patch16_224"));
    QVERIFY(isShown("field.class_token"));
  }

  void aDetectorsShapeFollowsFromItsSize() {
    Document document;
    Fixture f(document);
    f.dialog.selectModel(QStringLiteral("deit_tiny_patch16_224"));
    f.choose("field.backbone", QStringLiteral("lcnet_vit"));
    QVERIFY2(f.dialog.isValid(), qPrintable(f.find<MessageLabel>("modelError")->text()));
    ModelConfig model = f.dialog.experiment().model;
    QCOMPARE(model.layout.at("size").get<std::string>(), std::string("s"));
    QCOMPARE(model.stageWidths, (std::vector<int>{192, 384}));  // 256 and 512 times 0.75
    QCOMPARE(model.cropMode, std::string("squash"));
    for (const char* derived : {"field.width", "field.depths", "field.class_token"}) {
      QVERIFY2(!f.find<QWidget>(derived)->isEnabled(), derived);
      QVERIFY2(f.find<QWidget>(derived)->toolTip().contains(QStringLiteral("lcnet_vit")), derived);
    }
    QVERIFY(f.find<QWidget>("field.image_size")->isEnabled());
    f.choose("field.layout.size", QStringLiteral("xs"));
    QVERIFY2(f.dialog.isValid(), qPrintable(f.find<MessageLabel>("modelError")->text()));
    QCOMPARE(f.find<QLineEdit>("field.stage_widths")->text(), QStringLiteral("128, 256"));
    QCOMPARE(f.dialog.experiment().model.stageHeads, (std::vector<int>{4, 8}));
    f.choose("field.backbone", QStringLiteral("esnet_vit"));
    QVERIFY2(f.dialog.isValid(), qPrintable(f.find<MessageLabel>("modelError")->text()));
    QCOMPARE(f.dialog.experiment().model.patchSize, 32);
    QVERIFY(f.dialog.experiment().model.stageWidths.empty());
  }

  void leavingADetectorRestoresWhatItReplaced() {
    Document document;
    Fixture f(document);
    f.dialog.selectModel(QStringLiteral("deit_tiny_patch16_224"));
    f.choose("field.backbone", QStringLiteral("lcnet_vit"));
    f.choose("field.backbone", QStringLiteral("esnet_vit"));
    f.choose("field.backbone", QStringLiteral("vit"));
    QVERIFY2(f.dialog.isPublished(), qPrintable(f.find<MessageLabel>("modelError")->text()));
    QVERIFY(f.find<QWidget>("field.width")->isEnabled());
    QVERIFY(!f.find<QWidget>("field.width")->toolTip().contains(QStringLiteral("esnet_vit")));
    // A detector that was chosen in the list replaced nothing: the defaults return.
    f.dialog.selectModel(QStringLiteral("lcnet_vit_s_320"));
    QVERIFY(f.dialog.isPublished());
    f.choose("field.layout.size", QStringLiteral("m"));
    QVERIFY(f.dialog.isValid() && !f.dialog.isPublished());
    f.choose("field.backbone", QStringLiteral("vit"));
    QVERIFY2(f.dialog.isValid(), qPrintable(f.find<MessageLabel>("modelError")->text()));
    QCOMPARE(f.dialog.experiment().model.depth, ModelConfig().depth);
    QCOMPARE(f.dialog.experiment().model.cropMode, ModelConfig().cropMode);
  }

  void detectorsAreListedWithCastlingViT() {
    Document document;
    Fixture f(document);
    for (const char* name : {"lcnet_vit_s_320", "castling_esnet_vit_m_416"}) {
      f.dialog.selectModel(QLatin1String(name));
      const auto* item = f.find<QTreeWidget>("modelList")->currentItem();
      QCOMPARE(item->parent()->text(0), QStringLiteral("Castling-ViT · You et al. 2023"));
      QVERIFY2(f.dialog.isPublished(), name);
    }
  }

  void weightsAreChosen() {
    Document document;
    Fixture f(document);
    dialogs().files = [](QWidget*, const FileQuestion&, const auto& answer) {
      answer({QStringLiteral("/tmp/w.pth")});
    };
    QTest::mouseClick(f.find<QPushButton>("browseWeights"), Qt::LeftButton);
    QCOMPARE(f.dialog.weights(), std::filesystem::path("/tmp/w.pth"));
    QCOMPARE(f.dialog.source().weights, std::filesystem::path("/tmp/w.pth"));
    QSignalSpy accepted(&f.dialog, &QDialog::accepted);
    QTest::mouseClick(f.open(), Qt::LeftButton);
    QCOMPARE(accepted.size(), 1);
  }

  void customBeginsWithTheOpenModelAndKeepsMasksThatFit() {
    Document document;
    fill(document, makeModel(3, 2));
    document.inputs().pushEdit(
        *makeMaskEdit(document.inputs().masks(), {{1, 1}}, *headMaskFromText("hard:5"), "x"));
    Fixture f(document);
    f.dialog.selectModel(QStringLiteral("custom"));
    QCOMPARE(f.dialog.experiment().model.depth, 3);
    QVERIFY(!f.dialog.isPublished());
    const auto kept = resolveMasks(f.dialog.experiment().masks, MaskShape({2, 2, 2}));
    QVERIFY(kept && *kept == document.inputs().masks());
    f.type("field.depth", QStringLiteral("1"));  // the masks of layer 1 no longer fit
    QVERIFY(f.dialog.isValid());
    const auto fresh = resolveMasks(f.dialog.experiment().masks, MaskShape(std::vector{2}));
    QVERIFY(fresh.ok());
    QCOMPARE(fresh->maskedHeads(), 0);
  }

  void theLoadReportListsEveryName() {
    LoadReport report;
    report.matched = {"norm.weight", "norm.bias"};
    report.missing = {"head.bias"};
    report.unexpected = {"dist_token"};
    report.resized = {{"pos_embed", {1, 197, 192}, {1, 145, 192}, "bicubic", "14×14 → 12×12"}};
    report.mismatched = {{"head.weight", {1000, 192}, {9, 192}}};
    report.taken = {
        {"blocks.0.attn.v.weight", "blocks.0.attn.qkv.weight", "rows 384 to 575 of 576"}};
    LoadReportDialog dialog(report, QStringLiteral("w.pth"));
    auto* tree = dialog.findChild<QTreeWidget*>(QStringLiteral("loadReportTree"));
    const std::map<QString, std::pair<int, QString>> expected{
        {QStringLiteral("matched"), {2, QStringLiteral("norm.weight")}},
        {QStringLiteral("missing"), {1, QStringLiteral("head.bias")}},
        {QStringLiteral("unexpected"), {1, QStringLiteral("dist_token")}},
        {QStringLiteral("resized"), {1, QStringLiteral("pos_embed")}},
        {QStringLiteral("mismatched"), {1, QStringLiteral("head.weight")}},
        {QStringLiteral("taken"), {1, QStringLiteral("blocks.0.attn.v.weight")}}};
    QCOMPARE(tree->topLevelItemCount(), 6);
    for (int i = 0; i < 6; ++i) {
      const auto* group = tree->topLevelItem(i);
      const auto& [count, first] = expected.at(group->data(0, Qt::UserRole).toString());
      QCOMPARE(group->childCount(), count);
      QVERIFY(group->text(0).startsWith(QString::number(count)));
      QCOMPARE(group->child(0)->text(0), first);
      if (group->data(0, Qt::UserRole).toString() == QStringLiteral("taken"))
        QCOMPARE(group->child(0)->text(1),
                 QStringLiteral("blocks.0.attn.qkv.weight, rows 384 to 575 of 576"));
    }
    QSignalSpy accepted(&dialog, &QDialog::accepted);
    auto* load = dialog.findChild<QPushButton*>(QStringLiteral("loadButton"));
    QVERIFY(load->isEnabled());
    QCOMPARE(load->text(), QStringLiteral("Load anyway"));
    auto* note = dialog.findChild<MessageLabel*>(QStringLiteral("loadReportNote"));
    QCOMPARE(note->tone(), MessageLabel::Tone::Problem);
    QVERIFY2(note->text().startsWith(QStringLiteral("2 of the model's")), qPrintable(note->text()));
    load->click();
    QCOMPARE(accepted.size(), 1);
    dialog.show();
    saveGrabs(dialog, QStringLiteral("load-report"));
  }

  void partsOfOtherTensorsAreEnoughToLoad() {
    LoadReport report;
    report.taken = {{"a", "abc", "rows 0 to 1 of 6"}};
    LoadReportDialog dialog(report, QStringLiteral("w.pth"));
    QVERIFY(dialog.findChild<QPushButton*>(QStringLiteral("loadButton"))->isEnabled());
    // Most files are taken whole: then the group is not there.
    report.taken.clear();
    report.matched = {"a"};
    const LoadReportDialog whole(report, QStringLiteral("w.pth"));
    QCOMPARE(whole.findChild<QTreeWidget*>(QStringLiteral("loadReportTree"))->topLevelItemCount(),
             5);
  }

  void aFileOfAnotherModelCannotBeLoaded() {
    LoadReport report;
    report.missing = {"a"};
    report.unexpected = {"b"};
    LoadReportDialog dialog(report, QStringLiteral("w.pth"));
    QVERIFY(!dialog.findChild<QPushButton*>(QStringLiteral("loadButton"))->isEnabled());
    QCOMPARE(dialog.findChild<MessageLabel*>(QStringLiteral("loadReportNote"))->tone(),
             MessageLabel::Tone::Problem);
  }

  void images() {
    Document document;
    Fixture f(document);
    saveGrabs(f.dialog, QStringLiteral("model-dialog"));
    f.type("field.heads", QStringLiteral("5"));
    saveGrabs(f.dialog, QStringLiteral("model-dialog-error"));
    f.dialog.selectModel(QStringLiteral("aft_conv_tiny_11_32"));
    f.type("field.attention.kernel", QStringLiteral("4"));
    saveGrabs(f.dialog, QStringLiteral("model-dialog-options"));
  }
};

QTEST_MAIN(ModelDialogTest)
#include "ModelDialogTest.moc"
