#pragma once
// Events as a monkey would make them: anywhere, in any order, of mouse, keys and commands, the same
// for the same seed. It is told how long the window took for each.

#include <QElapsedTimer>
#include <QWidget>

#include <cstdint>
#include <random>
#include <vector>

namespace headlight {

class Actions;

/// How long the window was busy with single events.
struct Stalls {
  std::vector<qint64> milliseconds;  ///< of every event
  qint64 longest = 0;
  QString longestAfter;  ///< what the monkey did then

  /// The time that this share of the events stayed within.
  qint64 within(double share) const;
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
  Stalls m_stalls;
};

}  // namespace headlight
