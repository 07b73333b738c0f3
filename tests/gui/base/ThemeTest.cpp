// SPDX-License-Identifier: GPL-3.0-or-later

// What is seen of fields, switches and tool tips, light and dark.

#include <QAbstractButton>
#include <QHelpEvent>
#include <QRegularExpression>
#include <QToolButton>
#include <QToolTip>

#include "tests/gui/Grab.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"

using namespace headlight;

class ThemeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }
  void init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
  }

  void fieldsHaveAnEdgeThatIsSeen() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    for (const auto theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
      test.theme.setChoice(theme);
      synthetic::untilIdle();
      const QColor ground = test->palette().color(QPalette::Window);
      for (const char* name : {"galleryFilter", "viewLayer", "viewHead", "viewStyle"}) {
        auto* field = test->findChild<QWidget*>(QLatin1String(name));
        const QImage image = field->grab().toImage();
        // Along its left edge, by the middle.
        const double seen = contrast(image.pixelColor(0, image.height() / 2), ground);
        QVERIFY2(seen >= 3, qPrintable(QStringLiteral("%1 in %2: %3 to 1")
                                           .arg(QLatin1String(name), themeName(theme))
                                           .arg(seen)));
      }
    }
    synthetic::saveGrabs(test.window, QStringLiteral("fields"));
  }

  void switchesLookOnWhenTheyAreOn() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    for (const auto theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
      test.theme.setChoice(theme);
      for (const char* name : {"viewOverlay", "viewSmooth", "viewShared"}) {
        auto* button = test->findChild<QToolButton*>(QLatin1String(name));
        const auto edge = [&](bool on) {
          button->setChecked(on);
          synthetic::untilIdle();
          const QImage image = button->grab().toImage();
          return image.pixelColor(0, image.height() / 2);
        };
        const double seen = contrast(edge(true), edge(false));
        QVERIFY2(seen >= 3, qPrintable(QStringLiteral("%1 in %2: %3 to 1")
                                           .arg(QLatin1String(name), themeName(theme))
                                           .arg(seen)));
      }
    }
  }

  void iconsAreSharpOnFineScreens() {
    TestWindow test;
    int icons = 0;
    for (const auto* button : test->findChildren<QAbstractButton*>()) {
      if (button->icon().isNull()) continue;
      ++icons;
      const QSize shown(16, 16);
      const QSize coarse = button->icon().pixmap(shown, 1.0).size();
      const QSize fine = button->icon().pixmap(shown, 2.0).size();
      QVERIFY2(fine == 2 * coarse, qPrintable(QStringLiteral("%1 %2: %3 pixels for %4")
                                                  .arg(button->objectName(), button->toolTip())
                                                  .arg(fine.width())
                                                  .arg(2 * coarse.width())));
    }
    QVERIFY(icons > 20);
  }

  void longToolTipsAreFolded() {
    TestWindow test;
    test->activateWindow();  // which hides tips
    QVERIFY(QTest::qWaitForWindowActive(&test.window));
    synthetic::untilIdle();
    auto* widget = test->findChild<QWidget*>(QStringLiteral("viewStyle"));
    const QString plain = widget->toolTip();
    QVERIFY(plain.size() > 100 && !plain.contains(QLatin1Char('\n')));
    show(widget);
    QTRY_VERIFY(QToolTip::isVisible() && QToolTip::text().contains(QLatin1Char('\n')));
    QCOMPARE(QToolTip::text().simplified(), plain);
    const QFontMetrics metrics(QToolTip::font());
    for (const QString& line : QToolTip::text().split(QLatin1Char('\n')))
      QVERIFY2(metrics.horizontalAdvance(line) <= metrics.averageCharWidth() * 62,
               qPrintable(line));
    QToolTip::hideText();
    // What has no spaces is folded too, what is short is not.
    widget->setToolTip(QStringLiteral("x").repeated(300));
    show(widget);
    QTRY_VERIFY(QToolTip::text().count(QLatin1Char('\n')) >= 4);
    QToolTip::hideText();
    QTRY_VERIFY(!QToolTip::isVisible());
    widget->setToolTip(QStringLiteral("short & <plain>"));
    show(widget);
    synthetic::untilIdle();
    QCOMPARE(QToolTip::text(), QStringLiteral("short & <plain>"));
    QToolTip::hideText();
  }

 private:
  static void show(QWidget* widget) {
    const QPoint middle = widget->rect().center();
    QHelpEvent help(QEvent::ToolTip, middle, widget->mapToGlobal(middle));
    QApplication::sendEvent(widget, &help);
  }

  static double luminance(const QColor& color) {
    const auto linear = [](double c) {
      return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
           0.0722 * linear(color.blueF());
  }
  /// As WCAG counts it: 1 to 21.
  static double contrast(const QColor& a, const QColor& b) {
    const auto [low, high] = std::minmax({luminance(a), luminance(b)});
    return (high + 0.05) / (low + 0.05);
  }
};

QTEST_MAIN(ThemeTest)
#include "ThemeTest.moc"
