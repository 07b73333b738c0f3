// SPDX-License-Identifier: GPL-3.0-or-later

// The size of images: what it costs is said, and what cannot be is refused.

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>

#include "core/models/Registry.h"
#include "core/workbench/session/Images.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/opening/ResolutionDialog.h"
#include "ui/widgets/MessageLabel.h"

using namespace headlight;

class ResolutionDialogTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }

  void costIsShownBeforeApplying() {
    ResolutionDialog dialog(findPublishedModel("vit_small_patch14_reg4_dinov2")->config);
    QVERIFY(dialog.costText().startsWith("37 × 37 patches"));
    const auto sides = dialog.findChildren<QSpinBox*>();
    QCOMPARE(sides.size(), 2);
    QPushButton* ok = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
    sides[0]->setValue(224);
    QVERIFY(dialog.costText().startsWith("16 × 16 patches"));
    QCOMPARE(dialog.imageWidth(), 224);
    QVERIFY(ok->isEnabled());
    sides[0]->setValue(225);
    QVERIFY(dialog.costText().contains("224 and 238 are"));
    QVERIFY(!ok->isEnabled());
    sides[0]->stepUp();
    QCOMPARE(sides[0]->value(), 239);  // a patch further
  }

  void transparencyIsAsTheModelSays() {
    ModelConfig model = findPublishedModel("vit_micro")->config;
    QCOMPARE(ResolutionDialog(model).transparency(), std::string("white"));
    model.transparency = "drop";
    ResolutionDialog dialog(model);
    QCOMPARE(dialog.transparency(), std::string("drop"));
    dialog.findChild<QCheckBox*>(QStringLiteral("dropAlpha"))->setChecked(false);
    QCOMPARE(dialog.transparency(), std::string("white"));
  }

  void droppingAlphaChangesWhatTheModelSees() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, QStringLiteral(HEADLIGHT_GOLDEN_DIR "/pillow/formats/alpha.png"));
    const Image image = test.document()->inputs().image();
    QVERIFY(image.alphaDropped);
    const auto sees = [&](bool drop) {
      const auto inference = test.document()->inference();
      const Preprocessing seen =
          makePreprocessing(test.document()->inputs().model().experiment.model);
      Preprocessing plain = seen;
      plain.dropAlpha = false;
      return inference && !test.document()->isStale() && seen.dropAlpha == drop &&
             *inference->view.pixels ==
                 *evaluationView(withTransparency(image, drop), plain).pixels;
    };
    QVERIFY(sees(false));
    ScopedDialogs scoped;
    dialogs().show = [](QDialog* dialog, const std::function<void(int)>& done) {
      dialog->findChild<QCheckBox*>(QStringLiteral("dropAlpha"))->setChecked(true);
      done(QDialog::Accepted);
      dialog->deleteLater();
    };
    test->actions()->find(QStringLiteral("model.resolution"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(sees(true), 20000);
  }
};

QTEST_MAIN(ResolutionDialogTest)
#include "ResolutionDialogTest.moc"
