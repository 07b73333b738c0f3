// SPDX-License-Identifier: GPL-3.0-or-later

// What the status bar and About this model say of a model: with its masks as they are now, and with
// all its stages.

#include <QDialog>
#include <QLabel>
#include <QRegularExpression>
#include <QTextBrowser>

#include "core/models/Registry.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/window/AboutDialogs.h"
#include "ui/window/StatusLine.h"

using namespace headlight;

class ModelInfoTest : public QObject {
  Q_OBJECT

  static QString about(TestWindow& test) {
    ScopedDialogs scoped;
    std::unique_ptr<QDialog> dialog;
    dialogs().show = [&](QDialog* shown, const std::function<void(int)>&) { dialog.reset(shown); };
    showModelInfo(*test.document(), &test.window);
    return dialog->findChild<QTextBrowser*>(QStringLiteral("modelInfoText"))->toPlainText();
  }
  static QString status(TestWindow& test) {
    return test.window.findChild<QLabel*>(QStringLiteral("statusSize"))->text();
  }

 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }
  void init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
  }

  void macsFollowTheMasks() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    const ModelConfig model = test.document()->inputs().model().experiment.model;
    const QString unmasked = shortCount(double(modelCost(model).macs));
    QVERIFY2(status(test).endsWith(unmasked + QStringLiteral("MACs")), qPrintable(status(test)));
    test.document()->inputs().pushEdit(*makeMaskEdit(
        test.document()->inputs().masks(), {{0, 0}, {0, 1}, {1, 1}}, {MaskKind::Hard, 1}, ""));
    const QString masked =
        shortCount(double(modelCost(model, test.document()->inputs().masks()).macs));
    QVERIFY(masked != unmasked);
    QVERIFY2(status(test).endsWith(masked + QStringLiteral("MACs")), qPrintable(status(test)));
    QVERIFY2(about(test).contains(QStringLiteral("%1 (%2 unmasked)").arg(masked, unmasked)),
             qPrintable(about(test)));
    test.document()->inputs().undoStack()->undo();
    QVERIFY2(status(test).endsWith(unmasked + QStringLiteral("MACs")), qPrintable(status(test)));
  }

  void stagesAreSaidAsStages() {
    TestWindow test;
    Experiment experiment = smallExperiment();
    experiment.model.backbone = "swin";
    experiment.model.imageSize = 64;
    experiment.model.depths = {1, 3};
    experiment.model.classToken = false;
    test->modelWorker()->createModel(experiment);
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    QVERIFY2(about(test).contains(QStringLiteral("1+3 layers x 2+4 heads, width 32+64")),
             qPrintable(about(test)));
  }
};

QTEST_MAIN(ModelInfoTest)
#include "ModelInfoTest.moc"
