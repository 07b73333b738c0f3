#include "core/training/MetricsLog.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace headlight {
namespace {

constexpr const char* kTableHead =
    "epoch,step,learning_rate,train_loss,validation_loss,top1,top5,best,seconds";

Json matrixJson(const std::vector<std::vector<float>>& rows) {
  Json json = Json::array();
  for (const auto& row : rows) {
    Json line = Json::array();
    for (const float value : row)
      line.push_back(std::isfinite(value) ? Json(value) : Json());
    json.push_back(line);
  }
  return json;
}

std::string oneLine(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Whether a line of a .jsonl file was written when at most `step` steps and `epochs` epochs were
/// done. An epoch's line bears the step of a checkpoint that may have come before its validation.
bool isUpTo(const std::string& line, std::int64_t step, std::int64_t epochs) {
  const Json json = Json::parse(line, nullptr, false);
  const std::int64_t at = integerAt(json, "step");
  if (at < 0 || at > step) return false;
  const auto type = json.find("type");  // of a damaged line anything
  return type == json.end() || *type != "epoch" || integerAt(json, "epoch") <= epochs;
}

}  // namespace

MetricsLog::MetricsLog(const std::filesystem::path& folder)
    : m_table(folder / "metrics.csv"),
      m_lines(folder / "metrics.jsonl"),
      m_masks(folder / "masks.jsonl") {}

Result<void> MetricsLog::step(const StepMetrics& metrics) {
  Json line = {{"type", "step"},
               {"step", metrics.point.step},
               {"epoch", metrics.epoch},
               {"loss", metrics.point.loss},
               {"learning_rate", metrics.point.learningRate},
               {"gradient_norm", metrics.gradientNorm},
               {"images_per_second", metrics.point.imagesPerSecond}};
  if (metrics.point.distillationLoss) line["distillation_loss"] = *metrics.point.distillationLoss;
  if (metrics.point.auxiliaryLoss) line["auxiliary_loss"] = *metrics.point.auxiliaryLoss;
  return m_lines.append(oneLine(line));
}

Result<void> MetricsLog::epoch(const EpochPoint& point, double learningRate, double seconds) {
  std::string row;
  if (!std::exchange(m_headed, true)) {
    std::error_code ignored;
    const auto size = std::filesystem::file_size(m_table.path(), ignored);
    if (ignored || size == 0) row = std::string(kTableHead) + "\n";
  }
  row += std::to_string(point.epoch) + "," + std::to_string(point.step);
  for (const double value :
       {learningRate, point.trainLoss, point.validationLoss, point.top1, point.top5})
    row += "," + shortestText(value);
  row += std::string(point.best ? ",1," : ",0,") + shortestText(std::round(seconds * 1000) / 1000);
  auto tabled = m_table.append(row);
  auto lined = m_lines.append(oneLine({{"type", "epoch"},
                                       {"step", point.step},
                                       {"epoch", point.epoch},
                                       {"train_loss", point.trainLoss},
                                       {"validation_loss", point.validationLoss},
                                       {"top1", point.top1},
                                       {"top5", point.top5},
                                       {"best", point.best}}));
  return tabled ? lined : tabled;
}

Result<void> MetricsLog::heads(const HeadPoint& point) {
  Json line = {{"type", "heads"},
               {"step", point.step},
               {"als", matrixJson(point.locality)},
               {"alpha", matrixJson(point.alpha)}};
  if (const Json readings = readingsToJson(point.readings); !readings.empty())
    line["readings"] = readings;
  return m_lines.append(oneLine(line));
}

Result<void> MetricsLog::edit(const AppliedEdit& edit) {
  Json json = {{"step", edit.step}};
  json.update(maskEditToJson(edit.edit));
  return m_masks.append(oneLine(json));
}

Result<void> MetricsLog::sync() {
  for (LineLog* log : {&m_table, &m_lines, &m_masks})
    if (auto synced = log->sync(); !synced) return synced;
  return {};
}

Result<void> MetricsLog::cutTo(std::int64_t step, std::int64_t epochs, std::size_t edits) {
  const auto keepLine = [=](const std::string& line) { return isUpTo(line, step, epochs); };
  const auto keepRow = [epochs](const std::string& row) {
    if (row == kTableHead) return true;
    std::int64_t epoch = 0;
    const auto parsed = std::from_chars(row.data(), row.data() + row.size(), epoch);
    return parsed.ec == std::errc() && epoch <= epochs;
  };
  const auto keepEdit = [&edits](const std::string& line) {
    return Json::parse(line, nullptr, false).is_object() && edits-- > 0;
  };
  if (auto cut = m_lines.keepWhile(keepLine); !cut) return cut;
  if (auto cut = m_table.keepWhile(keepRow); !cut) return cut;
  return m_masks.keepWhile(keepEdit);
}

}  // namespace headlight
