// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/SweepReporter.h"

#include "core/base/Translation.h"
#include "core/workbench/sweeps/SweepDesign.h"

namespace headlight::cli {
namespace {

Json statisticJson(const SweepStatistic& statistic) {
  return {{"mean", statistic.mean}, {"deviation", numberOrNull(statistic.deviation)}};
}

Json rowJson(const SweepRow& row, const SweepPlan& plan) {
  const Json speed = row.perSecond > 0 ? Json(row.perSecond) : Json();
  if (plan.ofSequences())
    return {{"variant", row.name},
            {"mechanism", row.mechanism},
            {"depth", row.depth},
            {"width", row.width},
            {"heads", row.heads},
            {"length", row.length},
            {"runs", row.runs},
            {"best_bits", statisticJson(row.best)},
            {"last_bits", statisticJson(row.last)},
            {"train_bits", statisticJson(row.training)},
            {"parameters", row.parameters},
            {"steps_per_second", row.stepsPerSecond > 0 ? Json(row.stepsPerSecond) : Json()},
            {"peak_bytes", row.peakBytes > 0 ? Json(row.peakBytes) : Json()},
            {"sequences_per_second", speed}};
  return {{"variant", row.name},
          {"backbone", row.backbone},
          {"mechanism", row.mechanism},
          {"masks", row.masks},
          {"runs", row.runs},
          {"best_" + plan.scoreKey(), statisticJson(row.best)},
          {"last_" + plan.scoreKey(), statisticJson(row.last)},
          {"parameters", row.parameters},
          {"macs", row.macs},
          {"images_per_second", speed}};
}

/// What training a sequence model took; empty of runs of before that was written down.
std::string trainingText(const SweepRow& row) {
  if (row.stepsPerSecond <= 0) return "";
  char text[64];
  std::snprintf(text, sizeof text, tr("  %.2f iterations/s  %.2f GB"), row.stepsPerSecond,
                static_cast<double>(row.peakBytes) / 1e9);
  return text;
}

std::string numbersText(const SweepRow& row, const SweepPlan& plan) {
  const double millions = static_cast<double>(row.parameters) / 1e6;
  char text[200];
  if (plan.ofSequences())
    std::snprintf(text, sizeof text, tr("  best %s bits  last %s  training %s  %.2f M%s"),
                  bitsText(row.best).c_str(), bitsText(row.last).c_str(),
                  bitsText(row.training).c_str(), millions, trainingText(row).c_str());
  else
    std::snprintf(text, sizeof text, tr("  best %s %s %%  last %s %%  %.2f M  %.1f M MACs"),
                  plan.scoreName().c_str(), percentText(row.best).c_str(),
                  percentText(row.last).c_str(), millions, static_cast<double>(row.macs) / 1e6);
  return text;
}

std::string rowText(const SweepRow& row, const SweepPlan& plan, std::size_t nameWidth) {
  std::string line = row.name;
  line.resize(std::max(nameWidth, line.size()), ' ');
  line += numbersText(row, plan);
  if (row.perSecond > 0) {
    char speed[60];
    std::snprintf(speed, sizeof speed, row.perSecond < 10 ? "  %.2f %s/s" : "  %.0f %s/s",
                  row.perSecond, plan.ofSequences() ? "sequences" : "images");
    line += speed;
  }
  return line;
}

const char* startText(SweepObserver::Start start) {
  switch (start) {
    case SweepObserver::Start::Begun:
      return tr(": training");
    case SweepObserver::Start::Resumed:
      return tr(": resuming");
    case SweepObserver::Start::Skipped:
      return tr(": already finished");
    case SweepObserver::Start::Elsewhere:
      return tr(": finished by another worker");
  }
  return "";
}

}  // namespace

SweepObserver SweepReporter::observer() {
  SweepObserver observer;
  observer.started = [this](const SweepRun& run, SweepObserver::Start start) {
    started(run, start);
  };
  observer.update = [this](const SweepRun& run, const TrainingUpdate& update) {
    updated(run, update);
  };
  observer.reading = [this](const SweepRun& run, const SequenceReading& reading) {
    read(run, reading);
  };
  observer.finished = [this](const SweepRun& run, const SweepOutcome& outcome) {
    finished(run, outcome);
  };
  observer.failed = [this](const SweepRun& run, const Error& error) {
    m_terminal.error({error.code, error.text(), name(run)});
  };
  observer.waiting = [this](std::int64_t runs) { waiting(runs); };
  observer.progress = [this](const Progress& progress) { m_bar.show(progress); };
  return observer;
}

/// Every event of a run names it.
Json SweepReporter::event(const std::string& kind, const SweepRun& run) const {
  return {{"event", kind},
          {"variant", m_plan.variants[run.variant].name},
          {"seed", m_plan.seeds[run.seed]}};
}

void SweepReporter::started(const SweepRun& run, SweepObserver::Start start) {
  if (!m_terminal.json()) {
    m_terminal.note(name(run) + startText(start));
    return;
  }
  const bool resumed = start == SweepObserver::Start::Resumed;
  const bool trains = resumed || start == SweepObserver::Start::Begun;
  Json json = event(trains ? "begin" : "skipped", run);
  json["run"] = run.folder.string();
  if (trains) json["resumed"] = resumed;
  m_terminal.printJson(json);
}

void SweepReporter::waiting(std::int64_t runs) {
  if (m_terminal.json())
    m_terminal.printJson(Json{{"event", "waiting"}, {"runs", runs}});
  else
    m_terminal.note(tr("no free run is left; waiting for ") + std::to_string(runs) +
                    (runs == 1 ? tr(" run of another worker") : tr(" runs of other workers")));
}

void SweepReporter::updated(const SweepRun& run, const TrainingUpdate& update) {
  for (const auto& warning : update.warnings)
    m_terminal.warning(name(run) + ": " + warning);
  for (const auto& point : update.epochPoints) {
    if (m_terminal.json()) {
      Json json = event("epoch", run);
      json.update(Json{{"epoch", point.epoch},
                       {"train_loss", point.trainLoss},
                       {"validation_loss", point.validationLoss},
                       {m_plan.scoreKey(), point.quality()}});
      m_terminal.printJson(json);
      continue;
    }
    char line[160];
    std::snprintf(line, sizeof line, tr(": epoch %lld/%lld  train loss %.4f  %s %.2f %%"),
                  static_cast<long long>(point.epoch), static_cast<long long>(update.epochs),
                  point.trainLoss, point.qualityName(), 100 * point.quality());
    m_terminal.note(name(run) + line);
  }
}

/// For a sequence model: its validations.
void SweepReporter::read(const SweepRun& run, const SequenceReading& reading) {
  if (!reading.validationBits) return;
  if (m_terminal.json()) {
    Json json = event("validation", run);
    json.update(Json{{"step", reading.step},
                     {"train_bits", reading.trainBits},
                     {"validation_bits", *reading.validationBits},
                     {"steps_per_second", reading.stepsPerSecond},
                     {"peak_bytes", reading.peakBytes}});
    m_terminal.printJson(json);
    return;
  }
  char line[160];
  std::snprintf(line, sizeof line, ": step %lld/%lld  train %.4f  validation %.4f %s",
                static_cast<long long>(reading.step), static_cast<long long>(reading.steps),
                reading.trainBits, *reading.validationBits, run.sequence->unit());
  m_terminal.note(name(run) + line);
}

void SweepReporter::finished(const SweepRun& run, const SweepOutcome& outcome) {
  if (!m_terminal.json()) return;
  Json json = event("run", run);
  json["steps"] = outcome.steps;
  json[m_plan.ofSequences() ? "best_bits" : "best_" + m_plan.scoreKey()] = outcome.best;
  m_terminal.printJson(json);
}

void SweepReporter::notify(const SweepReport& report, const std::filesystem::path& output) {
  if (m_terminal.json()) {
    Json rows = Json::array();
    for (const SweepRow& row : report.rows)
      rows.push_back(rowJson(row, m_plan));
    m_terminal.printJson(Json{{"event", "finished"},
                              {"runs", report.finished},
                              {"failed", report.failures.size()},
                              {"output", output.string()},
                              {"rows", rows}});
    return;
  }
  std::size_t width = 0;
  for (const SweepRow& row : report.rows)
    width = std::max(width, row.name.size());
  for (const SweepRow& row : report.rows)
    m_terminal.print(rowText(row, m_plan, width));
  if (!report.rows.empty()) m_terminal.note(sweepSeedsText(report.rows));
  if (!report.rows.empty())
    m_terminal.print("tables: " + (output / "sweep.csv").string() + tr(", sweep.md, sweep.png"));
}

}  // namespace headlight::cli
