// SPDX-License-Identifier: GPL-3.0-or-later

// Teaching classes in the window: a folder, classes by hand, the model with the new classes, what a
// mask edit does, and what is refused.

#include <QAction>
#include <QCheckBox>
#include <QListView>
#include <QMimeData>
#include <QPushButton>
#include <QRegularExpression>
#include <QTabWidget>
#include <QTableWidget>

#include <algorithm>
#include <cmath>

#include "tests/gui/Grab.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/evaluation/ConfusionView.h"
#include "ui/evaluation/ThumbnailList.h"
#include "ui/opening/GalleryDock.h"
#include "ui/teaching/ClassShelf.h"
#include "ui/teaching/TeachDialog.h"
#include "ui/window/TrainingController.h"

using namespace headlight;

namespace {

constexpr int kLong = 60000;

/// FOLDER/dark and FOLDER/bright with images of their shades.
QString classFolders(const QString& folder, int images) {
  for (const auto& [name, shade] : {std::pair{"dark", 10}, std::pair{"bright", 200}}) {
    const QString own = QDir(folder).filePath(QString::fromLatin1(name));
    QDir().mkpath(own);
    for (int i = 0; i < images; ++i) {
      QImage image(20, 20, QImage::Format_RGB888);
      image.fill(qRgb(shade + i, shade, shade));
      image.save(QDir(own).filePath(QStringLiteral("%1.png").arg(i)));
    }
  }
  return folder;
}

/// Whether they are the same up to the order of sums.
bool areAlike(const std::vector<float>& a, const std::vector<float>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](float one, float other) { return std::abs(one - other) < 1e-4f; });
}

QPushButton* button(const TeachDialog* dialog, const char* name) {
  return dialog->findChild<QPushButton*>(QString::fromLatin1(name));
}

}  // namespace

class TeachDialogTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }
  void init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
    m_folder = std::make_unique<QTemporaryDir>();
  }

  void teachesAFolderAndUsesItAtOnce() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, writeImage(path("image.png")));
    TeachDialog* dialog = opened(test);
    dialog->setFolder(classFolders(path("classes"), 12));
    QVERIFY(button(dialog, "teachStart")->isEnabled());
    button(dialog, "teachStart")->click();
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->inputs().model().experiment.model.classes, 2, kLong);
    const ModelInfo& info = test.document()->inputs().model();
    QCOMPARE(info.classNames.size(), std::size_t(2));
    QTRY_VERIFY_WITH_TIMEOUT(
        test.document()->inference() && test.document()->inference()->logits.size() == 2, kLong);
    QTRY_COMPARE(dialog->classes()->rowCount(), 2);
    QVERIFY2(dialog->headline().contains(QStringLiteral("Linear probe: ")),
             qPrintable(dialog->headline()));
    QVERIFY(dialog->headline().contains(QStringLiteral("of 2 classes")));
    QCOMPARE(dialog->classes()->item(0, 1)->text(), QStringLiteral("11"));
    QVERIFY(dialog->worst()->count() == 2);
    QVERIFY(!dialog->confusion()->describeCell(0, 0).isEmpty());
    QTRY_VERIFY_WITH_TIMEOUT(button(dialog, "teachSave")->isEnabled(), kLong);
    synthetic::saveGrabs(*dialog, QStringLiteral("teach"));
  }

  void aMaskEditSaysWhatItDoes() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, writeImage(path("image.png")));
    TeachDialog* dialog = opened(test);
    dialog->setFolder(classFolders(path("classes"), 10));
    button(dialog, "teachStart")->click();
    QTRY_VERIFY_WITH_TIMEOUT(button(dialog, "teachSave")->isEnabled(), kLong);
    const auto* effect = dialog->findChild<QLabel*>(QStringLiteral("teachEffect"));
    QVERIFY(effect->text().isEmpty());
    test.document()->inputs().pushEdit(*makeMaskEdit(test.document()->inputs().masks(),
                                                     {{0, 0}, {1, 0}, {2, 1}},
                                                     {MaskKind::Strict, 1}, "strict"));
    QTRY_VERIFY_WITH_TIMEOUT(effect->text().contains(QStringLiteral("fitted again")), kLong);
    QVERIFY(effect->text().contains(QStringLiteral("this probe")));
  }

  void classesAreMadeByHandAndByDragging() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    const QDir folder(classFolders(path("classes"), 4));
    TeachDialog* dialog = opened(test);
    ClassShelf* shelf = dialog->shelf();
    dialog->findChild<QTabWidget*>(QStringLiteral("teachSources"))->setCurrentIndex(1);
    QVERIFY(!button(dialog, "teachStart")->isEnabled());
    // Two images as the gallery hands them over, beside the rows: a class of its own.
    dropImages(shelf,
               {folder.filePath(QStringLiteral("dark/0.png")),
                folder.filePath(QStringLiteral("dark/1.png"))},
               shelf->viewport()->rect().bottomRight() - QPoint(2, 2));
    QCOMPARE(shelf->rowCount(), 1);
    shelf->item(0, 0)->setText(QStringLiteral("night"));
    // A folder is a class of its name.
    QVERIFY(dropOn(shelf->viewport(), {folder.filePath(QStringLiteral("bright"))}));
    QCOMPARE(shelf->rowCount(), 2);
    QCOMPARE(shelf->item(1, 0)->text(), QStringLiteral("bright"));
    QCOMPARE(shelf->item(1, 1)->text(), QStringLiteral("4"));
    // Twice is still one class, also where its name has characters that are not shown.
    const QString odd = QDir(path("classes")).filePath(QStringLiteral("a\tb"));
    QVERIFY(QDir().mkpath(odd));
    shelf->addImages(-1, {odd});
    shelf->addImages(-1, {odd});
    QCOMPARE(shelf->rowCount(), 3);
    shelf->clearSelection();
    shelf->selectRow(2);
    shelf->removeSelected();
    QCOMPARE(shelf->rowCount(), 2);
    // On a row: into that class, out of the other.
    dropImages(shelf, {folder.filePath(QStringLiteral("bright/0.png"))},
               shelf->visualItemRect(shelf->item(0, 0)).center());
    QCOMPARE(shelf->item(0, 1)->text(), QStringLiteral("3"));
    QCOMPARE(shelf->item(1, 1)->text(), QStringLiteral("3"));
    QVERIFY(button(dialog, "teachStart")->isEnabled());
    button(dialog, "teachStart")->click();
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->inputs().model().classNames,
                              (std::vector<std::string>{"night", "bright"}), kLong);
  }

  void galleryImagesAreDraggedOntoAClass() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    const QString image = writeImage(path("image.png"));
    OPEN_IMAGE(test, image);
    TeachDialog* dialog = opened(test);
    dialog->findChild<QTabWidget*>(QStringLiteral("teachSources"))->setCurrentIndex(1);
    auto* gallery = test.window.findChild<GalleryDock*>(QStringLiteral("galleryDock"));
    QVERIFY(gallery);
    QListView* view = gallery->view();
    QTRY_VERIFY(view->isVisible() && view->model()->rowCount() > 0);
    const QModelIndex first = view->model()->index(0, 0);
    view->scrollTo(first);
    const QPoint from = view->visualRect(first).center();
    dialog->move(20, 20);  // wherever the gallery is: events go to it directly
    dialog->raise();
    ClassShelf* shelf = dialog->shelf();
    const QPoint target = shelf->viewport()->rect().center();
    QTRY_COMPARE(QApplication::widgetAt(shelf->viewport()->mapToGlobal(target)), shelf->viewport());
    const QPoint to = view->viewport()->mapFromGlobal(shelf->viewport()->mapToGlobal(target));
    QTest::mousePress(view->viewport(), Qt::LeftButton, Qt::NoModifier, from);
    for (const QPoint& at : {from + QPoint(15, 15), (from + to) / 2, to}) {
      QMouseEvent move(QEvent::MouseMove, at, view->viewport()->mapToGlobal(at), Qt::NoButton,
                       Qt::LeftButton, Qt::NoModifier);
      QApplication::sendEvent(view->viewport(), &move);
    }
    QMouseEvent release(QEvent::MouseButtonRelease, to, view->viewport()->mapToGlobal(to),
                        Qt::LeftButton, Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(view->viewport(), &release);
    QCOMPARE(shelf->rowCount(), 1);
    QCOMPARE(shelf->item(0, 1)->text(), QStringLiteral("1"));
  }

  void aDroppedFolderOffersToTeach() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    const QString folder = classFolders(path("classes"), 4);
    test->openPaths({folder});
    const auto offer = [&test] {
      for (const Notice& notice : test->noticeBar()->notices())
        if (notice.other.contains(QStringLiteral("Teach"))) return notice.runOther;
      return std::function<void()>();
    };
    QTRY_VERIFY_WITH_TIMEOUT(offer(), kLong);
    offer()();
    auto* dialog = test.window.findChild<TeachDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    QCOMPARE(dialog->findChild<QLineEdit*>(QStringLiteral("teachFolder"))->text(), folder);
  }

  /// An opening that was canceled ends the wait for it.
  void classesAreUsedAfterACanceledOpening() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    TeachDialog* dialog = opened(test);
    dialog->findChild<QCheckBox*>(QStringLiteral("teachUseAtOnce"))->setChecked(false);
    dialog->setFolder(classFolders(path("classes"), 4));
    button(dialog, "teachStart")->click();
    QTRY_VERIFY_WITH_TIMEOUT(button(dialog, "teachUse")->isEnabled(), kLong);
    button(dialog, "teachUse")->click();
    test->modelWorker()->cancelOpening();
    QTRY_VERIFY2_WITH_TIMEOUT(dialog->message().contains(QStringLiteral("Press Use")),
                              qPrintable(dialog->message()), kLong);
    QVERIFY(test.document()->inputs().model().experiment.model.classes != 2);
    button(dialog, "teachUse")->click();
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->inputs().model().experiment.model.classes, 2, kLong);
  }

  void closingKeepsTheClassesAndMeasuresNothing() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, writeImage(path("image.png")));
    TeachDialog* dialog = opened(test);
    dialog->shelf()->addClass(QStringLiteral("night"));
    dialog->shelf()->addImages(0, {path("image.png")});
    dialog->setFolder(classFolders(path("classes"), 10));
    button(dialog, "teachStart")->click();
    QTRY_VERIFY_WITH_TIMEOUT(button(dialog, "teachSave")->isEnabled(), kLong);
    QTest::keyClick(dialog, Qt::Key_Escape);
    QVERIFY(!dialog->isVisible());
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    auto* bridge = test.window.findChild<TeachBridge*>();
    QVERIFY(bridge);
    test.document()->inputs().pushEdit(*makeMaskEdit(
        test.document()->inputs().masks(), {{0, 0}, {1, 0}}, {MaskKind::Strict, 1}, "strict"));
    QTest::qWait(2 * TeachBridge::kSettledMs);
    QVERIFY(!bridge->isBusy() && !bridge->edited());
    dialog = opened(test);
    QVERIFY(dialog->isVisible());
    QCOMPARE(dialog->shelf()->rowCount(), 1);
    QCOMPARE(dialog->shelf()->item(0, 0)->text(), QStringLiteral("night"));
    QCOMPARE(dialog->shelf()->item(0, 1)->text(), QStringLiteral("1"));
    QTRY_VERIFY_WITH_TIMEOUT(bridge->edited(), kLong);  // measured now
  }

  void closingStopsTeaching() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    TeachDialog* dialog = opened(test);
    dialog->setFolder(classFolders(path("classes"), 10));
    button(dialog, "teachStart")->click();
    auto* bridge = test.window.findChild<TeachBridge*>();
    QVERIFY(bridge && bridge->isBusy());
    dialog->close();
    QVERIFY(!bridge->isBusy());
    QTest::qWait(100);
    QVERIFY(!bridge->taught());
  }

  void imagesAreAddedWithoutDragging() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    TeachDialog* dialog = opened(test);
    dialog->findChild<QTabWidget*>(QStringLiteral("teachSources"))->setCurrentIndex(1);
    const QStringList files{writeImage(path("one.png")), writeImage(path("two.png"))};
    const ScopedDialogs seams;
    dialogs().files = [&](QWidget*, const FileQuestion& question,
                          const std::function<void(const QStringList&)>& answer) {
      QCOMPARE(question.mode, FileQuestion::Mode::OpenFiles);
      answer(files);
    };
    button(dialog, "teachAddImages")->click();
    QCOMPARE(dialog->shelf()->rowCount(), 1);
    QCOMPARE(dialog->shelf()->item(0, 1)->text(), QStringLiteral("2"));
  }

  void buttonsThatAreOffSayWhy() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    TeachDialog* dialog = opened(test);
    QVERIFY(!button(dialog, "teachUse")->isEnabled());
    QCOMPARE(button(dialog, "teachUse")->toolTip(), QStringLiteral("Teach the classes first"));
    dialog->findChild<QTabWidget*>(QStringLiteral("teachSources"))->setCurrentIndex(1);
    QVERIFY(!button(dialog, "teachStart")->isEnabled());
    QCOMPARE(button(dialog, "teachStart")->toolTip(), dialog->message());
  }

  void saysWhatIsTaughtWithoutAFolder() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    TeachDialog* dialog = opened(test);
    const auto* hint = dialog->findChild<QLabel*>(QStringLiteral("teachFolderHint"));
    QVERIFY(button(dialog, "teachStart")->isEnabled());
    QVERIFY2(hint->text().contains(QStringLiteral("texture-shape")), qPrintable(hint->text()));
  }

  void saysWhatIsWrong() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    TeachDialog* dialog = opened(test);
    dialog->setFolder(path("nothing-there"));
    button(dialog, "teachStart")->click();
    QVERIFY2(dialog->message().contains(QStringLiteral("holds no class folders")),
             qPrintable(dialog->message()));
    dialog->findChild<QTabWidget*>(QStringLiteral("teachSources"))->setCurrentIndex(1);
    dialog->shelf()->addClass(QStringLiteral("a"));
    QVERIFY(!button(dialog, "teachStart")->isEnabled());
    dialog->shelf()->addClass(QStringLiteral("a"));
    dialog->shelf()->addImages(0, {writeImage(path("one.png"))});
    dialog->shelf()->addImages(1, {writeImage(path("two.png"))});
    button(dialog, "teachStart")->click();
    QTRY_VERIFY_WITH_TIMEOUT(
        dialog->message().contains(QStringLiteral("two classes are called \"a\"")), kLong);
  }

  void aDroppedFolderOffersIt() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    QVERIFY(dropOn(&test.window, {classFolders(path("classes"), 3)}));
    QTRY_COMPARE_WITH_TIMEOUT(test.newestNotice().other, QStringLiteral("Teach…"), kLong);
  }

  /// Classes of pixels are not taught by images of classes.
  void aDroppedFolderDoesNotOfferItToASegmenter() {
    TestWindow test;
    writeText(path("segmenter.json"),
              R"({"schema": 3, "task": "segmentation", "model": {"image_size": 32}})");
    test->openPaths({path("segmenter.json")});
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), kLong);
    QVERIFY(dropOn(&test.window, {classFolders(path("classes"), 3)}));
    QTRY_VERIFY_WITH_TIMEOUT(test.newestNotice().text.contains(QStringLiteral("has none")), kLong);
    QCOMPARE(test.newestNotice().other, QString());
  }

  void savedItIsOpenedFromItsFile() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, writeImage(path("image.png")));
    TeachDialog* dialog = opened(test);
    dialog->setFolder(classFolders(path("classes"), 6));
    button(dialog, "teachStart")->click();
    QTRY_VERIFY_WITH_TIMEOUT(button(dialog, "teachSave")->isEnabled(), kLong);
    const QString file = path("taught.safetensors");
    const ScopedDialogs seams;
    dialogs().files = [&](QWidget*, const FileQuestion&,
                          const std::function<void(const QStringList&)>& answer) {
      answer({file});
    };
    button(dialog, "teachSave")->click();
    QTRY_COMPARE_WITH_TIMEOUT(
        QString::fromStdString(test.document()->inputs().model().weights.string()), file, kLong);
    QCOMPARE(test.document()->inputs().model().classNames,
             (std::vector<std::string>{"bright", "dark"}));
    QVERIFY2(dialog->headline().contains(QStringLiteral("Linear probe: ")),
             qPrintable(dialog->headline()));
    QCOMPARE(dialog->classes()->rowCount(), 2);
    OPEN_SMALL_MODEL(test);  // another has nothing to show
    QTRY_VERIFY(dialog->headline().isEmpty());
  }

  /// The program may end, or be killed, before anybody saves.
  void unsavedItIsOpenedByTheNextStart() {
    const QString image = writeImage(path("image.png"));
    std::vector<float> logits;
    QString title;
    {
      TestWindow test(path("session.json"));
      OPEN_SMALL_MODEL(test);
      OPEN_IMAGE(test, image);
      logits = taughtLogits(test);
      title = test.document()->modelTitle();
      QVERIFY(test->close());
    }
    TestWindow test(path("session.json"));
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inference() && !test.document()->isStale(), kLong);
    QCOMPARE(test.document()->inputs().model().classNames,
             (std::vector<std::string>{"bright", "dark"}));
    QVERIFY(logits.size() == 2 && areAlike(test.document()->inference()->logits, logits));
    QCOMPARE(test.document()->modelTitle(), title);
    QVERIFY2(title.endsWith(QStringLiteral("random weights + probe")), qPrintable(title));
    QCOMPARE(test.notices(), 0);
  }

  void theSessionNamesItSoon() {
    TestWindow test(path("session.json"));
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, writeImage(path("image.png")));
    taughtLogits(test);
    const std::string file = test.document()->inputs().model().weights.filename().string();
    QVERIFY(!file.empty());
    QTRY_VERIFY_WITH_TIMEOUT(textOf("session.json").contains(QByteArray::fromStdString(file)),
                             kLong);
  }

  void theFormerModelCanBeHadBack() {
    TestWindow test(path("session.json"));
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, writeImage(path("image.png")));
    const std::vector<float> before = test.document()->inference()->logits;
    QCOMPARE(taughtLogits(test).size(), std::size_t(2));
    const Notice said = test.newestNotice();
    QVERIFY2(said.text.contains(QStringLiteral("new classes")), qPrintable(said.text));
    QCOMPARE(said.action, QStringLiteral("Go back"));
    said.run();
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().model().weights.empty(), kLong);
    QTRY_VERIFY_WITH_TIMEOUT(
        test.document()->inference() && areAlike(test.document()->inference()->logits, before),
        kLong);
  }

  void aDiskThatDoesNotTakeItCostsNoClasses() {
    writeText(path("taught"), "a file where the folder would be");
    TestWindow test(path("session.json"));
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, writeImage(path("image.png")));
    QCOMPARE(taughtLogits(test).size(), std::size_t(2));
    QVERIFY(test.document()->inputs().model().weights.empty());
    const Notice said = test.newestNotice();
    QVERIFY2(said.title.contains(QStringLiteral("not kept")) &&
                 said.text.contains(QStringLiteral("Save as")),
             qPrintable(said.title + said.text));
  }

 private:
  QString path(const char* name) const { return m_folder->filePath(QString::fromLatin1(name)); }

  QByteArray textOf(const char* name) const {
    QFile file(path(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

  /// Of the image under the new classes, which are in use. Empty where that failed.
  std::vector<float> taughtLogits(TestWindow& test) {
    TeachDialog* dialog = opened(test);
    dialog->setFolder(classFolders(path("classes"), 6));
    button(dialog, "teachStart")->click();
    const auto known = [&test] {
      const auto inference = test.document()->inference();
      return inference && !test.document()->isStale() && inference->logits.size() == 2;
    };
    if (!QTest::qWaitFor(known, kLong)) return {};
    dialog->close();
    return test.document()->inference()->logits;
  }

  TeachDialog* opened(TestWindow& test) {
    test->actions()->find(QStringLiteral("train.teach"))->trigger();
    auto* dialog = test.window.findChild<TeachDialog*>();
    dialog->setFeaturePlace({{}, path("features").toStdString()});
    return dialog;
  }

  static void dropImages(ClassShelf* shelf, const QStringList& paths, const QPoint& place) {
    QMimeData data;
    data.setData(QString::fromLatin1(ClassShelf::kMimeType),
                 paths.join(QLatin1Char('\n')).toUtf8());
    QDragEnterEvent enter(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(shelf->viewport(), &enter);
    QDropEvent drop(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(shelf->viewport(), &drop);
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_MAIN(TeachDialogTest)
#include "TeachDialogTest.moc"
