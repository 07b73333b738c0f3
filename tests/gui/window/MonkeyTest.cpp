// SPDX-License-Identifier: GPL-3.0-or-later

// A monkey at the window while a run goes on: no crash, no Qt warning, memory level, no hang.
// HEADLIGHT_MONKEY_EVENTS says how many events (5,000), HEADLIGHT_MONKEY_SEED which, and
// HEADLIGHT_MONKEY_PAUSE how many milliseconds pass between two (0): for a soak of hours.

#include <malloc.h>

#include <QApplication>
#include <QDialog>
#include <QElapsedTimer>
#include <QPointer>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>

#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include "core/base/Heap.h"
#include "tests/gui/SyntheticInference.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Actions.h"
#include "ui/window/StatusLine.h"

using namespace headlight;

namespace {

constexpr int kWarmUpShare = 4;  ///< of the events, before memory is measured
/// Bytes from then to the end that are in use, however many events there are.
constexpr qint64 kMostGrowth = 100'000'000;
constexpr int kReports = 10;  ///< of memory
constexpr int kMenuMs = 300;
constexpr int kBeatMs = 5;
constexpr qint64 kStallMs = 200;  ///< is told
constexpr qint64 kHangMs = 20'000;

constexpr std::array kKeys{Qt::Key_Left,  Qt::Key_Right,  Qt::Key_Up,        Qt::Key_Down,
                           Qt::Key_Tab,   Qt::Key_Escape, Qt::Key_Return,    Qt::Key_Space,
                           Qt::Key_Home,  Qt::Key_End,    Qt::Key_PageUp,    Qt::Key_PageDown,
                           Qt::Key_C,     Qt::Key_O,      Qt::Key_S,         Qt::Key_H,
                           Qt::Key_0,     Qt::Key_1,      Qt::Key_Plus,      Qt::Key_Minus,
                           Qt::Key_Comma, Qt::Key_Period, Qt::Key_Backspace, Qt::Key_Delete};
constexpr std::array kModifiers{Qt::NoModifier, Qt::NoModifier, Qt::ShiftModifier,
                                Qt::ControlModifier};

/// How long the window's thread was busy at a time.
struct Stalls {
  std::vector<qint64> milliseconds;  ///< of every event
  qint64 longest = 0;
  QString longestAfter;  ///< what the monkey did then

  /// The time that this share of the events stayed within.
  qint64 within(double share) const;
};

/// Beats while the window's thread is free: the longest pause between two beats is how long it was
/// not. A menu that waits for a choice is no stall.
class Heart : public QObject {
 public:
  Heart() {
    m_since.start();
    connect(&m_timer, &QTimer::timeout, this, &Heart::beat);
    m_timer.start(kBeatMs);
  }
  /// The longest pause since the last time that this was asked, in milliseconds.
  qint64 take() {
    beat();
    return std::exchange(m_longest, 0);
  }

 private:
  void beat() { m_longest = std::max(m_longest, m_since.restart()); }

  QTimer m_timer;
  QElapsedTimer m_since;
  qint64 m_longest = 0;
};

class Monkey {
 public:
  /// `actions` of `window`; those whose ids are in `forbidden` are left alone.
  Monkey(QWidget* window, Actions* actions, std::uint32_t seed, QStringList forbidden);

  /// One event, and whatever it leads to at once.
  void act();
  const Stalls& stalls() const { return m_stalls; }

 private:
  QString move();
  QString press();
  QString drag();
  QString wheel();
  QString type();
  QString command();
  QString resize();
  QString leaveDialogs();
  int below(int limit) { return static_cast<int>(m_random() % static_cast<std::uint32_t>(limit)); }
  QWidget* someWindow();
  QWidget* somewhere(QPoint& at);
  static QString nameOf(const QWidget* widget);

  QWidget* m_window;
  Actions* m_actions;
  QStringList m_forbidden;
  std::mt19937 m_random;
  Heart m_heart;
  Stalls m_stalls;
};

qint64 Stalls::within(double share) const {
  if (milliseconds.empty()) return 0;
  std::vector<qint64> sorted = milliseconds;
  std::sort(sorted.begin(), sorted.end());
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(share * last)];
}

Monkey::Monkey(QWidget* window, Actions* actions, std::uint32_t seed, QStringList forbidden)
    : m_window(window), m_actions(actions), m_forbidden(std::move(forbidden)), m_random(seed) {}

void Monkey::act() {
  m_heart.take();
  const int kind = below(100);
  const QString done = kind < 30   ? move()
                       : kind < 50 ? press()
                       : kind < 58 ? drag()
                       : kind < 64 ? wheel()
                       : kind < 84 ? type()
                       : kind < 95 ? command()
                       : kind < 96 ? resize()
                                   : leaveDialogs();
  QApplication::processEvents();
  QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  const qint64 took = m_heart.take();
  m_stalls.milliseconds.push_back(took);
  if (took > kStallMs) qInfo("%lld ms: %s", static_cast<long long>(took), qPrintable(done));
  if (took <= m_stalls.longest) return;
  m_stalls.longest = took;
  m_stalls.longestAfter = done;
}

QWidget* Monkey::someWindow() {
  if (QWidget* popup = QApplication::activePopupWidget()) return popup;
  if (QWidget* modal = QApplication::activeModalWidget()) return modal;
  return m_window;
}

QWidget* Monkey::somewhere(QPoint& at) {
  QWidget* window = someWindow();
  const QPoint point(below(std::max(window->width(), 1)), below(std::max(window->height(), 1)));
  QWidget* child = window->childAt(point);
  at = child ? child->mapFrom(window, point) : point;
  return child ? child : window;
}

QString Monkey::nameOf(const QWidget* widget) {
  return QLatin1String(widget->metaObject()->className()) + QLatin1Char(' ') + widget->objectName();
}

QString Monkey::move() {
  QPoint at;
  QWidget* target = somewhere(at);
  QTest::mouseMove(target, at);
  return QStringLiteral("moving over ") + nameOf(target);
}

QString Monkey::press() {
  QPoint at;
  const QPointer<QWidget> target = somewhere(at);
  const QString name = nameOf(target);
  const Qt::MouseButton button = below(8) == 0   ? Qt::RightButton
                                 : below(8) == 0 ? Qt::MiddleButton
                                                 : Qt::LeftButton;
  const Qt::KeyboardModifiers modifiers = kModifiers[static_cast<std::size_t>(below(4))];
  if (below(10) == 0)
    QTest::mouseDClick(target, button, modifiers, at);
  else
    QTest::mouseClick(target, button, modifiers, at);
  return QStringLiteral("clicking ") + name;
}

QString Monkey::drag() {
  QPoint at;
  const QPointer<QWidget> target = somewhere(at);
  const QString name = nameOf(target);
  QTest::mousePress(target, Qt::LeftButton, Qt::NoModifier, at);
  for (int i = 0; i < 3 && target; ++i)
    QTest::mouseMove(target, at + QPoint(below(161) - 80, below(121) - 60));
  if (target && below(6) == 0) QTest::keyClick(target.data(), Qt::Key_Escape);
  if (target) QTest::mouseRelease(target, Qt::LeftButton, Qt::NoModifier, at + QPoint(20, 10));
  return QStringLiteral("dragging in ") + name;
}

QString Monkey::wheel() {
  QPoint at;
  QWidget* target = somewhere(at);
  const QString name = nameOf(target);
  QWheelEvent event(at, target->mapToGlobal(at), {}, {0, below(2) == 0 ? 120 : -120}, Qt::NoButton,
                    Qt::NoModifier, Qt::NoScrollPhase, false);
  QApplication::sendEvent(target, &event);
  return QStringLiteral("turning the wheel in ") + name;
}

QString Monkey::type() {
  QWidget* target = QApplication::focusWidget();
  if (!target || !target->window()->isVisible()) target = someWindow();
  const QString name = nameOf(target);
  const Qt::KeyboardModifiers modifiers = kModifiers[static_cast<std::size_t>(below(4))];
  const Qt::Key key = kKeys[static_cast<std::size_t>(below(static_cast<int>(kKeys.size())))];
  // Ctrl and a letter is a command, and those have their own turn.
  QTest::keyClick(target, key, key >= Qt::Key_A && key <= Qt::Key_Z ? Qt::NoModifier : modifiers);
  return QStringLiteral("key %1 in %2").arg(int(key), 0, 16).arg(name);
}

QString Monkey::command() {
  const auto& commands = m_actions->commands();
  const Command& chosen = commands[below(static_cast<int>(commands.size()))];
  // What a dialog covers cannot be reached.
  if (m_forbidden.contains(chosen.id()) || !chosen.action->isEnabled() ||
      QApplication::activeModalWidget() || QApplication::activePopupWidget())
    return QStringLiteral("nothing");
  const QString id = chosen.id();
  chosen.action->trigger();
  return QStringLiteral("command ") + id;
}

QString Monkey::resize() {
  m_window->resize(1024 + below(900), 700 + below(380));
  return QStringLiteral("resizing the window");
}

QString Monkey::leaveDialogs() {
  if (QWidget* popup = QApplication::activePopupWidget()) popup->close();
  if (auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget())) dialog->reject();
  return QStringLiteral("leaving dialogs");
}

long numberFrom(const char* variable, long otherwise) {
  const QByteArray text = qgetenv(variable);
  return text.isEmpty() ? otherwise : text.toLong();
}

/// Of the heap. What the process has besides is said, and no sign of a leak: freed memory that the
/// allocator keeps in pieces, and the buffers that the BLAS makes once for each thread that calls.
qint64 memoryInUse() {
  const struct mallinfo2 heap = ::mallinfo2();
  return static_cast<qint64>(heap.uordblks + heap.hblkhd);
}
qint64 megabytesOfProcess() {
  giveBackFreeMemory();
  return static_cast<qint64>(processMemory() >> 20);
}

/// Long enough for the monkey, and without anything that leaves the folder.
Experiment endlessRun() {
  Experiment experiment = smallExperiment();
  experiment.data.trainSamples = 64;
  experiment.data.validationSamples = 16;
  experiment.training.epochs = 1'000'000;
  experiment.training.batchSize = 8;
  experiment.training.checkpointSteps = 1'000'000;
  experiment.telemetry.alsSteps = 5;
  experiment.telemetry.probeImages = 4;
  return experiment;
}

}  // namespace

class MonkeyTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { synthetic::failOnQtWarnings(); }

  void leavesTheWindowWhole() {
    useFewHeaps();  // as the program
    const long events = numberFrom("HEADLIGHT_MONKEY_EVENTS", 5'000);
    const auto seed = static_cast<std::uint32_t>(numberFrom("HEADLIGHT_MONKEY_SEED", 1));
    QTemporaryDir folder;
    qputenv("HOME", folder.path().toLocal8Bit());  // where runs go
    qputenv("HF_HUB_OFFLINE", "1");                // and nothing comes from the net
    const ScopedDialogs dialogsBefore;
    // A monkey that finds its way through the disk is no test of ours.
    dialogs().files = [](QWidget*, const FileQuestion&, const auto& answer) { answer({}); };
    TestWindow test(folder.filePath(QStringLiteral("session.json")));
    OPEN_SMALL_MODEL(test);
    const QString image = writeImage(folder.filePath(QStringLiteral("a.png")));
    OPEN_IMAGE(test, image);
    writeImage(folder.filePath(QStringLiteral("b.png")), 64, 48, 90);
    test->openPaths({folder.path()});
    test->startTraining(endlessRun(), folder.filePath(QStringLiteral("run")));
    Monkey monkey(&test.window, test->actions(), seed,
                  // They leave the window, or begin what belongs to other windows: a search and
                  // a sweep train whatever model is open, however large.
                  {QStringLiteral("file.quit"), QStringLiteral("view.fullScreen"),
                   QStringLiteral("model.sequences"), QStringLiteral("masks.search"),
                   QStringLiteral("train.sweep")});
    // A button's menu is waited for within Qt, where the monkey cannot act.
    QTimer closer;
    connect(&closer, &QTimer::timeout, this, [] {
      if (QWidget* popup = QApplication::activePopupWidget()) popup->close();
    });
    closer.start(kMenuMs);
    const int pause = static_cast<int>(numberFrom("HEADLIGHT_MONKEY_PAUSE", 0));
    qint64 before = 0;
    for (long i = 0; i < events; ++i) {
      if (pause > 0) QTest::qWait(pause);
      if (i % std::max(events / kReports, 1L) == 0)
        qInfo("monkey: after %ld events %lld MB in use, %lld in all", i,
              static_cast<long long>(memoryInUse() >> 20),
              static_cast<long long>(megabytesOfProcess()));
      if (i == events / kWarmUpShare) before = memoryInUse();
      monkey.act();
      if (!test->isVisible()) test->show();
      QVERIFY2(monkey.stalls().longest < kHangMs, qPrintable(monkey.stalls().longestAfter));
    }
    qInfo(
        "monkey: %ld events, seed %u: half within %lld ms, 99.9 %% within %lld ms, longest %lld "
        "ms (%s)",
        events, seed, static_cast<long long>(monkey.stalls().within(0.5)),
        static_cast<long long>(monkey.stalls().within(0.999)),
        static_cast<long long>(monkey.stalls().longest), qPrintable(monkey.stalls().longestAfter));
    while (QWidget* modal = QApplication::activeModalWidget())
      modal->close();
    test->trainingBridge()->stop();
    QTRY_VERIFY_WITH_TIMEOUT(!test->trainingBridge()->isRunning(), 30000);
    // What it may have opened is no leak: twice, so that Go back holds a small model too.
    for (int i = 0; i < 2; ++i) {
      test->modelWorker()->createModel(smallExperiment());
      QTRY_VERIFY_WITH_TIMEOUT(!test->modelWorker()->isOpening(), 60000);
    }
    const qint64 growth = memoryInUse() - before;
    qInfo("monkey: memory in use grew by %.1f MB, the process has %lld MB",
          static_cast<double>(growth) / 1e6, static_cast<long long>(megabytesOfProcess()));
    QVERIFY2(growth < kMostGrowth, qPrintable(QString::number(growth)));
  }
};

QTEST_MAIN(MonkeyTest)
#include "MonkeyTest.moc"
