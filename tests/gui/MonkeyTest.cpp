// A monkey at the window while a run goes on: no crash, no Qt warning, memory level, no hang.
// HEADLIGHT_MONKEY_EVENTS says how many events (20,000), HEADLIGHT_MONKEY_SEED which.

#include <QDialog>
#include <QFileDialog>

#include "tests/gui/Monkey.h"
#include "tests/gui/SyntheticLook.h"
#include "tests/gui/WindowFixture.h"
#include "ui/window/StatusLine.h"

using namespace headlight;

namespace {

constexpr int kWarmUpShare = 4;                     ///< of the events, before memory is measured
constexpr qint64 kMostGrowth = 200 * 1024 * 1024;   ///< bytes from then to the end
constexpr qint64 kHangMs = 20'000;

long numberFrom(const char* variable, long otherwise) {
  const QByteArray text = qgetenv(variable);
  return text.isEmpty() ? otherwise : text.toLong();
}

/// Long enough for the monkey, and without anything that leaves the folder.
Experiment endlessRun() {
  Experiment experiment = smallExperiment();
  experiment.data.trainSamples = 64;
  experiment.data.validationSamples = 16;
  experiment.training.epochs = 1'000'000;
  experiment.training.batchSize = 8;
  experiment.training.checkpointSteps = 1'000'000;
  experiment.telemetry.alsSteps = 5;
  experiment.telemetry.probeImages = 4;
  return experiment;
}

}  // namespace

class MonkeyTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { synthetic::failOnQtWarnings(); }

  void leavesTheWindowWhole() {
    const long events = numberFrom("HEADLIGHT_MONKEY_EVENTS", 20'000);
    const auto seed = static_cast<std::uint32_t>(numberFrom("HEADLIGHT_MONKEY_SEED", 1));
    QTemporaryDir folder;
    const ScopedDialogs dialogsBefore;
    // A monkey that finds its way through the disk is no test of ours.
    dialogs().files = [](QWidget*, const FileQuestion&, const auto& answer) { answer({}); };
    TestWindow test(folder.filePath(QStringLiteral("session.json")));
    OPEN_SMALL_MODEL(test);
    OPEN_PICTURE(test, writePicture(folder.filePath(QStringLiteral("a.png"))));
    writePicture(folder.filePath(QStringLiteral("b.png")), 64, 48, 90);
    test->openPaths({folder.path()});
    test->startTraining(endlessRun(), folder.filePath(QStringLiteral("run")));
    Monkey monkey(&test.window, test->actions(), seed,
                  // They leave the window, or begin what belongs to other windows.
                  {QStringLiteral("file.quit"), QStringLiteral("view.fullScreen"),
                   QStringLiteral("model.sequences")});
    qint64 before = 0;
    for (long i = 0; i < events; ++i) {
      if (i == events / kWarmUpShare) before = processMemory();
      monkey.act();
      if (!test->isVisible()) test->show();
      QVERIFY2(monkey.stalls().longest < kHangMs, qPrintable(monkey.stalls().longestAfter));
    }
    const qint64 growth = processMemory() - before;
    qInfo("monkey: %ld events, seed %u: half within %lld ms, 99.9 %% within %lld ms, longest %lld "
          "ms (%s); memory grew by %.1f MB",
          events, seed, static_cast<long long>(monkey.stalls().within(0.5)),
          static_cast<long long>(monkey.stalls().within(0.999)),
          static_cast<long long>(monkey.stalls().longest),
          qPrintable(monkey.stalls().longestAfter), static_cast<double>(growth) / 1e6);
    QVERIFY2(growth < kMostGrowth, qPrintable(QString::number(growth)));
    while (QWidget* modal = QApplication::activeModalWidget())
      modal->close();
    test->trainingBridge()->stop();
    QTRY_VERIFY_WITH_TIMEOUT(!test->trainingBridge()->isRunning(), 30000);
  }
};

QTEST_MAIN(MonkeyTest)
#include "MonkeyTest.moc"
