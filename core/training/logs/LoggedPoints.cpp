// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/logs/LoggedPoints.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace headlight {
namespace {

double loggedNumber(const Json& json) {
  return json.is_number() ? json.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

double loggedNumber(const Json& line, const char* key) {
  return line.contains(key) ? loggedNumber(line[key]) : std::numeric_limits<double>::quiet_NaN();
}

std::optional<double> loggedOption(const Json& line, const char* key) {
  if (!line.contains(key)) return std::nullopt;
  return loggedNumber(line, key);
}

bool isTrue(const Json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_boolean() && found->get<bool>();
}

/// [layer][head]; empty where the shape is another than `heads`. A layer may have none.
std::vector<std::vector<float>> loggedMatrix(const Json& line, const char* key,
                                             const std::vector<int>& heads) {
  if (!line.contains(key) || !line[key].is_array() || line[key].size() != heads.size()) return {};
  std::vector<std::vector<float>> rows;
  for (std::size_t layer = 0; layer < heads.size(); ++layer) {
    const Json& row = line[key][layer];
    if (!row.is_array() || (!row.empty() && row.size() != static_cast<std::size_t>(heads[layer])))
      return {};
    rows.emplace_back();
    for (const Json& value : row)
      rows.back().push_back(static_cast<float>(loggedNumber(value)));
  }
  return rows;
}

std::vector<Readings> loggedReadings(const Json& line, std::size_t layers) {
  std::vector<Readings> readings(layers);
  if (!line.contains("readings") || !line["readings"].is_array()) return readings;
  for (std::size_t layer = 0; layer < std::min(layers, line["readings"].size()); ++layer)
    if (line["readings"][layer].is_object())
      for (const auto& [name, value] : line["readings"][layer].items())
        readings[layer].emplace_back(name, loggedNumber(value));
  return readings;
}

}  // namespace

std::string loggedType(const Json& line) {
  const auto type = line.find("type");
  return type != line.end() && type->is_string() ? type->get<std::string>() : "";
}

StepPoint loggedStep(const Json& line, std::int64_t step) {
  return {step,
          loggedNumber(line, "loss"),
          loggedNumber(line, "learning_rate"),
          loggedNumber(line, "images_per_second"),
          loggedOption(line, "distillation_loss"),
          loggedOption(line, "auxiliary_loss"),
          loggedNumber(line, "gradient_norm"),
          isTrue(line, "skipped"),
          loggedOption(line, "class_loss"),
          loggedOption(line, "overlap_loss"),
          loggedOption(line, "side_loss"),
          loggedOption(line, "mask_loss"),
          loggedOption(line, "dice_loss")};
}

EpochPoint loggedEpoch(const Json& line, std::int64_t step) {
  const bool counted = line.contains("epoch") && line["epoch"].is_number_integer();
  return {counted ? line["epoch"].get<std::int64_t>() : 0,
          step,
          loggedNumber(line, "train_loss"),
          loggedNumber(line, "validation_loss"),
          loggedNumber(line, "top1"),
          loggedNumber(line, "top5"),
          isTrue(line, "best"),
          loggedOption(line, "ap"),
          loggedOption(line, "ap50"),
          loggedOption(line, "ap75"),
          loggedOption(line, "miou"),
          loggedOption(line, "macc"),
          loggedOption(line, "pacc"),
          loggedOption(line, "reconstruction")};
}

EpochPoint loggedStart(const Json& line) {
  EpochPoint start = loggedEpoch(line, 0);
  start.epoch = 0;
  start.best = false;
  return start;
}

std::optional<HeadPoint> loggedHeads(const Json& line, std::int64_t step,
                                     const std::vector<int>& heads) {
  HeadPoint point{step, loggedMatrix(line, "als", heads), loggedMatrix(line, "alpha", heads),
                  loggedReadings(line, heads.size()), 0};
  if (point.locality.empty() || point.alpha.empty()) return std::nullopt;
  return point;
}

}  // namespace headlight
