// The window as a program: what it says and how it ends where it cannot do what it was told.

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

class ProgramTest : public QObject {
  Q_OBJECT

  struct Outcome {
    int exitCode = -1;
    QByteArray error;
  };

  Outcome run(const QStringList& arguments) const {
    QProcess program;
    program.setWorkingDirectory(m_folder.path());
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    program.setProcessEnvironment(environment);
    program.start(QStringLiteral(HEADLIGHT_PROGRAM),
                  QStringList{QStringLiteral("--no-session"), QStringLiteral("--threads"),
                              QStringLiteral("1")} +
                      arguments);
    if (!program.waitForFinished(120000)) program.kill();
    return {program.exitStatus() == QProcess::NormalExit ? program.exitCode() : -1,
            program.readAllStandardError()};
  }
  Outcome shot(const QStringList& arguments) const {
    return run(QStringList{QStringLiteral("--screenshot"), QStringLiteral("shot.png")} + arguments);
  }
  void write(const char* name, const QByteArray& bytes) const {
    QFile file(m_folder.filePath(QLatin1String(name)));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
  }

 private Q_SLOTS:
  void whatIsMissingIsSaid_data() {
    QTest::addColumn<QStringList>("arguments");
    const auto row = [](const char* name, const QStringList& arguments) {
      QTest::newRow(name) << arguments;
    };
    row("a file", {QStringLiteral("gone.png")});
    row("a picture", {QStringLiteral("--image"), QStringLiteral("gone.png")});
    row("weights", {QStringLiteral("--weights"), QStringLiteral("gone.png")});
    row("a model", {QStringLiteral("--model"), QStringLiteral("gone.png")});
  }
  void whatIsMissingIsSaid() {
    QFETCH(QStringList, arguments);
    for (const Outcome& outcome : {run(arguments), shot(arguments)}) {
      QCOMPARE(outcome.exitCode, 3);
      QVERIFY2(outcome.error.contains("gone.png: is not there"), outcome.error);
    }
    QVERIFY(!QFile::exists(m_folder.filePath(QStringLiteral("shot.png"))));
  }

  void whatIsDamagedIsSaid() {
    write("damaged.png", "\x89PNG\r\n\x1a\nnothing");
    const Outcome outcome = shot({QStringLiteral("damaged.png")});
    QCOMPARE(outcome.exitCode, 3);
    QVERIFY2(outcome.error.contains("damaged.png"), outcome.error);
  }

  void aScreenshotReplacesNoDevice() {
    QVERIFY(QFile::link(QStringLiteral("/dev/null"), m_folder.filePath(QStringLiteral("device"))));
    const Outcome outcome = run({QStringLiteral("--screenshot"), QStringLiteral("device")});
    QCOMPARE(outcome.exitCode, 5);
    QVERIFY2(outcome.error.contains("device: is a device"), outcome.error);
  }

  void aKeyThatStandsTwiceIsNamed() {
    write("state.json", R"({"view": {"layer": 1, "layer": 2}})");
    const Outcome outcome = shot({QStringLiteral("--state"), QStringLiteral("state.json")});
    QCOMPARE(outcome.exitCode, 2);
    QVERIFY2(outcome.error.contains("view.layer twice"), outcome.error);
  }

  void aScreenshotIsTaken() {
    const Outcome outcome = shot({});
    QCOMPARE(outcome.exitCode, 0);
    QVERIFY(QFile::exists(m_folder.filePath(QStringLiteral("shot.png"))));
  }

 private:
  QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(ProgramTest)
#include "ProgramTest.moc"
