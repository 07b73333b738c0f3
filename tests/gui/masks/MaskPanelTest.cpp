// SPDX-License-Identifier: GPL-3.0-or-later

// The mask panel: brush editor, presets, files, undo and redo; and the undo commands themselves.

#include "ui/masks/MaskPanel.h"

#include <QAction>
#include <QDoubleSpinBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "core/config/Experiment.h"
#include "tests/gui/Grab.h"
#include "tests/gui/SyntheticInference.h"
#include "ui/document/MaskCommand.h"
#include "ui/masks/BrushEditor.h"
#include "ui/masks/MaskMatrix.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"

using namespace headlight;
using namespace headlight::synthetic;

class MaskPanelTest : public QObject {
  Q_OBJECT

  struct Fixture {
    Document document;
    MaskPanel panel{&document};
    ScopedDialogs dialogsAsBefore;
    explicit Fixture(int layers = 6, int heads = 4) : Fixture(makeModel(layers, heads)) {}
    explicit Fixture(const ModelInfo& model) {
      fill(document, model);
      panel.matrix()->setPaintsOnClick(true);  // what most of these tests are about
      panel.resize(380, 420);
      panel.show();
      if (!QTest::qWaitForWindowExposed(&panel)) qFatal("the panel was not shown");
    }
    template <typename W>
    W* find(const char* name) const {
      W* found = panel.findChild<W*>(QString::fromLatin1(name));
      if (!found) qFatal("there is no %s", name);
      return found;
    }
    QAction* command(const char* name) const { return find<QAction>(name); }
    void click(const char* name) { QTest::mouseClick(find<QToolButton>(name), Qt::LeftButton); }
    QString name() const { return find<QLabel>("schemeName")->text(); }
    const HeadMask& brush() const { return panel.matrix()->brush(); }
    void clickCell(int layer, int head) {
      QTest::mouseClick(panel.matrix()->viewport(), Qt::LeftButton, {},
                        panel.matrix()->cellRect({layer, head}).center());
    }
  };

  static MaskEdit edit(const MaskScheme& scheme, int layer, int head, const char* text) {
    return *makeMaskEdit(scheme, {{layer, head}}, *headMaskFromText(text), text);
  }

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void learnedAlphasAreResetOnlyWhenAsked() {
    Fixture f;
    const auto at = [&](int layer, int head) {
      return QString::fromStdString(toText(f.document.inputs().masks().at(layer, head)));
    };
    f.document.inputs().pushEdit(edit(f.document.inputs().masks(), 1, 2, "soft:3@0.25"));
    f.document.inputs().pushEdit(edit(f.document.inputs().masks(), 3, 0, "soft:5@0.5"));
    f.document.inputs().pushEdit(edit(f.document.inputs().masks(), 3, 1, "hard:3"));
    f.command("masks.resetAlpha")->trigger();  // of every soft head
    QCOMPARE(at(1, 2), QStringLiteral("soft:3@0.25~1"));
    QCOMPARE(at(3, 0), QStringLiteral("soft:5@0.5~1"));
    QCOMPARE(at(3, 1), QStringLiteral("hard:3"));
    f.document.inputs().undoStack()->undo();
    QCOMPARE(at(1, 2), QStringLiteral("soft:3@0.25"));
    f.panel.matrix()->select({{1, 2}, {3, 1}});
    f.command("masks.resetAlpha")->trigger();
    QCOMPARE(at(1, 2), QStringLiteral("soft:3@0.25~1"));
    QCOMPARE(at(3, 0), QStringLiteral("soft:5@0.5"));
    // Painting keeps the count, and a cell with the brush's mask is still cleared by it.
    f.panel.matrix()->setBrush(f.document.inputs().masks().at(1, 2));
    QCOMPARE(f.brush().resets, 0);
    f.panel.matrix()->toggleBrush({{1, 2}});
    QCOMPARE(at(1, 2), QStringLiteral("none~1"));
    f.panel.matrix()->toggleBrush({{1, 2}});
    QCOMPARE(at(1, 2), QStringLiteral("soft:3@0.25~1"));
    // Nothing soft: said, and no step of undo.
    f.panel.matrix()->select({{0, 0}});
    const int steps = f.document.inputs().undoStack()->count();
    QSignalSpy messages(&f.document, &Document::message);
    f.command("masks.resetAlpha")->trigger();
    QCOMPARE(f.document.inputs().undoStack()->count(), steps);
    QCOMPARE(messages.size(), 1);
  }

  void theBrushIsWhatTheButtonsSay() {
    Fixture f;
    f.click("brush.soft");
    QCOMPARE(f.brush().kind, MaskKind::Soft);
    auto* window = f.find<QSpinBox>("brush.window");
    window->setFocus();
    QTest::keyClick(window, Qt::Key_Up);
    QCOMPARE(f.brush().window, 5);
    auto* slider = f.find<QSlider>("brush.alphaSlider");
    slider->setValue(250);
    QCOMPARE(f.brush().alpha, 0.25);
    QCOMPARE(f.find<QDoubleSpinBox>("brush.alpha")->value(), 0.25);
    f.find<QDoubleSpinBox>("brush.alpha")->setValue(0.8);
    QCOMPARE(slider->value(), 800);
    f.clickCell(2, 1);
    QCOMPARE(toText(f.document.inputs().masks().at(2, 1)), std::string("soft:5@0.8"));
    f.click("brush.random");
    f.find<QSpinBox>("brush.seed")->setValue(9);
    f.clickCell(0, 0);
    QCOMPARE(toText(f.document.inputs().masks().at(0, 0)), std::string("random:5#9"));
    f.click("brush.none");
    f.clickCell(0, 0);
    QCOMPARE(f.document.inputs().masks().at(0, 0).kind, MaskKind::None);
  }

  void windowAndAlphaEditTheSelection() {
    Fixture f;
    f.panel.matrix()->setPaintsOnClick(false);
    const auto at = [&](int layer, int head) {
      return QString::fromStdString(toText(f.document.inputs().masks().at(layer, head)));
    };
    f.panel.matrix()->setMask({{0, 0}}, *headMaskFromText("hard:5"));
    f.panel.matrix()->setMask({{0, 1}}, *headMaskFromText("soft:7@0.25"));
    const int before = f.document.inputs().undoStack()->count();
    auto* window = f.find<QSpinBox>("brush.window");
    auto* alpha = f.find<QDoubleSpinBox>("brush.alpha");
    auto* slider = f.find<QSlider>("brush.alphaSlider");
    auto* whose = f.find<QLabel>("brush.whose");
    f.clickCell(0, 1);
    QCOMPARE(window->value(), 7);
    QCOMPARE(alpha->value(), 0.25);
    QVERIFY(alpha->isEnabled());
    QVERIFY(whose->text().endsWith(QStringLiteral("layer 0, head 1")));
    QCOMPARE(f.brush().window, 3);  // the brush is as it was
    // Steps of one field are one step to undo, seen at once.
    window->setFocus();
    QTest::keyClick(window, Qt::Key_Up);
    QCOMPARE(at(0, 1), QStringLiteral("soft:9@0.25"));
    QTest::keyClick(window, Qt::Key_Down);
    QTest::keyClick(window, Qt::Key_Down);
    QCOMPARE(at(0, 1), QStringLiteral("soft:5@0.25"));
    QCOMPARE(f.document.inputs().undoStack()->count(), before + 1);
    for (const int value : {300, 400, 600})
      slider->setValue(value);
    QCOMPARE(at(0, 1), QStringLiteral("soft:5@0.6"));
    QCOMPARE(f.document.inputs().undoStack()->count(), before + 2);
    QCOMPARE(f.brush().alpha, 0.5);
    f.panel.undoAction()->trigger();
    QCOMPARE(at(0, 1), QStringLiteral("soft:5@0.25"));
    QCOMPARE(alpha->value(), 0.25);
    // Several heads: the window of all, the α of those that are soft.
    f.panel.matrix()->select({{0, 0}, {0, 1}, {0, 2}});
    window->setValue(3);
    alpha->setValue(0.75);
    QCOMPARE(at(0, 0), QStringLiteral("hard:3"));
    QCOMPARE(at(0, 1), QStringLiteral("soft:3@0.75"));
    QCOMPARE(at(0, 2), QStringLiteral("none"));
    // Nothing selected that is masked, or clicks that paint: the brush's.
    f.clickCell(3, 3);
    window->setValue(9);
    QCOMPARE(f.brush().window, 9);
    f.clickCell(0, 1);
    QCOMPARE(window->value(), 3);
    f.command("masks.paintOnClick")->trigger();
    QCOMPARE(window->value(), 9);
    QVERIFY(whose->text().contains(QStringLiteral("brush")));
    window->setValue(5);
    QCOMPARE(at(0, 1), QStringLiteral("soft:3@0.75"));
  }

  void clicksPaintWhereTheButtonIsDown() {
    Fixture f;
    f.panel.matrix()->setPaintsOnClick(false);
    QAction* paint = f.command("masks.paintOnClick");
    QVERIFY(!paint->isChecked());
    f.click("masks.paintOnClick.button");
    QVERIFY(paint->isChecked() && f.document.view().options().paintsOnClick);
    f.clickCell(1, 1);
    QCOMPARE(f.document.inputs().masks().maskedHeads(), 1);
    f.document.view().change([](ViewOptions& view) { view.paintsOnClick = false; });  // a session
    QVERIFY(!paint->isChecked());
    f.clickCell(1, 2);
    QCOMPARE(f.document.inputs().masks().maskedHeads(), 1);
  }

  void theStatusLineSaysWhereAnEditCannotMatter() {
    Fixture f;
    auto* status = f.find<QLabel>("maskStatus");
    const QString no = QStringLiteral("no effect here: the last layer's patches are not read");
    f.clickCell(5, 1);
    QVERIFY2(status->text().contains(no), qPrintable(status->text()));
    QVERIFY(f.panel.matrix()->describeCell({5, 1}).contains(QStringLiteral("No effect on the")));
    f.clickCell(4, 1);
    QVERIFY(!status->text().contains(QStringLiteral("no effect")));
    f.panel.matrix()->select({{4, 1}, {5, 1}});
    QVERIFY(!status->text().contains(QStringLiteral("no effect")));
  }

  void anEvenWindowBecomesOdd() {
    Fixture f;
    auto* window = f.find<QSpinBox>("brush.window");
    window->setFocus();
    window->selectAll();
    QTest::keyClicks(window, QStringLiteral("4"));
    QCOMPARE(f.brush().window, 3);  // not taken while even
    QTest::keyClick(window, Qt::Key_Return);
    QCOMPARE(window->value(), 5);
    QCOMPARE(f.brush().window, 5);
  }

  void presetsAreOneStepWithTheirName() {
    Fixture f;
    for (const char* preset : {"sch1", "sch2", "sch3", "mixed36", "none"}) {
      f.command(qPrintable(QStringLiteral("masks.preset.") + QLatin1String(preset)))->trigger();
      const auto expected = makeMaskPreset(preset, MaskShape(std::vector<int>(6, 4)));
      QVERIFY(f.document.inputs().masks() == *expected);
      QCOMPARE(f.name(), QString::fromLatin1(preset));
    }
    QCOMPARE(f.document.inputs().undoStack()->count(), 5);
    f.panel.undoAction()->trigger();
    QCOMPARE(f.name(), QStringLiteral("mixed36"));
    f.clickCell(5, 3);
    QCOMPARE(f.name(), QStringLiteral("mixed36*"));
    f.panel.undoAction()->trigger();
    QCOMPARE(f.name(), QStringLiteral("mixed36"));
    QVERIFY(f.panel.redoAction()->isEnabled());
    QCOMPARE(f.command("masks.preset.sch3")->toolTip(),
             QString::fromStdString(maskPresetHelp("sch3")));
  }

  void presetsArePublishedOnesWhateverTheBrushSays() {
    Fixture f;
    HeadMask brush;
    brush.kind = MaskKind::Soft;
    brush.window = 5;
    brush.alpha = 0.125;
    f.panel.matrix()->setBrush(brush);
    f.panel.applyPreset(QStringLiteral("sch3"));
    QCOMPARE(toText(f.document.inputs().masks().at(0, 0)), std::string("soft:3@0.5"));
    QCOMPARE(f.name(), QStringLiteral("sch3"));
    f.panel.applyPreset(QStringLiteral("sch1"));
    QCOMPARE(toText(f.document.inputs().masks().at(0, 0)), std::string("hard:3"));
    // With another window on all of its heads it says so.
    std::vector<HeadPlace> heads;
    for (int layer = 0; layer < 6; ++layer)
      heads.push_back({layer, 0});
    f.panel.matrix()->setMask(heads, *headMaskFromText("hard:5"));
    QCOMPARE(f.name(), QStringLiteral("sch1* (5×5)"));
    f.panel.undoAction()->trigger();
    QCOMPARE(f.name(), QStringLiteral("sch1"));
  }

  void schemesAreSavedAndLoaded() {
    Fixture f;
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("mine.json"));
    f.panel.applyPreset(QStringLiteral("sch2"));
    f.panel.matrix()->setMask({{4, 1}}, *headMaskFromText("soft:7@0.3"));
    const MaskScheme wanted = f.document.inputs().masks();
    dialogs().files = [&](QWidget*, const FileQuestion& question, const auto& answer) {
      QCOMPARE(question.mode == FileQuestion::Mode::SaveFile, !QFile::exists(path));
      answer({path});
    };
    f.command("masks.save")->trigger();
    QTRY_VERIFY(QFile::exists(path));
    f.panel.applyPreset(QStringLiteral("none"));
    QCOMPARE(f.document.inputs().masks().maskedHeads(), 0);
    f.command("masks.load")->trigger();
    QTRY_VERIFY(f.document.inputs().masks() == wanted);
    QCOMPARE(f.document.inputs().undoStack()->undoText(), QStringLiteral("scheme from mine.json"));
    // The command line reads the same file.
    const auto read = masksFromNameOrFile(path.toStdString(), MaskShape(std::vector<int>(6, 4)));
    QVERIFY(read && *read == wanted);
    f.panel.undoAction()->trigger();
    QCOMPARE(f.document.inputs().masks().maskedHeads(), 0);
  }

  void aBadSchemeIsToldAndChangesNothing() {
    Fixture f;
    QTemporaryDir folder;
    QSignalSpy failed(&f.document, &Document::failed);
    const auto write = [&](const char* text) {
      QFile file(folder.filePath(QStringLiteral("bad.json")));
      if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
      file.write(text);
      return file.fileName();
    };
    int expected = 0;
    for (const char* text : {"", "{", "[1]", R"({"scheme":"x","cells":[["hard:4"]]})",
                             R"({"scheme":"x","cells":[[],[],[],[],[],[],["hard"]]})"}) {
      f.panel.loadScheme(write(text));
      ++expected;
      QTRY_COMPARE(failed.size(), expected);
      QVERIFY(!failed.last().at(1).toString().isEmpty());
    }
    f.panel.loadScheme(folder.filePath(QStringLiteral("missing.json")));
    ++expected;
    QTRY_COMPARE(failed.size(), expected);
    f.panel.saveScheme(folder.filePath(QStringLiteral("no/such/folder.json")));
    ++expected;
    QTRY_COMPARE(failed.size(), expected);
    QCOMPARE(f.document.inputs().undoStack()->count(), 0);
  }

  void theStatusLineCountsAndDescribes() {
    Fixture f;
    auto* status = f.find<QLabel>("maskStatus");
    QCOMPARE(status->text(), QStringLiteral("0 of 24 heads masked"));
    f.clickCell(2, 1);
    QVERIFY(status->text().startsWith(
        QStringLiteral("1 of 24 heads masked · layer 2, head 1: hard 3×3, ALS ")));
  }

  void withoutAModelCommandsAreOff() {
    Document document;
    MaskPanel panel(&document);
    for (QAction* action : panel.commands())
      QVERIFY(!action->isEnabled());
    panel.applyPreset(QStringLiteral("sch1"));
    QCOMPARE(document.inputs().undoStack()->count(), 0);
  }

  void presetsLeaveClassAttentionOut() {
    Fixture f(makeClassAttentionModel());  // 4 layers of 4 heads, then 2 of class attention
    f.panel.applyPreset(QStringLiteral("mixed36"));
    QVERIFY(f.document.inputs().masks() ==
            *makeMaskPreset("mixed36", MaskShape(std::vector<int>(6, 4), 4)));
    QVERIFY(f.document.inputs().masks().maskedHeads() > 0);
    auto* status = f.find<QLabel>("maskStatus");
    QVERIFY(status->text().contains(QStringLiteral("of 16 heads masked")));
    QVERIFY(!f.find<MessageLabel>("maskNotice")->isVisible());
    f.clickCell(5, 2);
    QVERIFY2(
        status->text().contains(QStringLiteral("layer 5, head 2: class attention is never masked")),
        qPrintable(status->text()));
  }

  void aModelThatCannotBeMaskedSaysSo() {
    Fixture f(makeUnmaskableModel());
    auto* notice = f.find<MessageLabel>("maskNotice");
    QVERIFY(notice->isVisible());
    QVERIFY(notice->text().contains(QStringLiteral("this attention has no logits to mask")));
    for (const std::string& preset : maskPresetNames())
      QVERIFY(!f.command(("masks.preset." + preset).c_str())->isEnabled());
    QVERIFY(!f.command("masks.load")->isEnabled());
    QVERIFY(!f.find<BrushEditor>("brushEditor")->isEnabled());
    QVERIFY(
        f.find<QLabel>("maskStatus")->text().startsWith(QStringLiteral("no head can be masked")));
    saveGrabs(f.panel, QStringLiteral("mask-panel-unmaskable"));
    fill(f.document, makeModel());  // the next one can
    QVERIFY(!notice->isVisible());
    QVERIFY(f.find<BrushEditor>("brushEditor")->isEnabled());
    QVERIFY(f.command("masks.preset.sch1")->isEnabled());
  }

  void editsOfAStrokeCompose() {
    Fixture f;
    const MaskScheme start = f.document.inputs().masks();
    QUndoStack* stack = f.document.inputs().undoStack();
    const int stroke = MaskCommand::newStroke();
    const auto push = [&](int layer, int head, const char* text, int number) {
      stack->push(new MaskCommand(&f.document.inputs(),
                                  edit(f.document.inputs().masks(), layer, head, text), number));
    };
    push(0, 0, "hard:3", stroke);
    push(0, 1, "hard:3", stroke);
    push(0, 0, "soft:3", stroke);  // over the first cell again
    QCOMPARE(stack->count(), 1);
    QCOMPARE(stack->undoText(), QStringLiteral("masks on 2 heads"));
    stack->undo();
    QVERIFY(f.document.inputs().masks() == start);
    QCOMPARE(f.document.inputs().masks().name(), std::string("none"));
    stack->redo();
    QCOMPARE(toText(f.document.inputs().masks().at(0, 0)), std::string("soft:3@0.5"));
    push(1, 0, "hard:3", MaskCommand::kNoStroke);
    push(1, 1, "hard:3", MaskCommand::kNoStroke);
    QCOMPARE(stack->count(), 3);
    push(2, 0, "hard:3", MaskCommand::newStroke());
    push(2, 1, "hard:3", MaskCommand::newStroke());
    QCOMPARE(stack->count(), 5);
  }

  void aStrokeThatReturnsLeavesNoStep() {
    Fixture f;
    QUndoStack* stack = f.document.inputs().undoStack();
    const int stroke = MaskCommand::newStroke();
    stack->push(new MaskCommand(&f.document.inputs(),
                                edit(f.document.inputs().masks(), 0, 0, "hard:3"), stroke));
    stack->push(new MaskCommand(&f.document.inputs(),
                                edit(f.document.inputs().masks(), 0, 0, "none"), stroke));
    QCOMPARE(stack->count(), 0);
    QVERIFY(!stack->canUndo());
  }

  void images() {
    Fixture f(12, 3);
    f.panel.resize(360, 560);
    f.panel.applyPreset(QStringLiteral("sch2"));
    f.panel.matrix()->setMask({{3, 0}, {3, 1}}, *headMaskFromText("soft:5@0.25"));
    f.clickCell(5, 1);
    f.click("brush.soft");
    saveGrabs(f.panel, QStringLiteral("mask-panel"));
  }
};

QTEST_MAIN(MaskPanelTest)
#include "MaskPanelTest.moc"
