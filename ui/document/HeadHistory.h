// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a training run measured of its heads (ALS, α), over all of its steps in bounded memory: when
// it is full, every second measurement is dropped. The newest is always there.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/workbench/training/TrainingSession.h"

namespace headlight {

class HeadHistory {
 public:
  static constexpr int kCapacity = 512;
  using Point = std::shared_ptr<const HeadPoint>;

  /// Steps must not decrease.
  void add(const HeadPoint& point);
  void clear();

  bool isEmpty() const { return m_points.empty(); }
  std::size_t size() const { return m_points.size(); }
  const std::vector<Point>& points() const { return m_points; }
  const HeadPoint& newest() const { return *m_points.back(); }
  /// Index of the measurement that is nearest to the step; 0 where there is none.
  std::size_t nearest(std::int64_t step) const;

 private:
  std::vector<Point> m_points;
  std::int64_t m_stride = 1, m_seen = 0;
  bool m_lastIsExtra = false;  ///< the newest is kept beside those on the stride
};

}  // namespace headlight
