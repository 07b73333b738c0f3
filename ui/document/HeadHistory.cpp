// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/HeadHistory.h"

#include <algorithm>

namespace headlight {

void HeadHistory::clear() {
  *this = HeadHistory();
}

void HeadHistory::add(const HeadPoint& point) {
  if (m_lastIsExtra) m_points.pop_back();
  m_points.push_back(std::make_shared<const HeadPoint>(point));
  m_lastIsExtra = m_seen % m_stride != 0;
  ++m_seen;
  if (m_points.size() < static_cast<std::size_t>(kCapacity)) return;
  std::vector<Point> half;
  for (std::size_t i = 0; i < m_points.size(); i += 2)
    half.push_back(m_points[i]);
  const bool keptNewest = m_points.size() % 2 == 1;
  if (!keptNewest) half.push_back(m_points.back());
  m_lastIsExtra = !keptNewest;
  m_points = std::move(half);
  m_stride *= 2;
}

std::size_t HeadHistory::nearest(std::int64_t step) const {
  const auto above =
      std::lower_bound(m_points.begin(), m_points.end(), step,
                       [](const Point& point, std::int64_t value) { return point->step < value; });
  if (above == m_points.begin()) return 0;
  const auto below = above - 1;
  const bool nearer = above != m_points.end() && (*above)->step - step < step - (*below)->step;
  return static_cast<std::size_t>((nearer ? above : below) - m_points.begin());
}

}  // namespace headlight
