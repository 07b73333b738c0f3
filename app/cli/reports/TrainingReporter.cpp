// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/TrainingReporter.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "core/base/Translation.h"
#include "core/config/Experiment.h"

namespace headlight::cli {
namespace {

Json stepJson(const StepPoint& point) {
  Json event = {{"event", "step"},
                {"step", point.step},
                {"loss", point.loss},
                {"learning_rate", point.learningRate},
                {"images_per_second", point.imagesPerSecond}};
  if (point.distillationLoss) event["distillation_loss"] = *point.distillationLoss;
  if (point.auxiliaryLoss) event["auxiliary_loss"] = *point.auxiliaryLoss;
  if (point.classLoss) event["class_loss"] = *point.classLoss;
  if (point.overlapLoss) event["overlap_loss"] = *point.overlapLoss;
  if (point.sideLoss) event["side_loss"] = *point.sideLoss;
  if (point.maskLoss) event["mask_loss"] = *point.maskLoss;
  if (point.diceLoss) event["dice_loss"] = *point.diceLoss;
  if (point.skipped) event["skipped"] = true;
  return event;
}

Json withScores(Json event, const EpochPoint& point) {
  for (const NamedScore& score : point.scores())
    event[score.key] = score.value;
  return event;
}

Json epochJson(const EpochPoint& point) {
  return withScores({{"event", "epoch"},
                     {"epoch", point.epoch},
                     {"step", point.step},
                     {"train_loss", point.trainLoss},
                     {"validation_loss", point.validationLoss},
                     {"best", point.best}},
                    point);
}

Json startJson(const EpochPoint& point) {
  return withScores(
      {{"event", "start"}, {"step", point.step}, {"validation_loss", point.validationLoss}}, point);
}

Json headsJson(const HeadPoint& point) {
  Json event = {{"event", "heads"},
                {"step", point.step},
                {"locality", point.locality},
                {"alpha", point.alpha}};  // NaN (not soft) becomes null
  if (const Json readings = readingsToJson(point.readings); !readings.empty())
    event["readings"] = readings;
  return event;
}

Json editJson(const AppliedEdit& applied) {
  Json event = {{"event", "edit"}, {"step", applied.step}};
  event.update(maskEditToJson(applied.edit));
  return event;
}

Json fitJson(const MaskFit& fit) {
  return {{"event", "mask_fit"},
          {"file", fit.file},
          {"layers", fit.layers},
          {"steps", fit.errors.size() - 1},
          {"start_mean_squared_error", fit.errors.front()},
          {"mean_squared_error", fit.errors.back()}};
}

std::string fitText(const MaskFit& fit) {
  char line[200];
  std::snprintf(
      line, sizeof line,
      tr("learned masks start from a fit of %zu steps: mean squared error %.3g, then %.3g "),
      fit.errors.size() - 1, fit.errors.front(), fit.errors.back());
  return line + ("(" + fit.file + ")");
}

/// "  top-1 50.00 %  top-5 90.00 %".
std::string scoresText(const EpochPoint& point) {
  std::string text;
  for (const NamedScore& score : point.scores()) {
    char part[48];
    std::snprintf(part, sizeof part, "  %s %.2f %%", score.name, 100 * score.value);
    text += part;
  }
  return text;
}

std::string epochText(const EpochPoint& point, std::int64_t epochs) {
  char line[160];
  std::snprintf(line, sizeof line,
                tr("epoch %lld/%lld  step %lld  train loss %.4f  validation loss %.4f"),
                static_cast<long long>(point.epoch), static_cast<long long>(epochs),
                static_cast<long long>(point.step), point.trainLoss, point.validationLoss);
  return line + scoresText(point) + (point.best ? tr("  best") : "");
}

std::string startText(const EpochPoint& point) {
  char line[100];
  std::snprintf(line, sizeof line, tr("before training  validation loss %.4f"),
                point.validationLoss);
  return line + scoresText(point);
}

/// By the steps that were done when they happened: an update may tell of several epochs.
std::vector<Json> inTheirOrder(const TrainingUpdate& update) {
  std::vector<Json> events;
  if (update.start) events.push_back(startJson(*update.start));
  for (const auto& point : update.steps)
    events.push_back(stepJson(point));
  for (const auto& point : update.heads)
    events.push_back(headsJson(point));
  for (const auto& point : update.epochPoints)
    events.push_back(epochJson(point));
  for (const auto& applied : update.edits)
    events.push_back(editJson(applied));
  std::stable_sort(events.begin(), events.end(), [](const Json& a, const Json& b) {
    return a["step"].get<std::int64_t>() < b["step"].get<std::int64_t>();
  });
  return events;
}

}  // namespace

TrainingReporter::TrainingReporter(TrainingSession& session, Terminal& terminal)
    : m_session(session), m_terminal(terminal), m_bar(terminal) {
  m_session.setWakeUp([this] {
    const std::lock_guard lock(m_mutex);
    m_pending = true;
    m_wake.notify_one();
  });
  m_thread = std::thread([this] { work(); });
}

TrainingReporter::~TrainingReporter() {
  m_session.setWakeUp({});
  {
    const std::lock_guard lock(m_mutex);
    m_done = true;
    m_wake.notify_one();
  }
  m_thread.join();
  report(m_session.takeUpdate());
}

void TrainingReporter::work() {
  for (;;) {
    {
      std::unique_lock lock(m_mutex);
      m_wake.wait(lock, [&] { return m_pending || m_done; });
      if (m_done) return;
      m_pending = false;
    }
    report(m_session.takeUpdate());
  }
}

void TrainingReporter::report(const TrainingUpdate& update) {
  for (const auto& warning : update.warnings)
    m_terminal.warning(warning);
  if (m_terminal.json())
    reportJson(update);
  else
    reportText(update);
  m_state = update.state;
}

void TrainingReporter::reportJson(const TrainingUpdate& update) {
  if (update.state != m_state)
    m_terminal.printJson(Json{{"event", "state"}, {"state", trainingStateName(update.state)}});
  for (const auto& fit : update.maskFits)
    m_terminal.printJson(fitJson(fit));
  for (const Json& event : inTheirOrder(update))
    m_terminal.printJson(event);
}

void TrainingReporter::reportText(const TrainingUpdate& update) {
  if (update.state != m_state && !update.message.empty() &&
      update.state != TrainingState::Failed)  // run() returns that one
    m_terminal.note(update.message);
  for (const auto& fit : update.maskFits)
    m_terminal.note(fitText(fit));
  for (const auto& applied : update.edits)
    m_terminal.note(tr("step ") + std::to_string(applied.step) + ": " + applied.edit.label);
  if (update.start) m_terminal.print(startText(*update.start));
  for (const auto& point : update.epochPoints)
    m_terminal.print(epochText(point, update.epochs));
  Progress progress = update.progress;
  if (!update.steps.empty()) {
    char loss[32];
    std::snprintf(loss, sizeof loss, "  loss %.4f", update.steps.back().loss);
    progress.stage += loss;
  }
  if (progress.total > 0) m_bar.show(progress);
}

}  // namespace headlight::cli
