// SPDX-License-Identifier: GPL-3.0-or-later

// Every text that a person reads passes a translator: with one that puts brackets around whatever
// it is asked for, no words remain outside brackets in the window, its menus and its dialogs.

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QGroupBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTabBar>
#include <QTableView>
#include <QTimer>
#include <QTranslator>
#include <QTreeView>

#include "core/imaging/ColorMap.h"
#include "core/models/Registry.h"
#include "tests/gui/Idle.h"
#include "tests/gui/SyntheticInference.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/CoreText.h"
#include "ui/base/Resources.h"
#include "ui/plots/Plotting.h"

using namespace headlight;

namespace {

constexpr QChar kOpen(u'⟦'), kClose(u'⟧');
constexpr int kSettleMs = 30;
constexpr int kMenuMs = 200;

class PseudoTranslator : public QTranslator {
 public:
  QString translate(const char* /*context*/, const char* source, const char* /*disambiguation*/,
                    int /*n*/) const override {
    return *source ? kOpen + QString::fromUtf8(source) + kClose : QString();
  }
  bool isEmpty() const override { return false; }
};

/// Installed as long as it lives.
struct PseudoLanguage {
  PseudoLanguage() { QCoreApplication::installTranslator(&translator); }
  ~PseudoLanguage() { QCoreApplication::removeTranslator(&translator); }
  PseudoTranslator translator;
};

QString outsideBrackets(const QString& text) {
  QString outside;
  int depth = 0;
  for (const QChar c : text) {
    if (c == kOpen) ++depth;
    if (depth == 0) outside += c;
    if (c == kClose) --depth;
  }
  return outside;
}

/// Words that no language has of its own: names of files, models, schemes, classes and keys, units.
QStringList foreignWords() {
  QStringList words = QStringLiteral(
                          "Headlight small cpu cuda CPU CUDA MACs GMACs px ms MB GB kB dpi "
                          "Ctrl Shift Alt Esc Enter Tab Space PgUp PgDown "
                          "striped checkered dotted disc cross triangle")
                          .split(QLatin1Char(' '));
  for (const ColorMapInfo& map : colorMaps())
    words << QString::fromStdString(map.name);
  for (const PublishedModel& model : publishedModels())
    words << QString::fromStdString(model.name);
  for (const std::string& scheme : maskPresetNames())
    words << QString::fromStdString(scheme);
  return words;
}

/// The words of `text` that no translator saw; empty where there are none.
QString untranslated(const QString& text) {
  static const QStringList foreign = foreignWords();
  static const QRegularExpression tags(QStringLiteral("<[^>]*>"));
  static const QRegularExpression files(QStringLiteral("\\S*(/|\\.)[A-Za-z]\\S*"));
  static const QRegularExpression unnamedClasses(QStringLiteral("class \\d+"));  // core's names
  static const QRegularExpression words(QStringLiteral("\\p{L}{2,}[\\p{L}\\d_]*"));
  QString rest = outsideBrackets(text);
  rest.remove(tags).remove(files).remove(unnamedClasses).remove(QLatin1Char('&'));
  QStringList found;
  for (auto match = words.globalMatch(rest); match.hasNext();) {
    const QString word = match.next().captured();
    if (!foreign.contains(word)) found << word;
  }
  return found.join(QLatin1Char(' '));
}

class TextWalk {
 public:
  void check(const QString& where, const QString& text);
  void action(const QAction* action);
  void widgets(QWidget* root);
  const QStringList& problems() const { return m_problems; }
  int texts() const { return m_texts; }

 private:
  void widget(const QWidget* widget);
  void fields(const QWidget* widget, const QString& where);
  void headers(const QWidget* widget, const QString& where);
  void plots(QWidget* widget, const QString& where);

  QStringList m_problems;
  int m_texts = 0;
};

void TextWalk::check(const QString& where, const QString& text) {
  ++m_texts;
  const QString words = untranslated(text);
  if (words.isEmpty()) return;
  const QString problem = where + QStringLiteral(": “") + text.left(160) +
                          QStringLiteral("” has “") + words.left(80) + QStringLiteral("”");
  if (!m_problems.contains(problem)) m_problems << problem;
}

void TextWalk::action(const QAction* action) {
  const QString where = QStringLiteral("command ") + action->objectName();
  check(where, action->text());
  check(where, action->toolTip());
  check(where, action->statusTip());
}

QString placeOf(const QWidget* widget) {
  QString place = QLatin1String(widget->metaObject()->className());
  if (!widget->objectName().isEmpty()) place += QLatin1Char(' ') + widget->objectName();
  const QWidget* parent = widget->parentWidget();
  while (parent && parent->objectName().isEmpty())
    parent = parent->parentWidget();
  return parent ? place + QStringLiteral(" in ") + parent->objectName() : place;
}

/// Choices that are written in files as they are shown: options, kinds of datasets (SampleFields),
/// sweeps.
bool choosesKeys(const QComboBox* choice) {
  static const QStringList keys{"effectKind", "averageKind", "castleKind", "sweepSource"};
  const QString name = choice->objectName();
  return choice->isEditable() || name.startsWith(QStringLiteral("field.")) || keys.contains(name);
}

void TextWalk::fields(const QWidget* widget, const QString& where) {
  if (const auto* line = qobject_cast<const QLineEdit*>(widget))
    check(where, line->placeholderText());
  if (const auto* text = qobject_cast<const QPlainTextEdit*>(widget))
    check(where, text->placeholderText());
  if (const auto* number = qobject_cast<const QSpinBox*>(widget))
    check(where, number->prefix() + number->suffix() + number->specialValueText());
  if (const auto* number = qobject_cast<const QDoubleSpinBox*>(widget))
    check(where, number->prefix() + number->suffix() + number->specialValueText());
  const auto* choice = qobject_cast<const QComboBox*>(widget);
  if (!choice) return;
  check(where, choice->placeholderText());
  for (int i = 0; i < choice->count(); ++i) {
    const bool isKey = choosesKeys(choice) || choice->itemData(i).toString() == choice->itemText(i);
    if (!isKey) check(where, choice->itemText(i));
    check(where, choice->itemData(i, Qt::ToolTipRole).toString());
  }
}

void TextWalk::headers(const QWidget* widget, const QString& where) {
  const auto* tree = qobject_cast<const QTreeView*>(widget);
  const auto* table = qobject_cast<const QTableView*>(widget);
  const QHeaderView* header = tree ? tree->header() : table ? table->horizontalHeader() : nullptr;
  if (!header || header->isHidden() || !header->model()) return;
  for (int i = 0; i < header->count(); ++i) {
    check(where, header->model()->headerData(i, Qt::Horizontal).toString());
    check(where, header->model()->headerData(i, Qt::Horizontal, Qt::ToolTipRole).toString());
  }
}

void TextWalk::plots(QWidget* widget, const QString& where) {
  auto* plot = qobject_cast<QCustomPlot*>(widget);
  if (!plot) return;
  for (QCPAxisRect* rect : plot->axisRects())
    for (const QCPAxis* axis : rect->axes())
      check(where, axis->label());
}

void TextWalk::widget(const QWidget* widget) {
  const QString where = placeOf(widget);
  check(where + QStringLiteral(" (tip)"), widget->toolTip());
  check(where + QStringLiteral(" (status)"), widget->statusTip());
  check(where + QStringLiteral(" (accessible name)"), widget->accessibleName());
  check(where + QStringLiteral(" (accessible description)"), widget->accessibleDescription());
  if (const auto* label = qobject_cast<const QLabel*>(widget)) check(where, label->text());
  if (const auto* button = qobject_cast<const QAbstractButton*>(widget))
    check(where, button->text());
  if (const auto* group = qobject_cast<const QGroupBox*>(widget)) check(where, group->title());
  if (qobject_cast<const QDockWidget*>(widget) || widget->isWindow())
    check(where + QStringLiteral(" (title)"), widget->windowTitle());
  if (const auto* menu = qobject_cast<const QMenu*>(widget))
    for (const QAction* entry : menu->actions())
      action(entry);
  if (const auto* tabs = qobject_cast<const QTabBar*>(widget))
    for (int i = 0; i < tabs->count(); ++i)
      check(where, tabs->tabText(i) + tabs->tabToolTip(i));
  fields(widget, where);
  headers(widget, where);
}

void TextWalk::widgets(QWidget* root) {
  QList<QWidget*> all = root->findChildren<QWidget*>();
  all.prepend(root);
  for (QWidget* one : all) {
    if (one->inherits("QTipLabel")) continue;
    widget(one);
    plots(one, placeOf(one));
  }
}

/// Answers every question with no, after it has read it.
void refuseQuestions(TextWalk& walk) {
  dialogs().error = [&walk](QWidget*, const QString& title, const QString& text) {
    walk.check(QStringLiteral("error"), title);
    walk.check(QStringLiteral("error"), text);
  };
  dialogs().confirm = [&walk](QWidget*, const QString& title, const QString& text,
                              const QString& action, const std::function<void(bool)>& answer) {
    for (const QString& words : {title, text, action})
      walk.check(QStringLiteral("question"), words);
    answer(false);
  };
  dialogs().files = [&walk](QWidget*, const FileQuestion& question, const auto& answer) {
    walk.check(QStringLiteral("file dialog"), question.title);
    walk.check(QStringLiteral("file dialog"), question.filter);
    answer({});
  };
}

/// What a command has opened besides the window: read, and closed again.
void readAndCloseOthers(TextWalk& walk, const QWidget* window) {
  for (QWidget* top : QApplication::topLevelWidgets()) {
    if (top == window || !top->isVisible()) continue;
    walk.widgets(top);
    top->close();
  }
  QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
}

}  // namespace

class TranslationTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }
  void init() { synthetic::failOnQtWarnings(); }

  void wordsOutsideBracketsAreFound() {
    QCOMPARE(untranslated(QStringLiteral("⟦Open ⟦a⟧ file⟧ · 3 × 3 px")), QString());
    QCOMPARE(untranslated(QStringLiteral("⟦Layer⟧ of heads")), QStringLiteral("of heads"));
    QCOMPARE(untranslated(QStringLiteral("&⟦File⟧ /tmp/a b.png")), QString());
    QCOMPARE(coreText("attention"), QStringLiteral("attention"));
    const PseudoLanguage language;
    QCOMPARE(coreText("attention"), QStringLiteral("⟦attention⟧"));
    QCOMPARE(coreText(""), QString());
    QCOMPARE(QObject::tr("%n image(s)", nullptr, 2), QStringLiteral("⟦2 image(s)⟧"));
  }

  void everyTextPassesTheTranslator() {
    QTemporaryDir folder;
    qputenv("HOME", folder.path().toLocal8Bit());
    qputenv("HF_HUB_OFFLINE", "1");
    const PseudoLanguage language;
    const ScopedDialogs dialogsBefore;
    TextWalk walk;
    refuseQuestions(walk);
    TestWindow test;
    walk.widgets(&test.window);
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, writeImage(folder.filePath(QStringLiteral("a.png"))));
    walk.widgets(&test.window);
    for (const Command& command : test->actions()->commands())
      walk.action(command.action);
    runCommands(test, walk);
    walk.check(QStringLiteral("view"), test.document()->view().describe());
    for (const Notice& notice : test.window.noticeBar()->notices())
      walk.check(QStringLiteral("notice"), notice.title + notice.text + notice.action);
    QVERIFY(walk.texts() > 1000);
    for (const QString& problem : walk.problems())
      qInfo("%s", qPrintable(problem));
    QCOMPARE(int(walk.problems().size()), 0);
  }

 private:
  void runCommands(TestWindow& test, TextWalk& walk) {
    // A button's menu is waited for within Qt.
    QTimer closer;
    connect(&closer, &QTimer::timeout, this, [&walk] {
      QWidget* popup = QApplication::activePopupWidget();
      if (!popup) return;
      walk.widgets(popup);
      popup->close();
    });
    closer.start(kMenuMs);
    // These leave the window, or replace the small model.
    const QStringList left{"file.quit", "view.fullScreen", "model.demo"};
    for (const Command& command : test->actions()->commands()) {
      if (left.contains(command.id()) || !command.action->isEnabled()) continue;
      command.action->trigger();
      synthetic::untilIdle();
      readAndCloseOthers(walk, &test.window);
      QTest::qWait(kSettleMs);
      walk.widgets(&test.window);
      readAndCloseOthers(walk, &test.window);
    }
  }
};

QTEST_MAIN(TranslationTest)
#include "TranslationTest.moc"
