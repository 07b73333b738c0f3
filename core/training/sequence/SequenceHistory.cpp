// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/sequence/SequenceHistory.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "core/training/logs/EvenPoints.h"
#include "core/training/logs/LineLog.h"

namespace headlight {
namespace {

constexpr std::size_t kMostOfAKind = 8192;

std::optional<double> numberUnder(const Json& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

}  // namespace

std::vector<SequenceReading> readSequenceHistory(const OpenFolder& folder, std::int64_t before) {
  std::vector<SequenceReading> steps, validations;
  EvenPoints thinSteps(steps, kMostOfAKind), thinValidations(validations, kMostOfAKind);
  forEachLoggedStep(folder, "metrics.jsonl", [&](const Json& line, std::int64_t step) {
    if (step >= before) return;
    SequenceReading reading;
    reading.step = step;
    reading.validationBits = numberUnder(line, "validation_bits");
    const auto train = numberUnder(line, reading.validationBits ? "train_bits" : "bits");
    if (!train) return;
    reading.trainBits = *train;
    reading.stepsPerSecond = numberUnder(line, "steps_per_second").value_or(0);
    reading.peakBytes = std::max<std::int64_t>(0, integerAt(line, "peak_bytes"));
    (reading.validationBits ? thinValidations : thinSteps).add(reading);
  });
  std::vector<SequenceReading> all;
  // Within a step, the validation comes after it.
  std::merge(steps.begin(), steps.end(), validations.begin(), validations.end(),
             std::back_inserter(all), [](const auto& a, const auto& b) { return a.step < b.step; });
  return all;
}

}  // namespace headlight
