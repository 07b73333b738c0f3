// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/IdleFields.h"

#include "core/config/DatasetKinds.h"

namespace headlight {
namespace {

void add(std::vector<std::string>& fields, const std::vector<std::string>& more) {
  fields.insert(fields.end(), more.begin(), more.end());
}

}  // namespace

std::vector<std::string> idleDataFields(const std::string& dataset) {
  std::vector<std::string> idle{"train_samples", "validation_samples", "drawn_classes"};
  if (isDrawnData(dataset)) idle = {"path", "validation_fraction"};
  if (dataset != kImageFolder && dataset != "webdataset") add(idle, {"jpeg_scaling"});
  if (hasBoxes(dataset))
    add(idle, {"min_scale", "min_ratio", "rand_augment", "erasing", "erasing_mode", "erasing_count",
               "repeats"});
  else
    add(idle, {"box_crop", "multi_scale"});
  if (hasSegments(dataset))
    add(idle, {"min_scale", "min_ratio", "rand_augment", "erasing", "erasing_mode", "erasing_count",
               "repeats", "interpolation"});
  else
    add(idle, {"segment_scales"});
  return idle;
}

std::vector<std::string> idleTrainingFields(const Json& training, bool ofParts) {
  std::vector<std::string> idle;
  if (training["optimizer"] == "sgd")
    add(idle, {"beta1", "beta2", "epsilon"});
  else
    add(idle, {"momentum", "nesterov"});
  if (training["schedule"] != "step") add(idle, {"decay_epochs"});
  if (training["schedule"] != "exponential" && training["schedule"] != "step")
    add(idle, {"decay_rate"});
  if (training["schedule"] == "constant") add(idle, {"min_learning_rate"});
  if (training["adapter"] != "lora") add(idle, {"adapter_alpha", "adapter_layers"});
  if (training["adapter"] != "bottleneck") add(idle, {"adapter_scale"});
  if (training["adapter"] == "none") add(idle, {"adapter_rank", "adapter_dropout"});
  if (training.value("weights", std::string()).empty()) add(idle, {"keep_classes"});
  if (ofParts)
    add(idle, {"label_smoothing", "mixup_alpha", "cutmix_alpha", "distillation", "teacher",
               "teacher_weights", "distillation_alpha", "distillation_temperature"});
  else
    add(idle, {"backbone_rate"});
  return idle;
}

std::vector<std::string> idleSearchFields(const std::string& method) {
  std::vector<std::string> idle;
  if (method != "mait")
    add(idle, {"all_above", "remove_below", "calibrate_below", "initial_epochs", "assigned_epochs",
               "final_epochs", "from_scratch"});
  if (method != "greedy") add(idle, {"first_order", "accuracy_loss", "mac_saving"});
  if (method != "random") add(idle, {"schemes"});
  if (method != "harden") add(idle, {"alpha_below"});
  if (method == "harden") add(idle, {"set"});
  return idle;
}

}  // namespace headlight
