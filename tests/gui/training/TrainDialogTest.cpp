// SPDX-License-Identifier: GPL-3.0-or-later

// Data and training settings: real data is looked at in the background, wrong settings are said and
// keep training from starting, run folders are free ones.

#include "ui/training/TrainDialog.h"

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include "tests/gui/Grab.h"
#include "tests/gui/SyntheticLook.h"
#include "ui/forms/ParameterForm.h"
#include "ui/training/RunFolders.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"

using namespace headlight;
using namespace headlight::synthetic;

class TrainDialogTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_home;

  struct Fixture {
    Document document;
    std::unique_ptr<TrainDialog> dialog;
    ScopedDialogs dialogsAsBefore;
    explicit Fixture(const ModelInfo& model = makeModel()) {
      fill(document, model);
      dialog = std::make_unique<TrainDialog>(&document, trainingExperimentOf(document));
      dialog->show();
      if (!QTest::qWaitForWindowExposed(dialog.get())) qFatal("the dialog was not shown");
    }
    template <typename W>
    W* find(const char* name) const {
      W* found = dialog->findChild<W*>(QString::fromLatin1(name));
      if (!found) qFatal("there is no %s", name);
      return found;
    }
    QString summary() const { return find<MessageLabel>("dataSummary")->text(); }
    QString error() const { return find<MessageLabel>("trainError")->text(); }
    QPushButton* start() const { return find<QPushButton>("startTraining"); }
    void type(const char* name, const QString& text) {
      auto* editor = find<QWidget>(name);
      for (int i = 0; i < find<QTabWidget>("trainTabs")->count(); ++i) {
        find<QTabWidget>("trainTabs")->setCurrentIndex(i);
        if (editor->isVisible()) break;
      }
      editor->setFocus();
      QTest::keySequence(editor, QKeySequence::SelectAll);
      QTest::keyClick(editor, Qt::Key_Backspace);
      QTest::keyClicks(editor, text);
    }
  };

  /// Two classes of three pictures each.
  static void makeImageFolder(const QString& path) {
    for (const char* name : {"cat", "dog"}) {
      QDir().mkpath(path + QLatin1Char('/') + QLatin1String(name));
      for (int i = 0; i < 3; ++i) {
        QImage image(24, 24, QImage::Format_RGB888);
        image.fill(QColor(40 * i, 90, 120));
        if (!image.save(QStringLiteral("%1/%2/%3.png").arg(path, QLatin1String(name)).arg(i)))
          qFatal("cannot write a picture");
      }
    }
  }

 private Q_SLOTS:
  void aRecipeFillsTheFormAndCanBeChanged() {
    Fixture f;
    f.type("field.epochs", QStringLiteral("7"));
    auto* recipe = f.find<QComboBox>("recipe");
    auto* note = f.find<MessageLabel>("recipeNote");
    const auto choose = [&](const char* name) {
      recipe->setCurrentIndex(std::max(recipe->findData(QString::fromLatin1(name)), 0));
      Q_EMIT recipe->activated(recipe->currentIndex());
    };
    choose("castling");
    const auto training = [&] { return f.dialog->experiment().training; };
    QCOMPARE(training().optimizer, std::string("sgd"));
    QCOMPARE(training().epochs, 1000);
    QCOMPARE(f.dialog->experiment().data.repeats, 3);
    QVERIFY(note->text().startsWith(QStringLiteral("All as there")));
    QVERIFY(f.find<QWidget>("field.momentum")->isVisibleTo(f.dialog.get()));
    f.type("field.epochs", QStringLiteral("9"));
    QVERIFY2(note->text().contains(QStringLiteral("training.epochs")), qPrintable(note->text()));
    choose("deit");
    QCOMPARE(training().epochs, 300);
    QCOMPARE(f.dialog->experiment().model.dropPath, 0.1);
    choose("");
    QCOMPARE(training().epochs, 7);
    QCOMPARE(training().optimizer, std::string("adamw"));
    QCOMPARE(note->text(), QString());
  }

  void initTestCase() {
    // Run folders are proposed in the home folder: not this machine's.
    qputenv("HOME", m_home.path().toUtf8());
    QCOMPARE(QDir::homePath(), m_home.path());
  }
  void init() { failOnQtWarnings(); }

  void theProceduralDataIsSummarised() {
    Fixture f;
    QTRY_VERIFY(f.dialog->isValid());
    QCOMPARE(f.summary(),
             QStringLiteral("2,000 images, 9 classes, 62 steps an epoch; 500 images for "
                            "validation; 1,240 steps in all. The model's head becomes "
                            "new: 6 → 9 classes."));
    QVERIFY(f.start()->isEnabled());
    QCOMPARE(f.dialog->experiment().model.classes, 9);
    QCOMPARE(f.dialog->folder(),
             std::filesystem::path(m_home.path().toStdString()) / "Headlight/runs/experiment");
    f.type("field.batch_size", QStringLiteral("100"));
    QVERIFY(f.summary().contains(QStringLiteral(" 20 steps an epoch")));
    QSignalSpy accepted(f.dialog.get(), &QDialog::accepted);
    QTest::mouseClick(f.start(), Qt::LeftButton);
    QCOMPARE(accepted.size(), 1);
    QCOMPARE(f.dialog->experiment().training.batchSize, 100);
  }

  void theExperimentRoundTrips() {
    ModelInfo model = makeModel();
    Experiment& experiment = model.experiment;
    experiment.name = "mine";
    experiment.seed = 11;
    experiment.data.trainSamples = 40;
    experiment.data.flip = 0.25;
    experiment.training.learningRate = 3e-4;
    experiment.telemetry.alsSteps = 7;
    experiment.model.classes = 9;
    Fixture f(model);
    f.document.pushEdit(
        *makeMaskEdit(f.document.masks(), {{0, 1}}, *headMaskFromText("hard"), "x"));
    const Experiment wanted = trainingExperimentOf(f.document);
    TrainDialog dialog(&f.document, wanted);
    QTRY_VERIFY(dialog.isValid());
    QCOMPARE(experimentToText(dialog.experiment()), experimentToText(wanted));
    const auto masks = resolveMasks(dialog.experiment().masks, MaskShape({2, 2, 2}));
    QVERIFY(masks && *masks == f.document.masks());
  }

  void aFolderIsDetectedAndSummarised() {
    QTemporaryDir data;
    makeImageFolder(data.path());
    Fixture f;
    dialogs().files = [&](QWidget*, const FileQuestion& question, const auto& answer) {
      QCOMPARE(question.mode, FileQuestion::Mode::OpenFolder);
      answer({data.path()});
    };
    QTest::mouseClick(f.find<QPushButton>("browseData"), Qt::LeftButton);
    QTRY_VERIFY(f.summary().contains(QStringLiteral("2 classes")));
    QTRY_VERIFY(f.dialog->isValid());
    const Experiment experiment = f.dialog->experiment();
    QCOMPARE(experiment.data.dataset, std::string("image-folder"));
    QCOMPARE(experiment.data.path, data.path().toStdString());
    QCOMPARE(experiment.model.classes, 2);
    QCOMPARE(f.find<QComboBox>("field.dataset")->currentText(), QStringLiteral("image-folder"));
    f.dialog->setDataFolder({});
    QTRY_VERIFY(f.summary().contains(QStringLiteral("9 classes")));
  }

  void aFolderThatFitsNothingIsSaid() {
    QTemporaryDir empty;
    Fixture f;
    QTRY_VERIFY(f.dialog->isValid());
    f.dialog->setDataFolder(empty.path());
    auto* note = f.find<MessageLabel>("dataNote");
    QTRY_VERIFY(note->text().contains(QStringLiteral("No dataset was recognised")));
    f.find<QComboBox>("field.dataset")->setCurrentText(QStringLiteral("cifar10"));
    QTRY_COMPARE(f.find<MessageLabel>("dataSummary")->tone(), MessageLabel::Tone::Problem);
    QVERIFY(!f.dialog->isValid());
    QVERIFY(!f.start()->isEnabled());
    f.dialog->setDataFolder({});
    QTRY_VERIFY(f.dialog->isValid());
  }

  void howTheDataIsReadIsSaid() {
    QTemporaryDir data;
    for (const char* name : {"Train/cat", "Train/dog", "Val/cat"})
      QDir(data.path()).mkpath(QLatin1String(name));
    for (const char* name : {"Train/cat/0.png", "Train/dog/0.png", "Val/cat/0.png"})
      QVERIFY(QImage(8, 8, QImage::Format_RGB32).save(data.filePath(QLatin1String(name))));
    Fixture f;
    f.dialog->setDataFolder(data.path());
    QTRY_VERIFY2(f.summary().contains(QStringLiteral("Val/ is the validation split")),
                 qPrintable(f.summary()));
    QVERIFY2(f.summary().contains(QStringLiteral("no image of dog")), qPrintable(f.summary()));
    QVERIFY(f.summary().contains(QStringLiteral("2 classes")));
    QTRY_VERIFY(f.dialog->isValid());
  }

  void anArchiveIsNamed() {
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("classes.zip")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray("PK\3\4 content"));
    file.close();
    Fixture f;
    f.dialog->setDataFolder(file.fileName());
    auto* note = f.find<MessageLabel>("dataNote");
    QTRY_VERIFY2(note->text().contains(QStringLiteral("is a ZIP archive")),
                 qPrintable(note->text()));
  }

  void aDatasetNeedsItsFolder() {
    Fixture f;
    QTRY_VERIFY(f.dialog->isValid());
    f.find<QComboBox>("field.dataset")->setCurrentText(QStringLiteral("cifar10"));
    QVERIFY(f.error().contains(QStringLiteral("choose the folder of the cifar10 dataset")));
    QVERIFY(!f.dialog->isValid());
  }

  void settingsThatDoNothingAreNotAsked() {
    Fixture f;
    QTRY_VERIFY(f.dialog->isValid());
    auto* form = f.find<QWidget>("field.dataset")->parentWidget();
    while (form && !qobject_cast<ParameterForm*>(form))
      form = form->parentWidget();
    const auto* data = qobject_cast<ParameterForm*>(form);
    QVERIFY(data);
    const auto asked = [&](const char* name) {
      return !data->editor(QLatin1String(name))->isHidden();
    };
    QVERIFY(asked("train_samples") && asked("validation_samples"));
    QVERIFY(!asked("validation_fraction") && !asked("path") && !asked("jpeg_scaling"));
    f.type("field.train_samples", QStringLiteral("1"));  // too few
    QVERIFY(!f.dialog->isValid());
    f.find<QComboBox>("field.dataset")->setCurrentText(QStringLiteral("image-folder"));
    QVERIFY(!asked("train_samples") && !asked("validation_samples"));
    QVERIFY(asked("validation_fraction") && !asked("path") && asked("jpeg_scaling"));
    // What is not seen any more keeps nobody from training.
    QCOMPARE(data->errorOf(QStringLiteral("train_samples")), QString());
    f.find<QComboBox>("field.dataset")->setCurrentText(QStringLiteral("texture-shape"));
    QTRY_VERIFY(f.dialog->isValid());
    QCOMPARE(f.dialog->experiment().data.trainSamples, std::int64_t{2000});
  }

  void wrongSettingsAreSaidAndMarkTheirTab() {
    Fixture f;
    QTRY_VERIFY(f.dialog->isValid());
    f.type("field.epochs", QStringLiteral("0"));
    QVERIFY(f.error().startsWith(QStringLiteral("Training: Epochs: must be whole number")));
    QVERIFY(!f.start()->isEnabled());
    auto* tabs = f.find<QTabWidget>("trainTabs");
    QVERIFY(!tabs->tabIcon(1).isNull());
    QVERIFY(tabs->tabIcon(0).isNull());
    f.type("field.epochs", QStringLiteral("2"));
    QTRY_VERIFY(f.start()->isEnabled());
    QVERIFY(tabs->tabIcon(1).isNull());
  }

  void theRunFolderFollowsTheNameUntilChosen() {
    const QString taken = m_home.path() + QStringLiteral("/Headlight/runs/taken");
    QDir().mkpath(taken);
    Fixture f;
    f.type("field.name", QStringLiteral("taken"));
    QTRY_COMPARE(f.dialog->folder().string(), (taken + QStringLiteral("-2")).toStdString());
    f.type("field.name", QStringLiteral("a/b c"));
    QTRY_COMPARE(f.dialog->folder().filename(), std::filesystem::path("a_b_c"));
    QTemporaryDir chosen;
    f.dialog->setRunFolder(chosen.path());
    QTRY_VERIFY(f.dialog->isValid());
    f.type("field.name", QStringLiteral("other"));
    QCOMPARE(f.dialog->folder().string(), chosen.path().toStdString());
    // A folder that holds a run already.
    QFile config(chosen.filePath(QStringLiteral("config.json")));
    QVERIFY(config.open(QIODevice::WriteOnly));
    config.close();
    f.dialog->setRunFolder(chosen.path());
    QTRY_VERIFY(f.error().contains(QStringLiteral("holds a run already")));
    QVERIFY(!f.start()->isEnabled());
    f.type("runFolder", QStringLiteral("~/elsewhere"));
    QTRY_VERIFY(f.dialog->isValid());
    QCOMPARE(f.dialog->folder().string(), m_home.path().toStdString() + "/elsewhere");
  }

  void trainingStartsFromTheOpenWeightsUnlessRandomOnesAreChosen() {
    ModelInfo model = makeModel();
    model.weights = "/somewhere/loaded.safetensors";
    model.experiment.training.weights = "/from/where/it/once/began.safetensors";
    Fixture f(model);
    auto* loaded = f.find<QRadioButton>("fromLoaded");
    auto* random = f.find<QRadioButton>("fromRandom");
    auto* other = f.find<QRadioButton>("fromFile");
    QVERIFY(loaded->isEnabled() && loaded->isChecked() && other->isHidden());
    QVERIFY2(loaded->text().contains(QStringLiteral("loaded.safetensors")),
             qPrintable(loaded->text()));
    QTRY_VERIFY(f.dialog->isValid());
    QCOMPARE(f.dialog->experiment().training.weights, std::string("/somewhere/loaded.safetensors"));
    random->click();
    QCOMPARE(f.dialog->experiment().training.weights, std::string());
    f.type("field.weights", QStringLiteral("/other.safetensors"));
    QVERIFY(other->isChecked() && !other->isHidden() && !loaded->isChecked());
    QCOMPARE(other->text(), QStringLiteral("other.safetensors"));
    loaded->click();
    QVERIFY(other->isHidden());
    QCOMPARE(f.dialog->experiment().training.weights, std::string("/somewhere/loaded.safetensors"));
    Fixture without;
    QVERIFY(!without.find<QRadioButton>("fromLoaded")->isEnabled());
    QVERIFY(without.find<QRadioButton>("fromRandom")->isChecked());
    QCOMPARE(without.dialog->experiment().training.weights, std::string());
  }

  void howLongItTakesIsSaidBeforeItStarts() {
    Fixture f;
    auto* time = f.find<MessageLabel>("trainTime");
    QTRY_VERIFY_WITH_TIMEOUT(time->text().startsWith(QStringLiteral("Takes about ")), 60000);
    const QString before = time->text();
    f.type("field.epochs", QStringLiteral("20000"));
    QTRY_VERIFY_WITH_TIMEOUT(
        time->text().startsWith(QStringLiteral("Takes about ")) && time->text() != before, 60000);
    f.type("field.epochs", QStringLiteral("0"));
    QCOMPARE(time->text(), QString());
  }

  void aRunIsCalledAfterItsMasks() {
    ModelInfo model = makeModel();
    model.experiment.name = "demo";
    Fixture f(model);
    f.document.replaceMasks(*makeMaskPreset("sch1", f.document.masks().shape()));
    QCOMPARE(trainingExperimentOf(f.document).name, std::string("demo-sch1"));
    f.document.replaceMasks(*makeMaskPreset("sch1", f.document.masks().shape(), 5));
    const Experiment changed = trainingExperimentOf(f.document);
    QCOMPARE(changed.name, std::string("demo-sch1*-5x5"));
    TrainDialog dialog(&f.document, changed);
    QVERIFY(dialog.findChild<QLabel*>(QStringLiteral("trainSubject"))
                ->text()
                .contains(QStringLiteral("sch1* (5×5)")));
    // Masks that the open model's own run was called after are not said twice.
    QCOMPARE(runName("demo-sch1", {"sch1"}, {"sch1", 5}), std::string("demo-sch1*-5x5"));
    QCOMPARE(runName("demo-sch1", {"sch1"}, {}), std::string("demo"));
  }

  void closingDoesNotWaitForTheData() {
    for (int i = 0; i < 20; ++i) {
      Fixture f;
      f.type("field.train_samples", QString::number(1000 + i));
    }
    Fixture f;  // results of dialogs that are gone are dropped; this one gets its own
    QTRY_VERIFY(f.dialog->isValid());
  }

  void pictures() {
    Fixture f;
    QTRY_VERIFY(f.dialog->isValid());
    saveGrabs(*f.dialog, QStringLiteral("train-dialog-data"));
    f.find<QTabWidget>("trainTabs")->setCurrentIndex(1);
    f.type("field.epochs", QStringLiteral("0"));
    saveGrabs(*f.dialog, QStringLiteral("train-dialog-error"));
  }
};

QTEST_MAIN(TrainDialogTest)
#include "TrainDialogTest.moc"
