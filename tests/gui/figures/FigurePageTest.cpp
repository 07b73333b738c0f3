// SPDX-License-Identifier: GPL-3.0-or-later

// The figure page in the window: a complete default page, core's numbers, keyboard use, and a page
// that stays after closing.

#include <QComboBox>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QTest>
#include <QToolButton>

#include "core/base/files/Files.h"
#include "tests/gui/Grab.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Images.h"
#include "ui/bridge/ImageBridge.h"
#include "ui/document/Session.h"
#include "ui/figures/FigurePageDialog.h"
#include "ui/figures/PageEntries.h"
#include "ui/figures/PagePreview.h"
#include "ui/forms/ParameterForm.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressTask.h"

using namespace headlight;

class FigurePageTest : public QObject {
  Q_OBJECT

  struct Fixture : TestWindow {
    FigurePageDialog* dialog = nullptr;

    explicit Fixture(const QString& folder, const QString& session = {}) : TestWindow(session) {
      TestWindow& self = *this;
      OPEN_SMALL_MODEL(self);
      const QString image = writeImage(folder + "/a.png");
      OPEN_IMAGE(self, image);
      document()->view().change([](ViewOptions& view) {
        view.layer = 1;
        view.head = 1;
      });
      showPage();
    }
    void showPage() {
      window.findChild<QAction*>("file.figurePage")->trigger();
      dialog = window.findChild<FigurePageDialog*>();
      QVERIFY(dialog && dialog->isVisible());
      waitForPage();
    }
    void waitForPage() {
      QTRY_VERIFY_WITH_TIMEOUT(!dialog->isBusy(), 20000);
      QVERIFY2(dialog->problem().isEmpty(), qPrintable(dialog->problem()));
    }
    std::vector<std::string> columns() const {
      std::vector<std::string> texts;
      for (const PageColumn& column : dialog->page().columns)
        texts.push_back(toText(column));
      return texts;
    }
    PageEntries* list(const char* name) const { return dialog->findChild<PageEntries*>(name); }
    QString said() const { return dialog->findChild<MessageLabel*>()->text(); }
    /// Core's page, in a separate session.
    Image expected(int dpi) const {
      auto session = valueOrThrow(InferenceSession::create(smallExperiment()));
      const FigurePage page = dialog->page();
      const MaskScheme masks = valueOrThrow(masksOfPage(page, session->info()));
      const PageContent inference = valueOrThrow(evaluatePage(*session, masks, page));
      return valueOrThrow(pageImage(page, inference, dpi));
    }
  };

  static bool same(const QImage& shown, const Image& expected) {
    return toQImage(expected) == shown;
  }

 private Q_SLOTS:
  void init() { QTest::failOnWarning(QRegularExpression("^(?!This plugin does not support)")); }

  void defaultPageIsComplete() {
    const QTemporaryDir folder;
    Fixture f(folder.path());
    QCOMPARE(f.columns(), (std::vector<std::string>{"image", "head 1.1", "rollout", "relevance"}));
    QCOMPARE(f.dialog->page().images.size(), std::size_t(1));
    QVERIFY(same(f.dialog->preview()->page(), f.expected(192)));
    QVERIFY(f.dialog->preview()->accessibleDescription().contains("layer 1, head 1"));
    synthetic::saveGrabs(*f.dialog, "figure-page");
  }

  /// The page that arrives first has fewer columns than the dialog: those were added as its
  /// computation began.
  void columnsMayBeAddedWhileThePreviewIsMade() {
    const QTemporaryDir folder;
    Fixture f(folder.path());
    const auto add = [&] {
      f.list("pageColumns")
          ->append(QStringLiteral("layer 0"), QStringList{QStringLiteral("layer 0"), QString()});
    };
    auto* task = f.dialog->findChild<ProgressTask*>({}, Qt::FindDirectChildrenOnly);
    QVERIFY(task);
    const auto addMany = [&add] {
      for (int i = 0; i < 20; ++i)
        add();
    };
    connect(task, &ProgressTask::busyChanged, f.dialog, addMany, Qt::SingleShotConnection);
    add();
    QTRY_VERIFY_WITH_TIMEOUT(!f.dialog->isBusy(), 20000);
    QTRY_VERIFY_WITH_TIMEOUT(
        f.dialog->preview()->accessibleDescription().count(QStringLiteral("layer 0")) >= 21, 20000);
  }

  void keysPutColumnsInOrder() {
    const QTemporaryDir folder;
    Fixture f(folder.path());
    PageEntries* list = f.list("pageColumns");
    list->setFocus();
    list->setCurrentRow(3);
    QTest::keyClick(list, Qt::Key_Up, Qt::ControlModifier);
    QCOMPARE(f.columns(), (std::vector<std::string>{"image", "head 1.1", "relevance", "rollout"}));
    list->setCurrentRow(0);
    QTest::keyClick(list, Qt::Key_Delete);
    QCOMPARE(f.columns().front(), std::string("head 1.1"));
    auto* add = f.dialog->findChild<QComboBox*>("addColumn");
    add->setFocus();
    QTest::keyClicks(add->lineEdit(), "head 2.0 (query 1,1), features");
    QTest::keyClick(add->lineEdit(), Qt::Key_Return);
    QCOMPARE(f.columns(), (std::vector<std::string>{"head 1.1", "relevance", "rollout",
                                                    "head 2.0 (query 1,1)", "feature-pca"}));
    QVERIFY(add->currentText().isEmpty());
    QVERIFY(f.dialog->isVisible());  // Enter adds, and does nothing else
    f.waitForPage();
    QVERIFY(same(f.dialog->preview()->page(), f.expected(192)));
  }

  void theChosenHeadIsAdded() {
    const QTemporaryDir folder;
    Fixture f(folder.path());
    f.document()->view().change([](ViewOptions& view) {
      view.layer = 2;
      view.head = -1;
    });
    f.document()->view().pin(1 + 5);
    f.dialog->findChild<QToolButton*>("addChosenHead")->click();
    QCOMPARE(f.columns().back(), std::string("layer 2 (query 1,1)"));
  }

  void typedEntriesAreChecked() {
    const QTemporaryDir folder;
    Fixture f(folder.path());
    PageEntries* list = f.list("pageColumns");
    list->item(1)->setText("haed 2.1");
    QCOMPARE(f.columns()[1], std::string("head 1.1"));
    QVERIFY2(f.said().contains("head"), qPrintable(f.said()));
    list->item(1)->setText("head 2.1 (label far)");
    QCOMPARE(f.columns()[1], std::string("head 2.1"));
    QCOMPARE(f.dialog->page().columns[1].label, std::string("far"));
    f.list("pageImages")->item(0)->setText("noise");
    QCOMPARE(f.dialog->page().images[0].label, std::string("noise"));
    list->item(1)->setText("head 7.0");
    QTRY_VERIFY_WITH_TIMEOUT(!f.dialog->isBusy(), 20000);
    QVERIFY2(f.said().contains("no layer 7"), qPrintable(f.said()));
    synthetic::saveGrabs(*f.dialog, "figure-page-problem");
  }

  void selectedImagesAreAdded() {
    const QTemporaryDir folder;
    Fixture f(folder.path());
    const QString other = writeImage(folder.filePath("b.png"), 36, 40, 90);
    OPEN_IMAGE(f, other);
    auto* gallery = f.window.findChild<QListView*>("galleryView");
    gallery->selectAll();
    const auto marked =
        static_cast<std::size_t>(gallery->selectionModel()->selectedIndexes().size());
    QVERIFY(marked >= 2);
    f.dialog->findChild<QToolButton*>("takeImages")->click();
    QCOMPARE(f.dialog->page().images.size(), marked);
    f.waitForPage();
    synthetic::saveGrabs(*f.dialog, "figure-page-many");
    f.dialog->startAnew();
    QCOMPARE(f.dialog->page().images.size(), marked);
  }

  void optionsMatchTable() {
    const QTemporaryDir folder;
    Fixture f(folder.path());
    const QImage before = f.dialog->preview()->page();
    auto* scale = qobject_cast<QComboBox*>(
        f.dialog->findChild<ParameterForm*>()->editor(QStringLiteral("scale")));
    QVERIFY(scale);
    scale->setCurrentText("page");
    QCOMPARE(f.dialog->page().options.scale, std::string("page"));
    f.waitForPage();
    QVERIFY(f.dialog->preview()->page() != before);
    QVERIFY(same(f.dialog->preview()->page(), f.expected(192)));
  }

  void maskChangesRecomputePage() {
    const QTemporaryDir folder;
    Fixture f(folder.path());
    const QImage before = f.dialog->preview()->page();
    const auto edit = makeMaskEdit(f.document()->inputs().masks(), {{0, 0}, {1, 1}},
                                   HeadMask{MaskKind::Strict, 3}, "test");
    f.document()->inputs().pushEdit(*edit);
    f.waitForPage();
    QTRY_VERIFY_WITH_TIMEOUT(f.dialog->preview()->page() != before, 20000);
    f.waitForPage();
    QVERIFY(same(f.dialog->preview()->page(), f.expected(192)));
  }

  void pageIsExported() {
    const QTemporaryDir folder;
    Fixture f(folder.path());
    for (const char* name : {"page.pdf", "page.svg", "page.png", "page.json"}) {
      const QString path = folder.filePath(name);
      if (path.endsWith(".json"))
        f.dialog->saveDescription(path);
      else
        f.dialog->save(path);
      f.waitForPage();
      QTRY_VERIFY2(QFile::exists(path), name);
    }
    const auto png = readFile(folder.filePath("page.png").toStdString(), 1 << 26);
    QVERIFY(png.ok());
    QByteArray session;
    for (const auto& [keyword, text] : readPngText(*png))
      if (keyword == kSessionKeyword) session = QByteArray::fromStdString(text);
    QVERIFY(isSessionText(session));
    const Image image = *decodeImage(*png, "page.png");
    QVERIFY(same(toQImage(image), f.expected(300)));
    const auto page = readFigurePage(folder.filePath("page.json").toStdString());
    QVERIFY(page.ok());
    QVERIFY(*page == f.dialog->page());
    f.dialog->save(folder.filePath("none/page.pdf"));
    f.waitForPage();
    QCOMPARE(f.dialog->findChild<MessageLabel*>()->tone(), MessageLabel::Tone::Problem);
  }

  void stopsAtOnce() {
    const QTemporaryDir folder;
    Fixture f(folder.path());
    f.dialog->addColumn("features");
    f.dialog->findChild<QPushButton*>("stopPage")->setEnabled(true);
    f.dialog->findChild<QPushButton*>("stopPage")->click();
    QVERIFY(!f.dialog->isBusy());
    QVERIFY2(f.said().startsWith("Stopped"), qPrintable(f.said()));
    f.dialog->addColumn("grad-cam");
    QVERIFY(f.dialog->isBusy());
    f.waitForPage();
    f.dialog->addColumn("similarity");
    f.dialog->close();
    QVERIFY(!f.dialog->isBusy());
  }

  void closingKeepsPage() {
    const QTemporaryDir folder;
    const QString session = folder.filePath("session.json");
    FigurePage made;
    {
      Fixture f(folder.path(), session);
      f.dialog->addColumn("grad-cam (layer 1)");
      made = f.dialog->page();
      f.dialog->close();
      f.showPage();
      QVERIFY(f.dialog->page() == made);
      f.dialog->close();
    }
    QVERIFY(QFile::exists(folder.filePath("figure-page.json")));
    Fixture f(folder.path(), session);
    QVERIFY(f.dialog->page().columns == made.columns);
    f.dialog->findChild<QPushButton*>("newPage")->click();
    QCOMPARE(f.columns().size(), std::size_t(4));
    const QString broken = folder.filePath("broken.json");
    writeText(broken, "{\"kind\": \"headlight-figure-page\", \"columns\": [\"haed\"]}");
    f.dialog->openDescription(broken);
    QVERIFY2(f.said().contains("columns[0]"), qPrintable(f.said()));
    QCOMPARE(f.columns().size(), std::size_t(4));
  }

  /// A column that another model lacks is said there, and is back with the model that has it.
  void anotherModelKeepsPage() {
    const QTemporaryDir folder;
    const QString session = folder.filePath("session.json");
    FigurePage made;
    {
      Fixture f(folder.path(), session);
      f.dialog->addColumn("head 2.1");
      f.waitForPage();
      made = f.dialog->page();
      f.dialog->close();
    }
    {
      TestWindow other(session);
      Experiment shallow = smallExperiment();
      shallow.model.depth = 2;
      other->modelWorker()->createModel(shallow);
      QTRY_VERIFY_WITH_TIMEOUT(other.document()->inputs().hasModel(), 20000);
      OPEN_IMAGE(other, folder.filePath("a.png"));
      other->findChild<QAction*>("file.figurePage")->trigger();
      auto* dialog = other->findChild<FigurePageDialog*>();
      QTRY_VERIFY(dialog->problem().contains("head 2.1"));
      QVERIFY(dialog->page().columns == made.columns);
      dialog->close();
    }
    Fixture f(folder.path(), session);
    QVERIFY(f.dialog->page().columns == made.columns);
  }
};

QTEST_MAIN(FigurePageTest)
#include "FigurePageTest.moc"
