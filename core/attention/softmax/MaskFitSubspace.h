// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The descent of Algorithm 1 (IBiT) in few rows. Internal to core/attention.
//
// With E = 𝒜ℬᵀ − R a step is 𝒜 ← 𝒜 − ηEℬ, ℬ ← ℬ − ηEᵀ𝒜. So the columns of 𝒜 stay in the span of R's
// columns and those that 𝒜 began with, those of ℬ in the span of R's rows and its own: rolled, R
// has no more than window² columns that are not zero. In orthonormal bases U and V of these spans,
// 𝒜 = U a and ℬ = V b, the descent of a and b towards UᵀRV takes the same steps: norms, products
// and the length of a step are the same. The rows are then some twenty, not the patches.

#include <vector>

#include "core/attention/softmax/MaskFitTarget.h"

namespace headlight {

class MaskFitSubspace {
 public:
  /// Whether the rows get fewer by it, by enough to be worth the bases.
  static bool pays(const MaskFitTarget& target, int columns);
  /// `a`, `b` [N, columns]: where the descent starts.
  MaskFitSubspace(const MaskFitTarget& target, int columns, const std::vector<double>& a,
                  const std::vector<double>& b);

  const MaskFitTarget& target() const { return m_target; }  ///< UᵀRV
  const std::vector<double>& a() const { return m_a; }      ///< Uᵀ𝒜 at the start
  const std::vector<double>& b() const { return m_b; }
  /// What a [rows, columns] is in full: U a [N, columns]; and V b.
  std::vector<double> wholeA(const std::vector<double>& a) const { return m_u.times(a, m_columns); }
  std::vector<double> wholeB(const std::vector<double>& b) const { return m_v.times(b, m_columns); }

 private:
  /// Vectors of length N, of norm 1 and at right angles, or 0 where one depended on those before.
  struct Basis {
    std::vector<std::vector<double>> vectors;
    std::vector<double> times(const std::vector<double>& x, int columns) const;
  };
  Basis orthonormalBasis(std::vector<std::vector<double>> given, std::vector<double>& upper) const;

  int m_columns;
  Basis m_u, m_v;
  MaskFitTarget m_target;
  std::vector<double> m_a, m_b;
};

}  // namespace headlight
