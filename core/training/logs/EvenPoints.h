// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A long curve in few points.

#include <cstddef>
#include <utility>
#include <vector>

namespace headlight {

/// Keeps of any number of points at most `limit`, evenly: when there are more, every second one
/// goes, and from then on as many are passed over.
template <typename Point>
class EvenPoints {
 public:
  EvenPoints(std::vector<Point>& points, std::size_t limit) : m_points(points), m_limit(limit) {}

  void add(Point point) {
    if (!m_points.empty() && point.step < m_points.back().step) return;
    if (m_seen++ % m_stride != 0) return;
    m_points.push_back(std::move(point));
    if (m_points.size() <= m_limit) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < m_points.size(); i += 2)
      std::swap(m_points[kept++], m_points[i]);
    m_points.resize(kept);
    m_stride *= 2;
  }

 private:
  std::vector<Point>& m_points;
  std::size_t m_limit, m_stride = 1, m_seen = 0;
};

}  // namespace headlight
