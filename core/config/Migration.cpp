#include "core/config/Migration.h"

#include "core/config/Reading.h"

namespace headlight {
namespace {

/// Left out, as in a config written by hand: the newest.
bool isOfSchema(const Json& experiment, int schema) {
  return experiment.contains("schema") && experiment["schema"] == schema;
}

}  // namespace

Json trainingOf(const Json& experiment) {
  Json training = sectionOf(experiment, "training");
  if (isOfSchema(experiment, 1) && training.is_object() && !training.contains("decay_masks"))
    training["decay_masks"] = true;
  return training;
}

}  // namespace headlight
