// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/pairs/QueryKeyOptions.h"

namespace headlight {

const ParameterTable& queryKeyParameters() {
  using O = QueryKeyOptions;
  static const ParameterTable table =
      TableBuilder<O>()
          .integer(&O::layer, "layer", -1, 4095,
                   "Layer whose queries and keys are mapped, counted from 0; -1: the last.")
          .integer(&O::head, "head", 0, 4095, "Head of the layer, counted from 0.")
          .integer(&O::images, "images", 1, 10'000,
                   "Map at most this many images, drawn at random from those that are given.")
          .integer(&O::tokens, "tokens", 1, 2'000,
                   "Map at most this many tokens of each image, drawn at random; class, "
                   "distillation and register tokens always stay.")
          .choice(
              &O::scale, "scale", {"spread", "correlation"},
              "How the factor between queries and keys is chosen: equal mean squared distance "
              "from the center, or the best weighted correlation of distance and q·k among 0.2, "
              "0.4, 0.8, 1, 1.25, 2.5 and 5 (AttentionViz).")
          .build();
  return table;
}

}  // namespace headlight
