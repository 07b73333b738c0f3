// The mask matrix with real mouse and keyboard events on a real Document: painting, rows and
// columns, selection, keys, and that everything is one undo step with the right name.

#include "ui/widgets/MaskMatrix.h"

#include <QAction>
#include <QHelpEvent>
#include <QMenu>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>

#include "tests/gui/Mouse.h"
#include "tests/gui/Grab.h"
#include "tests/gui/SyntheticLook.h"
#include "ui/widgets/MaskAppearance.h"
#include "ui/widgets/MaskPanel.h"

using namespace headlight;
using namespace headlight::synthetic;

namespace {

HeadMask mask(const char* text) {
  return *headMaskFromText(text);
}

}  // namespace

class MaskMatrixTest : public QObject {
  Q_OBJECT

  struct Fixture {
    Document document;
    MaskMatrix matrix{&document};
    explicit Fixture(int layers = 6, int heads = 4, QSize size = {360, 320}) {
      fill(document, makeModel(layers, heads));
      matrix.resize(size);
      matrix.show();
      matrix.setFocus();
      if (!QTest::qWaitForWindowExposed(&matrix)) qFatal("the matrix was not shown");
    }
    QPoint at(int layer, int head) const { return matrix.cellRect({layer, head}).center(); }
    void click(const QPoint& point, Qt::KeyboardModifiers modifiers = {}) {
      QTest::mouseClick(matrix.viewport(), Qt::LeftButton, modifiers, point);
    }
    void click(int layer, int head, Qt::KeyboardModifiers modifiers = {}) {
      click(at(layer, head), modifiers);
    }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
      QTest::keyClick(&matrix, key, modifiers);
    }
    const HeadMask& cell(int layer, int head) const { return document.masks().at(layer, head); }
    int masked() const { return document.masks().maskedHeads(); }
    QString undoText() { return document.undoStack()->undoText(); }
    void drag(const std::vector<QPoint>& way) {
      QTest::mousePress(matrix.viewport(), Qt::LeftButton, {}, way.front());
      for (const QPoint& point : way)
        synthetic::moveMouse(matrix.viewport(), point, Qt::LeftButton);
      QTest::mouseRelease(matrix.viewport(), Qt::LeftButton, {}, way.back());
    }
  };

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void clickAppliesTheBrushAndAgainRemovesIt() {
    Fixture f;
    f.click(2, 1);
    QCOMPARE(toText(f.cell(2, 1)), std::string("hard:3"));
    QCOMPARE(f.masked(), 1);
    QCOMPARE(f.undoText(), QStringLiteral("hard 3×3 on layer 2, head 1"));
    QCOMPARE(f.document.masks().name(), std::string("none*"));
    f.click(2, 1);
    QCOMPARE(f.masked(), 0);
    QCOMPARE(f.document.undoStack()->count(), 2);
    f.document.undoStack()->undo();
    QCOMPARE(toText(f.cell(2, 1)), std::string("hard:3"));
    f.document.undoStack()->undo();
    QCOMPARE(f.masked(), 0);
    QCOMPARE(f.document.masks().name(), std::string("none"));
    f.document.undoStack()->redo();
    QCOMPARE(toText(f.cell(2, 1)), std::string("hard:3"));
  }

  void aStrokeIsOneUndoStep() {
    Fixture f;
    QSignalSpy changed(&f.document, &Document::masksChanged);
    f.drag({f.at(1, 0), f.at(1, 1), f.at(1, 2), f.at(2, 2)});
    QVERIFY(changed.size() >= 4);  // seen at once, not only at the end
    QCOMPARE(f.masked(), 4);
    QCOMPARE(f.document.undoStack()->count(), 1);
    QCOMPARE(f.undoText(), QStringLiteral("hard 3×3 on 4 heads"));
    f.document.undoStack()->undo();
    QCOMPARE(f.masked(), 0);
    f.document.undoStack()->redo();
    QCOMPARE(f.masked(), 4);
    // The next stroke is a step of its own.
    f.drag({f.at(4, 0), f.at(4, 1)});
    QCOMPARE(f.document.undoStack()->count(), 2);
  }

  void aFastStrokeLeavesNoGaps() {
    Fixture f;
    f.drag({f.at(0, 0), f.at(5, 0)});  // one jump of the mouse
    for (int layer = 0; layer < 6; ++layer)
      QCOMPARE(f.cell(layer, 0).kind, MaskKind::Hard);
    QCOMPARE(f.masked(), 6);
    QCOMPARE(f.undoText(), QStringLiteral("hard 3×3 on head 0 of every layer"));
  }

  void aStrokeThatBeginsOnTheBrushErases() {
    Fixture f;
    f.click(f.matrix.rowHeaderRect(3).center());
    QCOMPARE(f.masked(), 4);
    f.drag({f.at(3, 0), f.at(3, 2)});
    QCOMPARE(f.masked(), 1);
    QCOMPARE(f.cell(3, 3).kind, MaskKind::Hard);
  }

  void aStrokeOverWholeRowKeepsTheLabelOfTheLayer() {
    Fixture f;
    f.drag({f.at(2, 0), f.at(2, 3)});
    QCOMPARE(f.undoText(), QStringLiteral("hard 3×3 on layer 2"));
  }

  void headersEditRowsColumnsAndAll() {
    Fixture f;
    f.click(f.matrix.rowHeaderRect(2).center());
    for (int head = 0; head < 4; ++head)
      QCOMPARE(f.cell(2, head).kind, MaskKind::Hard);
    QCOMPARE(f.masked(), 4);
    QCOMPARE(f.undoText(), QStringLiteral("hard 3×3 on layer 2"));
    f.click(f.matrix.columnHeaderRect(1).center());
    for (int layer = 0; layer < 6; ++layer)
      QCOMPARE(f.cell(layer, 1).kind, MaskKind::Hard);
    QCOMPARE(f.masked(), 9);
    f.click(f.matrix.cornerRect().center());
    QCOMPARE(f.masked(), 24);
    QCOMPARE(f.undoText(), QStringLiteral("hard 3×3 on every head"));
    f.click(f.matrix.cornerRect().center());
    QCOMPARE(f.masked(), 0);
    QCOMPARE(f.document.undoStack()->count(), 4);
  }

  void shiftExtendsAndControlAdds() {
    Fixture f;
    f.click(1, 1, Qt::ControlModifier);
    f.click(3, 2, Qt::ShiftModifier);
    QCOMPARE(f.matrix.selection().size(), 6u);
    QCOMPARE(f.masked(), 0);  // selecting changes nothing
    f.click(5, 0, Qt::ControlModifier);
    QCOMPARE(f.matrix.selection().size(), 7u);
    f.click(2, 1, Qt::ControlModifier);
    QCOMPARE(f.matrix.selection().size(), 6u);
    f.key(Qt::Key_Space);
    QCOMPARE(f.masked(), 6);
    QCOMPARE(f.cell(2, 1).kind, MaskKind::None);
    QCOMPARE(f.document.undoStack()->count(), 1);
    f.click(f.matrix.rowHeaderRect(4).center(), Qt::ControlModifier);
    QCOMPARE(f.matrix.selection().size(), 10u);
  }

  void arrowsMoveAndKeysSetKinds() {
    Fixture f;
    f.key(Qt::Key_Down);  // nothing was current: the first cell is
    QCOMPARE(*f.matrix.current(), (HeadCell{0, 0}));
    f.key(Qt::Key_Down);
    f.key(Qt::Key_Right);
    QCOMPARE(*f.matrix.current(), (HeadCell{1, 1}));
    const std::pair<Qt::Key, const char*> kinds[]{{Qt::Key_H, "hard:3"},
                                                  {Qt::Key_S, "soft:3@0.5"},
                                                  {Qt::Key_X, "strict:3"},
                                                  {Qt::Key_R, "random:3#0"},
                                                  {Qt::Key_N, "none"}};
    for (const auto& [key, text] : kinds) {
      f.key(key);
      QCOMPARE(toText(f.cell(1, 1)), std::string(text));
    }
    QCOMPARE(f.document.undoStack()->count(), 5);
    f.key(Qt::Key_End, Qt::ShiftModifier);
    f.key(Qt::Key_Down, Qt::ShiftModifier);
    QCOMPARE(f.matrix.selection().size(), 6u);
    f.key(Qt::Key_Return);
    QCOMPARE(f.masked(), 6);
    f.key(Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(f.matrix.selection().size(), 24u);
    f.key(Qt::Key_Home);
    f.key(Qt::Key_Up);
    f.key(Qt::Key_Up);
    f.key(Qt::Key_Up);  // stays at the edge
    QCOMPARE(*f.matrix.current(), (HeadCell{0, 0}));
  }

  void digitsAndSignsSetTheWindow() {
    Fixture f;
    f.click(0, 0);
    f.key(Qt::Key_5);
    QCOMPARE(toText(f.cell(0, 0)), std::string("hard:5"));
    f.key(Qt::Key_Plus);
    QCOMPARE(f.cell(0, 0).window, 7);
    f.key(Qt::Key_Minus);
    f.key(Qt::Key_Minus);
    QCOMPARE(f.cell(0, 0).window, 3);
    QSignalSpy said(&f.document, &Document::message);
    f.key(Qt::Key_4);
    QCOMPARE(f.cell(0, 0).window, 3);
    QCOMPARE(said.size(), 1);
    for (int i = 0; i < 4; ++i)
      f.key(Qt::Key_Minus);
    QCOMPARE(f.cell(0, 0).window, 1);
    // Unmasked heads have no window.
    f.key(Qt::Key_Right);
    const int steps = f.document.undoStack()->count();
    f.key(Qt::Key_7);
    QCOMPARE(f.document.undoStack()->count(), steps);
  }

  void lettersReachTheMatrixBeforeTheWindowsShortcuts() {
    QWidget window;
    Document document;
    fill(document, makeModel(2, 2));
    MaskMatrix matrix(&document, &window);
    matrix.resize(200, 120);
    QAction smooth(&window);
    smooth.setShortcut(QKeySequence(Qt::Key_S));
    window.addAction(&smooth);
    QSignalSpy triggered(&smooth, &QAction::triggered);
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    matrix.setFocus();
    matrix.select({{1, 1}});
    QTest::keyClick(&matrix, Qt::Key_S);
    QCOMPARE(triggered.size(), 0);
    QCOMPARE(document.masks().at(1, 1).kind, MaskKind::Soft);
    QTest::keyClick(&window, Qt::Key_S);  // not its own: the window's
    QCOMPARE(triggered.size(), 1);
  }

  void kindsKeepEachCellsWindow() {
    Fixture f;
    f.matrix.setMask({{0, 0}}, mask("hard:5"));
    f.matrix.setMask({{0, 1}}, mask("soft:7@0.25"));
    f.matrix.select({{0, 0}, {0, 1}, {0, 2}});
    f.key(Qt::Key_X);
    QCOMPARE(toText(f.cell(0, 0)), std::string("strict:5"));
    QCOMPARE(toText(f.cell(0, 1)), std::string("strict:7"));
    QCOMPARE(toText(f.cell(0, 2)), std::string("strict:3"));  // the brush's
    QCOMPARE(f.undoText(), QStringLiteral("strict on 3 heads"));
  }

  void theMenuEditsTheSelection() {
    Fixture f;
    f.matrix.select({{0, 0}, {1, 0}});
    const auto openMenu = [&](int layer, int head) -> QMenu* {
      QContextMenuEvent event(QContextMenuEvent::Mouse, f.at(layer, head),
                              f.matrix.viewport()->mapToGlobal(f.at(layer, head)));
      QCoreApplication::sendEvent(f.matrix.viewport(), &event);
      return f.matrix.findChild<QMenu*>(QStringLiteral("maskMenu"));
    };
    QMenu* menu = openMenu(1, 0);
    QVERIFY(menu);
    menu->findChild<QAction*>(QStringLiteral("maskMenu.random"))->trigger();
    QCOMPARE(f.masked(), 2);
    QCOMPARE(f.cell(1, 0).kind, MaskKind::Random);
    menu->close();
    QTRY_VERIFY(!f.matrix.findChild<QMenu*>(QStringLiteral("maskMenu")));
    // Outside the selection it is about the cell beneath.
    menu = openMenu(4, 3);
    QCOMPARE(f.matrix.selection(), (std::vector<HeadCell>{{4, 3}}));
    menu->close();
  }

  void tooltipsSayItInWords() {
    Fixture f;
    f.matrix.setMask({{2, 1}}, mask("soft:5@0.25"));
    const QString text = f.matrix.describeCell({2, 1});
    QVERIFY2(text.startsWith(QStringLiteral("Layer 2, head 1: soft 5×5, α 0.25.")),
             qPrintable(text));
    const float locality = f.document.look()->locality[2][1];
    QVERIFY2(text.contains(QStringLiteral("(ALS) %1").arg(locality, 0, 'f', 2)), qPrintable(text));
    const QPoint point = f.at(2, 1);
    QHelpEvent help(QEvent::ToolTip, point, f.matrix.viewport()->mapToGlobal(point));
    QCoreApplication::sendEvent(f.matrix.viewport(), &help);
    QTRY_VERIFY(QToolTip::text().startsWith(text));
    QToolTip::hideText();
  }

  void cellsAreColouredByKindAndBarredByLocality() {
    Fixture f;
    auto look = std::make_shared<Look>(*f.document.look());
    look->locality[0] = {0.0f, 0.5f, 1.0f, 0.25f};
    f.document.setLook(look, -1);
    f.matrix.setMask({{1, 0}}, mask("hard:3"));
    f.matrix.setMask({{1, 1}}, mask("random:3#1"));
    const QImage grabbed = f.matrix.viewport()->grab().toImage();
    for (const auto& [head, kind] :
         {std::pair{0, MaskKind::Hard}, {1, MaskKind::Random}, {2, MaskKind::None}}) {
      const QRect rect = f.matrix.cellRect({1, head});
      COMPARE_COLOR(pixelAt(grabbed, QPointF(rect.center().x(), rect.top() + 5)),
                    maskTint(kind, f.matrix.palette()), 3);
    }
    // The bar: dark to the left of the score, pale to its right.
    const auto ink = [&](int head, double share) {
      const QRectF box = QRectF(f.matrix.cellRect({0, head})).adjusted(1.5, 1.5, -1.5, -1.5);
      return pixelAt(grabbed, {box.left() + 5 + share * (box.width() - 10), box.bottom() - 4.5})
          .lightness();
    };
    QVERIFY(ink(1, 0.3) + 60 < ink(1, 0.7));
    QVERIFY(ink(2, 0.95) + 60 < ink(3, 0.95));
    QVERIFY(std::abs(ink(0, 0.1) - ink(0, 0.9)) < 10);  // nothing filled
  }

  void aLargeModelScrolls() {
    Fixture f(36, 12, {300, 260});
    QVERIFY(f.matrix.verticalScrollBar()->maximum() > 0);
    QVERIFY(f.matrix.horizontalScrollBar()->maximum() > 0);
    f.matrix.select({{0, 0}});
    for (int i = 0; i < 35; ++i)
      f.key(Qt::Key_Down);
    for (int i = 0; i < 11; ++i)
      f.key(Qt::Key_Right);
    QCOMPARE(*f.matrix.current(), (HeadCell{35, 11}));
    const QRect shown = f.matrix.viewport()->rect();
    QVERIFY(shown.contains(f.matrix.cellRect({35, 11})));
    f.click(35, 11);
    QCOMPARE(f.cell(35, 11).kind, MaskKind::Hard);
    QCOMPARE(f.masked(), 1);
    // The headers stay in place: the row header at the left belongs to the scrolled row.
    f.click(f.matrix.rowHeaderRect(34).center());
    QCOMPARE(f.masked(), 13);
  }

  void anotherModelForgetsCellsThatAreGone() {
    Fixture f;
    f.matrix.select({{5, 3}, {0, 0}});
    f.document.setModel(makeModel(2, 2));
    QCOMPARE(f.matrix.selection(), (std::vector<HeadCell>{{0, 0}}));
    f.key(Qt::Key_H);
    QCOMPARE(f.cell(0, 0).kind, MaskKind::Hard);
  }

  void withoutAModelNothingHappens() {
    Document document;
    MaskMatrix matrix(&document);
    matrix.resize(240, 200);
    matrix.show();
    QVERIFY(QTest::qWaitForWindowExposed(&matrix));
    QTest::mouseClick(matrix.viewport(), Qt::LeftButton, {}, {100, 100});
    for (const Qt::Key key : {Qt::Key_Down, Qt::Key_H, Qt::Key_Space, Qt::Key_5})
      QTest::keyClick(&matrix, key);
    QVERIFY(matrix.selection().empty());
    QCOMPARE(document.undoStack()->count(), 0);
  }

  void pictures() {
    Fixture f(12, 3, {300, 420});
    const auto scheme = makeMaskPreset("sch2", std::vector<int>(12, 3));
    f.document.pushEdit(*makeMaskEdit(f.document.masks(), *scheme, "sch2"));
    f.matrix.setMask({{3, 0}, {3, 1}}, mask("soft:5@0.25"));
    f.matrix.setMask({{5, 2}}, mask("strict:5"));
    f.matrix.setMask({{6, 2}}, mask("random:3#3"));
    f.matrix.select({{5, 1}, {5, 2}, {6, 1}, {6, 2}});
    saveGrabs(f.matrix, QStringLiteral("mask-matrix"));
    Fixture large(36, 12, {420, 420});
    saveGrabs(large.matrix, QStringLiteral("mask-matrix-large"));
  }
};

QTEST_MAIN(MaskMatrixTest)
#include "MaskMatrixTest.moc"
