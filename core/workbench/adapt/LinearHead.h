// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A classifier on the features of a frozen backbone, as plain numbers. No torch type here.

#include <cstdint>
#include <string>
#include <vector>

namespace headlight {

struct ModelInfo;

/// logits = weight · features + bias. What normalized the features while it was fitted is folded
/// into both.
struct LinearHead {
  std::string token = "token";        ///< model | token | mean | both: AdaptOptions, resolved
  int layers = 1;                     ///< the last n, side by side
  std::int64_t width = 0;             ///< of the features
  std::vector<float> weight;          ///< [classes, width]
  std::vector<float> bias;            ///< [classes]
  std::vector<float> mean, variance;  ///< [width], of the features that it was fitted to
  std::vector<std::string> classNames;

  std::int64_t classes() const { return static_cast<std::int64_t>(classNames.size()); }
};

/// Whether classes can be taught to the model: it classifies images, and finds no objects in them.
bool isTeachable(const ModelInfo& info);

/// Why no model can have it as its classifier, and what to do; empty where one can.
std::string whyHeadStaysApart(const LinearHead& head);

}  // namespace headlight
