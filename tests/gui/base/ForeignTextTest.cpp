// SPDX-License-Identifier: GPL-3.0-or-later

// Names from files in the window: they format nothing, turn nothing and hide nothing.

#include <QLabel>
#include <QMessageBox>
#include <QRegularExpression>
#include <QToolTip>

#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/base/SanitizedText.h"
#include "ui/widgets/NoticeBar.h"

using namespace headlight;

class ForeignTextTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }
  void init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
  }

  void controlCharactersAreReplaced() {
    const QString hostile = QStringLiteral("a\u001b[31m\u009b\u0007b\n\tc\u202egnp\u2066\u007f") +
                            QChar(0) + QLatin1Char('z');
    const QChar mark(QChar::ReplacementCharacter);
    QCOMPARE(shownText(hostile), QStringLiteral("a%1[31m%1%1b\n\tc%1gnp%1%1%1z").arg(mark));
    QCOMPARE(displayName(QStringLiteral("a\r\nb\u2028c")), QStringLiteral("a%1 b%1c").arg(mark));
    QCOMPARE(displayName(std::string("gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\xa6")),
             QString::fromUtf8("gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\xa6"));
  }

  void toolTipsTakeNothingForMarkup() {
    QCOMPARE(plainToolTip(QStringLiteral("a < b")), QStringLiteral("a < b"));
    const QString tip = plainToolTip(QStringLiteral("<b>bold</b>"));
    QVERIFY2(tip.contains(QStringLiteral("&lt;b&gt;bold")), qPrintable(tip));
  }

  void labelsShowMarkupAsItIs() {
    TestWindow test;
    QLabel plain(QStringLiteral("<h1>name</h1>"));
    QLabel rich(QStringLiteral("<h1>name</h1>"));
    rich.setTextFormat(Qt::RichText);
    plain.show();
    rich.show();
    QCOMPARE(plain.textFormat(), Qt::PlainText);
    QCOMPARE(rich.textFormat(), Qt::RichText);
    for (auto* label : test->findChildren<QLabel*>())
      if (label->isVisible())
        QVERIFY2(label->textFormat() != Qt::AutoText, qPrintable(label->text()));
  }

  void messageBoxesShowMarkupAsItIs() {
    QWidget parent;
    parent.show();
    dialogs().error(&parent, QStringLiteral("<i>title</i>"), QStringLiteral("<u>text</u>\u001b"));
    auto* box = parent.findChild<QMessageBox*>();
    QVERIFY(box);
    int labels = 0;
    for (auto* label : box->findChildren<QLabel*>())
      if (label->text().contains(QLatin1Char('<'))) {
        ++labels;
        QCOMPARE(label->textFormat(), Qt::PlainText);
        QVERIFY(!label->text().contains(QChar(0x1b)));
      }
    QCOMPARE(labels, 2);
    box->close();
  }

  void modelsAndImagesAreNamedCleanly() {
    TestWindow test;
    Experiment experiment = smallExperiment();
    experiment.model.name = "na\x1b[31mme\nnext";
    test->modelWorker()->createModel(experiment);
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    QVERIFY(test->windowTitle().contains(QStringLiteral("na\uFFFD[31mme next")));
    const QTemporaryDir folder;
    const QString image = writeImage(folder.filePath(QStringLiteral("a\u202eb.png")));
    OPEN_IMAGE(test, image);
    QCOMPARE(test.document()->inputs().imageName(), QStringLiteral("a\uFFFDb.png"));
  }

  void noticesAreCleaned() {
    NoticeBar bar;
    bar.add({Notice::Level::Error, QStringLiteral("t\u0007"), QStringLiteral("<b>\u009b"), {}, {}});
    QCOMPARE(bar.notices().last().title, QStringLiteral("t\uFFFD"));
    QCOMPARE(bar.notices().last().text, QStringLiteral("<b>\uFFFD"));
    for (auto* label : bar.findChildren<QLabel*>())
      QVERIFY(!Qt::mightBeRichText(label->toolTip()) || label->toolTip().contains("&lt;b&gt;"));
  }
};

QTEST_MAIN(ForeignTextTest)
#include "ForeignTextTest.moc"
