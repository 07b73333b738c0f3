// SPDX-License-Identifier: GPL-3.0-or-later

// Dropping the auxiliary branch in the window: the numbers of the evaluation, the verdict of the
// command line, the saved file, and results cached across starts.

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTableWidget>

#include "core/base/files/Files.h"
#include "core/workbench/evaluation/BranchReport.h"
#include "tests/gui/Grab.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/evaluation/DropBranchDialog.h"
#include "ui/evaluation/SampleFields.h"
#include "ui/window/EffectController.h"

using namespace headlight;

namespace {

constexpr int kLong = 60000;

Experiment castlingExperiment(double epsilon) {
  Experiment experiment = smallExperiment();
  experiment.model.mechanism = "linear_angular";
  experiment.model.attention["epsilon"] = epsilon;
  experiment.data.validationSamples = 27;
  experiment.data.trainSamples = 16;
  return experiment;
}

}  // namespace

#define OPEN_CASTLING(test, epsilon)                                         \
  do {                                                                       \
    (test)->modelWorker()->createModel(castlingExperiment(epsilon));         \
    QTRY_VERIFY_WITH_TIMEOUT((test).document()->inputs().hasModel(), kLong); \
  } while (false)

class DropBranchDialogTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }
  void init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
    m_folder = std::make_unique<QTemporaryDir>();
  }

  void matchesCommandLine() {
    TestWindow test;
    OPEN_CASTLING(test, 1.0 / 17);
    auto* dialog = opened(test);
    QVERIFY(dialog && dialog->isVisible());
    QCOMPARE(table(dialog, "castleAccuracy")->rowCount(), 0);
    setImages(dialog, 18);
    dialog->measure();
    QVERIFY(dialog->isMeasuring());
    QTRY_VERIFY_WITH_TIMEOUT(dialog->report(), kLong);
    const auto session = InferenceSession::create(castlingExperiment(1.0 / 17));
    QVERIFY(session);
    const auto direct = evaluateWithoutBranch(**session, dialog->fields()->sample(),
                                              test.document()->inputs().masks());
    QVERIFY2(direct, direct ? "" : direct.error().text().c_str());
    QCOMPARE(dialog->report()->with.loss, direct->with.loss);
    QCOMPARE(dialog->report()->withoutBranch.loss, direct->withoutBranch.loss);
    QCOMPARE(dialog->report()->with.images, 18);
    const auto* accuracy = table(dialog, "castleAccuracy");
    QCOMPARE(accuracy->rowCount(), 3);
    QCOMPARE(accuracy->item(0, 2)->text(), QString::number(direct->with.loss, 'f', 4));
    QCOMPARE(accuracy->item(1, 2)->text(), QString::number(direct->withoutBranch.loss, 'f', 4));
    const auto* layers = table(dialog, "castleLayers");
    QCOMPARE(layers->rowCount(), 3);
    double most = 0;
    for (const auto& layer : direct->layers)
      most = std::max(most, layer.nonzeros);
    for (int l = 0; l < 3; ++l) {
      const auto& layer = direct->layers[static_cast<std::size_t>(l)];
      QCOMPARE(layers->item(l, 1)->text(),
               QStringLiteral("%1 %").arg(100 * layer.nonzeros, 0, 'g', 3));
      QCOMPARE(layers->item(l, 1)->data(Qt::UserRole).toDouble(), layer.nonzeros / most);
      QCOMPARE(layers->item(l, 2)->text(), QString::number(layer.perImage, 'g', 6));
    }
    QCOMPARE(dialog->findChild<QLabel*>(QStringLiteral("castleVerdict"))->text(),
             QStringLiteral("Dropping the branch is ") + QString::fromStdString(direct->verdict));
    synthetic::saveGrabs(*dialog, QStringLiteral("castle"));
    dialog->exportTable(path("branch-report.csv"));
    QCOMPARE(*readFile(path("branch-report.csv").toStdString(), 1u << 20),
             branchReportCsv(*direct));
  }

  void nonFreeModelIsSavedAfterConfirmation() {
    const ScopedDialogs scope;
    TestWindow test;
    OPEN_CASTLING(test, 0.0);
    auto* dialog = opened(test);
    setImages(dialog, 9);
    dialog->measure();
    QTRY_VERIFY_WITH_TIMEOUT(dialog->report(), kLong);
    const double withoutBranch = dialog->report()->withoutBranch.loss;
    QString asked;
    bool answer = false;
    int named = 0;
    dialogs().confirm = [&](QWidget*, const QString&, const QString& text, const QString&,
                            const std::function<void(bool)>& say) {
      asked = text;
      say(answer);
    };
    dialogs().files = [&](QWidget*, const FileQuestion&,
                          const std::function<void(const QStringList&)>& take) {
      ++named;
      take({path("castled.safetensors")});
    };
    auto* save = dialog->findChild<QPushButton*>(QStringLiteral("castleSave"));
    save->click();
    QVERIFY2(asked.contains(QStringLiteral("dropping the branch is not free: ")),
             qPrintable(asked));
    QCOMPARE(named, 0);
    answer = true;
    save->click();
    QCOMPARE(named, 1);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path("castled.safetensors")), kLong);
    auto* open = dialog->findChild<QPushButton*>(QStringLiteral("castleOpen"));
    QTRY_VERIFY_WITH_TIMEOUT(open->isEnabled(), kLong);
    ModelSource source;
    source.weights = path("castled.safetensors").toStdString();
    source.threads = 1;
    EvaluationRequest request{source, dialog->fields()->sample().data, {}, {}, 9};
    const auto evaluated = evaluate(request, {}, {});
    QVERIFY2(evaluated, evaluated ? "" : evaluated.error().text().c_str());
    QCOMPARE(evaluated->loss, withoutBranch);
    open->click();
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->inputs().model().weights, source.weights, kLong);
    QVERIFY(
        test.document()->inputs().model().experiment.model.attention["without_branch"].get<bool>());
  }

  void commandIsDisabledWithoutBranch() {
    TestWindow test;
    QAction* dropBranch = test->actions()->find(QStringLiteral("model.castle"));
    QVERIFY(dropBranch && !dropBranch->isEnabled());
    OPEN_CASTLING(test, 0.02);
    QVERIFY(dropBranch->isEnabled());
    const QString tip = dropBranch->toolTip();
    auto* dialog = opened(test);
    test->modelWorker()->createModel(smallExperiment());
    QTRY_VERIFY_WITH_TIMEOUT(!dropBranch->isEnabled(), kLong);
    QVERIFY2(dropBranch->toolTip().contains(QStringLiteral("no auxiliary branch")),
             qPrintable(dropBranch->toolTip()));
    QVERIFY(!dialog->findChild<QPushButton*>(QStringLiteral("castleMeasure"))->isEnabled());
    dialog->measure();
    QVERIFY(!dialog->isMeasuring());
    test->modelWorker()->createModel(castlingExperiment(0.02));
    QTRY_VERIFY_WITH_TIMEOUT(dropBranch->isEnabled(), kLong);
    QCOMPARE(dropBranch->toolTip(), tip);
  }

  void canBeCanceledAndClosed() {
    TestWindow test;
    OPEN_CASTLING(test, 0.02);
    auto* dialog = opened(test);
    setImages(dialog, 9);
    dialog->measure();
    QTRY_VERIFY_WITH_TIMEOUT(dialog->report(), kLong);
    const std::string verdict = dialog->report()->verdict;
    // Closed and opened it is the same.
    dialog->close();
    QCOMPARE(opened(test), dialog);
    QCOMPARE(dialog->report()->verdict, verdict);
    setImages(dialog, 27);
    QTRY_VERIFY(!dialog->report());
    dialog->measure();
    dialog->findChild<QPushButton*>(QStringLiteral("castleCancel"))->click();
    QVERIFY(!dialog->isMeasuring());
    QTest::qWait(100);
    QVERIFY(!dialog->report());
    // What was measured before is there at once.
    setImages(dialog, 9);
    QTRY_VERIFY_WITH_TIMEOUT(dialog->report(), kLong);
    QCOMPARE(dialog->report()->verdict, verdict);
  }

  void resultsAreCachedAcrossStarts() {
    const QString session = path("session.json");
    std::string measured;
    for (const bool again : {false, true}) {
      TestWindow test(session);
      OPEN_CASTLING(test, 0.02);
      auto* dialog = opened(test);
      setImages(dialog, 9);
      if (!again) dialog->measure();
      QTRY_VERIFY_WITH_TIMEOUT(dialog->report(), kLong);
      if (again) QCOMPARE(dialog->report()->measured, measured);
      measured = dialog->report()->measured;
      QVERIFY(!measured.empty());
    }
    QCOMPARE(QDir(m_folder->filePath(QStringLiteral("results"))).entryList(QDir::Files).size(), 1);
  }

  void missingDatasetIsReported() {
    TestWindow test;
    OPEN_CASTLING(test, 0.02);
    auto* dialog = opened(test);
    ImageSample nowhere = dialog->fields()->sample();
    nowhere.data.dataset = "cifar10";
    nowhere.data.path = path("nowhere").toStdString();
    dialog->fields()->setSample(nowhere);
    dialog->measure();
    auto* measure = dialog->findChild<QPushButton*>(QStringLiteral("castleMeasure"));
    QTRY_VERIFY_WITH_TIMEOUT(measure->isEnabled(), kLong);
    QVERIFY(!dialog->report());
    const auto labels = dialog->findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
      return label->text().contains(QStringLiteral("nowhere"));
    }));
  }

 private:
  static DropBranchDialog* opened(TestWindow& test) {
    test->actions()->find(QStringLiteral("model.castle"))->trigger();
    return test.window.findChild<DropBranchDialog*>();
  }
  static QTableWidget* table(QWidget* dialog, const char* name) {
    return dialog->findChild<QTableWidget*>(QString::fromLatin1(name));
  }
  static void setImages(DropBranchDialog* dialog, int images) {
    dialog->findChild<QSpinBox*>(QStringLiteral("castleImagesCount"))->setValue(images);
  }
  QString path(const char* name) const { return m_folder->filePath(QString::fromLatin1(name)); }
  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_MAIN(DropBranchDialogTest)
#include "DropBranchDialogTest.moc"
