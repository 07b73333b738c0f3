// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What passes through an open model share: their input, their checks and their progress.
// Torch types: core only.

#include <ATen/core/Tensor.h>

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {

/// Throws Failure(Canceled).
void throwIfPassStopped(const std::stop_token& stop);

/// [1, 3, H, W] where the model is. Throws Failure for more images, or another size.
at::Tensor modelInput(const ModelInfo& info, const RawImages& image);

/// `layer`, or for −1 the last one. Throws Failure for one that there is not.
int layerOrLast(int layer, int layers);

/// A tensor's values in order, on the host.
std::vector<float> plainValues(const at::Tensor& tensor);

/// Counts steps, and throws Failure(Canceled) where they are to stop.
class PassSteps {
 public:
  PassSteps(std::string stage, const ProgressCallback& progress, std::stop_token stop,
            std::int64_t total);
  void operator()();

 private:
  std::string m_stage;
  const ProgressCallback& m_progress;
  std::stop_token m_stop;
  std::int64_t m_total, m_done = 0;
  RemainingTime m_remaining;
};

}  // namespace headlight
