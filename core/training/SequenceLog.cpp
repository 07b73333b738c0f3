#include "core/training/SequenceLog.h"

#include <charconv>
#include <utility>

namespace headlight {
namespace {

constexpr const char* kSequenceTableHead =
    "step,learning_rate,train_bits,validation_bits,best,seconds";

bool wasWrittenBy(const std::string& line, const SequencePosition& position) {
  const Json json = Json::parse(line, nullptr, false);
  const std::int64_t step = integerAt(json, "step");
  if (step < 0) return false;
  const auto type = json.find("type");  // of a damaged line anything
  const bool validation = type != json.end() && *type == "validation";
  return step <= (validation ? position.validatedStep : position.step);
}

}  // namespace

SequenceLog::SequenceLog(const std::filesystem::path& folder)
    : m_table(folder / "metrics.csv"), m_lines(folder / "metrics.jsonl") {
  std::error_code none;
  const auto size = std::filesystem::file_size(m_table.path(), none);
  m_headed = !none && size > 0;
}

Result<void> SequenceLog::step(const SequenceStepMetrics& metrics) {
  return m_lines.append(Json{{"type", "step"},
                             {"step", metrics.step},
                             {"bits", metrics.bits},
                             {"learning_rate", metrics.learningRate},
                             {"gradient_norm", metrics.gradientNorm}}
                            .dump());
}

Result<void> SequenceLog::validation(const SequenceValidation& v) {
  // Head and row at once: what cannot be written is then tried again as one.
  std::string row = std::exchange(m_headed, true) ? "" : std::string(kSequenceTableHead) + "\n";
  row += std::to_string(v.step) + "," + shortestText(v.learningRate) + "," +
         shortestText(v.trainBits) + "," + shortestText(v.validationBits) + "," +
         (v.best ? "1," : "0,") + shortestText(v.seconds);
  auto written = m_table.append(row);
  auto line = m_lines.append(Json{
      {"type", "validation"},
      {"step", v.step},
      {"train_bits", v.trainBits},
      {"validation_bits", v.validationBits},
      {"learning_rate", v.learningRate},
      {"best", v.best},
      {"seconds", v.seconds}}.dump());
  return written ? line : written;
}

Result<void> SequenceLog::sync() {
  auto lines = m_lines.sync();
  auto table = m_table.sync();
  return lines ? table : lines;
}

Result<void> SequenceLog::cutTo(const SequencePosition& position) {
  bool head = true;
  const auto keepsRow = [&](const std::string& row) {
    if (std::exchange(head, false)) return row == kSequenceTableHead;
    std::int64_t step = 0;
    const auto end = row.data() + row.size();
    const auto [stopped, error] = std::from_chars(row.data(), end, step);
    return error == std::errc() && stopped != end && *stopped == ',' &&
           step <= position.validatedStep;
  };
  if (auto cut = m_table.keepWhile(keepsRow); !cut) return cut;
  std::error_code none;
  const auto size = std::filesystem::file_size(m_table.path(), none);
  m_headed = !none && size > 0;
  return m_lines.keepWhile([&](const std::string& line) { return wasWrittenBy(line, position); });
}

}  // namespace headlight
