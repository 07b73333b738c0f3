// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/sweeps/SweepScaling.h"

#include <algorithm>
#include <cmath>

#include "core/base/Translation.h"
#include "core/workbench/sweeps/SweepOverrides.h"

namespace headlight {
namespace {

constexpr const char* kScaleKey = "scale_with_base";
constexpr double kLargestScaled = 1e15;  ///< a double and an integer hold it exactly

/// What an experiment has at "training.epochs"; null where there is none.
const Json* valueAtPath(const Json& experiment, const std::string& path) {
  const auto dot = path.find('.');
  if (dot == std::string::npos || !experiment.is_object()) return nullptr;
  const auto section = experiment.find(path.substr(0, dot));
  if (section == experiment.end() || !section->is_object()) return nullptr;
  const auto value = section->find(path.substr(dot + 1));
  return value == section->end() ? nullptr : &*value;
}

double writtenSize(const Json& experiment, const std::string& path) {
  const Json* value = valueAtPath(experiment, path);
  if (!value || !value->is_number_integer() || *value <= 0)
    refuseSweep("\"" + path + tr("\" must be a whole number above 0 in the base or its recipe"),
                kScaleKey);
  return value->get<double>();
}

/// What a variant sets there; null where it does not.
Json* overrideAtPath(Json& variant, const std::string& path) {
  if (!variant.is_object() || !variant.contains("overrides")) return nullptr;
  Json& overrides = variant["overrides"];
  return overrides.is_object() && overrides.contains(path) ? &overrides[path] : nullptr;
}

void scaleAtPath(Json& variants, const std::string& path, double ratio) {
  for (Json& variant : variants) {
    Json* value = overrideAtPath(variant, path);
    if (!value || !value->is_number_integer()) continue;
    const double scaled = std::round(value->get<double>() * ratio), least = ratio > 0 ? 1 : 0;
    *value = static_cast<std::int64_t>(std::clamp(scaled, least, kLargestScaled));
  }
}

}  // namespace

void scaleVariants(Json& sweep, const Json& written, const Json& base) {
  if (!sweep.contains(kScaleKey)) return;
  if (!sweep[kScaleKey].is_array()) refuseSweep(tr("must be a list"), kScaleKey);
  for (const Json& path : sweep[kScaleKey]) {
    if (!path.is_string())
      refuseSweep(tr("must list paths such as \"training.epochs\""), kScaleKey);
    const auto text = path.get<std::string>();
    const double before = writtenSize(written, text);
    const Json* now = valueAtPath(base, text);
    if (!now || !now->is_number() || !sweep.contains("variants")) continue;
    scaleAtPath(sweep["variants"], text, now->get<double>() / before);
  }
}

}  // namespace headlight
