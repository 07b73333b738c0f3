// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/selftest/SelfTestSpeed.h"

#include "core/base/Translation.h"
#include "core/workbench/bench/Bench.h"
#include "core/workbench/bench/BenchTable.h"

namespace headlight {
namespace {

BenchOptions speedOptions(const SelfTestOptions& options, const at::Device& device,
                          std::int64_t batch) {
  BenchOptions bench;
  bench.device = device.str();
  bench.threads = options.threads;
  bench.repeats = options.quick ? 1 : 3;
  bench.models = {options.quick ? "vit_micro" : "deit_tiny"};
  bench.batches = {batch};
  return bench;
}

/// Memory is not known where the system does not tell.
SelfTestRow memoryRow(const std::string& name, const std::string& what, std::int64_t bytes) {
  SelfTestRow row = reportedRow(name, what, "MB", static_cast<double>(bytes) / 1e6);
  row.passed = true;
  return row;
}

std::vector<SelfTestRow> speedRows(const std::string& name, const BenchRow& row) {
  const std::string what = row.name + tr(", batch ") + std::to_string(row.batch);
  return {
      reportedRow(name + ".inference", what + tr(": inference"), "images/s", imagesPerSecond(row)),
      reportedRow(name + ".training", what + tr(": forward and backward pass"), "images/s",
                  trainedImagesPerSecond(row)),
      memoryRow(name + ".memory", what + tr(": peak memory of both passes"), row.peakBytes)};
}

std::vector<SelfTestRow> speedOf(const std::string& name, const BenchOptions& options,
                                 const std::stop_token& stop) {
  std::vector<SelfTestRow> rows;
  valueOrThrow(benchModels(
      options, [&](const BenchRow& row) { rows = speedRows(name, row); }, stop));
  return rows;
}

}  // namespace

SelfTestChecks speedChecks(const SelfTestOptions& options, const at::Device& device,
                           const std::stop_token& stop) {
  SelfTestChecks checks;
  for (const std::int64_t batch : {1, options.quick ? 4 : 64}) {
    const BenchOptions bench = speedOptions(options, device, batch);
    const std::string name = "speed." + bench.models.front() + ".batch_" + std::to_string(batch);
    checks.push_back({name, [name, bench, stop] { return speedOf(name, bench, stop); }});
  }
  return checks;
}

}  // namespace headlight
