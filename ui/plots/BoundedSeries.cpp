// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/BoundedSeries.h"

#include <algorithm>
#include <cmath>

namespace headlight {

BoundedSeries::BoundedSeries(int capacity) : m_capacity(std::max(2, capacity)) {}

void BoundedSeries::add(double key, double value) {
  if (!std::isfinite(key) || !std::isfinite(value)) return;
  m_last = value;
  m_keySum += key;
  m_valueSum += value;
  if (++m_pending < m_stride) return;
  m_keys.append(m_keySum / static_cast<double>(m_pending));
  m_values.append(m_valueSum / static_cast<double>(m_pending));
  m_pending = 0;
  m_keySum = m_valueSum = 0;
  if (m_keys.size() >= m_capacity) halve();
}

void BoundedSeries::halve() {
  const qsizetype pairs = m_keys.size() / 2;
  const bool odd = m_keys.size() % 2 == 1;
  if (odd) {  // the point without a partner waits for one
    m_pending = m_stride;
    m_keySum = m_keys.last() * static_cast<double>(m_stride);
    m_valueSum = m_values.last() * static_cast<double>(m_stride);
  }
  for (qsizetype i = 0; i < pairs; ++i) {
    m_keys[i] = (m_keys[2 * i] + m_keys[2 * i + 1]) / 2;
    m_values[i] = (m_values[2 * i] + m_values[2 * i + 1]) / 2;
  }
  m_keys.resize(pairs);
  m_values.resize(pairs);
  m_stride *= 2;
}

void BoundedSeries::clear() {
  *this = BoundedSeries(m_capacity);
}

QVector<double> BoundedSeries::keys() const {
  QVector<double> keys = m_keys;
  if (m_pending > 0) keys.append(m_keySum / static_cast<double>(m_pending));
  return keys;
}

QVector<double> BoundedSeries::values() const {
  QVector<double> values = m_values;
  if (m_pending > 0) values.append(m_valueSum / static_cast<double>(m_pending));
  return values;
}

}  // namespace headlight
