#include "core/training/step/StepRunner.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <utility>

#include "core/base/Random.h"
#include "core/models/BatchPart.h"
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

std::optional<double> valueOf(const at::Tensor& loss) {
  if (!loss.defined()) return std::nullopt;
  return loss.to(at::kCPU).item<double>();
}

}  // namespace

StepLosses stepLosses(Model& model, const MixedBatch& batch, const TrainingConfig& config,
                      Teacher* teacher) {
  const auto ofLabels = [&](const at::Tensor& logits) {
    return mixedCrossEntropy(logits, batch, config.labelSmoothing);
  };
  StepLosses losses;
  if (teacher == nullptr) {
    losses.total = ofLabels(model.forward(batch.images));
  } else {
    const at::Tensor wanted = teacher->logits(batch.images);
    const ClassLogitsPair own = model.forwardBoth(batch.images);
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
                       std::shared_ptr<Teacher> teacher)
    : m_model(std::move(model)),
      m_teacher(std::move(teacher)),
      m_device(device),
      m_config(config),
      m_seed(seed),
      m_schedule(scheduleOptions(config, stepsPerEpoch)),
      m_optimizer(makeOptimizer(config)),
      m_average(config.emaDecay) {
  refreshParameters();
}

void StepRunner::refreshParameters() {
  const NamedTensors parameters = m_model->trainable();
  m_optimizer->setParameters(parameters, [this](const std::string& name, const at::Tensor& tensor) {
    return m_model->decays(name, tensor);
  });
  m_optimizer->holdStill(m_model->idleElements());
  m_average.setParameters(parameters, m_model->state());
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
StepRunner::Losses StepRunner::backward(const MixedBatch& batch, std::int64_t step) {
  const auto random = holdTorchRandom();
  const std::int64_t all = batch.size();
  const std::int64_t most = (all + m_config.accumulate - 1) / m_config.accumulate;
  Losses sum;
  for (std::int64_t first = 0; first < all; first += most) {
    const std::int64_t count = std::min(most, all - first);
    const double share = static_cast<double>(count) / static_cast<double>(all);
    seedTorch(streamKey({m_seed, kStepPurpose, static_cast<std::uint64_t>(step)}));
    const BatchPartScope scope({first, all});
    const StepLosses losses = stepLosses(*m_model, count == all ? batch : batch.part(first, count),
                                         m_config, m_teacher.get());
    (count == all ? losses.total : losses.total * share).backward();
    addShare(sum.total, losses.total, share);
    addShare(sum.distillation, losses.distillation, share);
    addShare(sum.auxiliary, losses.auxiliary, share);
  }
  return sum;
}

StepResult StepRunner::run(const Batch& batch, std::int64_t step) {
  announce(step);
  m_optimizer->clearGradients();
  const Mix mix = drawMix(m_config, batch.images.size(2), batch.images.size(3),
                          streamKey({m_seed, kMixPurpose, static_cast<std::uint64_t>(step)}));
  const Losses losses = backward(mixedBatch(batch.images.to(m_device, /*non_blocking=*/true),
                                            batch.labels.to(m_device, true), mix),
                                 step);
  // The first time that the device is waited for; what follows is there already.
  const at::Tensor numbers =
      at::stack({losses.total, m_optimizer->gradientNorm().to(m_device, at::kDouble)}).to(at::kCPU);
  StepResult result;
  result.loss = numbers[0].item<double>();
  result.gradientNorm = numbers[1].item<double>();
  result.distillationLoss = valueOf(losses.distillation);
  result.auxiliaryLoss = valueOf(losses.auxiliary);
  result.learningRate = m_schedule.learningRate(step);
  for (const auto& [what, value] :
       {std::pair{"loss", result.loss}, std::pair{"gradient", result.gradientNorm}})
    requireFinite(what, value, step, "the last checkpoint is from before it",
                  "training.warmup_epochs");
  m_optimizer->step(result.learningRate, clippingScale(result.gradientNorm, m_config.clipGradient));
  m_optimizer->clearGradients();
  m_average.update();
  return result;
}

}  // namespace headlight
