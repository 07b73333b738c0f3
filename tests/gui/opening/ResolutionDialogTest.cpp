// SPDX-License-Identifier: GPL-3.0-or-later

// The size of images: what it costs is said, and what cannot be is refused.

#include <QDialogButtonBox>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>

#include "core/models/Registry.h"
#include "ui/opening/ResolutionDialog.h"
#include "ui/widgets/MessageLabel.h"

using namespace headlight;

class ResolutionDialogTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
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
};

QTEST_MAIN(ResolutionDialogTest)
#include "ResolutionDialogTest.moc"
