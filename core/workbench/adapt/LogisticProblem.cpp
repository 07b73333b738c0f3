// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/adapt/LogisticProblem.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr std::size_t kRememberedSteps = 20;
constexpr int kMostHalvings = 40;
// Of the gradient: float32 leaves some 1e-6 of it, and is trusted down to here.
constexpr double kRoughSlope = 2e-5;

double product(const at::Tensor& a, const at::Tensor& b) {
  return (a * b).sum().item<double>();
}

double largestSlope(const at::Tensor& gradient) {
  return gradient.abs().max().item<double>();
}

}  // namespace

/// Two loops over the remembered steps (Nocedal & Wright 2006, algorithm 7.4), in the metric of a
/// matrix whose inverse is given.
class StepMemory {
 public:
  explicit StepMemory(at::Tensor inverse) : m_inverse(std::move(inverse)) {}

  void add(const at::Tensor& step, const at::Tensor& change) {
    const double along = product(step, change);
    if (!(along > 1e-14 * step.norm().item<double>() * change.norm().item<double>())) return;
    m_scale = along / product(change, inMetric(change));
    m_steps.push_back({step, change, along});
    if (m_steps.size() > kRememberedSteps) m_steps.pop_front();
  }

  at::Tensor direction(const at::Tensor& gradient) const {
    std::vector<double> shares(m_steps.size());
    at::Tensor rest = gradient.clone();
    for (std::size_t i = m_steps.size(); i-- > 0;) {
      shares[i] = product(m_steps[i].step, rest) / m_steps[i].product;
      rest -= shares[i] * m_steps[i].change;
    }
    at::Tensor way = m_scale * inMetric(rest);
    for (std::size_t i = 0; i < m_steps.size(); ++i)
      way += (shares[i] - product(m_steps[i].change, way) / m_steps[i].product) * m_steps[i].step;
    return -way;
  }

 private:
  /// What a step did to the gradient.
  struct Remembered {
    at::Tensor step, change;
    double product;
  };

  at::Tensor inMetric(const at::Tensor& rows) const { return at::mm(rows, m_inverse); }

  at::Tensor m_inverse;
  double m_scale = 1;
  std::deque<Remembered> m_steps;
};

namespace {

/// Whether a step may be taken: enough is gained (Armijo), or, where rounding hides what is gained,
/// the slope along it shrinks (Hager & Zhang 2005).
bool suffices(double before, double after, double slopeBefore, double slopeAfter, double length) {
  if (after <= before + 1e-4 * length * slopeBefore) return true;
  const double rounding = 1e-13 * std::max(1.0, std::abs(before));
  return after <= before + rounding && std::abs(slopeAfter) <= 0.9 * std::abs(slopeBefore);
}

void throwIfFitStopped(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Failure({ErrorCode::Canceled, tr("the fit was stopped"), ""});
}

}  // namespace

/// Where a descent is, and the images as it sees them.
struct LogisticProblem::Place {
  at::Tensor inputs, point;
  LogisticSlope slope;
};

LogisticProblem::LogisticProblem(const at::Tensor& features, const at::Tensor& labels,
                                 std::int64_t classes)
    : m_labels(labels.to(at::kLong).unsqueeze(0)), m_classes(classes) {
  const at::Tensor given = features.to(at::kDouble);
  const std::int64_t images = given.size(0), width = given.size(1);
  m_inputs = at::cat({given, at::ones({images, 1}, at::kDouble)}, 1).contiguous();
  m_rough = m_inputs.to(at::kFloat);
  m_gram = at::mm(m_inputs.t(), m_inputs) / static_cast<double>(images);
  m_penalty = at::ones({width + 1}, at::kDouble);
  m_penalty[width] = 0.0;
}

LogisticSlope LogisticProblem::slope(const at::Tensor& point, double l2) const {
  return slopeOn(m_inputs, point, l2);
}

LogisticSlope LogisticProblem::slopeOn(const at::Tensor& inputs, const at::Tensor& point,
                                       double l2) const {
  // A row for each class: products of a short and a long matrix take half the time this way round.
  at::Tensor scores = at::log_softmax(at::mm(point.to(inputs.scalar_type()), inputs.t()), 0);
  const double images = static_cast<double>(inputs.size(0));
  const at::Tensor penalized = point * m_penalty;
  LogisticSlope slope;
  slope.value = -scores.gather(0, m_labels).sum(at::kDouble).item<double>() / images +
                l2 / 2 * product(penalized, point);
  scores.exp_().scatter_add_(0, m_labels, at::full_like(m_labels, -1, scores.options()));
  slope.gradient = at::mm(scores, inputs).to(at::kDouble) / images + l2 * penalized;
  return slope;
}

at::Tensor LogisticProblem::inverseBound(double l2) const {
  constexpr double kLeast = 1e-12;  // of columns that are all zero beside tiny penalties
  return at::cholesky_inverse(
      at::linalg_cholesky(0.5 * m_gram + at::diag(l2 * m_penalty + kLeast)));
}

/// Goes one step; false where nothing more is to be gained within rounding.
bool LogisticProblem::step(Place& place, StepMemory& memory, double l2) const {
  const at::Tensor way = memory.direction(place.slope.gradient);
  const double slopeBefore = product(place.slope.gradient, way);
  double length = 1;
  for (int halvings = 0; halvings < kMostHalvings; ++halvings, length /= 2) {
    const at::Tensor there = place.point + length * way;
    const LogisticSlope slope = slopeOn(place.inputs, there, l2);
    if (!suffices(place.slope.value, slope.value, slopeBefore, product(slope.gradient, way),
                  length))
      continue;
    memory.add(length * way, slope.gradient - place.slope.gradient);
    place = {place.inputs, there, slope};
    return true;
  }
  return false;
}

LogisticOptimum LogisticProblem::minimize(const LogisticOptions& options, const at::Tensor& start,
                                          const std::stop_token& stop) const {
  const at::NoGradGuard noGrad;
  StepMemory memory(inverseBound(options.l2));
  const auto placed = [&](const at::Tensor& inputs, const at::Tensor& point) {
    return Place{inputs, point, slopeOn(inputs, point, options.l2)};
  };
  Place place = placed(
      m_rough, start.defined() ? start : at::zeros({m_classes, m_inputs.size(1)}, at::kDouble));
  LogisticOptimum found;
  for (; found.iterations < options.iterations; ++found.iterations) {
    throwIfFitStopped(stop);
    if (place.inputs.is_same(m_rough) && largestSlope(place.slope.gradient) < kRoughSlope)
      place = placed(m_inputs, place.point);
    if (largestSlope(place.slope.gradient) <= options.tolerance) break;
    if (step(place, memory, options.l2)) continue;
    if (place.inputs.is_same(m_inputs)) break;
    place = placed(m_inputs, place.point);
  }
  found.point = place.point;
  found.value = place.slope.value;
  found.converged = largestSlope(place.slope.gradient) <= options.tolerance;
  return found;
}

}  // namespace headlight
