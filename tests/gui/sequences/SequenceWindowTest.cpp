// SPDX-License-Identifier: GPL-3.0-or-later

// Sequence models in the window: training a tiny one until it is finished, stopping and resuming,
// completing images, continuing text, and errors for folders without such a model.

#include "ui/base/Images.h"
#include "ui/sequences/SequenceWindow.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTabWidget>

#include <algorithm>
#include <optional>
#include <string_view>

#include "tests/gui/Grab.h"
#include "tests/gui/Idle.h"
#include "tests/gui/SequenceFixture.h"
#include "ui/base/Resources.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/SequenceTrainingBridge.h"
#include "ui/canvas/ImagePainting.h"
#include "ui/canvas/ImageTiles.h"
#include "ui/sequences/CompletionPage.h"
#include "ui/sequences/ContinuationPage.h"
#include "ui/sequences/SequenceMapsPage.h"
#include "ui/sequences/SequenceModelPage.h"
#include "ui/sequences/SequenceTrainPage.h"

using namespace headlight;
using namespace headlight::synthetic;

class SequenceWindowTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    initializeHeadlightResources();
    // Run folders are proposed in the home folder: not this machine's.
    qputenv("HOME", m_home.path().toUtf8());
    QCOMPARE(QDir::homePath(), m_home.path());
    const auto images = trainSequence(tinyImages(), path("images").toStdString(), false, {}, {});
    QVERIFY2(images, images ? "" : images.error().text().c_str());
    writeText(path("text.txt"), QByteArray("the cat sat on the mat. ").repeated(100));
    const auto text =
        trainSequence(tinyText(path("text.txt")), path("text").toStdString(), false, {}, {});
    QVERIFY2(text, text ? "" : text.error().text().c_str());
  }
  void init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
  }

  void proposedSettingsCanStart() {
    SequenceFixture f;
    QTRY_VERIFY(f.button("startSequence")->isEnabled());
    QVERIFY(f.message("sequenceError")->text().isEmpty());
    QCOMPARE(f.find<QLineEdit>("sequenceRunFolder")->text(),
             m_home.filePath(QStringLiteral("Headlight/runs/sequence")));
    QVERIFY(!f.button("resumeSequence")->isVisible());
    QVERIFY(!f.button("stopSequence")->isEnabled());
    QVERIFY(!f.button("useSequence")->isEnabled());
    QVERIFY(f.window.width() <= 1280 && f.window.height() <= 800);
    QVERIFY(f.window.minimumSizeHint().width() <= 1280);
    QVERIFY(f.window.minimumSizeHint().height() <= 800);
  }

  void trainsToEndAndIsUsed() {
    SequenceFixture f;
    f.document.setImage(fromQImage(QImage(writeImage(path("mine.png")))), "mine.png",
                        path("mine.png"));
    f.window.trainPage()->setExperiment(tinyImages());
    QTRY_VERIFY(f.button("startSequence")->isEnabled());
    const QString folder = f.find<QLineEdit>("sequenceRunFolder")->text();
    QCOMPARE(folder, m_home.filePath(QStringLiteral("Headlight/runs/tiny")));
    f.click("startSequence");
    QVERIFY(f.window.isTraining());
    QVERIFY(!f.button("startSequence")->isEnabled());
    QVERIFY(f.button("stopSequence")->isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(!f.window.isTraining(), kLong);
    QCOMPARE(f.state(), QStringLiteral("Finished"));
    QVERIFY2(f.message("sequenceOutcome")->text().startsWith("Finished after 20 steps."),
             qPrintable(f.message("sequenceOutcome")->text()));
    QVERIFY(f.message("sequenceOutcome")->text().contains(QStringLiteral("bits/dim")));
    QCOMPARE(f.plot()->train().keys().last(), 20.0);
    QCOMPARE(f.plot()->validation().keys(), (QVector<double>{5, 10, 15, 20}));
    for (const double bits : f.plot()->validation().values())
      QVERIFY(bits > 0 && bits < 16);
    QVERIFY(f.find<QLabel>("sequenceNumbers")->text().contains(QStringLiteral("bits/dim")));
    QVERIFY(QFile::exists(folder + QStringLiteral("/last.safetensors")));
    QVERIFY(QFile::exists(folder + QStringLiteral("/best.safetensors")));
    // The next one goes to a folder of its own.
    QTRY_COMPARE(f.find<QLineEdit>("sequenceRunFolder")->text(), folder + QStringLiteral("-2"));
    QTRY_VERIFY(f.button("startSequence")->isEnabled());

    f.click("useSequence");
    QTRY_VERIFY_WITH_TIMEOUT(f.bridge()->model() && !f.bridge()->isBusy(), kLong);
    QVERIFY(f.find<QLabel>("sequenceModel")->text().contains(QStringLiteral("aft_local")));
    QVERIFY(f.find<QWidget>("completionPage")->isVisible());
    // The image of the main window is offered by itself.
    QTRY_VERIFY(f.button("complete")->isEnabled());
    QCOMPARE(f.find<ImageTiles>("completionTiles")->tiles().size(), 2);
    saveGrabs(f.window, QStringLiteral("sequence-images"));
  }

  void stoppedRunIsResumed() {
    QString folder;
    double before = 0;
    {
      SequenceFixture f;
      f.window.trainPage()->setExperiment(endlessImages());
      folder = path("stopped");
      f.window.trainPage()->setRunFolder(folder);
      QTRY_VERIFY(f.button("startSequence")->isEnabled());
      f.click("startSequence");
      QTRY_VERIFY_WITH_TIMEOUT(f.plot()->train().size() > 2, kLong);
      saveGrabs(f.window, QStringLiteral("sequence-training"));
      f.click("stopSequence");
      QTRY_VERIFY_WITH_TIMEOUT(!f.window.isTraining(), kLong);
      QCOMPARE(f.state(), QStringLiteral("Stopped"));
      QVERIFY(f.message("sequenceOutcome")->text().startsWith(QStringLiteral("Stopped after")));
      QVERIFY(QFile::exists(folder + QStringLiteral("/last.safetensors")));
      before = f.plot()->train().keys().last();
      QTRY_VERIFY(f.button("resumeSequence")->isVisible());
      QVERIFY(f.button("resumeSequence")->isEnabled());
      QVERIFY(!f.button("startSequence")->isVisible());
      // Its curve goes on where it is resumed.
      f.click("resumeSequence");
      QTRY_VERIFY_WITH_TIMEOUT(f.plot()->train().keys().last() > before + 2, kLong);
      QVERIFY(f.plot()->train().keys().first() < before);
      f.click("stopSequence");
      QTRY_VERIFY_WITH_TIMEOUT(!f.window.isTraining(), kLong);
      before = f.plot()->train().keys().last();
      QTRY_VERIFY(f.button("resumeSequence")->isEnabled());
    }
    // Another window finds it as it was.
    SequenceFixture f;
    f.window.trainPage()->setRunFolder(folder);
    QTRY_VERIFY(f.button("resumeSequence")->isVisible());
    auto* form = f.find<ParameterForm>("form.model");
    QCOMPARE(form->values()["width"].get<int>(), 8);
    QVERIFY(!form->editor(QStringLiteral("width"))->isEnabled());
    QSignalSpy ended(&f.window, &SequenceWindow::trainingEnded);
    f.click("resumeSequence");
    QTRY_VERIFY_WITH_TIMEOUT(f.plot()->train().size() > 2, kLong);
    // With the curve of what it did there.
    QTRY_VERIFY_WITH_TIMEOUT(f.plot()->train().keys().last() > before, kLong);
    const auto& steps = f.plot()->train().keys();
    QVERIFY(steps.first() < before);
    QVERIFY(std::is_sorted(steps.begin(), steps.end()));
    f.click("stopSequence");
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kLong);
    QCOMPARE(f.state(), QStringLiteral("Stopped"));
    // Back to one's own settings.
    QTRY_VERIFY(f.button("newSequenceRun")->isVisible());
    f.click("newSequenceRun");
    QTRY_VERIFY(f.button("startSequence")->isEnabled());
    QCOMPARE(form->values()["width"].get<int>(), smallSequenceExperiment().model.width);
    QVERIFY(form->editor(QStringLiteral("width"))->isEnabled());
  }

  void closingStopsTheTraining() {
    SequenceFixture f;
    int asked = 0;
    bool answer = false;
    dialogs().confirm = [&](QWidget*, const QString&, const QString&, const QString&,
                            const std::function<void(bool)>& done) {
      ++asked;
      done(answer);
    };
    f.window.trainPage()->setExperiment(endlessImages());
    f.window.trainPage()->setRunFolder(path("closed"));
    QTRY_VERIFY(f.button("startSequence")->isEnabled());
    f.click("startSequence");
    QTRY_VERIFY_WITH_TIMEOUT(!f.plot()->train().isEmpty(), kLong);
    f.window.close();
    QCOMPARE(asked, 1);
    QVERIFY(f.window.isVisible() && f.window.isTraining());
    answer = true;
    f.window.close();
    QCOMPARE(asked, 2);
    QTRY_VERIFY_WITH_TIMEOUT(!f.window.isVisible(), kLong);
    QVERIFY(!f.window.isTraining());
    QVERIFY(QFile::exists(path("closed/last.safetensors")));
  }

  void destroyedDuringWork() {
    for (const char* when : {"at-once", "amid-steps"}) {
      SequenceFixture f;
      f.window.openPath(path("images"));
      f.window.trainPage()->setExperiment(endlessImages());
      f.window.trainPage()->setRunFolder(path("destroyed-") + QLatin1String(when));
      QTRY_VERIFY(f.button("startSequence")->isEnabled());
      f.window.trainPage()->start();
      if (when != std::string_view("at-once"))
        QTRY_VERIFY_WITH_TIMEOUT(!f.plot()->train().isEmpty(), kLong);
    }
  }

  void completesAnImage() {
    SequenceFixture f;
    f.window.openPath(path("images"));
    QTRY_VERIFY_WITH_TIMEOUT(f.bridge()->model() && !f.bridge()->isBusy(), kLong);
    QVERIFY(!f.button("complete")->isEnabled());  // no image
    dialogs().files = [&](QWidget*, const FileQuestion&, const auto& answer) {
      answer({writeImage(path("other.png"))});
    };
    f.click("chooseImage");
    QTRY_VERIFY_WITH_TIMEOUT(f.button("complete")->isEnabled(), kLong);
    f.set("form.completion", "samples", 3);
    f.click("complete");
    CompletionPage* page = f.window.modelPage()->completion();
    QTRY_VERIFY_WITH_TIMEOUT(page->completed(), kLong);
    const CompletedImage& done = *page->completed();
    QCOMPARE(done.samples.size(), 3u);
    QCOMPARE(done.kept, 2);  // of 4 rows
    for (const Image& sample : done.samples)
      QVERIFY(std::equal(sample.row(0), sample.row(2), done.view.row(0)));
    QCOMPARE(f.find<ImageTiles>("completionTiles")->tiles().size(), 5);
    saveGrabs(f.window, QStringLiteral("sequence-completed"));

    // The same seed draws the same.
    const auto first = page->completed();
    f.click("complete");
    QTRY_VERIFY_WITH_TIMEOUT(page->completed() != first && !f.bridge()->isBusy(), kLong);
    for (std::size_t i = 0; i < 3; ++i)
      QCOMPARE(*page->completed()->samples[i].pixels, *first->samples[i].pixels);

    const QString png = path("row.png");
    dialogs().files = [&](QWidget*, const FileQuestion& question, const auto& answer) {
      QCOMPARE(question.mode, FileQuestion::Mode::SaveFile);
      answer({png});
    };
    f.click("saveCompletion");
    QTRY_VERIFY(f.message("completionMessage")->text().startsWith(QStringLiteral("Saved")));
    const QImage row(png);
    QVERIFY(row.width() >= 5 * row.height());

    // Where another share is to stay, these are not it.
    f.set("form.completion", "kept_fraction", 0.25);
    QCOMPARE(f.find<ImageTiles>("completionTiles")->tiles().size(), 2);
    f.set("form.completion", "temperature", 11);
    QVERIFY(!f.button("complete")->isEnabled());
  }

  void aCompletionIsCanceled() {
    SequenceExperiment large = tinyImages();
    large.data.imageSize = 32;
    large.data.trainSamples = large.data.validationSamples = 2;
    large.training.steps = large.training.batchSize = 1;
    const auto trained = trainSequence(large, path("large").toStdString(), false, {}, {});
    QVERIFY2(trained, trained ? "" : trained.error().text().c_str());
    SequenceFixture f;
    f.window.openPath(path("large/last.safetensors"));
    QTRY_VERIFY_WITH_TIMEOUT(f.bridge()->model() && !f.bridge()->isBusy(), kLong);
    f.window.modelPage()->completion()->openImage(writeImage(path("long.png")));
    QTRY_VERIFY_WITH_TIMEOUT(f.button("complete")->isEnabled(), kLong);
    f.set("form.completion", "samples", 64);
    f.click("complete");
    QVERIFY(f.button("cancelCompletion")->isEnabled());
    QSignalSpy drawing(f.bridge(), &SequenceBridge::progressed);
    QVERIFY(drawing.wait(kLong));
    f.click("cancelCompletion");
    QTRY_COMPARE_WITH_TIMEOUT(f.message("completionMessage")->text(), QStringLiteral("Canceled."),
                              kLong);
    QVERIFY(!f.bridge()->isBusy());
    QVERIFY(f.button("complete")->isEnabled());
    // Closed in the middle of it.
    f.click("complete");
    QVERIFY(drawing.wait(kLong));
  }

  void continuesAText() {
    SequenceFixture f;
    f.window.openPath(path("text"));
    QTRY_VERIFY_WITH_TIMEOUT(f.bridge()->model() && !f.bridge()->isBusy(), kLong);
    QVERIFY(f.find<QWidget>("continuationPage")->isVisible());
    f.find<QPlainTextEdit>("prompt")->setPlainText(QStringLiteral("the "));
    f.set("form.continuation", "bytes", 200);
    QSignalSpy arrived(f.bridge(), &SequenceBridge::bytesArrived);
    ContinuationPage* page = f.window.modelPage()->continuation();
    f.click("continueText");
    QTRY_COMPARE_WITH_TIMEOUT(f.message("continuationMessage")->text(),
                              QStringLiteral("200 bytes."), kLong);
    QVERIFY(arrived.size() >= 1);
    const QByteArray bytes = page->bytes();
    QCOMPARE(bytes.size(), 204);
    QVERIFY(bytes.startsWith("the "));
    const QString shown = f.find<QPlainTextEdit>("continuation")->toPlainText();
    QVERIFY(shown.startsWith(QStringLiteral("the ")));
    QVERIFY(shown.size() > 4);
    saveGrabs(f.window, QStringLiteral("sequence-text"));
    f.click("continueText");
    QCOMPARE(page->bytes(), QByteArray("the "));  // from the start again
    QTRY_VERIFY_WITH_TIMEOUT(!f.bridge()->isBusy() && page->bytes().size() == 204, kLong);
    QCOMPARE(page->bytes(), bytes);

    dialogs().files = [&](QWidget*, const FileQuestion&, const auto& answer) {
      answer({path("continued.txt")});
    };
    f.click("saveContinuation");
    QTRY_VERIFY(f.message("continuationMessage")->text().startsWith(QStringLiteral("Saved")));
    QFile file(path("continued.txt"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), bytes);
  }

  void nonTextBytesAreShown() {
    const QString text = QStringLiteral("a\n\tb") + QChar(u'\0') + QChar(0x1b) + QChar(0xfdd0);
    const QChar mark(QChar::ReplacementCharacter);
    QCOMPARE(shownText(text), QStringLiteral("a\n\tb") + mark + mark + mark);
  }

  void aTransformerIsTrainedFromWeightsAndItsMapsAreShown() {
    SequenceExperiment experiment = tinyText(path("text.txt"));
    experiment.model.mechanism = "softmax";
    experiment.model.heads = 2;
    const auto first = trainSequence(experiment, path("transformer").toStdString(), false, {}, {});
    QVERIFY2(first, first ? "" : first.error().text().c_str());
    SequenceFixture f;
    f.window.trainPage()->setExperiment(experiment);
    f.window.trainPage()->setRunFolder(path("tuned"));
    dialogs().files = [&](QWidget*, const FileQuestion&, const auto& answer) {
      answer({path("transformer/best.safetensors")});
    };
    f.find<QTabWidget>("sequenceSettings")->setCurrentIndex(2);
    f.click("chooseStartWeights");
    QCOMPARE(f.find<ParameterForm>("form.training")->values()["weights"].get<std::string>(),
             path("transformer/best.safetensors").toStdString());
    QTRY_VERIFY(f.button("startSequence")->isEnabled());
    f.click("startSequence");
    QTRY_COMPARE_WITH_TIMEOUT(f.state(), QStringLiteral("Finished"), kLong);
    const QString numbers = f.find<QLabel>("sequenceNumbers")->text();
    QVERIFY2(numbers.contains(QStringLiteral("steps/s")), qPrintable(numbers));
    QVERIFY2(numbers.contains(QStringLiteral(" MB")), qPrintable(numbers));

    f.click("useSequence");
    QTRY_VERIFY_WITH_TIMEOUT(f.bridge()->model() && !f.bridge()->isBusy(), kLong);
    QVERIFY(
        f.find<QLabel>("sequenceModel")->text().contains(QStringLiteral("softmax with 2 heads")));
    SequenceMapsPage* page = f.window.mapsPage();
    f.find<QTabWidget>("sequenceTabs")->setCurrentWidget(page);
    QVERIFY(!f.button("lookSequence")->isEnabled());  // no text
    f.find<QPlainTextEdit>("lookedText")->setPlainText(QStringLiteral("the cat"));
    QVERIFY(f.button("lookSequence")->isEnabled());
    f.click("lookSequence");
    QTRY_VERIFY_WITH_TIMEOUT(page->maps(), kLong);
    const auto& tiles = f.find<ImageTiles>("sequenceMapTiles")->tiles();
    QCOMPARE(tiles.size(), 2);
    QCOMPARE(tiles[1].caption, QStringLiteral("head 1"));
    QCOMPARE(tiles[0].image.size(), QSize(7, 7));
    QVERIFY(f.find<QLabel>("sequenceMapMeaning")->text().contains(QStringLiteral("Softmax")));
    saveGrabs(f.window, QStringLiteral("sequence-maps"));
    dialogs().files = [&](QWidget*, const FileQuestion&, const auto& answer) {
      answer({path("maps.png")});
    };
    f.click("saveSequenceMaps");
    QTRY_VERIFY(QFile::exists(path("maps.png")));
    QVERIFY(QImage(path("maps.png")).width() > 2 * 512);
    // A layer that is not there.
    f.set("form.sequenceLook", "layer", 3);
    f.click("lookSequence");
    QTRY_VERIFY(f.message("sequenceMapsMessage")->text().contains(QStringLiteral("1 layer")));
    // Another model's maps are not these.
    f.window.openPath(path("images"));
    QTRY_VERIFY_WITH_TIMEOUT(!page->maps(), kLong);
    QTRY_VERIFY_WITH_TIMEOUT(!f.bridge()->isBusy(), kLong);
    f.find<QTabWidget>("sequenceTabs")->setCurrentWidget(page);
    QVERIFY(!f.find<QPlainTextEdit>("lookedText")->isVisible());
    QVERIFY(!f.button("lookSequence")->isEnabled());  // no image
    f.window.modelPage()->completion()->openImage(writeImage(path("looked.png")));
    f.set("form.sequenceLook", "layer", 0);
    QTRY_VERIFY_WITH_TIMEOUT(f.button("lookSequence")->isEnabled(), kLong);
    f.click("lookSequence");
    QTRY_VERIFY_WITH_TIMEOUT(page->maps(), kLong);
    QCOMPARE(page->maps()->heads, 1);
    QCOMPARE(page->maps()->length, 48);
  }

  void aConvolutionShowsItsFilters() {
    SequenceExperiment experiment = tinyText(path("text.txt"));
    experiment.model.mechanism = "aft_conv";
    experiment.model.heads = 2;
    experiment.model.window = 5;
    const auto trained = trainSequence(experiment, path("conv").toStdString(), false, {}, {});
    QVERIFY2(trained, trained ? "" : trained.error().text().c_str());
    SequenceFixture f;
    f.window.openPath(path("conv"));
    QTRY_VERIFY_WITH_TIMEOUT(f.bridge()->model() && !f.bridge()->isBusy(), kLong);
    QVERIFY(
        f.find<QLabel>("sequenceModel")->text().contains(QStringLiteral("aft_conv with 2 heads")));
    SequenceMapsPage* page = f.window.mapsPage();
    f.find<QTabWidget>("sequenceTabs")->setCurrentWidget(page);
    f.find<QPlainTextEdit>("lookedText")->setPlainText(QStringLiteral("the cat"));
    f.click("lookSequence");
    QTRY_VERIFY_WITH_TIMEOUT(page->maps(), kLong);
    QCOMPARE(page->maps()->taps, 5);
    const auto& tiles = f.find<ImageTiles>("sequenceMapTiles")->tiles();
    QCOMPARE(tiles.size(), 3);
    QCOMPARE(tiles[2].caption, QStringLiteral("filters"));
    QCOMPARE(tiles[2].image.width(), tiles[2].image.height());
    const QString meaning = f.find<QLabel>("sequenceMapMeaning")->text();
    QVERIFY2(meaning.contains(QStringLiteral("AFT-conv")), qPrintable(meaning));
    QVERIFY2(meaning.contains(QStringLiteral("exp(w)")), qPrintable(meaning));
  }

  void aModelIsMeasured() {
    SequenceFixture f;
    f.window.openPath(path("text"));
    QTRY_VERIFY_WITH_TIMEOUT(f.bridge()->model() && !f.bridge()->isBusy(), kLong);
    f.click("scoreSequence");
    QTRY_VERIFY_WITH_TIMEOUT(
        f.message("sequenceModelMessage")->text().contains(QStringLiteral("bits/char on")), kLong);
  }

  void nonSequenceModelIsReported() {
    SequenceFixture f;
    QDir().mkpath(path("empty"));
    f.window.openPath(path("empty"));
    auto* said = f.message("sequenceModelMessage");
    QTRY_COMPARE_WITH_TIMEOUT(said->tone(), MessageLabel::Tone::Problem, kLong);
    QVERIFY(said->text().contains(QStringLiteral("empty")));
    QVERIFY(!f.bridge()->model());
    // The folder of an image classifier's run cannot be resumed here.
    QDir().mkpath(path("classifier"));
    writeText(path("classifier/config.json"),
              QByteArray::fromStdString(experimentToText(smallExperiment())));
    f.window.trainPage()->setRunFolder(path("classifier"));
    auto* error = f.message("sequenceError");
    QTRY_VERIFY(error->text().contains(QStringLiteral("cannot be resumed")));
    QCOMPARE(error->tone(), MessageLabel::Tone::Problem);
    QVERIFY(!f.button("resumeSequence")->isEnabled());
  }

  void invalidSettingsAreReported() {
    SequenceFixture f;
    auto* error = f.message("sequenceError");
    QTRY_VERIFY(f.button("startSequence")->isEnabled());
    f.set("form.data", "kind", "text");
    QVERIFY(error->text().contains(QStringLiteral("text file")));
    QVERIFY(!f.button("startSequence")->isEnabled());
    f.window.trainPage()->setTextFile(path("missing.txt"));
    QVERIFY(error->text().isEmpty());
    f.set("form.training", "steps", 0);
    QVERIFY(error->text().startsWith(QStringLiteral("Training: Steps: must be")));
    f.set("form.training", "steps", 5);
    // What only reading can tell is told when it is read.
    QTRY_VERIFY(f.button("startSequence")->isEnabled());
    f.click("startSequence");
    QTRY_COMPARE_WITH_TIMEOUT(f.message("sequenceOutcome")->tone(), MessageLabel::Tone::Problem,
                              kLong);
    QVERIFY(f.message("sequenceOutcome")->text().contains(QStringLiteral("missing.txt")));
    QCOMPARE(f.state(), QStringLiteral("Failed"));
    saveGrabs(f.window, QStringLiteral("sequence-error"));
  }

  void onlyRelevantFieldsAreShown() {
    SequenceFixture f;
    const auto isShown = [&](const char* form, const char* field) {
      return !f.find<ParameterForm>(form)->editor(QLatin1String(field))->isHidden();
    };
    QVERIFY(isShown("form.data", "image_size") && !isShown("form.data", "path"));
    QVERIFY(!isShown("form.model", "length") && isShown("form.model", "window"));
    f.window.trainPage()->setTextFile(path("text.txt"));
    QVERIFY(!isShown("form.data", "image_size") && isShown("form.data", "path"));
    QVERIFY(isShown("form.model", "length"));
    f.set("form.model", "mechanism", "aft_simple");
    QVERIFY(!isShown("form.model", "window") && !isShown("form.model", "rank"));
    QVERIFY(isShown("form.model", "query") && !isShown("form.model", "heads"));
    QVERIFY(!isShown("form.model", "reparametrize"));
    f.set("form.model", "mechanism", "aft_conv");
    QVERIFY(isShown("form.model", "heads") && isShown("form.model", "window"));
    QVERIFY(isShown("form.model", "query") && isShown("form.model", "reparametrize"));
    QVERIFY(!isShown("form.model", "factorized") && !isShown("form.model", "rank"));
    f.set("form.model", "mechanism", "softmax");
    QVERIFY(!isShown("form.model", "window") && !isShown("form.model", "reparametrize"));
    QVERIFY(isShown("form.model", "heads") && !isShown("form.model", "query"));
    QVERIFY(!isShown("form.model", "factorized") && !isShown("form.model", "rank"));
    QVERIFY(!isShown("form.model", "features") && !isShown("form.model", "synthesis"));
    f.set("form.model", "mechanism", "performer");
    QVERIFY(isShown("form.model", "heads") && isShown("form.model", "features"));
    QVERIFY(!isShown("form.model", "query") && !isShown("form.model", "synthesis"));
    f.set("form.model", "mechanism", "synthesizer");
    QVERIFY(isShown("form.model", "synthesis") && !isShown("form.model", "rank"));
    f.set("form.model", "synthesis", "factorized");
    QVERIFY(isShown("form.model", "rank") && !isShown("form.model", "features"));
    f.set("form.model", "mechanism", "softmax");
    f.set("form.model", "heads", 3);  // of 64 features
    QTRY_VERIFY(f.message("sequenceError")->text().contains(QStringLiteral("model.heads")));
  }

  void everyInteractiveWidgetHasAName() {
    SequenceFixture f;
    QStringList nameless;
    const auto inference = [&] {
      untilIdle();
      for (QWidget* widget : f.window.findChildren<QWidget*>()) {
        const bool interactive =
            qobject_cast<QAbstractButton*>(widget) || qobject_cast<QLineEdit*>(widget) ||
            qobject_cast<QComboBox*>(widget) || qobject_cast<QAbstractSpinBox*>(widget) ||
            qobject_cast<QPlainTextEdit*>(widget);
        if (!widget->isVisible() || !interactive || widget->objectName().startsWith("qt_"))
          continue;
        QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(widget);
        if (!accessible || accessible->text(QAccessible::Name).isEmpty())
          nameless << QLatin1String(widget->metaObject()->className()) + widget->objectName();
      }
    };
    for (int tab = 0; tab < f.find<QTabWidget>("sequenceSettings")->count(); ++tab) {
      f.find<QTabWidget>("sequenceSettings")->setCurrentIndex(tab);
      inference();
    }
    for (const char* run : {"images", "text"}) {
      f.window.openPath(path(run));
      QTRY_VERIFY_WITH_TIMEOUT(f.bridge()->model() && !f.bridge()->isBusy(), kLong);
      inference();
      f.find<QTabWidget>("sequenceTabs")->setCurrentWidget(f.window.mapsPage());
      inference();
    }
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QLatin1Char('\n'))));
  }

  void mainWindowOpensThem() {
    TestWindow test;
    test->actions()->find(QStringLiteral("model.sequences"))->trigger();
    auto* window = test->findChild<SequenceWindow*>();
    QVERIFY(window && window->isVisible());
    // Weights, a run's folder and a config go there, and nothing else is said of them.
    const auto opens = [&](const QString& dropped, bool ofImages) {
      window->hide();
      test->openPaths({dropped});
      QTRY_VERIFY_WITH_TIMEOUT(window->isVisible(), kLong);
      const SequenceBridge* bridge = window->bridge();
      QTRY_VERIFY_WITH_TIMEOUT(!bridge->isBusy() && bridge->model() &&
                                   bridge->model()->experiment.ofImages() == ofImages,
                               kLong);
    };
    opens(path("text/last.safetensors"), false);
    opens(path("images"), true);
    SequenceExperiment named = tinyImages();
    named.name = "from-a-config";
    writeText(path("named.json"), QByteArray::fromStdString(sequenceToJson(named).dump()));
    test->openPaths({path("named.json")});
    QTRY_COMPARE_WITH_TIMEOUT(window->trainPage()->experiment().name, std::string("from-a-config"),
                              kLong);
    QCOMPARE(test.notices(), 0);
  }

  void finishedRunReportsItsResult() {
    const QString folder = path("finished");
    for (const bool resumed : {false, true}) {
      SequenceTrainingBridge bridge;
      std::vector<std::int64_t> steps;
      std::optional<double> validation;
      QObject::connect(&bridge, &SequenceTrainingBridge::updated, &bridge,
                       [&](const std::vector<SequenceReading>& readings) {
                         for (const SequenceReading& reading : readings) {
                           steps.push_back(reading.step);
                           if (reading.validationBits) validation = reading.validationBits;
                         }
                       });
      QSignalSpy finished(&bridge, &SequenceTrainingBridge::finished);
      if (resumed)
        bridge.resume(tinyImages(), folder, /*withHistory=*/true);
      else
        bridge.start(tinyImages(), folder);
      QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, kLong);
      QVERIFY(finished[0][1].toString().isEmpty());
      QVERIFY(validation);
      QCOMPARE(steps.back(), 20);
      QVERIFY(std::is_sorted(steps.begin(), steps.end()));
    }
  }

  void mainWindowStopsTrainingBeforeClosing() {
    ScopedDialogs dialogsAsBefore;
    int asked = 0;
    dialogs().confirm = [&](QWidget*, const QString&, const QString&, const QString&,
                            const std::function<void(bool)>& done) {
      ++asked;
      done(true);
    };
    TestWindow test;
    SequenceWindow* window = test->showSequences();
    window->trainPage()->setExperiment(endlessImages());
    window->trainPage()->setRunFolder(path("main"));
    auto* start = window->findChild<QPushButton*>(QStringLiteral("startSequence"));
    QTRY_VERIFY(start->isEnabled());
    start->click();
    QTRY_VERIFY_WITH_TIMEOUT(!window->findChild<BitsPlot*>()->train().isEmpty(), kLong);
    test->close();
    QCOMPARE(asked, 1);
    QTRY_VERIFY_WITH_TIMEOUT(!test->isVisible(), kLong);
    QVERIFY(!window->isTraining());
    QVERIFY(QFile::exists(path("main/last.safetensors")));
  }

 private:
  QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }

  QTemporaryDir m_home, m_folder;
};

QTEST_MAIN(SequenceWindowTest)
#include "SequenceWindowTest.moc"
