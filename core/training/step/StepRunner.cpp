// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/StepRunner.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/attention/base/MicroBatch.h"
#include "core/base/ModelPart.h"
#include "core/base/Random.h"
#include "core/models/Registry.h"
#include "core/models/layers/Precision.h"
#include "core/training/step/Divergence.h"
#include "core/training/step/TaskStep.h"
#include "core/training/tuning/FrozenParts.h"
#include "core/training/tuning/LayerDecay.h"

namespace headlight {
namespace {

constexpr std::uint64_t kStepPurpose = 0x73746570ULL;  // "step"
constexpr std::uint64_t kMixPurpose = 0x6d6978ULL;     // "mix"

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

}  // namespace

StepRunner::StepRunner(std::shared_ptr<Model> model, at::Device device,
                       const TrainingConfig& config, std::uint64_t seed, std::int64_t stepsPerEpoch,
                       std::shared_ptr<Teacher> teacher, std::shared_ptr<Processes> processes,
                       std::shared_ptr<const TeacherRows> rows)
    : m_model(std::move(model)),
      m_teacher(std::move(teacher)),
      m_processes(std::move(processes)),
      m_rows(std::move(rows)),
      m_device(device),
      m_config(config),
      m_seed(seed),
      m_schedule(scheduleOptions(config, stepsPerEpoch)),
      m_headSteps(std::llround(config.headEpochs * static_cast<double>(stepsPerEpoch))),
      m_headAlone(m_headSteps > 0),
      m_optimizer(makeOptimizer(config)),
      m_average(config.emaDecay, config.emaWarmup, config.emaRestart * stepsPerEpoch),
      m_lossScale(precisionFromConfig(config.precision) == Precision::Float16) {
  refreshParameters();
}

Optimizer::RateRule StepRunner::rates() const {
  auto backbone = [rate = m_config.backboneRate](const std::string& name) {
    return name.starts_with("backbone.") ? rate : 1.0;
  };
  if (m_config.layerDecay == 1) return backbone;
  return [backbone, scales = layerScales(*m_model, m_config.layerDecay)](const std::string& name) {
    return backbone(name) * scales.at(name);
  };
}

void StepRunner::refreshParameters() {
  const bool frozen = freezesParts(m_config);
  freezeParts(*m_model, m_config, m_headAlone);
  const NamedTensors parameters =
      frozen ? learningParameters(*m_model) : NamedTensors(m_model->trainable());
  m_optimizer->setParameters(
      parameters,
      [this](const std::string& name, const at::Tensor& tensor) {
        return m_model->decays(name, tensor, m_config.decayMasks) ||
               (m_config.decayVectors && m_model->decaysAsVector(name, tensor));
      },
      rates());
  m_optimizer->freeze(m_model->idleElements());
  m_average.setParameters(parameters,
                          frozen ? movingState(*m_model) : NamedTensors(m_model->state()));
  m_sum.reset();
  if (m_processes) m_sum = std::make_unique<GradientSum>(parameters, *m_processes);
}

void StepRunner::announce(std::int64_t step) {
  const auto total = static_cast<double>(std::max<std::int64_t>(m_schedule.totalSteps(), 1));
  m_model->setProgress(std::min(static_cast<double>(step) / total, 1.0));
  if (m_headAlone == trainsHeadAlone(step)) return;
  m_headAlone = trainsHeadAlone(step);
  refreshParameters();
}

struct StepRunner::Part : BatchPart {
  double share = 1;  ///< ofBatch, divided among the processes that compute it
  bool last = false;
};

/// Every part draws from the step's seed anew: what is drawn for the whole batch is then the same
/// in all of them.
template <typename Pass>
void StepRunner::eachPart(const Batch& source, std::int64_t step, Pass pass) {
  const std::int64_t here = source.images.size(0);
  const std::int64_t all = source.whole > 0 ? source.whole : here;
  const std::int64_t most = (here + m_config.accumulate - 1) / m_config.accumulate;
  for (std::int64_t first = 0; first < here; first += most) {
    const std::int64_t count = std::min(most, here - first);
    seedTorch(streamKey({m_seed, kStepPurpose, static_cast<std::uint64_t>(step)}));
    const BatchPartScope scope({rowsOf(source, first, count), all});
    const double ofBatch = static_cast<double>(count) / static_cast<double>(all);
    pass(Part{{first, count, ofBatch},
              static_cast<double>(count) / static_cast<double>(all * source.sharedCount),
              first + count == here});
  }
}

/// The generators are held to the end: a recomputed block draws in the backward pass too.
StepLosses StepRunner::backward(const MixedBatch& batch, const Batch& source, std::int64_t step) {
  const auto random = holdTorchRandom();
  const ProcessesScope company(normsApart(m_model->config()) ? nullptr : m_processes.get());
  const auto own = makeTaskStep({*m_model, batch, source, m_config, m_processes.get(),
                                 m_teacher.get(), StepSeed{m_seed, step}});
  if (own->countsFirst() && m_config.accumulate > 1) {
    eachPart(source, step, [&](const Part& part) { own->count(part); });
    own->agree();
  }
  StepLosses sum;
  eachPart(source, step, [&](const Part& part) {
    const PartScope counted(ModelPart::Loss);
    const StepLosses losses = own->losses(part);
    if (m_sum && part.last) m_sum->expectLast();
    const double weight = part.share * m_lossScale.factor();
    const at::Tensor total = weight == 1 ? losses.total : losses.total * weight;
    {
      const BackwardScope back;
      total.backward();
    }
    sum.add(losses, part.share);
  });
  return sum;
}

/// Over all processes: gradients and losses.
void StepRunner::addUp(StepLosses& losses) {
  if (!m_processes) return;
  m_sum->finish();
  for (at::Tensor* loss : losses.all()) {
    at::Tensor sum = loss->to(at::kCPU).reshape({1});
    m_processes->sum(sum);
    *loss = sum[0];
  }
}

StepResult StepRunner::run(const Batch& batch, std::int64_t step) {
  announce(step);
  m_average.begin(step);
  m_optimizer->clearGradients();
  const Mix mix = drawMix(m_config, batch.images.size(2), batch.images.size(3),
                          streamKey({m_seed, kMixPurpose, static_cast<std::uint64_t>(step)}));
  MixedBatch mixed = inPart(ModelPart::Loss, [&] {
    return mixedBatch(batch.images.to(m_device, /*non_blocking=*/true),
                      batch.labels.to(m_device, true), mix);
  });
  if (m_rows) mixed.addWanted(m_rows->of(batch.indices).to(m_device));
  StepLosses losses = backward(mixed, batch, step);
  addUp(losses);
  const PartScope counted(ModelPart::Optimizer);
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
  result.classLoss = valueOf(losses.classes);
  result.overlapLoss = valueOf(losses.overlap);
  result.sideLoss = valueOf(losses.sides);
  result.maskLoss = valueOf(losses.masks);
  result.diceLoss = valueOf(losses.dice);
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
    m_average.update(step);
  }
  m_optimizer->clearGradients();
  return result;
}

}  // namespace headlight
