// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/Migration.h"

#include "core/config/Reading.h"

namespace headlight {
namespace {

/// Left out, as in a config written by hand: the newest.
bool isOlderThan(const Json& experiment, int schema) {
  return experiment.contains("schema") && experiment["schema"] < schema;
}

/// An option of a mechanism that came with schema `since`, and what all models before it did.
struct LaterOption {
  int since;
  const char *mechanism, *name, *before;
};

constexpr LaterOption kLaterOptions[] = {
    {3, "lsla", "padding", "after_shift"},
    {3, "learned_mask", "fit", "absolute"},
};

bool applies(const LaterOption& option, const Json& experiment, const Variant& mechanism) {
  return isOlderThan(experiment, option.since) && mechanism.name == option.mechanism &&
         mechanism.options && findParameter(*mechanism.options, option.name);
}

}  // namespace

Json readTrainingSection(const Json& experiment) {
  Json training = findSection(experiment, "training");
  if (isOlderThan(experiment, 2) && training.is_object() && !training.contains("decay_masks"))
    training["decay_masks"] = true;
  return training;
}

Json modelOf(const Json& experiment, const ModelCatalog& catalog) {
  Json model = findSection(experiment, "model");
  const Variant* mechanism = chosenVariants(model, catalog).mechanism;
  if (!mechanism || !model.is_object()) return model;
  for (const LaterOption& option : kLaterOptions) {
    if (!applies(option, experiment, *mechanism)) continue;
    Json attention = findSection(model, "attention");
    if (!attention.is_object() || attention.contains(option.name)) continue;
    attention[option.name] = option.before;
    model["attention"] = std::move(attention);
  }
  return model;
}

}  // namespace headlight
