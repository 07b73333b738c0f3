// SPDX-License-Identifier: GPL-3.0-or-later

// Every head at once: the right map in the right place, choosing, scrolling, and lazy coloring.

#include "ui/heads/EnlargedHead.h"
#include "ui/heads/HeadsGrid.h"

#include <QPainter>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

#include "tests/gui/SyntheticInference.h"
#include "ui/base/MaskColors.h"
#include "ui/canvas/LegendBar.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/heads/HeadTile.h"
#include "ui/heads/HeadsInput.h"

using namespace headlight;
using namespace headlight::synthetic;

class HeadsGridTest : public QObject {
  Q_OBJECT

  struct Fixture {
    Document document;
    HeadsGrid grid{&document};
    explicit Fixture(const ModelInfo& model = makeModel(), QSize size = {600, 620}) {
      fill(document, model);
      grid.resize(size);
      grid.show();
      QVERIFY(QTest::qWaitForWindowExposed(&grid));
      grid.area()->setFocus();
    }
    HeadsArea* area() { return grid.area(); }
    QImage grab() { return area()->viewport()->grab().toImage(); }
    QPointF patchCenter(int layer, int head, int patch) {
      return patchInRegion(area()->tileRect(layer, head), kRows, kCols, patch).center();
    }
    void click(int layer, int head) {
      QTest::mouseClick(area()->viewport(), Qt::LeftButton, {},
                        area()->tileRect(layer, head).center().toPoint());
    }
  };

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void everyTileShowsItsHead() {
    Fixture f;
    const QImage grabbed = f.grab();
    for (int layer = 0; layer < 3; ++layer)
      for (int head = 0; head < 2; ++head) {
        COMPARE_COLOR(pixelAt(grabbed, f.patchCenter(layer, head, hottest(layer, head, 0))),
                      mapColor(ColorMap::Viridis, 1), 2);
        COMPARE_COLOR(pixelAt(grabbed, f.patchCenter(layer, head, coldest(layer, head, 0))),
                      mapColor(ColorMap::Viridis, 0), 2);
      }
  }

  void tilesFollowTheToken() {
    Fixture f;
    ViewOptions view = f.document.view().options();
    view.query = 11;
    f.document.view().set(view);
    COMPARE_COLOR(pixelAt(f.grab(), f.patchCenter(2, 1, hottest(2, 1, 11))),
                  mapColor(ColorMap::Viridis, 1), 2);
  }

  void sharedScaleIsObeyedAndSaid() {
    Fixture f;
    auto* legend = f.grid.findChild<LegendBar*>();
    QVERIFY(legend->legend().detail.contains("each map scaled to itself"));
    ViewOptions view = f.document.view().options();
    view.sharedRange = true;
    f.document.view().set(view);
    QVERIFY(legend->legend().detail.contains("one scale for all heads"));
    QCOMPARE(legend->legend().range.high, static_cast<double>(peak(2, 1)));
    const double at = (peak(0, 0) - kColdest) / (peak(2, 1) - kColdest);
    COMPARE_COLOR(pixelAt(f.grab(), f.patchCenter(0, 0, hottest(0, 0, 0))),
                  mapColor(ColorMap::Viridis, at), 2);
  }

  void clickChoosesAndDoubleClickEnlarges() {
    Fixture f;
    f.click(2, 1);
    QCOMPARE(f.document.view().options().layer, 2);
    QCOMPARE(f.document.view().options().head, 1);
    QVERIFY(!f.grid.isEnlarged());
    f.click(1, -1);
    QCOMPARE(f.document.view().options().head, -1);
    QTest::mouseDClick(f.area()->viewport(), Qt::LeftButton, {},
                       f.area()->tileRect(1, 0).center().toPoint());
    QVERIFY(f.grid.isEnlarged());
    auto* enlarged = f.grid.findChild<EnlargedHead*>();
    QVERIFY(enlarged->isVisible() && enlarged->shownMap());
    QCOMPARE(f.document.view().options().layer, 1);
    QCOMPARE(f.document.view().options().head, 0);
    QCOMPARE(enlarged->size(), f.grid.size());
    QTest::keyClick(enlarged, Qt::Key_BracketRight);
    QCOMPARE(f.document.view().options().layer, 2);
    f.document.view().pin(3);
    QTest::keyClick(enlarged, Qt::Key_Escape);  // frees the token first
    QVERIFY(f.grid.isEnlarged() && !f.document.view().isPinned());
    QTest::keyClick(enlarged, Qt::Key_Escape);
    QVERIFY(!f.grid.isEnlarged());
    QVERIFY(f.area()->isVisible());
  }

  void chosenTileIsOutlined() {
    Fixture f;
    f.click(1, 1);
    const QRectF tile = f.area()->tileRect(1, 1);
    COMPARE_COLOR(pixelAt(f.grab(), {tile.left() - 2.5, tile.center().y()}),
                  f.area()->palette().color(QPalette::Highlight), 30);
  }

  void arrowsChoose() {
    Fixture f;
    QTest::keyClick(f.area(), Qt::Key_Right);
    QTest::keyClick(f.area(), Qt::Key_Down);
    QCOMPARE(f.document.view().options().layer, 1);
    QCOMPARE(f.document.view().options().head, 1);
    QTest::keyClick(f.area(), Qt::Key_Right);
    QCOMPARE(f.document.view().options().head, 1);
    QTest::keyClick(f.area(), Qt::Key_End);
    QCOMPARE(f.document.view().options().layer, 2);
    for (int i = 0; i < 4; ++i)
      QTest::keyClick(f.area(), Qt::Key_Left);
    QCOMPARE(f.document.view().options().head, -1);
    QTest::keyClick(f.area(), Qt::Key_Return);
    QVERIFY(f.grid.isEnlarged());
    QTest::mouseDClick(f.grid.findChild<EnlargedHead*>(), Qt::LeftButton, {}, QPoint(60, 60));
    QVERIFY(!f.grid.isEnlarged());
  }

  void everyKeyLeadsToItsHead() {
    using Cell = std::pair<int, int>;
    const Cell at{5, 2};
    const auto after = [&](int key) { return headAfterKey(key, at, /*layers=*/12, /*page=*/4); };
    QVERIFY(after(Qt::Key_Left) == Cell(5, 1));
    QVERIFY(after(Qt::Key_Right) == Cell(5, 3));
    QVERIFY(after(Qt::Key_Up) == Cell(4, 2));
    QVERIFY(after(Qt::Key_Down) == Cell(6, 2));
    QVERIFY(after(Qt::Key_PageUp) == Cell(1, 2));
    QVERIFY(after(Qt::Key_PageDown) == Cell(9, 2));
    QVERIFY(after(Qt::Key_Home) == Cell(0, 2));
    QVERIFY(after(Qt::Key_End) == Cell(11, 2));
    QVERIFY(!after(Qt::Key_A));
  }

  void onlyTilesInSightAreColored() {
    Fixture f(makeModel(40, 24), {400, 300});  // 24 × 16 would be seen at once
    f.grab();
    const int first = f.area()->cachedTiles();
    QVERIFY(first > 0);
    QVERIFY2(first < 40 * 25 / 3, qPrintable(QString::number(first)));
    QVERIFY(f.area()->verticalScrollBar()->maximum() > 0);
    QVERIFY(f.area()->horizontalScrollBar()->maximum() > 0);
    // Choosing by key brings the tile into sight.
    QTest::keyClick(f.area(), Qt::Key_End);
    const QRectF tile = f.area()->tileRect(39, 0);
    QVERIFY(QRectF(f.area()->viewport()->rect()).contains(tile));
    f.grab();
    QVERIFY(f.area()->cachedTiles() > first);
    COMPARE_COLOR(pixelAt(f.grab(), f.patchCenter(39, 0, hottest(39, 0, 0))),
                  mapColor(ColorMap::Viridis, 1), 2);
  }

  void manyLayersStandInBlocksToBeSeenAtOnce() {
    Fixture f(makeModel(12, 3), {760, 480});
    QCOMPARE(f.area()->verticalScrollBar()->maximum(), 0);
    QCOMPARE(f.area()->horizontalScrollBar()->maximum(), 0);
    const QRectF seen = f.area()->viewport()->rect();
    const QImage grabbed = f.grab();
    for (int layer = 0; layer < 12; ++layer)
      for (int head = 0; head < 3; ++head) {
        QVERIFY(seen.contains(f.area()->tileRect(layer, head)));
        QCOMPARE(f.area()->cellAt(f.area()->tileRect(layer, head).center()),
                 std::optional(std::pair(layer, head)));
        COMPARE_COLOR(pixelAt(grabbed, f.patchCenter(layer, head, hottest(layer, head, 0))),
                      mapColor(ColorMap::Viridis, 1), 2);
      }
    // The second block stands to the right of the first.
    QVERIFY(f.area()->tileRect(11, 0).left() > f.area()->tileRect(0, 2).right());
    QVERIFY(!f.area()->cellAt({5, 100}));
  }

  void wherePeopleMustScrollTheWidthIsUsed() {
    Fixture f(makeModel(200, 3), {760, 300});
    QVERIFY(f.area()->verticalScrollBar()->maximum() > 0);
    QCOMPARE(f.area()->horizontalScrollBar()->maximum(), 0);
    const QRectF first = f.area()->tileRect(0, 2), second = f.area()->tileRect(100, 0);
    QCOMPARE(second.top(), first.top());
    QVERIFY(second.left() > first.right());
    QVERIFY(f.area()->tileRect(100, 2).right() <= f.area()->viewport()->width());
    f.area()->verticalScrollBar()->setValue(f.area()->verticalScrollBar()->maximum());
    QVERIFY(
        f.area()->viewport()->rect().contains(f.area()->tileRect(199, 2).bottomRight().toPoint()));
  }

  void masksAreMarked() {
    Fixture f;
    const QRectF tile = f.area()->tileRect(1, 0);
    const QPointF corner = tile.topRight() + QPointF(-4, 4);
    const QColor before = pixelAt(f.grab(), corner);
    const auto edit =
        makeMaskEdit(f.document.inputs().masks(), {{1, 0}}, HeadMask{MaskKind::Hard, 3}, "test");
    QVERIFY(edit.ok());
    f.document.inputs().pushEdit(*edit);
    const QColor hard = maskColor(MaskKind::Hard, f.area()->palette());
    COMPARE_COLOR(pixelAt(f.grab(), corner), hard, 8);
    QVERIFY(distance(before, hard) > 30);
    f.document.inputs().undoStack()->undo();
    COMPARE_COLOR(pixelAt(f.grab(), corner), before, 1);
  }

  void aCutWindowKeepsItsShape() {
    // 3 × 6 patches in a square: half of it, in the middle, with patches as high as wide.
    const QRectF square(10, 10, 60, 60);
    QCOMPARE(mapAreaInTile(square, 3, 6), QRectF(10, 25, 60, 30));
    QCOMPARE(mapAreaInTile(square, 6, 3), QRectF(25, 10, 30, 60));
    QCOMPARE(mapAreaInTile(square, 7, 7), square);
    const QRectF rounded(0, 0, 40, 26);  // of 21 × 14 patches
    QCOMPARE(mapAreaInTile(rounded, 14, 21), rounded);
    QCOMPARE(mapAreaInTile(square, 0, 0), square);
    HeadTile tile;
    tile.map = QImage(6, 3, QImage::Format_RGB32);
    tile.map.fill(Qt::red);
    tile.rows = 3;
    tile.cols = 6;
    tile.queryPatch = 17;  // the last
    QImage image(80, 100, QImage::Format_RGB32);
    image.fill(Qt::blue);
    QPainter painter(&image);
    const QPalette palette;
    drawHeadTile(painter, square, tile, palette);
    painter.end();
    QCOMPARE(image.pixelColor(40, 15), palette.color(QPalette::AlternateBase));
    QCOMPARE(image.pixelColor(40, 65), palette.color(QPalette::AlternateBase));
    QCOMPARE(image.pixelColor(40, 40), QColor(Qt::red));
    QCOMPARE(image.pixelColor(70, 55), QColor(Qt::white));  // the outlined patch's corner
  }

  void uniformMapsAreFlatAndCalledSo() {
    Fixture f;
    const ModelInfo model = makeModel();
    auto inference = makeInference(model);
    auto values = std::make_shared<std::vector<float>>(*inference->maps.layers[1].values);
    for (float& value : *values)
      value = 1.0f / 21 * (&value == &values->front() ? 1.02f : 1);
    inference->maps.layers[1].values = values;
    f.document.setInference(inference, -1);
    const QImage grabbed = f.grab();
    for (const int patch : {0, 4, 15, 19})
      COMPARE_COLOR(pixelAt(grabbed, f.patchCenter(1, 0, patch)), mapColor(ColorMap::Viridis, 0.5),
                    3);
    // In words on a dark ground in its middle.
    QVERIFY(distance(pixelAt(grabbed, f.area()->tileRect(1, 0).center() - QPointF(0, 5)),
                     mapColor(ColorMap::Viridis, 0.5)) > 15);
    QVERIFY(f.area()->describeTile(1, 0).contains(QStringLiteral("practically uniform")));
    QVERIFY(!f.area()->describeTile(2, 0).contains(QStringLiteral("uniform (")));
    f.click(1, 0);
    const auto map = canvasMap(f.document);
    QVERIFY(canvasLegend(f.document, map).detail.contains(QStringLiteral("practically uniform")));
    QVERIFY(f.grid.findChild<LegendBar*>()->legend().detail.contains(
        QStringLiteral("practically uniform")));
    // On a scale with others it is called so, too.
    f.document.view().change([](ViewOptions& view) { view.sharedRange = true; });
    QVERIFY(canvasLegend(f.document, canvasMap(f.document))
                .detail.contains(QStringLiteral("practically uniform")));
  }

  void nothingOpenIsPainted() {
    Document document;
    HeadsGrid grid(&document);
    grid.resize(400, 300);
    QVERIFY(!grid.grab().isNull());
    QTest::keyClick(grid.area(), Qt::Key_Down);
    QVERIFY(!grid.area()->cellAt({100, 100}));
  }
};

QTEST_MAIN(HeadsGridTest)
#include "HeadsGridTest.moc"
