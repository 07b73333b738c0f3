// SPDX-License-Identifier: GPL-3.0-or-later

// A config exported from the window after choosing data and editing masks: core reads the file and
// trains from it unchanged.

#include <QPointer>
#include <QPushButton>
#include <QSignalSpy>

#include "core/models/Registry.h"
#include "tests/gui/SyntheticInference.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/training/ExportConfigDialog.h"
#include "ui/training/TrainDialog.h"

using namespace headlight;

class ExportWindowTest : public QObject {
  Q_OBJECT

  /// FOLDER/train and FOLDER/val with three classes of `count` and two images.
  void makeImages(const QString& folder, int count) {
    for (const char* split : {"train", "val"})
      for (const char* name : {"ash", "birch", "cedar"}) {
        const QString into =
            QStringLiteral("%1/%2/%3").arg(folder, QLatin1String(split), QLatin1String(name));
        QVERIFY(QDir().mkpath(into));
        const int images = qstrcmp(split, "train") == 0 ? count : 2;
        for (int i = 0; i < images; ++i)
          writeImage(QStringLiteral("%1/%2.png").arg(into).arg(i), 40, 36,
                     17 * i + 60 * (name[0] - 'a'));
      }
  }

 private Q_SLOTS:
  void initTestCase() {
    initializeHeadlightResources();
    qputenv("HOME", m_home.path().toUtf8());  // where run folders are proposed
  }
  void init() { synthetic::failOnQtWarnings(); }

  void exportedConfigTrains() {
    const QString data = m_home.filePath(QStringLiteral("trees"));
    const QString file = m_home.filePath(QStringLiteral("exported.json"));
    makeImages(data, 6);
    ScopedDialogs asBefore;
    QPointer<TrainDialog> training;
    QPointer<ExportConfigDialog> exporting;
    dialogs().show = [&](QDialog* dialog, const std::function<void(int)>&) {
      dialog->setAttribute(Qt::WA_DeleteOnClose);
      dialog->show();
      if (auto* train = qobject_cast<TrainDialog*>(dialog)) training = train;
      if (auto* config = qobject_cast<ExportConfigDialog*>(dialog)) exporting = config;
    };
    dialogs().files = [&](QWidget*, const FileQuestion& question, const auto& answer) {
      answer({question.mode == FileQuestion::Mode::SaveFile ? file : data});
    };

    TestWindow test;
    OPEN_SMALL_MODEL(test);
    test->openPaths({data});  // as dropped on the window
    QTRY_COMPARE_WITH_TIMEOUT(QString::fromStdString(test->trainingExperiment().data.dataset),
                              QStringLiteral("image-folder"), 20000);
    Document* document = test.document();
    document->inputs().pushEdit(*makeMaskEdit(document->inputs().masks(), {{1, 0}},
                                              *headMaskFromText("strict:3"), "strict"));
    document->inputs().pushEdit(*makeMaskEdit(document->inputs().masks(), {{2, 1}},
                                              *headMaskFromText("soft:5@0.25"), "soft"));

    test->actions()->find(QStringLiteral("train.start"))->trigger();
    QVERIFY(training);
    auto* button = training->findChild<QPushButton*>(QStringLiteral("exportTraining"));
    QVERIFY(button);
    QTRY_VERIFY_WITH_TIMEOUT(button->isEnabled(), 20000);
    button->click();
    QVERIFY(exporting);
    QSignalSpy saved(exporting, &ExportConfigDialog::saved);
    exporting->findChild<QPushButton*>(QStringLiteral("saveConfig"))->click();
    QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, 20000);

    auto read = readExperiment(file.toStdString(), modelCatalog());
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
    QCOMPARE(read->data.path, data.toStdString());
    QCOMPARE(read->model.classes, 3);
    const auto masks = resolveMasks(read->masks, document->inputs().masks().shape());
    QVERIFY(masks.ok());
    QVERIFY(*masks == document->inputs().masks());
    // Shorter than the dialog proposes, else as it stands: core trains from it.
    read->training.epochs = 1;
    read->training.batchSize = 6;
    read->data.loaderThreads = 0;
    auto session =
        TrainingSession::begin(*read, m_home.filePath(QStringLiteral("run")).toStdString());
    QVERIFY2(session.ok(), session.ok() ? "" : session.error().text().c_str());
    const auto outcome = (*session)->run({});
    QVERIFY2(outcome.ok(), outcome.ok() ? "" : outcome.error().text().c_str());
    QCOMPARE(outcome->steps, 3);
    QVERIFY((*session)->masks() == document->inputs().masks());
    // The window remembers what was exported.
    QCOMPARE(test->trainingExperiment().data.path, data.toStdString());
    delete training;
  }

  void untrainableConfigIsNotExported() {
    ScopedDialogs asBefore;
    QPointer<TrainDialog> training;
    dialogs().show = [&](QDialog* dialog, const std::function<void(int)>&) {
      dialog->show();
      training = qobject_cast<TrainDialog*>(dialog);
    };
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    test->actions()->find(QStringLiteral("train.start"))->trigger();
    QVERIFY(training);
    auto* button = training->findChild<QPushButton*>(QStringLiteral("exportTraining"));
    QTRY_VERIFY_WITH_TIMEOUT(button->isEnabled(), 20000);
    training->setDataFolder(m_home.filePath(QStringLiteral("nowhere")));
    QTRY_VERIFY_WITH_TIMEOUT(!button->isEnabled(), 20000);
    delete training;
  }

 private:
  QTemporaryDir m_home;
};

QTEST_MAIN(ExportWindowTest)
#include "ExportWindowTest.moc"
