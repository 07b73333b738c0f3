// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/runs/RunCurves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>

#include "core/masks/HeadMean.h"
#include "core/workbench/runs/RunClock.h"

namespace headlight {
namespace {

/// A number of the points of one kind; NaN where a point has none.
struct LoggedQuantity {
  RunQuantity name;
  std::function<double(const StepPoint&)> ofStep = {};
  std::function<double(const EpochPoint&)> ofEpoch = {};
  std::function<double(const HeadPoint&)> ofHeads = {};
};

std::vector<LoggedQuantity> stepQuantities() {
  return {
      {{"loss", "training loss"}, [](const StepPoint& at) { return at.loss; }},
      {{"distillation_loss", "distillation loss"},
       [](const StepPoint& at) { return at.distillationLoss.value_or(NAN); }},
      {{"auxiliary_loss", "auxiliary loss"},
       [](const StepPoint& at) { return at.auxiliaryLoss.value_or(NAN); }},
      {{"class_loss", "class loss"},
       [](const StepPoint& at) { return at.classLoss.value_or(NAN); }},
      {{"overlap_loss", "overlap loss"},
       [](const StepPoint& at) { return at.overlapLoss.value_or(NAN); }},
      {{"side_loss", "side loss"}, [](const StepPoint& at) { return at.sideLoss.value_or(NAN); }},
      {{"mask_loss", "mask loss"}, [](const StepPoint& at) { return at.maskLoss.value_or(NAN); }},
      {{"dice_loss", "dice loss"}, [](const StepPoint& at) { return at.diceLoss.value_or(NAN); }},
      {{"gradient_norm", "gradient norm"}, [](const StepPoint& at) { return at.gradientNorm; }},
      {{"learning_rate", "learning rate"}, [](const StepPoint& at) { return at.learningRate; }},
      {{"images_per_second", "images per second"},
       [](const StepPoint& at) { return at.imagesPerSecond; }}};
}

/// In percent; NaN where the model is measured by others.
double scoreOf(const EpochPoint& point, const std::string& key) {
  const std::vector<NamedScore> scores = point.scores();
  const auto found = std::find_if(scores.begin(), scores.end(),
                                  [&](const NamedScore& score) { return score.key == key; });
  return found == scores.end() ? NAN : 100 * found->value;
}

std::vector<LoggedQuantity> epochQuantities() {
  return {{{"validation_loss", "validation loss"},
           {},
           [](const EpochPoint& at) { return at.validationLoss; }},
          {{"top1", "top-1, %"}, {}, [](const EpochPoint& at) { return scoreOf(at, "top1"); }},
          {{"top5", "top-5, %"}, {}, [](const EpochPoint& at) { return scoreOf(at, "top5"); }},
          {{"ap", "AP, %"}, {}, [](const EpochPoint& at) { return scoreOf(at, "ap"); }},
          {{"miou", "mIoU, %"}, {}, [](const EpochPoint& at) { return scoreOf(at, "miou"); }},
          {{"macc", "mAcc, %"}, {}, [](const EpochPoint& at) { return scoreOf(at, "macc"); }},
          {{"pacc", "pAcc, %"}, {}, [](const EpochPoint& at) { return scoreOf(at, "pacc"); }},
          {{"reconstruction", "reconstruction, %"}, {}, [](const EpochPoint& at) {
             return scoreOf(at, "reconstruction");
           }}};
}

std::vector<LoggedQuantity> headQuantities() {
  return {{{"als", "ALS, mean over heads"},
           {},
           {},
           [](const HeadPoint& at) { return meanOverHeads(at.locality); }},
          {{"alpha", "alpha of soft masks, mean over heads"}, {}, {}, [](const HeadPoint& at) {
             return meanOverHeads(at.alpha);
           }}};
}

/// What people look at first comes first.
const std::vector<LoggedQuantity>& loggedQuantities() {
  static const std::vector<LoggedQuantity> all = [] {
    std::vector<LoggedQuantity> list = stepQuantities();
    auto next = list.begin() + 1;
    for (const auto& more : {epochQuantities(), headQuantities()})
      next = list.insert(next, more.begin(), more.end()) + std::ssize(more);
    return list;
  }();
  return all;
}

/// Calls take(step, value) for each point that has it, until that says false.
template <typename Take>
void forEachValue(const RunHistory& history, const LoggedQuantity& quantity, Take&& take) {
  const auto over = [&](const auto& points, const auto& valueOf) {
    for (const auto& point : points) {
      const double value = valueOf ? valueOf(point) : NAN;
      if (std::isfinite(value) && !take(point.step, value)) return;
    }
  };
  if (quantity.ofStep) over(history.steps, quantity.ofStep);
  if (quantity.ofEpoch && history.start) over(std::array{*history.start}, quantity.ofEpoch);
  if (quantity.ofEpoch) over(history.epochPoints, quantity.ofEpoch);
  if (quantity.ofHeads) over(history.heads, quantity.ofHeads);
}

double meanReading(const HeadPoint& point, const std::string& name) {
  double sum = 0;
  int count = 0;
  for (const Readings& layer : point.readings)
    for (const auto& [reading, value] : layer)
      if (reading == name && std::isfinite(value)) sum += value, ++count;
  return count > 0 ? sum / count : NAN;
}

RunQuantity readingNamed(const std::string& name) {
  return {name, name + ", mean over layers"};
}

LoggedQuantity quantityNamed(const std::string& key) {
  for (const LoggedQuantity& known : loggedQuantities())
    if (known.name.key == key) return known;
  return {readingNamed(key), {}, {}, [key](const HeadPoint& at) { return meanReading(at, key); }};
}

RunCurve overSteps(const RunHistory& history, const std::string& quantity) {
  RunCurve curve;
  forEachValue(history, quantityNamed(quantity), [&](std::int64_t step, double value) {
    curve.keys.push_back(static_cast<double>(step));
    curve.values.push_back(value);
    return true;
  });
  return curve;
}

/// Past values lose weight with every step, not with every value; bias-corrected.
void smooth(RunCurve& curve, double steps) {
  const double kept = 1 - 1 / steps;
  double mean = 0, weight = 0;
  for (std::size_t i = 0; i < curve.values.size(); ++i) {
    const double since = i > 0 ? std::max(1.0, curve.keys[i] - curve.keys[i - 1]) : 1;
    const double past = std::pow(kept, since);
    mean = past * mean + (1 - past) * curve.values[i];
    weight = past * weight + (1 - past);
    curve.values[i] = mean / weight;
  }
}

bool isSmoothed(const std::string& quantity, double steps) {
  return steps > 1 && quantityNamed(quantity).ofStep;
}

bool isReported(const std::vector<const RunHistory*>& histories, const LoggedQuantity& quantity) {
  bool found = false;
  for (const RunHistory* history : histories)
    if (history && !found)
      forEachValue(*history, quantity, [&](std::int64_t, double) { return !(found = true); });
  return found;
}

void addReadings(const RunHistory& history, std::set<std::string>& names) {
  for (const HeadPoint& point : history.heads)
    for (const Readings& layer : point.readings)
      for (const auto& [name, value] : layer)
        if (std::isfinite(value)) names.insert(name);
}

}  // namespace

const std::vector<RunQuantity>& runQuantities() {
  static const std::vector<RunQuantity> names = [] {
    std::vector<RunQuantity> all;
    for (const LoggedQuantity& quantity : loggedQuantities())
      all.push_back(quantity.name);
    return all;
  }();
  return names;
}

std::vector<RunQuantity> quantitiesIn(const std::vector<const RunHistory*>& histories) {
  std::vector<RunQuantity> reported;
  for (const LoggedQuantity& quantity : loggedQuantities())
    if (isReported(histories, quantity)) reported.push_back(quantity.name);
  std::set<std::string> readings;
  for (const RunHistory* history : histories)
    if (history) addReadings(*history, readings);
  for (const RunQuantity& known : runQuantities())
    readings.erase(known.key);
  for (const std::string& name : readings)
    reported.push_back(readingNamed(name));
  return reported;
}

std::string defaultQuantity(const std::vector<const RunHistory*>& histories) {
  const bool anyRead = std::any_of(histories.begin(), histories.end(),
                                   [](const RunHistory* history) { return history != nullptr; });
  const std::string wanted = "validation_loss";
  return !anyRead || isReported(histories, quantityNamed(wanted)) ? wanted : "loss";
}

std::string smoothedTitle(const RunQuantity& quantity, double steps) {
  if (!isSmoothed(quantity.key, steps)) return quantity.title;
  return quantity.title + ", smoothed over " + std::to_string(std::lround(steps)) + " steps";
}

const std::vector<RunAxisName>& runAxes() {
  static const std::vector<RunAxisName> names = {
      {"steps", "step"}, {"epochs", "epoch"}, {"time", "minutes of training"}};
  return names;
}

RunCurve makeRunCurve(const RunHistory& history, const std::string& quantity, RunAxis axis,
                      double smoothing) {
  RunCurve curve = overSteps(history, quantity);
  if (isSmoothed(quantity, smoothing)) smooth(curve, smoothing);
  if (curve.keys.empty()) return {{}, {}, "its log does not contain this quantity"};
  if (axis == RunAxis::Step) return curve;
  const RunClock clock(history, axis);
  if (clock.isEmpty()) return {{}, {}, clock.whyEmpty()};
  RunCurve over;
  for (std::size_t i = 0; i < curve.keys.size(); ++i) {
    const double at = clock.at(curve.keys[i]);
    if (!std::isfinite(at)) break;  // later ones have none either
    over.keys.push_back(at);
    over.values.push_back(curve.values[i]);
  }
  if (over.keys.size() < curve.keys.size()) over.missing = clock.whyEnds();
  return over;
}

}  // namespace headlight
