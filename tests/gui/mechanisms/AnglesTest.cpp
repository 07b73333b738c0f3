// SPDX-License-Identifier: GPL-3.0-or-later

// The explorer of angular kernels in the window: core's numbers, following layer, head, token and
// image, and the network's fit.

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>

#include "core/base/files/Files.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/figures/AngularFigure.h"
#include "core/workbench/figures/SphereFigure.h"
#include "tests/gui/Grab.h"
#include "tests/gui/Mouse.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Actions.h"
#include "ui/bridge/AnglesBridge.h"
#include "ui/mechanisms/AnglesDialog.h"
#include "ui/mechanisms/AnglesPage.h"
#include "ui/mechanisms/AngularFitPage.h"
#include "ui/mechanisms/SphereImageView.h"
#include "ui/mechanisms/SpherePage.h"
#include "ui/plots/ErrorMapPlot.h"
#include "ui/plots/PanelsPlot.h"
#include "ui/plots/Plotting.h"

using namespace headlight;

namespace {

constexpr int kAnglesLong = 60000;

Experiment anglesExperiment(const std::string& mechanism) {
  Experiment experiment = smallExperiment();
  experiment.model.mechanism = mechanism;
  return experiment;
}

}  // namespace

/// Worked out once.
#define SHOWS(fixture, expected)         \
  do {                                   \
    const AngleTable shown = (expected); \
    QTRY_VERIFY((fixture).shows(shown)); \
  } while (false)

class AnglesTest : public QObject {
  Q_OBJECT

  struct Fixture : TestWindow {
    QTemporaryDir folder;
    AnglesDialog* dialog = nullptr;
    Experiment experiment;

    explicit Fixture(const std::string& mechanism = "linear_angular")
        : experiment(anglesExperiment(mechanism)) {
      TestWindow& self = *this;
      window.modelWorker()->createModel(experiment);
      QTRY_VERIFY_WITH_TIMEOUT(document()->inputs().hasModel(), kAnglesLong);
      const QString image = writeImage(folder.filePath("a.png"));
      OPEN_IMAGE(self, image);
      document()->view().change([](ViewOptions& view) { view.layer = 0; });
      window.actions()->find(QStringLiteral("model.angles"))->trigger();
      dialog = window.findChild<AnglesDialog*>();
      QVERIFY(dialog && dialog->isVisible());
    }
    std::shared_ptr<const AngleTable> table() const {
      const auto result = dialog->angles()->bridge()->result();
      return result ? result->table : nullptr;
    }
    /// Core's result, in a separate session.
    AngleTable expected(const AngleOptions& options) {
      auto session = valueOrThrow(InferenceSession::create(experiment));
      const auto pairs =
          valueOrThrow(loadPairs(*session, rawImage(session->info(), document()->inputs().image()),
                                 document()->inputs().masks()));
      return valueOrThrow(angleTable(pairs, options));
    }
    bool shows(const AngleTable& wanted) const {
      const auto shown = table();
      return shown && shown->subject == wanted.subject && shown->share == wanted.share &&
             shown->tokenAngles == wanted.tokenAngles;
    }
    QString text() const { return dialog->angles()->stateText(); }
    SphereTable expectedSphere(const SphereOptions& options) {
      auto session = valueOrThrow(InferenceSession::create(experiment));
      const auto pairs =
          valueOrThrow(loadPairs(*session, rawImage(session->info(), document()->inputs().image()),
                                 document()->inputs().masks()));
      return valueOrThrow(sphereTable(pairs, options));
    }
    bool showsSphere(const SphereTable& wanted) const {
      const auto shown = dialog->sphere()->table();
      return shown && sphereCsv(*shown) == sphereCsv(wanted) && shown->token == wanted.token;
    }
  };

 private Q_SLOTS:
  void init() { QTest::failOnWarning(QRegularExpression("^(?!This plugin does not support)")); }

  void itFollowsLayerHeadTokenAndImage() {
    Fixture f;
    SHOWS(f, f.expected({0, -1, 0}));
    QVERIFY(f.text().contains("layer 0, all heads"));
    f.document()->view().change([](ViewOptions& view) { view.layer = 2, view.head = 1; });
    SHOWS(f, f.expected({2, 1, 0}));
    const auto before = f.dialog->angles()->bridge()->result()->pairs;
    f.document()->view().pin(5);
    SHOWS(f, f.expected({2, 1, 5}));
    QCOMPARE(f.dialog->angles()->bridge()->result()->pairs, before);  // one pass for all
    f.dialog->findChild<QComboBox*>("anglesPairs")->setCurrentIndex(1);
    SHOWS(f, f.expected({-1, -1, 5}));
    const AngleTable first = *f.table();
    const QString other = writeImage(f.folder.filePath("b.png"), 40, 36, 90);
    OPEN_IMAGE(f, other);
    QTRY_VERIFY(f.table() && f.table()->share != first.share);
    SHOWS(f, f.expected({-1, -1, f.document()->view().options().query}));
  }

  void everyModelWithQueriesAndKeysHasAngles() {
    Fixture f("softmax");
    SHOWS(f, f.expected({0, -1, 0}));
  }

  void modelsWithoutAnglesAreReported() {
    Fixture f("aft_full");
    QTRY_VERIFY(f.text().contains("AFT"));
    QVERIFY(!f.table());
    QCOMPARE(f.dialog->angles()->plot()->panels(), 2);  // the curves are there all the same
  }

  void curvesNeedNoModel() {
    TestWindow test;
    auto* command = test->actions()->find(QStringLiteral("model.angles"));
    QVERIFY(command && command->isEnabled());
    command->trigger();
    auto* dialog = test.window.findChild<AnglesDialog*>();
    QVERIFY(dialog);
    QCOMPARE(dialog->angles()->plot()->panels(), 2);
    QVERIFY(dialog->angles()->stateText().contains("Open a model"));
  }

  void linesAreReadAndTermsChosen() {
    Fixture f;
    QTRY_VERIFY(f.table());
    QCOMPARE(f.dialog->angles()->plot()->panels(), 3);
    auto* plot = f.dialog->angles()->plot()->plot();
    const auto partial = [&]() -> QCPGraph* {
      for (int i = 0; i < plot->graphCount(); ++i)
        if (plot->graph(i)->name().startsWith("linear and ")) return plot->graph(i);
      return nullptr;
    };
    QVERIFY(partial());
    const double three = partial()->data()->at(0)->value;
    QCOMPARE(three, angularPartial(0, 3));
    f.dialog->findChild<QSpinBox*>("anglesTerms")->setValue(12);
    QCOMPARE(partial()->data()->at(0)->value, angularPartial(0, 12));
    synthetic::saveGrabs(*f.dialog, QStringLiteral("angles"));
  }

  void exportMatchesCommandLine() {
    Fixture f;
    QTRY_VERIFY(f.table());
    const QString csv = f.folder.filePath("angles.csv");
    f.dialog->save(csv);
    QCOMPARE(*readFile(csv.toStdString(), 1u << 22), anglesCsv(3, f.table().get()));
    f.dialog->save(f.folder.filePath("angles.svg"));
    QVERIFY(QFile::exists(f.folder.filePath("angles.svg")));
  }

  void closedDialogKeepsNothing() {
    Fixture f;
    QTRY_VERIFY(f.table());
    f.dialog->close();
    QVERIFY(!f.table());
    f.document()->view().change([](ViewOptions& view) { view.layer = 1; });
    QTest::qWait(50);
    QVERIFY(!f.dialog->angles()->bridge()->isBusy() && !f.table());
    f.dialog->show();
    SHOWS(f, f.expected({1, -1, 0}));
  }

  void queriesAndKeysAreOnTheSphere() {
    Fixture f;
    SpherePage* page = f.dialog->sphere();
    QVERIFY(!page->table());  // a hidden page computes nothing
    f.document()->view().change([](ViewOptions& view) { view.layer = 1, view.head = 1; });
    f.dialog->pages()->setCurrentWidget(page);
    const SphereTable flat = f.expectedSphere({1, 1, 2, f.document()->view().options().query});
    QTRY_VERIFY(f.showsSphere(flat));
    QVERIFY(page->stateText().contains("layer 1, head 1"));
    QVERIFY(!page->view()->image().isNull());
    page->findChild<QComboBox*>("sphereDimensions")->setCurrentIndex(1);
    page->findChild<QComboBox*>("sphereHeads")->setCurrentIndex(1);
    f.document()->view().pin(5);
    const SphereTable all = f.expectedSphere({1, -1, 3, 5});
    QTRY_VERIFY(f.showsSphere(all));
    synthetic::saveGrabs(*f.dialog, QStringLiteral("sphere"));
    const QString csv = f.folder.filePath("sphere.csv");
    f.dialog->save(csv);
    QCOMPARE(*readFile(csv.toStdString(), 1u << 22), sphereCsv(all));
  }

  void theSphereTurnsByMouseAndKeys() {
    Fixture f;
    SpherePage* page = f.dialog->sphere();
    f.dialog->pages()->setCurrentWidget(page);
    QTRY_VERIFY(page->table());
    const auto before = page->view()->view();
    QTest::keyClick(page->view(), Qt::Key_Left);
    QCOMPARE(page->view()->view().azimuth, before.azimuth);  // a circle does not turn
    page->findChild<QComboBox*>("sphereDimensions")->setCurrentIndex(1);
    QTRY_VERIFY(page->table() && page->table()->dimensions == 3);
    const QImage image = page->view()->image();
    QTest::keyClick(page->view(), Qt::Key_Left);
    QCOMPARE(page->view()->view().azimuth, before.azimuth + 10);
    QVERIFY(page->view()->image() != image);
    const QPoint start(100, 60);
    QTest::mousePress(page->view(), Qt::LeftButton, {}, start);
    for (const int step : {10, 20, 30})
      synthetic::moveMouse(page->view(), start + QPoint(0, step), Qt::LeftButton);
    QTest::mouseRelease(page->view(), Qt::LeftButton, {}, start + QPoint(0, 30));
    QCOMPARE(page->view()->view().elevation, before.elevation + 15);
  }

  void closedDialogForgetsTheSphere() {
    Fixture f;
    f.dialog->pages()->setCurrentWidget(f.dialog->sphere());
    QTRY_VERIFY(f.dialog->sphere()->table());
    auto* exporting = f.dialog->findChild<QPushButton*>("anglesExport");
    QVERIFY(exporting->isEnabled());
    f.dialog->close();
    QVERIFY(!f.dialog->sphere()->table());
  }

  void aNetworkFitsTheKernel() {
    Fixture f;
    f.dialog->pages()->setCurrentIndex(1);
    AngularFitPage* page = f.dialog->fit();
    auto* exporting = f.dialog->findChild<QPushButton*>("anglesExport");
    QVERIFY(!exporting->isEnabled());
    page->findChild<QSpinBox*>("fitSteps")->setValue(300);
    page->findChild<QComboBox*>("fitTarget")->setCurrentIndex(1);
    page->findChild<QPushButton*>("fitStart")->click();
    QVERIFY(page->isFitting());
    QTRY_VERIFY_WITH_TIMEOUT(page->result(), kAnglesLong);
    const auto direct = valueOrThrow(
        fitAngularKernel({.target = AngularTarget::Residual, .hidden = 40, .steps = 300}));
    QCOMPARE(page->result()->fit, direct.fit);
    QCOMPARE(page->findChild<QLabel*>("fitState")->text(), QString::fromStdString(fitText(direct)));
    QVERIFY(exporting->isEnabled());
    const QString csv = f.folder.filePath("fit.csv");
    f.dialog->save(csv);
    QCOMPARE(*readFile(csv.toStdString(), 1u << 22), fitCsv(direct));
    synthetic::saveGrabs(*f.dialog, QStringLiteral("angular-fit"));
  }

  void aFitIsCanceledAtOnce() {
    Fixture f;
    AngularFitPage* page = f.dialog->fit();
    f.dialog->pages()->setCurrentIndex(1);
    page->findChild<QSpinBox*>("fitSteps")->setValue(100000);
    page->fit();
    page->findChild<QPushButton*>("fitCancel")->click();
    QVERIFY(!page->isFitting());
    QTest::qWait(100);
    QVERIFY(!page->result());
  }
};

QTEST_MAIN(AnglesTest)
#include "AnglesTest.moc"
