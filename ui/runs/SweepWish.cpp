// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/SweepWish.h"

#include "core/models/Registry.h"
#include "core/workbench/sweeps/SweepDesign.h"

#include <QObject>

namespace headlight {
namespace {

Result<std::vector<SweepFactor>> makeFactors(const SweepWish& wish) {
  std::vector<SweepFactor> factors;
  for (const SweepWish::Setting& setting : wish.settings) {
    auto factor = sweepFactor(setting.path, setting.values);
    if (!factor) return factor.error();
    factors.push_back(std::move(*factor));
  }
  return factors;
}

/// `experiment` as JSON, without its past mask edits.
Json baseJson(const Experiment& experiment) {
  Json base = experimentToJson(experiment);
  base.erase("edits");
  return base;
}

void takePresent(Json& base, const SweepWish& wish) {
  if (isOfSequences(base)) return;
  const Json present = baseJson(wish.present);
  if (wish.presentModel)
    for (const char* part : {"model", "masks"})
      base[part] = present[part];
  if (!wish.presentData) return;
  for (const char* part : {"data", "device", "threads"})
    base[part] = present[part];
  for (const char* setting : {"batch_size", "epochs", "warmup_epochs"})
    base["training"][setting] = present["training"][setting];
}

Result<void> requireOneValue(const std::vector<SweepFactor>& factors) {
  for (const SweepFactor& factor : factors)
    if (factor.choices.size() > 1)
      return Error{ErrorCode::InvalidArgument,
                   QObject::tr("has several values; a ready-made sweep defines its own variants. "
                               "Give one value, or vary the current experiment")
                       .toStdString(),
                   factor.path};
  return {};
}

Result<SweepPlan> readyPlan(const SweepWish& wish, const std::vector<SweepFactor>& factors) {
  if (const auto one = requireOneValue(factors); !one) return one.error();
  Result<void> changed;
  const auto change = [&](Json& base) {
    takePresent(base, wish);
    for (const SweepFactor& factor : factors)
      if (changed) changed = setFactor(base, factor);
  };
  auto plan = sweepFromText(wish.file, wish.name, wish.folder, change);
  if (!changed) return changed.error();
  return plan;
}

Result<SweepPlan> presentPlan(const SweepWish& wish, const std::vector<SweepFactor>& factors) {
  const auto file = sweepFile(wish.name, baseJson(wish.present), factors, {0});
  if (!file) return file.error();
  return sweepFromText(file->dump(), wish.name, {});
}

}  // namespace

Result<SweepPlan> makeSweepPlan(const SweepWish& wish) {
  const auto factors = makeFactors(wish);
  if (!factors) return factors.error();
  auto plan = wish.file.empty() ? presentPlan(wish, *factors) : readyPlan(wish, *factors);
  if (!plan || wish.seeds.empty()) return plan;
  const auto seeds = seedsFromText(wish.seeds);
  if (!seeds) return seeds.error();
  return withSeeds(*plan, *seeds);
}

}  // namespace headlight
