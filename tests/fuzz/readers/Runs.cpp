// SPDX-License-Identifier: GPL-3.0-or-later

// What runs and sweeps leave in their folders.

#include <algorithm>

#include "core/imaging/codecs/Image.h"
#include "core/training/evolution/EvolutionFile.h"
#include "core/training/evolution/EvolutionLog.h"
#include "core/training/logs/FollowedLogs.h"
#include "core/training/logs/MetricsLog.h"
#include "core/training/logs/RunHistory.h"
#include "core/training/sequence/SequenceHistory.h"
#include "core/training/sequence/SequenceLog.h"
#include "core/workbench/runs/RecordedEvolution.h"
#include "core/workbench/sweeps/SweepResults.h"
#include "tests/fuzz/Bounds.h"
#include "tests/fuzz/readers/Target.h"

namespace headlight::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMetrics =
    R"({"type": "heads", "step": 0, "als": [[0.1, 0.2], [0.3, 0.4]], "alpha": [[0.5, null], [null, null]]}
{"type": "step", "step": 1, "epoch": 0, "loss": 2.2, "learning_rate": 0.001, "gradient_norm": 1.5, "images_per_second": 900.5, "distillation_loss": 0.5}
{"type": "step", "step": 2, "epoch": 0, "loss": 2.1, "learning_rate": 0.001, "skipped": true, "images_per_second": 901.0, "loss_scale": 32768.0, "skipped_steps": 1}
{"type": "epoch", "step": 2, "epoch": 1, "train_loss": 2.15, "validation_loss": 2.2, "top1": 0.25, "top5": 0.75, "best": true}
{"type": "heads", "step": 3, "als": [[0.1, 0.2], [0.3, 0.4]], "alpha": [[0.5, null], [null, null]], "readings": [{"nonzeros": 0.1}, {}]}
)";
constexpr const char* kMasks =
    R"({"step": 2, "label": "wider", "changes": [{"layer": 1, "head": 0, "from": "soft:3@0.5", "to": "hard:5"}]}
)";
constexpr const char* kSequenceMetrics =
    R"({"type": "step", "step": 1, "bits": 7.5, "learning_rate": 0.001, "gradient_norm": 2.0, "steps_per_second": 3.5, "peak_bytes": 1000000}
{"type": "validation", "step": 3, "train_bits": 7.0, "validation_bits": 7.1, "learning_rate": 0.001, "best": true, "seconds": 0.5}
)";
constexpr const char* kTable =
    "epoch,step,learning_rate,train_loss,validation_loss,top1,top5,best,seconds\n"
    "1,3,0.001,2.2,2.1,0.25,0.75,1,0.5\n2,6,0.0005,2.0,2.1,0.125,0.75,0,0.5\n";

constexpr const char* kDetectorTable =
    "epoch,step,learning_rate,train_loss,validation_loss,ap,ap50,ap75,best,seconds\n"
    "1,3,0.001,2.2,2.1,0.25,0.5,0.25,1,0.5\n2,6,0.0005,2.0,2.1,0.125,0.5,0.25,0,0.5\n";

constexpr const char* kSequenceTable =
    "step,learning_rate,train_bits,validation_bits,best,seconds,steps_per_second,peak_bytes\n"
    "4,0.001,7.5,7.25,1,0.5,3.5,1000000\n7,0.0005,7.0,7.5,0,0.5,3.25,1000000\n";

constexpr const char* kSummary =
    "epoch,train_loss,eval_loss,eval_top1,eval_top5,lr\n"
    "0,2.2,2.1,25,75,0.001\n1,2.0,2.1,12.5,75,0.0005\n";

/// As one that follows the run reads them: steps do not go back, and nothing comes twice.
void followLogs(const OpenFolder& run) {
  Experiment experiment;
  experiment.model.depth = experiment.model.heads = 2;
  FollowedLogs logs(experiment);
  RunHistory history, again;
  static_cast<void>(logs.read(run, history, {}));
  static_cast<void>(logs.read(run, again, {}));
  const auto earlier = [](const StepPoint& a, const StepPoint& b) { return a.step < b.step; };
  require(std::is_sorted(history.steps.begin(), history.steps.end(), earlier), "a step goes back");
  require(again.empty(), "a line is read twice");
  for (const EpochTime& time : history.times)
    require(time.epoch > 0 && time.seconds >= 0, "an epoch takes less than no time");
  require(!logs.wasRewritten(run), "what nobody touched was rewritten");
  require(logs.tally().numbers().step >= 0, "a step is negative");
}

/// Reads the logs, then cuts them back as resuming does: what is left is not from after that.
Result<void> readLogs(const fs::path& folder) {
  const OpenFolder run = valueOrThrow(OpenFolder::open(folder));
  readRunHistory(run, {2, 2});
  followLogs(run);
  if (auto cut = MetricsLog(run, "").cutTo(2, 1, 1); !cut) return cut;
  const RunHistory left = readRunHistory(run, {2, 2});
  require(left.steps.empty() || left.steps.back().step <= 2, "a step is left");
  require(left.edits.size() <= 1, "an edit is left");
  return {};
}

Result<void> readSequenceLogs(const fs::path& folder) {
  const OpenFolder run = valueOrThrow(OpenFolder::open(folder));
  readSequenceHistory(run, 100);
  SequencePosition position;
  position.step = 2;
  if (auto cut = SequenceLog(run, "").cutTo(position); !cut) return cut;
  for (const SequenceReading& reading : readSequenceHistory(run, 100))
    require(reading.step <= 2, "a step is left");
  return {};
}

EvolutionBeginning fuzzedBeginning() {
  EvolutionBeginning beginning;
  beginning.meaning = "each row sums to 1";
  beginning.layers = {{2, {2, 2, 1}, {0, 3}}, {1, {1, 1, 0}, {kMeanOfPatches}}};
  const Image view{3, 2, std::make_shared<const std::vector<std::uint8_t>>(18, 90)};
  beginning.images = {{7, 1, "dog.png", valueOrThrow(encodePng(view))}};
  beginning.classNames = {"cat", "dog"};
  return beginning;
}

EvolutionPoint fuzzedPoint(std::int64_t step) {
  EvolutionPoint point;
  point.step = step;
  point.locality = {{0.25f, 0.5f}, {1.0f}};
  point.alpha = {{0.5f, 0.75f}, {0.125f}};
  point.top = {{{1, 0.75f}, {0, 0.25f}}};
  point.maps = {{std::vector<std::uint8_t>(20, 128), {0.1f, 0.2f, 0.3f, 0.4f}},
                {std::vector<std::uint8_t>(1, 255), {1.0f}}};
  point.rollout = {std::vector<std::uint8_t>(4, 85), {0.3f}};
  point.tensors = {{"blocks.0.attn.position_gain", {2}, {0x3c00, 0xc000}}};
  return point;
}

std::string evolutionFile() {
  std::string file =
      evolutionPreamble() + evolutionRecord(kBeginningRecord, beginningContent(fuzzedBeginning()));
  for (const std::int64_t step : {0, 4, 8})
    file += evolutionRecord(kPointRecord, pointContent(fuzzedPoint(step)));
  return file;
}

/// Looks at all of a recording, then goes on with it as a resumed run does.
Result<void> readEvolution(const fs::path& folder) {
  auto evolution = RecordedEvolution::open(folder);
  if (!evolution) return evolution.error();
  std::int64_t before = -1;
  for (std::size_t i = 0; i < evolution->moments().size(); ++i) {
    require(evolution->moments()[i].step > before, "a step goes back");
    before = evolution->moments()[i].step;
    const auto frame = evolution->frame(i);
    require(frame.ok(), "a point that is listed cannot be read");
    frame->maps(0);
    frame->rollout(0);
    static_cast<void>(frame->seen(0, 0, 1, 0));
  }
  require(valueOrThrow(evolution->refresh()) == EvolutionChange::None, "a point is read twice");
  const OpenFolder run = valueOrThrow(OpenFolder::open(folder));
  EvolutionLog log(run, "", 1 << 20, 1);
  if (auto cut = log.cutTo(4); !cut) return cut;
  require(log.lastStep() <= 4, "a step is left");
  return {};
}

/// As they are behind a checksum that fits.
Result<void> readBeginning(const std::string& bytes) {
  return guarded("", [&] { beginningFrom(bytes); });
}
Result<void> readPoint(const std::string& bytes) {
  return guarded("", [&] { pointFrom(bytes, fuzzedBeginning()); });
}

/// Of classifiers and of detectors, which are compared by `score`.
Result<void> readScores(const fs::path& folder, const std::string& score) {
  const OpenFolder run = valueOrThrow(OpenFolder::open(folder));
  followLogs(run);
  return readThen(guarded("", [&] { return imageResult(run, /*epochs=*/2, score); }),
                  [](const RunResult&) {});
}
Result<void> readTable(const fs::path& folder) {
  return readScores(folder, "top1");
}
Result<void> readDetectorTable(const fs::path& folder) {
  return readScores(folder, "ap");
}

Result<void> readSequenceTable(const fs::path& folder) {
  const OpenFolder run = valueOrThrow(OpenFolder::open(folder));
  SequenceTrainingConfig training;
  training.steps = 7;
  training.evaluateSteps = 4;
  return readThen(guarded("", [&] { return sequenceResult(run, training); }),
                  [](const RunResult&) {});
}

/// Whatever the mark holds, that the run diverged is known.
Result<void> readDivergence(const fs::path& folder) {
  const OpenFolder run = valueOrThrow(OpenFolder::open(folder));
  const auto divergence = divergenceIn(run);
  require(divergence.has_value() && !divergence->message.empty(),
          "a run that diverged is not known");
  return {};
}

Result<void> readSpeedTable(const fs::path& folder) {
  const OpenFolder output = valueOrThrow(OpenFolder::open(folder));
  return readThen(guarded("", [&] { return readSpeeds(output); }), [](const SpeedsByVariant&) {});
}

/// A reader of the file `name` in a folder of its own.
Target inFolder(const fs::path& folder, const std::string& name, Kind kind, const std::string& file,
                Result<void> (*read)(const fs::path&), const std::string& what) {
  const fs::path own = folder / what;
  fs::create_directories(own);
  return {what, kind, {file}, [own, name, read](const std::string& bytes) {
            writeBytes(own / name, bytes);
            return read(own);
          }};
}

}  // namespace

std::vector<Target> runTargets(const fs::path& folder) {
  return {
      inFolder(folder, "metrics.jsonl", Kind::Lines, kMetrics, readLogs, "metrics"),
      inFolder(folder, "masks.jsonl", Kind::Lines, kMasks, readLogs, "masks of a run"),
      inFolder(folder, "metrics.jsonl", Kind::Lines, kSequenceMetrics, readSequenceLogs,
               "metrics of a sequence"),
      inFolder(folder, "metrics.csv", Kind::Text, kTable, readTable, "table of a run"),
      inFolder(folder, "metrics.csv", Kind::Text, kDetectorTable, readDetectorTable,
               "table of a detector"),
      inFolder(folder, "summary.csv", Kind::Text, kSummary, readLogs, "summary of a run"),
      inFolder(folder, "metrics.csv", Kind::Text, kSequenceTable, readSequenceTable,
               "table of a sequence"),
      inFolder(folder, "diverged.json", Kind::Json,
               R"({"message": "the loss is no number", "where": "out/a/seed-1"})", readDivergence,
               "divergence of a sweep's run"),
      inFolder(folder, kEvolutionFile, Kind::Bytes, evolutionFile(), readEvolution, "evolution"),
      {"beginning of an evolution",
       Kind::Bytes,
       {beginningContent(fuzzedBeginning())},
       readBeginning},
      {"point of an evolution", Kind::Bytes, {pointContent(fuzzedPoint(4))}, readPoint},
      inFolder(folder, kSweepSpeeds, Kind::Json, R"({"softmax": 900.5, "aft": 1200})",
               readSpeedTable, "speeds of a sweep"),
  };
}

}  // namespace headlight::fuzz
