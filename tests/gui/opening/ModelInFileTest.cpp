// SPDX-License-Identifier: GPL-3.0-or-later

// A file that holds several models: which of them is open is said, and another can be chosen.

#include <QListWidget>
#include <QPushButton>
#include <QRegularExpression>

#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/opening/LoadReportDialog.h"
#include "ui/opening/ModelInFile.h"

using namespace headlight;

namespace {

const std::vector<LoadReport::Choice> kChoices{{"teacher", 30, true}, {"student", 31, false}};

/// Chooses row `row` of every dialog of models in a file.
void chooseRow(int row) {
  dialogs().show = [row](QDialog* dialog, const std::function<void(int)>& done) {
    auto* list = dialog->findChild<QListWidget*>(QStringLiteral("modelsInFile"));
    QVERIFY(list);
    list->setCurrentRow(row);
    done(QDialog::Accepted);
    dialog->deleteLater();
  };
}

}  // namespace

class ModelInFileTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }

  void whatIsTakenIsChosenAtFirst() {
    ModelInFileDialog dialog(kChoices, QStringLiteral("dino.pth"));
    QCOMPARE(dialog.chosen(), QStringLiteral("teacher"));
    auto* list = dialog.findChild<QListWidget*>();
    QCOMPARE(list->count(), 2);
    QVERIFY(list->item(0)->text().contains(QStringLiteral("in use")));
    QVERIFY(list->item(1)->text().contains(QStringLiteral("31")));
    list->setCurrentRow(1);
    QCOMPARE(dialog.chosen(), QStringLiteral("student"));
    QCOMPARE(takenModel(kChoices), QStringLiteral("teacher"));
    QVERIFY(takenModel({}).isEmpty());
  }

  void keepingWhatIsTakenChangesNothing() {
    ScopedDialogs scoped;
    QString asked;
    const auto take = [&](const QString& name) { asked = name; };
    chooseRow(0);
    askForModelInFile(kChoices, QStringLiteral("dino.pth"), nullptr, take);
    QVERIFY(asked.isEmpty());
    chooseRow(1);
    askForModelInFile(kChoices, QStringLiteral("dino.pth"), nullptr, take);
    QCOMPARE(asked, QStringLiteral("student"));
  }

  void theReportOffersAnotherWhereThereIsOne() {
    LoadReport report;
    report.matched = {"head.weight"};
    QVERIFY(!LoadReportDialog(report, QStringLiteral("a.pth"))
                 .findChild<QPushButton*>(QStringLiteral("chooseOtherButton")));
    report.choices = kChoices;
    LoadReportDialog dialog(report, QStringLiteral("a.pth"));
    auto* other = dialog.findChild<QPushButton*>(QStringLiteral("chooseOtherButton"));
    QVERIFY(other);
    other->click();
    QCOMPARE(dialog.result(), LoadReportDialog::kChooseOther);
  }

  void theStudentOpensInPlaceOfTheTeacher() {
    TestWindow test;
    const QString file = QStringLiteral(HEADLIGHT_GOLDEN_DIR "/field/dino_full_checkpoint.pth");
    QVERIFY(dropOn(&test.window, {file}));
    QTRY_VERIFY(test.notices() > 0);
    const Notice several = test.newestNotice();
    QVERIFY2(several.text.contains(QStringLiteral("teacher.backbone")), qPrintable(several.text));
    ScopedDialogs scoped;
    chooseRow(1);
    several.run();
    QTRY_VERIFY(
        test.document()->inputs().model().weights.string().ends_with("[student.module.backbone]"));
    QTRY_VERIFY(test.newestNotice().text.contains(QStringLiteral("student.module.backbone")));
  }
};

QTEST_MAIN(ModelInFileTest)
#include "ModelInFileTest.moc"
