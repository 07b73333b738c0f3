// SPDX-License-Identifier: GPL-3.0-or-later

// A detector by command: training on boxes, its scores, its maps, and what does not go together.

#include <csignal>

#include "tests/cli/Tensors.h"
#include "tests/cli/detection/DetectionRuns.h"

namespace headlight::testing {
namespace {

const std::vector<std::string> kPrecisions{"ap", "ap50", "ap75"};

void expectPrecisions(const json& event) {
  for (const std::string& score : kPrecisions) {
    ASSERT_TRUE(event.contains(score)) << event;
    EXPECT_GE(event[score].get<double>(), 0) << event;
    EXPECT_LE(event[score].get<double>(), 1) << event;
  }
  EXPECT_FALSE(event.contains("top1")) << event;
  EXPECT_FALSE(event.contains("top5")) << event;
}

TEST_F(DetectorCliTest, EventsHaveAveragePrecisionAndNoAccuracy) {
  const auto epochs = events(*s_trained, "epoch"), starts = events(*s_trained, "start");
  ASSERT_EQ(epochs.size(), 8u);
  for (const json& epoch : epochs)
    expectPrecisions(epoch);
  ASSERT_EQ(starts.size(), 1u);
  expectPrecisions(starts[0]);
  const auto steps = events(*s_trained, "step");
  ASSERT_FALSE(steps.empty());
  for (const char* loss : {"class_loss", "overlap_loss", "side_loss"})
    EXPECT_GT(steps.back()[loss].get<double>(), 0) << loss;
  const json end = s_trained->json();
  EXPECT_EQ(end["event"], "finished");
  EXPECT_EQ(end["last_ap"], epochs.back()["ap"]);
  EXPECT_EQ(end["start_ap"], starts[0]["ap"]);
  EXPECT_FALSE(end.contains("best_top1")) << end;
}

TEST_F(DetectorCliTest, TablesHaveColumnsOfAveragePrecision) {
  const std::string metrics = readBytes(s_run / "metrics.csv"),
                    summary = readBytes(s_run / "summary.csv");
  EXPECT_NE(metrics.find("validation_loss,ap,ap50,ap75,best"), std::string::npos) << metrics;
  EXPECT_NE(summary.find("eval_loss,eval_ap,eval_ap50,eval_ap75,lr"), std::string::npos) << summary;
  for (const std::string& table : {metrics, summary})
    EXPECT_EQ(table.find("top1"), std::string::npos) << table;
}

TEST_F(DetectorCliTest, EvaluateGivesTheRunsOwnPrecision) {
  const json last = events(*s_trained, "epoch").back();
  const auto outcome = run({"evaluate", "--model", m_weights, "--data.dataset", "texture-scenes",
                            "--data.validation_samples", "8", "--json"});
  expectOk(outcome);
  const json measured = outcome.json();
  expectPrecisions(measured);
  EXPECT_EQ(measured["images"], 8);
  for (const std::string& score : kPrecisions)
    EXPECT_NEAR(measured[score].get<double>(), last[score].get<double>(), 1e-9) << score;
  EXPECT_NEAR(measured["loss"].get<double>(), last["validation_loss"].get<double>(), 1e-6);
  const auto best = run({"evaluate", "--weights", s_run / "best.safetensors", "--json"});
  expectOk(best);
  EXPECT_NEAR(best.json()["ap"].get<double>(), s_trained->json()["best_ap"].get<double>(), 1e-9);
  const auto text = run({"evaluate", "--weights", m_weights});
  expectOk(text);
  EXPECT_NE(text.out.find("AP50 "), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("top-1"), std::string::npos) << text.out;
}

TEST_F(DetectorCliTest, AttendHasTheMapsOfEveryBlock) {
  const auto images = smallImages();
  const auto outcome = run({"attend", images / "val", "--weights", m_weights, "--images", "maps",
                            "-o", "maps.safetensors", "--json"});
  expectOk(outcome);
  const json results = outcome.json()["results"];
  ASSERT_FALSE(results.empty());
  EXPECT_EQ(results[0]["locality"].size(), 2u);
  for (const json& file : results[0]["files"])
    EXPECT_TRUE(fs::exists(path(file.get<std::string>()))) << file;
  const auto maps = readTensors(path("maps.safetensors"));
  const auto count = static_cast<std::int64_t>(results.size());
  EXPECT_EQ(maps.at("attention.0").shape, (std::vector<std::int64_t>{count, 4, 16, 16}));
  EXPECT_EQ(maps.at("attention.1").shape, (std::vector<std::int64_t>{count, 8, 4, 4}));
}

TEST_F(DetectorCliTest, HeadsAreMeasuredOnItsGrids) {
  const fs::path image = kGolden / "transformers/picture.png";
  const auto outcome =
      run({"heads", "--image", image, "--weights", m_weights, "--measure", "entropy", "--json"});
  expectOk(outcome);
  const json values = outcome.json()["results"][0]["measures"][0]["values"];
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0].size(), 4u);
  EXPECT_EQ(values[1].size(), 8u);
}

TEST_F(DetectionCliTest, StoppedItGoesOnToTheSameWeights) {
  json config = detectorTraining();
  config["training"]["epochs"] = 10;
  config["training"]["ema_decay"] = 0.9;
  config["training"]["ema_warmup"] = true;
  expectOk(trained(config, "whole"));
  const auto expected = readTensors(path("whole/last.safetensors"));
  Program program(HEADLIGHT_CLI, {"train", write("again.json", config), "--run", "run", "--json"},
                  options());
  ASSERT_TRUE(program.waitForLine([](const std::string& line) {
    const json event = json::parse(line, nullptr, false);
    return event.is_object() && event.value("event", "") == "step" && event["step"] >= 5;
  }));
  program.send(SIGINT);
  ASSERT_EQ(program.finish().exitCode, 130);
  expectOk(run({"train", "--resume", "run"}));
  const auto last = readTensors(path("run/last.safetensors"));
  ASSERT_EQ(last.size(), expected.size());
  for (const auto& [name, tensor] : expected)
    EXPECT_EQ(last.at(name), tensor) << name;
}

TEST_F(DetectionCliTest, DataAndBackboneMustHaveOneTask) {
  const auto expectRefused = [&](json config, const std::string& dataset,
                                 const std::vector<std::string>& words) {
    config["data"]["dataset"] = dataset;
    expectError(run({"train", write("config.json", config), "--run", "run"}), 2, words);
  };
  expectRefused(detectorTraining(), "texture-shape", {"data.dataset", "lcnet_vit learns boxes"});
  expectRefused(tinyTraining(), "texture-scenes", {"data.dataset", "texture-scenes has boxes"});
  EXPECT_FALSE(fs::exists(path("run")));
}

TEST_F(DetectionCliTest, WhatBoxesCannotHaveIsRefusedByName) {
  const auto expectRefused = [&](const std::string& option, const std::string& value) {
    expectError(run({"train", write("detector.json", detectorTraining()), "--run", "run",
                     "--" + option, value}),
                2, {option});
  };
  expectRefused("training.mixup_alpha", "0.8");
  expectRefused("training.cutmix_alpha", "1");
  expectRefused("data.rand_augment", "rand-m9-mstd0.5-inc1");
  expectRefused("data.erasing", "0.25");
  expectRefused("data.repeats", "3");
  expectRefused("model.image_size", "72");
  expectRefused("model.layout.size", "xl");
}

TEST_F(DetectorCliTest, WhatMeasuresClassesIsRefused) {
  expectError(run({"evaluate", "--weights", m_weights, "--data.dataset", "texture-shape"}), 2,
              {"detector", "average precision"});
  expectError(run({"evaluate", "--weights", m_weights, "--classes"}), 2,
              {"detector", "average precision"});
  expectError(run({"evaluate", "--weights", m_weights, "--beside", "none"}), 2, {"detector"});
  expectError(run({"evaluate", "--model", microConfig(), "--weights",
                   kGolden / "vit_micro.safetensors", "--data.dataset", "texture-scenes"}),
              2, {"data.dataset", "boxes"});
}

TEST_F(DetectionCliTest, AnEmptyAuxiliaryBranchIsFreeToDrop) {
  json config = detectorTraining();
  config["model"]["mechanism"] = "linear_angular";
  config["model"]["attention"] = {{"epsilon", 1.0}};
  config["training"]["epochs"] = 1;
  expectOk(trained(config, "run"));
  const auto report =
      run({"evaluate", "--weights", "run/last.safetensors", "--drop-branch", "--json"});
  expectOk(report);
  for (const char* which : {"with", "castled"}) {
    expectPrecisions(report.json()[which]);
    EXPECT_EQ(report.json()[which]["images"], 8);
  }
  EXPECT_TRUE(report.json()["free"].get<bool>());
  const auto converted = run({"convert", "run/last.safetensors", "without.safetensors",
                              "--drop-branch", "--samples", "0", "--json"});
  expectOk(converted);
  EXPECT_EQ(converted.json()["castling"]["with"]["ap"], report.json()["with"]["ap"]);
  const auto plain = run({"evaluate", "--weights", "without.safetensors", "--json"});
  expectOk(plain);
  EXPECT_EQ(plain.json()["ap"], report.json()["castled"]["ap"]);
}

TEST_F(DetectionCliTest, SummaryMeetsThePaper) {
  const auto parametersOf = [&](const std::string& name) {
    const auto outcome = run({"summary", name, "--json"});
    expectOk(outcome);
    return outcome.json()[0]["parameters"].get<double>() / 1e6;
  };
  for (const auto& [name, millions] :
       {std::pair{"lcnet_vit_s_320", 2.14}, std::pair{"castling_lcnet_vit_m_416", 7.53},
        std::pair{"castling_lcnet_vit_l_416", 13.10}, std::pair{"castling_esnet_vit_s_320", 3.25},
        std::pair{"castling_esnet_vit_l_416", 9.32}})
    EXPECT_NEAR(parametersOf(name) / millions, 1, 0.005) << name;
}

}  // namespace
}  // namespace headlight::testing
