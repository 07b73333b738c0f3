// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/sequence/SequenceLog.h"

#include "core/base/Text.h"

namespace headlight {
namespace {

constexpr const char* kSequenceColumns = "step,learning_rate,train_bits,validation_bits,best";
constexpr const char* kMeasuredColumns = "steps_per_second,peak_bytes";

std::string measuredCells(const SequenceValidation& v) {
  return numberText(v.stepsPerSecond) + "," + std::to_string(v.peakBytes);
}

bool wasWrittenBy(const Json& line, const SequencePosition& position) {
  const std::int64_t step = integerAt(line, "step");
  if (step < 0) return false;
  const auto type = line.find("type");  // of a damaged line anything
  const bool validation = type != line.end() && *type == "validation";
  return step <= (validation ? position.validatedStep : position.step);
}

}  // namespace

SequenceLog::SequenceLog(const OpenFolder& folder, const std::string& run)
    : m_table(folder, kSequenceColumns, run, kMeasuredColumns),
      m_lines(folder, "metrics.jsonl", run) {}

Result<void> SequenceLog::step(const SequenceStepMetrics& metrics) {
  return m_lines.append({{"type", "step"},
                         {"step", metrics.step},
                         {"bits", metrics.bits},
                         {"learning_rate", metrics.learningRate},
                         {"gradient_norm", metrics.gradientNorm},
                         {"steps_per_second", metrics.stepsPerSecond},
                         {"peak_bytes", metrics.peakBytes}});
}

Result<void> SequenceLog::validation(const SequenceValidation& v) {
  const std::string row = std::to_string(v.step) + "," + numberText(v.learningRate) + "," +
                          numberText(v.trainBits) + "," + numberText(v.validationBits) +
                          (v.best ? ",1" : ",0");
  auto written = m_table.append(row, v.seconds, measuredCells(v));
  auto line = m_lines.append({{"type", "validation"},
                              {"step", v.step},
                              {"train_bits", v.trainBits},
                              {"validation_bits", v.validationBits},
                              {"learning_rate", v.learningRate},
                              {"best", v.best},
                              {"seconds", v.seconds},
                              {"steps_per_second", v.stepsPerSecond},
                              {"peak_bytes", v.peakBytes}});
  return written ? line : written;
}

Result<void> SequenceLog::cutTo(const SequencePosition& position) {
  return guarded("metrics", [&] {
    m_lines.keepWhile([&](const Json& line) { return wasWrittenBy(line, position); });
    m_table.keepWhile([&](std::int64_t step) { return step <= position.validatedStep; });
  });
}

}  // namespace headlight
