// SPDX-License-Identifier: GPL-3.0-or-later

// What is said over, below and beside images stays readable in small windows, and in nobody's
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
#include "ui/canvas/CaptionLayout.h"
#include "ui/canvas/ImagePainting.h"
#include "ui/compare/CompareView.h"
#include "ui/evaluation/PredictionPanel.h"
#include "ui/workspace/ImageTabs.h"

using namespace headlight;

class CaptionsTest : public QObject {
  Q_OBJECT

  /// The columns in which an image of `legend`, `width` wide, differs from one without its bar.
  static QRect colored(Legend legend, int width) {
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

  /// Text that is drawn, line by line.
  static QStringList linesOf(const CaptionLayout& layout) {
    QStringList lines;
    for (const CaptionPiece& piece : layout.pieces) {
      while (lines.size() <= piece.line)
        lines << QString();
      lines[piece.line] +=
          (lines[piece.line].isEmpty() ? QString() : QStringLiteral("   ")) + piece.text;
    }
    return lines;
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
    QVERIFY(colored(legend, 220).top() > 2 * line);
    const QRect beside = colored(legend, 600);
    QVERIFY(beside.bottom() < 2 * line);
    QVERIFY(beside.left() > QFontMetricsF(qApp->font()).horizontalAdvance(legend.title));
  }

  void captionsBreakBetweenPartsAndDropTheLeast() {
    const QFontMetricsF metrics(qApp->font());
    const auto wide = [&](const char* text) {
      return metrics.horizontalAdvance(QString::fromUtf8(text)) + 1;
    };
    Legend legend;
    legend.title = QStringLiteral("layer 3 · mean of heads · class token");
    legend.detail = QStringLiteral("scaled to this map: 0.001 to 0.12 · class token gets 30 %");
    legend.weights = QStringLiteral("run vit_micro-2 · best · step 500");
    const auto lines = [&](const QList<double>& widths) {
      return linesOf(layOutCaption(metrics, legend, widths));
    };
    QCOMPARE(lines({5000, 5000}),
             QStringList({legend.title, legend.detail + QStringLiteral(" · ") + legend.weights}));
    // One line holds title and detail with a gap between.
    QCOMPARE(layOutCaption(metrics, legend, {5000}).pieces.size(), 2);
    const double title = wide("layer 3 · mean of heads · class token");
    const double detail = wide("scaled to this map: 0.001 to 0.12 · class token gets 30 %");
    QCOMPARE(lines({title, detail}), QStringList({legend.title, legend.detail}));
    QVERIFY(!layOutCaption(metrics, legend, {title, detail}).complete);
    // Room beside the title is used.
    QCOMPARE(lines({title + wide("   class token gets 30 %") + 20,
                    wide("scaled to this map: 0.001 to 0.12")})
                 .first(),
             legend.title + QStringLiteral("   class token gets 30 %"));
    // The title goes on before the detail, whose end gives way.
    QCOMPARE(lines({wide("layer 3 · mean of heads"), detail}).first(),
             QStringLiteral("layer 3 · mean of heads"));
    QVERIFY(lines({wide("layer 3 · mean of heads"), detail})
                .last()
                .startsWith(QStringLiteral("class token")));
    QCOMPARE(lines({title, wide("scaled to this map: 0.001 to 0.12")}).last(),
             QStringLiteral("scaled to this map: 0.001 to 0.12"));
    // What has no room whole is left out whole.
    QCOMPARE(lines({wide("layer 3 · mean of hea")}), QStringList({QStringLiteral("layer 3")}));
  }

  void noCaptionEndsInDots() {
    const QFontMetricsF metrics(qApp->font());
    Legend legend;
    legend.title = QStringLiteral("layer 11 · mean of heads · patch (12, 13) · soft 3×3, α 0.25");
    legend.detail = QStringLiteral("cosine of maps, mean over tokens · fixed scale: −1 to 1");
    legend.weights =
        QStringLiteral("run ") + QString(200, QLatin1Char('x')) + QStringLiteral(" · best");
    for (int width = 60; width < 1400; width += 17) {
      const QList<double> widths{double(width), double(width), double(width)};
      for (const CaptionPiece& piece : layOutCaption(metrics, legend, widths).pieces) {
        QVERIFY2(!piece.text.endsWith(QChar(0x2026)), qPrintable(piece.text));
        QVERIFY(piece.left + metrics.horizontalAdvance(piece.text) <= width + 0.5);
      }
    }
    const QString note =
        QStringLiteral("First sentence about maps. A second one, with a clause; and more");
    const double room = metrics.horizontalAdvance(QStringLiteral("First sentence about maps. A"));
    QCOMPARE(layOutNote(metrics, note, room, 1),
             QStringList({QStringLiteral("First sentence about maps.")}));
    QCOMPARE(layOutNote(metrics, note, room, 9).join(QLatin1Char(' ')), note);
  }

  /// A file has no tool tip.
  void aWholeLegendGrowsWithItsText() {
    const QFontMetricsF metrics(qApp->font());
    Legend legend;
    legend.title = QStringLiteral("left: demo · scheme “none” · a.png · layer 3 · mean of heads");
    legend.detail = QStringLiteral("left and right share one scale");
    legend.note =
        QStringLiteral("Right: another one; and what else there is to say of it, at length.");
    QCOMPARE(captionHeight(metrics, legend, 460), legendHeight(metrics, legend.note, 460));
    legend.whole = true;
    for (const double width : {120.0, 300.0, 460.0})
      QVERIFY(captionHeight(metrics, legend, width) > legendHeight(metrics, QString(), width));
  }

  void theWholeLegendIsInItsTip() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    QTemporaryDir folder;
    OPEN_IMAGE(test, writeImage(folder.filePath("a.png")));
    ImageView* canvas = test->findChild<ImageTabs*>()->image();
    const QPoint below(canvas->width() / 2, canvas->height() - 8);
    QHelpEvent ask(QEvent::ToolTip, below, canvas->mapToGlobal(below));
    QApplication::sendEvent(canvas, &ask);
    QTRY_VERIFY(QToolTip::text().contains(QStringLiteral("scaled to this map")));
    QToolTip::hideText();
  }

  void noticesLieBelowTheControls_data() {
    QTest::addColumn<QString>("page");
    for (const char* page : {"canvas", "compare", "explain"})
      QTest::newRow(page) << page;
  }
  void noticesLieBelowTheControls() {
    QFETCH(QString, page);
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    QTemporaryDir folder;
    OPEN_IMAGE(test, writeImage(folder.filePath("a.png")));
    auto* tabs = test->findChild<ImageTabs*>();
    tabs->showPage(page);
    test->noticeBar()->add({Notice::Level::Error, "It was not opened", "Because.", {}, {}});
    const auto inWindow = [&](const QWidget* widget) {
      return QRect(widget->mapTo(&test.window, QPoint(0, 0)), widget->size());
    };
    const auto gap = [&] {
      return inWindow(test->noticeBar()).top() - inWindow(tabs->image()).top();
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
    OPEN_IMAGE(test, writeImage(folder.filePath("a.png")));
    test->findChild<ImageTabs*>()->showPage(QStringLiteral("compare"));
    auto* change = test->findChild<PredictionPanel*>(QStringLiteral("compare.change"));
    QTRY_VERIFY(change->note().contains(QStringLiteral("The left side has no prediction")));
    QVERIFY(change->rows().empty());
  }
};

QTEST_MAIN(CaptionsTest)
#include "CaptionsTest.moc"
