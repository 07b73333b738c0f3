// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a teacher said of each training image, from a file, in place of the teacher itself.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace headlight {

class TeacherRows {
 public:
  /// `rows` [N, C]: logits in the data's classes, or features; row `place[i]` belongs to sample i.
  TeacherRows(at::Tensor rows, std::vector<std::int64_t> place)
      : m_rows(std::move(rows)), m_place(std::move(place)) {}
  /// [B, C] float32, of those samples.
  at::Tensor of(const std::vector<std::int64_t>& samples) const;
  std::int64_t width() const { return m_rows.size(1); }

 private:
  at::Tensor m_rows;
  std::vector<std::int64_t> m_place;
};

}  // namespace headlight
