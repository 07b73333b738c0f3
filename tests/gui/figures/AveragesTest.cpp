// SPDX-License-Identifier: GPL-3.0-or-later

// Measurements over many images, in the window: attention by offset, and the faithfulness of
// explanations. The numbers match core's.

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QListView>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTest>

#include "core/workbench/attribution/FaithfulnessStudy.h"
#include "core/workbench/figures/HeadFigure.h"
#include "tests/gui/Grab.h"
#include "tests/gui/Mouse.h"
#include "tests/gui/WindowFixture.h"
#include "ui/evaluation/SampleFields.h"
#include "ui/figures/FaithfulnessDialog.h"
#include "ui/figures/HeadsDialog.h"
#include "ui/figures/RelativeDialog.h"
#include "ui/widgets/MessageLabel.h"

using namespace headlight;

class AveragesTest : public QObject {
  Q_OBJECT

  struct Fixture : TestWindow {
    QTemporaryDir folder;
    QString first, second;

    explicit Fixture(const Experiment& experiment = smallExperiment()) {
      TestWindow& self = *this;
      window.modelWorker()->createModel(experiment);
      QTRY_VERIFY_WITH_TIMEOUT(document()->inputs().hasModel(), 20000);
      first = writeImage(folder.filePath("a.png"));
      second = writeImage(folder.filePath("b.png"), 40, 36, 90);
      OPEN_IMAGE(self, first);
      OPEN_IMAGE(self, second);
    }
    template <typename Dialog>
    Dialog* open(const char* command) {
      window.actions()->find(command)->trigger();
      return window.findChild<Dialog*>();
    }
    /// Core's result, in a separate session.
    RelativeMaps expected(const std::vector<std::filesystem::path>& files) {
      auto session = valueOrThrow(InferenceSession::create(smallExperiment()));
      return valueOrThrow(
          measureRelative(*session, makeImageSource(files), document()->inputs().masks()));
    }
  };

  static Experiment ibit() {
    Experiment experiment = smallExperiment();
    experiment.model.mechanism = "learned_mask";
    return experiment;
  }

 private Q_SLOTS:
  void init() { QTest::failOnWarning(QRegularExpression("^(?!This plugin does not support)")); }

  void attentionByOffsetOfShownImage() {
    Fixture f;
    auto* dialog = f.open<RelativeDialog>("view.attentionByOffset");
    QVERIFY(dialog);
    QCOMPARE(dialog->findChild<QLabel*>("averageLabel")->text(), QString("&Average over"));
    QTRY_VERIFY(dialog->maps());
    const auto expected = f.expected({f.second.toStdString()});
    for (std::size_t l = 0; l < expected.layers.size(); ++l)
      for (std::size_t i = 0; i < expected.layers[l].values.size(); ++i)
        QVERIFY(std::abs(dialog->maps()->layers[l].values[i] - expected.layers[l].values[i]) <
                1e-9);
    QVERIFY(dialog->findChild<QLabel*>("relativeCaption")
                ->text()
                .contains("1 image, " + QFileInfo(f.second).fileName() + ";"));
    QVERIFY(!dialog->findChild<QComboBox*>("relativeShows")->isVisible());  // no learned masks
    synthetic::saveGrabs(*dialog, "attention-by-offset");
  }

  void offsetUnderPointerIsShown() {
    Fixture f;
    auto* dialog = f.open<RelativeDialog>("view.attentionByOffset");
    QTRY_VERIFY(dialog->maps());
    RelativeView* view = dialog->view();
    const QRect tile = view->tileRect(1, 1);
    synthetic::moveMouse(view, tile.topLeft() + QPoint(2, 2));
    QVERIFY(view->place());
    QCOMPARE(*view->place(), (RelativeView::Place{1, 1, -3, -3}));
    const double value = dialog->maps()->layers[1].at(1, -3, -3);
    const QString reported = dialog->findChild<QLabel*>("relativePlace")->text();
    QVERIFY2(reported.contains("row −3, column −3"), qPrintable(reported));
    QVERIFY(reported.contains(QString::number(value, 'g', 4)));
    // By keys: to the next offset, and over the edge to the tile beside.
    view->setPlace(RelativeView::Place{0, 0, 0, 2});
    QTest::keyClick(view, Qt::Key_Right);
    QCOMPARE(*view->place(), (RelativeView::Place{0, 0, 0, 3}));
    QTest::keyClick(view, Qt::Key_Right);
    QCOMPARE(*view->place(), (RelativeView::Place{0, 1, 0, -3}));
    QTest::keyClick(view, Qt::Key_Right);
    for (int i = 0; i < 4; ++i)
      QTest::keyClick(view, Qt::Key_Down);
    QCOMPARE(*view->place(), (RelativeView::Place{1, 1, -3, -2}));
  }

  void imagesChosenInTheGalleryAreAveraged() {
    Fixture f;
    auto* list = f->findChild<QListView*>("galleryView");
    list->selectionModel()->clear();
    for (int row = 0; row < list->model()->rowCount(); ++row) {
      const QModelIndex index = list->model()->index(row, 0);
      const QString path = index.data(GalleryModel::PathRole).toString();
      if (path == f.first || path == f.second)
        list->selectionModel()->select(index, QItemSelectionModel::Select);
    }
    auto* dialog = f.open<RelativeDialog>("view.attentionByOffset");
    QCOMPARE(dialog->images()->source(), ImageChoice::Source::Chosen);
    QTRY_VERIFY(dialog->maps());
    QCOMPARE(dialog->maps()->fed.images, 2);
    const auto expected = f.expected({f.first.toStdString(), f.second.toStdString()});
    QVERIFY(std::abs(dialog->maps()->layers[2].at(0, 1, 1) - expected.layers[2].at(0, 1, 1)) <
            1e-9);
    // All of it, the built-in samples among them.
    QTRY_VERIFY(!dialog->isBusy());
    dialog->images()->choose(ImageChoice::Source::Listed);
    dialog->measureOrStop();
    QTRY_COMPARE_WITH_TIMEOUT(dialog->maps()->fed.images, list->model()->rowCount(), 20000);
    QVERIFY2(dialog->status()->text().isEmpty(), qPrintable(dialog->status()->text()));
  }

  void headsByDepthOverTheGallery() {
    Fixture f;
    auto* dialog = f.open<HeadsDialog>("view.headsOverImages");
    QVERIFY(dialog);
    QTRY_VERIFY(dialog->shown());
    QCOMPARE(dialog->shown()->images, 1);
    QVERIFY(dialog->findChild<QLabel*>("headsCaption")
                ->text()
                .contains("small · random weights, masks none"));
    QTRY_VERIFY(!dialog->isBusy());
    dialog->images()->choose(ImageChoice::Source::Listed);
    dialog->measureOrStop();
    QTRY_VERIFY_WITH_TIMEOUT(!dialog->isBusy() && dialog->shown()->images > 2, 20000);
    auto* measures = dialog->findChild<QComboBox*>("headsMeasure");
    measures->setCurrentIndex(measures->findText("attention distance", Qt::MatchContains));
    QCOMPARE(dialog->shown()->measure, HeadMetric::Distance);
    const QString csv = f.folder.filePath("heads.csv"), pdf = f.folder.filePath("heads.pdf");
    dialog->saveAs(csv);
    dialog->saveAs(pdf);
    QFile written(csv);
    QVERIFY(written.open(QIODevice::ReadOnly));
    QCOMPARE(written.readAll().toStdString(), headValuesCsv(*dialog->shown()));
    QVERIFY(QFile::exists(pdf));
    synthetic::saveGrabs(*dialog, "heads-over-images");
    Experiment other = smallExperiment();
    other.model.depth = 2;
    f->modelWorker()->createModel(other);
    QTRY_VERIFY(!dialog->shown());  // of another model
    QVERIFY(!dialog->saveButton()->isEnabled());
  }

  void datasetMeasurementCanBeStopped() {
    Fixture f;
    auto* dialog = f.open<RelativeDialog>("view.attentionByOffset");
    QTRY_VERIFY(dialog->maps());
    QTRY_VERIFY(!dialog->isBusy());
    dialog->images()->choose(ImageChoice::Source::Data);
    QVERIFY(dialog->images()->sample()->isVisible());
    ImageSample many;
    many.data.validationSamples = 20000;
    many.samples = 0;
    dialog->images()->sample()->setSample(many);
    dialog->measureOrStop();
    QVERIFY(dialog->isBusy());
    QCOMPARE(dialog->measureButton()->text(), QString("S&top"));
    QTest::qWait(50);
    dialog->measureOrStop();
    QVERIFY(!dialog->isBusy());
    many.samples = 4;
    dialog->images()->sample()->setSample(many);
    dialog->measureOrStop();
    QTRY_COMPARE(dialog->maps()->fed.images, 4);
    QVERIFY(dialog->status()->text().isEmpty());
  }

  void savedFigureMatchesShownOne() {
    Fixture f;
    auto* dialog = f.open<RelativeDialog>("view.attentionByOffset");
    QTRY_VERIFY(dialog->maps());
    for (const char* name : {"r.pdf", "r.svg", "r.png", "r.csv"}) {
      dialog->saveAs(f.folder.filePath(name));
      QVERIFY2(QFile::exists(f.folder.filePath(name)), name);
    }
    QFile file(f.folder.filePath("r.csv"));
    QVERIFY(file.open(QFile::ReadOnly));
    QCOMPARE(file.readAll().toStdString(), relativeCsv(*dialog->maps()));
    dialog->saveAs(f.folder.filePath("none/r.pdf"));
    QCOMPARE(dialog->status()->tone(), MessageLabel::Tone::Problem);
  }

  void gradientBiasingIsOfferedForLearnedMasks() {
    Fixture f(ibit());
    auto* dialog = f.open<RelativeDialog>("view.attentionByOffset");
    QTRY_VERIFY(dialog->maps());
    auto* shows = dialog->findChild<QComboBox*>("relativeShows");
    QVERIFY(shows->isVisible());
    QCOMPARE(shows->count(), 4);
    shows->setCurrentIndex(3);
    QVERIFY(!dialog->maps());
    QVERIFY(!dialog->saveButton()->isEnabled());
    QTRY_VERIFY(!dialog->isBusy());
    dialog->measureOrStop();
    QTRY_VERIFY(dialog->maps());
    auto session = valueOrThrow(InferenceSession::create(ibit()));
    const auto expected = valueOrThrow(measureGradientBiasing(
        *session, makeImageSource({f.second.toStdString()}), f.document()->inputs().masks()));
    QVERIFY(std::abs(dialog->maps()->layers[1].at(0, 0, 1) - expected.ratio.layers[1].at(0, 0, 1)) <
            1e-6 * expected.ratio.layers[1].at(0, 0, 1));
    QVERIFY(dialog->findChild<QLabel*>("relativeCaption")->text().contains("mean loss"));
    synthetic::saveGrabs(*dialog, "gradient-ratio");
    // Another model has none of it.
    f->modelWorker()->createModel(smallExperiment(16));
    QTRY_VERIFY(!dialog->maps());
    QTRY_VERIFY(!shows->isVisible());
  }

  void faithfulnessIsATable() {
    Fixture f;
    auto* dialog = f.open<FaithfulnessDialog>("view.faithfulness");
    QVERIFY(dialog);
    QVERIFY(!dialog->isBusy());
    dialog->measureOrStop();
    QTRY_VERIFY_WITH_TIMEOUT(dialog->study(), 20000);
    const auto heatmaps = std::count_if(explanationMethods().begin(), explanationMethods().end(),
                                        std::mem_fn(&ExplanationInfo::isImageHeatmap));
    QCOMPARE(dialog->table()->rowCount(), static_cast<int>(heatmaps) + 3);
    auto session = valueOrThrow(InferenceSession::create(smallExperiment()));
    const auto expected = valueOrThrow(studyFaithfulness(
        *session, makeImageSource({f.second.toStdString()}), f.document()->inputs().masks()));
    for (int row = 0; row < dialog->table()->rowCount(); ++row) {
      const StudiedMethod& method = expected.methods[static_cast<std::size_t>(row)];
      QCOMPARE(dialog->table()->item(row, 0)->text(), QString::fromStdString(method.title));
      QCOMPARE(dialog->table()->item(row, 2)->text(),
               QString::fromStdString(meanText(method.deletion)));
    }
    dialog->table()->sortItems(2);
    QVERIFY(dialog->table()->item(0, 2)->text() <= dialog->table()->item(5, 2)->text());
    dialog->saveAs(f.folder.filePath("f.csv"));
    QFile file(f.folder.filePath("f.csv"));
    QVERIFY(file.open(QFile::ReadOnly));
    QCOMPARE(file.readAll().toStdString(), studyCsv(expected.methods));
    synthetic::saveGrabs(*dialog, "faithfulness");
  }
};

QTEST_MAIN(AveragesTest)
#include "AveragesTest.moc"
