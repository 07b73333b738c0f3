// SPDX-License-Identifier: GPL-3.0-or-later

// The window as a whole: it opens, runs the model, undoes, switches its theme, finds commands and
// closes.

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenuBar>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTabBar>

#include "tests/gui/Idle.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/FuzzyMatch.h"
#include "ui/base/Resources.h"
#include "ui/bridge/GalleryModel.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/figures/FigureExport.h"
#include "ui/opening/DemoModel.h"
#include "ui/opening/GalleryDock.h"
#include "ui/sequences/SequenceWindow.h"
#include "ui/window/CommandPalette.h"
#include "ui/window/HelpBrowser.h"

using namespace headlight;

/// Of a menu and those that it opens.
static QList<QAction*> entriesOf(const QMenu* menu) {
  QList<QAction*> entries;
  for (QAction* action : menu->actions())
    if (action->menu() && action->objectName().isEmpty())
      entries << entriesOf(action->menu());
    else if (!action->isSeparator())
      entries << action;
  return entries;
}

/// Without what says which key opens it, that a dialog follows, and where lines end.
static QString menuEntry(QString text) {
  return text.remove(QLatin1Char('&')).remove(QStringLiteral("…")).simplified();
}

/// "View → Plots → Heads by depth" of a menu and those that it opens.
static QStringList pathsIn(const QMenu* menu, const QString& above) {
  const QString here = above + menuEntry(menu->title()) + QStringLiteral(" → ");
  QStringList paths;
  for (QAction* action : menu->actions())
    if (action->menu() && action->objectName().isEmpty())
      paths << pathsIn(action->menu(), here);
    else if (!action->isSeparator())
      paths << here + menuEntry(action->text());
  return paths;
}

class ShellTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }
  void init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
    m_folder = std::make_unique<QTemporaryDir>();
    m_image = writeImage(m_folder->filePath(QStringLiteral("image.png")));
  }

  void opensAndLooks() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    QCOMPARE(test.document()->inference()->maps.layers.size(), 3u);
    QCOMPARE(test.document()->inference()->logits.size(), 9u);
    QVERIFY(test.document()->view().describe().contains(QStringLiteral("random weights")));
    QVERIFY(test->windowTitle().contains(QStringLiteral("small")));
    QVERIFY(test->windowTitle().contains(QStringLiteral("image.png")));
    QVERIFY(test->windowTitle().contains(QStringLiteral("scheme “none”")));
    for (const char* name : {"statusDevice", "statusSize", "statusSpeed", "statusMemory"})
      QVERIFY2(!test->findChild<QLabel*>(QLatin1String(name))->text().isEmpty(), name);
    const QString tip = test->findChild<QLabel*>(QStringLiteral("statusDevice"))->toolTip();
    QVERIFY2(tip.contains(QStringLiteral("\nAttention: ")), qPrintable(tip));
    QCOMPARE(test.notices(), 0);
  }

  void titleOmitsTheProgramName() {
    TestWindow test;
    QCOMPARE(test->windowTitle(), QStringLiteral("Headlight"));  // to which nothing is added
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    QCOMPARE(test->windowTitle(),
             QStringLiteral("small · random weights · image.png · scheme “none”"));
  }

  void titleAndCaptionsNameTheWeights() {
    TestWindow test;
    test->openDemo();
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    OPEN_IMAGE(test, m_image);
    QCOMPARE(test.document()->weightsName(), QStringLiteral("demo"));
    QVERIFY2(test->windowTitle().startsWith(QStringLiteral("demo · image.png · scheme")),
             qPrintable(test->windowTitle()));
    QCOMPARE(canvasLegend(*test.document(), {}).weights, QStringLiteral("demo"));
    QCOMPARE(headsLegend(*test.document()).weights, QStringLiteral("demo"));
    const auto figure = captureFigure(*test.document(), FigureKind::Canvas);
    QVERIFY(figure.ok());
    QCOMPARE(figure->title, QStringLiteral("image.png · demo"));
    QVERIFY(figure->caption.weights.isEmpty());  // once is enough
    // Weights that are called otherwise are called so everywhere.
    const QString file = m_folder->filePath(QStringLiteral("mine.safetensors"));
    QVERIFY(QFile::copy(demoWeights(), file));
    ModelSource source;
    source.weights = file.toStdString();
    test->modelWorker()->openModel(source);
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->weightsName(), QStringLiteral("mine.safetensors"),
                              20000);
    QVERIFY2(test->windowTitle().contains(QStringLiteral(" · mine.safetensors · ")),
             qPrintable(test->windowTitle()));
  }

  void galleryShowsItsCount() {
    TestWindow test;
    auto* count = test->findChild<QLabel*>(QStringLiteral("galleryCount"));
    auto* filter = test->findChild<QLineEdit*>(QStringLiteral("galleryFilter"));
    QCOMPARE(count->text(), QStringLiteral("9 images"));
    filter->setText(QStringLiteral("disc"));
    QCOMPARE(count->text(), QStringLiteral("3 of 9 images"));
    filter->setText(QStringLiteral("zebra"));
    QCOMPARE(count->text(), QStringLiteral("No image has “zebra” in its name."));
    filter->clear();
    test->openPaths({m_image});
    QTRY_COMPARE(count->text(), QStringLiteral("10 images"));
  }

  /// Control is held while the key asks for the next one.
  void theMarkFollowsTheKeys() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    const QString other = writeImage(m_folder->filePath(QStringLiteral("other.png")), 30, 40, 9);
    OPEN_IMAGE(test, other);
    const auto* gallery = test->findChild<GalleryDock*>();
    const auto marked = [&] {
      QStringList paths;
      for (const QModelIndex& row : gallery->view()->selectionModel()->selectedIndexes())
        paths << row.data(GalleryModel::PathRole).toString();
      return paths;
    };
    // Without a screen Qt counts the modifiers that a key comes with; where the window sends the key
    // on, those that it leads to, as for a keyboard.
    for (const Qt::KeyboardModifiers with : {Qt::NoModifier, Qt::ControlModifier})
      if (QGuiApplication::keyboardModifiers() != Qt::ControlModifier)
        QTest::keyPress(test.window.windowHandle(), Qt::Key_Control, with);
    QCOMPARE(QGuiApplication::keyboardModifiers(), Qt::ControlModifier);
    for (int i = 0; i < 3; ++i) {
      const QString before = test.document()->inputs().imagePath();
      test->actions()->find(QStringLiteral("file.next"))->trigger();
      QTRY_VERIFY(test.document()->inputs().imagePath() != before);
      QTRY_COMPARE(marked(), QStringList{test.document()->inputs().imagePath()});
    }
    QTest::keyRelease(test.window.windowHandle(), Qt::Key_Control);
  }

  void undoAndRedoThroughTheMenu() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    const MaskScheme before = test.document()->inputs().masks();
    const auto logits = test.document()->inference()->logits;
    const auto edit = makeMaskEdit(before, {{1, 0}, {1, 1}}, {MaskKind::Strict, 3}, "strict");
    test.document()->inputs().pushEdit(*edit);
    const MaskScheme after = test.document()->inputs().masks();
    QVERIFY(!(before == after));
    QTRY_VERIFY(!test.document()->isStale());
    QVERIFY(test.document()->inference()->logits != logits);
    QCOMPARE(test.document()->reference().inference()->logits, logits);
    QVERIFY(test.document()->editToImageMs() >= 0);
    QVERIFY(test->findChild<QLabel*>(QStringLiteral("statusSpeed"))->text().contains("edit"));

    QAction* undo = nullptr;
    QAction* redo = nullptr;
    for (QAction* menu : test->menuBar()->actions())
      for (QAction* action : menu->menu()->actions()) {
        if (action->objectName() == QStringLiteral("edit.undo")) undo = action;
        if (action->objectName() == QStringLiteral("edit.redo")) redo = action;
      }
    QVERIFY(undo && redo);
    undo->trigger();
    QVERIFY(test.document()->inputs().masks() == before);
    QTRY_VERIFY(!test.document()->isStale());
    QCOMPARE(test.document()->inference()->logits, logits);
    redo->trigger();
    QVERIFY(test.document()->inputs().masks() == after);
  }

  void newerLooksSupersedeOlderOnes() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    for (int i = 0; i < 40; ++i) {
      const HeadMask mask{i % 2 ? MaskKind::Hard : MaskKind::Strict, 1 + 2 * (i % 3)};
      const auto edit =
          makeMaskEdit(test.document()->inputs().masks(), {{i % 3, i % 2}}, mask, "edit");
      test.document()->inputs().pushEdit(*edit);
    }
    QVERIFY(test.document()->isStale());
    QTRY_VERIFY(!test.document()->isStale());
    // What arrived last is what the scheme of now gives.
    const auto arrived = test.document()->inference()->logits;
    test->modelWorker()->requestInference();
    QTRY_VERIFY(!test.document()->isStale());
    QCOMPARE(test.document()->inference()->logits, arrived);
  }

  void cancelingAnOpeningKeepsTheModel() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    test->modelWorker()->createModel(smallExperiment(64));
    QVERIFY(test->modelWorker()->isOpening());
    auto* cancel = test->findChild<QAbstractButton*>(QStringLiteral("statusCancel"));
    QVERIFY(cancel->isVisible());
    cancel->click();
    QVERIFY(!test->modelWorker()->isOpening());
    // The result that follows is made behind the canceled model, by the same thread: that arrived
    // before, and was not wanted.
    QTRY_VERIFY(!test.document()->isStale());
    QCOMPARE(test.document()->inputs().model().experiment.model.width, 32);
    QVERIFY(test.document()->inference());
  }

  void closesDuringWork() {
    for (int i = 0; i < 3; ++i) {
      TestWindow test(m_folder->filePath(QStringLiteral("closing.json")));
      if (i > 0) OPEN_SMALL_MODEL(test);
      test->openPaths({m_folder->path()});
      test->modelWorker()->createModel(smallExperiment(64));
      if (i > 1) test->modelWorker()->requestInference();
      QVERIFY(test->close());
    }
  }

  void galleryOpensImages() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    const int samples = test->gallery()->rowCount();
    const QString other = writeImage(m_folder->filePath(QStringLiteral("other.png")), 50, 50, 90);
    test->openPaths({m_image, other});
    QTRY_COMPARE(test->gallery()->rowCount(), samples + 2);
    QTRY_COMPARE(test.document()->inputs().imagePath(), m_image);
    test->actions()->find(QStringLiteral("file.next"))->trigger();
    QTRY_COMPARE(test.document()->inputs().imagePath(), other);
    test->actions()->find(QStringLiteral("file.previous"))->trigger();
    QTRY_COMPARE(test.document()->inputs().imagePath(), m_image);
  }

  void menusThatTheHelpNamesAreThere() {
    TestWindow test;
    QStringList entries;  // "File → Open"
    for (QAction* menu : test->menuBar()->actions())
      entries << pathsIn(menu->menu(), {});
    QVERIFY(entries.contains(QStringLiteral("File → Quit")));
    const QDir source(QStringLiteral(HEADLIGHT_SOURCE_DIR));
    QStringList pages{source.filePath(QStringLiteral("README.md"))};
    const QDir help(source.filePath(QStringLiteral("resources/help")));
    for (const QString& page : help.entryList({QStringLiteral("*.md")}))
      pages << help.filePath(page);
    // In *italics* or **bold**; a line may end within.
    const QRegularExpression mention(QStringLiteral("\\*([A-Z][a-z]+ → [^*]+)\\*"));
    int found = 0;
    for (const QString& page : pages) {
      QFile file(page);
      QVERIFY(file.open(QIODevice::ReadOnly));
      const QString text = QString::fromUtf8(file.readAll());
      for (const auto& match : mention.globalMatch(text)) {
        ++found;
        QVERIFY2(entries.contains(menuEntry(match.captured(1))),
                 qPrintable(page + QStringLiteral(": ") + match.captured(1)));
      }
    }
    QVERIFY(found >= 10);
  }

  void paletteFindsAndRuns() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    test->actions()->find(QStringLiteral("edit.palette"))->trigger();
    CommandPalette* palette = test->commandPalette();
    QVERIFY(palette->isVisible());
    auto* query = palette->findChild<QLineEdit*>(QStringLiteral("commandQuery"));
    QTest::keyClicks(query, QStringLiteral("show heads"));
    QCOMPARE(palette->shownIds().value(0), QStringLiteral("view.tab.heads"));
    QTest::keyClick(query, Qt::Key_Return);
    QVERIFY(!palette->isVisible());
    QCOMPARE(test->currentTab(), QStringLiteral("heads"));

    palette->open(QStringLiteral("zzzz"));
    QCOMPARE(palette->shownIds().size(), 0);
    QTest::keyClick(query, Qt::Key_Return);  // nothing to run: stays
    QVERIFY(palette->isVisible());
    QTest::keyClick(query, Qt::Key_Escape);
    QVERIFY(!palette->isVisible());
    palette->open();
    QCOMPARE(palette->shownIds().size(), test->actions()->commands().size());
  }

  void fuzzyMatching() {
    QVERIFY(fuzzyMatch(QStringLiteral("expfig"), QStringLiteral("File: Export figure")));
    QVERIFY(!fuzzyMatch(QStringLiteral("xq"), QStringLiteral("File: Export figure")));
    QCOMPARE(fuzzyMatch({}, QStringLiteral("anything"))->score, 0);
    const auto score = [](const char* query, const char* text) {
      return fuzzyMatch(QLatin1String(query), QLatin1String(text))->score;
    };
    QVERIFY(score("tr", "Train: Train") > score("tr", "Edit: extra"));
    QVERIFY(score("heads", "View: Show Heads") > score("heads", "he a d s"));
    QCOMPARE(fuzzyMatch(QStringLiteral("ac"), QStringLiteral("abc"))->positions,
             (QList<int>{0, 2}));
    QVERIFY(fuzzyMatch(QStringLiteral("heads show"), QStringLiteral("View: Show Heads")));
  }

  void themesSwitchAtRuntime() {
    TestWindow test;
    const auto lightness = [&] { return test->palette().color(QPalette::Window).lightness(); };
    test->actions()->find(QStringLiteral("view.theme.dark"))->trigger();
    QTRY_VERIFY(lightness() < 80);  // Qt tells the widgets when it is idle
    QVERIFY(test.theme.isDark());
    test->actions()->find(QStringLiteral("view.theme.light"))->trigger();
    QTRY_VERIFY(lightness() > 180);
    QVERIFY(!test->actions()->find(QStringLiteral("view.theme.dark"))->isChecked());
    test->actions()->find(QStringLiteral("view.theme.system"))->trigger();
    QCOMPARE(test.theme.choice(), ThemeChoice::System);
  }

  void theViewMenuMarksWhatIsShown() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    const auto command = [&](const char* id) {
      QAction* found = test->actions()->find(QLatin1String(id));
      if (!found) qFatal("there is no %s", id);
      return found;
    };
    const auto marked = [&](const QString& group) {
      QStringList ids;
      for (const Command& each : test->actions()->commands())
        if (each.id().startsWith(group) && each.action->isChecked()) ids << each.id();
      return ids;
    };
    QCOMPARE(marked("view.style."), QStringList{"view.style.headlight"});
    QCOMPARE(marked("view.colors."), QStringList{"view.colors.viridis"});
    QCOMPARE(marked("view.tab."), QStringList{"view.tab.canvas"});
    QCOMPARE(marked("view.workspace."), QStringList{"view.workspace.look"});
    for (const auto& [id, option] : {std::pair{"view.overlay", &ViewOptions::showOverlay},
                                     std::pair{"view.smooth", &ViewOptions::smooth},
                                     std::pair{"view.sharedRange", &ViewOptions::sharedRange}})
      for (int i = 0; i < 2; ++i) {
        const bool before = test.document()->view().options().*option;
        command(id)->trigger();
        QCOMPARE(test.document()->view().options().*option, !before);
        QCOMPARE(command(id)->isChecked(), !before);
      }
    command("view.style.warm")->trigger();
    QCOMPARE(test.document()->view().options().style, MapStyle::Warm);
    command("view.style.warm")->trigger();  // it stays
    QCOMPARE(marked("view.style."), QStringList{"view.style.warm"});
    command("view.colors.jet")->trigger();
    QCOMPARE(marked("view.colors."), QStringList{"view.colors.jet"});
    QCOMPARE(marked("view.style."), QStringList{"view.style.overlay"});
    test.document()->view().change([](ViewOptions& view) { view.style = MapStyle::Headlight; });
    QCOMPARE(marked("view.style."), QStringList{"view.style.headlight"});
    test->showTab("rollout");
    QCOMPARE(marked("view.tab."), QStringList{"view.tab.rollout"});
    test->showWorkspace("compare");
    QCOMPARE(marked("view.workspace."), QStringList{"view.workspace.compare"});
    QCOMPARE(marked("view.tab."), QStringList{"view.tab.compare"});
  }

  void contextMenusOfferTheirCommands() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    const auto offered = [&](QWidget* widget) {
      QContextMenuEvent event(QContextMenuEvent::Mouse, widget->rect().center(),
                              widget->mapToGlobal(widget->rect().center()));
      QApplication::sendEvent(widget, &event);
      QStringList ids;
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      if (!menu) return ids;
      for (const QAction* action : menu->actions())
        if (!action->isSeparator()) ids << action->objectName();
      menu->close();
      return ids;
    };
    const QStringList canvas = offered(test->findChild<QWidget*>(QStringLiteral("canvas")));
    for (const char* id : {"view.nextLayer", "view.overlay", "view.style.warm", "view.zoomFit",
                           "edit.copyImage", "file.exportFigure"})
      QVERIFY2(canvas.contains(QLatin1String(id)), id);
    auto* dock = test->findChild<QDockWidget*>(QStringLiteral("dock.heads"));
    auto* area = dock->widget()->findChild<QAbstractScrollArea*>(QStringLiteral("headsArea"));
    const QStringList heads = offered(area->viewport());
    for (const char* id : {"view.nextHead", "view.sharedRange", "view.tab.heads"})
      QVERIFY2(heads.contains(QLatin1String(id)), id);
    const QStringList classes = offered(test->findChild<QWidget*>("predictionPanel"));
    QVERIFY(classes.contains(QStringLiteral("masks.compare.pin")));
    // Their letters go on working where they did, and nowhere else.
    QVERIFY(!area->actions().contains(test->actions()->find(QStringLiteral("view.smooth"))));
  }

  void docksCloseAndComeBack() {
    TestWindow test;
    auto* dock = test->findChild<QDockWidget*>(QStringLiteral("dock.heads"));
    QTRY_VERIFY(dock->isVisible());
    test->actions()->find(QStringLiteral("view.dock.heads"))->trigger();
    QVERIFY(!dock->isVisible());
    test->actions()->find(QStringLiteral("view.workspace.putBack"))->trigger();
    QVERIFY(dock->isVisible());
  }

  void keysWorkAtOnce() {
    TestWindow test;
    test->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&test.window));
    OPEN_SMALL_MODEL(test);
    QWidget* canvas = test->findChild<QWidget*>(QStringLiteral("canvas"));
    auto* filter = test->findChild<QLineEdit*>(QStringLiteral("galleryFilter"));
    QTRY_VERIFY(canvas->hasFocus());
    const bool smooth = test.document()->view().options().smooth;
    QTest::keyClick(test->focusWidget(), Qt::Key_S);
    QVERIFY(test.document()->view().options().smooth != smooth);

    filter->setFocus();
    QVERIFY(dropOn(&test.window, {m_image}));
    QTRY_COMPARE(test.document()->inputs().imagePath(), m_image);
    QVERIFY(canvas->hasFocus());

    filter->setFocus();
    test->actions()->find(QStringLiteral("model.choose"))->trigger();
    auto* dialog = test->findChild<QDialog*>(QStringLiteral("modelDialog"));
    QVERIFY(dialog && dialog->isVisible());
    QTest::keyClick(dialog, Qt::Key_Escape);
    QTRY_VERIFY(canvas->hasFocus());

    filter->setFocus();
    test->showWorkspace(QStringLiteral("mask"));  // which has no gallery
    QVERIFY(canvas->hasFocus());
  }

  void fieldsLeaveCommandsTheirKeys() {
    TestWindow test;
    test->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&test.window));
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    const QList<QKeySequence> ofText{QKeySequence::Copy, QKeySequence::Cut, QKeySequence::Paste,
                                     QKeySequence::SelectAll};
    int fields = 0;
    for (QWidget* widget : test->findChildren<QWidget*>()) {
      const bool isField = qobject_cast<QLineEdit*>(widget) || qobject_cast<QComboBox*>(widget) ||
                           qobject_cast<QAbstractSpinBox*>(widget);
      if (!isField || !widget->isVisible() || !widget->isEnabled()) continue;
      ++fields;
      for (const QKeySequence& keys : shortcutsOfEnabled(*test->actions())) {
        const bool single = keys[0].keyboardModifiers() == Qt::NoModifier &&
                            keys[0].key() < Qt::Key_Escape;  // KeysAndMenusTest
        if (ofText.contains(keys) || single) continue;
        QKeyEvent claim(QEvent::ShortcutOverride, keys[0].key(), keys[0].keyboardModifiers());
        claim.ignore();
        QApplication::sendEvent(widget, &claim);
        QVERIFY2(!claim.isAccepted(),
                 qPrintable(widget->objectName() + QStringLiteral(" takes ") + keys.toString()));
      }
    }
    QVERIFY(fields >= 5);
    auto* filter = test->findChild<QLineEdit*>(QStringLiteral("galleryFilter"));
    auto* layer = test->findChild<QAbstractSpinBox*>(QStringLiteral("viewLayer"));
    auto* style = test->findChild<QComboBox*>(QStringLiteral("viewStyle"));
    for (QWidget* field : std::initializer_list<QWidget*>{filter, layer, style}) {
      test->showWorkspace(QStringLiteral("look"));
      field->setFocus();
      QTest::keyClick(field, Qt::Key_F4);
      QCOMPARE(test->currentWorkspace(), QStringLiteral("compare"));
    }
    // What edits their text stays theirs, and so does undo while there is something typed.
    test->showWorkspace(QStringLiteral("look"));
    filter->setFocus();
    QTest::keyClicks(filter, QStringLiteral("pic"));
    QTest::keySequence(filter, QKeySequence::SelectAll);
    QCOMPARE(filter->selectedText(), QStringLiteral("pic"));
    QTest::keySequence(filter, QKeySequence::Undo);
    QVERIFY(filter->text() != QStringLiteral("pic"));
  }

  void everyCommandHasWordsAndItsOwnKeys() {
    TestWindow test;
    QHash<QString, QString> owners;
    for (const Command& command : test->actions()->commands()) {
      const QString id = command.id();
      QVERIFY2(!command.text().isEmpty(), qPrintable(id));
      QVERIFY2(!command.action->toolTip().isEmpty(), qPrintable(id));
      QVERIFY2(!command.action->shortcut().isEmpty(),
               qPrintable(id + QStringLiteral(" has no shortcut")));
      for (const QKeySequence& each : command.action->shortcuts()) {
        const QString keys = each.toString(QKeySequence::PortableText);
        QVERIFY2(!owners.contains(keys),
                 qPrintable(QStringLiteral("%1: %2 and %3").arg(keys, id, owners.value(keys))));
        owners.insert(keys, id);
      }
    }
    // "Ctrl+K" alone must not hide the chords that begin with it.
    for (const QString& keys : owners.keys())
      QVERIFY2(!owners.contains(keys.section(QStringLiteral(", "), 0, 0)) || !keys.contains(", "),
               qPrintable(keys));
    // And every action of a menu is one of them.
    for (QAction* menu : test->menuBar()->actions())
      for (QAction* action : entriesOf(menu->menu()))
        QVERIFY(test->actions()->find(action->objectName()));
  }

  void everyInteractiveWidgetHasAName() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    QStringList nameless;
    for (const char* tab : {"canvas", "heads", "rollout", "compare"}) {
      test->showTab(QLatin1String(tab));
      synthetic::untilIdle();
      for (QWidget* widget : test->findChildren<QWidget*>())
        if (widget->isVisible() && isInteractive(widget) && nameOf(widget).isEmpty())
          nameless << QStringLiteral("%1 %2 in %3")
                          .arg(QLatin1String(widget->metaObject()->className()),
                               widget->objectName(), widget->parentWidget()->objectName());
    }
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QLatin1Char('\n'))));
  }

  void helpIsCompleteAndLinked() {
    TestWindow test;
    HelpBrowser* help = test->showHelp(QStringLiteral("index"));
    for (const QString& page : HelpBrowser::pages()) {
      help->showPage(page);
      QCOMPARE(help->page(), page);
      QCOMPARE(help->findChild<QListWidget*>()->currentRow(), HelpBrowser::pages().indexOf(page));
      QVERIFY2(help->browser()->toPlainText().size() > 300, qPrintable(page));
      const QString markdown = help->browser()->document()->toMarkdown();
      static const QRegularExpression link(QStringLiteral("\\]\\(([a-z-]+)\\.md"));
      for (auto match = link.globalMatch(markdown); match.hasNext();)
        QVERIFY(HelpBrowser::pages().contains(match.next().captured(1)));
    }
    QVERIFY(help->browser()->toPlainText().contains(QStringLiteral("Ctrl+Shift+P")));
  }

  void sequenceWindowMessagesAreLogged() {
    TestWindow test;
    test->showSequences()->openPath(QStringLiteral("/nowhere/a.safetensors"));
    QTRY_VERIFY_WITH_TIMEOUT(
        !test.log.lines().filter(QStringLiteral("Sequence models: Not opened")).isEmpty(), 20000);
    QVERIFY(!test.log.lines().filter(QStringLiteral("a.safetensors")).isEmpty());
  }

  void shortcutPageIsUpToDate() {
    TestWindow test;
    QFile file(QStringLiteral(HEADLIGHT_SOURCE_DIR "/resources/help/shortcuts.md"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    // Make it anew with: headlight --print-shortcuts > resources/help/shortcuts.md
    QCOMPARE(QString::fromUtf8(file.readAll()), shortcutsPage(*test->actions()));
  }

 private:
  static QList<QKeySequence> shortcutsOfEnabled(const Actions& actions) {
    QList<QKeySequence> all;
    for (const Command& command : actions.commands())
      if (command.action->isEnabled()) all << command.action->shortcuts();
    return all;
  }
  static bool isInteractive(QWidget* widget) {
    if (widget->objectName().startsWith(QStringLiteral("qt_")) || !widget->isEnabled())
      return false;
    if (qobject_cast<QScrollBar*>(widget) || qobject_cast<QTabBar*>(widget->parentWidget()))
      return false;  // parts that Qt makes and names by their role
    return qobject_cast<QAbstractButton*>(widget) || qobject_cast<QLineEdit*>(widget) ||
           qobject_cast<QComboBox*>(widget) || qobject_cast<QAbstractSpinBox*>(widget) ||
           qobject_cast<QAbstractSlider*>(widget) || qobject_cast<QAbstractItemView*>(widget) ||
           (widget->focusPolicy() & Qt::TabFocus && !qobject_cast<QTabBar*>(widget));
  }
  static QString nameOf(QWidget* widget) {
    QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(widget);
    const QString name = accessible ? accessible->text(QAccessible::Name) : QString();
    return name.isEmpty() ? widget->accessibleName() : name;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  QString m_image;
};

QTEST_MAIN(ShellTest)
#include "ShellTest.moc"
