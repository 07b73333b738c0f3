// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A curve of any length in bounded memory: when it is full, neighbors are averaged in pairs, and
// from then on every point stands for twice as many values.

#include <QVector>

#include <cstdint>

namespace headlight {

class BoundedSeries {
 public:
  /// `capacity`: the greatest number of points kept, at least 2.
  explicit BoundedSeries(int capacity = 2048);

  /// Keys must not decrease. Values that are not finite are left out.
  void add(double key, double value);
  void clear();

  /// The points so far, the unfinished one included.
  QVector<double> keys() const;
  QVector<double> values() const;
  int size() const { return static_cast<int>(m_keys.size()) + (m_pending > 0 ? 1 : 0); }
  bool isEmpty() const { return size() == 0; }
  std::int64_t valuesPerPoint() const { return m_stride; }
  double lastValue() const { return m_last; }

 private:
  void halve();

  int m_capacity;
  std::int64_t m_stride = 1;
  QVector<double> m_keys, m_values;
  std::int64_t m_pending = 0;  ///< values in the unfinished point
  double m_keySum = 0, m_valueSum = 0;
  double m_last = 0;
};

}  // namespace headlight
