// SPDX-License-Identifier: GPL-3.0-or-later

// Regions of masks in the window: the dialog's fields, painting, PNG files, and the panel that
// opens it; decays.

#include "ui/masks/RegionDialog.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>

#include <algorithm>
#include <functional>
#include <vector>

#include "tests/gui/Grab.h"
#include "tests/gui/SyntheticInference.h"
#include "ui/masks/BrushEditor.h"
#include "ui/masks/MaskMatrix.h"
#include "ui/masks/MaskPanel.h"
#include "ui/masks/PatchPainter.h"
#include "ui/widgets/Dialogs.h"

using namespace headlight;
using namespace headlight::synthetic;

class RegionDialogTest : public QObject {
  Q_OBJECT

  static HeadMask maskFrom(const char* text) { return *headMaskFromText(text); }
  static QString textOf(const RegionDialog& dialog) {
    return QString::fromStdString(toText(dialog.mask()));
  }

  struct Shown {
    RegionDialog dialog;
    ScopedDialogs dialogsAsBefore;
    QString said;
    explicit Shown(const char* mask)
        : dialog(maskFrom(mask), {Grid{kRows, kCols, 0}, 16, QStringLiteral("layer 0")}) {
      dialogs().error = [this](QWidget*, const QString&, const QString& text) { said = text; };
      dialog.show();
      dialog.activateWindow();  // no window manager does it under a bare X server
      if (!QTest::qWaitForWindowExposed(&dialog)) qFatal("the dialog was not shown");
    }
    template <typename W>
    W* find(const char* name) const {
      W* found = dialog.findChild<W*>(QString::fromLatin1(name));
      if (!found) qFatal("there is no %s", name);
      return found;
    }
    bool canAccept() const {
      return dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->isEnabled();
    }
    QString problem() const { return find<QLabel>("regionProblem")->text(); }
  };

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void fieldsSpellTheMask() {
    Shown s("soft:3@0.25");
    QCOMPARE(textOf(s.dialog), QStringLiteral("soft:3@0.25"));
    s.find<QComboBox>("regionShape")->setCurrentIndex(1);
    QCOMPARE(textOf(s.dialog), QStringLiteral("soft:natten3@0.25"));
    s.find<QLineEdit>("regionGlobal")->setText(QStringLiteral("0.0 3.4"));
    QCOMPARE(textOf(s.dialog), QStringLiteral("soft:natten3+0.0+3.4@0.25"));
    QVERIFY(s.canAccept());
    s.find<QSpinBox>("regionDilation")->setValue(2);
    QVERIFY(!s.canAccept());
    QVERIFY2(s.problem().contains(QStringLiteral("needs 6 patches")), qPrintable(s.problem()));
    s.find<QSpinBox>("regionDilation")->setValue(1);
    s.find<QLineEdit>("regionGlobal")->setText(QStringLiteral("9.9"));
    QVERIFY(!s.canAccept());
    s.find<QLineEdit>("regionGlobal")->setText(QStringLiteral("corner"));
    QVERIFY(!s.canAccept());
    s.find<QLineEdit>("regionGlobal")->clear();
    s.find<QComboBox>("regionShape")->setCurrentIndex(0);
    s.find<QCheckBox>("regionPixels")->setChecked(true);
    s.find<QSpinBox>("regionWindow")->setValue(48);
    QCOMPARE(textOf(s.dialog), QStringLiteral("soft:48px@0.25"));
    QVERIFY(s.canAccept());
  }

  void aDrawingIsPaintedByMouseAndKeys() {
    Shown s("hard:3");
    s.find<QComboBox>("regionShape")->setCurrentIndex(2);
    QVERIFY(!s.canAccept());  // nothing is selected
    auto* painter = s.find<PatchPainter>("patchPainter");
    QTRY_VERIFY(painter->isVisible());
    const auto middleOf = [&](int patch) { return painter->patchRect(patch).center().toPoint(); };
    QTest::mousePress(painter, Qt::LeftButton, {}, middleOf(11));
    QTest::mouseMove(painter, middleOf(12));
    QTest::mouseRelease(painter, Qt::LeftButton, {}, middleOf(12));
    QVERIFY(s.canAccept());
    QCOMPARE(s.dialog.mask().region.drawn->at(2, 1), true);
    QCOMPARE(s.dialog.mask().region.drawn->rows, 5);
    painter->setFocus();
    QTest::keyClick(painter, Qt::Key_Up);
    QTest::keyClick(painter, Qt::Key_Space);
    QCOMPARE(s.dialog.mask().region.drawn->at(1, 1), true);
    QTest::mouseClick(painter, Qt::LeftButton, {}, middleOf(6));
    QCOMPARE(s.dialog.mask().region.drawn->at(1, 1), false);
    s.find<QComboBox>("regionForm")->setCurrentIndex(2);
    s.find<QSpinBox>("regionQuery")->setValue(7);
    QTest::mouseClick(painter, Qt::LeftButton, {}, middleOf(3));
    const DrawnMask& drawn = *s.dialog.mask().region.drawn;
    QCOMPARE(drawn.rows, kRows * kCols);
    QVERIFY(drawn.at(7, 3));
    QCOMPARE(drawn.count(), std::int64_t{1});
    saveGrabs(s.dialog, QStringLiteral("region-dialog"));
  }

  /// Esc is near the arrows: what was painted is not lost by it.
  void escapeAsksBeforeADrawingIsLost() {
    Shown s("hard:3");
    int asked = 0;
    bool discards = false;
    dialogs().confirm = [&](QWidget*, const QString&, const QString&, const QString&,
                            const std::function<void(bool)>& answer) {
      ++asked;
      answer(discards);
    };
    s.find<QComboBox>("regionShape")->setCurrentIndex(2);
    auto* painter = s.find<PatchPainter>("patchPainter");
    QTRY_VERIFY(painter->isVisible());
    QTest::mouseClick(painter, Qt::LeftButton, {}, painter->patchRect(11).center().toPoint());
    QTest::keyClick(&s.dialog, Qt::Key_Escape);
    QCOMPARE(asked, 1);
    QVERIFY(s.dialog.isVisible());
    QVERIFY(s.dialog.mask().region.drawn->at(2, 1));
    discards = true;
    QTest::keyClick(&s.dialog, Qt::Key_Escape);
    QVERIFY(!s.dialog.isVisible());
  }

  void escapeClosesWhereNothingWasPainted() {
    Shown s("hard:3");
    dialogs().confirm = [](QWidget*, const QString&, const QString&, const QString&,
                           const std::function<void(bool)>&) { qFatal("nothing is to be asked"); };
    QTest::keyClick(&s.dialog, Qt::Key_Escape);
    QVERIFY(!s.dialog.isVisible());
  }

  void tabGoesFromTheFieldsToTheButtons() {
    Shown s("hard:3");
    QVERIFY(QTest::qWaitForWindowActive(&s.dialog));
    QTRY_COMPARE(s.dialog.focusWidget(), static_cast<QWidget*>(s.find<QComboBox>("regionShape")));
    const auto* ok = s.dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
    QVERIFY(ok->isDefault());
    std::vector<QWidget*> order;
    for (QWidget* at = s.dialog.nextInFocusChain(); at != &s.dialog; at = at->nextInFocusChain())
      order.push_back(at);
    const auto place = [&](const QWidget* widget) {
      return std::find(order.begin(), order.end(), widget) - order.begin();
    };
    QVERIFY(place(s.find<QLineEdit>("regionGlobal")) < place(s.find<QPushButton>("regionImport")));
    QVERIFY(place(s.find<QPushButton>("regionExport")) < place(ok));
    QVERIFY(place(ok) < static_cast<std::ptrdiff_t>(order.size()));
  }

  void aFieldThatIsOffSaysWhy() {
    Shown s("hard:3");
    auto* dilation = s.find<QSpinBox>("regionDilation");
    QVERIFY(!dilation->isEnabled());
    QVERIFY2(dilation->toolTip().contains(QStringLiteral("Only NATTEN")),
             qPrintable(dilation->toolTip()));
    s.find<QComboBox>("regionShape")->setCurrentIndex(1);
    QVERIFY(dilation->isEnabled());
    QVERIFY(!dilation->toolTip().contains(QStringLiteral("Only NATTEN")));
    s.find<QComboBox>("regionShape")->setCurrentIndex(2);
    QVERIFY(s.find<QSpinBox>("regionWindow")->toolTip().contains(QStringLiteral("drawing")));
  }

  void pngFilesAreImportedAndExported() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("mask.png"));
    Shown s("strict:natten3");
    s.dialog.exportPng(file);  // of all pairs
    QVERIFY(QFile::exists(file));
    QCOMPARE(QImage(file).size(), QSize(kRows * kCols, kRows * kCols));
    s.find<QComboBox>("regionShape")->setCurrentIndex(0);
    s.dialog.importPng(file);
    QVERIFY2(s.said.isEmpty(), qPrintable(s.said));
    QCOMPARE(s.dialog.mask().region.drawn->form, DrawnForm::Pairs);
    QCOMPARE(s.dialog.mask().region.drawn->count(), std::int64_t{9} * kRows * kCols);
    QVERIFY(s.canAccept());
    QImage wrong(6, 6, QImage::Format_RGB32);
    wrong.fill(Qt::white);
    QVERIFY(wrong.save(file));
    s.dialog.importPng(file);
    QVERIFY2(s.said.contains(QStringLiteral("6 × 6")), qPrintable(s.said));
    QCOMPARE(s.dialog.mask().region.drawn->form, DrawnForm::Pairs);  // as before
  }

  void aDrawingForAnotherLayerIsRefusedAndNotPaintedOn() {
    HeadMask mask = maskFrom("hard:3");
    DrawnMask drawn{DrawnForm::Pairs, 1, kRows * kCols, std::vector<std::uint8_t>(kRows * kCols)};
    drawn.ones[0] = 1;
    mask.region.kind = RegionKind::Drawn;
    mask.region.drawn = std::make_shared<const DrawnMask>(drawn);
    Shown s(toText(mask).c_str());
    QVERIFY(!s.canAccept());
    auto* painter = s.find<PatchPainter>("patchPainter");
    QTRY_VERIFY(painter->isVisible());
    s.find<QSpinBox>("regionQuery")->setValue(7);
    QTest::mouseClick(painter, Qt::LeftButton, {}, painter->patchRect(3).center().toPoint());
    QVERIFY(!s.canAccept());
    QCOMPARE(*s.dialog.mask().region.drawn, drawn);
  }

  void aModelOpenedMeanwhileKeepsItsMasks() {
    Document document;
    MaskPanel panel(&document);
    ScopedDialogs dialogsAsBefore;
    fill(document, makeModel(3, 2));
    panel.matrix()->setMask({{2, 1}}, maskFrom("soft:3@0.25"));
    panel.matrix()->select({{2, 1}});
    dialogs().show = [&document](QDialog* dialog, const std::function<void(int)>& done) {
      dialog->findChild<QComboBox*>(QStringLiteral("regionShape"))->setCurrentIndex(1);
      fill(document, makeModel(1, 1));
      done(QDialog::Accepted);
      delete dialog;
    };
    auto* region = panel.findChild<QAction*>(QStringLiteral("masks.region"));
    QVERIFY(region);
    region->trigger();
    QCOMPARE(document.inputs().masks().maskedHeads(), 0);
  }

  void thePanelSetsRegionsAndDecays() {
    Document document;
    MaskPanel panel(&document);
    ScopedDialogs dialogsAsBefore;
    fill(document, makeModel(3, 2));
    panel.resize(420, 420);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    const auto at = [&](int layer, int head) {
      return QString::fromStdString(toText(document.inputs().masks().at(layer, head)));
    };
    panel.matrix()->setMask({{0, 0}}, maskFrom("soft:3@0.25"));
    panel.matrix()->select({{0, 0}, {0, 1}});
    dialogs().show = [](QDialog* dialog, const std::function<void(int)>& done) {
      dialog->findChild<QComboBox*>(QStringLiteral("regionShape"))->setCurrentIndex(1);
      done(QDialog::Accepted);
      delete dialog;
    };
    auto* region = panel.findChild<QAction*>(QStringLiteral("masks.region"));
    QVERIFY(region);
    region->trigger();
    QCOMPARE(at(0, 0), QStringLiteral("soft:natten3@0.25"));
    QCOMPARE(at(0, 1), QStringLiteral("soft:natten3@0.25"));  // it had none
    document.inputs().undoStack()->undo();
    QCOMPARE(at(0, 0), QStringLiteral("soft:3@0.25"));
    panel.matrix()->select({{1, 0}});
    QTest::keyClick(panel.matrix(), Qt::Key_D);
    QCOMPARE(at(1, 0), QStringLiteral("decay:0.9"));
    auto* gamma = panel.findChild<QDoubleSpinBox*>(QStringLiteral("brush.gamma"));
    QVERIFY(gamma && gamma->isVisible());
    gamma->setValue(0.5);
    QCOMPARE(at(1, 0), QStringLiteral("decay:0.5"));
    QTest::keyClick(panel.matrix(), Qt::Key_R);
    QVERIFY(at(1, 0).startsWith(QStringLiteral("random:3")));
    // A window in pixels is shown whole, though the field is for patches.
    panel.matrix()->setMask({{1, 1}}, maskFrom("hard:480px"));
    panel.matrix()->select({{1, 1}});
    auto* window = panel.findChild<QSpinBox*>(QStringLiteral("brush.window"));
    QVERIFY(window);
    QCOMPARE(window->value(), 480);
    QVERIFY(!window->isEnabled());
    QCOMPARE(window->text(), QStringLiteral("480 px"));
    QVERIFY(window->toolTip().contains(QStringLiteral("pixels")));
    QCOMPARE(at(1, 1), QStringLiteral("hard:480px"));
  }
};

QTEST_MAIN(RegionDialogTest)
#include "RegionDialogTest.moc"
