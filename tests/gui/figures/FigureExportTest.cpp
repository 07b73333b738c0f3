// SPDX-License-Identifier: GPL-3.0-or-later

// Figures: every kind in every format exists and opens again; the PNG carries its session.

#include "ui/figures/FigureExport.h"

#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>

#include "tests/gui/SyntheticInference.h"
#include "ui/document/Folders.h"
#include "ui/document/Session.h"
#include "ui/figures/FigureDialog.h"

using namespace headlight;
using namespace headlight::synthetic;

class FigureExportTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;

  QString pathOf(const QString& name) const { return m_folder.filePath(name); }
  static QByteArray bytesOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  static QByteArray bigEndian(const QString& text) {
    QByteArray bytes;
    for (const QChar letter : text)
      bytes.append(static_cast<char>(letter.row())).append(static_cast<char>(letter.cell()));
    return bytes;
  }
  static void fillWithEdit(Document& document) {
    fill(document, makeModel(), makeImage(120, 64));
    const auto edit =
        makeMaskEdit(document.inputs().masks(), {{0, 0}}, HeadMask{MaskKind::Hard, 3}, "test");
    QVERIFY(edit.ok());
    document.inputs().pushEdit(*edit);
    document.setInference(makeInference(document.inputs().model(), 3), 5);
  }
  /// The number of pixels with nearly this color.
  static int count(const QImage& image, const QColor& color) {
    int found = 0;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x)
        found += distance(image.pixelColor(x, y), color) <= 3;
    return found;
  }

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void everyKindInEveryFormat_data() {
    QTest::addColumn<FigureKind>("kind");
    QTest::newRow("canvas") << FigureKind::Canvas;
    QTest::newRow("heads") << FigureKind::Heads;
    QTest::newRow("rollout") << FigureKind::Rollout;
    QTest::newRow("similarity") << FigureKind::Similarity;
    QTest::newRow("comparison") << FigureKind::Comparison;
  }
  void everyKindInEveryFormat() {
    QFETCH(FigureKind, kind);
    Document document, left;
    fillWithEdit(document);
    fill(left, makeModel(), makeImage(64, 120));
    const QString name = QTest::currentDataTag();
    for (const char* suffix : {"png", "svg", "pdf"}) {
      const QString path = pathOf(name + "." + suffix);
      const auto captured = kind == FigureKind::Comparison ? captureComparison(left, document)
                                                           : captureFigure(document, kind);
      QCOMPARE(exportFigure(captured, path, {}, 900, 144), QString());
      QVERIFY(QFile::exists(path));
    }
    const QImage png(pathOf(name + ".png"));
    QCOMPARE(png.width(), 900);
    QVERIFY(png.height() > 300);
    QVERIFY2(count(png, mapColor(ColorMap::Viridis, 1)) > 300, "the hottest patch is not there");
    QCOMPARE(png.pixelColor(1, 1), QColor(Qt::white));

    QSvgRenderer svg(pathOf(name + ".svg"));
    QVERIFY(svg.isValid());
    QCOMPARE(svg.viewBoxF().width(), 600.0);  // 900 / 144 inches of 96 units
    // In print as wide as that; QSvgRenderer's own pixels are 1/90 inch.
    QVERIFY(bytesOf(pathOf(name + ".svg")).contains("width=\"158.75mm\""));
    QVERIFY2(bytesOf(pathOf(name + ".svg")).contains("<text"), "labels are not text");
    QImage drawn(svg.defaultSize(), QImage::Format_RGB32);
    drawn.fill(Qt::black);
    QPainter painter(&drawn);
    svg.render(&painter);
    painter.end();
    QVERIFY(count(drawn, mapColor(ColorMap::Viridis, 1)) > 100);

    const QByteArray pdf = bytesOf(pathOf(name + ".pdf"));
    QVERIFY(pdf.startsWith("%PDF-"));
    QVERIFY(pdf.size() > 2000);
    QVERIFY(pdf.contains("%%EOF"));
  }

  /// As on the canvas: the model sees the middle of a wide image, the rest stays dark.
  void roomOutsideTheCropStaysDark() {
    Document document;
    fill(document, makeModel(), makeImage(160, 64, Qt::white));
    const auto captured = captureFigure(document, FigureKind::Canvas);
    QCOMPARE(exportFigure(captured, pathOf("crop.png"), {}, 800, 96), QString());
    const QImage png(pathOf("crop.png"));
    const QColor shade(33, 33, 33);  // white below a black of 222 / 255
    const int dark = count(png, shade);
    QVERIFY2(dark > png.width() * png.height() / 8, qPrintable(QString::number(dark)));
  }

  /// The model's own image is not even there.
  void headsHaveTheOriginalsPixels() {
    const QColor red(200, 30, 30);
    Document document;
    fill(document, makeModel(), makeImage(320, 256, red));
    document.view().change([](ViewOptions& view) { view.style = MapStyle::Headlight; });
    QVERIFY(document.inference()->view.empty());
    QCOMPARE(exportFigure(captureFigure(document, FigureKind::Heads), pathOf("lit.png")),
             QString());
    QVERIFY(count(QImage(pathOf("lit.png")), red) > 300);
  }

  void pngStoresSession() {
    Document document;
    fill(document);
    const QByteArray session = "{\"image\": \"Zürich.jpg\", \"layer\": 2}";
    QCOMPARE(
        exportFigure(captureFigure(document, FigureKind::Canvas), pathOf("session.png"), session),
        QString());
    const QByteArray png = bytesOf(pathOf("session.png"));
    QByteArray found;
    for (const auto& [key, value] :
         readPngText(std::string_view(png.constData(), static_cast<std::size_t>(png.size()))))
      if (key == "headlight.session") found = QByteArray::fromStdString(value);
    QCOMPARE(found, session);
    QCOMPARE(
        exportFigure(captureFigure(document, FigureKind::Canvas), pathOf("session.pdf"), session),
        QString());
    const QByteArray pdf = bytesOf(pathOf("session.pdf"));
    const QString name = QStringLiteral("headlight-session.json");
    QVERIFY(pdf.contains(name.toLatin1()) || pdf.contains(bigEndian(name)));  // by Qt's version
  }

  void widthAndResolutionAreIndependent() {
    Document document;
    fill(document);
    QCOMPARE(
        exportFigure(captureFigure(document, FigureKind::Canvas), pathOf("a.png"), {}, 600, 96),
        QString());
    QCOMPARE(
        exportFigure(captureFigure(document, FigureKind::Canvas), pathOf("b.png"), {}, 1200, 192),
        QString());
    const QImage a(pathOf("a.png")), b(pathOf("b.png"));
    QCOMPARE(b.width(), 2 * a.width());
    QVERIFY(std::abs(b.height() - 2 * a.height()) <= 2);
  }

  void masksAreOutlinedAsInTheWindow() {
    Document document;
    fill(document);
    document.inputs().pushEdit(
        *makeMaskEdit(document.inputs().masks(), {{0, 0}}, *headMaskFromText("hard:3"), "test"));
    document.view().change([](ViewOptions& view) { view.query = 9; });
    const QColor line = QColor(0, 114, 178).lighter(130);
    const auto lines = [&](const char* name) {
      if (!exportFigure(captureFigure(document, FigureKind::Canvas), pathOf(name)).isEmpty())
        qFatal("no figure");
      return count(QImage(pathOf(name)), line);
    };
    QVERIFY(lines("outlined.png") > 300);
    QCOMPARE(exportFigure(captureFigure(document, FigureKind::Canvas), pathOf("outlined.svg")),
             QString());
    QVERIFY(bytesOf(pathOf("outlined.svg")).contains("exp(0)"));
    document.view().change([](ViewOptions& view) { view.maskOutline = false; });
    QVERIFY(lines("without.png") < 50);
  }

  void hiddenMapIsHiddenInFigures() {
    Document document;
    fill(document);
    ViewOptions view = document.view().options();
    view.showOverlay = false;
    document.view().set(view);
    QCOMPARE(exportFigure(captureFigure(document, FigureKind::Canvas), pathOf("plain.png")),
             QString());
    QVERIFY(count(QImage(pathOf("plain.png")), QColor(60, 120, 180)) > 10000);
  }

  void dialogShowsSizeAndTitle() {
    Document document;
    fill(document);
    const auto captured = captureFigure(document, FigureKind::Heads);
    QVERIFY(captured.ok());
    FigureDialog dialog(*captured);
    auto* title = dialog.findChild<QLineEdit*>(QStringLiteral("figureTitle"));
    QCOMPARE(title->text(), QStringLiteral("synthetic · synthetic"));
    title->setText(QStringLiteral("What heads see"));
    dialog.findChild<QSpinBox*>(QStringLiteral("figureWidth"))->setValue(600);
    dialog.findChild<QSpinBox*>(QStringLiteral("figureDpi"))->setValue(150);
    QVERIFY(dialog.findChild<QLabel*>(QStringLiteral("figureSize"))
                ->text()
                .startsWith(QStringLiteral("10.2 cm")));
    FigureRequest request = dialog.request();
    request.path = pathOf("titled.svg");
    QVERIFY(writeFigure(request).ok());
    QVERIFY(bytesOf(request.path).contains("What heads see"));
    request.path = pathOf("titled.png");
    QVERIFY(writeFigure(request).ok());
    const QImage titled(request.path);
    QCOMPARE(titled.width(), 600);
    request.title.clear();  // nothing above, and no room for it
    request.path = pathOf("bare.png");
    QVERIFY(writeFigure(request).ok());
    QVERIFY(QImage(request.path).height() < titled.height());
  }

  void allHeadsFigureNamesChosenHead() {
    Document document;
    fill(document);
    ViewOptions view = document.view().options();
    view.layer = 2;
    view.head = 1;
    document.view().set(view);
    QCOMPARE(exportFigure(captureFigure(document, FigureKind::Heads), pathOf("chosen.svg")),
             QString());
    QVERIFY(bytesOf(pathOf("chosen.svg")).contains("Outlined: layer 2, head 1."));
    QCOMPARE(exportFigure(captureFigure(document, FigureKind::Heads), pathOf("chosen.png")),
             QString());
    QVERIFY(count(QImage(pathOf("chosen.png")), QColor(0, 114, 178)) > 200);
    view.head = -1;
    document.view().set(view);
    QCOMPARE(exportFigure(captureFigure(document, FigureKind::Heads), pathOf("mean.svg")),
             QString());
    QVERIFY(bytesOf(pathOf("mean.svg")).contains("Outlined: layer 2, the mean of its heads."));
  }

  void headlightStyleShowsImageBelowEveryHead() {
    Document document;
    const QColor ground(60, 120, 180);
    fill(document, makeModel(), makeImage(80, 64, ground));
    auto inference = makeInference(document.inputs().model());
    inference->view = makeImage(80, 64, ground);
    document.setInference(inference, -1);
    ViewOptions view = document.view().options();
    view.style = MapStyle::Headlight;
    view.dim = 0;
    document.view().set(view);
    QCOMPARE(exportFigure(captureFigure(document, FigureKind::Heads), pathOf("lit.png")),
             QString());
    const QImage lit(pathOf("lit.png"));
    int bluish = 0;
    for (int y = 0; y < lit.height(); ++y)
      for (int x = 0; x < lit.width(); ++x)
        bluish += lit.pixelColor(x, y).hue() > 200 && lit.pixelColor(x, y).hue() < 220;
    QVERIFY2(bluish > lit.width() * lit.height() / 20, qPrintable(QString::number(bluish)));
  }

  void figuresUseLastFolder() {
    QVERIFY(!figureFolder().isEmpty());
    QTemporaryDir folder;
    rememberFigureFolder(folder.filePath(QStringLiteral("a.png")));
    QCOMPARE(figureFolder(), folder.path());
    Session session;
    session.figures = lastFigureFolder();
    const auto read = sessionFromText(sessionToText(session), QStringLiteral("test"));
    QVERIFY(read.ok());
    QCOMPARE(read->figures, folder.path());
    folder.remove();
    QVERIFY(figureFolder() != folder.path());
  }

  void refusalsNameTheFix() {
    Document document;
    QVERIFY(exportFigure(captureFigure(document, FigureKind::Canvas), pathOf("x.png"))
                .contains("model"));
    fill(document);
    QVERIFY(exportFigure(captureComparison(Document(), document), pathOf("x.png"))
                .contains("nothing to compare"));
    QVERIFY(exportFigure(captureFigure(document, FigureKind::Canvas), pathOf("x.gif"))
                .contains(".svg"));
    QVERIFY(exportFigure(captureFigure(document, FigureKind::Canvas), pathOf("x.png"), {}, 5)
                .contains("width"));
    QVERIFY(exportFigure(captureFigure(document, FigureKind::Canvas), pathOf("x.png"), {}, 800, 5)
                .contains("resolution"));
    for (const char* suffix : {"png", "svg", "pdf"})
      QVERIFY(!exportFigure(captureFigure(document, FigureKind::Canvas),
                            pathOf(QString("no/such/folder/x.") + suffix))
                   .isEmpty());
    QVERIFY(QDir(m_folder.path()).entryList({"x.*"}).isEmpty());
  }
};

QTEST_MAIN(FigureExportTest)
#include "FigureExportTest.moc"
