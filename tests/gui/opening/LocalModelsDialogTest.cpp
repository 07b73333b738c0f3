// SPDX-License-Identifier: GPL-3.0-or-later

// The models on this computer: a list that fills by itself, what cannot be opened and why, opening
// one; folders of the hub that are dropped; names of classes.

#include "ui/opening/LocalModelsDialog.h"

#include <QDialogButtonBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTreeWidget>

#include <filesystem>

#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/widgets/MessageLabel.h"

using namespace headlight;

namespace fs = std::filesystem;

class LocalModelsDialogTest : public QObject {
  Q_OBJECT

  static constexpr const char* kMicro = "timm/vit_small_patch14_reg4_dinov2.micro";

  struct Fixture {
    LocalModelsDialog dialog;
    Fixture(const fs::path& home)
        : dialog({home / "hub", home / "torch", {}}, ModelFolders(home / "folders.json")) {
      dialog.show();
      if (!QTest::qWaitForWindowExposed(&dialog)) qFatal("the dialog was not shown");
    }
    template <typename W>
    W* find(const char* name) const {
      W* found = dialog.findChild<W*>(QString::fromLatin1(name));
      if (!found) qFatal("there is no %s", name);
      return found;
    }
    QTreeWidget* list() const { return find<QTreeWidget>("localModelList"); }
    QLineEdit* field() const { return find<QLineEdit>("localModelFilter"); }
    QString details() const { return find<MessageLabel>("localModelDetails")->text(); }
    QString count() const { return find<QLabel>("localModelCount")->text(); }
    QPushButton* open() const { return find<QPushButton>("openLocalModel"); }
    QTreeWidgetItem* item(const QString& name) const {
      const auto found = list()->findItems(name, Qt::MatchExactly, 0);
      return found.isEmpty() ? nullptr : found.first();
    }
  };

  QString path(const char* name) const { return m_folder->filePath(QString::fromLatin1(name)); }
  fs::path home() const { return m_folder->path().toStdString(); }

 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }

  void init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
    m_folder = std::make_unique<QTemporaryDir>();
    fs::copy(fs::path(HEADLIGHT_GOLDEN_DIR) / "hf_home" / "hub", home() / "hub",
             fs::copy_options::recursive);
    fs::create_directories(home() / "hub" / "models--google--bert" / "snapshots");
    fs::create_directories(home() / "mine");
    fs::copy_file(fs::path(HEADLIGHT_GOLDEN_DIR) / "vit_micro.safetensors",
                  home() / "mine" / "own.safetensors");
  }

  void theListTellsWhatThereIs() {
    Fixture f(home());
    QTRY_VERIFY(!f.dialog.isSearching());
    QCOMPARE(f.list()->topLevelItemCount(), 2);
    const QTreeWidgetItem* micro = f.item(QString::fromLatin1(kMicro));
    QVERIFY(micro);
    QCOMPARE(micro->text(1), QStringLiteral("vit_small_patch14_reg4_dinov2"));
    QCOMPARE(micro->text(2), QStringLiteral("lvd142m"));
    QCOMPARE(micro->text(3), QStringLiteral("370.1 kB"));
    QCOMPARE(micro->text(4), QStringLiteral("Hugging Face"));
    QVERIFY2(f.count().contains(QStringLiteral("2 models")), qPrintable(f.count()));
    QVERIFY2(f.count().contains(QStringLiteral("1 cannot")), qPrintable(f.count()));
    // The first that opens is chosen, and the field has the focus: Enter opens it.
    QCOMPARE(f.list()->currentItem(), micro);
    QVERIFY(f.details().contains(QStringLiteral("apache-2.0")));
    for (QWidget* widget : {static_cast<QWidget*>(f.list()), static_cast<QWidget*>(f.field())})
      QVERIFY(!widget->accessibleName().isEmpty());
  }

  void unsupportedModelsAreGrayAndSayWhy() {
    Fixture f(home());
    QTRY_VERIFY(!f.dialog.isSearching());
    QTreeWidgetItem* bert = f.item(QStringLiteral("google/bert"));
    QVERIFY(bert);
    QCOMPARE(bert->foreground(0).color(),
             f.dialog.palette().color(QPalette::Disabled, QPalette::Text));
    f.list()->setCurrentItem(bert);
    QVERIFY(!f.open()->isEnabled());
    QVERIFY2(f.details().contains(QStringLiteral("no snapshot")), qPrintable(f.details()));
    QVERIFY(bert->toolTip(0).contains(QStringLiteral("no snapshot")));
    QSignalSpy accepted(&f.dialog, &QDialog::accepted);
    QTest::keyClick(f.list(), Qt::Key_Return);
    f.dialog.accept();
    QCOMPARE(accepted.size(), 0);
  }

  void typingFindsAndEnterOpens() {
    Fixture f(home());
    QTRY_VERIFY(!f.dialog.isSearching());
    f.dialog.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&f.dialog));
    QTest::keyClicks(f.field(), QStringLiteral("zzz"));
    QVERIFY(!f.dialog.chosen() && !f.open()->isEnabled());
    f.field()->clear();
    QTest::keyClicks(f.field(), QStringLiteral("DINOv2 hugging"));
    QVERIFY(f.item(QStringLiteral("google/bert"))->isHidden());
    QSignalSpy accepted(&f.dialog, &QDialog::accepted);
    QTest::keyClick(f.field(), Qt::Key_Return);
    QCOMPARE(accepted.size(), 1);
    QCOMPARE(f.dialog.chosen()->name, std::string(kMicro));
  }

  void escapeCloses() {
    Fixture f(home());
    QSignalSpy rejected(&f.dialog, &QDialog::rejected);
    QTest::keyClick(&f.dialog, Qt::Key_Escape);
    QCOMPARE(rejected.size(), 1);
  }

  void foldersAreAddedAndTakenOut() {
    const ScopedDialogs asBefore;
    dialogs().files = [&](QWidget*, const FileQuestion& question, const auto& answer) {
      QCOMPARE(question.mode, FileQuestion::Mode::OpenFolder);
      answer({path("mine")});
    };
    Fixture f(home());
    QTest::mouseClick(f.find<QPushButton>("addModelFolder"), Qt::LeftButton);
    QTRY_VERIFY(f.item(QStringLiteral("own.safetensors")));
    QCOMPARE(ModelFolders(home() / "folders.json").folders().size(), std::size_t(1));
    auto* folders = f.find<QPushButton>("modelFolders");
    QCOMPARE(folders->menu()->actions().size(), 1);
    folders->menu()->actions().first()->trigger();
    QTRY_VERIFY(!f.dialog.isSearching() && !f.item(QStringLiteral("own.safetensors")));
  }

  void manyDoNotBlockTheWindow() {
    for (int i = 0; i < 300; ++i)
      fs::create_directories(home() / "hub" / ("models--x--y" + std::to_string(i)) / "snapshots");
    Fixture f(home());
    qint64 longest = 0;
    QElapsedTimer turn;
    while (f.dialog.isSearching()) {
      turn.start();
      QCoreApplication::processEvents();
      longest = std::max(longest, turn.elapsed());
    }
    QTRY_COMPARE(f.list()->topLevelItemCount(), 302);
    QVERIFY2(longest < 1000, qPrintable(QString::number(longest)));
  }

  void oneOpensWithItsNamesAndPreprocessing() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    QVERIFY(
        dropOn(&test.window, {QString::fromStdString((home() / "hub" /
                                                      "models--timm--vit_small_patch14_reg4_dinov2"
                                                      ".micro")
                                                         .string())}));
    QTRY_COMPARE_WITH_TIMEOUT(
        QString::fromStdString(test.document()->inputs().model().experiment.model.name),
        QStringLiteral("vit_small_patch14_reg4_dinov2.micro"), 20000);
    const ModelInfo& info = test.document()->inputs().model();
    QCOMPARE(info.classNames.at(2), std::string("kind 2, a name with a comma"));
    QCOMPARE(info.experiment.model.cropFraction, 1.0);
    QVERIFY(!info.randomWeights);
    const QString image = writeImage(path("image.png"));
    OPEN_IMAGE(test, image);
    QVERIFY(test.document()->inference()->top.front().name.starts_with("kind "));
  }

  void aDamagedFolderSaysWhatIsWrong() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    const int before = test.notices();
    QVERIFY(dropOn(&test.window, {path("hub/models--google--bert")}));
    QTRY_VERIFY(test.notices() > before);
    QVERIFY2(test.newestNotice().text.contains(QStringLiteral("no snapshot")),
             qPrintable(test.newestNotice().text));
    QCOMPARE(test.document()->inputs().model().experiment.model.name, std::string("small"));
  }

  void theCommandOpensTheChosenOne() {
    qputenv("HF_HUB_CACHE", path("hub").toLocal8Bit());
    qputenv("TORCH_HOME", path("torch").toLocal8Bit());
    qputenv("XDG_DATA_HOME", path("data").toLocal8Bit());
    const ScopedDialogs asBefore;
    dialogs().show = [](QDialog* shown, const std::function<void(int)>& done) {
      auto* dialog = qobject_cast<LocalModelsDialog*>(shown);
      QVERIFY(dialog);
      QTRY_VERIFY(dialog->chosen());
      done(QDialog::Accepted);
      dialog->deleteLater();
    };
    TestWindow test;
    QAction* command = test->findChild<QAction*>(QStringLiteral("model.local"));
    QVERIFY(command && !command->shortcut().isEmpty());
    command->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->inputs().hasModel()
                                  ? test.document()->inputs().model().experiment.model.registers
                                  : -1,
                              4, 20000);
  }

  void classesAreNamedByAFile() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    const QString image = writeImage(path("image.png"));
    OPEN_IMAGE(test, image);
    QByteArray names;
    for (int i = 0; i < 9; ++i)
      names += "name " + QByteArray::number(i) + "\n";
    writeText(path("nine.txt"), names);
    writeText(path("ten.txt"), names + "name 9\n");
    const ScopedDialogs asBefore;
    QString answer = path("nine.txt");
    dialogs().files = [&](QWidget*, const FileQuestion&, const auto& take) { take({answer}); };
    QAction* command = test->findChild<QAction*>(QStringLiteral("model.classNames"));
    QVERIFY(command && command->isEnabled());
    command->trigger();
    QTRY_VERIFY(test.document()->inference() && !test.document()->inference()->top.empty() &&
                test.document()->inference()->top.front().name.starts_with("name "));
    QCOMPARE(test.document()->inputs().model().classNamesFrom, ClassNamesFrom::File);
    const int before = test.notices();
    answer = path("ten.txt");
    command->trigger();
    QTRY_VERIFY(test.notices() > before);
    QVERIFY2(test.newestNotice().text.contains(QStringLiteral("10 classes")),
             qPrintable(test.newestNotice().text));
    QCOMPARE(test.document()->inputs().model().classNames.size(), std::size_t(9));
  }

  void aThousandClassesAreImagenetsAndThePanelSaysSo() {
    TestWindow test;
    Experiment experiment = smallExperiment();
    experiment.model.classes = 1000;
    test->modelWorker()->createModel(experiment);
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    const QString image = writeImage(path("image.png"));
    OPEN_IMAGE(test, image);
    const auto& top = test.document()->inference()->top.front();
    QCOMPARE(top.name, imagenetNames().at(static_cast<std::size_t>(top.index)));
    auto* panel = test->findChild<QWidget*>(QStringLiteral("predictionPanel"));
    QVERIFY(panel);
    QTRY_VERIFY2(panel->accessibleDescription().contains(QStringLiteral("ImageNet-1k's (assumed)")),
                 qPrintable(panel->accessibleDescription()));
  }

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_MAIN(LocalModelsDialogTest)
#include "LocalModelsDialogTest.moc"
