// SPDX-License-Identifier: GPL-3.0-or-later

// Keys work wherever the focus is, except in text that is being typed; Esc and Enter leave a field.
// Menus have one column. Help is on F1, workspaces on Ctrl+1 to Ctrl+4.

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QMenuBar>
#include <QSpinBox>

#include "tests/gui/Idle.h"
#include "tests/gui/SyntheticInference.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/canvas/Canvas.h"
#include "ui/window/HelpBrowser.h"

using namespace headlight;

namespace {

constexpr const char* kWorkspaceNames[] = {"look", "mask", "train", "compare"};

/// A line to type in; spin boxes and lists take no letters.
bool takesLetters(const QWidget* widget) {
  if (widget->objectName() == QStringLiteral("viewToken")) return true;  // "class"
  if (const auto* box = qobject_cast<const QComboBox*>(widget)) return box->isEditable();
  return qobject_cast<const QLineEdit*>(widget);
}

QList<QWidget*> focusable(QWidget* window) {
  QList<QWidget*> found;
  for (QWidget* widget : window->findChildren<QWidget*>())
    if (widget->isVisible() && widget->isEnabled() && widget->focusPolicy() != Qt::NoFocus &&
        !widget->focusProxy() && widget->window() == window)
      found << widget;
  return found;
}

QString nameOf(const QWidget* widget) {
  return QLatin1String(widget->metaObject()->className()) + QLatin1Char(' ') + widget->objectName();
}

}  // namespace

class KeysAndMenusTest : public QObject {
  Q_OBJECT

  /// A window that has the keyboard, with a model and an image.
  struct Window : TestWindow {
    void give(QWidget* widget) {
      widget->setFocus();
      QVERIFY2(QApplication::focusWidget() == widget, qPrintable(nameOf(widget)));
    }
    void press(Qt::Key key) { QTest::keyClick(QApplication::focusWidget(), key); }
    template <typename W>
    W* find(const char* name) {
      W* found = window.findChild<W*>(QLatin1String(name));
      if (!found) qFatal("there is no %s", name);
      return found;
    }
    const ViewOptions& view() { return document()->view().options(); }
  };

#define PREPARE(test)                                 \
  Window test;                                        \
  test->activateWindow();                             \
  QVERIFY(QTest::qWaitForWindowActive(&test.window)); \
  OPEN_SMALL_MODEL(test);                             \
  OPEN_IMAGE(test, m_image)

 private Q_SLOTS:
  void initTestCase() {
    initializeHeadlightResources();
  }
  void init() {
    synthetic::failOnQtWarnings();
    m_folder = std::make_unique<QTemporaryDir>();
    m_image = writeImage(m_folder->filePath(QStringLiteral("image.png")));
  }

  void singleKeysWorkWhereverTheFocusIs() {
    PREPARE(test);
    int places = 0;
    for (const char* workspace : kWorkspaceNames) {
      test->showWorkspace(QLatin1String(workspace));
      synthetic::untilIdle();
      for (QWidget* widget : focusable(&test.window)) {
        if (takesLetters(widget)) continue;
        ++places;
        test.document()->view().change([](ViewOptions& view) { view.layer = view.head = 0; });
        test.give(widget);
        test.press(Qt::Key_BracketRight);
        QVERIFY2(test.view().layer == 1, qPrintable(nameOf(widget)));
        test.press(Qt::Key_Period);
        QVERIFY2(test.view().head == 1, qPrintable(nameOf(widget)));
        const bool overlay = test.view().showOverlay;
        test.press(Qt::Key_O);
        QVERIFY2(test.view().showOverlay != overlay, qPrintable(nameOf(widget)));
      }
    }
    QVERIFY2(places > 25, qPrintable(QString::number(places)));
  }

  void singleKeysWorkInAFloatingDock() {
    PREPARE(test);
    auto* dock = test.find<QDockWidget>("dock.gallery");
    dock->setFloating(true);
    dock->activateWindow();
    QTRY_COMPARE(QApplication::activeWindow(), dock);
    auto* list = dock->findChild<QAbstractItemView*>();
    list->setFocus();
    QTRY_COMPARE(QApplication::focusWidget(), list);
    const bool smooth = test.view().smooth;
    test.press(Qt::Key_S);
    QVERIFY(test.view().smooth != smooth);
    auto* filter = test.find<QLineEdit>("galleryFilter");
    filter->setFocus();
    QTRY_COMPARE(QApplication::focusWidget(), filter);
    test.press(Qt::Key_S);
    QCOMPARE(filter->text(), QStringLiteral("s"));
  }

  void typedTextIsTyped() {
    PREPARE(test);
    const ViewOptions before = test.view();
    auto* filter = test.find<QLineEdit>("galleryFilter");
    test.give(filter);
    QTest::keyClicks(filter, QStringLiteral("sohcr[],.10d"));
    QCOMPARE(filter->text(), QStringLiteral("sohcr[],.10d"));
    QVERIFY(test.view() == before);
    auto* layer = test.find<QSpinBox>("viewLayer");
    test.give(layer);
    layer->selectAll();
    test.press(Qt::Key_1);
    QCOMPARE(layer->text(), QStringLiteral("1"));
    QCOMPARE(test.view().layer, 2);  // until it is entered
    test.press(Qt::Key_S);           // a letter is no number: it is a command, after the number
    QCOMPARE(layer->text(), QStringLiteral("1"));
    QCOMPARE(test.view().layer, 1);
    QVERIFY(test.view().smooth != before.smooth);
  }

  void enterAndEscapeLeaveFields() {
    PREPARE(test);
    auto* canvas = test.find<Canvas>("canvas");
    for (QWidget* widget : focusable(&test.window)) {
      const bool isField = qobject_cast<QLineEdit*>(widget) || qobject_cast<QComboBox*>(widget) ||
                           qobject_cast<QAbstractSpinBox*>(widget);
      if (!isField) continue;
      for (const Qt::Key key : {Qt::Key_Escape, Qt::Key_Return, Qt::Key_Enter}) {
        test.give(widget);
        test.press(key);
        QVERIFY2(canvas->hasFocus(), qPrintable(nameOf(widget)));
      }
    }
    // Enter takes what was typed; Esc does not.
    auto* layer = test.find<QSpinBox>("viewLayer");
    for (const auto& [key, wanted] : {std::pair{Qt::Key_Return, 2}, std::pair{Qt::Key_Escape, 0}}) {
      test.document()->view().change([](ViewOptions& view) { view.layer = 0; });
      test.give(layer);
      layer->selectAll();
      test.press(Qt::Key_2);
      test.press(key);
      QVERIFY(canvas->hasFocus());
      QCOMPARE(test.view().layer, wanted);
      QCOMPARE(layer->value(), wanted);
    }
  }

  void theImageTakesKeysThatNothingElseTakes() {
    PREPARE(test);
    auto* canvas = test.find<Canvas>("canvas");
    auto* button = test.find<QAbstractButton>("viewSmooth");
    const auto places = [&] {
      return QList<QWidget*>{
          button, test.find<QComboBox>("viewStyle"),
          test.find<QDockWidget>("dock.gallery")->findChild<QAbstractItemView*>()};
    };
    for (QWidget* place : places()) {
      canvas->fit();
      const double zoom = canvas->zoom();
      test.give(place);
      test.press(Qt::Key_Plus);
      QVERIFY2(canvas->zoom() > zoom, qPrintable(nameOf(place)));
      test.press(Qt::Key_0);
      QVERIFY2(canvas->zoom() == zoom, qPrintable(nameOf(place)));
      QVERIFY(place->hasFocus());
    }
    test.give(test.find<QWidget>("predictionPanel"));
    test.document()->view().change([](ViewOptions& view) { view.query = 1; });
    test.press(Qt::Key_Right);
    QCOMPARE(test.view().query, 2);
    QVERIFY(test.document()->view().isPinned());
    test.press(Qt::Key_Escape);
    QVERIFY(!test.document()->view().isPinned());
  }

  void helpIsOnF1AndWorkspacesOnDigits() {
    PREPARE(test);
    const std::pair<Qt::Key, const char*> keys[] = {
        {Qt::Key_2, "mask"},  {Qt::Key_3, "train"},  {Qt::Key_4, "compare"}, {Qt::Key_1, "look"},
        {Qt::Key_F2, "mask"}, {Qt::Key_F3, "train"}, {Qt::Key_F4, "compare"}};
    for (const auto& [key, name] : keys) {
      const bool digit = key <= Qt::Key_9;
      QTest::keyClick(&test.window, key, digit ? Qt::ControlModifier : Qt::NoModifier);
      QCOMPARE(test->currentWorkspace(), QLatin1String(name));
    }
    const std::pair<Qt::Key, const char*> tabs[] = {{Qt::Key_2, "heads"},
                                                    {Qt::Key_3, "rollout"},
                                                    {Qt::Key_4, "compare"},
                                                    {Qt::Key_5, "explain"}};
    for (const auto& [key, name] : tabs) {
      QTest::keyClick(&test.window, key, Qt::AltModifier);
      QCOMPARE(test->currentTab(), QLatin1String(name));
    }
    QTest::keyClick(&test.window, Qt::Key_1, Qt::AltModifier);
    QTest::keyClick(&test.window, Qt::Key_5, Qt::ControlModifier);  // as before
    QCOMPARE(test->currentTab(), QStringLiteral("explain"));
    test->showTab(QStringLiteral("canvas"));
    test->showTab(QStringLiteral("ways"));  // as sessions of before say it
    QCOMPARE(test->currentTab(), QStringLiteral("explain"));
    for (const Qt::KeyboardModifiers old : {Qt::NoModifier, Qt::ControlModifier}) {
      QTest::keyClick(&test.window, Qt::Key_F1, old);
      auto* help = test->findChild<HelpBrowser*>();
      QVERIFY(help && help->isVisible());
      help->close();
      QTRY_VERIFY(!test->findChild<HelpBrowser*>());
      test->activateWindow();
      QVERIFY(QTest::qWaitForWindowActive(&test.window));
    }
  }

  void menusHaveOneColumnOnASmallScreen() {
    PREPARE(test);
    constexpr int kScreen = 800, kBars = 60;
    for (QAction* top : test->menuBar()->actions())
      checkColumn(top->menu(), kScreen - kBars);
    const QMenu* view = nullptr;
    for (QAction* top : test->menuBar()->actions())
      if (top->text().contains(QStringLiteral("View"))) view = top->menu();
    QVERIFY(view);
    int entries = 0;
    for (const QAction* action : view->actions())
      entries += !action->isSeparator();
    QVERIFY2(entries <= 22, qPrintable(QString::number(entries)));
  }

 private:
  static void checkColumn(QMenu* menu, int room) {
    int height = 0;
    for (QAction* action : menu->actions()) {
      height += menu->actionGeometry(action).height();
      if (action->menu() && action->menu()->objectName().isEmpty())
        checkColumn(action->menu(), room);
    }
    QVERIFY2(height <= room,
             qPrintable(menu->title() + QLatin1Char(' ') + QString::number(height)));
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  QString m_image;
};

QTEST_MAIN(KeysAndMenusTest)
#include "KeysAndMenusTest.moc"
