#include "core/training/sequence/SequenceLog.h"

#include <utility>

#include "core/base/Text.h"
#include "core/config/RunId.h"

namespace headlight {
namespace {

constexpr const char* kSequenceColumns = "step,learning_rate,train_bits,validation_bits,best";

bool wasWrittenBy(const Json& line, const SequencePosition& position) {
  const std::int64_t step = integerAt(line, "step");
  if (step < 0) return false;
  const auto type = line.find("type");  // of a damaged line anything
  const bool validation = type != line.end() && *type == "validation";
  return step <= (validation ? position.validatedStep : position.step);
}

}  // namespace

SequenceLog::SequenceLog(const OpenFolder& folder, std::string run)
    : m_folder(folder),
      m_run(std::move(run)),
      m_table(folder, kSequenceColumns, m_run),
      m_lines(folder, "metrics.jsonl") {}

Result<void> SequenceLog::append(Json line) {
  if (!m_run.empty()) line[kRunKey] = m_run;
  return m_lines.append(line.dump());
}

Result<void> SequenceLog::step(const SequenceStepMetrics& metrics) {
  return append({{"type", "step"},
                 {"step", metrics.step},
                 {"bits", metrics.bits},
                 {"learning_rate", metrics.learningRate},
                 {"gradient_norm", metrics.gradientNorm}});
}

Result<void> SequenceLog::validation(const SequenceValidation& v) {
  const std::string row = std::to_string(v.step) + "," + numberText(v.learningRate) + "," +
                          numberText(v.trainBits) + "," + numberText(v.validationBits) +
                          (v.best ? ",1" : ",0");
  auto written = m_table.append(row, v.seconds);
  auto line = append({{"type", "validation"},
                      {"step", v.step},
                      {"train_bits", v.trainBits},
                      {"validation_bits", v.validationBits},
                      {"learning_rate", v.learningRate},
                      {"best", v.best},
                      {"seconds", v.seconds}});
  return written ? line : written;
}

Result<void> SequenceLog::cutTo(const SequencePosition& position) {
  return guarded("metrics", [&] {
    valueOrThrow(m_lines.keepWhile([&](const std::string& text) {
      return wasWrittenBy(ownLine(m_folder, m_lines.name(), text, m_run), position);
    }));
    m_table.keepWhile([&](std::int64_t step) { return step <= position.validatedStep; });
  });
}

}  // namespace headlight
