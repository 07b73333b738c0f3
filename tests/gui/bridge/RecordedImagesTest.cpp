// SPDX-License-Identifier: GPL-3.0-or-later

// The images that a run recorded: the evolution slider shows them in canvas, heads, rollout,
// matrix and prediction; the present comes back as it was.

#include <QAction>
#include <QComboBox>
#include <QImageReader>
#include <QLabel>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSlider>

#include "core/workbench/runs/EvolutionScales.h"
#include "core/workbench/runs/RecordedEvolution.h"
#include "core/workbench/session/Prediction.h"
#include "core/workbench/training/TrainingSession.h"
#include "tests/gui/EndlessExperiment.h"
#include "tests/gui/Grab.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/bridge/AnalysisBridge.h"
#include "ui/bridge/EvolutionBridge.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/document/RecordedView.h"
#include "ui/figures/FilmDialog.h"
#include "ui/training/EvolutionBar.h"
#include "ui/training/TrainingDock.h"
#include "ui/widgets/MessageLabel.h"

using namespace headlight;

namespace {

constexpr std::int64_t kEditedAt = 5;

MaskScheme edited(const Experiment& experiment) {
  MaskScheme scheme(experiment.model.maskShape());
  scheme.set(1, 1, {MaskKind::Hard, 3});
  return scheme;
}

/// Sixteen steps; one head is masked on the way.
Experiment shortExperiment() {
  Experiment experiment = endlessExperiment();
  experiment.name = "short";
  experiment.training.epochs = 2;
  const MaskScheme none(experiment.model.maskShape());
  experiment.edits.push_back({kEditedAt, *makeMaskEdit(none, edited(experiment), "one head")});
  return experiment;
}

struct RecordedWindow : TestWindow {
  TrainingDock* dock() { return window.findChild<TrainingDock*>(); }
  EvolutionBar* bar() { return dock()->evolution(); }
  QSlider* slider() { return bar()->findChild<QSlider*>(); }
  QComboBox* images() { return bar()->findChild<QComboBox*>(QStringLiteral("evolutionImage")); }
  const RecordedView* shown() { return document()->recorded().view().get(); }
  std::int64_t shownStep() {
    return shown() ? shown()->source.split(QLatin1Char(' ')).last().toLongLong() : -1;
  }
};

}  // namespace

#define OPEN_RUN(test)                                                       \
  do {                                                                       \
    ModelSource source;                                                      \
    source.weights = path("run/last.safetensors").toStdString();             \
    (test)->modelWorker()->openModel(source);                                \
    QTRY_VERIFY_WITH_TIMEOUT((test).document()->inputs().hasModel(), 20000); \
    OPEN_IMAGE(test, m_image);                                               \
    (test)->trainingBridge()->readRecorded(path("run"));                     \
    QTRY_VERIFY_WITH_TIMEOUT((test).slider()->isEnabled(), 20000);           \
  } while (false)

#define SHOW_STEP(test, value)                                                             \
  do {                                                                                     \
    (test).slider()->setValue(value);                                                      \
    QTRY_VERIFY_WITH_TIMEOUT((test).shown() && !(test).dock()->images()->isBusy(), 20000); \
  } while (false)

class RecordedImagesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    initializeHeadlightResources();
    QVERIFY(m_folder.isValid());
    m_image = writeImage(path("image.png"));
    auto begun = TrainingSession::begin(shortExperiment(), path("run").toStdString());
    if (!begun) qFatal("%s", begun.error().text().c_str());
    const auto outcome = (*begun)->run({});
    if (!outcome) qFatal("%s", outcome.error().text().c_str());
  }
  void init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
  }

  void everyPartShowsTheStep() {
    RecordedWindow test;
    OPEN_RUN(test);
    Document& document = *test.document();
    const auto live = document.inference();
    document.view().pin(document.inputs().model().grid.prefix + 3);
    const int token = document.view().options().query;
    const RecordedEvolution recorded = *RecordedEvolution::open(path("run").toStdString());
    for (const int measurement : {0, 1, 6}) {
      SHOW_STEP(test, measurement);
      const std::size_t moment = recorded.momentAt(test.bar()->shown()->step);
      QTRY_COMPARE(test.shownStep(), recorded.moments()[moment].step);
      const EvolutionFrame frame = *recorded.frame(moment);
      const auto map = canvasMap(document);
      QVERIFY(map);
      const ViewOptions& view = document.view().options();
      std::vector<float> mean(map->values.size());
      for (int head = 0; head < 2; ++head) {
        const auto seen = frame.seen(0, view.layer, head, view.query);
        QVERIFY(seen.ok());
        for (std::size_t i = 0; i < mean.size(); ++i)
          mean[i] += (*seen)[i] / 2;
      }
      for (std::size_t i = 0; i < mean.size(); ++i)
        QVERIFY(std::abs(mean[i] - map->values[i]) < 1e-6);
      const auto& top = frame.moment().top[0];
      QCOMPARE(document.inference()->top.front().name, top.front().name);
      QCOMPARE(document.inference()->top.front().probability, top.front().probability);
      const auto rows = predictionRows(*document.inference(), nullptr);
      QCOMPARE(rows.size(), top.size());
      QCOMPARE(rows.back().probability, static_cast<double>(top.back().probability));
      QCOMPARE(*document.numbers().locality(1, 1), frame.moment().locality[1][1]);
      auto* analysis = AnalysisBridge::of(&document);
      analysis->requestRollout(document.inference(), document.view().options().rollout);
      QCOMPARE(analysis->rollout()->values, frame.rollout(0));
      // Masks as they were in force then, whatever they are now.
      const bool masked = document.recorded().shownMasks().at(1, 1).kind == MaskKind::Hard;
      QCOMPARE(masked, test.shownStep() >= kEditedAt);
      const Legend legend = canvasLegend(document, map);
      const QString source = QStringLiteral("Run short · recorded · step %1").arg(test.shownStep());
      QVERIFY2(legend.note.startsWith(source), qPrintable(legend.note));
      QCOMPARE(document.recorded().shownImage().width, recorded.info().images[0].view.width);
    }
    QCOMPARE(document.view().options().query, token);  // of so small a model every row is kept
    test.bar()->goLive();
    QVERIFY(!test.shown());
    QCOMPARE(document.inference(), live);
    QCOMPARE(document.view().options().query, token);
    QCOMPARE(document.recorded().shownImage().width, document.inputs().image().width);
    QVERIFY(!canvasLegend(document, canvasMap(document)).note.contains(QStringLiteral("ecorded")));
  }

  void anotherImage() {
    RecordedWindow test;
    OPEN_RUN(test);
    SHOW_STEP(test, 2);
    const QString first = test.shown()->imageName;
    QCOMPARE(test.images()->count(), 4);
    QVERIFY(test.images()->isVisibleTo(test.bar()));
    test.window.actions()->find(QStringLiteral("train.evolutionImage"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(test.shown()->imageName != first, 20000);
    QCOMPARE(test.images()->currentIndex(), 1);
    QVERIFY(test.images()->currentText().endsWith(test.shown()->imageName));
    QVERIFY(test.images()->currentText().startsWith(test.shown()->label));
    test.bar()->goLive();
    QVERIFY(!test.images()->isVisibleTo(test.bar()));
  }

  void playing() {
    RecordedWindow test;
    OPEN_RUN(test);
    std::vector<std::int64_t> steps;
    connect(test.document(), &Document::inferenceChanged, this, [&] {
      if (test.shown()) steps.push_back(test.shownStep());
    });
    test.bar()->playAction()->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!test.bar()->playAction()->isChecked(), 30000);
    QCOMPARE(steps, (std::vector<std::int64_t>{0, 2, 4, 6, 8, 10, 12, 14, 16}));
    QCOMPARE(test.shownStep(), 16);  // the last is there to be looked at
    // Round and round, until somebody wants the present.
    steps.clear();
    test.bar()->loopAction()->setChecked(true);
    test.bar()->playAction()->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(std::count(steps.begin(), steps.end(), 0) == 2, 30000);
    test.bar()->goLive();
    QVERIFY(!test.bar()->playAction()->isChecked());
    QVERIFY(!test.shown());
  }

  void whoEditsOrOpensWantsThePresent() {
    RecordedWindow test;
    OPEN_RUN(test);
    Document& document = *test.document();
    SHOW_STEP(test, 0);
    const MaskScheme before = document.inputs().masks();
    document.inputs().pushEdit(*makeMaskEdit(before, {{0, 0}}, {MaskKind::Hard, 3}, "hard"));
    QVERIFY(!test.shown());
    QCOMPARE(document.recorded().shownMasks().at(0, 0).kind, MaskKind::Hard);
    document.inputs().undoStack()->undo();
    QVERIFY(document.inputs().masks() == before);
    SHOW_STEP(test, 0);
    const QString other = writeImage(path("other.png"), 30, 30, 9);
    test->openPaths({other});
    QTRY_COMPARE_WITH_TIMEOUT(document.inputs().imagePath(), other, 20000);
    QVERIFY(!test.shown());
    SHOW_STEP(test, 3);
    QCOMPARE(document.inputs().imagePath(), other);
    OPEN_SMALL_MODEL(test);
    QTRY_VERIFY_WITH_TIMEOUT(!test.shown(), 20000);
  }

  void aRunOfAnotherModelHasNoImagesHere() {
    RecordedWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    test->trainingBridge()->readRecorded(path("run"));
    QTRY_VERIFY_WITH_TIMEOUT(test.slider()->isEnabled(), 20000);
    test.slider()->setValue(0);
    QTRY_VERIFY_WITH_TIMEOUT(!test.dock()->images()->problem().isEmpty(), 20000);
    QVERIFY(!test.shown());
    QVERIFY(test.dock()->images()->problem().contains(QStringLiteral("a different model")));
    QVERIFY(test.slider()->toolTip().contains(QStringLiteral("a different model")));
  }

  void aFigureOfAStepIsOfItsImage() {
    RecordedWindow test;
    OPEN_RUN(test);
    SHOW_STEP(test, 1);
    for (const FigureKind kind : {FigureKind::Canvas, FigureKind::Heads, FigureKind::Rollout}) {
      auto request = captureFigure(*test.document(), kind);
      QVERIFY(request.ok());
      QCOMPARE(request->imageName, test.shown()->imageName);
      QVERIFY(request->caption.note.contains(QStringLiteral("recorded · step 2")));
      request->path = path("figure.png");
      const auto written = writeFigure(*request);
      QVERIFY2(written.ok(), written ? "" : written.error().text().c_str());
    }
    synthetic::saveGrabs(test.window, QStringLiteral("recorded-step"));
  }

  void stepsShareOneScaleUnlessEachIsToHaveItsOwn() {
    RecordedWindow test;
    OPEN_RUN(test);
    Document& document = *test.document();
    const RecordedEvolution recorded = *RecordedEvolution::open(path("run").toStdString());
    const auto scales = EvolutionScales::read(recorded, 0);
    QVERIFY(scales.ok());
    std::vector<ValueRange> shared, own;
    for (const int measurement : {0, 3, 7}) {
      SHOW_STEP(test, measurement);
      document.view().change([](ViewOptions& view) { view.head = 1; });
      const ViewOptions& view = document.view().options();
      const ValueSummary* over = scales->find(view.layer, view.head, view.query);
      QVERIFY(over);
      const auto map = canvasMap(document);
      QVERIFY(map && map->range == drawnFrom(*over, false, view.style, view.colorMap).range);
      shared.push_back(map->range);
      QVERIFY(canvasLegend(document, map)
                  .detail.startsWith(QStringLiteral("one scale for all recorded steps: ")));
      QVERIFY(headsLegend(document).detail.contains(QStringLiteral("for all recorded steps")));
    }
    QVERIFY(shared[0] == shared[1] && shared[1] == shared[2]);
    auto* action = test.window.actions()->find(QStringLiteral("train.evolutionScale"));
    QVERIFY(action && action->isChecked());
    action->trigger();
    QVERIFY(!document.view().options().stepScale);
    for (const int measurement : {0, 7}) {
      SHOW_STEP(test, measurement);
      const auto map = canvasMap(document);
      own.push_back(map->range);
      QVERIFY(!canvasLegend(document, map).detail.contains(QStringLiteral("recorded steps")));
    }
    QVERIFY(own[0] != own[1]);
    document.view().change([](ViewOptions& view) { view.stepScale = true; });
    QVERIFY(action->isChecked());
  }

  void filmsAndStrips() {
    RecordedWindow test;
    OPEN_RUN(test);
    FilmRequest request;
    request.run = path("run");
    request.model = test.document()->inputs().model();
    request.view = test.document()->view().options();
    request.widthPixels = 300;
    std::int64_t reported = 0;
    const auto write = [&](FilmKind kind, const char* name) {
      request.kind = kind;
      request.path = path(name);
      const auto drawn =
          writeFilm(request, [&](const Progress& progress) { reported = progress.done; }, {});
      if (!drawn) qWarning("%s", drawn.error().text().c_str());
      return drawn ? *drawn : -1;
    };
    for (const FigureKind figure : {FigureKind::Canvas, FigureKind::Heads, FigureKind::Rollout}) {
      request.figure = figure;
      QCOMPARE(write(FilmKind::Film, "film.gif"), 9);
      QCOMPARE(reported, 9);
      QImageReader film(path("film.gif"));
      QCOMPARE(film.imageCount(), 9);
      QCOMPARE(film.size().width(), 300);
    }
    QCOMPARE(write(FilmKind::Film, "film.avi"), 9);
    QFile moving(path("film.avi"));
    QVERIFY(moving.open(QIODevice::ReadOnly) && moving.read(4) == "RIFF");
    QCOMPARE(write(FilmKind::Film, "frames"), 9);
    QCOMPARE(QDir(path("frames")).entryList(QDir::Files).size(), 9);
    QVERIFY(QImage(path("frames/00000.png")) != QImage(path("frames/00008.png")));
    request.steps = 3;
    QCOMPARE(write(FilmKind::Strip, "strip.png"), 3);
    const QImage strip(path("strip.png"));
    QCOMPARE(strip.width(), 300);
    // A row for each head: as high again for each, and every row another image.
    request.heads = {-1, 0, 1};
    QCOMPARE(write(FilmKind::Strip, "heads.png"), 3);
    const QImage heads(path("heads.png"));
    QCOMPARE(heads.width(), 300);
    QVERIFY2(heads.height() > strip.height() + 150, qPrintable(QString::number(heads.height())));
    QVERIFY(heads.copy(0, 0, 300, strip.height()) != heads.copy(0, 100, 300, strip.height()));
    request.heads.clear();
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = writeFilm(request, {}, stop.get_token());
    QVERIFY(!stopped && stopped.error().code == ErrorCode::Canceled);
    request.run = path("nowhere");
    QVERIFY(!writeFilm(request, {}, {}));
  }

  void theDialogDrawsBesideTheWindow() {
    RecordedWindow test;
    OPEN_RUN(test);
    const ScopedDialogs scoped;
    FilmDialog* dialog = nullptr;
    dialogs().beside = [&](QDialog* shown) {
      dialog = qobject_cast<FilmDialog*>(shown);
      shown->show();
    };
    test.window.actions()->find(QStringLiteral("train.saveFilm"))->trigger();
    QVERIFY(dialog);
    synthetic::saveGrabs(*dialog, QStringLiteral("film-dialog"));
    QSignalSpy saved(dialog, &FilmDialog::saved);
    dialog->write(path("dialog.gif"));
    QVERIFY(dialog->isDrawing());
    QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, 30000);
    QVERIFY(!dialog->isDrawing());
    QCOMPARE(QImageReader(path("dialog.gif")).imageCount(), 9);
    dialog->write(path("missing/dialog.gif"));
    QTRY_VERIFY_WITH_TIMEOUT(!dialog->isDrawing(), 30000);
    QVERIFY(dialog->findChild<MessageLabel*>()->tone() == MessageLabel::Tone::Problem);
    delete dialog;
  }

  void headsOfAStripAreNamedOrRefused() {
    const auto heads = [](const char* text) { return filmHeads(QString::fromLatin1(text), 3); };
    QCOMPARE(*heads(""), std::vector<int>());
    QCOMPARE(*heads("2, mean,0"), (std::vector<int>{2, -1, 0}));
    QCOMPARE(*heads("all"), (std::vector<int>{0, 1, 2}));
    for (const char* wrong : {"3", "-1", "x", "0,,a"})
      QVERIFY2(!heads(wrong), wrong);
  }

  void theNearestTokenThatWasKept() {
    const Grid grid{4, 5, 1};
    QCOMPARE(nearestKeptToken({}, 7, grid), 7);
    QCOMPARE(nearestKeptToken({0, 3, 9}, 9, grid), 9);
    QCOMPARE(nearestKeptToken({0, 3, 9}, 0, grid), 0);
    QCOMPARE(nearestKeptToken({3, 9}, 0, grid), 3);        // a prefix token has no place
    QCOMPARE(nearestKeptToken({0, 3, 19}, 13, grid), 19);  // (2, 2): (3, 3), not (0, 2)
    QCOMPARE(nearestKeptToken({0, 3, 19}, 8, grid), 3);    // (1, 2): (0, 2)
  }

 private:
  QString path(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
  QTemporaryDir m_folder;
  QString m_image;
};

QTEST_MAIN(RecordedImagesTest)
#include "RecordedImagesTest.moc"
