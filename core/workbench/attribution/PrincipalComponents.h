// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Principal components of many rows of features, in double precision. No torch type here.

#include <cstdint>
#include <vector>

namespace headlight {

struct PrincipalComponents {
  int count = 0;               ///< components that there are: at most as asked for
  std::vector<double> scores;  ///< [rows × count]: of each row, its mean taken off first
  std::vector<double> shares;  ///< [count]: of the variance, falling
};

/// For `rows` [n × width], row-major: the eigenvectors of their covariance, the largest `most`
/// first. An eigenvector's entry of largest magnitude is positive (the first of equals), so that
/// signs are the same wherever this runs. No components where there are no two rows.
PrincipalComponents principalComponents(const std::vector<float>& rows, std::int64_t width,
                                        int most);

}  // namespace headlight
