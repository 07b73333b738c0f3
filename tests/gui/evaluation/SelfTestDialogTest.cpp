// SPDX-License-Identifier: GPL-3.0-or-later

// The check of this machine in the window: the rows and the JSON of headlight-cli selftest, what is
// refused, and canceling.

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QTemporaryDir>

#include "core/base/files/Files.h"
#include "core/workbench/selftest/SelfTestTable.h"
#include "tests/gui/Grab.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Actions.h"
#include "ui/evaluation/SelfTestDialog.h"
#include "ui/widgets/MessageLabel.h"

using namespace headlight;

namespace {

constexpr int kCheckLong = 180000;

}  // namespace

class SelfTestDialogTest : public QObject {
  Q_OBJECT

  struct Fixture : TestWindow {
    QTemporaryDir folder;
    SelfTestDialog* dialog = nullptr;

    Fixture() {
      auto* command = window.actions()->find(QStringLiteral("model.selftest"));
      QVERIFY(command && command->isEnabled());
      command->trigger();
      dialog = window.findChild<SelfTestDialog*>();
      QVERIFY(dialog && dialog->isVisible());
      part<QComboBox>("selfTestDevice")->setCurrentText(QStringLiteral("cpu"));
      part<QCheckBox>("selfTestQuick")->setChecked(true);
    }
    template <typename Part>
    Part* part(const char* name) const {
      return dialog->findChild<Part*>(QString::fromLatin1(name));
    }
    QTableWidget* table() const { return part<QTableWidget>("selfTestTable"); }
    void start() const { part<QPushButton>("selfTestStart")->click(); }
    QString status() const { return dialog->findChild<MessageLabel*>()->text(); }
  };

 private Q_SLOTS:
  void init() { QTest::failOnWarning(QRegularExpression("^(?!This plugin does not support)")); }

  void everyRowIsShownAndSaved() {
    Fixture f;
    QCOMPARE(f.table()->rowCount(), 0);
    QVERIFY(!f.part<QPushButton>("selfTestExport")->isEnabled());
    f.start();
    QVERIFY(f.dialog->isChecking());
    QTRY_VERIFY_WITH_TIMEOUT(f.table()->rowCount() > 0, kCheckLong);
    QVERIFY(f.dialog->isChecking());  // the first rows do not wait for the last
    QTRY_VERIFY_WITH_TIMEOUT(!f.dialog->isChecking(), kCheckLong);
    const SelfTestReport& report = f.dialog->report();
    QVERIFY2(report.passed(), qPrintable(f.status()));
    QCOMPARE(f.table()->rowCount(), static_cast<int>(report.rows.size()));
    const BenchTable wanted = selfTestTable(report);
    for (int row = 0; row < f.table()->rowCount(); ++row)
      for (int column = 0; column < f.table()->columnCount(); ++column)
        QCOMPARE(
            f.table()->item(row, column)->text(),
            QString::fromStdString(
                wanted.rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)].text));
    QCOMPARE(f.status(), QString::fromStdString(selfTestSummary(report)));
    const QString file = f.folder.filePath("selftest.json");
    f.dialog->save(file);
    QCOMPARE(*readFile(file.toStdString(), 1u << 20), selfTestFile(report));
    synthetic::saveGrabs(*f.dialog, QStringLiteral("selftest"));
    // What was said of the machine is not said of a check that is only beginning.
    const auto* machine = f.part<QLabel>("selfTestMachine");
    QVERIFY(machine->text().contains(QStringLiteral("measured on cpu")));
    f.start();
    QVERIFY(!machine->text().contains(QStringLiteral("measured on")));
    QVERIFY(f.dialog->report().rows.empty());
  }

  void aCheckIsCanceledAtOnceAndItsRowsStay() {
    Fixture f;
    f.start();
    QTRY_VERIFY_WITH_TIMEOUT(f.table()->rowCount() > 0, kCheckLong);
    f.part<QPushButton>("selfTestCancel")->click();
    QVERIFY(!f.dialog->isChecking());
    const int rows = f.table()->rowCount();
    QVERIFY(rows > 0);
    QVERIFY2(f.status().contains(QString::number(rows)), qPrintable(f.status()));
    QTest::qWait(500);
    QCOMPARE(f.table()->rowCount(), rows);
    QVERIFY(!f.part<QPushButton>("selfTestExport")->isEnabled());
    f.start();
    f.dialog->close();
    QVERIFY(!f.dialog->isChecking());
  }

  void aDeviceThatIsNotThereIsRefused() {
    Fixture f;
    f.part<QComboBox>("selfTestDevice")->setCurrentText(QStringLiteral("cuda:99"));
    f.start();
    QTRY_VERIFY_WITH_TIMEOUT(!f.dialog->isChecking(), kCheckLong);
    QVERIFY2(f.status().contains(QStringLiteral("cuda:99")) ||
                 f.status().contains(QStringLiteral("CUDA")),
             qPrintable(f.status()));
    QCOMPARE(f.table()->rowCount(), 0);
  }
};

QTEST_MAIN(SelfTestDialogTest)
#include "SelfTestDialogTest.moc"
