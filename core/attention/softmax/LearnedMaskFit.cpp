// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/LearnedMaskFit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <list>
#include <mutex>
#include <string>

#include "core/attention/softmax/MaskFitSubspace.h"
#include "core/attention/softmax/MaskFitTarget.h"
#include "core/base/Log.h"
#include "core/base/Random.h"

namespace headlight {
namespace {

constexpr double kStartDeviation = 0.1;
constexpr double kAbsoluteBound = 1e-4, kRelativeBound = 0.01;

/// xᵀx [q, q] of x [n, q].
std::vector<double> gram(const std::vector<double>& x, int q) {
  std::vector<double> result(q * q, 0.0);
  for (std::size_t row = 0; row < x.size(); row += q)
    for (int i = 0; i < q; ++i)
      for (int j = 0; j < q; ++j)
        result[i * q + j] += x[row + i] * x[row + j];
  return result;
}

/// x·m for x [n, q] and m [q, q].
std::vector<double> product(const std::vector<double>& x, const std::vector<double>& m, int q) {
  std::vector<double> result(x.size(), 0.0);
  for (std::size_t row = 0; row < x.size(); row += q)
    for (int i = 0; i < q; ++i)
      for (int j = 0; j < q; ++j)
        result[row + j] += x[row + i] * m[i * q + j];
  return result;
}

/// Target·b, or with `turned` targetᵀ·b; both [N, q].
std::vector<double> targetTimes(const MaskFitTarget& target, const std::vector<double>& b, int q,
                                bool turned) {
  std::vector<double> result(b.size(), 0.0);
  for (int n = 0; n < target.rows; ++n)
    for (std::size_t e = target.starts[n]; e < target.starts[n + 1]; ++e) {
      const auto& [column, value] = target.entries[e];
      const std::size_t to = static_cast<std::size_t>(turned ? column : n) * q,
                        from = static_cast<std::size_t>(turned ? n : column) * q;
      for (int i = 0; i < q; ++i)
        result[to + i] += value * b[from + i];
    }
  return result;
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += x[i] * y[i];
  return sum;
}

double trace(const std::vector<double>& m, int q) {
  double sum = 0;
  for (int i = 0; i < q; ++i)
    sum += m[i * q + i];
  return sum;
}

/// What the descent starts from: N(0, 0.1²).
struct MaskFitStart {
  std::vector<double> a, b;  ///< [N, q]
};

MaskFitStart randomStart(const LearnedMaskFitOptions& options, int columns) {
  MaskFitStart start;
  RandomStream random(streamKey({options.seed, 0x1b17}));
  for (auto* factor : {&start.a, &start.b}) {
    factor->resize(static_cast<std::size_t>(options.grid.patches()) * columns);
    for (double& value : *factor)
      value = kStartDeviation * random.normal();
  }
  return start;
}

/// The descent, without ever forming 𝒜ℬᵀ [N, N]: with E = 𝒜ℬᵀ − R,
///   ‖E‖² = ⟨𝒜ᵀ𝒜, ℬᵀℬ⟩ − 2⟨𝒜, Rℬ⟩ + ‖R‖²,  Eℬ = 𝒜(ℬᵀℬ) − Rℬ,  Eᵀ𝒜 = ℬ(𝒜ᵀ𝒜) − Rᵀ𝒜.
class Descent {
 public:
  Descent(const MaskFitTarget& target, int patches, int columns, const std::vector<double>& startA,
          const std::vector<double>& startB)
      : a(startA), b(startB), m_patches(patches), m_q(columns), m_target(target) {
    updateError();
  }

  double error() const { return m_error; }  ///< mean squared, over N² entries
  double relativeError() const { return std::sqrt(m_squares / m_target.squares); }

  /// Lines 9 and 10 of Algorithm 1. Their α = 0.1 is in the units of whatever mean the loss was
  /// taken over; here the step is as long as it may be for the error to keep falling: the inverse
  /// of a bound of the loss's curvature, at the start, at the end and on the way.
  void step() {
    const double curvature =
        std::max(trace(m_gramA, m_q) + trace(m_gramB, m_q), 2 * std::sqrt(m_target.squares));
    const double rate = 1 / curvature;
    const auto gradientA = product(a, m_gramB, m_q), gradientB = product(b, m_gramA, m_q);
    const auto pullB = targetTimes(m_target, a, m_q, true);
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] -= rate * (gradientA[i] - m_pullA[i]);
      b[i] -= rate * (gradientB[i] - pullB[i]);
    }
    updateError();
  }

  std::vector<double> a, b;

 private:
  void updateError() {
    m_gramA = gram(a, m_q);
    m_gramB = gram(b, m_q);
    m_pullA = targetTimes(m_target, b, m_q, false);
    m_squares = std::max(dot(m_gramA, m_gramB) - 2 * dot(a, m_pullA) + m_target.squares, 0.0);
    m_error = m_squares / m_patches / m_patches;
  }

  int m_patches, m_q;
  const MaskFitTarget& m_target;
  std::vector<double> m_gramA, m_gramB, m_pullA;  ///< 𝒜ᵀ𝒜, ℬᵀℬ, Rℬ
  double m_squares = 0, m_error = 0;
};

/// Whether the last 500 steps took off less than a thousandth.
bool stalled(const std::vector<double>& curve) {
  constexpr std::size_t kSteps = 500;
  return curve.size() > kSteps && curve.back() > 0.999 * curve[curve.size() - 1 - kSteps];
}

bool isThere(const Descent& descent, MaskFitBound bound) {
  return bound == MaskFitBound::Absolute ? descent.error() < kAbsoluteBound
                                         : descent.relativeError() < kRelativeBound;
}

/// Steps until the bound, or as many as there may be. `mayStall`: also until it gets no better.
LearnedMaskFit descended(Descent& descent, const LearnedMaskFitOptions& options, bool mayStall) {
  LearnedMaskFit fit;
  fit.curve.push_back(descent.error());
  while (!isThere(descent, options.bound) && !(mayStall && stalled(fit.curve)) &&
         static_cast<int>(fit.curve.size()) <= options.maxSteps) {
    descent.step();
    fit.curve.push_back(descent.error());
  }
  fit.reached = isThere(descent, options.bound);
  fit.relativeError = descent.relativeError();
  return fit;
}

/// Row by row of all patches.
LearnedMaskFit fitInFull(const LearnedMaskFitOptions& options, const MaskFitTarget& target,
                         const MaskFitStart& start, int columns, bool mayStall) {
  Descent descent(target, target.rows, columns, start.a, start.b);
  LearnedMaskFit fit = descended(descent, options, mayStall);
  fit.a = std::move(descent.a);
  fit.b = std::move(descent.b);
  return fit;
}

/// The same steps, to rounding, in the few rows in which they happen.
LearnedMaskFit fitInSubspace(const LearnedMaskFitOptions& options, const MaskFitTarget& target,
                             const MaskFitStart& start, int columns, bool mayStall) {
  const MaskFitSubspace space(target, columns, start.a, start.b);
  Descent descent(space.target(), target.rows, columns, space.a(), space.b());
  LearnedMaskFit fit = descended(descent, options, mayStall);
  fit.a = space.wholeA(descent.a);
  fit.b = space.wholeB(descent.b);
  return fit;
}

std::string percentText(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g %%", 100 * share);
  return text;
}

std::string shortfallText(const LearnedMaskFit& fit, const LearnedMaskFitOptions& options) {
  const std::string steps = std::to_string(fit.curve.size() - 1) + " steps";
  if (options.bound == MaskFitBound::Absolute)
    return "the sub-masks of the learned mask differ by " + std::to_string(fit.curve.back()) +
           " (mean squared error) from their filter, not by the requested " +
           std::to_string(kAbsoluteBound) + ". A closer fit needs more than fidelity² columns";
  return "the sub-masks of the learned mask differ by " + percentText(fit.relativeError) +
         " (Frobenius norm) from their filter after " + steps + ", not within " +
         percentText(kRelativeBound) +
         "; use a larger model.attention.fidelity or a smaller window";
}

}  // namespace

LearnedMaskFit fitLearnedMask(const LearnedMaskFitOptions& options) {
  const int columns = options.fidelity * options.fidelity;
  const MaskFitTarget target = maskFitTarget(options);
  const MaskFitStart start = randomStart(options, columns);
  // Bit for bit as before: rows of all patches, and an end wherever it gets no better.
  if (options.bound == MaskFitBound::Absolute)
    return fitInFull(options, target, start, columns, /*mayStall=*/true);
  const bool outOfReach = leastRelativeError(target, columns) > kRelativeBound;
  return MaskFitSubspace::pays(target, columns)
             ? fitInSubspace(options, target, start, columns, outOfReach)
             : fitInFull(options, target, start, columns, outOfReach);
}

const LearnedMaskFit& rememberedLearnedMaskFit(const LearnedMaskFitOptions& options) {
  static std::mutex mutex;
  static std::list<std::pair<LearnedMaskFitOptions, LearnedMaskFit>> known;
  const std::lock_guard lock(mutex);
  for (const auto& [key, fit] : known)
    if (key == options) return fit;
  known.emplace_back(options, fitLearnedMask(options));
  const LearnedMaskFit& fit = known.back().second;
  if (!fit.reached) logWarning(shortfallText(fit, options));
  return fit;
}

}  // namespace headlight
