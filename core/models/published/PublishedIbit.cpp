// SPDX-License-Identifier: GPL-3.0-or-later

// Published.h: the published sizes of IBiT.

#include "core/models/published/Published.h"

namespace headlight {

/// IBiT: DeiT whose attention weights are multiplied by learned masks (Table 1, with three heads as
/// its §4.1 says; Table 5 prints four).
std::vector<PublishedModel> ibitModels() {
  PublishedModel tiny{"ibit_tiny",
                      flatConfig("ibit_tiny", {192, 12, 3}, 16, 224),
                      "IBiT, tiny: DeiT with learned masks",
                      6,
                      0,
                      "IBiT, Table 1"};
  tiny.config.mechanism = "learned_mask";
  tiny.config.dropPath = 0.1;
  tiny.config.layout = {{"mlp_drop_path", false}};
  PublishedModel micro{"ibit_micro", flatConfig("ibit_micro", {48, 3, 3}, 4, 32),
                       "Very small IBiT, for tests and first steps"};
  micro.config.mechanism = "learned_mask";
  micro.config.classes = 10;
  return {tiny, micro};
}

}  // namespace headlight
