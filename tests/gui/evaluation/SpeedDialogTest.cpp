// SPDX-License-Identifier: GPL-3.0-or-later

// Speed in the window: which models and mechanisms are measured, the two tables, their export, and
// canceling. How fast anything is, is no test.

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableWidget>
#include <QTemporaryDir>

#include "core/base/files/Files.h"
#include "tests/gui/Grab.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Actions.h"
#include "ui/evaluation/SpeedDialog.h"
#include "ui/widgets/MessageLabel.h"

using namespace headlight;

namespace {

constexpr int kSpeedLong = 60000;

}  // namespace

class SpeedDialogTest : public QObject {
  Q_OBJECT

  struct Fixture : TestWindow {
    QTemporaryDir folder;
    SpeedDialog* dialog = nullptr;

    Fixture() {
      TestWindow& self = *this;
      OPEN_SMALL_MODEL(self);
      auto* command = window.actions()->find(QStringLiteral("model.speed"));
      QVERIFY(command && command->isEnabled());
      command->trigger();
      dialog = window.findChild<SpeedDialog*>();
      QVERIFY(dialog && dialog->isVisible());
      part<QSpinBox>("speedRepeats")->setValue(1);
      part<QLineEdit>("speedBatches")->setText(QStringLiteral("1"));
      part<QComboBox>("speedDevice")->setCurrentText(QStringLiteral("cpu"));
    }
    template <typename Part>
    Part* part(const char* name) const {
      return dialog->findChild<Part*>(QString::fromLatin1(name));
    }
    void check(const char* list, const QString& text, bool on = true) const {
      auto* items = part<QListWidget>(list);
      for (int row = 0; row < items->count(); ++row)
        if (items->item(row)->text() == text)
          items->item(row)->setCheckState(on ? Qt::Checked : Qt::Unchecked);
    }
    void start() const { part<QPushButton>("speedStart")->click(); }
  };

 private Q_SLOTS:
  void init() { QTest::failOnWarning(QRegularExpression("^(?!This plugin does not support)")); }

  void theOpenModelIsMeasuredWithOneClick() {
    Fixture f;
    QVERIFY(f.part<QListWidget>("speedModels")->item(0)->checkState() == Qt::Checked);
    QVERIFY(!f.part<QPushButton>("speedExport")->isEnabled());
    f.part<QLineEdit>("speedBatches")->setText(QStringLiteral("1, 2"));
    f.start();
    QVERIFY(f.dialog->isMeasuring());
    QVERIFY(!f.part<QPushButton>("speedStart")->isEnabled());
    QTRY_COMPARE_WITH_TIMEOUT(f.dialog->rows().size(), std::size_t{2}, kSpeedLong);
    QTRY_VERIFY(!f.dialog->isMeasuring());
    const auto& rows = f.dialog->rows();
    QCOMPARE(rows[1].batch, std::int64_t{2});
    auto* table = f.part<QTableWidget>("speedTable");
    QCOMPARE(table->rowCount(), 2);
    QCOMPARE(table->item(0, 6)->text(), QString::fromStdString(benchTable(rows).rows[0][6].text));
    const QString csv = f.folder.filePath("speed.csv");
    f.dialog->save(csv);
    QCOMPARE(*readFile(csv.toStdString(), 1u << 20), benchCsv(rows));
    synthetic::saveGrabs(*f.dialog, QStringLiteral("speed"));
  }

  void mechanismsAndPublishedModelsAreChosen() {
    Fixture f;
    f.part<QListWidget>("speedModels")->item(0)->setCheckState(Qt::Unchecked);
    f.part<QLineEdit>("speedFilter")->setText(QStringLiteral("micro"));
    f.check("speedModels", QStringLiteral("vit_micro"));
    f.check("speedMechanisms", QStringLiteral("softmax"));
    f.check("speedMechanisms", QStringLiteral("aft_full"));
    f.start();
    QTRY_COMPARE_WITH_TIMEOUT(f.dialog->rows().size(), std::size_t{2}, kSpeedLong);
    QCOMPARE(f.dialog->rows()[0].name, std::string("vit_micro, softmax"));
    QCOMPARE(f.dialog->rows()[1].name, std::string("vit_micro, aft_full"));
  }

  /// As bench model --checkpoint-blocks: a row more for each model.
  void recomputedBlocksAreARowOfTheirOwn() {
    Fixture f;
    auto* recompute = f.part<QCheckBox>("speedRecompute");
    QVERIFY(recompute && recompute->isEnabled() && !recompute->isChecked());
    recompute->setChecked(true);
    f.start();
    QTRY_COMPARE_WITH_TIMEOUT(f.dialog->rows().size(), std::size_t{2}, kSpeedLong);
    const auto& rows = f.dialog->rows();
    QCOMPARE(rows[1].name, rows[0].name + ", checkpointed blocks");
    QVERIFY(rows[1].backwardMs > 0);
    auto* table = f.part<QTableWidget>("speedTable");
    QCOMPARE(table->rowCount(), 2);
    QVERIFY(table->item(1, 0)->text().endsWith(QStringLiteral("checkpointed blocks")));
    // They have no parts: the page of parts says so and measures without them.
    f.part<QTabWidget>("speedPages")->setCurrentIndex(1);
    QVERIFY(!recompute->isEnabled());
    QVERIFY(recompute->toolTip().contains(QStringLiteral("no parts")));
    f.start();
    QTRY_COMPARE_WITH_TIMEOUT(f.dialog->reports().size(), std::size_t{1}, kSpeedLong);
    f.part<QTabWidget>("speedPages")->setCurrentIndex(0);
    QTRY_VERIFY(recompute->isEnabled());
    QVERIFY(recompute->isChecked());
  }

  void thePartsOfAPassAreShown() {
    Fixture f;
    f.part<QTabWidget>("speedPages")->setCurrentIndex(1);
    QVERIFY(f.part<QLabel>("speedShare")->text().contains("Press Measure"));
    f.start();
    QTRY_COMPARE_WITH_TIMEOUT(f.dialog->reports().size(), std::size_t{1}, kSpeedLong);
    const PartReport& report = f.dialog->reports().front();
    auto* table = f.part<QTableWidget>("speedParts");
    QCOMPARE(table->rowCount(), static_cast<int>(kModelParts.size()) + 1);
    const BenchTable wanted = partTable(report);
    for (int row = 0; row < table->rowCount(); ++row)
      for (int column = 1; column < table->columnCount(); ++column)
        QCOMPARE(table->item(row, column)->text(),
                 QString::fromStdString(wanted.rows[row][column].text));
    QVERIFY(!table->item(0, 0)->toolTip().isEmpty());
    QCOMPARE(f.part<QLabel>("speedShare")->text(), QString::fromStdString(attentionText(report)));
    const QString csv = f.folder.filePath("parts.csv");
    f.dialog->save(csv);
    QCOMPARE(*readFile(csv.toStdString(), 1u << 20), partsCsv(f.dialog->reports()));
    synthetic::saveGrabs(*f.dialog, QStringLiteral("parts"));
  }

  void aMeasurementIsCanceledAtOnce() {
    Fixture f;
    f.part<QSpinBox>("speedRepeats")->setValue(1000);
    f.start();
    QVERIFY(f.dialog->isMeasuring());
    f.part<QPushButton>("speedCancel")->click();
    QVERIFY(!f.dialog->isMeasuring());
    QTest::qWait(100);
    QVERIFY(f.dialog->rows().empty());
    f.start();
    f.dialog->close();
    QVERIFY(!f.dialog->isMeasuring());
  }

  void whatIsMissingIsSaid() {
    Fixture f;
    const auto says = [&](const char* words) {
      f.start();
      QVERIFY(!f.dialog->isMeasuring());
      const auto* status = f.dialog->findChild<MessageLabel*>();
      QVERIFY(status);
      QVERIFY2(status->text().contains(QLatin1String(words)), qPrintable(status->text()));
    };
    f.part<QLineEdit>("speedBatches")->setText(QStringLiteral("1, many"));
    says("many");
    f.part<QLineEdit>("speedBatches")->setText(QStringLiteral(" "));
    says("batch size");
    f.part<QLineEdit>("speedBatches")->setText(QStringLiteral("1"));
    f.part<QListWidget>("speedModels")->item(0)->setCheckState(Qt::Unchecked);
    says("at least one model");
  }
};

QTEST_MAIN(SpeedDialogTest)
#include "SpeedDialogTest.moc"
