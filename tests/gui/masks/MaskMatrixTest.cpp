// SPDX-License-Identifier: GPL-3.0-or-later

// The mask matrix with real mouse and keyboard events on a real Document: looking and painting, rows
// and columns, selection, keys, and that everything is one undo step with the right name.

#include "ui/masks/MaskMatrix.h"

#include <QAction>
#include <QHelpEvent>
#include <QMenu>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>

#include <cmath>
#include <set>

#include "tests/gui/Grab.h"
#include "tests/gui/Mouse.h"
#include "tests/gui/SyntheticInference.h"
#include "ui/masks/MaskAppearance.h"
#include "ui/masks/MaskPanel.h"

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
    explicit Fixture(int layers = 6, int heads = 4, QSize size = {360, 320})
        : Fixture(makeModel(layers, heads), size) {}
    explicit Fixture(const ModelInfo& model, QSize size = {360, 320}) {
      fill(document, model);
      matrix.setPaintsOnClick(true);  // what most of these tests are about
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
    const HeadMask& cell(int layer, int head) const {
      return document.inputs().masks().at(layer, head);
    }
    int masked() const { return document.inputs().masks().maskedHeads(); }
    QString undoText() { return document.inputs().undoStack()->undoText(); }
    void drag(const std::vector<QPoint>& path) {
      QTest::mousePress(matrix.viewport(), Qt::LeftButton, {}, path.front());
      for (const QPoint& point : path)
        synthetic::moveMouse(matrix.viewport(), point, Qt::LeftButton);
      QTest::mouseRelease(matrix.viewport(), Qt::LeftButton, {}, path.back());
    }
  };

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void softHeadsShowWhatTheyHaveLearned() {
    ModelInfo model = makeModel(2, 2);
    model.experiment.masks.scheme = "mine";
    model.experiment.masks.cells = {{mask("soft:3@0.5"), mask("hard:3")}};
    const float none = std::nanf("");
    model.alphas = {{0.7311f, none}, {none, none}};
    Fixture f(model);
    const auto said = [&] { return f.matrix.describeCell({0, 0}); };
    f.document.setImage(makeImage(), "other", {});  // there is no result yet: as it was opened
    QVERIFY2(said().contains(QStringLiteral("α is now 0.731; it started at 0.5")),
             qPrintable(said()));
    auto inference = makeInference(model);  // through the weights of a run
    inference->alphas = {{0.9f, none}, {none, none}};
    f.document.setInference(inference, -1);
    QVERIFY2(said().contains(QStringLiteral("α is now 0.900")), qPrintable(said()));
    QCOMPARE(*f.document.numbers().alpha(0, 0), 0.9f);
    QVERIFY(!f.document.numbers().alpha(0, 1) && !f.document.numbers().alpha(1, 0));
  }

  void clickAppliesTheBrushAndAgainRemovesIt() {
    Fixture f;
    f.click(2, 1);
    QCOMPARE(toText(f.cell(2, 1)), std::string("hard:3"));
    QCOMPARE(f.masked(), 1);
    QCOMPARE(f.undoText(), QStringLiteral("hard 3×3 on layer 2, head 1"));
    QCOMPARE(f.document.inputs().masks().name(), std::string("none*"));
    f.click(2, 1);
    QCOMPARE(f.masked(), 0);
    QCOMPARE(f.document.inputs().undoStack()->count(), 2);
    f.document.inputs().undoStack()->undo();
    QCOMPARE(toText(f.cell(2, 1)), std::string("hard:3"));
    f.document.inputs().undoStack()->undo();
    QCOMPARE(f.masked(), 0);
    QCOMPARE(f.document.inputs().masks().name(), std::string("none"));
    f.document.inputs().undoStack()->redo();
    QCOMPARE(toText(f.cell(2, 1)), std::string("hard:3"));
  }

  void aClickLooksAndADragPaints() {
    Fixture f;
    f.matrix.setPaintsOnClick(false);
    const auto shown = [&] {
      const ViewOptions& view = f.document.view().options();
      return HeadPlace{view.layer, view.head};
    };
    f.click(2, 1);
    QCOMPARE(shown(), (HeadPlace{2, 1}));
    QCOMPARE(f.matrix.selection(), (std::vector<HeadPlace>{{2, 1}}));
    QCOMPARE(f.document.inputs().undoStack()->count(), 0);
    // A hand that trembles within a cell does not paint.
    f.drag({f.at(1, 0), f.at(1, 0) + QPoint(6, 4), f.at(1, 0)});
    QCOMPARE(f.document.inputs().undoStack()->count(), 0);
    QCOMPARE(shown(), (HeadPlace{1, 0}));
    // Another cell makes it a stroke, from the first cell on, in one step.
    f.drag({f.at(3, 1), f.at(3, 2), f.at(4, 2)});
    QCOMPARE(f.masked(), 3);
    QCOMPARE(toText(f.cell(3, 1)), std::string("hard:3"));
    QCOMPARE(f.document.inputs().undoStack()->count(), 1);
    QCOMPARE(shown(), (HeadPlace{3, 1}));  // where it began
    f.drag({f.at(3, 1), f.at(3, 2)});      // on the brush's mask: it erases
    QCOMPARE(f.masked(), 1);
    // A row shows the mean of its heads, a column its head, the corner nothing else.
    f.click(f.matrix.rowHeaderRect(5).center());
    QCOMPARE(shown(), (HeadPlace{5, -1}));
    QCOMPARE(f.matrix.selection().size(), 4u);
    f.click(f.matrix.columnHeaderRect(3).center());
    QCOMPARE(shown(), (HeadPlace{5, 3}));
    QCOMPARE(f.matrix.selection().size(), 6u);
    f.click(f.matrix.cornerRect().center());
    QCOMPARE(shown(), (HeadPlace{5, 3}));
    QCOMPARE(f.matrix.selection().size(), 24u);
    f.drag({f.matrix.rowHeaderRect(0).center(), f.matrix.rowHeaderRect(1).center()});
    QCOMPARE(f.masked(), 9);
    QCOMPARE(f.document.inputs().undoStack()->count(), 3);
  }

  void aClickOnClassAttentionLooksWithoutAWord() {
    Fixture f(makeClassAttentionModel());
    f.matrix.setPaintsOnClick(false);
    QSignalSpy said(&f.document, &Document::message);
    f.click(4, 1);
    QCOMPARE(f.document.view().options().layer, 4);
    QVERIFY(said.isEmpty());
    f.drag({f.at(4, 0), f.at(4, 1)});
    QCOMPARE(f.masked(), 0);
    QVERIFY(!said.isEmpty());
  }

  void theBrushIsSwitchedByAKeyAndSaysSo() {
    Fixture f;
    f.matrix.setPaintsOnClick(false);
    const auto tip = [&] {
      const QPoint point = f.at(2, 1);
      QHelpEvent help(QEvent::ToolTip, point, f.matrix.viewport()->mapToGlobal(point));
      QCoreApplication::sendEvent(f.matrix.viewport(), &help);
      return QToolTip::text();
    };
    QTRY_VERIFY(tip().contains(QStringLiteral("Click: show this head. Drag, or Space: hard 3×3")));
    f.key(Qt::Key_B);
    QVERIFY(f.matrix.paintsOnClick());
    QCOMPARE(f.matrix.viewport()->cursor().shape(), Qt::CrossCursor);
    QTRY_VERIFY(tip().contains(QStringLiteral("Click or drag: hard 3×3")));
    QToolTip::hideText();
    f.click(2, 1);
    QCOMPARE(f.masked(), 1);
    f.key(Qt::Key_B);
    f.click(2, 2);
    QCOMPARE(f.masked(), 1);
    f.key(Qt::Key_Escape);
    QVERIFY(f.matrix.selection().empty());
    QCOMPARE(f.matrix.viewport()->cursor().shape(), Qt::ArrowCursor);
  }

  void roomyCellsShowTheirMaps() {
    Fixture f(6, 4, {700, 420});
    QVERIFY(f.matrix.cellRect({0, 0}).width() < 100);  // without maps they need no more
    std::set<HeadPlace> asked;
    QSize most;
    f.matrix.setThumbnails([&](const HeadPlace& head, const QSize& pixels) {
      asked.insert(head);
      most = pixels;
      QImage map(pixels, QImage::Format_RGB32);
      map.fill(head.head == 1 ? Qt::red : Qt::blue);
      return map;
    });
    const QImage grabbed = f.matrix.viewport()->grab().toImage();
    QCOMPARE(asked.size(), std::size_t(24));
    QVERIFY(most.width() >= 40 && most.width() == most.height());
    const auto inMap = [&](int head) {
      const QRect cell = f.matrix.cellRect({2, head});
      return pixelAt(grabbed, QPointF(cell.left() + 20, cell.center().y()));
    };
    COMPARE_COLOR(inMap(1), QColor(Qt::red), 3);
    COMPARE_COLOR(inMap(2), QColor(Qt::blue), 3);
    // Many heads leave no room, and nobody makes maps for nothing.
    asked.clear();
    f.matrix.resize(240, 240);
    f.matrix.viewport()->grab();
    QVERIFY(asked.empty());
  }

  void aStrokeIsOneUndoStep() {
    Fixture f;
    QSignalSpy changed(&f.document.inputs(), &InferenceInputs::masksChanged);
    f.drag({f.at(1, 0), f.at(1, 1), f.at(1, 2), f.at(2, 2)});
    QVERIFY(changed.size() >= 4);  // seen at once, not only at the end
    QCOMPARE(f.masked(), 4);
    QCOMPARE(f.document.inputs().undoStack()->count(), 1);
    QCOMPARE(f.undoText(), QStringLiteral("hard 3×3 on 4 heads"));
    f.document.inputs().undoStack()->undo();
    QCOMPARE(f.masked(), 0);
    f.document.inputs().undoStack()->redo();
    QCOMPARE(f.masked(), 4);
    // The next stroke is a step of its own.
    f.drag({f.at(4, 0), f.at(4, 1)});
    QCOMPARE(f.document.inputs().undoStack()->count(), 2);
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
    QCOMPARE(f.document.inputs().undoStack()->count(), 4);
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
    QCOMPARE(f.document.inputs().undoStack()->count(), 1);
    f.click(f.matrix.rowHeaderRect(4).center(), Qt::ControlModifier);
    QCOMPARE(f.matrix.selection().size(), 10u);
  }

  void arrowsMoveAndKeysSetKinds() {
    Fixture f;
    f.key(Qt::Key_Down);  // nothing was current: the first cell is
    QCOMPARE(*f.matrix.current(), (HeadPlace{0, 0}));
    f.key(Qt::Key_Down);
    f.key(Qt::Key_Right);
    QCOMPARE(*f.matrix.current(), (HeadPlace{1, 1}));
    const std::pair<Qt::Key, const char*> kinds[]{{Qt::Key_H, "hard:3"},
                                                  {Qt::Key_S, "soft:3@0.5"},
                                                  {Qt::Key_X, "strict:3"},
                                                  {Qt::Key_R, "random:3#0"},
                                                  {Qt::Key_N, "none"}};
    for (const auto& [key, text] : kinds) {
      f.key(key);
      QCOMPARE(toText(f.cell(1, 1)), std::string(text));
    }
    QCOMPARE(f.document.inputs().undoStack()->count(), 5);
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
    QCOMPARE(*f.matrix.current(), (HeadPlace{0, 0}));
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
    const int steps = f.document.inputs().undoStack()->count();
    f.key(Qt::Key_7);
    QCOMPARE(f.document.inputs().undoStack()->count(), steps);
  }

  /// A digit is a number of patches, and a step is of patches too, in the unit that is shown.
  void windowsInPixelsBecomePatchesOrKeepTheirUnit() {
    Fixture f;
    f.matrix.setMask({{0, 0}}, *headMaskFromText("hard:48px"));
    f.matrix.select({{0, 0}});
    f.key(Qt::Key_Plus);  // of 16 pixels
    QCOMPARE(toText(f.cell(0, 0)), std::string("hard:80px"));
    QCOMPARE(maskNumber(f.cell(0, 0)), QStringLiteral("80px"));
    QVERIFY2(f.undoText().contains(QStringLiteral("window 80 pixels")), qPrintable(f.undoText()));
    f.key(Qt::Key_Minus);
    f.key(Qt::Key_Minus);
    f.key(Qt::Key_Minus);
    QCOMPARE(toText(f.cell(0, 0)), std::string("hard:16px"));  // at least a patch
    QSignalSpy said(&f.document, &Document::message);
    f.key(Qt::Key_5);
    QCOMPARE(toText(f.cell(0, 0)), std::string("hard:5"));
    QVERIFY2(f.undoText().contains(QStringLiteral("window 5×5")), qPrintable(f.undoText()));
    QCOMPARE(said.size(), 1);
    QVERIFY(said[0][0].toString().contains(QStringLiteral("5×5 patches, in place of 16 pixels")));
    f.document.inputs().undoStack()->undo();
    QCOMPARE(toText(f.cell(0, 0)), std::string("hard:16px"));
    // A random mask beside it has patches, whatever the others' unit is.
    f.matrix.setMask({{0, 1}}, *headMaskFromText("random:3#7"));
    f.matrix.select({{0, 0}, {0, 1}});
    f.key(Qt::Key_Plus);
    QCOMPARE(toText(f.cell(0, 0)), std::string("hard:48px"));
    QCOMPARE(toText(f.cell(0, 1)), std::string("random:3#7"));
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
    QCOMPARE(document.inputs().masks().at(1, 1).kind, MaskKind::Soft);
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
    QCOMPARE(f.matrix.selection(), (std::vector<HeadPlace>{{4, 3}}));
    menu->close();
  }

  void tooltipsSayItInWords() {
    Fixture f;
    f.matrix.setMask({{2, 1}}, mask("soft:5@0.25"));
    const QString text = f.matrix.describeCell({2, 1});
    QVERIFY2(text.startsWith(QStringLiteral("Layer 2, head 1: soft 5×5, α 0.25.")),
             qPrintable(text));
    const float locality = f.document.inference()->locality[2][1];
    QVERIFY2(text.contains(QStringLiteral("(ALS) %1").arg(locality, 0, 'f', 2)), qPrintable(text));
    const QPoint point = f.at(2, 1);
    QHelpEvent help(QEvent::ToolTip, point, f.matrix.viewport()->mapToGlobal(point));
    QCoreApplication::sendEvent(f.matrix.viewport(), &help);
    QTRY_VERIFY(QToolTip::text().startsWith(text));
    QToolTip::hideText();
  }

  void cellsAreColoredByKindAndBarredByLocality() {
    Fixture f;
    auto inference = std::make_shared<InferenceResult>(*f.document.inference());
    inference->locality[0] = {0.0f, 0.5f, 1.0f, 0.25f};
    f.document.setInference(inference, -1);
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
    QCOMPARE(*f.matrix.current(), (HeadPlace{35, 11}));
    const QRect shown = f.matrix.viewport()->rect();
    QVERIFY(shown.contains(f.matrix.cellRect({35, 11})));
    f.click(35, 11);
    QCOMPARE(f.cell(35, 11).kind, MaskKind::Hard);
    QCOMPARE(f.masked(), 1);
    // The headers stay in place: the row header at the left belongs to the scrolled row.
    f.click(f.matrix.rowHeaderRect(34).center());
    QCOMPARE(f.masked(), 13);
  }

  void classAttentionIsLeftOutOfEveryEdit() {
    Fixture f(makeClassAttentionModel());  // layers 4 and 5 are
    QSignalSpy said(&f.document, &Document::message);
    const QString why = QStringLiteral("class attention is never masked");
    f.click(4, 1);
    QCOMPARE(f.masked(), 0);
    QCOMPARE(f.document.inputs().undoStack()->count(), 0);
    QCOMPARE(f.matrix.selection(), (std::vector<HeadPlace>{{4, 1}}));  // to be looked at
    QVERIFY(said.last().at(0).toString().contains(why));
    for (const Qt::Key key : {Qt::Key_H, Qt::Key_Space, Qt::Key_5, Qt::Key_Plus})
      f.key(key);
    f.click(f.matrix.rowHeaderRect(5).center());
    QCOMPARE(f.document.inputs().undoStack()->count(), 0);
    QVERIFY(said.size() >= 5);
    // Columns, everything and strokes take what there is.
    f.click(f.matrix.columnHeaderRect(1).center());
    QCOMPARE(f.masked(), 4);
    QCOMPARE(f.undoText(), QStringLiteral("hard 3×3 on head 1 of every layer that can be masked"));
    f.click(f.matrix.cornerRect().center());
    QCOMPARE(f.masked(), 16);
    QCOMPARE(f.undoText(), QStringLiteral("hard 3×3 on every head that can be masked"));
    f.click(f.matrix.cornerRect().center());
    QCOMPARE(f.masked(), 0);
    f.drag({f.at(5, 0), f.at(2, 0)});
    QCOMPARE(f.masked(), 2);
    f.matrix.selectAll();
    f.key(Qt::Key_S);
    QCOMPARE(f.masked(), 16);
    QCOMPARE(f.cell(5, 0).kind, MaskKind::None);
    f.matrix.setMask({{3, 0}, {4, 0}}, mask("strict:5"));
    QCOMPARE(toText(f.cell(3, 0)), std::string("strict:5"));
    QCOMPARE(f.cell(4, 0).kind, MaskKind::None);
  }

  void cellsThatCannotBeMaskedSayWhy() {
    Fixture f(makeClassAttentionModel());
    QVERIFY(f.matrix.describeCell({4, 1}).startsWith(
        QStringLiteral("Layer 4, head 1: class attention is never masked.")));
    QVERIFY(f.matrix.describeCell({4, 1}).contains(QStringLiteral("(ALS)")));
    QVERIFY(f.matrix.describeCell({3, 1}).startsWith(QStringLiteral("Layer 3, head 1: no mask.")));
    f.matrix.select({{4, 1}});
    QContextMenuEvent event(QContextMenuEvent::Mouse, f.at(4, 1),
                            f.matrix.viewport()->mapToGlobal(f.at(4, 1)));
    QCoreApplication::sendEvent(f.matrix.viewport(), &event);
    auto* menu = f.matrix.findChild<QMenu*>(QStringLiteral("maskMenu"));
    QVERIFY(menu && !menu->findChild<QAction*>(QStringLiteral("maskMenu.hard")));
    const QList<QAction*> entries = menu->actions();
    QVERIFY(std::any_of(entries.begin(), entries.end(), [](QAction* action) {
      return !action->isEnabled() &&
             action->text() == QStringLiteral("Class attention is never masked");
    }));
    menu->close();
    Fixture none(makeUnmaskableModel());
    QVERIFY(none.matrix.describeCell({0, 0}).contains(
        QStringLiteral("this attention has no logits to mask")));
    none.click(none.matrix.cornerRect().center());
    none.click(0, 0);
    none.key(Qt::Key_H);
    QCOMPARE(none.document.inputs().undoStack()->count(), 0);
  }

  void localityOfSignedMapsIsNotAShare() {
    ModelInfo model = makeUnmaskableModel();
    model.mapIsSigned = true;
    Fixture f(model);
    const QString text = f.matrix.describeCell({0, 0});
    QVERIFY2(text.contains(QStringLiteral("sum of this signed map")) && !text.contains('%'),
             qPrintable(text));
  }

  void cellsThatCannotBeMaskedAreHatched() {
    Fixture f(makeClassAttentionModel());
    for (const QColor& window : {QColor(0xef, 0xf0, 0xf1), QColor(0x20, 0x24, 0x28)}) {
      f.matrix.setPalette(QPalette(window));
      const QImage grabbed = f.matrix.viewport()->grab().toImage();
      const auto colors = [&](int layer) {  // above the locality bar
        const QRect rect = f.matrix.cellRect({layer, 0}).adjusted(4, 4, -4, -14);
        std::set<QRgb> seen;
        for (int y = rect.top(); y <= rect.bottom(); ++y)
          for (int x = rect.left() + 18; x <= rect.right(); ++x)
            seen.insert(pixelAt(grabbed, QPointF(x, y)).rgb());
        return seen.size();
      };
      QCOMPARE(colors(3), std::size_t(1));
      QVERIFY(colors(4) > 1);
    }
  }

  void stagesHaveRowsOfTheirOwnLength() {
    Fixture f(makeStagedModel(), {300, 200});  // 3, 6, 12 and 24 heads
    QVERIFY(f.matrix.horizontalScrollBar()->maximum() > 0);
    QVERIFY(f.matrix.cellRect({0, 3}).isEmpty());
    f.click(f.matrix.rowHeaderRect(3).center());  // a whole row is one click, seen or not
    QCOMPARE(f.masked(), 24);
    QCOMPARE(f.undoText(), QStringLiteral("hard 3×3 on layer 3"));
    f.click(f.matrix.rowHeaderRect(3).center());
    f.matrix.select({{3, 20}});
    f.key(Qt::Key_Up);  // a row that is shorter: its last head
    QCOMPARE(*f.matrix.current(), (HeadPlace{2, 11}));
    QVERIFY(f.matrix.viewport()->rect().contains(f.matrix.cellRect({2, 11})));
    f.click(f.matrix.columnHeaderRect(11).center());
    QCOMPARE(f.masked(), 2);
  }

  void anotherModelForgetsCellsThatAreGone() {
    Fixture f;
    f.matrix.select({{5, 3}, {0, 0}});
    f.document.setModel(makeModel(2, 2));
    QCOMPARE(f.matrix.selection(), (std::vector<HeadPlace>{{0, 0}}));
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
    QCOMPARE(document.inputs().undoStack()->count(), 0);
  }

  void images() {
    Fixture f(12, 3, {300, 420});
    const auto scheme = makeMaskPreset("sch2", MaskShape(std::vector<int>(12, 3)));
    f.document.inputs().pushEdit(*makeMaskEdit(f.document.inputs().masks(), *scheme, "sch2"));
    f.matrix.setMask({{3, 0}, {3, 1}}, mask("soft:5@0.25"));
    f.matrix.setMask({{5, 2}}, mask("strict:5"));
    f.matrix.setMask({{6, 2}}, mask("random:3#3"));
    f.matrix.select({{5, 1}, {5, 2}, {6, 1}, {6, 2}});
    saveGrabs(f.matrix, QStringLiteral("mask-matrix"));
    Fixture large(36, 12, {420, 420});
    saveGrabs(large.matrix, QStringLiteral("mask-matrix-large"));
    Fixture partly(makeClassAttentionModel(), {300, 260});
    partly.matrix.setMask({{1, 0}, {4, 0}}, mask("hard:3"));
    saveGrabs(partly.matrix, QStringLiteral("mask-matrix-class-attention"));
  }
};

QTEST_MAIN(MaskMatrixTest)
#include "MaskMatrixTest.moc"
