// SPDX-License-Identifier: GPL-3.0-or-later

// All heads have room in the dock and in the tab, at sizes of screens and grids that people have.

#include "tests/gui/Idle.h"
#include "tests/gui/SyntheticInference.h"
#include "tests/gui/WindowFixture.h"
#include "ui/canvas/LegendBar.h"
#include "ui/heads/HeadsGrid.h"

using namespace headlight;

namespace {

constexpr QSize kGrids[] = {{4, 6}, {3, 12}, {6, 12}, {12, 12}, {16, 24}};  // heads × layers
constexpr QSize kLarger(24, 40);

QString gridText(const QSize& grid) {
  return QStringLiteral("%1 × %2").arg(grid.height()).arg(grid.width());
}

/// A window that shows maps made by hand; as its own model, none is open.
void openGrid(TestWindow& test, const QSize& grid) {
  synthetic::fill(*test.document(), synthetic::makeModel(grid.height(), grid.width()));
  synthetic::untilIdle();
}

HeadsArea* areaIn(TestWindow& test, const char* parent) {
  for (HeadsArea* area : test->findChildren<HeadsArea*>())
    for (QWidget* of = area->parentWidget(); of; of = of->parentWidget())
      if (of->objectName() == QLatin1String(parent)) return area;
  return nullptr;
}

int hiddenTiles(const HeadsArea& area) {
  const QRectF seen = area.viewport()->rect();
  const HeadsLayout& layout = area.tileLayout();
  int hidden = 0;
  for (int layer = 0; layer < layout.layers(); ++layer)
    for (int head = -1; layout.exists(layer, head); ++head)
      if (!seen.contains(area.tileRect(layer, head))) ++hidden;
  return hidden;
}

HeadsLayout layoutOf(const std::vector<int>& heads, const QSizeF& room) {
  HeadsLayout layout;
  layout.fit(heads, 1, room, QFontMetricsF(QGuiApplication::font()));
  return layout;
}

}  // namespace

class HeadsRoomTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { synthetic::failOnQtWarnings(); }

  void everyHeadIsInSight_data() {
    QTest::addColumn<QSize>("window");
    QTest::addColumn<double>("least");  // of the smallest tile in the dock, of 24 × 16
    QTest::newRow("1280 x 800") << QSize(1280, 800) << 12.0;
    QTest::newRow("1920 x 1080") << QSize(1920, 1080) << 24.0;
  }
  void everyHeadIsInSight() {
    QFETCH(QSize, window);
    QFETCH(double, least);
    TestWindow test;
    test->resize(window);
    for (const QSize& grid : kGrids) {
      openGrid(test, grid);
      const HeadsArea* dock = areaIn(test, "dock.heads");
      QVERIFY(dock && dock->isVisible());
      QVERIFY2(hiddenTiles(*dock) == 0, qPrintable(gridText(grid)));
      const double width = dock->tileLayout().tile().width();
      QVERIFY2(width >= least, qPrintable(gridText(grid) + QStringLiteral(": %1").arg(width)));
      test->showTab(QStringLiteral("heads"));
      synthetic::untilIdle();
      QVERIFY2(hiddenTiles(*areaIn(test, "tabs")) == 0, qPrintable(gridText(grid)));
      test->showTab(QStringLiteral("canvas"));
      synthetic::untilIdle();
      QCOMPARE(test->size(), window);
    }
  }

  void whereScrollingIsNeededTheChosenHeadIsFollowed() {
    TestWindow test;
    openGrid(test, kLarger);
    HeadsArea* dock = areaIn(test, "dock.heads");
    const auto chosenInSight = [&] {
      const ViewOptions& view = test.document()->view().options();
      return QRectF(dock->viewport()->rect()).contains(dock->tileRect(view.layer, view.head));
    };
    for (const auto& [layer, head] : {std::pair(39, 23), std::pair(0, -1), std::pair(20, 12)}) {
      test.document()->view().change([&, layer = layer, head = head](ViewOptions& view) {
        view.layer = layer;
        view.head = head;
      });
      QVERIFY(chosenInSight());
      for (const QSize& size : {QSize(1100, 760), QSize(1280, 800)}) {
        test->resize(size);
        synthetic::untilIdle();
        QVERIFY(chosenInSight());
      }
    }
  }

  void tilesAreAsLargeAsTheRoomAllows() {
    for (const QSizeF room : {QSizeF(420, 400), QSizeF(300, 700), QSizeF(1500, 180)})
      for (const QSize& grid : kGrids) {
        const std::vector<int> heads(static_cast<std::size_t>(grid.height()), grid.width());
        const HeadsLayout layout = layoutOf(heads, room);
        const double chosen = layout.tile().width();
        for (int blocks = 1; blocks <= grid.height(); ++blocks) {
          const int rows = (grid.height() + blocks - 1) / blocks;
          const double wide =
              (room.width() / blocks - layout.labelWidth()) / layout.columns() - layout.gap();
          const double high = (room.height() - layout.headerHeight()) / rows -
                              layout.captionHeight() - layout.gap();
          QVERIFY2(chosen >= std::floor(std::min(wide, high)) - 1,
                   qPrintable(gridText(grid) + QStringLiteral(" in %1 blocks").arg(blocks)));
        }
      }
  }

  void everyTileHasAPlaceOfItsOwn() {
    const std::vector<std::vector<int>> models{{3, 3, 6, 6, 12, 12, 12, 12, 12, 12, 24, 24},
                                               std::vector<int>(24, 16),
                                               std::vector<int>(1, 31)};
    for (const std::vector<int>& heads : models) {
      const QSizeF room(430, 420);
      const HeadsLayout layout = layoutOf(heads, room);
      QVERIFY(layout.content().width() <= room.width());
      QVERIFY(layout.content().height() <= room.height());
      for (int layer = 0; layer < layout.layers(); ++layer)
        for (int head = -1; layout.exists(layer, head); ++head) {
          const QRectF tile = layout.tileRect(layer, head);
          QVERIFY(layout.layerRect(layer).contains(tile));
          for (const QPointF at :
               {tile.center(), tile.topLeft() + QPointF(1, 1), tile.bottomRight() - QPointF(1, 1)})
            QCOMPARE(layout.cellAt(at), std::optional(std::pair(layer, head)));
        }
    }
  }

  void layersFoldWhereThatMakesTilesMuchLarger() {
    const std::vector<int> stages{3, 3, 6, 6, 12, 12, 12, 12, 12, 12, 24, 24};
    const HeadsLayout layout = layoutOf(stages, {430, 420});
    QVERIFY(layout.isFolded());
    QVERIFY(layout.tileRect(11, 23).top() > layout.tileRect(11, 0).bottom());
    QVERIFY(!layoutOf(std::vector<int>(12, 12), {430, 420}).isFolded());
  }

  void theLegendNamesNumbersOnlyWhereTheyStand() {
    Document document;
    HeadsGrid grid(&document);
    synthetic::fill(document, synthetic::makeModel(24, 16));
    grid.resize(430, 460);
    grid.show();
    QVERIFY(QTest::qWaitForWindowExposed(&grid));
    auto* legend = grid.findChild<LegendBar*>();
    QVERIFY(!grid.area()->tileLayout().hasCaptions());
    QVERIFY(!legend->legend().title.contains(QStringLiteral("below each")));
    grid.resize(1600, 1400);
    QTRY_VERIFY(grid.area()->tileLayout().hasCaptions());
    QVERIFY(legend->legend().title.contains(QStringLiteral("below each")));
  }
};

QTEST_MAIN(HeadsRoomTest)
#include "HeadsRoomTest.moc"
