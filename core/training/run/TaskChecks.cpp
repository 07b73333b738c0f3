// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/run/TaskChecks.h"

#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

std::string learnedBy(Task task) {
  switch (task) {
    case Task::Detect:
      return tr(" learns boxes");
    case Task::Segment:
      return tr(" learns classes of pixels");
    default:
      return tr(" learns classes of images");
  }
}

std::string truthOf(Task task) {
  switch (task) {
    case Task::Detect:
      return tr(" has boxes");
    case Task::Segment:
      return tr(" has a class for every pixel");
    default:
      return tr(" has a class for each image");
  }
}

std::string learnerOf(Task task) {
  switch (task) {
    case Task::Detect:
      return tr("the backbone of a detector");
    case Task::Segment:
      return tr("the backbone of a segmenter");
    default:
      return tr("the backbone of a classifier");
  }
}

void requireSameTask(const Experiment& experiment, Task task, Task ofData) {
  if (task == ofData) return;
  throw Failure({ErrorCode::InvalidConfig,
                 tr("the backbone ") + experiment.model.backbone + learnedBy(task) +
                     tr(", but the dataset ") + experiment.data.dataset + truthOf(ofData) +
                     tr("; choose other data, or ") + learnerOf(ofData),
                 "data.dataset"});
}

/// Options that do not work with what a model learns.
class Refusals {
 public:
  explicit Refusals(Task task)
      : m_reason(task == Task::Detect
                     ? tr("does not work with boxes, from which this model learns; ")
                     : tr("does not work with classes of pixels, from which this model learns; ")) {
  }

  void refuseIf(bool asked, const char* option, const std::string& remedy) const {
    if (asked) throw Failure({ErrorCode::InvalidConfig, m_reason + remedy, option});
  }

 private:
  std::string m_reason;
};

/// It learns from the images alone, whatever else the data has.
void checkRebuilding(const Experiment& experiment) {
  const TrainingConfig& training = experiment.training;
  const auto refuse = [](bool asked, const char* option, const std::string& remedy) {
    if (!asked) return;
    throw Failure(
        {ErrorCode::InvalidConfig,
         tr("does not work with an MAE, which learns from images without classes; ") + remedy,
         option});
  };
  refuse(training.mixupAlpha > 0, "training.mixup_alpha", tr("set it to 0"));
  refuse(training.cutmixAlpha > 0, "training.cutmix_alpha", tr("set it to 0"));
  refuse(training.distillation != "none", "training.distillation", tr("set it to none"));
  refuse(experiment.masks.scheme != "none" || !experiment.edits.empty(), "masks",
         tr("heads cannot be masked while patches are dropped: choose none"));
}

}  // namespace

void checkTraining(const Experiment& experiment, Task task, Task ofData) {
  if (task == Task::Rebuild) return checkRebuilding(experiment);
  requireSameTask(experiment, task, ofData);
  if (task == Task::Classify) return;
  const TrainingConfig& training = experiment.training;
  const DataConfig& data = experiment.data;
  const Refusals refusals(task);
  refusals.refuseIf(training.mixupAlpha > 0, "training.mixup_alpha", tr("set it to 0"));
  refusals.refuseIf(training.cutmixAlpha > 0, "training.cutmix_alpha", tr("set it to 0"));
  refusals.refuseIf(training.distillation != "none", "training.distillation", tr("set it to none"));
  refusals.refuseIf(data.repeats > 1, "data.repeats", tr("set it to 1"));
  if (!data.augment) return;
  if (task == Task::Detect && data.multiScale &&
      experiment.model.imageHeightPixels() != experiment.model.imageWidthPixels())
    throw Failure({ErrorCode::InvalidConfig,
                   tr("needs a model of square images; turn it off, or set model.image_width to 0"),
                   "data.multi_scale"});
  refusals.refuseIf(!data.randAugment.empty(), "data.rand_augment", tr("leave it empty"));
  refusals.refuseIf(data.erasing > 0, "data.erasing", tr("set it to 0"));
}

}  // namespace headlight
