// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/selftest/SelfTestMechanisms.h"

#include "core/base/Translation.h"
#include "core/workbench/selftest/FloatGaps.h"
#include "core/workbench/selftest/MicroModel.h"

namespace headlight {
namespace {

/// Float32 rounds to 6e-8. Sums in other orders, block after block, come to 1e-6 of the logits on
/// the CPU; gradients pass twice as many. An error of a kernel is far above either.
constexpr double kLogitsBound = 1e-4, kGradientsBound = 1e-3;

std::vector<SelfTestRow> mechanismRows(const std::string& mechanism, const at::Device& device) {
  const ModelConfig config = microConfig(mechanism);
  const MicroOutcome found = microOutcome(config, device, /*plain=*/false),
                     expected = microOutcome(config, at::Device(at::kCPU), /*plain=*/true);
  const std::string name = "attention." + mechanism;
  return {
      boundedRow(name + ".logits", mechanism + tr(": logits"), "relative",
                 relativeGap(found.logits, expected.logits), kLogitsBound),
      boundedRow(name + ".gradients", mechanism + tr(": gradients of a training step"), "relative",
                 relativeGap(found.gradients, expected.gradients), kGradientsBound)};
}

}  // namespace

SelfTestChecks mechanismChecks(const at::Device& device) {
  SelfTestChecks checks;
  for (const std::string& mechanism : microMechanisms())
    checks.push_back({"attention." + mechanism,
                      [mechanism, device] { return mechanismRows(mechanism, device); }});
  return checks;
}

}  // namespace headlight
