#include "core/attention/LearnedMaskFit.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <mutex>
#include <string>

#include "core/base/Log.h"
#include "core/base/Random.h"

namespace headlight {
namespace {

constexpr double kStartDeviation = 0.1;

/// The target R, of which only the taps of the filter are kept: [N, N] would be too large for many
/// patches. Rolled: R[n, k] = G[n, (n + k) mod N]; else R is the filter G itself.
struct SparseTarget {
  struct Entry {
    int column;
    double value;
  };
  int rows = 0;                     ///< N
  std::vector<std::size_t> starts;  ///< [N + 1]: where the entries of a row begin
  std::vector<Entry> entries;       ///< row by row, columns ascending
  double squares = 0;               ///< sum of the squared values
};

double tap(const LearnedMaskFitOptions& o, int rowsAway, int colsAway) {
  if (o.filter == MaskFilter::Convolution) return 1.0;
  return std::exp(-(rowsAway * rowsAway + colsAway * colsAway) / (2 * o.sigma * o.sigma));
}

/// Calls `take(n, column, value)` for every entry of the target inside the window.
template <typename Take>
void forEachTap(const LearnedMaskFitOptions& o, Take take) {
  const int patches = o.grid.patches(), reach = (o.window - 1) / 2;
  for (int n = 0; n < patches; ++n)
    for (int i = -reach; i <= reach; ++i)
      for (int j = -reach; j <= reach; ++j) {
        const int row = n / o.grid.cols + i, col = n % o.grid.cols + j;
        if (row < 0 || row >= o.grid.rows || col < 0 || col >= o.grid.cols) continue;
        const int m = row * o.grid.cols + col;
        take(n, o.rolled ? (m - n + patches) % patches : m, tap(o, i, j));
      }
}

SparseTarget sparseTarget(const LearnedMaskFitOptions& o) {
  SparseTarget target;
  target.rows = o.grid.patches();
  target.starts.assign(target.rows + 1, 0);
  forEachTap(o, [&](int n, int column, double value) {
    target.entries.push_back({column, value});
    target.starts[n + 1] = target.entries.size();
    target.squares += value * value;
  });
  for (int n = 0; n < target.rows; ++n)
    std::sort(target.entries.begin() + target.starts[n],
              target.entries.begin() + target.starts[n + 1],
              [](const auto& a, const auto& b) { return a.column < b.column; });
  return target;
}

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
std::vector<double> targetTimes(const SparseTarget& target, const std::vector<double>& b, int q,
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

/// The descent, without ever forming 𝒜ℬᵀ [N, N]: with E = 𝒜ℬᵀ − R,
///   ‖E‖² = ⟨𝒜ᵀ𝒜, ℬᵀℬ⟩ − 2⟨𝒜, Rℬ⟩ + ‖R‖²,  Eℬ = 𝒜(ℬᵀℬ) − Rℬ,  Eᵀ𝒜 = ℬ(𝒜ᵀ𝒜) − Rᵀ𝒜.
class Descent {
 public:
  explicit Descent(const LearnedMaskFitOptions& options)
      : m_q(options.fidelity * options.fidelity), m_target(sparseTarget(options)) {
    RandomStream random(streamKey({options.seed, 0x1b17}));
    for (auto* factor : {&a, &b}) {
      factor->resize(static_cast<std::size_t>(m_target.rows) * m_q);
      for (double& value : *factor)
        value = kStartDeviation * random.normal();
    }
    look();
  }

  double error() const { return m_error; }

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
    look();
  }

  std::vector<double> a, b;

 private:
  void look() {
    m_gramA = gram(a, m_q);
    m_gramB = gram(b, m_q);
    m_pullA = targetTimes(m_target, b, m_q, false);
    const double squares = dot(m_gramA, m_gramB) - 2 * dot(a, m_pullA) + m_target.squares;
    m_error = std::max(squares, 0.0) / m_target.rows / m_target.rows;
  }

  int m_q;
  SparseTarget m_target;
  std::vector<double> m_gramA, m_gramB, m_pullA;  ///< 𝒜ᵀ𝒜, ℬᵀℬ, Rℬ
  double m_error = 0;
};

/// Whether the last 500 steps took off less than a thousandth.
bool stalled(const std::vector<double>& curve) {
  constexpr std::size_t kSteps = 500;
  return curve.size() > kSteps && curve.back() > 0.999 * curve[curve.size() - 1 - kSteps];
}

}  // namespace

LearnedMaskFit fitLearnedMask(const LearnedMaskFitOptions& options) {
  Descent descent(options);
  LearnedMaskFit fit;
  fit.curve.push_back(descent.error());
  while (descent.error() >= options.tolerance && !stalled(fit.curve) &&
         static_cast<int>(fit.curve.size()) <= options.maxSteps) {
    descent.step();
    fit.curve.push_back(descent.error());
  }
  fit.reached = descent.error() < options.tolerance;
  fit.a = std::move(descent.a);
  fit.b = std::move(descent.b);
  return fit;
}

const LearnedMaskFit& rememberedLearnedMaskFit(const LearnedMaskFitOptions& options) {
  static std::mutex mutex;
  static std::list<std::pair<LearnedMaskFitOptions, LearnedMaskFit>> known;
  const std::lock_guard lock(mutex);
  for (const auto& [key, fit] : known)
    if (key == options) return fit;
  known.emplace_back(options, fitLearnedMask(options));
  const LearnedMaskFit& fit = known.back().second;
  if (!fit.reached)
    logWarning("the sub-masks of the learned mask start " + std::to_string(fit.curve.back()) +
               " (mean squared error) from their filter, not the " +
               std::to_string(options.tolerance) +
               " asked for: more than fidelity² columns would be needed");
  return fit;
}

}  // namespace headlight
