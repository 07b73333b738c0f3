// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/selftest/SelfTestPrecisions.h"

#include <limits>

#include "core/base/Translation.h"
#include "core/models/layers/Precision.h"
#include "core/workbench/selftest/FloatGaps.h"
#include "core/workbench/selftest/MicroModel.h"

namespace headlight {
namespace {

/// Five roundings of a number, each of up to 2⁻⁹, come to 1 %; float16 rounds to an eighth of that.
constexpr double kRoundedBound = 2e-2;
/// The last loss over the first: 0.7 to 0.9 where it learns, 1 where weights do not move.
constexpr double kLearnedBound = 0.95;

/// Why the device lacks it; empty where it does not.
std::string refusalOf(const std::string& precision, const at::Device& device) {
  if (device.is_cpu() && precision == "bfloat16") return "";
  const auto checked = guarded("selftest", [&] { precisionOn(device, precision, "selftest"); });
  return checked ? "" : checked.error().message;
}

double lossRatio(const MicroTraining& training) {
  const bool learned = training.taken > 0 && training.finite;
  return learned ? training.last / training.first : std::numeric_limits<double>::quiet_NaN();
}

SelfTestRow roundedRow(const std::string& mechanism, const ModelConfig& config,
                       const std::string& precision, const at::Device& device) {
  const at::Tensor exact = microLogits(config, device, Precision::Float32),
                   rounded = microLogits(config, device, precisionFromConfig(precision));
  return boundedRow("precision." + precision + "." + mechanism + ".logits",
                    mechanism + tr(": logits in ") + precision, "relative",
                    relativeGap(rounded, exact), kRoundedBound);
}

SelfTestRow learnedRow(const std::string& mechanism, const ModelConfig& config,
                       const std::string& precision, const at::Device& device) {
  const MicroTraining training = microTraining(config, device, precision);
  SelfTestRow row = boundedRow("precision." + precision + "." + mechanism + ".training",
                               mechanism + tr(": loss after training steps in ") + precision,
                               "ratio", lossRatio(training), kLearnedBound);
  if (training.skipped > 0) row.note = tr("steps skipped: ") + std::to_string(training.skipped);
  return row;
}

SelfTestCheck mechanismCheck(const std::string& mechanism, const std::string& precision,
                             const at::Device& device) {
  return {"precision." + precision + "." + mechanism, [=] {
            const ModelConfig config = microConfig(mechanism);
            return std::vector<SelfTestRow>{roundedRow(mechanism, config, precision, device),
                                            learnedRow(mechanism, config, precision, device)};
          }};
}

}  // namespace

SelfTestChecks precisionChecks(const at::Device& device) {
  SelfTestChecks checks;
  for (const std::string precision : {"bfloat16", "float16"}) {
    const std::string refusal = refusalOf(precision, device);
    if (!refusal.empty())
      checks.push_back(skippedCheck("precision." + precision, precision, refusal));
    else
      for (const std::string& mechanism : microMechanisms())
        checks.push_back(mechanismCheck(mechanism, precision, device));
  }
  return checks;
}

}  // namespace headlight
