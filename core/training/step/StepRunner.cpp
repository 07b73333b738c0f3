// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/StepRunner.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/Random.h"
#include "core/models/layers/MicroBatch.h"
#include "core/models/layers/Precision.h"
#include "core/training/step/Divergence.h"
#include "core/training/step/Loss.h"

namespace headlight {
namespace {

constexpr std::uint64_t kStepPurpose = 0x73746570ULL;  // "step"
constexpr std::uint64_t kMixPurpose = 0x6d6978ULL;     // "mix"

/// A part's loss, which counts `share` of the batch's; undefined: there is none.
void addShare(at::Tensor& sum, const at::Tensor& loss, double share) {
  if (!loss.defined()) return;
  const at::Tensor weighed = loss.detach().to(at::kDouble) * share;
  sum = sum.defined() ? sum + weighed : weighed;
}

/// Where the rows [first, first + count) of what is here stand in the whole batch.
std::vector<std::int64_t> rowsOf(const Batch& batch, std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = first; i < first + count; ++i)
    rows.push_back(batch.rows.empty() ? i : batch.rows[static_cast<std::size_t>(i)]);
  return rows;
}

std::optional<double> valueOf(const at::Tensor& loss) {
  if (!loss.defined()) return std::nullopt;
  return loss.to(at::kCPU).item<double>();
}

/// What model and teacher say of the batch; without a teacher both heads of the model are one.
struct Answers {
  ClassLogitsPair own;
  at::Tensor wanted;
};
Answers answersTo(const MixedBatch& batch, Model& model, Teacher* teacher, Precision precision) {
  const AutocastScope autocast(precision, batch.images.device());
  if (teacher == nullptr) return {{model.forward(batch.images), {}}, {}};
  const at::Tensor wanted = teacher->logits(batch.images);
  return {model.forwardBoth(batch.images), wanted};
}

}  // namespace

StepLosses stepLosses(Model& model, const MixedBatch& batch, const TrainingConfig& config,
                      Teacher* teacher) {
  const auto ofLabels = [&](const at::Tensor& logits) {
    return mixedCrossEntropy(logits, batch, config.labelSmoothing);
  };
  StepLosses losses;
  const auto [own, wanted] =
      answersTo(batch, model, teacher, precisionFromConfig(config.precision));
  if (teacher == nullptr) {
    losses.total = ofLabels(own.logits);
  } else {
    const at::Tensor& learner = own.distilled.defined() ? own.distilled : own.logits;
    losses.distillation = config.distillation == "hard"
                              ? hardDistillation(learner, wanted)
                              : softDistillation(learner, wanted, config.distillationTemperature);
    const double share = config.distillationAlpha;
    losses.total = (1 - share) * ofLabels(own.logits) + share * losses.distillation;
  }
  losses.auxiliary = model.auxiliaryLoss();
  if (losses.auxiliary.defined()) losses.total = losses.total + losses.auxiliary;
  return losses;
}

StepRunner::StepRunner(std::shared_ptr<Model> model, at::Device device,
                       const TrainingConfig& config, std::uint64_t seed, std::int64_t stepsPerEpoch,
                       std::shared_ptr<Teacher> teacher, std::shared_ptr<Processes> processes)
    : m_model(std::move(model)),
      m_teacher(std::move(teacher)),
      m_processes(std::move(processes)),
      m_device(device),
      m_config(config),
      m_seed(seed),
      m_schedule(scheduleOptions(config, stepsPerEpoch)),
      m_optimizer(makeOptimizer(config)),
      m_average(config.emaDecay),
      m_lossScale(precisionFromConfig(config.precision) == Precision::Float16) {
  refreshParameters();
}

void StepRunner::refreshParameters() {
  const NamedTensors parameters = m_model->trainable();
  m_optimizer->setParameters(parameters, [this](const std::string& name, const at::Tensor& tensor) {
    return m_model->decays(name, tensor, m_config.decayMasks);
  });
  m_optimizer->freeze(m_model->idleElements());
  m_average.setParameters(parameters, m_model->state());
  m_sum.reset();
  if (m_processes) m_sum = std::make_unique<GradientSum>(parameters, *m_processes);
}

void StepRunner::announce(std::int64_t step) {
  const auto total = static_cast<double>(std::max<std::int64_t>(m_schedule.totalSteps(), 1));
  m_model->setProgress(std::min(static_cast<double>(step) / total, 1.0));
}

struct StepRunner::Losses {
  at::Tensor total, distillation, auxiliary;  ///< double; undefined: there is none
};

/// Every part draws from the step's seed anew: what is drawn for the whole batch is then the same
/// in all of them. The generators are held to the end: a recomputed block draws in the backward
/// pass too.
StepRunner::Losses StepRunner::backward(const MixedBatch& batch, const Batch& source,
                                        std::int64_t step) {
  const auto random = holdTorchRandom();
  const ProcessesScope company(m_processes.get());
  const std::int64_t here = batch.size();
  const std::int64_t all = source.whole > 0 ? source.whole : here;
  const std::int64_t most = (here + m_config.accumulate - 1) / m_config.accumulate;
  Losses sum;
  for (std::int64_t first = 0; first < here; first += most) {
    const std::int64_t count = std::min(most, here - first);
    const double share = static_cast<double>(count) / static_cast<double>(all * source.sharedCount);
    seedTorch(streamKey({m_seed, kStepPurpose, static_cast<std::uint64_t>(step)}));
    const BatchPartScope scope({rowsOf(source, first, count), all});
    const StepLosses losses = stepLosses(*m_model, count == here ? batch : batch.part(first, count),
                                         m_config, m_teacher.get());
    if (m_sum && first + count == here) m_sum->expectLast();
    const double weight = share * m_lossScale.factor();
    (weight == 1 ? losses.total : losses.total * weight).backward();
    addShare(sum.total, losses.total, share);
    addShare(sum.distillation, losses.distillation, share);
    addShare(sum.auxiliary, losses.auxiliary, share);
  }
  return sum;
}

/// Over all processes: gradients and losses.
void StepRunner::addUp(Losses& losses) {
  if (!m_processes) return;
  m_sum->finish();
  for (at::Tensor* loss : {&losses.total, &losses.distillation, &losses.auxiliary}) {
    if (!loss->defined()) continue;
    at::Tensor sum = loss->to(at::kCPU).reshape({1});
    m_processes->sum(sum);
    *loss = sum[0];
  }
}

StepResult StepRunner::run(const Batch& batch, std::int64_t step) {
  announce(step);
  m_optimizer->clearGradients();
  const Mix mix = drawMix(m_config, batch.images.size(2), batch.images.size(3),
                          streamKey({m_seed, kMixPurpose, static_cast<std::uint64_t>(step)}));
  Losses losses = backward(mixedBatch(batch.images.to(m_device, /*non_blocking=*/true),
                                      batch.labels.to(m_device, true), mix),
                           batch, step);
  addUp(losses);
  // The first time that the device is waited for; what follows is there already.
  const at::Tensor numbers =
      at::stack({losses.total.to(m_device), m_optimizer->gradientNorm().to(m_device, at::kDouble)})
          .to(at::kCPU);
  StepResult result;
  result.loss = numbers[0].item<double>();
  const double scaledBy = m_lossScale.factor();
  result.gradientNorm = numbers[1].item<double>() / scaledBy;
  result.distillationLoss = valueOf(losses.distillation);
  result.auxiliaryLoss = valueOf(losses.auxiliary);
  result.learningRate = m_schedule.learningRate(step);
  const auto require = [&](const char* what, double value) {
    requireFinite(what, value, step, "the last checkpoint is from before it",
                  "training.warmup_epochs");
  };
  require("loss", result.loss);
  result.skipped = !m_lossScale.takesStep(std::isfinite(result.gradientNorm));
  if (!result.skipped) {
    require("gradient", result.gradientNorm);
    m_optimizer->step(result.learningRate,
                      clippingScale(result.gradientNorm, m_config.clipGradient) / scaledBy);
    m_average.update();
  }
  m_optimizer->clearGradients();
  return result;
}

}  // namespace headlight
