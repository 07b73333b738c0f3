// SPDX-License-Identifier: GPL-3.0-or-later

// What is said over, below and beside pictures stays readable in small windows, and in nobody's
// way.

#include <QAbstractButton>
#include <QComboBox>
#include <QHelpEvent>
#include <QLabel>
#include <QRegularExpression>
#include <QToolTip>

#include "tests/gui/WindowFixture.h"
#include "ui/attribution/ExplanationView.h"
#include "ui/base/TextWrapping.h"
#include "ui/canvas/ImagePainting.h"
#include "ui/compare/CompareView.h"
#include "ui/evaluation/PredictionPanel.h"
#include "ui/workspace/PictureTabs.h"

using namespace headlight;

class CaptionsTest : public QObject {
  Q_OBJECT

  /// The columns in which a picture of `legend`, `width` wide, differs from one without its bar.
  static QRect coloured(Legend legend, int width) {
    const auto painted = [&] {
      QImage image(width, static_cast<int>(legendHeight(QFontMetricsF(qApp->font()), {}, width)),
                   QImage::Format_RGB32);
      image.fill(Qt::white);
      QPainter painter(&image);
      painter.setFont(qApp->font());
      drawLegend(painter, image.rect(), legend, lightPalette());
      return image;
    };
    const QImage with = painted();
    legend.colorMap = ColorMap::Diverging;
    const QImage without = painted();
    QRect differs;
    for (int y = 0; y < with.height(); ++y)
      for (int x = 0; x < width; ++x)
        if (with.pixel(x, y) != without.pixel(x, y)) differs |= QRect(x, y, 1, 1);
    return differs;
  }

 private Q_SLOTS:
  void init() { QTest::failOnWarning(QRegularExpression("^(?!This plugin does not support)")); }

  void linesBreakAtWordsAndWithinWhatIsTooLong() {
    const QFontMetricsF metrics(qApp->font());
    const QString text = QStringLiteral("one two three\nfour /a/very/long/path/without/a/space");
    const double width = metrics.horizontalAdvance(QStringLiteral("one two th"));
    const QStringList lines = brokenLines(metrics, text, width);
    QCOMPARE(lines.mid(0, 3), QStringList({"one two", "three", "four"}));
    QCOMPARE(lines.mid(3).join(QString()), QStringLiteral("/a/very/long/path/without/a/space"));
    for (const QString& line : lines)
      QVERIFY2(metrics.horizontalAdvance(line) <= width, qPrintable(line));
    QCOMPARE(brokenLines(metrics, text, 1e6),
             QStringList({"one two three", "four /a/very/long/path/without/a/space"}));
    QCOMPARE(brokenLines(metrics, QStringLiteral("ab"), 0), QStringList({"a", "b"}));
  }

  /// Below title and detail where it is narrow, beside the title where it is wider.
  void theBarLeavesTheTitleItsRoom() {
    Legend legend;
    legend.title = QStringLiteral("layer 3 · mean of heads · class token");
    legend.bar = true;
    legend.range = {0.25, 0.5};
    const double line = QFontMetricsF(qApp->font()).height();
    QVERIFY(coloured(legend, 220).top() > 2 * line);
    const QRect beside = coloured(legend, 600);
    QVERIFY(beside.bottom() < 2 * line);
    QVERIFY(beside.left() > QFontMetricsF(qApp->font()).horizontalAdvance(legend.title));
  }

  void theWholeLegendIsInItsTip() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    QTemporaryDir folder;
    OPEN_PICTURE(test, writePicture(folder.filePath("a.png")));
    PictureView* canvas = test->findChild<PictureTabs*>()->picture();
    const QPoint below(canvas->width() / 2, canvas->height() - 8);
    QHelpEvent ask(QEvent::ToolTip, below, canvas->mapToGlobal(below));
    QApplication::sendEvent(canvas, &ask);
    QTRY_VERIFY(QToolTip::text().contains(QStringLiteral("scaled to this map")));
    QToolTip::hideText();
  }

  void noticesLieBelowTheControls_data() {
    QTest::addColumn<QString>("page");
    for (const char* page : {"canvas", "compare", "ways"})
      QTest::newRow(page) << page;
  }
  void noticesLieBelowTheControls() {
    QFETCH(QString, page);
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    QTemporaryDir folder;
    OPEN_PICTURE(test, writePicture(folder.filePath("a.png")));
    auto* tabs = test->findChild<PictureTabs*>();
    tabs->showPage(page);
    test->noticeBar()->add({Notice::Level::Error, "It was not opened", "Because.", {}, {}});
    const auto inWindow = [&](const QWidget* widget) {
      return QRect(widget->mapTo(&test.window, QPoint(0, 0)), widget->size());
    };
    const auto gap = [&] {
      return inWindow(test->noticeBar()).top() - inWindow(tabs->picture()).top();
    };
    QTRY_VERIFY(gap() >= 0 && gap() <= 40);
    if (page == "compare") {
      test->findChild<CompareView*>()->setPage(CompareView::Page::Layers);
      test->noticeBar()->add({Notice::Level::Error, "Another was not opened", "So.", {}, {}});
    }
    const auto covered = [&] {
      QStringList names;
      for (const QWidget* control : tabs->currentWidget()->findChildren<QWidget*>())
        if (control->isVisible() &&
            (qobject_cast<const QComboBox*>(control) ||
             qobject_cast<const QAbstractButton*>(control)) &&
            inWindow(test->noticeBar()).intersects(inWindow(control)))
          names << control->objectName() + control->accessibleName();
      return names;
    };
    QTRY_COMPARE(covered(), QStringList());
  }

  void aNoticeGoesWithWhatItIsAbout() {
    NoticeBar bar;
    Notice about{Notice::Level::Warning, "random weights", "They mean nothing.", {}, {}};
    about.topic = QStringLiteral("model");
    bar.add(about);
    bar.add({Notice::Level::Info, "something", "else", {}, {}});
    about.title = QStringLiteral("another model");
    bar.add(about);
    QCOMPARE(bar.notices().size(), 2);
    QCOMPARE(bar.notices().last().title, QStringLiteral("another model"));
    about.title.clear();
    about.text.clear();
    bar.add(about);
    QCOMPARE(bar.notices().size(), 1);
    QCOMPARE(bar.notices().last().title, QStringLiteral("something"));
  }

  void withoutALeftSideThereIsNoChange() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    QTemporaryDir folder;
    OPEN_PICTURE(test, writePicture(folder.filePath("a.png")));
    test->findChild<PictureTabs*>()->showPage(QStringLiteral("compare"));
    auto* change = test->findChild<PredictionPanel*>(QStringLiteral("compare.change"));
    QTRY_VERIFY(change->note().contains(QStringLiteral("Nothing on the left")));
    QVERIFY(change->rows().empty());
  }
};

QTEST_MAIN(CaptionsTest)
#include "CaptionsTest.moc"
