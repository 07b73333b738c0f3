#include "core/training/step/StepRunner.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <utility>

#include "core/base/Random.h"
#include "core/training/step/Divergence.h"
#include "core/training/step/Loss.h"

namespace headlight {
namespace {

constexpr std::uint64_t kStepPurpose = 0x73746570ULL;  // "step"
constexpr std::uint64_t kMixPurpose = 0x6d6978ULL;     // "mix"

std::optional<double> valueOf(const at::Tensor& loss) {
  if (!loss.defined()) return std::nullopt;
  return loss.detach().to(at::kCPU, at::kDouble).item<double>();
}

}  // namespace

StepLosses stepLosses(Model& model, const at::Tensor& images, const at::Tensor& labels,
                      const TrainingConfig& config, Teacher* teacher, const Mix& mix) {
  const at::Tensor shown = mixedImages(images, mix);
  const auto ofLabels = [&](const at::Tensor& logits) {
    return mixedCrossEntropy(logits, labels, config.labelSmoothing, mix);
  };
  StepLosses losses;
  if (teacher == nullptr) {
    losses.total = ofLabels(model.forward(shown));
  } else {
    const at::Tensor wanted = teacher->logits(shown);
    const ClassLogitsPair own = model.forwardBoth(shown);
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
      m_optimizer(adamWOptions(config)),
      m_average(config.emaDecay) {
  refreshParameters();
}

void StepRunner::refreshParameters() {
  const NamedTensors parameters = m_model->trainable();
  m_optimizer.setParameters(parameters, [this](const std::string& name, const at::Tensor& tensor) {
    return m_model->decays(name, tensor);
  });
  m_optimizer.holdStill(m_model->idleElements());
  m_average.setParameters(parameters, m_model->state());
}

void StepRunner::announce(std::int64_t step) {
  const auto total = static_cast<double>(std::max<std::int64_t>(m_schedule.totalSteps(), 1));
  m_model->setProgress(std::min(static_cast<double>(step) / total, 1.0));
}

StepResult StepRunner::run(const Batch& batch, std::int64_t step) {
  announce(step);
  m_optimizer.clearGradients();
  const Mix mix = drawMix(m_config, batch.images.size(2), batch.images.size(3),
                          streamKey({m_seed, kMixPurpose, static_cast<std::uint64_t>(step)}));
  const at::Tensor images = batch.images.to(m_device, /*non_blocking=*/true),
                   labels = batch.labels.to(m_device, true);
  const StepLosses losses = [&] {
    const auto random = holdTorchRandom();
    seedTorch(streamKey({m_seed, kStepPurpose, static_cast<std::uint64_t>(step)}));
    return stepLosses(*m_model, images, labels, m_config, m_teacher.get(), mix);
  }();
  losses.total.backward();
  // The first time that the device is waited for; what follows is there already.
  const at::Tensor numbers =
      at::stack({losses.total.detach(), m_optimizer.gradientNorm().to(m_device)})
          .to(at::kCPU, at::kDouble);
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
  m_optimizer.step(result.learningRate, clippingScale(result.gradientNorm, m_config.clipGradient));
  m_optimizer.clearGradients();
  m_average.update();
  return result;
}

}  // namespace headlight
