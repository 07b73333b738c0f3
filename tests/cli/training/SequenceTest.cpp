// SPDX-License-Identifier: GPL-3.0-or-later

// `headlight-cli sequence` as a user runs it.

#include <csignal>
#include <sstream>

#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class SequenceCliTest : public CliTest {
 protected:
  fs::path text() const {
    std::string bytes;
    for (int i = 0; i < 60; ++i)
      bytes += "the dog.";
    return write("text", bytes);
  }

  /// A training of a second on text.
  fs::path textConfig(int steps = 12) const {
    return write("text.json",
                 json{{"name", "tiny"},
                      {"seed", 3},
                      {"device", "cpu"},
                      {"threads", 1},
                      {"data", {{"kind", "text"}, {"path", text().string()}}},
                      {"model", {{"width", 16}, {"depth", 2}, {"length", 24}, {"rank", 4}}},
                      {"training",
                       {{"steps", steps},
                        {"batch_size", 4},
                        {"warmup_steps", 2},
                        {"evaluate_steps", 6},
                        {"evaluate_samples", 2},
                        {"checkpoint_steps", 1000}}}});
  }

  /// By flags alone: images of texture-shape, 6 pixels a side.
  Arguments imageTraining(const std::string& run) const {
    return {"sequence",
            "train",
            "--run",
            run,
            "--device",
            "cpu",
            "--threads",
            "1",
            "--data.image_size",
            "6",
            "--data.train_samples",
            "18",
            "--data.validation_samples",
            "9",
            "--model.width",
            "12",
            "--model.depth",
            "1",
            "--training.steps",
            "4",
            "--training.batch_size",
            "2"};
  }

  static std::vector<json> eventsOf(const Outcome& outcome, const std::string& kind) {
    std::vector<json> events;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
      const json event = json::parse(line);
      if (event["event"] == kind) events.push_back(event);
    }
    return events;
  }
};

TEST_F(SequenceCliTest, TextIsTrainedMeasuredAndContinued) {
  const auto trained = run({"sequence", "train", textConfig(), "--run", "run", "--json"});
  expectOk(trained);
  EXPECT_EQ(trained.out.rfind(R"({"event":"begin")", 0), 0u) << trained.out;
  EXPECT_EQ(eventsOf(trained, "step").size(), 12u);
  EXPECT_EQ(eventsOf(trained, "validation").size(), 2u);
  const auto end = trained.json();
  EXPECT_EQ(end["event"], "finished");
  EXPECT_EQ(end["unit"], "bits/char");
  for (const char* file :
       {"config.json", "metrics.csv", "metrics.jsonl", "last.safetensors", "best.safetensors"})
    EXPECT_TRUE(fs::exists(path("run") / file)) << file;

  const auto evaluated = run({"sequence", "evaluate", "run", "--samples", "2", "--json"});
  expectOk(evaluated);
  EXPECT_NEAR(evaluated.json()["bits"].get<double>(), end["best_bits"].get<double>(), 1e-4);
  EXPECT_EQ(evaluated.json()["bytes"], 24);  // 5 % of 480
  const auto tested = run({"sequence", "evaluate", "run/best.safetensors", "--split", "test"});
  expectOk(tested);
  EXPECT_NE(tested.out.find("bits/char"), std::string::npos) << tested.out;
  const auto other = write("other", std::string(400, 'q'));
  const auto elsewhere = run({"sequence", "evaluate", "run", "--data.path", other, "--json"});
  expectOk(elsewhere);
  EXPECT_EQ(elsewhere.json()["bytes"], 20);

  const Arguments proceed{"sequence", "continue", "run", "--prompt", "the ", "--bytes", "40"};
  Arguments asJson = proceed;
  asJson.push_back("--json");
  const auto first = run(asJson), again = run(asJson);
  expectOk(first);
  EXPECT_EQ(first.json()["bytes"], 40);
  EXPECT_EQ(first.json(), again.json());
  const auto plain = run(proceed);
  expectOk(plain);
  EXPECT_EQ(plain.out.rfind("the ", 0), 0u);
  EXPECT_EQ(plain.out.size(), 4u + 40u + 1u);
}

TEST_F(SequenceCliTest, ImagesAreCompleted) {
  expectOk(run(imageTraining("run")));
  const auto images = smallImages() / "val";
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(images))
    if (entry.is_regular_file() && files.size() < 2) files.push_back(entry.path().string());
  ASSERT_EQ(files.size(), 2u);
  const Arguments complete{"sequence", "complete", "run",       files[0], files[1],
                           "--output", "out",      "--samples", "2",      "--scale",
                           "2",        "--seed",   "5",         "--json"};
  const auto outcome = run(complete);
  expectOk(outcome);
  const auto results = outcome.json()["results"];
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0]["kept_rows"], 3);
  std::vector<std::string> before;
  for (const auto& result : results) {
    before.push_back(readBytes(path(result["file"])));
    EXPECT_EQ(before.back().substr(1, 3), "PNG");
    // Its width, big-endian: four tiles of 6 and three gaps of 1, twice as large.
    EXPECT_EQ(static_cast<int>(before.back()[19]), (4 * 6 + 3) * 2);
  }
  expectOk(run(complete));
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(readBytes(path(results[i]["file"])), before[i]);

  write("damaged.png", std::string("not an image"));
  const auto mixed =
      run({"sequence", "complete", "run", "damaged.png", files[0], "-o", "out2", "--samples", "1"});
  expectError(mixed, 3, {"damaged.png"});
  EXPECT_EQ(std::distance(fs::directory_iterator(path("out2")), fs::directory_iterator()), 1);
}

TEST_F(SequenceCliTest, CtrlCWritesACheckpointAndItGoesOnToTheSameWeights) {
  const auto config = textConfig(400);
  expectOk(run({"sequence", "train", config, "--run", "whole"}));
  Program program(HEADLIGHT_CLI, {"sequence", "train", config, "--run", "run", "--json"},
                  options());
  ASSERT_TRUE(program.waitForLine([](const std::string& line) {
    const json event = json::parse(line, nullptr, false);
    return event.is_object() && event.value("event", "") == "step" && event["step"] >= 5;
  }));
  program.send(SIGINT);
  const auto stopped = program.finish();
  EXPECT_EQ(stopped.exitCode, 130) << stopped.err;
  EXPECT_EQ(stopped.json()["event"], "stopped");
  EXPECT_LT(stopped.json()["steps"].get<int>(), 400);
  EXPECT_NE(stopped.err.find("--resume"), std::string::npos);
  // Without a config: the run has its own.
  expectOk(run({"sequence", "train", "--run", "run", "--resume"}));
  EXPECT_EQ(readTensors(path("run/last.safetensors")), readTensors(path("whole/last.safetensors")));
  expectOk(run({"sequence", "train", config, "--run", "run", "--resume"}));  // nothing left to do
  expectError(run({"sequence", "train", config, "--run", "run"}), 2, {"already contains a run"});
  expectError(
      run({"sequence", "train", config, "--run", "run", "--resume", "--training.steps", "9"}), 2,
      {"training.steps"});
}

TEST_F(SequenceCliTest, ATransformerDoesWhatAnAftDoes) {
  const Arguments softmax{"--model.mechanism", "softmax", "--model.heads", "2"};
  Arguments train{"sequence", "train", textConfig(), "--run", "run", "--json"};
  train.insert(train.end(), softmax.begin(), softmax.end());
  const auto trained = run(train);
  expectOk(trained);
  for (const char* kind : {"step", "validation"})
    for (const auto& event : eventsOf(trained, kind)) {
      EXPECT_GT(event["steps_per_second"].get<double>(), 0) << event;
      EXPECT_GT(event["peak_bytes"].get<double>(), 1e6) << event;
    }
  const auto tensors = readTensors(path("run/best.safetensors"));
  EXPECT_TRUE(tensors.contains("blocks.1.attn.qkv.weight"));
  const auto evaluated = run({"sequence", "evaluate", "run", "--samples", "2", "--json"});
  expectOk(evaluated);
  EXPECT_NEAR(evaluated.json()["bits"].get<double>(), trained.json()["best_bits"].get<double>(),
              1e-4);
  const auto continued =
      run({"sequence", "continue", "run", "--prompt", "the ", "--bytes", "60", "--json"});
  expectOk(continued);  // longer than T: it goes on from half of it
  EXPECT_EQ(continued.json()["bytes"], 60);
  // Without --json: the pace stands in the line of each validation.
  Arguments plain{"sequence", "train", textConfig(), "--run", "other"};
  plain.insert(plain.end(), softmax.begin(), softmax.end());
  const auto reported = run(plain);
  expectOk(reported);
  EXPECT_NE(reported.out.find(" steps/s"), std::string::npos) << reported.out;
  EXPECT_NE(reported.out.find(" MB"), std::string::npos) << reported.out;
  // Heads that do not divide the width.
  expectError(run({"sequence", "train", textConfig(), "--run", "r", "--model.mechanism", "softmax",
                   "--model.heads", "3"}),
              2, {"model.heads", "16"});
  EXPECT_FALSE(fs::exists(path("r")));
}

TEST_F(SequenceCliTest, MapsAreDrawnAndWritten) {
  expectOk(
      run({"sequence", "train", textConfig(), "--run", "run", "--model.mechanism", "softmax"}));
  const auto outcome = run({"sequence", "attend", "run", "--text", "the dog", "--output",
                            "maps.safetensors", "--images", "maps", "--tile", "32", "--json"});
  expectOk(outcome);
  EXPECT_EQ(outcome.json()["heads"], 4);
  EXPECT_EQ(outcome.json()["length"], 7);
  EXPECT_NE(outcome.json()["map"].get<std::string>().find("Softmax"), std::string::npos);
  ASSERT_EQ(outcome.json()["files"].size(), 2u);
  EXPECT_EQ(readBytes(path("maps/attention-layer1.png")).substr(1, 3), "PNG");
  const auto maps = readTensors(path("maps.safetensors"));
  EXPECT_EQ(maps.size(), 2u);
  EXPECT_TRUE(maps.contains("attention.0"));
  const auto one = run({"sequence", "attend", "run", "--text", "the dog", "--layer", "1",
                        "--output", "one.safetensors"});
  expectOk(one);
  EXPECT_EQ(readTensors(path("one.safetensors")).at("attention.1"), maps.at("attention.1"));
  expectError(run({"sequence", "attend", "run", "--text", "a", "--layer", "2", "-o", "m"}), 2,
              {"layer", "2 layers"});
  expectError(run({"sequence", "attend", "run", "--output", "m"}), 2, {"--text"});
  expectError(run({"sequence", "attend", "run", "--text", "a"}), 2, {"--images", "--output"});
  expectError(run({"sequence", "attend", "run", "--text", "a", "-o", "m", "--colormap", "pink"}), 2,
              {"--colormap", "pink"});
  // Of images, by AFT.
  expectOk(run(imageTraining("drawn")));
  std::string image;
  for (const auto& entry : fs::recursive_directory_iterator(smallImages() / "val"))
    if (entry.is_regular_file()) image = entry.path().string();
  const auto aft = run({"sequence", "attend", "drawn", image, "--images", "aft", "--json"});
  expectOk(aft);
  EXPECT_EQ(aft.json()["heads"], 1);
  EXPECT_EQ(aft.json()["length"], 6 * 6 * 3);
  EXPECT_NE(aft.json()["map"].get<std::string>().find("Eq. 3"), std::string::npos);
  expectError(run({"sequence", "attend", "drawn", "--text", "a", "-o", "m"}), 2, {"image model"});
}

TEST_F(SequenceCliTest, AConvolutionIsTrainedGrownAndSeen) {
  const Arguments conv{"--model.mechanism", "aft_conv", "--model.heads", "2",
                       "--model.window",    "5"};
  Arguments train{"sequence", "train", textConfig().string(), "--run", "run"};
  train.insert(train.end(), conv.begin(), conv.end());
  expectOk(run(train));
  const auto weights = readTensors(path("run/best.safetensors"));
  EXPECT_EQ(weights.at("blocks.1.attn.position_bias").floats().size(), 2u * 5u);
  EXPECT_EQ(weights.at("blocks.1.attn.k.weight").floats().size(), 2u * 16u);
  Arguments count{"sequence", "summary", textConfig().string(), "--json"};
  count.insert(count.end(), conv.begin(), conv.end());
  std::int64_t numbers = 0;
  for (const auto& [name, tensor] : weights)
    numbers += static_cast<std::int64_t>(tensor.floats().size());
  EXPECT_EQ(run(count).json()["parameters"], numbers);
  const Arguments proceed{"sequence", "continue", "run", "--bytes", "40", "--json"};
  const auto first = run(proceed);
  expectOk(first);
  EXPECT_EQ(first.json()["bytes"], 40);
  EXPECT_EQ(first.json(), run(proceed).json());
  const auto seen = run({"sequence", "attend", "run", "--text", "the dog", "--output",
                         "maps.safetensors", "--images", "maps", "--json"});
  expectOk(seen);
  EXPECT_EQ(seen.json()["heads"], 2);
  EXPECT_EQ(seen.json()["taps"], 5);
  EXPECT_NE(seen.json()["map"].get<std::string>().find("AFT-conv"), std::string::npos);
  const auto maps = readTensors(path("maps.safetensors"));
  EXPECT_EQ(maps.at("attention.0").floats().size(), 2u * 7u * 7u);
  EXPECT_EQ(maps.at("filter.1").floats().size(), 2u * 5u);
  EXPECT_TRUE(fs::exists(path("maps/attention-layer1.png")));
  Arguments none{"sequence", "train", textConfig().string(), "--run", "none"};
  none.insert(none.end(), {"--model.mechanism", "aft_conv", "--model.window", "0"});
  expectError(run(none), 2, {"model.window", "at least 1", "aft_simple"});
}

TEST_F(SequenceCliTest, ASummaryCountsWhatAModelCosts) {
  const auto of = [&](const std::string& mechanism) {
    const auto outcome = run({"sequence", "summary", textConfig(), "--model.mechanism", mechanism,
                              "--model.heads", "2", "--json"});
    expectOk(outcome);
    return outcome.json();
  };
  const auto softmax = of("softmax"), simple = of("aft_simple");
  // T = 24, D = 16, two blocks: QKᵀ and AV beside what AFT-simple has.
  EXPECT_EQ(softmax["macs"].get<int>() - simple["macs"].get<int>(), 2 * 2 * 24 * 24 * 16);
  EXPECT_EQ(softmax["parameters"], simple["parameters"]);
  expectOk(
      run({"sequence", "train", textConfig(), "--run", "run", "--model.mechanism", "aft_simple"}));
  std::int64_t numbers = 0;
  for (const auto& [name, tensor] : readTensors(path("run/best.safetensors")))
    numbers += static_cast<std::int64_t>(tensor.floats().size());
  EXPECT_EQ(simple["parameters"], numbers);
  const auto text = run({"sequence", "summary", "run", "--layers"});
  expectOk(text);
  EXPECT_NE(text.out.find("blocks.1.attn.k"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("MACs"), std::string::npos);
  expectError(run({"sequence", "summary"}), 2, {"CONFIG"});
  expectError(run({"sequence", "summary", "nowhere"}), 3, {"nowhere"});
}

TEST_F(SequenceCliTest, ARunBeginsWithTheWeightsOfAnother) {
  expectOk(
      run({"sequence", "train", textConfig(), "--run", "first", "--training.ema_decay", "0.9"}));
  expectOk(run({"sequence", "train", textConfig(), "--run", "second", "--training.weights", "first",
                "--training.steps", "2"}));
  const json config = json::parse(readBytes(path("second/config.json")));
  EXPECT_EQ(config["training"]["weights"], fs::weakly_canonical(path("first")).string());
  expectError(run({"sequence", "train", textConfig(), "--run", "third", "--training.weights",
                   "first", "--model.depth", "3"}),
              3, {"blocks.2.", "missing", "training.weights"});
  EXPECT_FALSE(fs::exists(path("third")));
  expectError(
      run({"sequence", "train", textConfig(), "--run", "third", "--training.weights", "nowhere"}),
      3, {"nowhere"});
}

TEST_F(SequenceCliTest, CtrlCPrintsWhatWasDrawn) {
  expectOk(run({"sequence", "train", textConfig(), "--run", "run"}));
  for (const bool asJson : {false, true}) {
    Arguments proceed{"sequence", "continue", "run", "--prompt", "the ", "--bytes", "1000000"};
    if (asJson) proceed.push_back("--json");
    ProgramOptions atTerminal = options();
    atTerminal.terminal = true;  // where progress is shown
    Program program(HEADLIGHT_CLI, proceed, atTerminal);
    ASSERT_TRUE(program.waitForError("continuing"));
    program.send(SIGINT);
    const auto stopped = program.finish();
    EXPECT_EQ(stopped.exitCode, 130) << stopped.err;
    if (asJson) {  // half of an object would pass for the whole
      EXPECT_EQ(stopped.out, "");
    } else {
      EXPECT_EQ(stopped.out.substr(0, 4), "the ");
      EXPECT_GT(stopped.out.size(), 5u);  // more than the prompt and an end of line
    }
  }
}

TEST_F(SequenceCliTest, FlagsMendAConfigThatIsNotValidWithoutThem) {
  json config = json::parse(readBytes(textConfig()));
  config["training"]["steps"] = 0;
  const auto wrong = write("wrong.json", config);
  expectError(run({"sequence", "train", wrong, "--run", "run"}), 2,
              {"wrong.json", "training.steps"});
  expectOk(run({"sequence", "train", wrong, "--run", "run", "--training.steps", "2"}));
  const auto list = write("list.json", json::array({1}));
  expectError(run({"sequence", "train", list, "--run", "other", "--training.steps", "2"}), 2,
              {"list.json"});
}

TEST_F(SequenceCliTest, WrongCommandLinesNameTheRemedy) {
  expectError(run({"sequence"}), 2, {"train, evaluate, complete"});
  expectError(run({"sequence", "trian"}), 2, {"trian", "\"train\""});
  expectError(run({"sequence", "train"}), 2, {"--run"});
  expectError(run({"sequence", "train", "--run", "r"}), 2, {"CONFIG"});
  expectError(run({"sequence", "train", textConfig(), "--run", "r", "--training.step", "5"}), 2,
              {"--training.step", "--training.steps"});
  expectError(run({"sequence", "train", textConfig(), "--run", "r", "--training.steps", "0"}), 2,
              {"training.steps"});
  expectError(run({"sequence", "evaluate"}), 2, {"RUN"});
  expectError(run({"sequence", "complete", "r", "x.png"}), 2, {"--output"});
  expectError(run({"sequence", "continue", "nowhere"}), 3, {"nowhere"});
  EXPECT_FALSE(fs::exists(path("r")));
  for (const char* command : {"train", "evaluate", "complete", "continue", "attend", "summary"}) {
    const auto help = run({"sequence", command, "--help"});
    expectOk(help);
    EXPECT_NE(help.out.find("--json"), std::string::npos) << command;
  }
}

TEST_F(SequenceCliTest, WrongInputsSayWhatTheyAre) {
  write("empty", std::string());
  expectError(run({"sequence", "train", textConfig(), "--run", "r", "--data.path", "empty"}), 3,
              {"empty", "at least 27 bytes"});
  const auto refused =
      run({"sequence", "train", textConfig(), "--run", "r", "--data.path", "empty", "--json"});
  EXPECT_EQ(refused.exitCode, 3);
  EXPECT_EQ(refused.out, "") << "what is refused has not begun";
  const auto wrong = write("wrong.json", json{{"model", {{"widht", 3}}}});
  expectError(run({"sequence", "train", wrong, "--run", "r"}), 2,
              {"wrong.json", "model.widht", "\"width\""});
  expectError(run({"sequence", "train", microConfig(), "--run", "r"}), 2, {"micro.json"});
  EXPECT_FALSE(fs::exists(path("r")));

  expectOk(run(imageTraining("run")));
  expectError(run({"predict", "x.png", "--model", "run/best.safetensors"}), 3,
              {"sequence model", "headlight-cli sequence"});
  expectError(run({"train", "--resume", "run"}), 3, {"sequence model"});
  expectError(run({"sequence", "continue", "run", "--prompt", "a"}), 2, {"image model"});
  expectError(run({"sequence", "evaluate", "run", "--split", "test"}), 2, {"test split"});
  expectError(run({"sequence", "evaluate", "run", "--split", "tset"}), 2, {"tset"});
  expectError(run({"sequence", "evaluate", kGolden / "vit_micro.safetensors"}), 3,
              {"vit_micro.safetensors", "sequence model"});
}

}  // namespace
}  // namespace headlight::testing
