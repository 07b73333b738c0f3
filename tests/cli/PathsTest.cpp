// SPDX-License-Identifier: GPL-3.0-or-later

// Files as they are found: by their content, whatever they are called; links that lead nowhere and
// keys that stand twice are said in words.

#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using PathsCliTest = CliTest;

TEST_F(PathsCliTest, LinksInACircleAreSaidInWords) {
  fs::create_symlink("loop", path("loop"));
  fs::create_symlink("loop.json", path("loop.json"));
  const std::string weights = kGolden / "vit_micro.safetensors", model = microConfig();
  const std::string tensor = kGolden / "vit_micro.io.safetensors";
  for (const Arguments& arguments :
       {Arguments{"inspect", "loop"}, Arguments{"convert", "loop", "out"},
        Arguments{"predict", "loop", "--model", model, "--weights", weights},
        Arguments{"predict", "--tensor", "loop", "--model", model, "--weights", weights},
        Arguments{"predict", "--tensor", tensor, "--model", "loop", "--weights", weights},
        Arguments{"predict", "--tensor", tensor, "--model", "loop.json", "--weights", weights},
        Arguments{"predict", "--tensor", tensor, "--model", model, "--weights", weights, "--masks",
                  "loop"},
        Arguments{"summary", "loop"}, Arguments{"train", "loop.json"},
        Arguments{"train", "--model", "loop"},
        Arguments{"preprocess", "loop", "-m", model, "-o", "x"},
        Arguments{"evaluate", "--model", "loop", "--weights", weights},
        Arguments{"inspect", weights, "--model", "loop/inside"}}) {
    const auto outcome = run(arguments);
    expectError(outcome, 3, {"loop"});
    EXPECT_EQ(outcome.err.find("filesystem error"), std::string::npos) << outcome.err;
  }
}

TEST_F(PathsCliTest, AConfigIsAConfigByItsContent) {
  const std::string tensor = kGolden / "vit_micro.io.safetensors";
  fs::copy_file(microConfig(), path("config"));
  fs::copy_file(microConfig(), path("config.pth"));
  fs::copy_file(kGolden / "vit_micro.safetensors", path("weights.json"));
  for (const char* config : {"config", "config.pth"}) {
    expectOk(run({"predict", "--tensor", tensor, "--model", config, "--weights", "weights.json"}));
    expectOk(run({"summary", config}));
    expectOk(run({"inspect", "weights.json", "--against", config}));
  }
  expectOk(run({"convert", "weights.json", "whole.json", "--model", "config"}));
  expectOk(run({"predict", "--tensor", tensor, "--model", "whole.json"}));
  // What is neither is what its name says.
  expectError(run({"summary", write("text.json", std::string("hello"))}), 2, {"text.json", "JSON"});
}

TEST_F(PathsCliTest, AKeyThatStandsTwiceIsNamed) {
  const auto expectTwice = [&](const Outcome& outcome, const std::string& key) {
    expectError(outcome, outcome.exitCode, {"the key " + key + " twice"});
    EXPECT_TRUE(outcome.exitCode == 2 || outcome.exitCode == 3) << outcome.exitCode;
  };
  const auto config = write("c.json", std::string(R"({"training": {"epochs": 1, "epochs": 2}})"));
  expectTwice(run({"train", config, "--run", "run"}), "training.epochs");
  expectTwice(run({"train", config, "--run", "run", "--seed", "1"}), "training.epochs");
  expectTwice(run({"summary", config}), "training.epochs");
  expectTwice(
      run({"sequence", "train",
           write("s.json", std::string(R"({"task": "sequence", "task": "x"})")), "--run", "run"}),
      "task");
  expectTwice(run({"sweep", write("w.json", std::string(R"({"base": {}, "base": {}})")), "--output",
                   "out"}),
              "base");
  const std::string weights = kGolden / "vit_micro.safetensors";
  const Arguments predict{"predict", "--tensor", kGolden / "vit_micro.io.safetensors"};
  auto masked = predict;
  for (const std::string& more : {std::string("--model"), microConfig().string(),
                                  std::string("--weights"), weights, std::string("--masks")})
    masked.push_back(more);
  masked.push_back(write("m.json", std::string(R"({"scheme": "sch1", "scheme": "sch2"})")));
  expectTwice(run(masked), "scheme");
  expectOk(run({"convert", weights, "whole.safetensors", "--model", microConfig()}));
  setMetadata(path("whole.safetensors"), "masks", R"({"scheme": "sch1", "scheme": "sch2"})");
  auto whole = predict;
  whole.insert(whole.end(), {"--weights", "whole.safetensors"});
  expectTwice(run(whole), "scheme");
}

}  // namespace
}  // namespace headlight::testing
