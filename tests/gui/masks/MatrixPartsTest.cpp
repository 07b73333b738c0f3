// SPDX-License-Identifier: GPL-3.0-or-later

// The parts of the mask matrix as plain values: what is selected, where cells lie, what keys mean,
// what a cell looks like.

#include <QTest>

#include "tests/gui/SyntheticInference.h"
#include "ui/base/Colors.h"
#include "ui/masks/CellSelection.h"
#include "ui/masks/MaskAppearance.h"
#include "ui/masks/MaskMatrixPainter.h"
#include "ui/masks/MatrixKeys.h"
#include "ui/masks/MatrixLayout.h"

using namespace headlight;
using namespace headlight::synthetic;
using Cells = std::vector<HeadPlace>;

class MatrixPartsTest : public QObject {
  Q_OBJECT

  static CellSelection selectionOf(std::vector<int> heads) {
    CellSelection selection;
    selection.setHeads(std::move(heads));
    return selection;
  }

  static QImage painted(const MatrixCell& cell, const QPalette& palette) {
    QImage image(60, 30, QImage::Format_ARGB32);
    image.fill(palette.color(QPalette::Window));
    QPainter device(&image);
    MaskMatrixPainter(&device, palette, QFont()).drawCell(image.rect(), cell);
    return image;
  }

  static QKeyEvent press(int key, Qt::KeyboardModifiers modifiers = {}) {
    return QKeyEvent(QEvent::KeyPress, key, modifiers);
  }

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void placesCoverTheirCells() {
    const std::vector<int> heads{2, 3};
    QCOMPARE(cellsOf(MatrixPlace::row(1), heads), (Cells{{1, 0}, {1, 1}, {1, 2}}));
    QCOMPARE(cellsOf(MatrixPlace::column(2), heads), (Cells{{1, 2}}));
    QCOMPARE(cellsOf(MatrixPlace::corner(), heads).size(), std::size_t(5));
    QCOMPARE(cellsOf(MatrixPlace::cell({0, 2}), heads).size(), std::size_t(0));
    QCOMPARE(cellsOf({}, heads).size(), std::size_t(0));
  }

  void aRectangleGrowsFromItsAnchor() {
    CellSelection selection = selectionOf({3, 3, 3});
    selection.extendTo(HeadPlace{1, 1});  // nothing to begin from: it begins here
    QCOMPARE(selection.cells(), (Cells{{1, 1}}));
    selection.extendTo(HeadPlace{2, 2});
    QCOMPARE(selection.cells(), (Cells{{1, 1}, {1, 2}, {2, 1}, {2, 2}}));
    selection.extendTo(HeadPlace{0, 1});
    QCOMPARE(selection.cells(), (Cells{{0, 1}, {1, 1}}));
    QCOMPARE(*selection.current(), (HeadPlace{0, 1}));
    selection.extendTo(MatrixPlace::row(2));
    QCOMPARE(selection.cells().size(), std::size_t(6));
    selection.extendTo(MatrixPlace::corner());
    QCOMPARE(selection.cells().size(), std::size_t(9));
  }

  void rowsOfTheirOwnLengthLeaveGaps() {
    CellSelection selection = selectionOf({1, 3, 2});
    selection.selectFrom({{0, 0}});
    selection.extendTo(HeadPlace{2, 2});  // a corner that is no cell itself
    QCOMPARE(selection.cells(), (Cells{{0, 0}, {1, 0}, {1, 1}, {1, 2}, {2, 0}, {2, 1}}));
    selection.selectFrom({{1, 2}});
    selection.move(1, 0, false);  // the last head of a shorter layer
    QCOMPARE(*selection.current(), (HeadPlace{2, 1}));
    selection.move(9, 9, false);
    QCOMPARE(*selection.current(), (HeadPlace{2, 1}));
  }

  void togglingRemovesOnlyFullSelections() {
    CellSelection selection = selectionOf({2, 2});
    selection.toggle({{0, 0}});
    selection.toggle({{0, 0}, {0, 1}});
    QCOMPARE(selection.cells(), (Cells{{0, 0}, {0, 1}}));
    selection.toggle({{0, 0}, {0, 1}});
    QVERIFY(selection.isEmpty());
    QCOMPARE(*selection.current(), (HeadPlace{0, 0}));
  }

  void aSmallerModelForgetsWhatIsGone() {
    CellSelection selection = selectionOf({2, 2});
    selection.select({{0, 0}, {1, 1}, {7, 7}});
    QCOMPARE(selection.cells().size(), std::size_t(2));
    selection.setCurrent({1, 1});
    QVERIFY(selection.setHeads({2}));
    QCOMPARE(selection.cells(), (Cells{{0, 0}}));
    QVERIFY(!selection.current());
    QVERIFY(!selection.setHeads({2, 2}));  // nothing that was selected went away
    CellSelection none;
    none.move(1, 1, true);
    QVERIFY(!none.current() && none.isEmpty());
  }

  void whereACellIsDrawnItIsFound() {
    MatrixLayout layout;
    layout.fit({2, 4}, {400, 200}, QFontMetrics(QFont()));
    for (const QPoint& scroll : {QPoint(0, 0), QPoint(30, 10)}) {
      layout.setScroll(scroll);
      QVERIFY(layout.placeAt(layout.cellRect({1, 3}).center()) == MatrixPlace::cell({1, 3}));
      QVERIFY(layout.placeAt(layout.rowHeaderRect(1).center()) == MatrixPlace::row(1));
      QVERIFY(layout.placeAt(layout.columnHeaderRect(3).center()) == MatrixPlace::column(3));
      QVERIFY(layout.placeAt(layout.cornerRect().center()) == MatrixPlace::corner());
    }
    QVERIFY(layout.cellRect({0, 2}).isEmpty() && layout.rowHeaderRect(2).isEmpty());
    QVERIFY(layout.placeAt({4000, 4000}) == MatrixPlace{});
  }

  void keysMeanEdits() {
    QVERIFY(findMaskKey(press(Qt::Key_X))->kind == MaskKind::Strict);
    QCOMPARE(findMaskKey(press(Qt::Key_7))->number, 7);
    QCOMPARE(findMaskKey(press(Qt::Key_Minus))->number, -1);
    QVERIFY(!findMaskKey(press(Qt::Key_X, Qt::ControlModifier)));
    QVERIFY(isClaimed(press(Qt::Key_Space)) && !isClaimed(press(Qt::Key_Return)));
    QCOMPARE(findMove(press(Qt::Key_PageDown, Qt::ShiftModifier), 5)->layers, 5);
    QVERIFY(!findMove(press(Qt::Key_Down, Qt::ControlModifier), 5));
  }

  void aCellLooksAsItsValueSays() {
    const QPalette palette(QColor(0xef, 0xf0, 0xf1));
    MatrixCell cell;
    cell.mask.kind = MaskKind::Hard;
    const QImage hard = painted(cell, palette);
    const auto near = [](const QColor& a, const QColor& b) {
      return std::abs(a.red() - b.red()) < 4 && std::abs(a.green() - b.green()) < 4 &&
             std::abs(a.blue() - b.blue()) < 4;
    };
    QVERIFY(near(hard.pixelColor(30, 4), maskTint(MaskKind::Hard, palette)));
    cell.hovered = true;
    QVERIFY(!near(painted(cell, palette).pixelColor(30, 4), hard.pixelColor(30, 4)));
    cell.hovered = false;
    cell.selected = true;
    QVERIFY(painted(cell, palette) != hard);
    cell.selected = false;
    cell.bar = 1;
    QVERIFY(painted(cell, palette).pixelColor(30, 24).lightness() + 40 <
            hard.pixelColor(30, 24).lightness());
    cell.recorded = true;  // in the highlight's color
    QVERIFY(near(painted(cell, palette).pixelColor(30, 24), palette.color(QPalette::Highlight)));
    cell = {};
    cell.maskable = false;
    QVERIFY(painted(cell, palette) != painted({}, palette));
  }
};

QTEST_MAIN(MatrixPartsTest)
#include "MatrixPartsTest.moc"
