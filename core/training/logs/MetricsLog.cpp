// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/logs/MetricsLog.h"

#include <cmath>
#include <utility>

#include "core/base/Text.h"
#include "core/training/logs/LoggedPoints.h"

namespace headlight {
namespace {

std::string columnsOf(Task task) {
  std::string columns = "epoch,step,learning_rate,train_loss,validation_loss";
  for (const ScoreName& score : scoreNames(task))
    columns.append(",").append(score.key);
  return columns + ",best";
}

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

/// Whether a line of a .jsonl file was written when at most `step` steps and `epochs` epochs were
/// done. An epoch's line bears the step of a checkpoint that may have come before its validation.
bool isUpTo(const Json& line, std::int64_t step, std::int64_t epochs) {
  const std::int64_t at = integerAt(line, "step");
  if (at < 0 || at > step) return false;
  const auto type = line.find("type");  // of a damaged line anything
  if (type != line.end() && *type == kStartLine) return step > 0;
  return type == line.end() || *type != "epoch" || integerAt(line, "epoch") <= epochs;
}

void addOption(Json& line, const char* key, const std::optional<double>& value) {
  if (value) line[key] = *value;
}

void addScores(Json& line, const EpochPoint& point) {
  for (const NamedScore& score : point.scores())
    line[score.key] = score.value;
}

}  // namespace

MetricsLog::MetricsLog(const OpenFolder& folder, const std::string& run, Task task)
    : m_table(folder, columnsOf(task), run),
      m_lines(folder, "metrics.jsonl", run),
      m_masks(folder, "masks.jsonl", run),
      m_summary(folder, task) {}

Result<void> MetricsLog::step(const StepMetrics& metrics) {
  Json line = {{"type", "step"},
               {"step", metrics.point.step},
               {"steps", metrics.steps},
               {"epoch", metrics.epoch},
               {"loss", metrics.point.loss},
               {"learning_rate", metrics.point.learningRate}};
  if (metrics.point.skipped)
    line["skipped"] = true;
  else
    line["gradient_norm"] = metrics.gradientNorm;
  line["images_per_second"] = metrics.point.imagesPerSecond;
  if (metrics.lossScale) {
    line["loss_scale"] = metrics.lossScale->scale;
    line["skipped_steps"] = metrics.lossScale->skipped;
  }
  if (metrics.point.distillationLoss) line["distillation_loss"] = *metrics.point.distillationLoss;
  if (metrics.point.auxiliaryLoss) line["auxiliary_loss"] = *metrics.point.auxiliaryLoss;
  addOption(line, "class_loss", metrics.point.classLoss);
  addOption(line, "overlap_loss", metrics.point.overlapLoss);
  addOption(line, "side_loss", metrics.point.sideLoss);
  addOption(line, "mask_loss", metrics.point.maskLoss);
  addOption(line, "dice_loss", metrics.point.diceLoss);
  return m_lines.append(std::move(line));
}

Result<void> MetricsLog::epoch(const EpochPoint& point, double learningRate, double seconds) {
  std::string row = std::to_string(point.epoch) + "," + std::to_string(point.step);
  for (const double value : {learningRate, point.trainLoss, point.validationLoss})
    row.append(",").append(numberText(value));
  for (const NamedScore& score : point.scores())
    row.append(",").append(numberText(score.value));
  auto tabled = m_table.append(row + (point.best ? ",1" : ",0"), std::round(seconds * 1000) / 1000);
  Json line = {{"type", "epoch"},
               {"step", point.step},
               {"epoch", point.epoch},
               {"train_loss", point.trainLoss},
               {"validation_loss", point.validationLoss},
               {"best", point.best}};
  addScores(line, point);
  auto lined = m_lines.append(std::move(line));
  auto summed = m_summary.append(point, learningRate);
  return !tabled ? tabled : !lined ? lined : summed;
}

Result<void> MetricsLog::start(const EpochPoint& point) {
  Json line = {
      {"type", kStartLine}, {"step", point.step}, {"validation_loss", point.validationLoss}};
  addScores(line, point);
  return m_lines.append(std::move(line));
}

Result<void> MetricsLog::heads(const HeadPoint& point) {
  Json line = {{"type", "heads"},
               {"step", point.step},
               {"als", matrixJson(point.locality)},
               {"alpha", matrixJson(point.alpha)}};
  if (const Json readings = readingsToJson(point.readings); !readings.empty())
    line["readings"] = readings;
  return m_lines.append(std::move(line));
}

Result<void> MetricsLog::edit(const AppliedEdit& edit) {
  Json json = {{"step", edit.step}};
  json.update(maskEditToJson(edit.edit));
  return m_masks.append(std::move(json));
}

Result<void> MetricsLog::cutTo(std::int64_t step, std::int64_t epochs, std::size_t edits) {
  return guarded("metrics", [&] {
    m_lines.keepWhile([&](const Json& line) { return isUpTo(line, step, epochs); });
    m_table.keepWhile([epochs](std::int64_t epoch) { return epoch <= epochs; });
    m_masks.keepWhile([&](const Json& line) { return line.is_object() && edits-- > 0; });
    m_summary.keepEpochs(epochs);
  });
}

}  // namespace headlight
