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
  if (dataset == kProceduralData) return {"path", "validation_fraction", "jpeg_scaling"};
  std::vector<std::string> idle{"train_samples", "validation_samples"};
  if (dataset != kImageFolder && dataset != "webdataset") add(idle, {"jpeg_scaling"});
  return idle;
}

std::vector<std::string> idleTrainingFields(const Json& training) {
  std::vector<std::string> idle;
  if (training["optimizer"] == "sgd")
    add(idle, {"beta1", "beta2", "epsilon"});
  else
    add(idle, {"momentum", "nesterov"});
  if (training["schedule"] != "step") add(idle, {"decay_epochs"});
  if (training["schedule"] == "cosine" || training["schedule"] == "constant")
    add(idle, {"decay_rate"});
  if (training["schedule"] == "constant") add(idle, {"min_learning_rate"});
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
