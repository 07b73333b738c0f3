// SPDX-License-Identifier: GPL-3.0-or-later

// The query-key map in the window matches core's; points are colored, selected, opened and saved;
// stopping, another model.

#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QListView>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>

#include "tests/gui/Grab.h"
#include "tests/gui/Mouse.h"
#include "tests/gui/WindowFixture.h"
#include "ui/bridge/GalleryModel.h"
#include "ui/evaluation/ThumbnailList.h"
#include "ui/forms/ParameterForm.h"
#include "ui/interventions/QueryKeyDialog.h"
#include "ui/interventions/QueryKeyPlot.h"
#include "ui/opening/GalleryDock.h"
#include "ui/plots/Plotting.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/NumberBox.h"

using namespace headlight;

class QueryKeyMapTest : public QObject {
  Q_OBJECT

  struct Fixture : TestWindow {
    QTemporaryDir folder;
    QString shown;
    QueryKeyDialog* dialog = nullptr;

    Fixture() {
      TestWindow& self = *this;
      window.modelWorker()->createModel(smallExperiment());
      QTRY_VERIFY_WITH_TIMEOUT(document()->inputs().hasModel(), 20000);
      shown = writeImage(folder.filePath("a.png"));
      OPEN_IMAGE(self, shown);
      window.actions()->find("view.queryKeyMap")->trigger();
      dialog = window.findChild<QueryKeyDialog*>();
      QVERIFY(dialog);
    }
    void measure() {
      dialog->images()->choose(ImageChoice::Source::Shown);
      dialog->form()->setValue("layer", 1);
      dialog->form()->setValue("head", 1);
      dialog->measureOrStop();
      QTRY_VERIFY(dialog->map());
      QTRY_VERIFY(!dialog->isBusy());
    }
    QString text(const char* name) const { return dialog->findChild<QLabel*>(name)->text(); }
  };

 private Q_SLOTS:
  void init() { QTest::failOnWarning(QRegularExpression("^(?!This plugin does not support)")); }

  void theMapIsCores() {
    Fixture f;
    f.measure();
    QVERIFY(f.dialog->map());
    auto session = valueOrThrow(InferenceSession::create(smallExperiment()));
    QueryKeyOptions options;
    options.layer = options.head = 1;
    const auto expected = valueOrThrow(mapQueryKeys(
        *session, makeImageSource(std::vector<std::filesystem::path>{f.shown.toStdString()}),
        f.document()->inputs().masks(), options));
    QCOMPARE(f.dialog->map()->points.size(), expected.points.size());
    for (std::size_t i = 0; i < expected.points.size(); ++i)
      QVERIFY(std::abs(f.dialog->map()->points[i].x - expected.points[i].x) < 1e-4);
    QVERIFY2(f.text("queryKeyCaption").contains("of the variance"),
             qPrintable(f.text("queryKeyCaption")));
    synthetic::saveGrabs(*f.dialog, "query-key-map");
  }

  void theLastLayerIsAWordUntilItIsMapped() {
    Fixture f;
    auto* layer = qobject_cast<NumberBox*>(f.dialog->form()->editor("layer"));
    QVERIFY(layer);
    QCOMPARE(layer->text(), QString("last"));
    QCOMPARE(f.text("averageLabel"), QString("Im&ages from"));
    f.dialog->images()->choose(ImageChoice::Source::Shown);
    f.dialog->measureOrStop();
    QTRY_VERIFY2(f.dialog->map(), qPrintable(f.dialog->status()->text()));
    QCOMPARE(f.dialog->map()->layer, 2);
    QVERIFY2(f.text("queryKeyCaption").startsWith("Layer 2, head 0"),
             qPrintable(f.text("queryKeyCaption")));
    QCOMPARE(layer->text(), QString("last"));
  }

  void pointsAreColoredAndShownAsPatches() {
    Fixture f;
    f.measure();
    QueryKeyPlot* plot = f.dialog->plot();
    QVERIFY(plot->points()[1].color != plot->points().back().color);  // a query and a key
    const QColor before = plot->points()[1].color;
    f.dialog->chooseColoring(PointColoring::Norm);
    QVERIFY(plot->points()[1].color != before);
    QVERIFY(plot->points()[1].patch.isNull());
    f.dialog->findChild<QCheckBox*>("queryKeyPatches")->setChecked(true);
    QVERIFY(!plot->points()[1].patch.isNull());
    plot->plot()->replot();
  }

  void aRectangleListsItsImages() {
    Fixture f;
    f.measure();
    QueryKeyPlot* plot = f.dialog->plot();
    QTRY_VERIFY(plot->plot()->width() > 100);
    plot->plot()->replot();
    const QPoint from(1, 1), to(plot->plot()->width() - 2, plot->plot()->height() - 2);
    QTest::mousePress(plot->plot(), Qt::LeftButton, {}, from);
    synthetic::moveMouse(plot->plot(), QPointF(from) + QPointF(30, 30), Qt::LeftButton);
    synthetic::moveMouse(plot->plot(), QPointF(to), Qt::LeftButton);
    QTest::mouseRelease(plot->plot(), Qt::LeftButton, {}, to);
    QCOMPARE(plot->selected().size(), f.dialog->map()->points.size());
    QCOMPARE(f.dialog->selectedImages()->count(), 1);
    plot->selectIn(QRect(0, 0, 1, 1));
    QVERIFY(plot->selected().empty());
    QCOMPARE(f.dialog->selectedImages()->count(), 0);
  }

  void brushedImagesAreSelectedInTheGallery() {
    Fixture f;
    const QStringList paths{f.shown, writeImage(f.folder.filePath("b.png"), 40, 36, 90),
                            writeImage(f.folder.filePath("c.png"), 36, 40, 150)};
    f->gallery()->addFiles(paths);
    auto* dock = f.window.findChild<GalleryDock*>();
    const auto selected = [&] { return dock->view()->selectionModel()->selectedIndexes().size(); };
    QCOMPARE(dock->select(paths), 3);
    f->actions()->find("view.queryKeyMap")->trigger();
    f.dialog->images()->choose(ImageChoice::Source::Chosen);
    f.dialog->measureOrStop();
    QTRY_VERIFY(f.dialog->map() && !f.dialog->isBusy());
    QCOMPARE(f.dialog->map()->images.size(), std::size_t{3});
    QCOMPARE(selected(), 3);  // measuring alone changes nothing
    QueryKeyPlot* plot = f.dialog->plot();
    plot->plot()->replot();
    const QRect everything(QPoint(0, 0), plot->plot()->size());
    plot->selectIn(everything);
    QVERIFY(f.text("queryKeyListed").contains("3 of 3"));
    QCOMPARE(selected(), 3);
    for (const QString& next : {paths[1], paths[2], paths[0]}) {
      QTest::keyClick(dock->view(), Qt::Key_Right);
      QTRY_COMPARE(f.document()->inputs().imagePath(), next);
      QCOMPARE(selected(), 3);
    }
    dock->step(-1);
    QTRY_COMPARE(f.document()->inputs().imagePath(), paths[2]);
    f->gallery()->removeImages({f->gallery()->indexOf(paths[1])});
    plot->selectIn(everything);
    QVERIFY(f.text("queryKeyListed").contains("2 of 3"));
    plot->selectIn(QRect(0, 0, 1, 1));
    QVERIFY(f.text("queryKeyListed").isEmpty());
    QCOMPARE(selected(), 1);  // the image that is shown
  }

  void clicksWalkThroughTheSelectionAndEndIt() {
    Fixture f;
    const QStringList paths{f.shown, writeImage(f.folder.filePath("b.png"), 40, 36, 90)};
    const QString other = writeImage(f.folder.filePath("c.png"), 36, 40, 150);
    f->gallery()->addFiles(paths);
    f->gallery()->addFiles({other});
    auto* dock = f.window.findChild<GalleryDock*>();
    QCOMPARE(dock->select({QStringLiteral("nowhere.png")}), 0);
    QCOMPARE(dock->select(paths), 2);
    const auto click = [&](int fromEnd) {
      const QAbstractItemModel* model = dock->view()->model();
      const QModelIndex index = model->index(model->rowCount() - fromEnd, 0);
      dock->view()->scrollTo(index);
      QTest::mouseClick(dock->view()->viewport(), Qt::LeftButton, {},
                        dock->view()->visualRect(index).center());
    };
    click(2);
    QTRY_COMPARE(f.document()->inputs().imagePath(), paths[1]);
    QCOMPARE(dock->view()->selectionModel()->selectedIndexes().size(), 2);
    click(1);
    QTRY_COMPARE(f.document()->inputs().imagePath(), other);
    QCOMPARE(dock->view()->selectionModel()->selectedIndexes().size(), 1);
  }

  void aPointIsDescribedAndOpened() {
    Fixture f;
    f.measure();
    QueryKeyPlot* plot = f.dialog->plot();
    plot->plot()->replot();
    const int point = plot->pointAt(plot->placeOf(5));
    QVERIFY(point >= 0);
    synthetic::moveMouse(plot->plot(), plot->placeOf(5));
    QVERIFY2(f.text("queryKeyPlace").contains("a.png"), qPrintable(f.text("queryKeyPlace")));
    f.dialog->openPoint(5);
    QTRY_VERIFY(f.document()->view().isPinned());
    QCOMPARE(f.document()->view().options().layer, 1);
    QCOMPARE(f.document()->view().options().head, 1);
    QCOMPARE(f.document()->view().options().query, f.dialog->map()->points[5].token);
    QCOMPARE(f.document()->inputs().imagePath(), f.shown);
  }

  void keysZoomAndShowEverything() {
    Fixture f;
    f.measure();
    QueryKeyPlot* plot = f.dialog->plot();
    plot->plot()->replot();
    const double before = plot->plot()->xAxis->range().size();
    QTest::keyClick(plot, Qt::Key_Plus);
    QVERIFY(plot->plot()->xAxis->range().size() < before);
    QVERIFY(plot->isCloser());
    QTest::keyClick(plot, Qt::Key_Home);
    QVERIFY(!plot->isCloser());
  }

  void savedTableMatchesAndAnotherModelForgets() {
    Fixture f;
    QVERIFY(!f.dialog->saveButton()->isEnabled());
    f.measure();
    for (const char* name : {"m.png", "m.csv", "m.pdf"}) {
      f.dialog->saveAs(f.folder.filePath(name));
      QVERIFY2(QFile::exists(f.folder.filePath(name)), name);
    }
    QFile file(f.folder.filePath("m.csv"));
    QVERIFY(file.open(QFile::ReadOnly));
    QCOMPARE(file.readAll().toStdString(), queryKeyCsv(*f.dialog->map()));
    f.dialog->saveAs(f.folder.filePath("none/m.png"));
    QCOMPARE(f.dialog->status()->tone(), MessageLabel::Tone::Problem);
    f->modelWorker()->createModel(smallExperiment(16));
    QTRY_VERIFY(!f.dialog->map());
    QVERIFY(f.dialog->plot()->points().empty());
  }

  void anErrorIsShownAndItStops() {
    Fixture f;
    f.dialog->images()->choose(ImageChoice::Source::Shown);
    f.dialog->form()->setValue("head", 9);
    f.dialog->measureOrStop();
    QTRY_VERIFY2(f.dialog->status()->text().contains("head"),
                 qPrintable(f.dialog->status()->text()));
    QTRY_VERIFY(!f.dialog->isBusy());
    f.dialog->form()->setValue("head", 0);
    f.dialog->measureOrStop();
    QVERIFY(f.dialog->isBusy());
    f.dialog->measureOrStop();
    QVERIFY(!f.dialog->isBusy());
    QTest::qWait(50);
    QVERIFY(!f.dialog->map());
  }
};

QTEST_MAIN(QueryKeyMapTest)
#include "QueryKeyMapTest.moc"
