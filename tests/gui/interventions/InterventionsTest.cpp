// SPDX-License-Identifier: GPL-3.0-or-later

// Interventions in the window: sweeps, single parts, logit attribution and composition match core;
// stopping, saving, another model.

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QTest>

#include "core/workbench/attribution/Explanations.h"
#include "tests/gui/Grab.h"
#include "tests/gui/WindowFixture.h"
#include "ui/forms/ParameterForm.h"
#include "ui/interventions/InterventionDialog.h"
#include "ui/interventions/PartsView.h"
#include "ui/widgets/MessageLabel.h"

using namespace headlight;

class InterventionsTest : public QObject {
  Q_OBJECT

  struct Fixture : TestWindow {
    QTemporaryDir folder;
    QString shown, other;
    InterventionDialog* dialog = nullptr;

    Fixture() {
      TestWindow& self = *this;
      window.modelWorker()->createModel(smallExperiment());
      QTRY_VERIFY_WITH_TIMEOUT(document()->inputs().hasModel(), 20000);
      other = writeImage(folder.filePath("a.png"));
      shown = writeImage(folder.filePath("b.png"), 40, 36, 90);
      OPEN_IMAGE(self, shown);
      window.actions()->find("view.interventions")->trigger();
      dialog = window.findChild<InterventionDialog*>();
      QVERIFY(dialog);
    }
    QString text(const char* name) const { return dialog->findChild<QLabel*>(name)->text(); }
    /// Core's request, and a session of its own.
    InterventionRequest request(const InferenceSession& session) {
      InterventionRequest request;
      request.image = rawImage(session.info(), valueOrThrow(readImage(shown.toStdString())));
      request.other = rawImage(session.info(), valueOrThrow(readImage(other.toStdString())));
      return request;
    }
  };

 private Q_SLOTS:
  void init() { QTest::failOnWarning(QRegularExpression("^(?!This plugin does not support)")); }

  void everyHeadIsAblated() {
    Fixture f;
    QVERIFY(!f.dialog->isBusy());
    f.dialog->measureOrStop();
    QTRY_VERIFY(f.dialog->sweep());
    auto session = valueOrThrow(InferenceSession::create(smallExperiment()));
    const auto expected = valueOrThrow(
        sweepInterventions(*session, f.document()->inputs().masks(), f.request(*session)));
    QCOMPARE(f.dialog->sweep()->values.size(), expected.values.size());
    for (std::size_t l = 0; l < expected.values.size(); ++l)
      for (std::size_t h = 0; h < expected.values[l].size(); ++h)
        QVERIFY(std::abs(f.dialog->sweep()->values[l][h] - expected.values[l][h]) < 1e-5);
    QVERIFY2(f.text("interventionCaption").contains("outputs of heads set to 0"),
             qPrintable(f.text("interventionCaption")));
    synthetic::saveGrabs(*f.dialog, "interventions");
  }

  void aPartIsChosenByKeysAndMouse() {
    Fixture f;
    f.dialog->measureOrStop();
    QTRY_VERIFY(f.dialog->sweep());
    QTRY_VERIFY(!f.dialog->isBusy());
    PartsView* view = f.dialog->view();
    view->setCell(PartsView::Cell{0, 0});
    QTest::keyClick(view, Qt::Key_Down);
    QTest::keyClick(view, Qt::Key_Right);
    QCOMPARE(*view->cell(), (PartsView::Cell{1, 1}));
    QTest::keyClick(view, Qt::Key_Right);  // there are two heads
    QCOMPARE(*view->cell(), (PartsView::Cell{1, 1}));
    QVERIFY2(f.text("interventionCell").startsWith("heads:1.1: "),
             qPrintable(f.text("interventionCell")));
    QTest::mouseClick(view, Qt::LeftButton, {}, view->cellRect({1, 1}).center());
    QTRY_VERIFY(f.dialog->effect());
    QVERIFY(std::abs(f.dialog->effect()->value - f.dialog->sweep()->values[1][1]) < 1e-5);
    QVERIFY2(f.text("interventionEffect").startsWith("heads:1.1 replaced: "),
             qPrintable(f.text("interventionEffect")));
  }

  /// Whatever the window shows by then.
  void aPartIsReplacedInTheRunOfItsSweep() {
    Fixture f;
    f.dialog->setOther(f.other);
    f.dialog->form()->setValue("direction", "noise");
    f.dialog->measureOrStop();
    QTRY_VERIFY(f.dialog->sweep());
    QTRY_VERIFY(!f.dialog->isBusy());
    f.dialog->setOther(f.shown);
    TestWindow& window = f;
    OPEN_IMAGE(window, f.other);
    QVERIFY(f.dialog->sweep());
    Q_EMIT f.dialog->view()->chosen(1, 1);
    QTRY_VERIFY(f.dialog->effect());
    QVERIFY(std::abs(f.dialog->effect()->facts.base - f.dialog->sweep()->facts.base) < 1e-5);
    QVERIFY(std::abs(f.dialog->effect()->facts.target - f.dialog->sweep()->facts.target) < 1e-5);
    QVERIFY(std::abs(f.dialog->effect()->value - f.dialog->sweep()->values[1][1]) < 1e-5);
  }

  void anotherImageIsPatchedIn() {
    Fixture f;
    f.dialog->setOther(f.other);
    f.dialog->form()->setValue("site", "residual");
    f.dialog->form()->setValue("across", "layers");
    f.dialog->measureOrStop();
    QTRY_VERIFY(f.dialog->sweep());
    QVERIFY(f.dialog->sweep()->facts.runsOther);
    QVERIFY(f.dialog->sweep()->hasShares());
    for (const auto& row : f.dialog->sweep()->effects())
      QVERIFY(std::abs(row[0] - 1) < 1e-2);
  }

  void withoutAnotherImageItSaysSo() {
    Fixture f;
    f.dialog->form()->setValue("replace", "image");
    f.dialog->measureOrStop();
    QTRY_VERIFY2(f.dialog->status()->text().contains("other image"),
                 qPrintable(f.dialog->status()->text()));
    QVERIFY(!f.dialog->sweep());
    QVERIFY(!f.dialog->saveButton()->isEnabled());
  }

  void attributionAndCompositionAreCores() {
    Fixture f;
    f.dialog->choose(InterventionDialog::Shows::Attribution);
    f.dialog->measureOrStop();
    QTRY_VERIFY(f.dialog->attribution());
    auto session = valueOrThrow(InferenceSession::create(smallExperiment()));
    const auto expected = valueOrThrow(
        attributeLogit(*session, f.request(*session).image, f.document()->inputs().masks()));
    QVERIFY(std::abs(f.dialog->attribution()->mlp[1] - expected.mlp[1]) < 1e-5);
    QCOMPARE(f.dialog->view()->parts().columns(), 4);  // two heads, attention, MLP
    QTRY_VERIFY(!f.dialog->isBusy());
    f.dialog->choose(InterventionDialog::Shows::KeyPaths);
    QVERIFY(!f.dialog->saveButton()->isEnabled());
    f.dialog->measureOrStop();
    QTRY_VERIFY(f.dialog->composition());
    QCOMPARE(f.dialog->composition()->key[6], valueOrThrow(composeHeads(*session)).key[6]);
    f.dialog->view()->setCell(PartsView::Cell{3, 0});
    QVERIFY(f.text("interventionCell").startsWith("1.1 reads 0.0: "));
    f.dialog->choose(InterventionDialog::Shows::Attribution);  // still there
    QVERIFY(f.dialog->saveButton()->isEnabled());
  }

  void normsAndSinksAreCores() {
    Fixture f;
    f.dialog->choose(InterventionDialog::Shows::Outliers);
    f.dialog->measureOrStop();
    QTRY_VERIFY(f.dialog->outliers());
    auto session = valueOrThrow(InferenceSession::create(smallExperiment()));
    const auto expected = valueOrThrow(
        findOutliers(*session, f.request(*session).image, f.document()->inputs().masks()));
    QVERIFY(std::abs(f.dialog->outliers()->layers[1].norms[3] - expected.layers[1].norms[3]) <
            1e-4);
    QCOMPARE(f.dialog->view()->parts().columns(), 17);  // the class token and 4 × 4 patches
    f.dialog->choose(InterventionDialog::Shows::Sinks);
    QCOMPARE(f.dialog->view()->parts().columns(), 2);
    f.dialog->view()->setCell(PartsView::Cell{1, 1});
    QVERIFY2(f.text("interventionCell").contains("most of it to token"),
             qPrintable(f.text("interventionCell")));
  }

  void valuesAndRanksOfHeadsAreCores() {
    Fixture f;
    f.dialog->choose(InterventionDialog::Shows::OutputRanks);
    f.dialog->measureOrStop();
    QTRY_VERIFY(f.dialog->outliers());
    const OutlierLayer& layer = f.dialog->outliers()->layers[1];
    const auto shown = [&] { return f.dialog->view()->parts().values[1]; };
    QCOMPARE(shown(), layer.outputRank);
    f.dialog->view()->setCell(PartsView::Cell{1, 0});
    QVERIFY2(f.text("interventionCell").startsWith("layer 1, head 0: "),
             qPrintable(f.text("interventionCell")));
    f.dialog->choose(InterventionDialog::Shows::ValueNorms);  // measured with it
    QCOMPARE(shown(), layer.valueNorm);
    f.dialog->choose(InterventionDialog::Shows::SinkValues);
    QCOMPARE(shown(), layer.sinkValue);
    QVERIFY(f.text("interventionCaption").contains("share of the median"));
  }

  /// The model has no outliers to speak of, so without neurons.
  void registersShowBeforeAndAfter() {
    Fixture f;
    f.dialog->choose(InterventionDialog::Shows::RegisterNorms);
    QVERIFY(!f.dialog->form()->isVisibleTo(f.dialog));
    QVERIFY(f.dialog->registerForm()->isVisibleTo(f.dialog));
    f.dialog->registerForm()->setValue("registers", 2);
    f.dialog->registerForm()->setValue("neurons", 0);
    f.dialog->measureOrStop();
    QTRY_VERIFY(f.dialog->registers());
    auto session = valueOrThrow(InferenceSession::create(smallExperiment()));
    const auto expected = valueOrThrow(applyRegisters(
        *session, {f.request(*session).image, {}, {2, 0}}, f.document()->inputs().masks()));
    for (std::size_t c = 0; c < expected.after.logits.size(); ++c)
      QVERIFY(std::abs(f.dialog->registers()->after.logits[c] - expected.after.logits[c]) < 1e-4);
    QVERIFY(f.text("interventionCaption").startsWith("An intervention"));
    QVERIFY(f.text("interventionEffect").startsWith("Prediction: "));
    auto* shown = f.dialog->findChild<QLabel*>("interventionRegisters");
    QVERIFY(!shown->pixmap().isNull());
    f.dialog->choose(InterventionDialog::Shows::RegisterMaps);  // of the same runs
    QVERIFY(!shown->pixmap().isNull());
    synthetic::saveGrabs(*f.dialog, "registers");
    for (const char* name : {"r.png", "r.csv"}) {
      f.dialog->saveAs(f.folder.filePath(name));
      QVERIFY2(QFile::exists(f.folder.filePath(name)), name);
    }
    f.dialog->choose(InterventionDialog::Shows::Interventions);
    QVERIFY(!shown->isVisibleTo(f.dialog));
    QVERIFY(f.dialog->form()->isVisibleTo(f.dialog));
  }

  void noRegistersAreRefusedInWords() {
    Fixture f;
    f.dialog->choose(InterventionDialog::Shows::RegisterMaps);
    f.dialog->registerForm()->setValue("registers", 0);
    f.dialog->measureOrStop();
    QTRY_VERIFY2(f.dialog->status()->text().contains("1 to 16"),
                 qPrintable(f.dialog->status()->text()));
    QVERIFY(!f.dialog->registers());
  }

  void savedTableMatchesAndAnotherModelForgets() {
    Fixture f;
    f.dialog->measureOrStop();
    QTRY_VERIFY(f.dialog->sweep());
    for (const char* name : {"i.png", "i.csv"}) {
      f.dialog->saveAs(f.folder.filePath(name));
      QVERIFY2(QFile::exists(f.folder.filePath(name)), name);
    }
    QFile file(f.folder.filePath("i.csv"));
    QVERIFY(file.open(QFile::ReadOnly));
    QCOMPARE(file.readAll().toStdString(), sweepCsv(*f.dialog->sweep()));
    f.dialog->saveAs(f.folder.filePath("none/i.png"));
    QCOMPARE(f.dialog->status()->tone(), MessageLabel::Tone::Problem);
    f->modelWorker()->createModel(smallExperiment(16));
    QTRY_VERIFY(!f.dialog->sweep());
    QVERIFY(!f.dialog->saveButton()->isEnabled());
  }

  void itStopsAtOnce() {
    Fixture f;
    f.dialog->form()->setValue("site", "residual");
    f.dialog->measureOrStop();
    QVERIFY(f.dialog->isBusy());
    f.dialog->measureOrStop();
    QVERIFY(!f.dialog->isBusy());
    QCOMPARE(f.dialog->status()->text(), QString("Stopped."));
    QTest::qWait(50);
    QVERIFY(!f.dialog->sweep());
  }
};

QTEST_MAIN(InterventionsTest)
#include "InterventionsTest.moc"
