// SPDX-License-Identifier: GPL-3.0-or-later

// Sequence models in the window: dropped files, and requests while a model is opened, an image is
// completed, or a file dialog is open.

#include <QLineEdit>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QTabWidget>

#include <functional>

#include "tests/gui/SequenceFixture.h"
#include "ui/base/BackgroundTask.h"
#include "ui/base/Images.h"
#include "ui/base/Resources.h"
#include "ui/canvas/ImagePainting.h"
#include "ui/canvas/ImageTiles.h"
#include "ui/sequences/CompletionPage.h"
#include "ui/sequences/ContinuationPage.h"
#include "ui/sequences/SequenceModelPage.h"
#include "ui/sequences/SequenceTrainPage.h"

using namespace headlight;

namespace {

using Job = SequenceBridge::Job;

const QString kCancelFirst = QStringLiteral("The model is busy. Cancel its current job first.");

/// A file of safetensors with one number, and metadata.
QByteArray safetensorsWith(const Json& metadata) {
  Json header = {{"__metadata__", metadata}};
  header["x"] = {{"dtype", "F32"}, {"shape", {1}}, {"data_offsets", {0, 4}}};
  const std::string text = header.dump();
  QByteArray bytes;
  for (int i = 0; i < 8; ++i)
    bytes.append(static_cast<char>(text.size() >> (8 * i) & 0xff));
  return bytes + QByteArray::fromStdString(text) + QByteArray(4, '\0');
}

}  // namespace

class SequenceGuardsTest : public QObject {
  Q_OBJECT

  QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
  QString data(const SequenceFixture& f, const char* field) const {
    return QString::fromStdString(
        f.find<ParameterForm>("form.data")->values()[field].get<std::string>());
  }
  /// An image of no file.
  static Image image() {
    QImage image(20, 20, QImage::Format_RGB888);
    image.fill(QColor(90, 30, 160));
    return fromQImage(image);
  }
  static void train(const SequenceExperiment& experiment, const QString& folder) {
    const auto trained = trainSequence(experiment, folder.toStdString(), false, {}, {});
    QVERIFY2(trained, trained ? "" : trained.error().text().c_str());
  }

  QTemporaryDir m_home, m_folder;

 private Q_SLOTS:
  void initTestCase() {
    initializeHeadlightResources();
    qputenv("HOME", m_home.path().toUtf8());
    train(tinyImages(), path("images"));
    writeText(path("text.txt"), QByteArray("the cat sat on the mat. ").repeated(100));
    train(tinyText(path("text.txt")), path("text"));
    SequenceExperiment large = tinyImages();
    large.data.imageSize = 32;
    large.data.trainSamples = large.data.validationSamples = 2;
    large.training.steps = large.training.batchSize = 1;
    train(large, path("large"));
    for (const char* folder : {"set/discs", "set/stars"}) {
      QDir().mkpath(path(folder));
      for (int i = 0; i < 3; ++i)
        writeImage(path(folder) + QStringLiteral("/%1.png").arg(i), 30, 30, i);
    }
  }
  void init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
  }

  void droppedDataIsUsedForTraining() {
    SequenceFixture f;
    QTRY_VERIFY(f.button("startSequence")->isEnabled());
    const QString folder = f.find<QLineEdit>("sequenceRunFolder")->text();
    f.window.showModel();
    QVERIFY(dropOn(&f.window, {path("set")}));
    QTRY_COMPARE(data(f, "path"), path("set"));
    QCOMPARE(data(f, "kind"), QStringLiteral("images"));
    QCOMPARE(f.find<QTabWidget>("sequenceTabs")->currentIndex(), 0);
    QTRY_VERIFY_WITH_TIMEOUT(f.button("startSequence")->isEnabled(), kLong);
    QCOMPARE(data(f, "dataset"), QStringLiteral("image-folder"));
    QVERIFY(dropOn(&f.window, {path("text.txt")}));
    QTRY_COMPARE(data(f, "kind"), QStringLiteral("text"));
    QCOMPARE(data(f, "path"), path("text.txt"));
    QCOMPARE(f.find<QLineEdit>("sequenceRunFolder")->text(), folder);
    // Nothing begins before it is known of what kind the images are.
    f.window.trainPage()->setImages(path("set"));
    QVERIFY(!f.button("startSequence")->isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(f.button("startSequence")->isEnabled(), kLong);
  }

  void aDroppedRunKeepsItsSettings() {
    SequenceFixture f;
    QVERIFY(dropOn(&f.window, {path("images")}));
    QTRY_VERIFY_WITH_TIMEOUT(f.bridge()->model() && !f.bridge()->isBusy(), kLong);
    QTRY_COMPARE(f.find<QLineEdit>("sequenceRunFolder")->text(), path("images"));
    QTRY_VERIFY(!f.window.trainPage()->takesSettings());
    QString said;
    dialogs().error = [&](QWidget*, const QString&, const QString& text) { said = text; };
    QVERIFY(dropOn(&f.window, {path("text.txt")}));
    QTRY_VERIFY2(said.contains(QStringLiteral("New Run")), qPrintable(said));
    QCOMPARE(data(f, "kind"), QStringLiteral("images"));
  }

  void folderWithoutRunIsNoRunFolder() {
    SequenceFixture f;
    QTRY_VERIFY(f.button("startSequence")->isEnabled());
    const QString folder = f.find<QLineEdit>("sequenceRunFolder")->text();
    f.window.openPath(path("set"));
    auto* said = f.message("sequenceModelMessage");
    QTRY_COMPARE_WITH_TIMEOUT(said->tone(), MessageLabel::Tone::Problem, kLong);
    // Whether it holds a run is looked at beside the window; by now it has been.
    for (const BackgroundTask* task : f.window.findChildren<BackgroundTask*>())
      QTRY_VERIFY(!task->isBusy());
    QCOMPARE(f.find<QLineEdit>("sequenceRunFolder")->text(), folder);
  }

  void anImageWaitsForAModel() {
    SequenceFixture f;
    auto* said = f.message("sequenceModelMessage");
    QVERIFY(dropOn(&f.window, {writeImage(path("waits.png"))}));
    QTRY_VERIFY(said->text().startsWith(QStringLiteral("The image is loaded")));
    f.window.openPath(path("images"));
    QTRY_VERIFY_WITH_TIMEOUT(f.button("complete")->isEnabled(), kLong);
    QVERIFY(said->text().isEmpty());
    QCOMPARE(f.find<QLabel>("completionImage")->text(), QStringLiteral("waits.png"));
  }

  void anImageDoesNotStopTheOpening() {
    SequenceFixture f;
    CompletionPage* page = f.window.modelPage()->completion();
    f.window.openPath(path("images"));
    QTRY_VERIFY_WITH_TIMEOUT(f.bridge()->model() && !f.bridge()->isBusy(), kLong);
    f.window.openPath(path("large"));
    page->setImage(image(), QStringLiteral("first"));  // while the path is identified
    QCOMPARE(f.find<ImageTiles>("completionTiles")->accessibleName(),
             QStringLiteral("Reading the image…"));
    QTRY_COMPARE_WITH_TIMEOUT(f.bridge()->model()->experiment.data.imageSize, 32, kLong);
    QTRY_VERIFY_WITH_TIMEOUT(f.button("complete")->isEnabled(), kLong);
    // Where nothing is opened, it is for the model that stays.
    f.window.openPath(path("nowhere"));
    page->setImage(image(), QStringLiteral("second"));
    QTRY_VERIFY_WITH_TIMEOUT(!f.bridge()->isBusy(), kLong);
    QTRY_VERIFY_WITH_TIMEOUT(f.button("complete")->isEnabled(), kLong);
    auto* said = f.message("sequenceModelMessage");  // the image may be read before it is known
    QTRY_VERIFY_WITH_TIMEOUT(said->text().startsWith(QStringLiteral("Not opened.")), kLong);
  }

  void completionIsNotLostWithoutAsking() {
    SequenceFixture f;
    CompletionPage* page = f.window.modelPage()->completion();
    f.window.openPath(path("large/last.safetensors"));
    QTRY_VERIFY_WITH_TIMEOUT(f.bridge()->model() && !f.bridge()->isBusy(), kLong);
    page->setImage(image(), QStringLiteral("kept"));
    QTRY_VERIFY_WITH_TIMEOUT(f.button("complete")->isEnabled(), kLong);
    f.set("form.completion", "samples", 64);
    f.click("complete");
    f.window.modelPage()->open(path("text"));
    page->setImage(image(), QStringLiteral("dropped"));
    QVERIFY(f.bridge()->job() == Job::Completing);
    QCOMPARE(f.message("sequenceModelMessage")->text(), kCancelFirst);
    QCOMPARE(f.message("completionMessage")->text(), kCancelFirst);
    QCOMPARE(f.find<QLabel>("completionImage")->text(), QStringLiteral("kept"));
    f.click("cancelCompletion");
    QTRY_VERIFY_WITH_TIMEOUT(!f.bridge()->isBusy(), kLong);
    QCOMPARE(f.message("completionMessage")->text(), QStringLiteral("Canceled."));
    QVERIFY(f.message("sequenceModelMessage")->text().isEmpty());
  }

  void requestedCompletionIsSaved() {
    SequenceFixture f;
    CompletionPage* page = f.window.modelPage()->completion();
    f.window.openPath(path("images"));
    page->setImage(image(), QStringLiteral("mine.png"));
    QTRY_VERIFY_WITH_TIMEOUT(f.button("complete")->isEnabled(), kLong);
    f.set("form.completion", "temperature", 0.5);
    f.set("form.completion", "seed", 7);
    f.click("complete");
    QTRY_VERIFY_WITH_TIMEOUT(page->completed(), kLong);
    QCOMPARE(f.message("completionMessage")->text(),
             QStringLiteral("Sampled at temperature 0.5, seed 7."));
    QCOMPARE(page->completed()->settings.seed, std::int64_t(7));
    // A field that is wrong hides nothing.
    const auto* tiles = f.find<ImageTiles>("completionTiles");
    const qsizetype shown = tiles->tiles().size();
    f.set("form.completion", "kept_fraction", 2);
    QCOMPARE(tiles->tiles().size(), shown);
    f.set("form.completion", "kept_fraction", 0.5);
    // Another model arrives while the name of the file is asked for.
    std::function<void(const QStringList&)> answer;
    dialogs().files = [&](QWidget*, const FileQuestion&, const auto& done) { answer = done; };
    f.click("saveCompletion");
    QVERIFY(answer);
    f.window.openPath(path("large"));
    QTRY_VERIFY_WITH_TIMEOUT(!page->completed(), kLong);
    answer({path("saved.png")});
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path("saved.png")), kLong);
    QVERIFY(!QImage(path("saved.png")).isNull());
  }

  void eachPageReportsItsOwnJobs() {
    SequenceFixture f;
    f.window.openPath(path("text"));
    QTRY_VERIFY_WITH_TIMEOUT(f.bridge()->model() && !f.bridge()->isBusy(), kLong);
    Q_EMIT f.bridge()->canceled(Job::Scoring);
    QCOMPARE(f.message("sequenceModelMessage")->text(), QStringLiteral("Measuring was canceled."));
    Q_EMIT f.bridge()->failed(Job::Scoring, QStringLiteral("no data"));
    QCOMPARE(f.message("sequenceModelMessage")->text(), QStringLiteral("no data"));
    QCOMPARE(f.message("sequenceModelMessage")->tone(), MessageLabel::Tone::Problem);
    QVERIFY(f.message("continuationMessage")->text().isEmpty());
    QVERIFY(f.message("completionMessage")->text().isEmpty());
    Q_EMIT f.bridge()->failed(Job::Continuing, QStringLiteral("no text"));
    QCOMPARE(f.message("continuationMessage")->text(), QStringLiteral("no text"));
    QCOMPARE(f.message("sequenceModelMessage")->text(), QStringLiteral("no data"));
  }

  void anotherModelDoesNotKeepTheText() {
    SequenceFixture f;
    f.window.openPath(path("text"));
    QTRY_VERIFY_WITH_TIMEOUT(f.bridge()->model() && !f.bridge()->isBusy(), kLong);
    const auto* output = f.find<QPlainTextEdit>("continuation");
    Q_EMIT f.bridge()->bytesArrived(QByteArray("ab\xe2\x82"));
    Q_EMIT f.bridge()->continued();
    QCOMPARE(output->toPlainText(), QStringLiteral("ab") + QChar(QChar::ReplacementCharacter));
    QVERIFY(f.button("saveContinuation")->isEnabled());
    f.window.modelPage()->open(path("text"));
    QTRY_VERIFY_WITH_TIMEOUT(output->toPlainText().isEmpty(), kLong);
    QVERIFY(f.window.modelPage()->continuation()->bytes().isEmpty());
    QVERIFY(!f.button("saveContinuation")->isEnabled());
  }

  void hiddenFieldsAreNeverInvalid() {
    SequenceFixture f;
    auto* error = f.message("sequenceError");
    f.set("form.data", "image_size", -1);
    QVERIFY(error->text().startsWith(QStringLiteral("Data: Image size")));
    f.set("form.data", "kind", "text");
    QVERIFY(error->text().contains(QStringLiteral("text file")));
    f.window.trainPage()->setTextFile(path("text.txt"));
    QVERIFY(error->text().isEmpty());
    QTRY_VERIFY(f.button("startSequence")->isEnabled());
  }

  void namesAreNotFormatPatterns() {
    SequenceModelInfo info;
    info.experiment.name = "%3 and %1";
    QVERIFY(sequenceModelSentence(info).startsWith(QStringLiteral("%3 and %1: aft_local, 4 ")));
  }

  void imagePixelsAreEquallyLarge() {
    ImageTiles tiles;
    QImage image(3, 3, QImage::Format_RGB888);
    image.fill(Qt::red);
    image.setPixelColor(1, 1, Qt::blue);
    tiles.setTiles({{image, QStringLiteral("completion 1")}});
    tiles.resize(101, 107);
    const QImage shown = tiles.grab().toImage();
    int red = 0, blue = 0;
    for (int y = 0; y < shown.height(); ++y)
      for (int x = 0; x < shown.width(); ++x) {
        red += shown.pixelColor(x, y) == QColor(Qt::red);
        blue += shown.pixelColor(x, y) == QColor(Qt::blue);
      }
    QVERIFY(blue > 0);
    QCOMPARE(red, 8 * blue);
  }

  void damagedSequenceModelIsReported() {
    writeText(path("damaged.safetensors"), safetensorsWith({{"sequence_experiment", "{"}}));
    TestWindow test;
    test->openPaths({path("damaged.safetensors")});
    QTRY_VERIFY_WITH_TIMEOUT(test.notices() > 0, kLong);
    QVERIFY2(test.newestNotice().text.contains(QStringLiteral("its config is wrong")),
             qPrintable(test.newestNotice().text));
  }
};

QTEST_MAIN(SequenceGuardsTest)
#include "SequenceGuardsTest.moc"
