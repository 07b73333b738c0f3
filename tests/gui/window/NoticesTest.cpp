// SPDX-License-Identifier: GPL-3.0-or-later

// Notices go with what they are about: the model, the run, the file; and Help → Messages has no
// line without words.

#include <QRegularExpression>
#include <QSignalSpy>

#include "tests/gui/SyntheticInference.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/bridge/TrainingBridge.h"
#include "ui/canvas/ImageView.h"
#include "ui/document/Document.h"
#include "ui/workspace/ImageTabs.h"

using namespace headlight;

class NoticesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }
  void init() {
    synthetic::failOnQtWarnings();
    m_folder = std::make_unique<QTemporaryDir>();
    m_image = writeImage(path("image.png"));
    writeText(path("nothing.txt"), "nothing");
  }

  void aFileThatWasNotOpenedIsForgottenWithTheNext() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    test->openPaths({path("nothing.txt")});
    QTRY_COMPARE_WITH_TIMEOUT(test.notices(), 1, 20000);
    OPEN_IMAGE(test, m_image);
    QCOMPARE(test.notices(), 0);
  }

  void whatIsSaidOfOneDropStaysTogether() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    test->openPaths({path("nothing.txt"), m_image});
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->inputs().imagePath(), m_image, 20000);
    QTRY_COMPARE_WITH_TIMEOUT(test.notices(), 1, 20000);
  }

  void whatIsSaidOfAModelGoesWithIt() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    Q_EMIT test.document()->failed(QStringLiteral("The model"), QStringLiteral("could not be run"));
    QCOMPARE(test.notices(), 1);
    Experiment next = smallExperiment();
    next.model.name = "next";
    test->modelWorker()->createModel(next);
    QTRY_COMPARE(test.document()->inputs().model().experiment.model.name, std::string("next"));
    for (const Notice& notice : test->noticeBar()->notices())
      QVERIFY(notice.title != QStringLiteral("The model"));
    // The next one says of itself that its weights are random; that goes with it, too.
    QCOMPARE(test.notices(), 1);
    QVERIFY(test.newestNotice().text.contains(QStringLiteral("next")));
    test->modelWorker()->createModel(smallExperiment());
    QTRY_VERIFY(test.notices() == 1 &&
                test.newestNotice().text.startsWith(QStringLiteral("small")));
  }

  void imagesKnowWhereANoticeCoversThem() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    const ImageView* image = test->findChild<ImageTabs*>()->image();
    QVERIFY(image);
    test->noticeBar()->closeAll();
    QVERIFY(image->coveredArea().isEmpty());
    Q_EMIT test.document()->failed(QStringLiteral("The model"), QStringLiteral("could not be run"));
    QTRY_VERIFY(image->coveredArea().intersects(image->imageArea()));
    QCOMPARE(image->coveredArea().size().toSize(), test->noticeBar()->size());
    test->noticeBar()->closeAll();
    QVERIFY(image->coveredArea().isEmpty());
  }

  void whatIsSaidOfARunGoesWithTheNext() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    Experiment broken = briefExperiment();
    broken.data.dataset = "folder";
    broken.data.path = path("nowhere").toStdString();
    test->startTraining(broken, path("broken"));
    QTRY_VERIFY_WITH_TIMEOUT(isShown(test, QStringLiteral("The training ended")), 30000);
    OPEN_IMAGE(test, writeImage(path("other.png")));
    QVERIFY(isShown(test, QStringLiteral("The training ended")));  // it is no matter of images
    QSignalSpy finished(test->trainingBridge(), &TrainingBridge::finished);
    test->startTraining(briefExperiment(), path("whole"));
    QVERIFY(!isShown(test, QStringLiteral("The training ended")));
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 60000);
  }

  void messagesHaveNoEmptyLine() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    QSignalSpy finished(test->trainingBridge(), &TrainingBridge::finished);
    test->startTraining(briefExperiment(), path("run"));
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 60000);
    test->modelWorker()->createModel(smallExperiment());
    QTRY_VERIFY(!test->modelWorker()->isOpening());
    const QRegularExpression timeAlone(QStringLiteral("^[0-9:]{8}\\s*(warning: |error: )?\\s*$"));
    QVERIFY(!test.log.lines().isEmpty());
    QCOMPARE(test.log.lines().filter(timeAlone), QStringList());
  }

 private:
  static Experiment briefExperiment() {
    Experiment experiment = smallExperiment();
    experiment.data.trainSamples = 16;
    experiment.data.validationSamples = 9;
    experiment.data.loaderThreads = 0;
    experiment.training.epochs = 1;
    experiment.training.batchSize = 8;
    experiment.telemetry.probeImages = 1;
    return experiment;
  }
  static bool isShown(TestWindow& test, const QString& title) {
    for (const Notice& notice : test->noticeBar()->notices())
      if (notice.title == title) return true;
    return false;
  }
  QString path(const char* name) const { return m_folder->filePath(QLatin1String(name)); }

  std::unique_ptr<QTemporaryDir> m_folder;
  QString m_image;
};

QTEST_MAIN(NoticesTest)
#include "NoticesTest.moc"
