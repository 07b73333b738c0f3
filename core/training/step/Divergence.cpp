// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/Divergence.h"

#include <algorithm>
#include <cmath>

#include "core/base/Translation.h"

namespace headlight {
namespace {

/// Where no other error of a run says that it is.
constexpr const char* kDivergedWhere = "training";

}  // namespace

void requireFinite(const std::string& what, double value, std::int64_t step,
                   const std::string& saved, const std::string& warmup) {
  if (std::isfinite(value)) return;
  throw Failure({ErrorCode::Internal,
                 "the " + what + tr(" of step ") + std::to_string(step) + " is " +
                     (std::isnan(value) ? tr("not a number") : "infinite") + "; " + saved +
                     tr(". Use a smaller training.learning_rate, more ") + warmup +
                     tr(" or a training.clip_gradient"),
                 kDivergedWhere});
}

bool isDivergence(const Error& error) {
  return error.code == ErrorCode::Internal && error.where == kDivergedWhere;
}

double clippingScale(double norm, double greatest) {
  constexpr double kAgainstZero = 1e-6;
  if (greatest <= 0) return 1;
  return std::min(1.0, greatest / (norm + kAgainstZero));
}

}  // namespace headlight
