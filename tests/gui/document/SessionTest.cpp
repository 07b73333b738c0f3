// SPDX-License-Identifier: GPL-3.0-or-later

// What the window remembers, and that nothing which lies in its file can hurt it.

#include <QRegularExpression>

#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/document/Session.h"

using namespace headlight;

class SessionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }
  void init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
    m_folder = std::make_unique<QTemporaryDir>();
    m_image = writeImage(path("image.png"));
  }

  void textRoundTrip() {
    Session session;
    session.experiment = smallExperiment();
    session.experiment.masks.scheme = "mine";
    session.experiment.masks.cells = {{HeadMask{MaskKind::Hard, 5}}, {}, {}};
    session.experiment.training.epochs = 3;
    session.weights = QStringLiteral("/somewhere/weights ü.safetensors");
    session.partial = true;
    session.imagePath = QStringLiteral("/somewhere/an image.png");
    session.imageName = QStringLiteral("an image.png");
    session.view.layer = 2;
    session.view.head = 1;
    session.view.query = 7;
    session.view.opacity = 0.25;
    session.view.colorMap = ColorMap::Cividis;
    session.view.smooth = session.view.sharedRange = true;
    session.view.stepScale = false;
    session.view.showOverlay = session.view.maskOutline = session.view.objectBoxes = false;
    session.view.trueBoxes = false;
    session.view.decoderLayer = 3;
    session.view.paintsOnClick = true;
    session.view.rollout = {HeadFusion::Max, 0.5};
    session.view.learned = "inner_bias";
    session.gallery = QStringList{QStringLiteral("/a"), QStringLiteral("/b/c.png")};
    session.workspace = QStringLiteral("mask");
    session.view.style = MapStyle::Warm;
    session.view.dim = 0.5;
    session.theme = QStringLiteral("dark");
    session.place = WindowPlace{QRect(20, 30, 900, 700), QRect(0, 0, 1280, 800), 0, 1280, true};
    LayoutPart heads, gallery, tabs, column;
    heads.dock = QStringLiteral("heads");
    heads.size = 300;
    heads.visible = false;
    gallery.dock = QStringLiteral("gallery");
    gallery.floating = QRect(-5, 6, 200, 300);
    tabs.kind = LayoutPart::Kind::Tabs;
    tabs.parts = {heads, gallery};
    tabs.current = QStringLiteral("heads");
    column.kind = LayoutPart::Kind::Column;
    column.parts = {tabs};
    session.arrangements[QStringLiteral("look")] = {
        WindowLayout{{{Qt::RightDockWidgetArea, QSize(300, 600), column}}, QSize(800, 600)},
        QStringLiteral("rollout")};
    const QByteArray text = sessionToText(session);
    QVERIFY(isSessionText(text));
    const auto read = sessionFromText(text, QStringLiteral("test"));
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(sessionToText(*read), text);
    QVERIFY(read->partial);
    QVERIFY(read->view == session.view);
    QCOMPARE(read->gallery, session.gallery);
    QVERIFY(read->place == session.place);
    QVERIFY(read->damaged.isEmpty());
    QCOMPARE(read->workspace, session.workspace);
    QVERIFY(read->arrangements == session.arrangements);
    QVERIFY(!isSessionText(QByteArray::fromStdString(experimentToText(session.experiment))));
  }

  void savedAndRestored() {
    MaskScheme masks;
    ViewOptions view;
    {
      TestWindow test(path("session.json"));
      OPEN_SMALL_MODEL(test);
      OPEN_IMAGE(test, m_image);
      const auto edit = makeMaskEdit(test.document()->inputs().masks(), {{0, 1}, {2, 0}},
                                     {MaskKind::Soft, 3, 0.3}, "soft");
      test.document()->inputs().pushEdit(*edit);
      view = test.document()->view().options();
      view.layer = 1;
      view.head = 1;
      view.query = 5;
      view.colorMap = ColorMap::Inferno;
      test.document()->view().set(view);
      view = test.document()->view().options();
      test->showTab(QStringLiteral("compare"));
      test->actions()->find(QStringLiteral("view.theme.dark"))->trigger();
      masks = test.document()->inputs().masks();
      QVERIFY(test->close());
    }
    TestWindow test(path("session.json"));
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->inputs().imagePath(), m_image, 20000);
    QVERIFY(test.document()->inputs().masks() == masks);
    QCOMPARE(test.document()->inputs().masks().name(), masks.name());
    QVERIFY(test.document()->view().options() == view);
    QCOMPARE(test->currentTab(), QStringLiteral("compare"));
    QVERIFY(test.theme.isDark());
    QTRY_VERIFY(test->gallery()->indexOf(m_image).isValid());
    QTRY_VERIFY(test.document()->inference() && !test.document()->isStale());
    QCOMPARE(test.notices(), 0);
  }

  void unsavedMasksAreKeptWithoutClosing() {
    TestWindow test(path("session.json"));
    OPEN_SMALL_MODEL(test);
    const auto edit =
        makeMaskEdit(test.document()->inputs().masks(), {{0, 0}}, {MaskKind::Hard, 7}, "hard");
    test.document()->inputs().pushEdit(*edit);
    // As after a power failure: nobody closed the window, yet the file has the edit.
    const auto inFile = [&] {
      QFile file(path("session.json"));
      return file.open(QIODevice::ReadOnly) && file.readAll().contains("hard:7");
    };
    QTRY_VERIFY_WITH_TIMEOUT(inFile(), 10000);
  }

  void damagedIsPutAside_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("truncated") << QByteArray("{\"kind\": \"headlight-session\", \"sch");
    QTest::newRow("noise") << QByteArray("\xff\0\1\2\xfe", 5);
    QTest::newRow("a config") << QByteArray(R"({"model": {}})");
    QTest::newRow("lying view") << QByteArray(
        R"({"kind": "headlight-session", "schema": 1, "view": {"layer": 99999999999}})");
    QTest::newRow("deep") << QByteArray(200000, '[');
  }
  void damagedIsPutAside() {
    QFETCH(QByteArray, content);
    writeText(path("session.json"), content);
    TestWindow test(path("session.json"));
    QCOMPARE(test.notices(), 1);
    QCOMPARE(test.newestNotice().level, Notice::Level::Warning);
    QVERIFY(test.newestNotice().text.contains(QStringLiteral("session.damaged-1.json")));
    QFile aside(path("session.damaged-1.json"));
    QVERIFY(aside.open(QIODevice::ReadOnly));
    QCOMPARE(aside.readAll(), content);
    OPEN_SMALL_MODEL(test);  // and it works
    QVERIFY(test->close());
    QVERIFY(QFile::exists(path("session.json")));
  }

  /// As after a crash: the mark lies there, and nobody holds it.
  void aStartThatDiedIsFollowedByOneWithoutTheSession() {
    Session session;
    session.experiment = smallExperiment();
    const QByteArray content = sessionToText(session);
    writeText(path("session.json"), content);
    writeText(path("session.starting"), "Headlight is starting.\n");
    {
      TestWindow test(path("session.json"));
      QCOMPARE(test.notices(), 1);
      QCOMPARE(test.newestNotice().level, Notice::Level::Warning);
      QVERIFY2(test.newestNotice().text.contains(QStringLiteral("ended while it restored")),
               qPrintable(test.newestNotice().text));
      QVERIFY(test.newestNotice().text.contains(QStringLiteral("session.failed-1.json")));
      QVERIFY(!test.document()->inputs().hasModel());
      QFile aside(path("session.failed-1.json"));
      QVERIFY(aside.open(QIODevice::ReadOnly));
      QCOMPARE(aside.readAll(), content);
      QVERIFY(!QFile::exists(path("session.json")));
      QVERIFY(!QFile::exists(path("session.starting")));
      // It can be opened by hand, and is restored at the start after.
      test->openPaths({path("session.failed-1.json")});
      QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
      QVERIFY(test->close());
    }
    TestWindow test(path("session.json"));
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    QCOMPARE(test.notices(), 0);
  }

  void startMarkIsRemovedAfterTheStart() {
    Session session;
    session.experiment = smallExperiment();
    writeText(path("session.json"), sessionToText(session));
    TestWindow test(path("session.json"));
    QVERIFY(QFile::exists(path("session.starting")));
    {
      TestWindow other(path("session.json"));  // which starts meanwhile, and is no sign of a crash
      QCOMPARE(other.notices(), 0);
      QTRY_VERIFY_WITH_TIMEOUT(other.document()->inputs().hasModel(), 20000);
    }
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(path("session.starting")), 20000);
    QCOMPARE(test.notices(), 0);
  }

  void noDamagedSessionIsWrittenOver() {
    for (int i = 1; i <= 25; ++i)
      writeText(path(qPrintable(QStringLiteral("session.damaged-%1.json").arg(i))),
                QByteArray::number(i));
    writeText(path("session.json"), "newest");
    TestWindow test(path("session.json"));
    QVERIFY(test.newestNotice().text.contains(QStringLiteral("session.damaged-26.json")));
    for (int i = 1; i <= 26; ++i) {
      QFile kept(path(qPrintable(QStringLiteral("session.damaged-%1.json").arg(i))));
      QVERIFY(kept.open(QIODevice::ReadOnly));
      QCOMPARE(kept.readAll(), i == 26 ? QByteArray("newest") : QByteArray::number(i));
    }
  }

  void aModelThatWasReplacedCanBeHadBack() {
    const auto saved = InferenceSession::create(smallExperiment());
    const std::string weights = path("trained.safetensors").toStdString();
    QVERIFY((*saved)->save(weights, MaskScheme(MaskShape((*saved)->info().heads))));
    Session lastWeek;
    lastWeek.experiment = smallExperiment(64);
    writeText(path("session.previous.json"), sessionToText(lastWeek));
    TestWindow test(path("session.json"));
    ModelSource source;
    source.weights = weights;
    test->modelWorker()->openModel(source);
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    OPEN_IMAGE(test, m_image);
    test.document()->inputs().pushEdit(
        *makeMaskEdit(test.document()->inputs().masks(), {{1, 1}}, {MaskKind::Hard, 3}, "hard"));
    test.document()->view().change([](ViewOptions& view) { view.layer = 2; });
    const MaskScheme masks = test.document()->inputs().masks();
    QCOMPARE(test.notices(), 0);

    test->modelWorker()->createModel(smallExperiment(48));
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->inputs().model().experiment.model.width, 48, 20000);
    const Notice said = test.newestNotice();
    QVERIFY2(said.text.contains(QStringLiteral("random weights")) &&
                 said.text.contains(QStringLiteral("trained.safetensors")),
             qPrintable(said.text));
    QCOMPARE(said.action, QStringLiteral("Go back"));
    said.run();
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->inputs().model().weights.string(), weights, 20000);
    QVERIFY(test.document()->inputs().masks() == masks);
    QCOMPARE(test.document()->view().options().layer, 2);
    QTRY_COMPARE(test.document()->inputs().imagePath(), m_image);
  }

  void unsavedPreviousSessionIsReported() {
    TestWindow test(path("session.json"));
    OPEN_SMALL_MODEL(test);
    QVERIFY(QDir().mkpath(path("session.previous.json")));  // nothing can take its place
    Session other;
    other.experiment = smallExperiment();
    QCOMPARE(test.notices(), 0);
    test->restoreSession(other);
    QTRY_VERIFY(test.notices() > 0);
    QVERIFY2(test.newestNotice().text.contains(QStringLiteral("was not saved")),
             qPrintable(test.newestNotice().text));
    QVERIFY(test.newestNotice().text.contains(QStringLiteral("session.previous.json")));
  }

  void aKeyThatStandsTwiceIsNamed() {
    const auto session = sessionFromText(
        R"({"kind": "headlight-session", "schema": 1, "view": {"layer": 1, "layer": 2}})",
        QStringLiteral("s.json"));
    QVERIFY(!session);
    QVERIFY2(session.error().text().find("view.layer twice") != std::string::npos,
             session.error().text().c_str());
  }

  void vanishedWeightsKeepTheMasks() {
    Session session;
    session.experiment = smallExperiment();
    session.experiment.masks.scheme = "mine";
    session.experiment.masks.cells = {{HeadMask{MaskKind::Strict, 3}}, {}, {}};
    session.weights = path("gone.safetensors");
    session.imagePath = path("gone.png");
    session.gallery = QStringList{path("gone-folder")};
    writeText(path("session.json"), sessionToText(session));
    TestWindow test(path("session.json"));
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    QCOMPARE(test.document()->inputs().masks().maskedHeads(), 1);
    QTRY_VERIFY(test.notices() >= 3);  // weights, image, gallery: each said
  }

  void weightsThatFitInPartAreNotAskedAboutAgain() {
    const auto saved = InferenceSession::create(smallExperiment());
    const std::string weights = path("part.safetensors").toStdString();
    QVERIFY((*saved)->save(weights, MaskScheme(MaskShape((*saved)->info().heads))));
    QFile file(path("part.safetensors"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll().replace("\"head.bias\"", "\"head.bats\"");
    file.close();
    writeText(path("part.safetensors"), text);
    {
      TestWindow test(path("session.json"));
      ModelSource source;
      source.weights = weights;
      source.partial = true;  // "Open anyway"
      test->modelWorker()->openModel(source);
      QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
      QVERIFY(test->close());
    }
    TestWindow test(path("session.json"));
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    QCOMPARE(test.document()->inputs().model().report.unfilled(),
             std::vector<std::string>{"head.bias"});
    QCOMPARE(test.notices(), 0);
  }

  void wildViewsAreClamped() {
    Session session;
    session.experiment = smallExperiment();
    session.view.layer = 1000;
    session.view.head = 1000;
    session.view.query = 100000;
    session.workspace = QStringLiteral("kitchen");
    Json json = Json::parse(sessionToText(session).toStdString());
    const std::string noise = QByteArray(5000, '\x7f').toBase64().toStdString();
    json["window"]["geometry"] = noise;
    json["window"]["workspaces"]["look"] = {{"docks", noise}, {"page", "?"}};
    writeText(path("session.json"), QByteArray::fromStdString(json.dump()));
    TestWindow test(path("session.json"));
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    QCOMPARE(test.document()->view().options().layer, 2);
    QCOMPARE(test.document()->view().options().head, 1);
    QCOMPARE(test.document()->view().options().query, 16);
  }

  void savedByHandAndOpenedAgain() {
    ScopedDialogs scoped;
    QString file = path("mine.json");
    dialogs().files = [&](QWidget*, const FileQuestion&,
                          const std::function<void(const QStringList&)>& answer) {
      answer({file});
    };
    TestWindow test(path("session.json"));
    OPEN_SMALL_MODEL(test);
    test.document()->inputs().pushEdit(
        *makeMaskEdit(test.document()->inputs().masks(), {{1, 1}}, {MaskKind::Hard, 3}, "hard"));
    test->actions()->find(QStringLiteral("file.saveSession"))->trigger();
    QVERIFY(QFile::exists(file));
    test.document()->inputs().undoStack()->undo();
    test->actions()->find(QStringLiteral("file.openSession"))->trigger();
    QTRY_COMPARE(test.document()->inputs().masks().maskedHeads(), 1);
    // A place that cannot be written is said.
    file = path("missing-folder/mine.json");
    test->actions()->find(QStringLiteral("file.saveSession"))->trigger();
    QCOMPARE(test.newestNotice().level, Notice::Level::Error);
  }

 private:
  QString path(const char* name) const { return m_folder->filePath(QLatin1String(name)); }

  std::unique_ptr<QTemporaryDir> m_folder;
  QString m_image;
};

QTEST_MAIN(SessionTest)
#include "SessionTest.moc"
