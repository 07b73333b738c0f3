// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/objects/ObjectOptions.h"

#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr double kMostObjectLayers = 10000, kMostSeeds = 1000000;

void requireAboveZero(double value, const std::string& name) {
  if (value > 0) return;
  throw Failure({ErrorCode::InvalidArgument, tr("must be greater than 0"), name});
}

}  // namespace

const ParameterTable& objectParameters() {
  using O = ObjectOptions;
  static const ParameterTable table =
      TableBuilder<O>()
          .choice(
              &O::method, "method", {"dino", "lost", "tokencut"},
              "How an object is found: the patches that get most of the class token's attention "
              "(dino), patches like those that resemble fewest others (lost), or the cut "
              "between two groups of patches (tokencut).")
          .choice(&O::feature, "feature", {"keys", "queries", "values", "tokens"},
                  "Features that lost and tokencut compare: keys, queries or values of the layer's "
                  "attention, or the tokens that leave the layer, after the final norm.")
          .integer(&O::layer, "layer", -1, kMostObjectLayers,
                   "Layer, counted from 0; -1: the last.")
          .integer(&O::head, "head", -1, kMostObjectLayers,
                   "Head whose attention dino takes, counted from 0; -1: all, joined.")
          .number(&O::mass, "mass", 0, 1,
                  "Share of a head's attention that the patches of dino's mask get, above 0.")
          .integer(&O::seeds, "seeds", 1, kMostSeeds,
                   "Number of patches of lowest degree among which lost expands its seed.")
          .number(&O::threshold, "threshold", -1, 1,
                  "Cosine above which tokencut takes two patches for alike.")
          .number(&O::epsilon, "epsilon", 0, 1,
                  "Weight of tokencut's edges between patches that are not alike, above 0.")
          .build();
  return table;
}

void requireObjectOptions(const ObjectOptions& options) {
  const Json values = writeParameters(objectParameters(), &options);
  for (const Parameter& parameter : objectParameters())
    valueOrThrow(checkParameter(parameter, values.at(parameter.name), parameter.name));
  requireAboveZero(options.mass, "mass");
  requireAboveZero(options.epsilon, "epsilon");
}

}  // namespace headlight
