#include "tests/gui/Monkey.h"

#include <QApplication>
#include <QDialog>
#include <QPointer>
#include <QTest>
#include <QWheelEvent>

#include <algorithm>
#include <array>

#include "ui/base/Actions.h"

namespace headlight {
namespace {

constexpr std::array kKeys{Qt::Key_Left,  Qt::Key_Right,  Qt::Key_Up,        Qt::Key_Down,
                           Qt::Key_Tab,   Qt::Key_Escape, Qt::Key_Return,    Qt::Key_Space,
                           Qt::Key_Home,  Qt::Key_End,    Qt::Key_PageUp,    Qt::Key_PageDown,
                           Qt::Key_C,     Qt::Key_O,      Qt::Key_S,         Qt::Key_H,
                           Qt::Key_0,     Qt::Key_1,      Qt::Key_Plus,      Qt::Key_Minus,
                           Qt::Key_Comma, Qt::Key_Period, Qt::Key_Backspace, Qt::Key_Delete};
constexpr std::array kModifiers{Qt::NoModifier, Qt::NoModifier, Qt::ShiftModifier,
                                Qt::ControlModifier};

}  // namespace

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
  QElapsedTimer timer;
  timer.start();
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
  const qint64 took = timer.elapsed();
  m_stalls.milliseconds.push_back(took);
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
  return QLatin1String(widget->metaObject()->className()) + QLatin1Char(' ') +
         widget->objectName();
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

}  // namespace headlight
