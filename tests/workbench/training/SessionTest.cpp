// SPDX-License-Identifier: GPL-3.0-or-later

// A session as programs use it: what it says, what it leaves, and what happens when things go
// wrong.

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "core/checkpoint/Checkpoint.h"
#include "core/data/Export.h"
#include "core/training/run/ModelFile.h"
#include "core/workbench/evaluation/Evaluate.h"
#include "core/workbench/runs/RunFollower.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/session/ModelSnapshot.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

using namespace std::chrono_literals;

/// While it lives no file of this process grows beyond `bytes`: a disk that is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : m_handler(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &m_before);
    rlimit limit = m_before;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &m_before);
    std::signal(SIGXFSZ, m_handler);
  }

 private:
  rlimit m_before{};
  void (*m_handler)(int);
};

TEST(Session, TellsWhatHappensAndLeavesARunFolder) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  experiment.training.keepEvery = 2;
  const auto session = begin(experiment, folder / "run");
  EXPECT_EQ(session->takeUpdate().state, TrainingState::Preparing);
  std::atomic<int> calls = 0;
  session->setWakeUp([&] { ++calls; });
  const TrainingOutcome outcome = runToEnd(*session);
  EXPECT_EQ(calls, 1) << "nobody took an update, so one call was enough";

  const TrainingUpdate update = session->takeUpdate();
  EXPECT_EQ(update.state, TrainingState::Finished);
  EXPECT_EQ(update.steps.size(), 10u);
  EXPECT_EQ(update.epochPoints.size(), 2u);
  EXPECT_EQ(update.heads.size(), 6u);
  EXPECT_EQ(update.progress.done, 10);
  EXPECT_EQ(update.progress.total, 10);
  EXPECT_EQ(update.epoch, 2);
  EXPECT_EQ(update.epochs, 2);
  EXPECT_TRUE(update.epochPoints[0].best);
  EXPECT_TRUE(update.warnings.empty());
  const HeadPoint& heads = update.heads.back();
  ASSERT_EQ(heads.locality.size(), 2u);
  EXPECT_GT(heads.locality[0][1], 0);
  EXPECT_LE(heads.locality[0][1], 1);
  EXPECT_TRUE(heads.alpha[0][0] > 0 && heads.alpha[0][0] < 1);
  EXPECT_TRUE(std::isnan(heads.alpha[0][1]));

  for (const char* name : {"config.json", "metrics.csv", "metrics.jsonl", "last.safetensors",
                           "best.safetensors", "epoch-0002.safetensors"})
    EXPECT_TRUE(std::filesystem::exists(folder / "run" / name)) << name;
  EXPECT_FALSE(std::filesystem::exists(folder / "run/epoch-0001.safetensors"));
  const auto best = valueOrThrow(readSafetensors(outcome.best));
  EXPECT_EQ(weightsOf(best.tensors).size(), best.tensors.size()) << "weights alone";
  const auto metadata = valueOrThrow(readModelMetadata(best.metadata, "best"));
  ASSERT_TRUE(metadata);
  EXPECT_EQ(metadata->classNames.size(), 9u);

  // The second epoch's weights are the moving average that the last checkpoint holds.
  const auto last = lastTensors(folder / "run");
  const auto kept = valueOrThrow(readSafetensors(folder / "run/epoch-0002.safetensors"));
  for (const auto& [name, tensor] : kept.tensors)
    if (last.contains("ema." + name)) {
      EXPECT_TRUE(at::equal(tensor, last.at("ema." + name))) << name;
    }
}

/// What it is compared with is measured first, on the weights that it starts from.
TEST(Session, ValidatesWhatItStartsFrom) {
  TemporaryFolder folder;
  const Experiment experiment = tinyExperiment();
  const auto first = begin(experiment, folder / "first");
  const TrainingOutcome outcome = runToEnd(*first);
  const TrainingUpdate update = first->takeUpdate();
  ASSERT_TRUE(update.start && outcome.startScore && outcome.lastScore);
  EXPECT_EQ(update.start->step, 0);
  EXPECT_EQ(*outcome.startScore, update.start->top1);
  EXPECT_EQ(*outcome.lastScore, update.epochPoints.back().top1);
  EXPECT_EQ(first->history().start->validationLoss, update.start->validationLoss);

  Experiment more = experiment;
  more.training.weights = (folder / "first/best.safetensors").string();
  const auto second = begin(more, folder / "second");
  const TrainingOutcome after = runToEnd(*second);
  double best = -1;
  for (const EpochPoint& point : update.epochPoints)
    best = std::max(best, point.top1);
  EXPECT_EQ(*after.startScore, best) << "where the first one was best, the second begins";
}

TEST(Session, LetsItsFolderGoWhenItHasEnded) {
  TemporaryFolder folder;
  const auto session = begin(tinyExperiment(), folder / "run");
  EXPECT_EQ(RunFollower(folder / "run").poll().standing.state, FollowedRunState::NotBegun);
  runToEnd(*session);
  EXPECT_EQ(RunFollower(folder / "run").poll().standing.state, FollowedRunState::Finished)
      << "though the session is still there";
}

TEST(Session, LearnsTextureShape) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  experiment.threads = 1;
  experiment.model.width = 32;
  experiment.model.dropPath = 0;
  experiment.masks = {};
  experiment.data.trainSamples = 36;  // few enough to learn by heart
  experiment.data.validationSamples = 9;
  experiment.data.augment = false;
  experiment.training.epochs = 25;
  experiment.training.batchSize = 12;
  experiment.training.learningRate = 5e-3;
  experiment.training.warmupEpochs = 1;
  experiment.training.emaDecay = 0;
  experiment.training.labelSmoothing = 0;
  experiment.training.checkpointSteps = 1000;
  experiment.telemetry.alsSteps = 0;
  const auto session = begin(experiment, folder / "run");
  runToEnd(*session);
  const auto epochs = session->takeUpdate().epochPoints;
  EXPECT_NEAR(epochs.front().trainLoss, std::log(9.0), 0.4);  // chance
  EXPECT_LT(epochs.back().trainLoss, 0.5 * epochs.front().trainLoss);
  EXPECT_GT(epochs[5].trainLoss, epochs[15].trainLoss);
}

TEST(Session, FewerSamplesToTrainOnAreValidatedOnAll) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  experiment.data.maxSamples = 16;
  EXPECT_EQ(runToEnd(*begin(experiment, folder / "run")).steps, 4);  // 2 epochs of 2 batches
  const Checkpoint last = valueOrThrow(readSafetensors(folder / "run/last.safetensors"));
  const Json position = Json::parse(last.metadata.at("training"));
  EXPECT_EQ(position["train_images"], 16);
  EXPECT_EQ(position["validation_images"], 18);
}

TEST(Session, EvaluationAgreesWithValidation) {
  TemporaryFolder folder;
  const auto session = begin(tinyExperiment(), folder / "run");
  const TrainingOutcome outcome = runToEnd(*session);
  ModelSource source;
  source.weights = outcome.best;
  source.device = "cpu";
  source.threads = 2;
  std::int64_t reported = 0;
  EvaluationRequest request{source, tinyExperiment().data, std::nullopt, {}};
  const auto result =
      evaluate(request, [&](const Progress& progress) { reported = progress.done; }, {});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->images, 18);
  EXPECT_EQ(result->skipped, 0);
  EXPECT_DOUBLE_EQ(result->top1, outcome.bestScore);
  EXPECT_GE(result->top5, result->top1);
  EXPECT_GT(reported, 0);

  // Masks change what comes out; a file of training state opens as well.
  request.masks = MaskScheme(2, 2);
  const auto unmasked = evaluate(request, {}, {});
  ASSERT_TRUE(unmasked);
  EXPECT_NE(unmasked->loss, result->loss);
  request.masks.reset();
  request.source.weights = outcome.last;
  EXPECT_TRUE(evaluate(request, {}, {}));
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = evaluate(request, {}, stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::Canceled);
}

TEST(Session, EvaluationMatchesClassesByNameOrRefuses) {
  TemporaryFolder folder;
  const TrainingOutcome outcome = runToEnd(*begin(tinyExperiment(), folder / "run"));
  Checkpoint file = valueOrThrow(readSafetensors(outcome.best));
  const auto evaluated = [&](const std::string& name) {
    valueOrThrow(writeSafetensors(folder / name, file.tensors, file.metadata));
    EvaluationRequest request;
    request.source.weights = folder / name;
    request.source.device = "cpu";
    request.data = tinyExperiment().data;
    return evaluate(request, {}, {});
  };
  const auto expected = evaluated("same.safetensors");
  ASSERT_TRUE(expected) << expected.error().text();
  // Every class one place further down, under its own name.
  Json names = Json::parse(file.metadata.at("class_names"));
  std::rotate(names.begin(), names.begin() + 1, names.end());
  file.metadata["class_names"] = names.dump();
  for (auto& [name, tensor] : file.tensors)
    if (name.starts_with("head.")) tensor = tensor.roll(-1, 0);
  const auto rotated = evaluated("rotated.safetensors");
  ASSERT_TRUE(rotated) << rotated.error().text();
  EXPECT_NEAR(rotated->loss, expected->loss, 1e-6);
  EXPECT_EQ(rotated->top1, expected->top1);
  // The first class of the data is unknown, all others are not: numbers would be wrong for them.
  names.back() = "something else";
  file.metadata["class_names"] = names.dump();
  const auto unknown = evaluated("unknown.safetensors");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(unknown.error().where, "data");
}

TEST(Session, BeginsFromGivenWeights) {
  TemporaryFolder folder;
  const TrainingOutcome first = runToEnd(*begin(tinyExperiment(), folder / "first"));
  Experiment experiment = tinyExperiment();
  experiment.training.weights = first.last.string();  // with its optimizer, which is ignored
  experiment.training.learningRate = 0;
  experiment.training.minLearningRate = 0;
  experiment.training.warmupEpochs = 0;
  const auto session = begin(experiment, folder / "second");
  runToEnd(*session);
  EXPECT_TRUE(session->takeUpdate().warnings.empty());
  const auto before = lastTensors(folder / "first"), after = lastTensors(folder / "second");
  for (const auto& [name, tensor] : before)
    if (!name.starts_with("optimizer.") && !name.starts_with("ema.")) {
      EXPECT_TRUE(at::equal(tensor, after.at(name))) << name;
    }

  std::ofstream(folder / "other.safetensors") << "not a checkpoint";
  experiment.training.weights = (folder / "other.safetensors").string();
  const auto refused = TrainingSession::begin(experiment, folder / "third");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("other.safetensors"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "third")) << "a failed start leaves nothing";
}

TEST(Session, PausesEditsSnapshotsAndGoesOn) {
  TemporaryFolder folder;
  const auto session = begin(tinyExperiment(), folder / "run");
  session->pause();
  Result<TrainingOutcome> outcome = TrainingOutcome();
  std::thread running([&] { outcome = session->run({}); });
  const auto waitFor = [&](auto&& condition) {
    for (int i = 0; i < 2000; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(5ms);
    }
    return false;
  };
  TrainingUpdate update;
  EXPECT_TRUE(waitFor([&] {
    update = session->takeUpdate();
    return update.state == TrainingState::Paused;
  }));
  // A paused run takes an edit and gives its weights.
  EXPECT_TRUE(session->submit(editOf(session->masks(), 1, 0, "hard:3")));
  EXPECT_TRUE(waitFor([&] { return session->masks().at(1, 0).kind == MaskKind::Hard; }));
  session->requestSnapshot();
  EXPECT_TRUE(waitFor([&] { return session->snapshot() != nullptr; }));
  const auto snapshot = session->snapshot();
  EXPECT_EQ(snapshot->step, 0);
  EXPECT_EQ(snapshot->masks.at(1, 0).kind, MaskKind::Hard);
  const at::Tensor before = snapshot->weights.front().second.clone();
  session->unpause();
  running.join();
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(outcome->steps, 10);
  EXPECT_TRUE(at::equal(snapshot->weights.front().second, before)) << "a copy, not the weights";
  EXPECT_EQ(session->snapshot()->step, 10);
  EXPECT_FALSE(session->submit(editOf(session->masks(), 0, 0, "none"))) << "the run is over";

  // Pausing changes nothing: the same as if the edit had been scheduled.
  runToEnd(*begin(session->exported(), folder / "replay"));
  expectSame(lastTensors(folder / "run"), lastTensors(folder / "replay"));
  EXPECT_FALSE(session->run({})) << "a session runs once";
}

TEST(Session, StopsWhilePaused) {
  TemporaryFolder folder;
  const auto session = begin(tinyExperiment(), folder / "run");
  session->pause();
  std::stop_source stop;
  Result<TrainingOutcome> outcome = TrainingOutcome();
  std::thread running([&] { outcome = session->run(stop.get_token()); });
  std::this_thread::sleep_for(20ms);
  stop.request_stop();
  running.join();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->state, TrainingState::Stopped);
  EXPECT_TRUE(outcome->best.empty());
}

TEST(Session, ASecondOneOnTheSameFolderIsBusy) {
  TemporaryFolder folder;
  auto session = begin(tinyExperiment(), folder / "run");
  for (const auto& second : {TrainingSession::begin(tinyExperiment(), folder / "run"),
                             TrainingSession::resume(folder / "run")}) {
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::Busy);
  }
  session.reset();
  const auto again = TrainingSession::begin(tinyExperiment(), folder / "run");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::InvalidArgument);
  runToEnd(*resume(folder / "run"));  // nothing was trained yet: from the beginning
}

TEST(Session, ADamagedCheckpointIsAClearError) {
  TemporaryFolder folder;
  runToEnd(*begin(tinyExperiment(), folder / "run"));
  const auto last = folder / "run/last.safetensors";
  const auto size = std::filesystem::file_size(last);
  const auto expectRefused = [&](const std::string& what) {
    const auto session = TrainingSession::resume(folder / "run");
    ASSERT_FALSE(session) << what;
    EXPECT_NE(session.error().text().find("last.safetensors"), std::string::npos) << what;
  };
  const auto intact = valueOrThrow(readSafetensors(last));
  std::filesystem::resize_file(last, size / 2);
  expectRefused("half of it");
  std::filesystem::resize_file(last, 0);
  expectRefused("empty");
  const auto expectRefusedWith = [&](const std::string& what, auto&& change) {
    Checkpoint changed = intact;
    change(changed);
    ASSERT_TRUE(writeSafetensors(last, changed.tensors, changed.metadata));
    expectRefused(what);
  };
  expectRefusedWith("no position", [](Checkpoint& c) { c.metadata.erase("training"); });
  expectRefusedWith("no experiment", [](Checkpoint& c) { c.metadata.erase("experiment"); });
  expectRefusedWith("beyond the end", [](Checkpoint& c) {
    Json json = Json::parse(c.metadata["training"]);
    json["epoch"] = 99;
    c.metadata["training"] = json.dump();
  });
  expectRefusedWith("negative", [](Checkpoint& c) {
    Json json = Json::parse(c.metadata["training"]);
    json["batch"] = -1;
    c.metadata["training"] = json.dump();
  });
  expectRefusedWith("other shape", [](Checkpoint& c) {
    for (auto& [name, tensor] : c.tensors)
      if (name == "norm.weight") tensor = at::ones({3});
  });
  expectRefusedWith("a moment is missing", [](Checkpoint& c) {
    std::erase_if(c.tensors, [](const auto& t) { return t.first == "optimizer.second.norm.bias"; });
  });
  expectRefusedWith("an average is missing", [](Checkpoint& c) {
    std::erase_if(c.tensors, [](const auto& t) { return t.first == "ema.norm.bias"; });
  });
  expectRefusedWith("a weight is missing", [](Checkpoint& c) {
    std::erase_if(c.tensors, [](const auto& t) { return t.first == "norm.bias"; });
  });
}

TEST(Session, ALossThatIsNoNumberStopsTheRunAndKeepsTheCheckpoint) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  experiment.training.learningRate = 10;  // the greatest that a config allows
  experiment.training.clipGradient = 0;
  experiment.training.warmupEpochs = 0;
  experiment.training.weightDecay = 10;  // (1 − 100)ⁿ: weights overflow within twenty steps
  experiment.training.epochs = 40;
  const auto session = begin(experiment, folder / "run");
  const auto outcome = session->run({});
  ASSERT_FALSE(outcome) << "it did not diverge";
  EXPECT_NE(outcome.error().message.find("of step "), std::string::npos);
  EXPECT_NE(outcome.error().message.find("training.learning_rate"), std::string::npos);
  EXPECT_EQ(session->takeUpdate().state, TrainingState::Failed);
  for (const auto& [name, tensor] : lastTensors(folder / "run"))
    if (tensor.is_floating_point()) {
      EXPECT_TRUE(at::isfinite(tensor).all().item<bool>()) << name;
    }
}

TEST(Session, AFullDiskCostsNoCheckpointThatWasThere) {
  TemporaryFolder folder;
  const Experiment experiment = tinyExperiment();
  runToEnd(*begin(experiment, folder / "whole"));
  auto session = begin(experiment, folder / "run");
  std::unique_ptr<FullDisk> full;
  TrainingUpdate all;
  session->setWakeUp([&] {
    const TrainingUpdate update = session->takeUpdate();
    all.warnings.insert(all.warnings.end(), update.warnings.begin(), update.warnings.end());
    for (const auto& point : update.steps)
      if (point.step == 4) full = std::make_unique<FullDisk>(1000);
  });
  const auto outcome = session->run({});
  full.reset();
  ASSERT_FALSE(outcome) << "the last checkpoint could not be written";
  EXPECT_NE(outcome.error().message.find("step 3"), std::string::npos) << outcome.error().text();
  EXPECT_FALSE(all.warnings.empty());
  session.reset();
  for (const auto& entry : std::filesystem::directory_iterator(folder / "run"))
    EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
  // With space again the run goes on from the checkpoint that stayed.
  runToEnd(*resume(folder / "run"));
  expectSame(lastTensors(folder / "whole"), lastTensors(folder / "run"));
}

TEST(Session, AFullDiskThatIsEmptiedAgainIsOnlyAWarning) {
  TemporaryFolder folder;
  const Experiment experiment = tinyExperiment();
  const auto session = begin(experiment, folder / "run");
  std::unique_ptr<FullDisk> full;
  const auto outcome = runWith(*session, [&](std::int64_t step) {
    if (step == 4) full = std::make_unique<FullDisk>(300);
    if (step == 7) full.reset();
  });
  full.reset();
  ASSERT_TRUE(outcome) << outcome.error().text();
  runToEnd(*begin(experiment, folder / "whole"));
  expectSame(lastTensors(folder / "whole"), lastTensors(folder / "run"));
  EXPECT_EQ(linesOf(folder / "whole/metrics.jsonl").size(),
            linesOf(folder / "run/metrics.jsonl").size())
      << "what could not be written was added later";
}

TEST(Session, DataThatVanishesIsSavedFromAndComesBack) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  DatasetSpec spec;
  spec.imageSize = 16;
  spec.trainSamples = 45;
  spec.validationSamples = 18;
  valueOrThrow(writeImageFolders(spec, folder / "data"));
  experiment.data.dataset = "image-folder";
  experiment.data.path = (folder / "data").string();
  experiment.training.checkpointSteps = 1000;
  experiment.training.epochs = 3;
  auto session = begin(experiment, folder / "run");
  const auto outcome = runWith(*session, [&](std::int64_t step) {
    if (step == 3) std::filesystem::rename(folder / "data", folder / "elsewhere");
  });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::Io);
  EXPECT_NE(outcome.error().message.find("the run is saved at step"), std::string::npos)
      << outcome.error().text();
  session.reset();
  std::filesystem::rename(folder / "elsewhere", folder / "data");
  const TrainingOutcome resumed = runToEnd(*resume(folder / "run"));
  EXPECT_EQ(resumed.steps, 15);
}

TEST(Session, DamagedFilesAreNamedOnce) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  DatasetSpec spec;
  spec.imageSize = 16;
  spec.trainSamples = 45;
  spec.validationSamples = 18;
  valueOrThrow(writeImageFolders(spec, folder / "data"));
  std::filesystem::path victim;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "data/train"))
    if (entry.is_regular_file()) victim = entry.path();
  std::filesystem::resize_file(victim, 40);
  experiment.data.dataset = "image-folder";
  experiment.data.path = (folder / "data").string();
  const auto session = begin(experiment, folder / "run");
  runToEnd(*session);
  int named = 0;
  for (const std::string& warning : session->takeUpdate().warnings)
    named += warning.find(victim.filename().string()) != std::string::npos;
  EXPECT_EQ(named, 1);
}

TEST(Session, RefusesWhatCannotBeTrained) {
  TemporaryFolder folder;
  const auto errorOf = [&](const std::function<void(Experiment&)>& change) {
    Experiment experiment = tinyExperiment();
    change(experiment);
    const auto session = TrainingSession::begin(experiment, folder / "run");
    EXPECT_FALSE(session);
    EXPECT_FALSE(std::filesystem::exists(folder / "run"));
    return session ? std::string() : session.error().text();
  };
  EXPECT_NE(errorOf([](Experiment& e) { e.device = "abacus"; }).find("abacus"), std::string::npos);
  EXPECT_NE(errorOf([](Experiment& e) { e.model.heads = 3; }).find("heads"), std::string::npos);
  EXPECT_NE(errorOf([](Experiment& e) { e.masks.cells.resize(3); }).find("layer"),
            std::string::npos);
  EXPECT_NE(errorOf([](Experiment& e) {
              e.edits = {{0, editOf(MaskScheme(9, 9), 8, 8, "hard:3")}};
            }).find("layer 8"),
            std::string::npos);
  EXPECT_NE(errorOf([](Experiment& e) {
              e.data.dataset = "image-folder";
              e.data.path = "/no such folder";
            }).find("/no such folder"),
            std::string::npos);
}

}  // namespace
}  // namespace headlight
