// SPDX-License-Identifier: GPL-3.0-or-later

// What timm's tools read of a run: args.yaml, summary.csv and the names of its weights.

#include <gtest/gtest.h>

#include <fstream>

#include "core/data/Export.h"
#include "core/models/Registry.h"
#include "core/training/run/TimmArgs.h"
#include "core/training/step/Schedule.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

TEST(TimmSummary, HasARowAnEpochInTimmsUnits) {
  TemporaryFolder folder;
  runToEnd(*begin(tinyExperiment(), folder / "run"));
  const auto rows = linesOf(folder / "run/summary.csv");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0], "epoch,train_loss,eval_loss,eval_top1,eval_top5,lr");
  std::size_t row = 1;
  for (const std::string& text : linesOf(folder / "run/metrics.jsonl")) {
    const Json line = Json::parse(text);
    if (line["type"] != "epoch") continue;
    double epoch = -1, trainLoss = 0, loss = 0, top1 = 0, top5 = 0, rate = 0;
    ASSERT_EQ(std::sscanf(rows[row++].c_str(), "%lf,%lf,%lf,%lf,%lf,%lf", &epoch, &trainLoss, &loss,
                          &top1, &top5, &rate),
              6);
    EXPECT_EQ(epoch + 1, line["epoch"].get<double>());
    EXPECT_EQ(trainLoss, line["train_loss"].get<double>());
    EXPECT_EQ(loss, line["validation_loss"].get<double>());
    EXPECT_DOUBLE_EQ(top1, 100 * line["top1"].get<double>());
    EXPECT_DOUBLE_EQ(top5, 100 * line["top5"].get<double>());
    const Schedule schedule(scheduleOptions(tinyExperiment().training, 5));
    EXPECT_EQ(rate, schedule.learningRate(line["step"].get<std::int64_t>() - 1));
  }
}

TEST(TimmSummary, IsTheSameAfterAnInterruption) {
  TemporaryFolder folder;
  const auto whole = begin(tinyExperiment(), folder / "whole");
  ASSERT_TRUE(runWith(*whole, [&](std::int64_t step) {
    fs::copy(folder / "whole", folder / ("killed " + std::to_string(step)),
             fs::copy_options::recursive);
  }));
  const auto expected = linesOf(folder / "whole/summary.csv");
  for (const int step : {1, 4, 6, 9}) {
    const fs::path killed = folder / ("killed " + std::to_string(step));
    std::ofstream(killed / "summary.csv", std::ios::app) << "1,0.5,";  // half a row
    runToEnd(*resume(killed));
    EXPECT_EQ(linesOf(killed / "summary.csv"), expected) << step;
  }
}

TEST(TimmSummary, OfAnotherProgramIsLeftAsItIs) {
  TemporaryFolder folder;
  ASSERT_TRUE(runUntil(*begin(tinyExperiment(), folder / "run"), 7));
  std::ofstream(folder / "run/summary.csv") << "epoch,train_loss,lr\n0,1,0.1\n";
  const auto session = TrainingSession::resume(folder / "run");
  ASSERT_FALSE(session);
  EXPECT_NE(session.error().text().find("summary.csv"), std::string::npos);
  EXPECT_NE(session.error().text().find("move it away"), std::string::npos);
  EXPECT_EQ(linesOf(folder / "run/summary.csv").size(), 2u);
  fs::remove(folder / "run/summary.csv");
  runToEnd(*resume(folder / "run"));
  const auto rows = linesOf(folder / "run/summary.csv");
  ASSERT_EQ(rows.size(), 2u) << "the head, and the epoch that came after";
  EXPECT_TRUE(rows[1].starts_with("1,"));
}

TEST(TimmArgs, AreWrittenWhereARunBegins) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  experiment.name = "no: \"#1\"\n- [x]";
  auto session = begin(experiment, folder / "run");
  const auto lines = linesOf(folder / "run/args.yaml");
  for (const std::string line :
       {R"(experiment: "no: \"#1\"\u000a- [x]")", "batch_size: 8", "num_classes: 9", "seed: 7",
        R"(sched: "cosine")", "min_lr: 1.0e-05", "warmup_epochs: 0.4", "model_ema: true",
        "model_ema_decay: 0.8", "aa: null", R"(opt: "adamw")", "drop_path: 0.3", "clip_grad: 1.0",
        "- 0.485", "img_size: 16", R"(model: "custom")"})
    EXPECT_NE(std::find(lines.begin(), lines.end(), line), lines.end()) << line;
  session.reset();
  std::ofstream(folder / "run/args.yaml") << "mine: 1\n";
  resume(folder / "run").reset();
  EXPECT_EQ(linesOf(folder / "run/args.yaml"), std::vector<std::string>{"mine: 1"});
  fs::remove(folder / "run/args.yaml");
  resume(folder / "run").reset();
  EXPECT_EQ(linesOf(folder / "run/args.yaml"), lines) << "of before there was one";
}

TEST(TimmArgs, UseTimmsWords) {
  Experiment experiment = tinyExperiment();
  experiment.model = findPublishedModel("deit_tiny")->config;
  TrainingConfig& training = experiment.training;
  training.optimizer = "sgd";
  training.schedule = "exponential";
  training.decayEpochs = 30;
  training.learningRate = 5e-4;
  training.learningRatePer = 512;
  training.batchSize = 1024;
  training.accumulate = 4;
  training.clipGradient = 0;
  training.emaDecay = 0;
  experiment.data.dataset = "cifar100";
  experiment.data.repeats = 3;
  experiment.data.interpolation = "random";
  Json args = timmArgs(experiment);
  EXPECT_EQ(args["model"], "deit_tiny_patch16_224");
  EXPECT_EQ(args["opt"], "momentum");
  EXPECT_EQ(args["sched"], "step");
  EXPECT_EQ(args["decay_epochs"], 1.0);
  EXPECT_EQ(args["lr"], 1e-3);
  EXPECT_EQ(args["batch_size"], 256);
  EXPECT_EQ(args["grad_accum_steps"], 4);
  EXPECT_TRUE(args["clip_grad"].is_null());
  EXPECT_EQ(args["model_ema"], false);
  EXPECT_EQ(args["dataset"], "torch/cifar100");
  EXPECT_EQ(args["aug_repeats"], 3.0);
  EXPECT_EQ(args["train_interpolation"], "random");
  EXPECT_EQ(args["amp"], false);
  EXPECT_FALSE(args.contains("amp_dtype"));
  training.precision = "bfloat16";
  training.nesterov = true;
  training.accumulate = 3;  // 1024 images cannot be taken in three equal parts
  experiment.model.depth = 6;
  args = timmArgs(experiment);
  EXPECT_EQ(args["amp"], true);
  EXPECT_EQ(args["amp_dtype"], "bfloat16");
  EXPECT_EQ(args["opt"], "sgd");
  training.schedule = "inverse_sqrt";
  EXPECT_EQ(timmArgs(experiment)["sched"], "none");
  EXPECT_EQ(args["batch_size"], 1024);
  EXPECT_EQ(args["grad_accum_steps"], 1);
  EXPECT_EQ(args["model"], "custom");
}

TEST(TimmArgs, OfARunOfTimmsAreNotWrittenOver) {
  TemporaryFolder folder;
  fs::create_directories(folder / "run");
  std::ofstream(folder / "run/args.yaml") << "model: resnet50\n";
  const auto session = TrainingSession::begin(tinyExperiment(), folder / "run");
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, ErrorCode::InvalidArgument);
  EXPECT_NE(session.error().text().find("choose another folder"), std::string::npos);
  EXPECT_EQ(linesOf(folder / "run/args.yaml").front(), "model: resnet50");
}

/// Images in ten classes, as many as the models of the golden files have.
fs::path tenClasses(const fs::path& folder) {
  DatasetSpec spec;
  spec.imageSize = 32;
  spec.trainSamples = 9;
  spec.validationSamples = 9;
  valueOrThrow(writeImageFolders(spec, folder));
  for (const char* split : {"train", "val"})
    fs::copy(fs::directory_iterator(folder / split)->path(), folder / split / "tenth");
  return folder;
}

using Shapes = std::map<std::string, std::vector<std::int64_t>>;

Shapes shapesIn(const fs::path& file) {
  Shapes shapes;
  for (const auto& [name, tensor] : valueOrThrow(readSafetensors(file)).tensors)
    shapes[name] = tensor.sizes().vec();
  return shapes;
}

TEST(TimmWeights, OfARunHaveTheNamesAndShapesOfTimmsOwn) {
  TemporaryFolder folder;
  const fs::path data = tenClasses(folder / "data");
  for (const std::string name : {"vit_micro", "deit_distilled_micro", "convit_micro", "cait_micro",
                                 "levit_micro", "swin_micro", "mvitv2_micro"}) {
    Experiment experiment = tinyExperiment();
    experiment.model = findPublishedModel(name)->config;
    experiment.masks = {};
    experiment.data.dataset = kImageFolder;
    experiment.data.path = data.string();
    experiment.training.epochs = 1;
    experiment.training.keepEvery = 1;
    runToEnd(*begin(experiment, folder / name));
    const Shapes timms = shapesIn(std::string(HEADLIGHT_GOLDEN_DIR "/") + name + ".safetensors");
    EXPECT_EQ(shapesIn(folder / name / "best.safetensors"), timms) << name;
    EXPECT_EQ(shapesIn(folder / name / "epoch-0001.safetensors"), timms) << name;
  }
}

}  // namespace
}  // namespace headlight
