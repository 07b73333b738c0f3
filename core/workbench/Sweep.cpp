#include "core/workbench/Sweep.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "core/base/Files.h"
#include "core/models/Registry.h"
#include "core/training/RunFolder.h"
#include "core/workbench/LoadedModel.h"
#include "core/workbench/SweepSpeed.h"
#include "core/workbench/TrainingSession.h"
#include "core/workbench/TrainingTeacher.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxTableBytes = 64u << 20;
constexpr std::int64_t kUnitsPerRun = 1000;  // of progress

std::string runName(const SweepPlan& plan, const SweepRun& run) {
  return plan.variants[run.variant].name + ", seed " + std::to_string(plan.seeds[run.seed]);
}

std::string absolutePath(const std::string& path) {
  return path.empty() ? path : fs::absolute(path).lexically_normal().string();
}

/// The first JSON pointer at which two configs differ; nothing where they are the same. The number
/// of classes is left out: a run's config has it from the data.
std::optional<std::string> difference(Experiment wanted, Experiment written) {
  wanted.data.path = absolutePath(wanted.data.path);
  wanted.training.weights = absolutePath(wanted.training.weights);
  makeTeacherAbsolute(wanted.training);
  wanted.model.classes = written.model.classes;
  const auto a = experimentToJson(wanted).flatten(), b = experimentToJson(written).flatten();
  for (const auto& [path, value] : a.items())
    if (!b.contains(path) || b[path] != value) return path;
  for (const auto& [path, value] : b.items())
    if (!a.contains(path)) return path;
  return std::nullopt;
}

/// Accuracies of a finished run.
struct RunResult {
  double bestTop1 = 0, lastTop1 = 0;
};

/// From its metrics.csv, which has a row for every epoch.
RunResult resultOf(const SweepRun& run) {
  const fs::path path = run.folder / "metrics.csv";
  std::istringstream table(valueOrThrow(readFile(path, kMaxTableBytes)));
  constexpr int kTop1Column = 5;  // epoch, step, learning_rate, two losses, top1
  RunResult result;
  std::int64_t epochs = 0;
  std::string row;
  for (std::getline(table, row); std::getline(table, row); ++epochs) {
    std::istringstream cells(row);
    std::string cell;
    for (int i = 0; i <= kTop1Column; ++i)
      std::getline(cells, cell, ',');
    const char* end = cell.data() + cell.size();
    if (const auto read = std::from_chars(cell.data(), end, result.lastTop1);
        read.ec != std::errc() || read.ptr != end)
      throw Failure(
          {ErrorCode::InvalidFile, "has a row that cannot be understood: " + row, path.string()});
    result.bestTop1 = std::max(result.bestTop1, result.lastTop1);
  }
  if (epochs != run.experiment.training.epochs)
    throw Failure({ErrorCode::InvalidFile,
                   "has " + std::to_string(epochs) + " epochs, the run had " +
                       std::to_string(run.experiment.training.epochs) +
                       "; delete the run's folder to train it again",
                   path.string()});
  return result;
}

class SweepRunner {
 public:
  SweepRunner(const SweepPlan& plan, const fs::path& output, const SweepOptions& options,
              const SweepObserver& observer)
      : m_plan(plan),
        m_output(fs::absolute(output).lexically_normal()),
        m_options(options),
        m_observer(observer),
        m_runs(sweepRuns(plan, m_output)),
        m_results(m_runs.size()) {}

  SweepReport run(std::stop_token stop) {
    checkBuildable();
    std::error_code failure;
    fs::create_directories(m_output, failure);
    if (failure)
      throw Failure(
          {ErrorCode::Io, "could not make the folder: " + failure.message(), m_output.string()});
    const FolderLock lock = valueOrThrow(FolderLock::acquire(m_output));
    for (const SweepRun& run : m_runs)
      checkFolder(run);
    for (std::size_t i = 0; i < m_runs.size(); ++i)
      train(i, stop);
    if (m_options.measureSpeed) measureSpeed(stop);
    writeTables();
    return m_report;
  }

 private:
  /// What a mechanism refuses should be known before the first hour of training, not after it.
  void checkBuildable() const {
    for (const SweepVariant& variant : m_plan.variants) {
      try {
        buildModel(variant.experiment, "cpu");
      } catch (const Failure& failure) {
        throw Failure({failure.error().code, failure.error().text(), variant.name});
      }
    }
  }

  /// A run that is there must be the one that is wanted.
  void checkFolder(const SweepRun& run) const {
    const fs::path config = run.folder / "config.json";
    if (!fs::exists(config)) return;
    const Experiment written = valueOrThrow(readExperiment(config, modelCatalogue()));
    if (const auto path = difference(run.experiment, written))
      throw Failure({ErrorCode::InvalidArgument,
                     "was begun with other settings (" + *path +
                         "); choose another --output, or delete that folder",
                     run.folder.string()});
  }

  fs::path doneMark(const SweepRun& run) const { return run.folder / "finished.json"; }

  void train(std::size_t index, std::stop_token stop) {
    if (stop.stop_requested()) cancel();
    const SweepRun& run = m_runs[index];
    if (fs::exists(doneMark(run))) {
      if (m_observer.started) m_observer.started(run, SweepObserver::Start::Skipped);
      m_results[index] = resultOf(run);
      return;
    }
    const auto outcome = runOne(index, stop);
    if (!outcome) {
      noteFailure(run, outcome.error());
      return;
    }
    if (outcome->state == TrainingState::Stopped) cancel();
    m_results[index] = resultOf(run);
    valueOrThrow(writeFileAtomically(doneMark(run), Json{{"steps", outcome->steps},
                                                         {"best_top1", m_results[index]->bestTop1},
                                                         {"last_top1", m_results[index]->lastTop1}}
                                                            .dump() +
                                                        "\n"));
    if (m_observer.finished) m_observer.finished(run, *outcome);
    writeTables();
  }

  Result<TrainingOutcome> runOne(std::size_t index, std::stop_token stop) {
    const SweepRun& run = m_runs[index];
    const bool begun = fs::exists(run.folder / "config.json");
    auto session = begun ? TrainingSession::resume(run.folder)
                         : TrainingSession::begin(run.experiment, run.folder);
    if (!session) return session.error();
    if (m_observer.started)
      m_observer.started(run, begun ? SweepObserver::Start::Resumed : SweepObserver::Start::Begun);
    const auto tell = [&] { told(index, (*session)->takeUpdate()); };
    tell();
    (*session)->setWakeUp(tell);
    auto outcome = (*session)->run(stop);
    (*session)->setWakeUp({});
    tell();
    return outcome;
  }

  void told(std::size_t index, const TrainingUpdate& update) {
    const SweepRun& run = m_runs[index];
    if (m_observer.update) m_observer.update(run, update);
    if (!m_observer.progress || update.progress.total <= 0) return;
    const std::int64_t within = kUnitsPerRun * update.progress.done / update.progress.total;
    const std::int64_t done = static_cast<std::int64_t>(index) * kUnitsPerRun + within;
    const auto total = static_cast<std::int64_t>(m_runs.size()) * kUnitsPerRun;
    // What was there before is no work of this time.
    if (!m_started) m_remaining.start(done);
    m_started = true;
    m_observer.progress({runName(m_plan, run) + " (" + std::to_string(index + 1) + "/" +
                             std::to_string(m_runs.size()) + "): " + update.progress.stage,
                         done, total, m_remaining.secondsRemaining(done, total)});
  }

  /// A run that diverges says something of its variant; a full disk is everybody's.
  void noteFailure(const SweepRun& run, const Error& error) {
    if (error.code != ErrorCode::InvalidConfig) {
      if (error.code == ErrorCode::Canceled) cancel();
      throw Failure({error.code, error.text(), runName(m_plan, run)});
    }
    m_report.failures.push_back({runName(m_plan, run), error});
    if (m_observer.failed) m_observer.failed(run, error);
  }

  [[noreturn]] void cancel() {
    writeTables();
    throw Failure({ErrorCode::Canceled,
                   "stopped with " + std::to_string(m_report.finished) + " of " +
                       std::to_string(m_runs.size()) +
                       " runs finished; the same command goes on from there",
                   m_output.string()});
  }

  void measureSpeed(std::stop_token stop) {
    std::vector<fs::path> weights(m_plan.variants.size());
    for (std::size_t i = 0; i < m_runs.size(); ++i)
      if (m_results[i] && weights[m_runs[i].variant].empty())
        weights[m_runs[i].variant] = m_runs[i].folder / "best.safetensors";
    const Experiment& first = m_plan.variants.front().experiment;
    m_speeds = inferenceSpeeds(weights, {first.device, first.threads, m_options.speedBatch},
                               m_observer.progress, stop);
    if (stop.stop_requested()) cancel();
  }

  SweepRow rowOf(std::size_t variant) const {
    SweepRow row;
    row.name = m_plan.variants[variant].name;
    std::vector<double> best, last;
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
      if (m_runs[i].variant != variant || !m_results[i]) continue;
      best.push_back(m_results[i]->bestTop1);
      last.push_back(m_results[i]->lastTop1);
      if (row.runs++ > 0) continue;
      describe(valueOrThrow(readExperiment(m_runs[i].folder / "config.json", modelCatalogue())),
               row);
    }
    row.bestTop1 = statisticOf(best);
    row.lastTop1 = statisticOf(last);
    if (variant < m_speeds.size()) row.imagesPerSecond = m_speeds[variant];
    return row;
  }

  /// What the config of a run says; the data has told it the number of classes.
  static void describe(const Experiment& experiment, SweepRow& row) {
    const ModelConfig& model = experiment.model;
    row.backbone = model.backbone;
    row.mechanism = model.mechanism;
    row.masks = experiment.masks.scheme;
    const MaskScheme scheme = valueOrThrow(resolveMasks(experiment.masks, maskShapeOf(model)));
    // Only softmax attention takes masked heads in linear time.
    const ModelCost cost =
        model.mechanism == "softmax" ? modelCost(model, scheme) : modelCost(model);
    row.parameters = cost.parameters;
    row.macs = cost.macs;
  }

  void writeTables() {
    m_report.rows.clear();
    m_report.finished = std::count_if(m_results.begin(), m_results.end(),
                                      [](const auto& result) { return result.has_value(); });
    m_report.total = static_cast<std::int64_t>(m_runs.size());
    for (std::size_t v = 0; v < m_plan.variants.size(); ++v)
      if (SweepRow row = rowOf(v); row.runs > 0) m_report.rows.push_back(std::move(row));
    if (m_report.rows.empty()) return;
    const auto& rows = m_report.rows;
    valueOrThrow(writeFileAtomically(m_output / "sweep.csv", sweepCsv(rows)));
    valueOrThrow(writeFileAtomically(m_output / "sweep.md", sweepMarkdown(m_plan, rows)));
    valueOrThrow(writeFileAtomically(m_output / "sweep.png",
                                     valueOrThrow(encodePng(sweepFigure(m_plan, rows)))));
  }

  const SweepPlan& m_plan;
  fs::path m_output;
  SweepOptions m_options;
  const SweepObserver& m_observer;
  std::vector<SweepRun> m_runs;
  std::vector<std::optional<RunResult>> m_results;  ///< by run; nothing: not finished
  std::vector<double> m_speeds;                     ///< by variant; empty: not measured
  SweepReport m_report;
  RemainingTime m_remaining;
  bool m_started = false;
};

}  // namespace

std::vector<SweepRun> sweepRuns(const SweepPlan& plan, const fs::path& output) {
  std::vector<SweepRun> runs;
  for (std::size_t s = 0; s < plan.seeds.size(); ++s)
    for (std::size_t v = 0; v < plan.variants.size(); ++v) {
      const SweepVariant& variant = plan.variants[v];
      SweepRun run{v, s, output / variant.name / ("seed-" + std::to_string(plan.seeds[s])),
                   variant.experiment};
      run.experiment.seed = plan.seeds[s];
      run.experiment.name = runName(plan, run);
      runs.push_back(std::move(run));
    }
  return runs;
}

Result<SweepReport> runSweep(const SweepPlan& plan, const fs::path& output,
                             const SweepOptions& options, const SweepObserver& observer,
                             std::stop_token stop) {
  return guarded(output.string(),
                 [&] { return SweepRunner(plan, output, options, observer).run(stop); });
}

}  // namespace headlight
