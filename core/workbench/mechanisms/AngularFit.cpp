// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/mechanisms/AngularFit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/base/Random.h"
#include "core/base/Translation.h"
#include "core/workbench/mechanisms/AngularKernels.h"

namespace headlight {
namespace {

constexpr int kSamples = 256, kFrequencies = 10;
// For the layers at the start: some units turn within (−1, 1), and the fit begins near 0.
constexpr double kFirstScale = 4, kLastScale = 0.05;
constexpr int kRecorded = 120;
constexpr int kMostHidden = 1024, kMostSteps = 100000;
constexpr int kAskEvery = 32;  ///< steps between two questions whether to stop

using FitNumbers = std::vector<double>;

/// f(x) = Σ v_h tanh(w_h x + b_h) + c, with Adam (Kingma & Ba 2015) on its parameters.
class TwoLayers {
 public:
  TwoLayers(int hidden, double rate, std::uint64_t seed)
      : m_hidden(hidden),
        m_rate(rate),
        m_values(3 * hidden + 1),
        m_slopes(3 * hidden + 1),
        m_first(3 * hidden + 1),
        m_second(3 * hidden + 1) {
    RandomStream random(streamKey({seed, 0x616e676c65}));
    const double bound = kLastScale / std::sqrt(static_cast<double>(hidden));
    for (int h = 0; h < hidden; ++h) {
      m_values[h] = random.uniform(-kFirstScale, kFirstScale);
      m_values[hidden + h] = random.uniform(-kFirstScale, kFirstScale);
      m_values[2 * hidden + h] = random.uniform(-bound, bound);
    }
  }

  double operator()(double x) const {
    double sum = m_values[3 * m_hidden];
    for (int h = 0; h < m_hidden; ++h)
      sum += m_values[2 * m_hidden + h] * std::tanh(m_values[h] * x + m_values[m_hidden + h]);
    return sum;
  }

  /// One step down the mean squared error.
  void step(const FitNumbers& inputs, const FitNumbers& targets) {
    m_slopes.assign(m_slopes.size(), 0);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      addSlopes(inputs[i], targets[i], 2.0 / static_cast<double>(inputs.size()));
    constexpr double kFirst = 0.9, kSecond = 0.999, kTiny = 1e-8;
    ++m_steps;
    const double firstBias = 1 - std::pow(kFirst, m_steps);
    const double secondBias = 1 - std::pow(kSecond, m_steps);
    for (std::size_t p = 0; p < m_values.size(); ++p) {
      m_first[p] = kFirst * m_first[p] + (1 - kFirst) * m_slopes[p];
      m_second[p] = kSecond * m_second[p] + (1 - kSecond) * m_slopes[p] * m_slopes[p];
      m_values[p] -=
          m_rate * m_first[p] / firstBias / (std::sqrt(m_second[p] / secondBias) + kTiny);
    }
  }

 private:
  void addSlopes(double x, double target, double weight) {
    m_active.resize(m_hidden);
    double sum = m_values[3 * m_hidden];
    for (int h = 0; h < m_hidden; ++h) {
      m_active[h] = std::tanh(m_values[h] * x + m_values[m_hidden + h]);
      sum += m_values[2 * m_hidden + h] * m_active[h];
    }
    const double slope = weight * (sum - target);
    for (int h = 0; h < m_hidden; ++h) {
      const double inner = slope * m_values[2 * m_hidden + h] * (1 - m_active[h] * m_active[h]);
      m_slopes[h] += inner * x;
      m_slopes[m_hidden + h] += inner;
      m_slopes[2 * m_hidden + h] += slope * m_active[h];
    }
    m_slopes[3 * m_hidden] += slope;
  }

  int m_hidden;
  double m_rate;
  int m_steps = 0;
  FitNumbers m_values, m_slopes, m_first, m_second;  ///< weights, biases, outputs, the last bias
  FitNumbers m_active;
};

/// For an even function of the angle.
double frequencyOf(const AngularFit& fit, const FitNumbers& values, int frequency) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    sum += values[i] * std::cos(frequency * fit.angles[i]);
  return 2 * sum / static_cast<double>(values.size());
}

/// From 1 to the last, evenly in the logarithm: the first ones come several times.
std::vector<int> recordedSteps(int steps) {
  std::vector<int> recorded;
  for (int i = 0; i < kRecorded; ++i)
    recorded.push_back(static_cast<int>(std::lround(std::pow(steps, i / (kRecorded - 1.0)))));
  return recorded;
}

void checkFit(const AngularFitOptions& options) {
  const auto refuse = [](const std::string& where, const std::string& message) {
    throw Failure({ErrorCode::InvalidArgument, message, where});
  };
  if (options.hidden < 1 || options.hidden > kMostHidden)
    refuse("hidden", tr("units must be 1 to ") + std::to_string(kMostHidden));
  if (options.steps < 1 || options.steps > kMostSteps)
    refuse("steps", tr("are 1 to ") + std::to_string(kMostSteps));
  if (!(options.rate > 0 && options.rate <= 1))
    refuse("rate", tr("the learning rate must be above 0 and at most 1"));
}

AngularFit emptyFit(const AngularFitOptions& options) {
  AngularFit result;
  result.options = options;
  for (int i = 0; i < kFrequencies; ++i)
    result.frequencies.push_back(2 * i + 1);
  result.steps = recordedSteps(options.steps);
  result.errors.resize(kFrequencies * result.steps.size());
  for (int i = 0; i < kSamples; ++i) {
    const double angle = (i + 0.5) * std::numbers::pi / kSamples;
    result.angles.push_back(angle);
    result.kernel.push_back(angularKernel(angle));
    result.linear.push_back(angularLinear(angle));
  }
  return result;
}

/// What the network makes of the samples, with what it need not learn.
void readFit(AngularFit& result, const TwoLayers& network) {
  const bool residual = result.options.target == AngularTarget::Residual;
  result.fit.clear();
  for (std::size_t i = 0; i < result.angles.size(); ++i)
    result.fit.push_back(network(std::cos(result.angles[i])) + (residual ? result.linear[i] : 0));
}

void recordFit(AngularFit& result, const FitNumbers& spectrum) {
  const std::size_t at = result.losses.size();
  FitNumbers differences;
  double squares = 0;
  for (std::size_t i = 0; i < result.fit.size(); ++i) {
    differences.push_back(result.fit[i] - result.kernel[i]);
    squares += differences.back() * differences.back();
  }
  result.losses.push_back(squares / static_cast<double>(differences.size()));
  for (std::size_t f = 0; f < spectrum.size(); ++f)
    result.errors[f * result.steps.size() + at] =
        std::abs(frequencyOf(result, differences, result.frequencies[f])) / spectrum[f];
}

}  // namespace

const std::string& angularTargetName(AngularTarget target) {
  static const std::array<std::string, 2> names{"kernel", "residual"};
  return names[static_cast<std::size_t>(target)];
}

Result<AngularTarget> angularTargetFromName(const std::string& name) {
  for (const AngularTarget target : {AngularTarget::Kernel, AngularTarget::Residual})
    if (angularTargetName(target) == name) return target;
  return Error{ErrorCode::InvalidArgument, tr("is not a target; give kernel or residual"), name};
}

Result<AngularFit> fitAngularKernel(const AngularFitOptions& options,
                                    const ProgressCallback& progress, std::stop_token stop) {
  return guarded("fit", [&] {
    checkFit(options);
    AngularFit result = emptyFit(options);
    FitNumbers cosines, targets, spectrum;
    for (std::size_t i = 0; i < result.angles.size(); ++i) {
      cosines.push_back(std::cos(result.angles[i]));
      targets.push_back(result.kernel[i] -
                        (options.target == AngularTarget::Residual ? result.linear[i] : 0));
    }
    for (const int frequency : result.frequencies)
      spectrum.push_back(std::abs(frequencyOf(result, result.kernel, frequency)));
    TwoLayers network(options.hidden, options.rate, options.seed);
    RemainingTime remaining;
    for (int step = 1; step <= options.steps; ++step) {
      network.step(cosines, targets);
      const auto last = std::upper_bound(result.steps.begin(), result.steps.end(), step);
      const auto due = static_cast<std::size_t>(last - result.steps.begin());
      if (result.losses.size() < due) readFit(result, network);
      while (result.losses.size() < due)
        recordFit(result, spectrum);
      if (step % kAskEvery != 0) continue;
      if (stop.stop_requested())
        throw Failure({ErrorCode::Canceled, tr("the fit was stopped"), ""});
      if (progress)
        progress({"fitting", step, options.steps, remaining.secondsRemaining(step, options.steps)});
    }
    return result;
  });
}

}  // namespace headlight
