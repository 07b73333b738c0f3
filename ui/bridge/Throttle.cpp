// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/Throttle.h"

#include <utility>

namespace headlight {

Throttle::Throttle(int intervalMs, std::function<void()> run)
    : m_interval(intervalMs), m_run(std::move(run)) {
  m_timer.setSingleShot(true);
  m_timer.setTimerType(Qt::PreciseTimer);
  QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] { runNow(); });
}

void Throttle::wake() {
  if (m_timer.isActive()) return;
  const qint64 elapsed = m_sinceRun.isValid() ? m_sinceRun.elapsed() : m_interval;
  if (elapsed >= m_interval)
    runNow();
  else
    m_timer.start(m_interval - static_cast<int>(elapsed));
}

void Throttle::runNow() {
  m_timer.stop();
  m_sinceRun.start();
  m_run();
}

}  // namespace headlight
