// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/StepLosses.h"

#include <ATen/Functions.h>

#include "core/models/layers/Precision.h"
#include "core/training/step/Loss.h"

namespace headlight {
namespace {

void addShare(at::Tensor& sum, const at::Tensor& loss, double share) {
  if (!loss.defined()) return;
  const at::Tensor weighed = loss.detach().to(at::kDouble) * share;
  sum = sum.defined() ? sum + weighed : weighed;
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

at::Tensor ofWanted(const at::Tensor& learner, const at::Tensor& wanted,
                    const TrainingConfig& config) {
  if (config.distillation == "features") return featureDistillation(learner, wanted);
  return config.distillation == "hard"
             ? hardDistillation(learner, wanted)
             : softDistillation(learner, wanted, config.distillationTemperature);
}

/// Mixed images learn from what the teacher says of both, as from both labels.
at::Tensor ofRows(const at::Tensor& learner, const MixedBatch& batch,
                  const TrainingConfig& config) {
  at::Tensor own = ofWanted(learner, batch.wanted, config);
  if (!batch.wantedPartners.defined()) return own;
  return batch.share * own + (1 - batch.share) * ofWanted(learner, batch.wantedPartners, config);
}

/// A teacher's file in place of a teacher.
StepLosses rowLosses(Model& model, const MixedBatch& batch, const TrainingConfig& config) {
  const bool features = config.distillation == "features";
  const auto [own, pooled] = [&]() -> std::pair<ClassLogitsPair, at::Tensor> {
    const AutocastScope autocast(precisionFromConfig(config.precision), batch.images.device());
    if (features) return model.forwardWithFeatures(batch.images);
    return {model.forwardBoth(batch.images), at::Tensor()};
  }();
  const at::Tensor& learner = own.distilled.defined() ? own.distilled : own.logits;
  StepLosses losses;
  losses.distillation = ofRows(features ? pooled : learner, batch, config);
  const double share = config.distillationAlpha;
  losses.total = (1 - share) * mixedCrossEntropy(own.logits, batch, config.labelSmoothing) +
                 share * losses.distillation;
  losses.addAuxiliary(model);
  return losses;
}

}  // namespace

void StepLosses::addAuxiliary(Model& model) {
  auxiliary = model.auxiliaryLoss();
  if (auxiliary.defined()) total = total + auxiliary;
}

void StepLosses::add(const StepLosses& part, double share) {
  addShare(total, part.total, share);
  addShare(distillation, part.distillation, share);
  addShare(auxiliary, part.auxiliary, share);
  addShare(classes, part.classes, share);
  addShare(overlap, part.overlap, share);
  addShare(sides, part.sides, share);
  addShare(masks, part.masks, share);
  addShare(dice, part.dice, share);
}

std::vector<at::Tensor*> StepLosses::all() {
  std::vector<at::Tensor*> defined;
  for (at::Tensor* loss :
       {&total, &distillation, &auxiliary, &classes, &overlap, &sides, &masks, &dice})
    if (loss->defined()) defined.push_back(loss);
  return defined;
}

StepLosses stepLosses(Model& model, const MixedBatch& batch, const TrainingConfig& config,
                      Teacher* teacher) {
  if (batch.wanted.defined()) return rowLosses(model, batch, config);
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
  losses.addAuxiliary(model);
  return losses;
}

}  // namespace headlight
