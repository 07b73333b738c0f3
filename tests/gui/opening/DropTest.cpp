// SPDX-License-Identifier: GPL-3.0-or-later

// What happens to files that are dropped on the window, hostile ones included.

#include <QDockWidget>
#include <QLineEdit>
#include <QListView>
#include <QRegularExpression>
#include <QSignalSpy>

#include "core/models/Registry.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/compare/SideChooser.h"
#include "ui/figures/FigureExport.h"
#include "ui/opening/LoadReportDialog.h"

using namespace headlight;

class DropTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { initialiseHeadlightResources(); }
  void init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
    m_folder = std::make_unique<QTemporaryDir>();
    m_picture = writePicture(path("picture.png"));
  }

  void picture() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    QVERIFY(dropOn(&test.window, {m_picture}));
    QTRY_COMPARE(test.document()->imagePath(), m_picture);
    QCOMPARE(test.document()->image().width, 40);
    QTRY_VERIFY(test.document()->look());
    QVERIFY(test->gallery()->indexOf(m_picture).isValid());
  }

  /// But for the sides of a comparison, which have models and pictures of their own.
  void nothingInsideTakesDrops() {
    TestWindow test;
    for (QWidget* widget : test->findChildren<QWidget*>())
      QVERIFY2(!widget->acceptDrops() || qobject_cast<SideChooser*>(widget),
               qPrintable(widget->objectName()));
  }

  void folderAndDataset() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    QDir(m_folder->path()).mkpath(QStringLiteral("set/discs"));
    QDir(m_folder->path()).mkpath(QStringLiteral("set/stars"));
    for (int i = 0; i < 3; ++i) {
      writePicture(path(QStringLiteral("set/discs/%1.png").arg(i)), 30, 30, i);
      writePicture(path(QStringLiteral("set/stars/%1.png").arg(i)), 30, 30, 100 + i);
    }
    QVERIFY(dropOn(&test.window, {path("set")}));
    QTRY_VERIFY(test->gallery()->indexOf(path("set/stars/2.png")).isValid());
    QTRY_COMPARE(test.document()->imagePath(), path("set/discs/0.png"));
    // It is a dataset too: the training dialog knows it.
    QCOMPARE(test->trainingExperiment().data.dataset, std::string("image-folder"));
    QCOMPARE(test->trainingExperiment().data.path, path("set").toStdString());
    QCOMPARE(test.newestNotice().level, Notice::Level::Info);
  }

  void whatIsPassedOverInAFolderIsSaid() {
    TestWindow test;
    QDir(m_folder->path()).mkpath(QStringLiteral("mixed/within"));
    writePicture(path("mixed/within/10.png"), 30, 30, 1);
    writePicture(path("mixed/within/9.png"), 30, 30, 2);
    for (const char* name : {"mixed/a.gif", "mixed/within/b.gif", "mixed/within/c.heic"})
      writeText(path(name), "no image that is read");
    QVERIFY(dropOn(&test.window, {path("mixed")}));
    QTRY_VERIFY(test.notices() > 0);
    const QString said = test->noticeBar()->notices().first().text;
    QVERIFY2(said.contains(QStringLiteral("3 files are not read (2 .gif, 1 .heic)")),
             qPrintable(said));
    QTRY_COMPARE(test.document()->imagePath(), path("mixed/within/9.png"));

    QDir(m_folder->path()).mkpath(QStringLiteral("gifs"));
    writeText(path("gifs/a.gif"), "no image that is read");
    QVERIFY(dropOn(&test.window, {path("gifs")}));
    QTRY_COMPARE(test.newestNotice().level, Notice::Level::Error);
    QVERIFY2(test.newestNotice().text.contains(QStringLiteral("1 .gif")),
             qPrintable(test.newestNotice().text));
  }

  void whyAFolderIsNoDataIsSaid() {
    TestWindow test;
    for (const char* name : {"flat/train/cat", "flat/train/dog", "flat/val"})
      QDir(m_folder->path()).mkpath(QLatin1String(name));
    for (const char* name : {"flat/train/cat/0.png", "flat/train/dog/0.png", "flat/val/0.png"})
      writePicture(path(name), 30, 30, 1);
    QVERIFY(dropOn(&test.window, {path("flat")}));
    QTRY_VERIFY(test.notices() > 0);
    const Notice& notice = test->noticeBar()->notices().first();
    QCOMPARE(notice.level, Notice::Level::Info);
    QVERIFY2(notice.title.contains(QStringLiteral("not as data to train on")),
             qPrintable(notice.title));
    QVERIFY2(notice.text.contains(QStringLiteral("holds 1 image and no class folders")),
             qPrintable(notice.text));
    QTRY_VERIFY(test->gallery()->indexOf(path("flat/val/0.png")).isValid());
  }

  void configOfThisModelAppliesItsMasks() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    Experiment experiment = smallExperiment();
    experiment.masks.scheme = "sch1";
    experiment.training.epochs = 7;
    writeText(path("config.json"), QByteArray::fromStdString(experimentToText(experiment)));
    QVERIFY(dropOn(&test.window, {path("config.json")}));
    QTRY_COMPARE(test.document()->masks().maskedHeads(), 3);
    QCOMPARE(test.document()->masks().name(), std::string("sch1"));
    QCOMPARE(test->trainingExperiment().training.epochs, std::int64_t(7));
    test.document()->undoStack()->undo();
    QCOMPARE(test.document()->masks().maskedHeads(), 0);
  }

  void whatAFileIsIsFoundFromItsContent() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    Experiment experiment = smallExperiment();
    experiment.masks.scheme = "sch1";
    writeText(path("config.pth"), QByteArray::fromStdString(experimentToText(experiment)));
    QVERIFY(dropOn(&test.window, {path("config.pth")}));
    QTRY_COMPARE(test.document()->masks().name(), std::string("sch1"));
    writeText(path("masks"), R"({"scheme": "none"})");
    QVERIFY(dropOn(&test.window, {path("masks")}));
    QTRY_COMPARE(test.document()->masks().name(), std::string("none"));
    QVERIFY(QFile::copy(m_picture, path("picture.json")));
    QVERIFY(dropOn(&test.window, {path("picture.json")}));
    QTRY_COMPARE(test.document()->imagePath(), path("picture.json"));
  }

  void aKeyThatStandsTwiceIsNamed() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    writeText(path("masks.json"), R"({"scheme": "sch1", "scheme": "sch2"})");
    QVERIFY(dropOn(&test.window, {path("masks.json")}));
    QTRY_VERIFY(test.notices() > 0);
    QVERIFY2(test.newestNotice().text.contains(QStringLiteral("the key scheme twice")),
             qPrintable(test.newestNotice().text));
  }

  void configOfAnotherModelOpensIt() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    writeText(path("other.json"), QByteArray::fromStdString(experimentToText(smallExperiment(64))));
    QVERIFY(dropOn(&test.window, {path("other.json")}));
    QTRY_COMPARE(test.document()->model().experiment.model.width, 64);
    QTRY_VERIFY(test.notices() > 0);
    QVERIFY(test.newestNotice().text.contains(QStringLiteral("random")));
  }

  void configThatDiffersInTheSmallOpensItsOwnModel() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    Experiment experiment = smallExperiment();
    experiment.model.qkvBias = false;
    writeText(path("other.json"), QByteArray::fromStdString(experimentToText(experiment)));
    QVERIFY(dropOn(&test.window, {path("other.json")}));
    QTRY_VERIFY(!test.document()->model().experiment.model.qkvBias);
  }

  void configThatSpellsOutDefaultsIsOfTheOpenModel() {
    TestWindow test;
    Experiment experiment = smallExperiment();
    experiment.model.mechanism = "aft_conv";
    test->lookBridge()->createModel(experiment);
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->hasModel(), 20000);
    QSignalSpy opened(test.document(), &Document::modelChanged);
    experiment.model = completed(experiment.model, modelCatalogue());
    QVERIFY(!experiment.model.attention.empty());
    writeText(path("config.json"), QByteArray::fromStdString(experimentToText(experiment)));
    QVERIFY(dropOn(&test.window, {path("config.json")}));
    const QString said = QStringLiteral("is for the model that is open");
    QTRY_VERIFY(test.notices() > 0 && test.newestNotice().text.contains(said));
    QCOMPARE(opened.size(), 0);
  }

  void masksOfAModelThatCannotBeMaskedAreRefused() {
    TestWindow test;
    Experiment experiment = smallExperiment();
    experiment.model.mechanism = "aft_full";
    test->lookBridge()->createModel(experiment);
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->hasModel(), 20000);
    writeText(path("masks.json"), R"({"scheme": "mine", "cells": [["hard:3"]]})");
    QVERIFY(dropOn(&test.window, {path("masks.json")}));
    QTRY_VERIFY(test.notices() > 0);
    QCOMPARE(test.newestNotice().level, Notice::Level::Error);
    QVERIFY2(test.newestNotice().text.contains(QStringLiteral("no logits")),
             qPrintable(test.newestNotice().text));
    QCOMPARE(test.document()->masks().maskedHeads(), 0);
  }

  void aSchemeMasksTheLayersThatCanBe() {
    TestWindow test;
    Experiment experiment = smallExperiment();
    experiment.model.backbone = "cait";
    experiment.model.mechanism = findPublishedModel("cait_xxs24_224")->config.mechanism;
    experiment.model.classDepth = 1;
    test->lookBridge()->createModel(experiment);
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->hasModel(), 20000);
    QCOMPARE(test.document()->masks().layers(), 4);
    writeText(path("sch1.json"), R"({"scheme": "sch1"})");
    QVERIFY(dropOn(&test.window, {path("sch1.json")}));
    QTRY_COMPARE(test.document()->masks().maskedHeads(), 3);  // not in class attention
  }

  void maskScheme() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    writeText(path("masks.json"),
              R"({"scheme": "mine", "cells": [["hard:3"], [], ["soft:5@0.2"]]})");
    QVERIFY(dropOn(&test.window, {path("masks.json")}));
    QTRY_COMPARE(test.document()->masks().maskedHeads(), 2);
    QVERIFY(test.document()->masks().at(2, 0).kind == MaskKind::Soft);
    // Layers that the model does not have: said, and nothing changes.
    writeText(path("deep.json"), R"({"scheme": "mine", "cells": [[],[],[],[],["hard:3"]]})");
    QVERIFY(dropOn(&test.window, {path("deep.json")}));
    QTRY_VERIFY(test.notices() > 0);
    QCOMPARE(test.newestNotice().level, Notice::Level::Error);
    QVERIFY2(test.newestNotice().text.contains(QStringLiteral("layer")),
             qPrintable(test.newestNotice().text));
    QCOMPARE(test.document()->masks().maskedHeads(), 2);
  }

  void checkpointShowsItsReportFirst() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_PICTURE(test, m_picture);
    Experiment other = smallExperiment();
    other.seed = 99;
    const auto saved = InferenceSession::create(other);
    QVERIFY((*saved)->save(path("weights.safetensors").toStdString(),
                           MaskScheme(MaskShape((*saved)->info().heads))));
    const auto before = test.document()->look()->logits;

    ScopedDialogs scoped;
    int answer = QDialog::Rejected, shown = 0;
    dialogs().show = [&](QDialog* dialog, const std::function<void(int)>& done) {
      QVERIFY(qobject_cast<LoadReportDialog*>(dialog));
      ++shown;
      done(answer);
      dialog->deleteLater();
    };
    QVERIFY(dropOn(&test.window, {path("weights.safetensors")}));
    QTRY_COMPARE(shown, 1);
    test->lookBridge()->requestLook();  // behind all that was asked of the model
    QTRY_VERIFY(!test.document()->isStale());
    QCOMPARE(test.document()->look()->logits, before);  // refused: nothing is replaced
    answer = QDialog::Accepted;
    QVERIFY(dropOn(&test.window, {path("weights.safetensors")}));
    QTRY_VERIFY(!test.document()->model().weights.empty());
    QTRY_VERIFY(!test.document()->isStale());
    QVERIFY(test.document()->look()->logits != before);
    QCOMPARE(shown, 2);
  }

  void checkpointOfAnotherModelOpensIt() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    const auto saved = InferenceSession::create(smallExperiment(64));
    QVERIFY((*saved)->save(path("other.safetensors").toStdString(),
                           MaskScheme(MaskShape((*saved)->info().heads))));
    QVERIFY(dropOn(&test.window, {path("other.safetensors")}));
    QTRY_COMPARE(test.document()->model().experiment.model.width, 64);
  }

  void weightsThatFitInPartAreAskedAboutFirst() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    const auto saved = InferenceSession::create(smallExperiment(64));
    QVERIFY((*saved)->save(path("whole.safetensors").toStdString(),
                           MaskScheme(MaskShape((*saved)->info().heads))));
    QFile whole(path("whole.safetensors"));
    QVERIFY(whole.open(QIODevice::ReadOnly));
    writeText(path("part.safetensors"), whole.readAll().replace("\"head.bias\"", "\"head.bats\""));
    QVERIFY(dropOn(&test.window, {path("part.safetensors")}));
    QTRY_VERIFY(test.notices() > 0);
    const Notice asked = test.newestNotice();
    QVERIFY2(asked.text.contains(QStringLiteral("head.bias")), qPrintable(asked.text));
    QCOMPARE(asked.action, QStringLiteral("Open anyway"));
    QVERIFY(!test->lookBridge()->isOpening());
    QCOMPARE(test.document()->model().experiment.model.width, 32);  // what was open stays
    asked.run();
    QTRY_COMPARE(test.document()->model().experiment.model.width, 64);
    QCOMPARE(test.document()->model().report.unfilled(), std::vector<std::string>{"head.bias"});
    const QString caption = test.document()->describeView();
    QVERIFY2(caption.contains(QStringLiteral("1 of the model's tensors random")),
             qPrintable(caption));
  }

  void exportedPngRestoresItsSession() {
    TestWindow test(path("session.json"));
    OPEN_SMALL_MODEL(test);
    OPEN_PICTURE(test, m_picture);
    const auto edit = makeMaskEdit(test.document()->masks(), {{1, 1}}, {MaskKind::Hard, 5}, "hard");
    test.document()->pushEdit(*edit);
    QTRY_VERIFY(!test.document()->isStale());
    const MaskScheme masks = test.document()->masks();
    const QString error =
        exportFigure(captureFigure(*test.document(), FigureKind::Canvas), path("figure.png"),
                     sessionToText(sessionOf(*test.document())));
    QCOMPARE(error, QString());

    test.document()->undoStack()->undo();
    QVERIFY(!(test.document()->masks() == masks));
    QVERIFY(dropOn(&test.window, {path("figure.png")}));
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->masks() == masks, 20000);
    QTRY_COMPARE(test.document()->imagePath(), m_picture);
    // What was there before can be had back.
    test->actions()->find(QStringLiteral("file.previousSession"))->trigger();
    QTRY_COMPARE(test.document()->masks().maskedHeads(), 0);
  }

  void aPictureWithASessionComesIntoTheGallery() {
    ScopedDialogs scoped;
    dialogs().files = [&](QWidget*, const FileQuestion&,
                          const std::function<void(const QStringList&)>& answer) {
      answer({path("figure.png")});
    };
    dialogs().show = [](QDialog* dialog, const std::function<void(int)>& done) {
      done(QDialog::Accepted);  // the figure as it is proposed
      delete dialog;
    };
    {
      TestWindow test;
      OPEN_SMALL_MODEL(test);
      OPEN_PICTURE(test, m_picture);
      test->showWorkspace(QStringLiteral("mask"));
      test->showTab(QStringLiteral("rollout"));
      test->actions()->find(QStringLiteral("file.exportFigure"))->trigger();
      QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path("figure.png")), 20000);
    }
    TestWindow test(path("session.json"));
    OPEN_SMALL_MODEL(test);
    test->showWorkspace(QStringLiteral("mask"));
    test->findChild<QDockWidget*>(QStringLiteral("dock.gallery"))->show();
    test->showWorkspace(QStringLiteral("look"));
    const QSize size = test->size();
    QVERIFY(!test->gallery()->indexOf(m_picture).isValid());
    QVERIFY(dropOn(&test.window, {path("figure.png")}));
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->imagePath(), m_picture, 20000);
    QVERIFY(test->gallery()->indexOf(m_picture).isValid());
    QCOMPARE(marked(test), m_picture);
    QCOMPARE(test->currentWorkspace(), QStringLiteral("mask"));
    QCOMPARE(test->currentTab(), QStringLiteral("rollout"));
    // How this window was arranged stays.
    QCOMPARE(test->size(), size);
    QVERIFY(test->findChild<QDockWidget*>(QStringLiteral("dock.gallery"))->isVisible());
    QTRY_VERIFY(!test->lookBridge()->isOpening());
    test.newestNotice().run();  // Go back
    QTRY_COMPARE(test->currentWorkspace(), QStringLiteral("look"));
    QTRY_VERIFY(!test->lookBridge()->isOpening());
    QCOMPARE(test->currentTab(), QStringLiteral("canvas"));
  }

  void whatIsShownIsMarkedInTheGallery() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_PICTURE(test, m_picture);
    QCOMPARE(marked(test), m_picture);
    QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("set")));
    const QString other = writePicture(path("set/other.png"), 30, 30, 9);
    writePicture(path("set/third.png"), 30, 30, 19);
    QVERIFY(dropOn(&test.window, {other}));
    QTRY_COMPARE(test.document()->imagePath(), other);
    QCOMPARE(marked(test), other);
    // Its folder takes it in; nothing else is opened or marked by that.
    QVERIFY(dropOn(&test.window, {path("set")}));
    QTRY_VERIFY(test->gallery()->indexOf(path("set/third.png")).isValid());
    QTRY_VERIFY(test->isIdle());
    QCOMPARE(test.document()->imagePath(), other);
    QCOMPARE(marked(test), other);
    QCOMPARE(test->gallery()->sources(), (QStringList{m_picture, path("set")}));
    // Filtered out and in again.
    auto* filter = test->findChild<QLineEdit*>(QStringLiteral("galleryFilter"));
    filter->setText(QStringLiteral("third"));
    QCOMPARE(marked(test), QString());
    filter->clear();
    QCOMPARE(marked(test), other);
    QTRY_VERIFY(test->isIdle());
    QCOMPARE(test.document()->imagePath(), other);
    // By keys, and what cannot be opened.
    auto* view = test->findChild<QListView*>(QStringLiteral("galleryView"));
    QVERIFY(QFile::remove(path("set/third.png")));
    QTest::keyClick(view, Qt::Key_End);
    QTRY_VERIFY(test.notices() > 0);
    QCOMPARE(marked(test), other);
    QTest::keyClick(view, Qt::Key_Home);
    QTRY_COMPARE(test.document()->imagePath(), test->gallery()->pathAt(test->gallery()->index(0)));
    QCOMPARE(marked(test), test.document()->imagePath());
    // Taken out of the gallery, it is shown, and nothing is marked in its place.
    const QString first = test.document()->imagePath();
    test->gallery()->removeRowsOf({test->gallery()->indexOf(first)});
    QCOMPARE(marked(test), QString());
    QTRY_VERIFY(test->isIdle());
    QCOMPARE(test.document()->imagePath(), first);
  }

  void aClickInTheGalleryAlwaysOpens() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_PICTURE(test, m_picture);
    const QString first = test->gallery()->pathAt(test->gallery()->index(0));
    auto* view = test->findChild<QListView*>(QStringLiteral("galleryView"));
    const auto click = [&] {
      view->scrollToTop();
      QTest::mouseClick(view->viewport(), Qt::LeftButton, {},
                        view->visualRect(view->model()->index(0, 0)).center());
    };
    QSignalSpy shown(test.document(), &Document::imageChanged);
    click();
    QTRY_COMPARE(test.document()->imagePath(), first);
    QCOMPARE(shown.size(), 1);
    click();  // the current one: as it is on the disk now
    QTRY_COMPARE(shown.size(), 2);
    QCOMPARE(test.document()->imagePath(), first);
    // Whatever has come in between.
    test->imageBridge()->loadImage(m_picture);
    QTRY_COMPARE(test.document()->imagePath(), m_picture);
    click();
    QTRY_COMPARE(test.document()->imagePath(), first);
  }

  void hostileFiles_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("content");
    const QByteArray png = [] {
      QTemporaryDir folder;
      QFile file(writePicture(folder.filePath(QStringLiteral("a.png"))));
      return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }();
    QByteArray lying = png;
    lying[16] = 0x7f;  // the width in the header: over two thousand million pixels
    QTest::newRow("empty png") << "a.png" << QByteArray();
    QTest::newRow("truncated png") << "a.png" << png.left(png.size() / 2);
    QTest::newRow("lying png") << "a.png" << lying;
    QTest::newRow("text as jpg") << "a.jpg" << QByteArray("hello");
    QTest::newRow("no kind") << "a.bin" << QByteArray("hello");
    QTest::newRow("truncated safetensors")
        << "a.safetensors" << QByteArray("\x40\0\0\0\0\0\0\0{", 9);
    QTest::newRow("huge header") << "a.safetensors"
                                 << QByteArray("\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10);
    QTest::newRow("garbage pth") << "a.pth" << QByteArray("PK\3\4 nonsense");
    QTest::newRow("not json") << "a.json" << QByteArray("{\"model\": ");
    QTest::newRow("unknown key") << "a.json" << QByteArray(R"({"model": {}, "modle": 1})");
    QTest::newRow("heads do not divide")
        << "a.json" << QByteArray(R"({"model": {"width": 100, "heads": 3}})");
    QTest::newRow("deep json") << "a.json" << QByteArray(100000, '[');
    QTest::newRow("damaged session")
        << "a.json" << QByteArray(R"({"kind": "headlight-session", "schema": 1, "view": 3})");
    QTest::newRow("newer session")
        << "a.json" << QByteArray(R"({"kind": "headlight-session", "schema": 999})");
  }
  void hostileFiles() {
    QFETCH(QString, name);
    QFETCH(QByteArray, content);
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_PICTURE(test, m_picture);
    const auto look = test.document()->look();
    writeText(path("hostile-") + name, content);
    QVERIFY(dropOn(&test.window, {path("hostile-") + name}));
    QTRY_VERIFY_WITH_TIMEOUT(test.notices() > 0, 10000);
    QCOMPARE(test.newestNotice().level, Notice::Level::Error);
    QVERIFY(test.newestNotice().text.size() > 10);
    QTRY_VERIFY(!test.document()->isStale());
    QCOMPARE(test.document()->imagePath(), m_picture);  // nothing is lost
    QCOMPARE(test.document()->look()->logits, look->logits);
    QCOMPARE(test.document()->model().experiment.model.width, 32);
  }

  void hostilePlaces() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    QDir(m_folder->path()).mkpath(QStringLiteral("empty"));
    for (const QString& place : {path("empty"), path("missing.png"), QStringLiteral("/dev/zero")}) {
      const int before = test.notices();
      QVERIFY(dropOn(&test.window, {place}));
      QTRY_COMPARE_WITH_TIMEOUT(test.notices(), before + 1, 10000);
      QCOMPARE(test.newestNotice().level, Notice::Level::Error);
    }
    QVERIFY(!test.document()->hasImage());
  }

  void whatIsNotAFileIsNotTaken() {
    TestWindow test;
    QMimeData text;
    text.setText(QStringLiteral("https://example.org/picture.png"));
    QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &text, Qt::LeftButton, Qt::NoModifier);
    enter.ignore();
    QApplication::sendEvent(&test.window, &enter);
    QVERIFY(!enter.isAccepted());
  }

 private:
  /// The path that the gallery marks; empty: none, or not one.
  static QString marked(TestWindow& test) {
    const auto* view = test->findChild<QListView*>(QStringLiteral("galleryView"));
    const QModelIndexList selected = view->selectionModel()->selectedIndexes();
    if (selected.size() != 1 || selected.first() != view->currentIndex()) return {};
    return test->gallery()->pathAt(selected.first());
  }
  QString path(const QString& name) const { return m_folder->filePath(name); }
  QString path(const char* name) const { return m_folder->filePath(QLatin1String(name)); }

  std::unique_ptr<QTemporaryDir> m_folder;
  QString m_picture;
};

QTEST_MAIN(DropTest)
#include "DropTest.moc"
