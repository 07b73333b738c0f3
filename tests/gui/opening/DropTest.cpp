// SPDX-License-Identifier: GPL-3.0-or-later

// What happens to files that are dropped on the window, hostile ones included.

#include <QDockWidget>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTreeWidget>

#include "core/models/Registry.h"
#include "tests/data/TarWriter.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/bridge/ImageBridge.h"
#include "ui/compare/SideChooser.h"
#include "ui/figures/FigureExport.h"
#include "ui/opening/LoadReportDialog.h"
#include "ui/opening/LocalModelsDialog.h"
#include "ui/runs/RunsWindow.h"

using namespace headlight;

class DropTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }
  void init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
    m_folder = std::make_unique<QTemporaryDir>();
    m_image = writeImage(path("image.png"));
  }

  void image() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    QVERIFY(dropOn(&test.window, {m_image}));
    QTRY_COMPARE(test.document()->inputs().imagePath(), m_image);
    QCOMPARE(test.document()->inputs().image().width, 40);
    QTRY_VERIFY(test.document()->inference());
    QVERIFY(test->gallery()->indexOf(m_image).isValid());
  }

  /// But for the sides of a comparison, which have models and images of their own.
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
      writeImage(path(QStringLiteral("set/discs/%1.png").arg(i)), 30, 30, i);
      writeImage(path(QStringLiteral("set/stars/%1.png").arg(i)), 30, 30, 100 + i);
    }
    QVERIFY(dropOn(&test.window, {path("set")}));
    QTRY_VERIFY(test->gallery()->indexOf(path("set/stars/2.png")).isValid());
    QTRY_COMPARE(test.document()->inputs().imagePath(), path("set/discs/0.png"));
    // It is a dataset too: the training dialog knows it.
    QCOMPARE(test->trainingExperiment().data.dataset, std::string("image-folder"));
    QCOMPARE(test->trainingExperiment().data.path, path("set").toStdString());
    QCOMPARE(test.newestNotice().level, Notice::Level::Info);
  }

  void anArchiveListsAsManyImagesAsItHolds() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    QFile png(writeImage(path("any.png")));
    QVERIFY(png.open(QIODevice::ReadOnly));
    const std::string image = png.readAll().toStdString();
    std::string tar;
    for (const char* name : {"train/a/0.png", "train/a/1.png", "train/b/0.png", "val/b/0.png"})
      tar += test::tarFile(name, image);
    writeText(path("set.tar"), QByteArray::fromStdString(tar + test::tarEnd()));
    const int before = test->gallery()->rowCount();
    QVERIFY(dropOn(&test.window, {path("set.tar")}));
    const auto sample = [&](int i) {
      return ImageBridge::datasetPath(QStringLiteral("image-folder"), path("set.tar"), i);
    };
    QTRY_COMPARE(test.document()->inputs().imagePath(), sample(0));
    QTRY_COMPARE(test->gallery()->rowCount(), before + 3);
    QVERIFY(test->gallery()->indexOf(sample(2)).isValid());
  }

  void skippedFilesOfAFolderAreReported() {
    TestWindow test;
    QDir(m_folder->path()).mkpath(QStringLiteral("mixed/within"));
    writeImage(path("mixed/within/10.png"), 30, 30, 1);
    writeImage(path("mixed/within/9.png"), 30, 30, 2);
    for (const char* name : {"mixed/a.gif", "mixed/within/b.gif", "mixed/within/c.jp2"})
      writeText(path(name), "no readable image");
    QVERIFY(dropOn(&test.window, {path("mixed")}));
    QTRY_VERIFY(test.notices() > 0);
    const QString said = test->noticeBar()->notices().first().text;
    QVERIFY2(said.contains(QStringLiteral("3 files are not read (2 .gif, 1 .jp2)")),
             qPrintable(said));
    QTRY_COMPARE(test.document()->inputs().imagePath(), path("mixed/within/9.png"));

    QDir(m_folder->path()).mkpath(QStringLiteral("gifs"));
    writeText(path("gifs/a.gif"), "no readable image");
    QVERIFY(dropOn(&test.window, {path("gifs")}));
    // What was said of the folder before goes first.
    QTRY_VERIFY(test.notices() > 0 && test.newestNotice().text.contains(QStringLiteral("1 .gif")));
    QCOMPARE(test.newestNotice().level, Notice::Level::Error);
  }

  void whyAFolderIsNoDataIsSaid() {
    TestWindow test;
    for (const char* name : {"flat/train/cat", "flat/train/dog", "flat/val"})
      QDir(m_folder->path()).mkpath(QLatin1String(name));
    for (const char* name : {"flat/train/cat/0.png", "flat/train/dog/0.png", "flat/val/0.png"})
      writeImage(path(name), 30, 30, 1);
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
    QTRY_COMPARE(test.document()->inputs().masks().maskedHeads(), 3);
    QCOMPARE(test.document()->inputs().masks().name(), std::string("sch1"));
    QCOMPARE(test->trainingExperiment().training.epochs, std::int64_t(7));
    test.document()->inputs().undoStack()->undo();
    QCOMPARE(test.document()->inputs().masks().maskedHeads(), 0);
  }

  void filesAreRecognizedByContent() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    Experiment experiment = smallExperiment();
    experiment.masks.scheme = "sch1";
    writeText(path("config.pth"), QByteArray::fromStdString(experimentToText(experiment)));
    QVERIFY(dropOn(&test.window, {path("config.pth")}));
    QTRY_COMPARE(test.document()->inputs().masks().name(), std::string("sch1"));
    writeText(path("masks"), R"({"scheme": "none"})");
    QVERIFY(dropOn(&test.window, {path("masks")}));
    QTRY_COMPARE(test.document()->inputs().masks().name(), std::string("none"));
    QVERIFY(QFile::copy(m_image, path("image.json")));
    QVERIFY(dropOn(&test.window, {path("image.json")}));
    QTRY_COMPARE(test.document()->inputs().imagePath(), path("image.json"));
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
    QTRY_COMPARE(test.document()->inputs().model().experiment.model.width, 64);
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
    QTRY_VERIFY(!test.document()->inputs().model().experiment.model.qkvBias);
  }

  void configWithExplicitDefaultsMatchesTheOpenModel() {
    TestWindow test;
    Experiment experiment = smallExperiment();
    experiment.model.mechanism = "aft_conv";
    test->modelWorker()->createModel(experiment);
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    QSignalSpy opened(&test.document()->inputs(), &InferenceInputs::modelChanged);
    experiment.model = completed(experiment.model, modelCatalog());
    QVERIFY(!experiment.model.attention.empty());
    writeText(path("config.json"), QByteArray::fromStdString(experimentToText(experiment)));
    QVERIFY(dropOn(&test.window, {path("config.json")}));
    const QString said = QStringLiteral("describes the open model");
    QTRY_VERIFY(test.notices() > 0 && test.newestNotice().text.contains(said));
    QCOMPARE(opened.size(), 0);
  }

  void masksOfAModelThatCannotBeMaskedAreRefused() {
    TestWindow test;
    Experiment experiment = smallExperiment();
    experiment.model.mechanism = "aft_full";
    test->modelWorker()->createModel(experiment);
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    writeText(path("masks.json"), R"({"scheme": "mine", "cells": [["hard:3"]]})");
    QVERIFY(dropOn(&test.window, {path("masks.json")}));
    QTRY_VERIFY(test.notices() > 0);
    QCOMPARE(test.newestNotice().level, Notice::Level::Error);
    QVERIFY2(test.newestNotice().text.contains(QStringLiteral("no logits")),
             qPrintable(test.newestNotice().text));
    QCOMPARE(test.document()->inputs().masks().maskedHeads(), 0);
  }

  void aSchemeMasksTheLayersThatCanBe() {
    TestWindow test;
    Experiment experiment = smallExperiment();
    experiment.model.backbone = "cait";
    experiment.model.mechanism = findPublishedModel("cait_xxs24_224")->config.mechanism;
    experiment.model.classDepth = 1;
    test->modelWorker()->createModel(experiment);
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    QCOMPARE(test.document()->inputs().masks().layers(), 4);
    writeText(path("sch1.json"), R"({"scheme": "sch1"})");
    QVERIFY(dropOn(&test.window, {path("sch1.json")}));
    QTRY_COMPARE(test.document()->inputs().masks().maskedHeads(), 3);  // not in class attention
  }

  void maskScheme() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    writeText(path("masks.json"),
              R"({"scheme": "mine", "cells": [["hard:3"], [], ["soft:5@0.2"]]})");
    QVERIFY(dropOn(&test.window, {path("masks.json")}));
    QTRY_COMPARE(test.document()->inputs().masks().maskedHeads(), 2);
    QVERIFY(test.document()->inputs().masks().at(2, 0).kind == MaskKind::Soft);
    // Layers that the model does not have: said, and nothing changes.
    writeText(path("deep.json"), R"({"scheme": "mine", "cells": [[],[],[],[],["hard:3"]]})");
    QVERIFY(dropOn(&test.window, {path("deep.json")}));
    QTRY_VERIFY(test.notices() > 0);
    QCOMPARE(test.newestNotice().level, Notice::Level::Error);
    QVERIFY2(test.newestNotice().text.contains(QStringLiteral("layer")),
             qPrintable(test.newestNotice().text));
    QCOMPARE(test.document()->inputs().masks().maskedHeads(), 2);
  }

  void checkpointShowsItsReportFirst() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    Experiment other = smallExperiment();
    other.seed = 99;
    const auto saved = InferenceSession::create(other);
    QVERIFY((*saved)->save(path("weights.safetensors").toStdString(),
                           MaskScheme(MaskShape((*saved)->info().heads))));
    const auto before = test.document()->inference()->logits;

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
    test->modelWorker()->requestInference();  // behind all that was asked of the model
    QTRY_VERIFY(!test.document()->isStale());
    QCOMPARE(test.document()->inference()->logits, before);  // refused: nothing is replaced
    answer = QDialog::Accepted;
    QVERIFY(dropOn(&test.window, {path("weights.safetensors")}));
    QTRY_VERIFY(!test.document()->inputs().model().weights.empty());
    QTRY_VERIFY(!test.document()->isStale());
    QVERIFY(test.document()->inference()->logits != before);
    QCOMPARE(shown, 2);
  }

  void checkpointOfAnotherModelOpensIt() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    const auto saved = InferenceSession::create(smallExperiment(64));
    QVERIFY((*saved)->save(path("other.safetensors").toStdString(),
                           MaskScheme(MaskShape((*saved)->info().heads))));
    QVERIFY(dropOn(&test.window, {path("other.safetensors")}));
    QTRY_COMPARE(test.document()->inputs().model().experiment.model.width, 64);
  }

  /// What `models --folder` and `runs` read on the command line.
  void foldersOfModelsAndRunsOpen() {
    TestWindow test;
    const QString home = QStringLiteral(HEADLIGHT_GOLDEN_DIR) + QStringLiteral("/hf_home");
    QVERIFY(dropOn(&test.window, {home}));
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->weightsName(),
                              QStringLiteral("timm/vit_small_patch14_reg4_dinov2.micro (hub)"),
                              20000);

    QDir(m_folder->path()).mkpath(QStringLiteral("models"));
    for (const char* name : {"models/a.safetensors", "models/b.safetensors"})
      QVERIFY(
          QFile::copy(QStringLiteral(HEADLIGHT_GOLDEN_DIR "/vit_micro.safetensors"), path(name)));
    ScopedDialogs scoped;
    QString title;
    dialogs().show = [&](QDialog* dialog, const std::function<void(int)>& done) {
      auto* models = qobject_cast<LocalModelsDialog*>(dialog);
      QVERIFY(models);
      title = models->windowTitle();
      QTRY_VERIFY(!models->isSearching());
      QCOMPARE(models->findChild<QTreeWidget*>()->topLevelItemCount(), 2);
      QVERIFY(models->chosen());
      done(QDialog::Accepted);
      dialog->deleteLater();
    };
    QVERIFY(dropOn(&test.window, {path("models")}));
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->weightsName(), QStringLiteral("a.safetensors"),
                              20000);
    QVERIFY2(title.contains(QStringLiteral("models")), qPrintable(title));

    for (const char* run : {"runs/a", "runs/b"}) {
      QDir(m_folder->path()).mkpath(QLatin1String(run));
      writeText(path(run) + QStringLiteral("/config.json"), "{}");
      writeText(path(run) + QStringLiteral("/metrics.csv"), "");
    }
    writeImage(path("runs/curves.png"));  // an exported figure does not make it a folder of images
    QVERIFY(dropOn(&test.window, {path("runs")}));
    QTRY_VERIFY(test.window.findChild<RunsWindow*>());
    QTRY_VERIFY(test.window.findChild<RunsWindow*>()->isVisible());
    QCOMPARE(test.notices(), 0);
  }

  void misfittingWeightsOpenAsTheirOwnModel() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    const auto saved = InferenceSession::create(smallExperiment(64));
    QVERIFY((*saved)->save(path("other.safetensors").toStdString(),
                           MaskScheme(MaskShape((*saved)->info().heads))));
    writeText(path("small.json"), QByteArray::fromStdString(experimentToText(smallExperiment())));
    ModelSource source;
    source.model = path("small.json").toStdString();
    source.weights = path("other.safetensors").toStdString();
    test->modelWorker()->openModel(source);
    QTRY_VERIFY(test.notices() > 0);
    QVERIFY2(test.newestNotice().text.contains(QStringLiteral("model of its own")) ||
                 !test.newestNotice().other.isEmpty(),
             qPrintable(test.newestNotice().text));
    const Notice asked = test.newestNotice();
    asked.other.isEmpty() ? asked.run() : asked.runOther();
    QTRY_COMPARE(test.document()->inputs().model().experiment.model.width, 64);

    // The same where they were to be loaded into the open model.
    OPEN_SMALL_MODEL(test);
    QTRY_COMPARE(test.document()->inputs().model().experiment.model.width, 32);
    ScopedDialogs scoped;
    dialogs().show = [&](QDialog* dialog, const std::function<void(int)>& done) {
      auto* own = dialog->findChild<QPushButton*>(QStringLiteral("openOwnButton"));
      QVERIFY(own && own->isEnabled());
      connect(dialog, &QDialog::finished, dialog, [done](int result) { done(result); });
      own->click();
      dialog->deleteLater();
    };
    test->modelWorker()->previewWeights(path("other.safetensors"));
    QTRY_COMPARE(test.document()->inputs().model().experiment.model.width, 64);
    QCOMPARE(test.document()->weightsName(), QStringLiteral("other.safetensors"));
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
    QVERIFY(!test->modelWorker()->isOpening());
    QCOMPARE(test.document()->inputs().model().experiment.model.width, 32);  // what was open stays
    asked.run();
    QTRY_COMPARE(test.document()->inputs().model().experiment.model.width, 64);
    QCOMPARE(test.document()->inputs().model().report.unfilled(),
             std::vector<std::string>{"head.bias"});
    const QString caption = test.document()->view().describe();
    QVERIFY2(caption.contains(QStringLiteral("1 of the model's tensors random")),
             qPrintable(caption));
  }

  void exportedPngRestoresItsSession() {
    TestWindow test(path("session.json"));
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    const auto edit =
        makeMaskEdit(test.document()->inputs().masks(), {{1, 1}}, {MaskKind::Hard, 5}, "hard");
    test.document()->inputs().pushEdit(*edit);
    QTRY_VERIFY(!test.document()->isStale());
    const MaskScheme masks = test.document()->inputs().masks();
    const QString error =
        exportFigure(captureFigure(*test.document(), FigureKind::Canvas), path("figure.png"),
                     sessionToText(recordSession(*test.document())));
    QCOMPARE(error, QString());

    test.document()->inputs().undoStack()->undo();
    QVERIFY(!(test.document()->inputs().masks() == masks));
    QVERIFY(dropOn(&test.window, {path("figure.png")}));
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().masks() == masks, 20000);
    QTRY_COMPARE(test.document()->inputs().imagePath(), m_image);
    // What was there before can be had back.
    test->actions()->find(QStringLiteral("file.previousSession"))->trigger();
    QTRY_COMPARE(test.document()->inputs().masks().maskedHeads(), 0);
  }

  void anImageWithASessionComesIntoTheGallery() {
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
      OPEN_IMAGE(test, m_image);
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
    QVERIFY(!test->gallery()->indexOf(m_image).isValid());
    QVERIFY(dropOn(&test.window, {path("figure.png")}));
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->inputs().imagePath(), m_image, 20000);
    QVERIFY(test->gallery()->indexOf(m_image).isValid());
    QCOMPARE(marked(test), m_image);
    QCOMPARE(test->currentWorkspace(), QStringLiteral("mask"));
    QCOMPARE(test->currentTab(), QStringLiteral("rollout"));
    // How this window was arranged stays.
    QCOMPARE(test->size(), size);
    QVERIFY(test->findChild<QDockWidget*>(QStringLiteral("dock.gallery"))->isVisible());
    QTRY_VERIFY(!test->modelWorker()->isOpening());
    test.newestNotice().run();  // Go back
    QTRY_COMPARE(test->currentWorkspace(), QStringLiteral("look"));
    QTRY_VERIFY(!test->modelWorker()->isOpening());
    QCOMPARE(test->currentTab(), QStringLiteral("canvas"));
  }

  void shownImageIsMarkedInTheGallery() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    QCOMPARE(marked(test), m_image);
    QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("set")));
    const QString other = writeImage(path("set/other.png"), 30, 30, 9);
    writeImage(path("set/third.png"), 30, 30, 19);
    QVERIFY(dropOn(&test.window, {other}));
    QTRY_COMPARE(test.document()->inputs().imagePath(), other);
    QCOMPARE(marked(test), other);
    // Its folder takes it in; nothing else is opened or marked by that.
    QVERIFY(dropOn(&test.window, {path("set")}));
    QTRY_VERIFY(test->gallery()->indexOf(path("set/third.png")).isValid());
    QTRY_VERIFY(test->isIdle());
    QCOMPARE(test.document()->inputs().imagePath(), other);
    QCOMPARE(marked(test), other);
    QCOMPARE(test->gallery()->sources(), (QStringList{m_image, path("set")}));
    // Filtered out and in again.
    auto* filter = test->findChild<QLineEdit*>(QStringLiteral("galleryFilter"));
    filter->setText(QStringLiteral("third"));
    QCOMPARE(marked(test), QString());
    filter->clear();
    QCOMPARE(marked(test), other);
    QTRY_VERIFY(test->isIdle());
    QCOMPARE(test.document()->inputs().imagePath(), other);
    // By keys, and what cannot be opened.
    auto* view = test->findChild<QListView*>(QStringLiteral("galleryView"));
    QVERIFY(QFile::remove(path("set/third.png")));
    QTest::keyClick(view, Qt::Key_End);
    QTRY_VERIFY(test.notices() > 0);
    QCOMPARE(marked(test), other);
    QTest::keyClick(view, Qt::Key_Home);
    QTRY_COMPARE(test.document()->inputs().imagePath(),
                 test->gallery()->pathAt(test->gallery()->index(0)));
    QCOMPARE(marked(test), test.document()->inputs().imagePath());
    // Taken out of the gallery, it is shown, and nothing is marked in its place.
    const QString first = test.document()->inputs().imagePath();
    test->gallery()->removeImages({test->gallery()->indexOf(first)});
    QCOMPARE(marked(test), QString());
    QTRY_VERIFY(test->isIdle());
    QCOMPARE(test.document()->inputs().imagePath(), first);
  }

  void aClickInTheGalleryAlwaysOpens() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    const QString first = test->gallery()->pathAt(test->gallery()->index(0));
    auto* view = test->findChild<QListView*>(QStringLiteral("galleryView"));
    const auto click = [&] {
      view->scrollToTop();
      QTest::mouseClick(view->viewport(), Qt::LeftButton, {},
                        view->visualRect(view->model()->index(0, 0)).center());
    };
    QSignalSpy shown(&test.document()->inputs(), &InferenceInputs::imageChanged);
    click();
    QTRY_COMPARE(test.document()->inputs().imagePath(), first);
    QCOMPARE(shown.size(), 1);
    click();  // the current one: as it is on the disk now
    QTRY_COMPARE(shown.size(), 2);
    QCOMPARE(test.document()->inputs().imagePath(), first);
    // Whatever has come in between.
    test->imageBridge()->loadImage(m_image);
    QTRY_COMPARE(test.document()->inputs().imagePath(), m_image);
    click();
    QTRY_COMPARE(test.document()->inputs().imagePath(), first);
  }

  void hostileFiles_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("content");
    const QByteArray png = [] {
      QTemporaryDir folder;
      QFile file(writeImage(folder.filePath(QStringLiteral("a.png"))));
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
    OPEN_IMAGE(test, m_image);
    const auto inference = test.document()->inference();
    writeText(path("hostile-") + name, content);
    QVERIFY(dropOn(&test.window, {path("hostile-") + name}));
    QTRY_VERIFY_WITH_TIMEOUT(test.notices() > 0, 10000);
    QCOMPARE(test.newestNotice().level, Notice::Level::Error);
    QVERIFY(test.newestNotice().text.size() > 10);
    QTRY_VERIFY(!test.document()->isStale());
    QCOMPARE(test.document()->inputs().imagePath(), m_image);  // nothing is lost
    QCOMPARE(test.document()->inference()->logits, inference->logits);
    QCOMPARE(test.document()->inputs().model().experiment.model.width, 32);
  }

  void hostilePlaces() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    QDir(m_folder->path()).mkpath(QStringLiteral("empty"));
    for (const QString& place : {path("empty"), path("missing.png"), QStringLiteral("/dev/zero")}) {
      QVERIFY(dropOn(&test.window, {place}));
      // The notice about the place before goes when this one is opened.
      const auto isNamed = [&] {
        if (test.notices() == 0) return false;
        const Notice& notice = test.newestNotice();
        return (notice.title + notice.text).contains(QFileInfo(place).fileName());
      };
      QTRY_VERIFY_WITH_TIMEOUT(isNamed(), 10000);
      QCOMPARE(test.newestNotice().level, Notice::Level::Error);
    }
    QVERIFY(!test.document()->inputs().hasImage());
  }

  void nonFilesAreRefused() {
    TestWindow test;
    QMimeData text;
    text.setText(QStringLiteral("https://example.org/image.png"));
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
  QString m_image;
};

QTEST_MAIN(DropTest)
#include "DropTest.moc"
