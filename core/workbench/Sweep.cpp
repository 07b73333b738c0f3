#include "core/workbench/Sweep.h"

#include <algorithm>
#include <optional>

#include "core/base/FolderLock.h"
#include "core/config/RunId.h"
#include "core/models/Registry.h"
#include "core/workbench/TrainingSession.h"
#include "core/workbench/opening/ExperimentPaths.h"
#include "core/workbench/opening/LoadedModel.h"
#include "core/workbench/sweep/SweepResults.h"
#include "core/workbench/sweep/SweepSpeed.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kUnitsPerRun = 1000;  // of progress

/// The first setting in which two configs differ; nothing where they are the same. The number of
/// classes is left out: a run's config has it from the data.
std::optional<std::string> difference(Experiment wanted, Experiment written) {
  makePathsAbsolute(wanted);
  wanted.model.classes = written.model.classes;
  const Json a = experimentToJson(wanted), b = experimentToJson(written);
  if (const auto differences = configDifferences(a, b); !differences.empty())
    return differences.front().path;
  if (a.value("edits", Json()) != b.value("edits", Json())) return "edits";
  return std::nullopt;
}

Experiment configIn(const OpenFolder& run) {
  constexpr std::uintmax_t kMaxConfig = 16u << 20;
  return valueOrThrow(experimentFromText(valueOrThrow(run.read("config.json", kMaxConfig)),
                                         run.pathOf("config.json").string(), modelCatalogue()));
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
        m_results(m_runs.size()),
        m_descriptions(plan.variants.size()) {}

  SweepReport run(std::stop_token stop) {
    if (auto there = OpenFolder::open(m_output)) m_folder = std::move(there).value();
    checkTrainable();
    m_folder = valueOrThrow(OpenFolder::make(m_output));
    for (const std::string& name : m_folder->names())
      valueOrThrow(m_folder->requireHarmless(name));
    const FolderLock lock = valueOrThrow(FolderLock::acquire(*m_folder));
    for (const SweepRun& run : m_runs)
      checkFolder(run);
    recall();
    for (std::size_t i = 0; i < m_runs.size(); ++i)
      train(i, stop);
    if (m_options.measureSpeed) measureSpeed(stop);
    writeTables();
    return m_report;
  }

 private:
  /// The run's own folder, reached through no link; nothing where there is none yet. Throws
  /// Failure.
  std::optional<OpenFolder> folderOf(const SweepRun& run, bool make = false) const {
    if (!m_folder) return std::nullopt;
    const auto inside = [make](const OpenFolder& outer,
                               const fs::path& name) -> std::optional<OpenFolder> {
      auto opened = outer.subfolder(name.string(), make);
      if (opened) return std::move(opened).value();
      if (opened.error().code == ErrorCode::NotFound) return std::nullopt;
      throw Failure(opened.error());
    };
    const auto variant = inside(*m_folder, run.folder.parent_path().filename());
    return variant ? inside(*variant, run.folder.filename()) : std::nullopt;
  }

  bool isDone(const SweepRun& run) const {
    const auto folder = folderOf(run);
    return folder && isFinished(*folder);
  }

  RunResult resultIn(const SweepRun& run) const {
    return resultOf(*folderOf(run), run.experiment.training.epochs);
  }

  /// What a mechanism refuses, data that is gone or a teacher of other classes should be known
  /// before the first hour of training, not after it. Variants that are finished need none of it.
  void checkTrainable() const {
    for (std::size_t v = 0; v < m_plan.variants.size(); ++v) {
      const SweepVariant& variant = m_plan.variants[v];
      bool left = false, fresh = false;
      for (const SweepRun& run : m_runs) {
        if (run.variant != v || isDone(run)) continue;
        left = true;
        const auto folder = folderOf(run);
        fresh = fresh || !folder || !folder->has("last.safetensors");
      }
      if (!left) continue;
      Experiment experiment = variant.experiment;
      if (!fresh) experiment.training.weights.clear();  // a checkpoint has taken their place
      if (const auto checked = TrainingSession::check(experiment); !checked)
        throw Failure({checked.error().code, checked.error().text(), variant.name});
    }
  }

  /// A run that is there must be the one that is wanted.
  void checkFolder(const SweepRun& run) const {
    const auto folder = folderOf(run);
    if (!folder || !folder->has("config.json")) return;
    const Experiment written = configIn(*folder);
    if (const auto path = difference(run.experiment, written))
      throw Failure({ErrorCode::InvalidArgument,
                     "was begun with other settings (" + *path +
                         "); choose another --output, or delete that folder",
                     run.folder.string()});
  }

  /// All that is finished, before anything is trained: the tables are complete at any moment,
  /// whichever run it is that is missing in the middle.
  void recall() {
    m_speeds = readSpeeds(*m_folder);
    const std::size_t before = m_speeds.size();
    std::vector<bool> known(m_plan.variants.size(), false);
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
      if (!isDone(m_runs[i])) continue;
      m_results[i] = resultIn(m_runs[i]);
      known[m_runs[i].variant] = true;
    }
    // A variant whose runs were deleted may be another one now.
    for (std::size_t v = 0; v < known.size(); ++v)
      if (!known[v]) m_speeds.erase(m_plan.variants[v].name);
    if (m_speeds.size() != before) writeSpeeds(*m_folder, m_speeds);
  }

  void train(std::size_t index, std::stop_token stop) {
    if (stop.stop_requested()) cancel();
    const SweepRun& run = m_runs[index];
    if (m_results[index]) {
      if (m_observer.started) m_observer.started(run, SweepObserver::Start::Skipped);
      return;
    }
    const auto outcome = runOne(index, stop);
    if (!outcome) {
      noteFailure(run, outcome.error());
      return;
    }
    if (outcome->state == TrainingState::Stopped) cancel();
    m_results[index] = resultIn(run);
    markFinished(*folderOf(run), outcome->steps);
    if (m_observer.finished) m_observer.finished(run, *outcome);
    writeTables();
  }

  /// The error of a run that began. Throws Failure where it could not.
  Result<TrainingOutcome> runOne(std::size_t index, std::stop_token stop) {
    const SweepRun& run = m_runs[index];
    const OpenFolder folder = *folderOf(run, /*make=*/true);
    const bool begun = folder.has("config.json") || folder.has("last.safetensors");
    auto session =
        begun ? TrainingSession::resume(folder) : TrainingSession::begin(run.experiment, folder);
    if (!session)
      throw Failure({session.error().code, session.error().text(), sweepRunName(m_plan, run)});
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
    m_observer.progress({sweepRunName(m_plan, run) + " (" + std::to_string(index + 1) + "/" +
                             std::to_string(m_runs.size()) + "): " + update.progress.stage,
                         done, total, m_remaining.secondsRemaining(done, total)});
  }

  /// A run that diverges says something of its variant; a full disk is everybody's.
  void noteFailure(const SweepRun& run, const Error& error) {
    if (error.code != ErrorCode::InvalidConfig) {
      if (error.code == ErrorCode::Canceled) cancel();
      throw Failure({error.code, error.text(), sweepRunName(m_plan, run)});
    }
    m_report.failures.push_back({sweepRunName(m_plan, run), error});
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
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
      if (!m_results[i] || !weights[m_runs[i].variant].empty()) continue;
      const OpenFolder folder = *folderOf(m_runs[i]);
      valueOrThrow(folder.requireHarmless("best.safetensors"));
      weights[m_runs[i].variant] = folder.pathOf("best.safetensors");
    }
    const Experiment& first = m_plan.variants.front().experiment;
    const std::vector<double> measured = inferenceSpeeds(
        weights, {first.device, first.threads, m_options.speedBatch}, m_observer.progress, stop);
    if (stop.stop_requested()) cancel();  // what was measured before stays
    m_speeds.clear();
    for (std::size_t v = 0; v < measured.size(); ++v)
      if (measured[v] > 0) m_speeds[m_plan.variants[v].name] = measured[v];
    writeSpeeds(*m_folder, m_speeds);
  }

  SweepRow rowOf(std::size_t variant) {
    SweepRow row;
    std::vector<double> best, last;
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
      if (m_runs[i].variant != variant || !m_results[i]) continue;
      if (best.empty()) row = description(m_runs[i]);
      best.push_back(m_results[i]->bestTop1);
      last.push_back(m_results[i]->lastTop1);
    }
    row.runs = static_cast<std::int64_t>(best.size());
    row.bestTop1 = statisticOf(best);
    row.lastTop1 = statisticOf(last);
    return row;
  }

  /// What the config of a variant's run says (the data has told it the number of classes), and what
  /// the model has that is built from it: parameters of soft masks are in no config.
  const SweepRow& description(const SweepRun& run) {
    std::optional<SweepRow>& known = m_descriptions[run.variant];
    if (known) return *known;
    const Experiment experiment = configIn(*folderOf(run));
    const ModelConfig& model = experiment.model;
    SweepRow row;
    row.name = m_plan.variants[run.variant].name;
    row.backbone = model.backbone;
    row.mechanism = model.mechanism;
    row.masks = experiment.masks.scheme;
    row.parameters = buildModel(experiment, "cpu").info.parameters;
    row.macs = modelCost(model, experiment.masks).macs;
    known = row;
    return *known;
  }

  void writeTables() {
    m_report.rows.clear();
    m_report.finished = std::count_if(m_results.begin(), m_results.end(),
                                      [](const auto& result) { return result.has_value(); });
    m_report.total = static_cast<std::int64_t>(m_runs.size());
    for (std::size_t v = 0; v < m_plan.variants.size(); ++v) {
      SweepRow row = rowOf(v);
      if (row.runs == 0) continue;
      if (const auto speed = m_speeds.find(row.name); speed != m_speeds.end())
        row.imagesPerSecond = speed->second;
      m_report.rows.push_back(std::move(row));
    }
    if (m_report.rows.empty()) return;
    const auto& rows = m_report.rows;
    valueOrThrow(m_folder->write(kSweepTable, sweepCsv(rows)));
    valueOrThrow(m_folder->write(kSweepText, sweepMarkdown(m_plan, rows)));
    const auto png = valueOrThrow(encodePng(sweepFigure(m_plan, rows)));
    valueOrThrow(m_folder->write(kSweepFigure, png));
  }

  const SweepPlan& m_plan;
  fs::path m_output;
  std::optional<OpenFolder> m_folder;  ///< nothing before it is made
  SweepOptions m_options;
  const SweepObserver& m_observer;
  std::vector<SweepRun> m_runs;
  std::vector<std::optional<RunResult>> m_results;      ///< by run; nothing: not finished
  std::vector<std::optional<SweepRow>> m_descriptions;  ///< by variant, once asked for
  SpeedsByVariant m_speeds;
  SweepReport m_report;
  RemainingTime m_remaining;
  bool m_started = false;
};

}  // namespace

std::string sweepRunName(const SweepPlan& plan, const SweepRun& run) {
  return plan.variants[run.variant].name + ", seed " + std::to_string(plan.seeds[run.seed]);
}

std::vector<SweepRun> sweepRuns(const SweepPlan& plan, const fs::path& output) {
  std::vector<SweepRun> runs;
  for (std::size_t s = 0; s < plan.seeds.size(); ++s)
    for (std::size_t v = 0; v < plan.variants.size(); ++v) {
      const SweepVariant& variant = plan.variants[v];
      SweepRun run{v, s, output / variant.name / ("seed-" + std::to_string(plan.seeds[s])),
                   variant.experiment};
      run.experiment.seed = plan.seeds[s];
      run.experiment.name = sweepRunName(plan, run);
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
