// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/interventions/InterventionMetric.h"

#include <ATen/ATen.h>

#include <limits>

#include "core/base/Translation.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {
namespace {

int bestClass(const at::Tensor& logits, int otherThan = -1) {
  at::Tensor scores = logits[0].to(at::kCPU, at::kDouble).clone();
  if (otherThan >= 0) scores[otherThan].fill_(-std::numeric_limits<double>::infinity());
  return static_cast<int>(scores.argmax().item<std::int64_t>());
}

void requireClass(int classIndex, std::int64_t classes) {
  if (classIndex < classes) return;
  throw Failure({ErrorCode::InvalidArgument,
                 tr("no class ") + std::to_string(classIndex) + tr("; the model has ") +
                     std::to_string(classes) + tr(", counted from 0"),
                 "class"});
}

std::string nameOfClass(const ModelInfo& info, int index) {
  const auto place = static_cast<std::size_t>(index);
  return place < info.classNames.size() ? info.classNames[place]
                                        : tr("class ") + std::to_string(index);
}

}  // namespace

std::vector<double> InterventionMetric::of(const at::Tensor& logits) const {
  const at::Tensor exact = logits.to(at::kCPU, at::kDouble);
  at::Tensor value = exact.select(1, classIndex);
  if (kind == "difference") value = value - exact.select(1, against);
  if (kind == "probability")
    value = (sigmoid ? exact.sigmoid() : exact.softmax(1)).select(1, classIndex);
  value = value.contiguous();
  return {value.data_ptr<double>(), value.data_ptr<double>() + value.numel()};
}

InterventionMetric chooseMetric(const ModelInfo& info, const std::string& kind, int classIndex,
                                int against, const at::Tensor& logits, const at::Tensor& other) {
  const std::int64_t classes = logits.size(1);
  InterventionMetric metric{kind, classIndex < 0 ? bestClass(logits) : classIndex, against,
                            hasSigmoidScores(info.experiment.model)};
  requireClass(metric.classIndex, classes);
  if (kind != "difference") {
    metric.against = -1;
    return metric;
  }
  if (classes < 2)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("the model has one class; watch its logit instead"), "metric"});
  if (against < 0 && other.defined()) metric.against = bestClass(other);
  if (metric.against < 0 || (against < 0 && metric.against == metric.classIndex))
    metric.against = bestClass(logits, metric.classIndex);
  requireClass(metric.against, classes);
  if (metric.against == metric.classIndex)
    throw Failure(
        {ErrorCode::InvalidArgument, tr("choose a second class for the difference"), "against"});
  return metric;
}

std::string metricTitle(const InterventionMetric& metric, const ModelInfo& info) {
  const std::string name = nameOfClass(info, metric.classIndex);
  if (metric.kind == "probability") return tr("probability of ") + name;
  std::string title = tr("logit of ") + name;
  if (metric.kind == "difference")
    title += tr(" minus logit of ") + nameOfClass(info, metric.against);
  return title;
}

}  // namespace headlight
