// SPDX-License-Identifier: GPL-3.0-or-later

// Mechanism plots in the window: the list of plots, core's numbers, following layer, head and
// token, and the files.

#include <QCheckBox>
#include <QComboBox>
#include <QPushButton>

#include "core/base/files/Files.h"
#include "core/workbench/attribution/Explanations.h"
#include "tests/gui/Grab.h"
#include "tests/gui/Mouse.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Actions.h"
#include "ui/bridge/MechanismPlotBridge.h"
#include "ui/mechanisms/MechanismPlotDialog.h"
#include "ui/mechanisms/MechanismPlotPanels.h"
#include "ui/plots/PanelsPlot.h"
#include "ui/plots/Plotting.h"
#include "ui/window/MechanismPlotCommands.h"

using namespace headlight;

namespace {

constexpr int kOwnLong = 60000;

Experiment ownExperiment(const std::string& mechanism) {
  Experiment experiment = smallExperiment();
  experiment.model.mechanism = mechanism;
  if (mechanism == "aft_conv") {
    experiment.model.heads = 4;
    experiment.model.classToken = false;
    experiment.model.positions = "none";
    experiment.model.attention["kernel"] = 3;
  }
  if (mechanism == "lsla") experiment.model.attention["window"] = 4;
  return experiment;
}

}  // namespace

/// Worked out once.
#define SHOWS(fixture, expected)            \
  do {                                      \
    const MechanismPlot shown = (expected); \
    QTRY_VERIFY((fixture).shows(shown));    \
  } while (false)

class MechanismPlotDialogTest : public QObject {
  Q_OBJECT

  struct Fixture : TestWindow {
    QTemporaryDir folder;
    Experiment experiment;
    MechanismPlotDialog* dialog = nullptr;

    explicit Fixture(const std::string& mechanism) : experiment(ownExperiment(mechanism)) {
      TestWindow& self = *this;
      window.modelWorker()->createModel(experiment);
      QTRY_VERIFY_WITH_TIMEOUT(document()->inputs().hasModel(), kOwnLong);
      const QString image = writeImage(folder.filePath("a.png"));
      OPEN_IMAGE(self, image);
      document()->view().change([](ViewOptions& view) { view.layer = 0; });
      auto* command = window.actions()->find(QStringLiteral("model.own"));
      QTRY_VERIFY(command->isEnabled());
      command->trigger();
      dialog = window.findChild<MechanismPlotDialog*>();
      QVERIFY(dialog && dialog->isVisible());
    }
    MechanismPlotBridge* bridge() { return window.findChild<MechanismPlotCommands*>()->bridge(); }
    std::shared_ptr<const MechanismPlot> image() {
      const auto result = bridge()->result();
      return result ? result->image : nullptr;
    }
    void choose(MechanismPlotKind kind) {
      auto* images = dialog->findChild<QComboBox*>("ownImages");
      for (const MechanismPlotInfo& offer : bridge()->offers())
        if (offer.kind == kind) {
          images->setCurrentIndex(images->findData(QString::fromStdString(offer.name)));
          return;
        }
      QFAIL("no such kind");
    }
    void showParts(int index) { dialog->findChild<QComboBox*>("ownParts")->setCurrentIndex(index); }
    /// Core's result, in a separate session.
    MechanismPlot expected(const std::string& name, int layer, int token = -1) {
      auto session = valueOrThrow(InferenceSession::create(experiment));
      MechanismPlotRequest request{rawImage(session->info(), document()->inputs().image()),
                                   document()->inputs().masks(), token, layer};
      return valueOrThrow(mechanismPlot(*session, name, request));
    }
    bool shows(const MechanismPlot& wanted) {
      const auto shown = image();
      if (!shown || shown->info.name != wanted.info.name ||
          shown->panels.size() != wanted.panels.size() ||
          shown->curves.size() != wanted.curves.size())
        return false;
      return plotCsv(*shown) == plotCsv(wanted);
    }
  };

 private Q_SLOTS:
  void init() { QTest::failOnWarning(QRegularExpression("^(?!This plugin does not support)")); }

  void commandIsDisabledWithoutPlots() {
    TestWindow test;
    auto* command = test->actions()->find(QStringLiteral("model.own"));
    QVERIFY(command && !command->isEnabled());
    OPEN_SMALL_MODEL(test);
    QTest::qWait(50);
    QVERIFY(!command->isEnabled());
    QVERIFY(command->toolTip().contains("AFT"));
    test->modelWorker()->createModel(ownExperiment("learned_mask"));
    QTRY_VERIFY_WITH_TIMEOUT(command->isEnabled(), kOwnLong);
  }

  void everyPlotMatchesCore() {
    for (const std::string mechanism : {"aft_full", "aft_conv", "learned_mask", "lsla"}) {
      Fixture f(mechanism);
      auto* images = f.dialog->findChild<QComboBox*>("ownImages");
      QCOMPARE(images->count(), static_cast<int>(f.bridge()->offers().size()));
      QVERIFY(images->count() > 0);
      const int patch = f.document()->inputs().model().grid.prefix + 6;
      f.document()->view().pin(patch);
      for (int i = 0; i < images->count(); ++i) {
        images->setCurrentIndex(i);
        const std::string name = images->currentData().toString().toStdString();
        const MechanismPlot wanted = f.expected(name, 0, patch);
        QTRY_VERIFY2(f.shows(wanted), name.c_str());
        const bool curves = wanted.info.kind == MechanismPlotKind::Curves;
        QCOMPARE(f.dialog->curves()->isVisible(), curves);
        if (!curves) QCOMPARE(f.dialog->panels()->tiles(), int(wanted.panels.size()));
        synthetic::saveGrabs(*f.dialog, QString::fromStdString("own-" + mechanism + "-" + name));
      }
    }
  }

  void itFollowsLayerHeadAndToken() {
    Fixture f("lsla");
    f.choose(MechanismPlotKind::Curves);
    const std::string name =
        f.dialog->findChild<QComboBox*>("ownImages")->currentData().toString().toStdString();
    const int first = f.document()->inputs().model().grid.prefix;
    f.document()->view().follow(first + 3);  // the pointer over the window's image
    SHOWS(f, f.expected(name, 0, first + 3));
    f.document()->view().follow(first + 9);
    SHOWS(f, f.expected(name, 0, first + 9));
    f.document()->view().change([](ViewOptions& view) { view.layer = 1, view.head = 1; });
    SHOWS(f, f.expected(name, 1, first + 9));
    QCOMPARE(f.dialog->curves()->panels(), 2);
    f.showParts(0);
    QCOMPARE(f.dialog->curves()->panels(), 1);
  }

  void classTokenInsteadOfPatchIsReported() {
    Fixture f("lsla");
    if (f.document()->inputs().model().grid.prefix == 0) QSKIP("no class token");
    f.choose(MechanismPlotKind::Curves);
    f.document()->view().pin(0);
    QTRY_VERIFY(f.bridge()->result() && !f.bridge()->result()->error.isEmpty());
    QTRY_VERIFY(f.dialog->stateText().contains("patch"));
  }

  void pointerShowsValueAndClickChooses() {
    Fixture f("aft_conv");
    f.choose(MechanismPlotKind::Kernel);
    QTRY_VERIFY(f.image());
    QTRY_VERIFY(f.dialog->panels()->tiles() > 1);
    MechanismPlotPanels* panels = f.dialog->panels();
    const QRect rect = panels->tileRect(2);
    const MechanismPlotPanel& panel = f.image()->panels[2];
    const QPointF corner = rect.topLeft() + QPointF(2, 2);
    const QString said = panels->textAt(corner);
    QVERIFY2(said.startsWith(QString::fromStdString(plotPlaceText(panel.layer, panel.head))),
             qPrintable(said));
    QVERIFY2(
        said.contains(QStringLiteral("offset (-%1, -%2)").arg(panel.rows / 2).arg(panel.cols / 2)),
        qPrintable(said));
    QVERIFY(said.endsWith(QString::number(panel.values[0], 'g', 4)));
    synthetic::moveMouse(panels, corner);
    QCOMPARE(f.dialog->stateText(), said);
    QTest::mouseClick(panels, Qt::LeftButton, {}, rect.center());
    QCOMPARE(f.document()->view().options().head, 2);
    QCOMPARE(panels->tiles(), 1);
  }

  void allLayersAndOneScale() {
    Fixture f("aft_full");
    f.showParts(2);
    QTRY_VERIFY(f.image() && f.image()->layers().size() == 3);
    QTRY_COMPARE(f.dialog->panels()->tiles(), 3);
    f.dialog->findChild<QCheckBox*>("ownShared")->setChecked(true);
    const QString png = f.folder.filePath("own.png"), csv = f.folder.filePath("own.csv");
    f.dialog->save(png);
    const auto page = readImage(png.toStdString());
    QVERIFY(page);
    MechanismPlotStyle style;
    style.colorMap = f.document()->view().options().colorMap;
    style.sharedScale = true;
    style.opacity = f.document()->view().options().opacity;
    style.smooth = f.document()->view().options().smooth;
    const auto expected =
        plotPage(*f.image(), "small · random weights", style, f.bridge()->result()->view);
    QVERIFY(expected);
    QCOMPARE(page->width, expected->width);
    QVERIFY(*page->pixels == *expected->pixels);
    f.dialog->save(csv);
    QCOMPARE(*readFile(csv.toStdString(), 1u << 22), plotCsv(*f.image()));
  }

  /// With scales where there is room; narrow, short but whole.
  void captionsFitTheirTiles() {
    Fixture f("aft_full");
    f.showParts(2);
    auto* panels = f.dialog->panels();
    QTRY_COMPARE(panels->tiles(), 3);
    const auto fit = [&](const QSize& room) {
      panels->setRoom(room);
      const QFontMetrics metrics = panels->fontMetrics();
      return std::all_of(panels->captions().begin(), panels->captions().end(),
                         [&](const QString& caption) {
                           return metrics.horizontalAdvance(caption) <= panels->tileRect(0).width();
                         });
    };
    QVERIFY(fit({1800, 700}));
    QVERIFY2(panels->captions().at(1).contains(" to "), qPrintable(panels->captions().at(1)));
    QVERIFY(fit({320, 200}));
    QVERIFY2(!panels->captions().at(1).contains(" to "), qPrintable(panels->captions().at(1)));
    QVERIFY(panels->captions().at(1).contains("layer 1"));
  }

  void anotherMechanismOffersItsPlots() {
    Fixture f("aft_full");
    const auto before = f.bridge()->offers().size();
    QVERIFY(before > 0);
    f.window.modelWorker()->createModel(ownExperiment("learned_mask"));
    QTRY_VERIFY(!f.bridge()->offers().empty() &&
                f.bridge()->offers().front().source.find("AFT") == std::string::npos);
    f.window.modelWorker()->createModel(smallExperiment());
    QTRY_VERIFY(f.dialog->stateText().contains("no plots"));
    QCOMPARE(f.dialog->findChild<QComboBox*>("ownImages")->count(), 0);
    QVERIFY(!f.dialog->findChild<QPushButton*>("ownExport")->isEnabled());
  }
};

QTEST_MAIN(MechanismPlotDialogTest)
#include "MechanismPlotDialogTest.moc"
