// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/adapt/ProbeFit.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <functional>

#include "core/data/Subset.h"
#include "core/workbench/adapt/LogisticProblem.h"

namespace headlight {
namespace {

// To choose among penalties, an optimum is near enough long before its last digits.
constexpr LogisticOptions kChoosing{.l2 = 0, .tolerance = 1e-4, .iterations = 60};

/// Features of mean 0 and variance 1; a feature that never changes is left at 0.
struct NormalizedFeatures {
  at::Tensor values, mean, variance, deviation;
};

NormalizedFeatures normalizedFeatures(const at::Tensor& features) {
  const at::Tensor values = features.to(at::kDouble);
  const at::Tensor mean = values.mean(0);
  const at::Tensor centered = values - mean, variance = centered.square().mean(0);
  const at::Tensor spread = variance.sqrt();
  const at::Tensor deviation = at::where(spread > 1e-9, spread, at::ones_like(spread));
  return {centered / deviation, mean, variance, deviation};
}

at::Tensor placeTensor(const std::vector<std::int64_t>& list) {
  return at::tensor(at::ArrayRef<std::int64_t>(list), at::kLong);
}

TriedStrength measuredAt(const at::Tensor& point, const at::Tensor& features,
                         const at::Tensor& labels) {
  const std::int64_t width = features.size(1);
  const at::Tensor logits = at::mm(features, point.slice(1, 0, width).t()) + point.select(1, width);
  const at::Tensor scores = at::log_softmax(logits, 1);
  return {0, scores.argmax(1).eq(labels).to(at::kDouble).mean().item<double>(),
          -scores.gather(1, labels.unsqueeze(1)).mean().item<double>()};
}

bool isBetter(const TriedStrength& a, const TriedStrength& b) {
  if (a.top1 != b.top1) return a.top1 > b.top1;
  if (a.loss != b.loss) return a.loss < b.loss;
  return a.l2 > b.l2;
}

std::vector<double> strongestFirst(std::vector<double> strengths) {
  std::sort(strengths.begin(), strengths.end(), std::greater<>());
  return strengths;
}

struct TriedPenalties {
  std::vector<TriedStrength> measured;
  std::vector<at::Tensor> points;

  bool empty() const { return measured.empty(); }
  std::size_t best() const {
    return static_cast<std::size_t>(std::min_element(measured.begin(), measured.end(), isBetter) -
                                    measured.begin());
  }
};

/// Each penalty from the optimum of the one before; empty where no class has an image to spare.
TriedPenalties tryStrengths(const ProbeRequest& request, const at::Tensor& features,
                            const at::Tensor& labels, const std::vector<double>& strengths,
                            const std::stop_token& stop) {
  const auto held =
      stratifiedSplit(request.labels, request.selection, request.seed, Split::Validation);
  if (held.empty() || strengths.size() < 2) return {};
  const at::Tensor kept =
      placeTensor(stratifiedSplit(request.labels, request.selection, request.seed, Split::Train));
  const at::Tensor asked = features.index_select(0, placeTensor(held)),
                   answers = labels.index_select(0, placeTensor(held));
  const LogisticProblem problem(features.index_select(0, kept), labels.index_select(0, kept),
                                request.classes);
  TriedPenalties tried;
  at::Tensor point;
  for (const double l2 : strengths) {
    LogisticOptions options = kChoosing;
    options.l2 = l2;
    point = problem.minimize(options, point, stop).point;
    tried.points.push_back(point);
    tried.measured.push_back(measuredAt(point, asked, answers));
    tried.measured.back().l2 = l2;
  }
  return tried;
}

}  // namespace

ProbeFit fitProbe(const ProbeRequest& request, const std::stop_token& stop) {
  const at::NoGradGuard noGrad;
  const NormalizedFeatures normalized = normalizedFeatures(request.features);
  const std::vector<std::int64_t> wide(request.labels.begin(), request.labels.end());
  const at::Tensor labels = placeTensor(wide);
  const auto strengths = strongestFirst(request.strengths);
  ProbeFit fit;
  const TriedPenalties tried = tryStrengths(request, normalized.values, labels, strengths, stop);
  fit.tried = tried.measured;
  fit.l2 = tried.empty() ? strengths[strengths.size() / 2] : tried.measured[tried.best()].l2;
  const at::Tensor start = tried.empty() ? at::Tensor() : tried.points[tried.best()];
  const LogisticProblem problem(normalized.values, labels, request.classes);
  const LogisticOptimum optimum = problem.minimize({.l2 = fit.l2}, start, stop);
  const std::int64_t width = normalized.values.size(1);
  fit.weight = optimum.point.slice(1, 0, width) / normalized.deviation;
  fit.bias = optimum.point.select(1, width) - at::mv(fit.weight, normalized.mean);
  fit.mean = normalized.mean;
  fit.variance = normalized.variance;
  fit.iterations = optimum.iterations;
  fit.converged = optimum.converged;
  return fit;
}

}  // namespace headlight
