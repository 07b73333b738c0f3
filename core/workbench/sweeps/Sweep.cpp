// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/sweeps/Sweep.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "core/base/Log.h"
#include "core/base/Translation.h"
#include "core/base/files/LockState.h"
#include "core/models/Registry.h"
#include "core/training/step/Divergence.h"
#include "core/workbench/loading/TorchRuntime.h"
#include "core/workbench/sweeps/SweepFolder.h"
#include "core/workbench/sweeps/SweepRecord.h"
#include "core/workbench/sweeps/SweepSubject.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kUnitsPerRun = 1000;           // of progress
constexpr std::chrono::milliseconds kLookAgain{500};  // of runs that others hold

/// A result within what cannot even begin.
struct Trained {
  Result<SweepOutcome> outcome;
};

/// Returns at once when told to stop.
void sleepUnlessStopped(std::stop_token stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any never;
  never.wait_for(lock, stop, kLookAgain, [] { return false; });
}

class SweepRunner {
 public:
  SweepRunner(const SweepPlan& plan, const fs::path& output, const SweepOptions& options,
              const SweepObserver& observer)
      : m_plan(plan),
        m_folder(output),
        m_options(options),
        m_observer(observer),
        m_runs(sweepRuns(plan, m_folder.path())),
        m_subject(makeSubject(plan)),
        m_record(plan, m_runs, m_folder, *m_subject, options.join),
        m_reported(m_runs.size(), false) {}

  SweepReport run(std::stop_token stop) {
    checkTrainable();
    m_folder.make();
    if (m_options.join)
      runTogether(stop);
    else
      runAlone(stop);
    return m_record.report();
  }

 private:
  /// So that the folder says by itself what it is, and can be gone on with; once it is known that
  /// the runs that are there are this sweep's.
  void writeFile() const {
    const OpenFolder& files = m_folder.files();
    if (m_plan.file.empty() || (m_options.join && files.has(kSweepFile))) return;
    valueOrThrow(files.write(kSweepFile, m_plan.file));
  }

  void writeTables() {
    m_record.writeTables();
    if (m_observer.table) m_observer.table(m_record.report());
  }

  void runAlone(std::stop_token stop) {
    const FolderLock lock = m_folder.holdAlone();
    m_record.readAll();
    writeFile();
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
      if (stop.stop_requested()) cancel();
      if (m_record.isFinished(i))
        reportStarted(i, SweepObserver::Start::Skipped);
      else
        train(i, holdOf(i), stop);
    }
    if (m_options.measureSpeed) measureSpeed(stop);
    writeTables();
  }

  void runTogether(std::stop_token stop) {
    std::optional<FolderLock> lock = m_folder.holdTogether();
    m_record.readAll();
    writeFile();
    if (!lock && m_record.left() > 0)
      throw Failure({ErrorCode::Busy,
                     tr("a sweep without --join is training there; start that one with --join too, "
                        "or wait until it ends"),
                     m_folder.path().string()});
    if (!locksReachOtherMachines(m_folder.files()))
      logWarning(m_folder.path().string() +
                 ": is on a FUSE file system (such as sshfs), whose locks work only on this "
                 "machine, so workers on other machines would train the same runs into the same "
                 "files. Join only from this machine, or use a folder on NFS");
    reportSettled(SweepObserver::Start::Skipped);
    while (m_record.left() > 0) {
      if (!takeOne(stop) && m_record.left() > 0) waitForOthers(stop);
      reportSettled(SweepObserver::Start::Elsewhere);
    }
    if (!lock) return;  // the last of them is there, and measures
    writeTables();
    lock.reset();
    if (m_options.measureSpeed) measureIfLast(stop);
  }

  /// Trains the first run that nobody holds; false where there is none.
  bool takeOne(std::stop_token stop) {
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
      if (stop.stop_requested()) cancel();
      if (isSettledNow(i)) continue;
      auto held = m_folder.take(m_runs[i]);
      if (!held && held.error().code != ErrorCode::Busy) throw Failure(held.error());
      // It may have ended between the look and the lock.
      if (!held || isSettledNow(i)) continue;
      m_waitedFor = 0;
      train(i, *held, stop);
      return true;
    }
    return false;
  }

  bool isSettledNow(std::size_t index) {
    if (m_record.isSettled(index)) return true;
    m_record.read(index);
    return m_record.isSettled(index);
  }

  void waitForOthers(std::stop_token stop) {
    if (m_observer.waiting && m_record.left() != m_waitedFor) m_observer.waiting(m_record.left());
    m_waitedFor = m_record.left();
    sleepUnlessStopped(stop);
    if (stop.stop_requested()) cancel();
  }

  /// If several workers leave at the same time, it is the one that finds no other.
  void measureIfLast(std::stop_token stop) {
    const auto alone = FolderLock::acquire(m_folder.files());
    if (!alone || m_record.hasSpeeds()) return;
    measureSpeed(stop);
    writeTables();
  }

  /// What a mechanism refuses, data that is gone or a teacher of other classes should be known
  /// before the first hour of training, not after it. Variants that are finished need none of it.
  void checkTrainable() const {
    for (std::size_t v = 0; v < m_plan.variants.size(); ++v) {
      const SweepVariant& variant = m_plan.variants[v];
      bool left = false, fresh = false;
      for (const SweepRun& run : m_runs) {
        if (run.variant != v) continue;
        const auto folder = m_folder.of(run);
        if (folder && isFinished(*folder)) continue;
        left = true;
        fresh = fresh || !folder || !folder->has("last.safetensors");
      }
      if (!left) continue;
      const auto checked = guarded("", [&] { m_subject->requireTrainable(variant, fresh); });
      if (!checked) throw Failure({checked.error().code, checked.error().text(), variant.name});
    }
  }

  HeldFolder holdOf(std::size_t index) const {
    auto held = m_folder.take(m_runs[index]);
    if (!held) failIn(m_runs[index], held.error());
    return *held;
  }

  [[noreturn]] void failIn(const SweepRun& run, const Error& error) const {
    throw Failure({error.code, error.text(), sweepRunName(m_plan, run)});
  }

  void train(std::size_t index, const HeldFolder& held, std::stop_token stop) {
    const SweepRun& run = m_runs[index];
    m_reported[index] = true;
    const auto outcome = runOne(index, held, stop);
    if (!outcome) {
      noteFailure(index, outcome.error());
      return;
    }
    if (!outcome->finished) cancel();
    m_record.read(index);
    if (m_observer.finished) m_observer.finished(run, *outcome);
    writeTables();
  }

  /// The error of a run that began. Throws Failure where it could not. How it ended is written down
  /// while the run is still held: whoever takes it next finds it settled.
  Result<SweepOutcome> runOne(std::size_t index, const HeldFolder& held, std::stop_token stop) {
    const SweepRun& run = m_runs[index];
    clearDiverged(held.files);
    RunListener listener;
    listener.begun = [&](bool resumed) {
      reportStarted(index, resumed ? SweepObserver::Start::Resumed : SweepObserver::Start::Begun);
    };
    listener.progress = [&](const Progress& progress) { reported(index, progress); };
    const auto trained = guarded(
        "", [&] { return Trained{m_subject->train(run, held, listener, m_observer, stop)}; });
    if (!trained) failIn(run, trained.error());
    const Result<SweepOutcome>& outcome = trained->outcome;
    if (outcome && outcome->finished) {
      m_subject->resultIn(run, held.files);  // throws: it is not finished without it
      markFinished(held.files, outcome->steps);
    }
    if (!outcome && isDivergence(outcome.error())) markDiverged(held.files, outcome.error());
    return outcome;
  }

  void reportStarted(std::size_t index, SweepObserver::Start start) const {
    if (m_observer.started) m_observer.started(m_runs[index], start);
  }

  /// For runs of other processes, once each.
  void reportSettled(SweepObserver::Start start) {
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
      if (m_reported[i] || !m_record.isSettled(i)) continue;
      m_reported[i] = true;
      if (m_record.isFinished(i)) reportStarted(i, start);
      if (m_record.divergence(i) && m_observer.failed)
        m_observer.failed(m_runs[i], *m_record.divergence(i));
    }
  }

  void reported(std::size_t index, const Progress& ofRun) {
    if (!m_observer.progress || ofRun.total <= 0) return;
    const std::int64_t within = kUnitsPerRun * ofRun.done / ofRun.total;
    const std::int64_t done = m_record.settled() * kUnitsPerRun + within;
    const auto total = static_cast<std::int64_t>(m_runs.size()) * kUnitsPerRun;
    // What was there before is no work of this time.
    if (!m_started) m_remaining.start(done);
    m_started = true;
    m_observer.progress({sweepRunName(m_plan, m_runs[index]) + " (" + std::to_string(index + 1) +
                             "/" + std::to_string(m_runs.size()) + "): " + ofRun.stage,
                         done, total, m_remaining.secondsRemaining(done, total)});
  }

  /// A run that diverges says something of its variant; a full disk is everybody's.
  void noteFailure(std::size_t index, const Error& error) {
    const SweepRun& run = m_runs[index];
    if (error.code == ErrorCode::Canceled) cancel();
    if (!isDivergence(error)) failIn(run, error);
    m_record.noteDivergence(index, error);
    if (m_observer.failed) m_observer.failed(run, error);
  }

  [[noreturn]] void cancel() {
    writeTables();
    throw Failure({ErrorCode::Canceled,
                   tr("stopped with ") + std::to_string(m_record.finished()) + " of " +
                       std::to_string(m_runs.size()) +
                       tr(" runs finished; the same command resumes the sweep"),
                   m_folder.path().string()});
  }

  void measureSpeed(std::stop_token stop) {
    const SpeedSettings settings =
        m_subject->speedSettings(m_plan.variants.front(), m_options.speedBatch);
    configureCompute(settings.threads);
    std::vector<SpeedContender> contenders(m_plan.variants.size());
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
      SpeedContender& contender = contenders[m_runs[i].variant];
      if (!m_record.isFinished(i) || contender.pass) continue;
      const OpenFolder folder = *m_folder.of(m_runs[i]);
      valueOrThrow(folder.requireHarmless("best.safetensors"));
      contender = m_subject->contender(folder.pathOf("best.safetensors"), settings);
    }
    const auto measured = inferenceSpeeds(contenders, m_observer.progress, stop);
    if (stop.stop_requested()) cancel();  // what was measured before stays
    m_record.setSpeeds(measured);
  }

  const SweepPlan& m_plan;
  SweepFolder m_folder;
  SweepOptions m_options;
  const SweepObserver& m_observer;
  std::vector<SweepRun> m_runs;
  std::unique_ptr<SweepSubject> m_subject;
  SweepRecord m_record;
  std::vector<bool> m_reported;  ///< by run: what became of it
  RemainingTime m_remaining;
  bool m_started = false;
  std::int64_t m_waitedFor = 0;  ///< runs of others, as last told
};

}  // namespace

Task SweepPlan::task() const {
  if (variants.empty() || ofSequences()) return Task::Classify;
  return taskOf(variants.front().experiment.model);
}

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
      run.sequence = variant.sequence;
      if (run.sequence) {
        run.sequence->seed = run.experiment.seed;
        run.sequence->name = run.experiment.name;
      }
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
