#include "ui/forms/IdleFields.h"

#include "core/config/DatasetKinds.h"

namespace headlight {
namespace {

void add(std::vector<std::string>& fields, const std::vector<std::string>& more) {
  fields.insert(fields.end(), more.begin(), more.end());
}

}  // namespace

std::vector<std::string> idleDataFields(const std::string& dataset) {
  if (dataset == kProceduralData) return {"path", "validation_fraction"};
  return {"train_samples", "validation_samples"};
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

}  // namespace headlight
