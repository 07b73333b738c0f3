// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Several variants of one experiment, an image classifier's or a sequence model's, each trained
// from several seeds, and the table that compares them. No torch type here. A sweep may be
// interrupted or killed at any time: begun again with the same folder, finished runs are skipped
// and an interrupted one goes on exactly.

#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/config/Experiment.h"
#include "core/config/SequenceExperiment.h"
#include "core/imaging/codecs/Image.h"
#include "core/training/logs/TrainingTypes.h"
#include "core/training/sequence/SequenceTypes.h"

namespace headlight {

/// What stands in a sweep's folder beside those of its variants. The speeds are kept there for the
/// next time that the tables are written; kSweepFile is what was run, with every change to its
/// base.
inline constexpr const char *kSweepTable = "sweep.csv", *kSweepText = "sweep.md",
                            *kSweepFigure = "sweep.png", *kSweepSpeeds = "speeds.json",
                            *kSweepFile = "sweep.json", *kSweepCurves = "sweep-over-";

struct SweepVariant {
  std::string name;       ///< also of its folder; none of the above
  Experiment experiment;  ///< checked; its seed is replaced by each of the sweep's
  std::optional<SequenceExperiment> sequence = {};  ///< in place of `experiment`
};

struct SweepPlan {
  std::string name = "sweep", about;
  std::vector<SweepVariant> variants;
  std::vector<std::int64_t> seeds;
  std::string file = {};  ///< the text of a sweep file that says all of it; empty: made in code

  /// All variants are of one kind.
  bool ofSequences() const { return !variants.empty() && variants.front().sequence; }
  /// What its models learn, all of them the same; Classify of sequences too.
  Task task() const;
  /// What runs without sequences are compared by, for people and in files: "top-1", "top1".
  std::string scoreName() const { return scoreNames(task()).front().name; }
  std::string scoreKey() const { return scoreNames(task()).front().key; }
};

/// Changes to the base, for the command line's flags: gets the base's JSON before it is read.
using ChangeBase = std::function<void(Json&)>;
/// Whether a base is a sequence model's: its `task` says so.
bool isOfSequences(const Json& base);

/// Reads a sweep file:
///   name      for titles
///   about     what it is, in a sentence; for readers of the file and of the table
///   recipe    a name of recipes(): what the base leaves out is as there
///   base      an Experiment or a SequenceExperiment, or the path of one, relative to the sweep file
///   scale_with_base  ["training.epochs"]: where `change` changes the base's value of these, what
///             variants set there changes in proportion
///   variants  [{"name": "aft", "overrides": {"model.mechanism": "aft_conv",
///             "model.attention": {"kernel": 5}, "training.epochs": 3}}]; `overrides` are
///             parameters by their path, `model` or `masks` as a whole, `model.attention`,
///             `model.layout`
///   mechanisms  in place of variants: one for each of these names
///   seeds     [0, 1, 2]
/// Choosing a mechanism (a backbone) drops the base's options of another one. Every variant is
/// checked, and all have one task. Errors name file and JSON path
/// ("variants[2].overrides.training.epoch"). A folder that a sweep was run in stands for its
/// sweep.json.
Result<SweepPlan> readSweep(const std::filesystem::path& path, const ChangeBase& change = {});
/// `folder`: what a base's path is relative to; `name` is for messages.
Result<SweepPlan> sweepFromText(const std::string& text, const std::string& name,
                                const std::filesystem::path& folder, const ChangeBase& change = {});

/// One run of a sweep.
struct SweepRun {
  std::size_t variant = 0, seed = 0;  ///< indices into the plan
  std::filesystem::path folder;       ///< OUTPUT/VARIANT/seed-SEED
  Experiment experiment;
  std::optional<SequenceExperiment> sequence = {};  ///< in place of `experiment`
};
/// All of them in the order in which they are run: every variant with the first seed, then with
/// the second.
std::vector<SweepRun> sweepRuns(const SweepPlan& plan, const std::filesystem::path& output);
std::string sweepRunName(const SweepPlan& plan, const SweepRun& run);  ///< "aft, seed 1"

/// Mean and sample deviation (n − 1) over seeds.
struct SweepStatistic {
  double mean = 0;
  double deviation = 0;  ///< NaN where there are fewer than two
};
SweepStatistic computeStatistic(const std::vector<double>& values);

/// A variant of which at least one run is finished. Of classifiers accuracies are top-1 in [0, 1];
/// of sequence models they are bits a byte (bits/dim, bits/char), lower being better.
struct SweepRow {
  std::string name, backbone, mechanism, masks;  ///< sequence models have no backbone, no masks
  std::int64_t runs = 0;                         ///< finished
  SweepStatistic best, last;                     ///< best and last validation of each run
  SweepStatistic training;  ///< bits of training before the last validation; of sequences alone
  std::int64_t length = 0;  ///< T of sequences
  std::int64_t depth = 0, width = 0, heads = 0;  ///< of sequences: L, d and h; AFT has one head
  /// For sequences, in training: steps a second (the median over the validations of a run, their
  /// mean over runs), and the most memory of any run (SequenceReading). 0: runs of before these
  /// were written down.
  double stepsPerSecond = 0;
  std::int64_t peakBytes = 0;
  std::int64_t parameters = 0;  ///< of the model, those of soft masks included
  std::int64_t macs = 0;        ///< of one image, with its masks; 0: sequences
  std::int64_t classes = 0;     ///< of the data that it was trained on; 0: sequences
  double perSecond = 0;         ///< images or sequences, inference, as last measured; 0: never
};

struct SweepFailure {
  std::string run;  ///< "aft, seed 1"
  Error error;
};
struct SweepReport {
  std::vector<SweepRow> rows;            ///< in the order of the plan
  std::int64_t finished = 0, total = 0;  ///< runs
  std::vector<SweepFailure> failures;    ///< runs that could not be trained to their end
};

struct SweepOptions {
  bool measureSpeed = true;
  std::int64_t speedBatch = 32;  ///< images or sequences a forward pass
  bool join = false;             ///< one of several processes at work in the same folder
};

/// How a run ended that began.
struct SweepOutcome {
  bool finished = false;  ///< false: stopped
  std::int64_t steps = 0;
  double best = 0;  ///< as in SweepRow; 0 before the first validation
};

/// How a sweep goes. All are called from the thread that runs it.
struct SweepObserver {
  enum class Start {
    Begun,
    Resumed,
    Skipped,   ///< finished before this process came
    Elsewhere  ///< joined: finished by another process meanwhile
  };
  std::function<void(const SweepRun&, Start)> started = {};
  std::function<void(const SweepRun&, const TrainingUpdate&)> update = {};    ///< of classifiers
  std::function<void(const SweepRun&, const SequenceReading&)> reading = {};  ///< of sequences
  std::function<void(const SweepRun&, const SweepOutcome&)> finished = {};
  std::function<void(const SweepRun&, const Error&)> failed = {};
  /// Whenever the tables were written: what is in them.
  std::function<void(const SweepReport&)> table = {};
  std::function<void(std::int64_t runs)> waiting = {};  ///< joined: for so many, held by others
  ProgressCallback progress = {};                       ///< runs of the whole sweep, in thousandths
};

/// Trains what is missing and writes sweep.json at the beginning, and sweep.csv, sweep.md and
/// sweep.png into `output`, after every run and at the end: every run that is finished is in them
/// each time. A run that diverges does not end the others; it is in the report. What cannot begin
/// (its data, its teacher, its model) is an error that names the variant, before anything is
/// trained. Speed is measured at the end, one variant after the other in turns, on the same random
/// images (of one size of images); what was measured before stays in the tables until then.
/// Errors besides: Canceled (checkpoints are written), Busy, Io, and InvalidArgument where `output`
/// holds runs of other settings.
///
/// Joined, any number of processes, on any machines that see `output`, do this together. Each takes
/// the first run that is neither finished nor held by another (FolderLock), and waits where all
/// that are left are held: a run whose process dies is taken over and goes on exactly. A run that
/// diverged in one of them is not tried again by the others. Every table has all runs that are
/// finished, whoever finished them. The last process to leave measures the speed, alone, and only
/// where a variant has none yet. Busy where a sweep of one process is there, and the other way
/// round.
Result<SweepReport> runSweep(const SweepPlan& plan, const std::filesystem::path& output,
                             const SweepOptions& options, const SweepObserver& observer,
                             std::stop_token stop);

/// What stands in sweep.csv, sweep.md and sweep.png.
std::string sweepCsv(const SweepPlan& plan, const std::vector<SweepRow>& rows);
std::string sweepMarkdown(const SweepPlan& plan, const std::vector<SweepRow>& rows);
/// A line a variant: its best validation as a dot with its deviation, on an axis from 0 or, of
/// classifiers of one number of classes, from chance. Needs at least one row.
Image sweepFigure(const SweepPlan& plan, const std::vector<SweepRow>& rows);

/// "71.2 ± 0.4", in per cent; without deviation of one seed.
std::string percentText(const SweepStatistic& statistic);
/// "2.8412 ± 0.0031", in bits.
std::string bitsText(const SweepStatistic& statistic);

}  // namespace headlight
