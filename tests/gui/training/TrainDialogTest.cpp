// SPDX-License-Identifier: GPL-3.0-or-later

// Data and training settings: data is read in the background, invalid settings are reported and
// block the start, proposed run folders are unused.

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
#include <QToolButton>

#include "core/workbench/training/TrainingSession.h"
#include "tests/gui/DetectorModel.h"
#include "tests/gui/Grab.h"
#include "tests/gui/SyntheticInference.h"
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
      dialog = std::make_unique<TrainDialog>(&document, makeTrainingExperiment(document));
      dialog->show();
      if (!QTest::qWaitForWindowExposed(dialog.get())) qFatal("the dialog was not shown");
      // The name of the run folder comes from another thread; nothing is valid before.
      if (!QTest::qWaitFor([this] { return !dialog->folder().empty(); })) qFatal("no run folder");
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
      if (!editor->isVisible()) find<QToolButton>("trainAdvanced")->setChecked(true);
      for (int i = 0; i < find<QTabWidget>("trainTabs")->count() && !editor->isVisible(); ++i)
        find<QTabWidget>("trainTabs")->setCurrentIndex(i);
      editor->setFocus();
      QTest::keySequence(editor, QKeySequence::SelectAll);
      QTest::keyClick(editor, Qt::Key_Backspace);
      QTest::keyClicks(editor, text);
    }
  };

  /// Two classes of three images each.
  static void makeImageFolder(const QString& path) {
    for (const char* name : {"cat", "dog"}) {
      QDir().mkpath(path + QLatin1Char('/') + QLatin1String(name));
      for (int i = 0; i < 3; ++i) {
        QImage image(24, 24, QImage::Format_RGB888);
        image.fill(QColor(40 * i, 90, 120));
        if (!image.save(QStringLiteral("%1/%2/%3.png").arg(path, QLatin1String(name)).arg(i)))
          qFatal("cannot write an image");
      }
    }
  }

  /// One image of one box.
  static void makeVocFolder(const QString& path) {
    QDir(path).mkpath(QStringLiteral("Annotations"));
    QDir(path).mkpath(QStringLiteral("JPEGImages"));
    QImage image(24, 24, QImage::Format_RGB888);
    image.fill(Qt::gray);
    QFile boxes(path + QStringLiteral("/Annotations/1.xml"));
    if (!image.save(path + QStringLiteral("/JPEGImages/1.jpg")) ||
        !boxes.open(QIODevice::WriteOnly))
      qFatal("cannot write the data");
    boxes.write(
        "<annotation><filename>1.jpg</filename><size><width>24</width><height>24</height>"
        "<depth>3</depth></size><object><name>cat</name><bndbox><xmin>2</xmin><ymin>2</ymin>"
        "<xmax>9</xmax><ymax>9</ymax></bndbox></object></annotation>");
  }

 private Q_SLOTS:
  void recipeFillsFormAndCanBeChanged() {
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
    QVERIFY(note->text().startsWith(QStringLiteral("All values match the recipe")));
    QVERIFY(!f.find<QWidget>("field.momentum")->isHidden());
    QVERIFY(f.find<QWidget>("field.beta1")->isHidden());
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

  void proceduralDataIsSummarized() {
    Fixture f;
    QTRY_VERIFY(f.dialog->isValid());
    QCOMPARE(f.summary(),
             QStringLiteral("2,000 images, 9 classes, 62 steps per epoch; 500 images for "
                            "validation; 1,240 steps in total. The model gets a new "
                            "head: 6 → 9 classes."));
    QVERIFY(f.start()->isEnabled());
    QCOMPARE(f.dialog->experiment().model.classes, 9);
    QCOMPARE(f.dialog->folder(),
             std::filesystem::path(m_home.path().toStdString()) / "Headlight/runs/experiment");
    f.type("field.batch_size", QStringLiteral("100"));
    QVERIFY(f.summary().contains(QStringLiteral(" 20 steps per epoch")));
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
    f.document.inputs().pushEdit(
        *makeMaskEdit(f.document.inputs().masks(), {{0, 1}}, *headMaskFromText("hard"), "x"));
    const Experiment wanted = makeTrainingExperiment(f.document);
    TrainDialog dialog(&f.document, wanted);
    QTRY_VERIFY(dialog.isValid());
    QCOMPARE(experimentToText(dialog.experiment()), experimentToText(wanted));
    const auto masks = resolveMasks(dialog.experiment().masks, MaskShape({2, 2, 2}));
    QVERIFY(masks && *masks == f.document.inputs().masks());
  }

  void aFolderIsDetectedAndSummarized() {
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

  void unknownFolderIsReported() {
    QTemporaryDir empty;
    Fixture f;
    QTRY_VERIFY(f.dialog->isValid());
    f.dialog->setDataFolder(empty.path());
    auto* note = f.find<MessageLabel>("dataNote");
    QTRY_VERIFY(note->text().contains(QStringLiteral("No dataset was found")));
    f.find<QComboBox>("field.dataset")->setCurrentText(QStringLiteral("cifar10"));
    QTRY_COMPARE(f.find<MessageLabel>("dataSummary")->tone(), MessageLabel::Tone::Problem);
    QVERIFY(!f.dialog->isValid());
    QVERIFY(!f.start()->isEnabled());
    f.dialog->setDataFolder({});
    QTRY_VERIFY(f.dialog->isValid());
  }

  void dataNotesAreShown() {
    QTemporaryDir data;
    for (const char* name : {"Train/cat", "Train/dog", "Val/cat"})
      QDir(data.path()).mkpath(QLatin1String(name));
    for (const char* name : {"Train/cat/0.png", "Train/dog/0.png", "Val/cat/0.png"})
      QVERIFY(QImage(8, 8, QImage::Format_RGB32).save(data.filePath(QLatin1String(name))));
    Fixture f;
    f.dialog->setDataFolder(data.path());
    QTRY_VERIFY2(f.summary().contains(QStringLiteral("Val/ is the validation split")),
                 qPrintable(f.summary()));
    QVERIFY2(f.summary().contains(QStringLiteral("no images of dog")), qPrintable(f.summary()));
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
    QTRY_VERIFY2(note->text().contains(QStringLiteral("ZIP archive")), qPrintable(note->text()));
  }

  void aDatasetNeedsItsFolder() {
    Fixture f;
    QTRY_VERIFY(f.dialog->isValid());
    f.find<QComboBox>("field.dataset")->setCurrentText(QStringLiteral("cifar10"));
    QVERIFY(f.error().contains(QStringLiteral("choose the folder of the cifar10 dataset")));
    QVERIFY(!f.dialog->isValid());
  }

  void unusedSettingsAreHidden() {
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

  void invalidSettingsAreReportedAndMarkTheirTab() {
    Fixture f;
    QTRY_VERIFY(f.dialog->isValid());
    f.type("field.epochs", QStringLiteral("0"));
    QVERIFY(f.error().startsWith(QStringLiteral("Training: Epochs: must be whole number")));
    QVERIFY(f.find<MessageLabel>("error.epochs")->isVisible());
    QVERIFY(!f.start()->isEnabled());
    auto* tabs = f.find<QTabWidget>("trainTabs");
    QVERIFY(tabs->tabIcon(1).isNull());  // it is not in there
    f.type("field.epochs", QStringLiteral("2"));
    QTRY_VERIFY(f.start()->isEnabled());
    f.type("field.batch_size", QStringLiteral("0"));
    QVERIFY(!f.start()->isEnabled());
    QVERIFY(!tabs->tabIcon(1).isNull());
    QVERIFY(tabs->tabIcon(0).isNull());
    f.type("field.batch_size", QStringLiteral("8"));
    QTRY_VERIFY(f.start()->isEnabled());
    QVERIFY(tabs->tabIcon(1).isNull());
  }

  void fewQuestionsComeFirstAndTheRestIsAdvanced() {
    Fixture f;
    QTRY_VERIFY(f.dialog->isValid());
    auto* advanced = f.find<QToolButton>("trainAdvanced");
    QVERIFY(!f.find<QTabWidget>("trainTabs")->isVisible() &&
            !f.find<QWidget>("recipe")->isVisible());
    QStringList questions;
    for (const auto* label : f.dialog->findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(QLatin1Char('?')))
        questions << label->text().remove(QLatin1Char('&'));
    questions.sort();
    QCOMPARE(questions, (QStringList{"How fast? (learning rate)", "How long? (epochs)",
                                     "Start from?", "Where to?", "Which data?"}));
    int fields = 0;
    for (const auto* field : f.dialog->findChildren<QWidget*>())
      fields += field->isVisible() && field->objectName().startsWith(QStringLiteral("field."));
    QCOMPARE(fields, 2);
    const int height = f.dialog->height();
    QVERIFY2(height < 420, qPrintable(QString::number(height)));
    QTest::mouseClick(advanced, Qt::LeftButton);
    QVERIFY(f.find<QWidget>("recipe")->isVisible());
    QVERIFY(f.dialog->height() > height && f.dialog->height() <= 720);
    f.find<QTabWidget>("trainTabs")->setCurrentIndex(1);
    QVERIFY(f.find<QWidget>("field.batch_size")->isVisible());
    // A filter of the form hides none of the questions.
    f.find<QTabWidget>("trainTabs")
        ->currentWidget()
        ->findChild<QLineEdit*>("formFilter")
        ->setText(QStringLiteral("momentum"));
    QVERIFY(!f.find<QWidget>("field.batch_size")->isVisible());
    QVERIFY(f.find<QWidget>("field.epochs")->isVisible());
    QTest::mouseClick(advanced, Qt::LeftButton);
    QVERIFY(!f.find<QWidget>("recipe")->isVisible());
    QVERIFY(f.dialog->height() < 420);
  }

  void theQuestionsAreValuesOfTheExperiment() {
    Fixture f;
    f.type("field.epochs", QStringLiteral("3"));
    f.type("field.learning_rate", QStringLiteral("0.002"));
    QTRY_VERIFY(f.dialog->isValid());
    QCOMPARE(f.dialog->experiment().training.epochs, 3);
    QCOMPARE(f.dialog->experiment().training.learningRate, 0.002);
    const auto text = [&] { return f.find<QToolButton>("trainAdvanced")->text(); };
    const QString before = text();
    f.type("field.weight_decay", QStringLiteral("0.123"));
    QVERIFY2(text() != before && text().contains(QStringLiteral("changed from the default")),
             qPrintable(text()));
  }

  void tabGoesThroughTheQuestionsInTheirOrder() {
    Fixture f;
    QTRY_VERIFY(f.dialog->isValid());
    f.dialog->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(f.dialog.get()));
    f.find<QWidget>("dataFolder")->setFocus();
    QStringList order;
    for (int i = 0; i < 7; ++i) {
      order << f.dialog->focusWidget()->objectName();
      QTest::keyClick(f.dialog->focusWidget(), Qt::Key_Tab);
    }
    const QStringList wanted{"dataFolder",          "browseData", "fromRandom", "field.epochs",
                             "field.learning_rate", "runFolder",  "browseRun"};
    QCOMPARE(order, wanted);
    QCOMPARE(f.dialog->focusWidget()->objectName(), QStringLiteral("trainAdvanced"));
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
    QTRY_VERIFY(f.error().contains(QStringLiteral("already contains a run")));
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

  void runTimeIsEstimatedBeforeStart() {
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

  void runIsNamedAfterItsMasks() {
    ModelInfo model = makeModel();
    model.experiment.name = "demo";
    Fixture f(model);
    f.document.inputs().replaceMasks(*makeMaskPreset("sch1", f.document.inputs().masks().shape()));
    QCOMPARE(makeTrainingExperiment(f.document).name, std::string("demo-sch1"));
    f.document.inputs().replaceMasks(
        *makeMaskPreset("sch1", f.document.inputs().masks().shape(), 5));
    const Experiment changed = makeTrainingExperiment(f.document);
    QCOMPARE(changed.name, std::string("demo-sch1*-5x5"));
    TrainDialog dialog(&f.document, changed);
    QVERIFY(dialog.findChild<QLabel*>(QStringLiteral("trainSubject"))
                ->text()
                .contains(QStringLiteral("sch1* (5×5)")));
    // Masks that the open model's own run was called after are not said twice.
    QCOMPARE(runName("demo-sch1", {"sch1"}, {"sch1", 5}), std::string("demo-sch1*-5x5"));
    QCOMPARE(runName("demo-sch1", {"sch1"}, {}), std::string("demo"));
  }

  void aDetectorLearnsFromDrawnScenes() {
    ModelInfo model = makeDetectorModel(80);
    model.experiment.training.mixupAlpha = 0.8;  // of a classifier that was trained before
    model.experiment.training.distillation = "hard";
    model.experiment.data.repeats = 3;
    Fixture f(model);
    QTRY_VERIFY2(f.dialog->isValid(), qPrintable(f.error() + f.summary()));
    const Experiment experiment = f.dialog->experiment();
    QCOMPARE(experiment.data.dataset, std::string("texture-scenes"));
    QCOMPARE(experiment.training.mixupAlpha, 0.0);
    QCOMPARE(experiment.training.distillation, std::string("none"));
    QCOMPARE(experiment.data.repeats, std::int64_t{1});
    QVERIFY2(f.summary().contains(QStringLiteral("The model gets a new head: 80 →")),
             qPrintable(f.summary()));
    const auto* kinds = f.find<QComboBox>("field.dataset");
    QStringList offered;
    for (int i = 0; i < kinds->count(); ++i)
      offered << kinds->itemText(i);
    QCOMPARE(offered, (QStringList{QStringLiteral("texture-scenes"), QStringLiteral("coco"),
                                   QStringLiteral("voc")}));
    for (const char* idle : {"field.mixup_alpha", "field.label_smoothing", "field.erasing",
                             "field.rand_augment", "field.repeats", "field.teacher"})
      QVERIFY2(f.find<QWidget>(idle)->isHidden(), idle);
    for (const char* ofBoxes : {"field.box_crop", "field.multi_scale"})
      QVERIFY2(!f.find<QWidget>(ofBoxes)->isHidden(), ofBoxes);
  }

  void aDetectorsDefaultsTrain() {
    QTemporaryDir folder;
    Fixture f(makeDetectorModel());
    QTRY_VERIFY2(f.dialog->isValid(), qPrintable(f.error() + f.summary()));
    Experiment experiment = f.dialog->experiment();
    const auto can = TrainingSession::check(experiment);
    QVERIFY2(can.ok(), can.ok() ? "" : can.error().text().c_str());
    experiment.data.trainSamples = experiment.data.validationSamples = 12;  // else as it is
    experiment.training.batchSize = 4;
    experiment.training.epochs = 1;
    experiment.threads = 1;
    auto session =
        TrainingSession::begin(experiment, folder.filePath(QStringLiteral("run")).toStdString());
    QVERIFY2(session.ok(), session.ok() ? "" : session.error().text().c_str());
    const auto outcome = (*session)->run({});
    QVERIFY2(outcome.ok(), outcome.ok() ? "" : outcome.error().text().c_str());
    QCOMPARE(outcome->state, TrainingState::Finished);
    QCOMPARE(outcome->steps, std::int64_t{3});
    QCOMPARE(outcome->scoreName, std::string("AP"));
  }

  void aRecipeOfClassifiersLeavesBoxesPossible() {
    Fixture f(makeDetectorModel());
    auto* recipe = f.find<QComboBox>("recipe");
    recipe->setCurrentIndex(recipe->findData(QStringLiteral("deit")));
    Q_EMIT recipe->activated(recipe->currentIndex());
    const Experiment experiment = f.dialog->experiment();
    QCOMPARE(experiment.training.epochs, std::int64_t{300});
    QCOMPARE(experiment.training.cutmixAlpha, 0.0);
    QCOMPARE(experiment.data.randAugment, std::string());
    QVERIFY(f.find<MessageLabel>("recipeNote")->text().contains(QStringLiteral("cutmix_alpha")));
  }

  void boxesAreRefusedForAClassifierBeforeTheStart() {
    QTemporaryDir data;
    makeVocFolder(data.path());
    Fixture f;
    QTRY_VERIFY(f.dialog->isValid());
    QCOMPARE(f.find<QComboBox>("field.dataset")->findText(QStringLiteral("voc")), -1);
    QVERIFY(f.find<QWidget>("field.box_crop")->isHidden());
    f.dialog->setDataFolder(data.path());
    QTRY_VERIFY2(f.error().contains(QStringLiteral("open a detector")), qPrintable(f.error()));
    QVERIFY(!f.start()->isEnabled());
    f.dialog->setDataFolder({});
    QTRY_VERIFY2(f.dialog->isValid(), qPrintable(f.error()));
  }

  void classesAreRefusedForADetectorBeforeTheStart() {
    QTemporaryDir data;
    makeImageFolder(data.path());
    Fixture f(makeDetectorModel());
    f.dialog->setDataFolder(data.path());
    QTRY_VERIFY2(f.error().contains(QStringLiteral("image-folder has none")),
                 qPrintable(f.error()));
    f.dialog->setDataFolder({});
    QTRY_VERIFY2(f.dialog->isValid(), qPrintable(f.error()));
    QCOMPARE(f.dialog->experiment().data.dataset, std::string("texture-scenes"));
  }

  void closingDoesNotWaitForData() {
    for (int i = 0; i < 20; ++i) {
      Fixture f;
      f.type("field.train_samples", QString::number(1000 + i));
    }
    Fixture f;  // results of dialogs that are gone are dropped; this one gets its own
    QTRY_VERIFY(f.dialog->isValid());
  }

  void images() {
    Fixture f;
    QTRY_VERIFY(f.dialog->isValid());
    saveGrabs(*f.dialog, QStringLiteral("train-dialog-questions"));
    f.find<QToolButton>("trainAdvanced")->setChecked(true);
    saveGrabs(*f.dialog, QStringLiteral("train-dialog-data"));
    f.find<QTabWidget>("trainTabs")->setCurrentIndex(1);
    f.type("field.epochs", QStringLiteral("0"));
    saveGrabs(*f.dialog, QStringLiteral("train-dialog-error"));
  }
};

QTEST_MAIN(TrainDialogTest)
#include "TrainDialogTest.moc"
