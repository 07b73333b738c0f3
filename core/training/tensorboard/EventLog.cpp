// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/tensorboard/EventLog.h"

#include <cmath>

namespace headlight {
namespace {

/// The first records of a file that tells of `step` and later ones.
std::string beginningFrom(std::int64_t step) {
  return eventRecord(versionEvent()) + eventRecord(startEvent(step));
}

std::string layerTag(const std::string& group, std::size_t layer) {
  return group + "/layer_" + std::to_string(layer);
}

void addAls(EventSummary& summary, const std::vector<std::vector<float>>& layers) {
  double sum = 0;
  std::int64_t count = 0;
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    summary.histogram(layerTag("als", layer), layers[layer]);
    for (const float value : layers[layer]) {
      if (!std::isfinite(value)) continue;
      sum += value;
      ++count;
    }
  }
  if (count > 0) summary.scalar("als/mean", sum / static_cast<double>(count));
}

void addAlphas(EventSummary& summary, const std::vector<std::vector<float>>& layers) {
  for (std::size_t layer = 0; layer < layers.size(); ++layer)
    for (std::size_t head = 0; head < layers[layer].size(); ++head)
      summary.scalar(layerTag("alpha", layer) + "/head_" + std::to_string(head),
                     layers[layer][head]);
}

void addReadingValues(EventSummary& summary, const std::vector<Readings>& layers) {
  for (std::size_t layer = 0; layer < layers.size(); ++layer)
    for (const auto& [name, value] : layers[layer])
      summary.scalar(layerTag("readings/" + name, layer), value);
}

}  // namespace

EventLog::EventLog(const OpenFolder& folder) : m_folder(folder), m_file(folder, beginningFrom(0)) {}

void EventLog::goOnFrom(std::int64_t step) {
  m_file = EventFile(m_folder, beginningFrom(step));
}

Result<void> EventLog::step(const StepMetrics& metrics) {
  const StepPoint& point = metrics.point;
  EventSummary summary;
  summary.scalar("train/loss", point.loss);
  summary.scalar("train/learning_rate", point.learningRate);
  summary.scalar("train/gradient_norm", metrics.gradientNorm);
  summary.scalar("train/images_per_second", point.imagesPerSecond);
  summary.scalar("train/epoch", static_cast<double>(metrics.epoch));
  if (metrics.lossScale) {
    summary.scalar("train/loss_scale", metrics.lossScale->scale);
    summary.scalar("train/skipped_steps", static_cast<double>(metrics.lossScale->skipped));
  }
  if (point.distillationLoss) summary.scalar("train/distillation_loss", *point.distillationLoss);
  if (point.auxiliaryLoss) summary.scalar("train/auxiliary_loss", *point.auxiliaryLoss);
  if (point.classLoss) summary.scalar("train/class_loss", *point.classLoss);
  if (point.overlapLoss) summary.scalar("train/overlap_loss", *point.overlapLoss);
  if (point.sideLoss) summary.scalar("train/side_loss", *point.sideLoss);
  if (point.maskLoss) summary.scalar("train/mask_loss", *point.maskLoss);
  if (point.diceLoss) summary.scalar("train/dice_loss", *point.diceLoss);
  return write(summary, point.step);
}

Result<void> EventLog::epoch(const EpochPoint& point) {
  EventSummary summary;
  summary.scalar("validation/loss", point.validationLoss);
  for (const NamedScore& score : point.scores())
    summary.scalar(std::string("validation/") + score.key, score.value);
  if (point.epoch > 0) summary.scalar("train/epoch_loss", point.trainLoss);
  return write(summary, point.step);
}

Result<void> EventLog::heads(const HeadPoint& point) {
  EventSummary summary;
  addAls(summary, point.locality);
  addAlphas(summary, point.alpha);
  addReadingValues(summary, point.readings);
  return write(summary, point.step);
}

Result<void> EventLog::images(const std::vector<EventImage>& images, std::int64_t step) {
  EventSummary summary;
  for (const EventImage& image : images)
    summary.image(image);
  return write(summary, step);
}

Result<void> EventLog::write(const EventSummary& summary, std::int64_t step) {
  if (summary.empty()) return {};
  return m_file.append(summary.event(step));
}

}  // namespace headlight
