// SPDX-License-Identifier: GPL-3.0-or-later

// The window as a program: what it says and how it ends where it cannot do what it was told.

#include <QDir>
#include <QImage>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

class ProgramTest : public QObject {
  Q_OBJECT

  struct Outcome {
    int exitCode = -1;
    QByteArray error, output;
  };

  Outcome run(const QStringList& arguments) const {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    return runIn(environment, arguments);
  }
  Outcome runIn(const QProcessEnvironment& environment, const QStringList& arguments) const {
    QProcess program;
    program.setWorkingDirectory(m_folder.path());
    program.setProcessEnvironment(environment);
    program.start(QStringLiteral(HEADLIGHT_PROGRAM),
                  QStringList{QStringLiteral("--no-session"), QStringLiteral("--threads"),
                              QStringLiteral("1")} +
                      arguments);
    if (!program.waitForFinished(120000)) program.kill();
    return {program.exitStatus() == QProcess::NormalExit ? program.exitCode() : -1,
            program.readAllStandardError(), program.readAllStandardOutput()};
  }
  /// The names of options that `found` finds in `text`, its first group, sorted.
  static QStringList namesIn(const QByteArray& text, const char* found) {
    const QRegularExpression pattern(QString::fromLatin1(found),
                                     QRegularExpression::MultilineOption);
    QSet<QString> names;
    auto matches = pattern.globalMatch(QString::fromUtf8(text));
    while (matches.hasNext())
      names << matches.next().captured(1).remove(QLatin1Char('\\'));
    QStringList sorted = names.values();
    sorted.sort();
    return sorted;
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
  void missingInputIsReported_data() {
    QTest::addColumn<QStringList>("arguments");
    const auto row = [](const char* name, const QStringList& arguments) {
      QTest::newRow(name) << arguments;
    };
    row("a file", {QStringLiteral("gone.png")});
    row("an image", {QStringLiteral("--image"), QStringLiteral("gone.png")});
    row("weights", {QStringLiteral("--weights"), QStringLiteral("gone.png")});
    row("a model", {QStringLiteral("--model"), QStringLiteral("gone.png")});
  }
  void missingInputIsReported() {
    QFETCH(QStringList, arguments);
    for (const Outcome& outcome : {run(arguments), shot(arguments)}) {
      QCOMPARE(outcome.exitCode, 3);
      QVERIFY2(outcome.error.contains("gone.png: does not exist"), outcome.error);
    }
    QVERIFY(!QFile::exists(m_folder.filePath(QStringLiteral("shot.png"))));
  }

  void damagedInputIsReported() {
    write("damaged.png", "\x89PNG\r\n\x1a\nnothing");
    const Outcome outcome = shot({QStringLiteral("damaged.png")});
    QCOMPARE(outcome.exitCode, 3);
    QVERIFY2(outcome.error.contains("damaged.png"), outcome.error);
  }

  void theVersionNamesTheLibraries() {
    const Outcome said = run({QStringLiteral("--version")});
    QCOMPARE(said.exitCode, 0);
    const QRegularExpression lines(QStringLiteral(
        "\\Aheadlight \\S+\\nQt 6\\.\\S+\\nLibTorch \\S+\\nBLAS: \\S.*\\nCUDA.*\\n\\z"));
    QVERIFY2(lines.match(QString::fromUtf8(said.output)).hasMatch(), said.output);
  }

  void textNeedsNoDisplay() {
    QProcessEnvironment gone = QProcessEnvironment::systemEnvironment();
    gone.remove(QStringLiteral("QT_QPA_PLATFORM"));
    gone.remove(QStringLiteral("WAYLAND_DISPLAY"));
    gone.insert(QStringLiteral("DISPLAY"), QStringLiteral(":4242"));  // nobody answers
    for (const char* option : {"--version", "--help", "--print-man"}) {
      const Outcome said = runIn(gone, {QLatin1String(option)});
      QVERIFY2(said.exitCode == 0 && said.output.contains("headlight"), option + said.error);
    }
  }

  /// The manual page and the completions have the long options of --help, no more and no fewer.
  void theManualAndCompletionsHaveTheOptionsOfHelp() {
    const QStringList help =
        namesIn(run({QStringLiteral("--help")}).output, "^  (?:-\\w, )?(--[a-z-]+)");
    QVERIFY(help.size() > 20);
    QCOMPARE(namesIn(run({QStringLiteral("--print-man")}).output, R"(\\fB(\\-\\-[a-z\\-]+)\\fR)"),
             help);
    const auto completions = [&](const char* shell, const char* pattern) {
      return namesIn(run({QStringLiteral("--print-completions"), QLatin1String(shell)}).output,
                     pattern);
    };
    const QString bash = completions("bash", "words='([^']*)'").value(0);
    QStringList words = bash.split(QLatin1Char(' ')).filter(QStringLiteral("--"));
    words.sort();
    QCOMPARE(words, help);
    QCOMPARE(completions("zsh", R"('\*(--[a-z-]+)=?\[)"), help);
    QCOMPARE(completions("fish", "^complete .* -l ([a-z-]+) ")
                 .replaceInStrings(QRegularExpression(QStringLiteral("^")), QStringLiteral("--")),
             help);
    QCOMPARE(run({QStringLiteral("--print-completions"), QStringLiteral("tcsh")}).exitCode, 2);
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

  /// Killed while it restores, as by a crash: the start after goes without, and keeps the session.
  void aStartThatDiedIsFollowedByOneWithoutTheSession() {
    QVERIFY(QDir(m_folder.path()).mkpath(QStringLiteral("headlight")));
    const QByteArray session = R"({"kind": "headlight-session", "schema": 1})";
    write("headlight/session.json", session);
    const auto start = [&](QProcess& program) {
      QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
      environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
      environment.insert(QStringLiteral("XDG_DATA_HOME"), m_folder.path());
      program.setProcessEnvironment(environment);
      program.start(QStringLiteral(HEADLIGHT_PROGRAM),
                    {QStringLiteral("--threads"), QStringLiteral("1")});
    };
    const auto isThere = [&](const char* name) {
      return QFile::exists(m_folder.filePath(QLatin1String(name)));
    };
    QProcess first, second;
    start(first);
    QTRY_VERIFY_WITH_TIMEOUT(isThere("headlight/session.starting"), 60000);
    first.kill();
    QVERIFY(first.waitForFinished(30000));
    QVERIFY(isThere("headlight/session.starting") && isThere("headlight/session.json"));
    start(second);
    QTRY_VERIFY_WITH_TIMEOUT(isThere("headlight/session.failed-1.json"), 60000);
    QTRY_VERIFY_WITH_TIMEOUT(!isThere("headlight/session.starting"), 60000);
    QFile kept(m_folder.filePath(QStringLiteral("headlight/session.failed-1.json")));
    QVERIFY(kept.open(QIODevice::ReadOnly));
    QCOMPARE(kept.readAll(), session);
    second.kill();
    QVERIFY(second.waitForFinished(30000));
  }

  /// What a window got shows in its complaint about a damaged file.
  void anOpenWindowTakesTheFilesOfALaterStart() {
    write("late.png", "\x89PNG\r\n\x1a\nnothing");
    const auto start = [&](QProcess& program, const QStringList& arguments) {
      QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
      environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
      environment.insert(QStringLiteral("XDG_RUNTIME_DIR"), m_folder.path());
      program.setProcessEnvironment(environment);
      program.setWorkingDirectory(m_folder.path());
      program.start(QStringLiteral(HEADLIGHT_PROGRAM),
                    QStringList{QStringLiteral("--no-session"), QStringLiteral("--threads"),
                                QStringLiteral("1"), QStringLiteral("--reuse")} +
                        arguments);
    };
    const auto sockets = [&] {
      return QDir(m_folder.path())
          .entryList({QStringLiteral("headlight-*.socket")}, QDir::System | QDir::Files)
          .size();
    };
    QProcess first, second, third;
    start(first, {});
    QTRY_COMPARE_WITH_TIMEOUT(sockets(), 1, 60000);
    start(second, {QStringLiteral("late.png")});
    QVERIFY(second.waitForFinished(60000));
    QCOMPARE(second.exitCode(), 0);
    QByteArray said;
    QTRY_VERIFY_WITH_TIMEOUT((said += first.readAllStandardError()).contains("late.png"), 60000);
    first.kill();
    QVERIFY(first.waitForFinished(30000));
    // What a killed window left behind stops nobody.
    start(third, {QStringLiteral("late.png")});
    said.clear();
    QTRY_VERIFY_WITH_TIMEOUT((said += third.readAllStandardError()).contains("late.png"), 60000);
    QCOMPARE(third.state(), QProcess::Running);
    third.kill();
    QVERIFY(third.waitForFinished(30000));
  }

  void theTourIsShownOnRequest() {
    const QString path = m_folder.filePath(QStringLiteral("shot.png"));
    QCOMPARE(shot({QStringLiteral("--size"), QStringLiteral("1000x700")}).exitCode, 0);
    const QImage plain(path);
    QCOMPARE(shot({QStringLiteral("--size"), QStringLiteral("1000x700"), QStringLiteral("--tour")})
                 .exitCode,
             0);
    const QImage toured(path);
    QCOMPARE(toured.size(), plain.size());
    int different = 0;
    for (int y = 0; y < plain.height(); ++y)
      for (int x = 0; x < plain.width(); ++x)
        different += plain.pixel(x, y) != toured.pixel(x, y) ? 1 : 0;
    QVERIFY2(different > 20'000, qPrintable(QString::number(different)));  // a balloon's pixels
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
