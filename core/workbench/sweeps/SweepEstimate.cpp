// SPDX-License-Identifier: GPL-3.0-or-later

// SweepEstimate.h: steps that are measured, and counted up.

#include "core/workbench/sweeps/SweepEstimate.h"

#include <map>

#include "core/workbench/sweeps/RunCost.h"
#include "core/workbench/sweeps/SweepFolder.h"
#include "core/workbench/sweeps/SweepRecord.h"
#include "core/workbench/sweeps/SweepSubject.h"

namespace headlight {
namespace {

/// By variant: how many of its runs are not finished.
std::vector<std::int64_t> runsLeft(const SweepPlan& plan, const SweepFolder& folder) {
  std::vector<std::int64_t> left(plan.variants.size(), 0);
  for (const SweepRun& run : sweepRuns(plan, folder.path())) {
    const auto there = folder.of(run);
    if (!there || !isFinished(*there)) ++left[run.variant];
  }
  return left;
}

/// For a variant what its steps cost by; how many of them there are, and what is learned, is not in
/// it.
std::string costKey(const SweepVariant& variant) {
  if (variant.sequence) {
    Json json = sequenceToJson(*variant.sequence);
    for (const char* key : {"name", "seed"})
      json.erase(key);
    json["training"] = variant.sequence->training.batchSize;
    return json.dump();
  }
  Json json = experimentToJson(variant.experiment);
  for (const char* key : {"name", "seed", "edits", "telemetry"})
    json.erase(key);
  for (const char* key : {"fraction", "max_samples", "train_samples", "validation_samples"})
    json["data"].erase(key);
  for (const char* key : {"epochs", "schedule", "learning_rate", "min_learning_rate",
                          "warmup_epochs", "weights", "weight_decay", "label_smoothing"})
    json["training"].erase(key);
  return json.dump();
}

class SweepEstimator {
 public:
  SweepEstimator(const SweepPlan& plan, const std::filesystem::path& output)
      : m_plan(plan), m_left(runsLeft(plan, SweepFolder(output))) {}

  SweepEstimate estimate(const ProgressCallback& progress, const std::stop_token& stop) {
    SweepEstimate estimate;
    estimate.secondsOfRun.assign(m_plan.variants.size(), 0);
    estimate.runs = static_cast<std::int64_t>(m_plan.variants.size() * m_plan.seeds.size());
    RemainingTime remaining;
    const auto total = static_cast<std::int64_t>(m_left.size());
    for (std::int64_t v = 0; v < total; ++v) {
      const auto index = static_cast<std::size_t>(v);
      if (progress)
        progress({"measuring a step of " + m_plan.variants[index].name, v, total,
                  remaining.secondsRemaining(v, total)});
      if (stop.stop_requested()) throw Failure({ErrorCode::Canceled, "stopped", m_plan.name});
      estimate.left += m_left[index];
      if (m_left[index] > 0) estimate.secondsOfRun[index] = seconds(m_plan.variants[index], stop);
      estimate.seconds += static_cast<double>(m_left[index]) * estimate.secondsOfRun[index];
    }
    return estimate;
  }

 private:
  double seconds(const SweepVariant& variant, const std::stop_token& stop) {
    const auto measured = guarded("", [&] {
      return variant.sequence ? measuredSeconds(variant, *variant.sequence, stop)
                              : measuredSeconds(variant, variant.experiment, stop);
    });
    if (measured) return *measured;
    const Error& error = measured.error();
    throw Failure({error.code, error.text(), variant.name});
  }

  template <typename AnyExperiment>
  double measuredSeconds(const SweepVariant& variant, const AnyExperiment& experiment,
                         const std::stop_token& stop) {
    const std::string key = costKey(variant);
    auto known = m_costs.find(key);
    if (known == m_costs.end()) known = m_costs.emplace(key, itemCost(experiment, stop)).first;
    return secondsOfRun(experiment, known->second);
  }

  const SweepPlan& m_plan;
  std::vector<std::int64_t> m_left;  ///< by variant
  std::map<std::string, ItemCost> m_costs;
};

}  // namespace

Result<SweepEstimate> estimateSweep(const SweepPlan& plan, const std::filesystem::path& output,
                                    const ProgressCallback& progress, std::stop_token stop) {
  return guarded(output.string(),
                 [&] { return SweepEstimator(plan, output).estimate(progress, stop); });
}

Result<SweepReport> sweepReport(const SweepPlan& plan, const std::filesystem::path& output) {
  return guarded(output.string(), [&] {
    const SweepFolder folder(output);
    const auto runs = sweepRuns(plan, folder.path());
    const auto subject = makeSubject(plan);
    SweepRecord record(plan, runs, folder, *subject, /*shared=*/true);
    if (folder.isThere()) record.readAll();
    return record.report();
  });
}

}  // namespace headlight
