// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/logs/MetricsLog.h"

#include <cmath>
#include <utility>

#include "core/base/Text.h"
#include "core/training/logs/LoggedPoints.h"

namespace headlight {
namespace {

constexpr const char* kColumns =
    "epoch,step,learning_rate,train_loss,validation_loss,top1,top5,best";

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

}  // namespace

MetricsLog::MetricsLog(const OpenFolder& folder, const std::string& run)
    : m_table(folder, kColumns, run),
      m_lines(folder, "metrics.jsonl", run),
      m_masks(folder, "masks.jsonl", run),
      m_summary(folder) {}

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
  return m_lines.append(std::move(line));
}

Result<void> MetricsLog::epoch(const EpochPoint& point, double learningRate, double seconds) {
  std::string row = std::to_string(point.epoch) + "," + std::to_string(point.step);
  for (const double value :
       {learningRate, point.trainLoss, point.validationLoss, point.top1, point.top5})
    row.append(",").append(numberText(value));
  auto tabled = m_table.append(row + (point.best ? ",1" : ",0"), std::round(seconds * 1000) / 1000);
  Json line = {{"type", "epoch"},
               {"step", point.step},
               {"epoch", point.epoch},
               {"train_loss", point.trainLoss},
               {"validation_loss", point.validationLoss},
               {"top1", point.top1},
               {"top5", point.top5},
               {"best", point.best}};
  auto lined = m_lines.append(std::move(line));
  auto summed = m_summary.append(point, learningRate);
  return !tabled ? tabled : !lined ? lined : summed;
}

Result<void> MetricsLog::start(const EpochPoint& point) {
  return m_lines.append({{"type", kStartLine},
                         {"step", point.step},
                         {"validation_loss", point.validationLoss},
                         {"top1", point.top1},
                         {"top5", point.top5}});
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
