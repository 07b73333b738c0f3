// SPDX-License-Identifier: GPL-3.0-or-later

// Small files and configs that ask for models far larger than what they hold or the machine does.

#include <sys/resource.h>

#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

constexpr std::int64_t kSmall = 1'000'000'000;  ///< bytes of a program that has made no such model

class BombTest : public CliTest {
 protected:
  /// vit_micro with its Experiment, which then claims three thousand million parameters.
  fs::path bomb() const {
    expectOk(run({"convert", kGolden / "vit_micro.safetensors", "whole.safetensors", "--model",
                  microConfig()}));
    const std::string bytes = readBytes(path("whole.safetensors"));
    std::uint64_t size = 0;
    std::copy_n(bytes.data(), 8, reinterpret_cast<char*>(&size));
    json header = json::parse(bytes.substr(8, size));
    json experiment = json::parse(header["__metadata__"]["experiment"].get<std::string>());
    experiment["model"].update({{"width", 4096}, {"depth", 16}, {"heads", 8}});
    header["__metadata__"]["experiment"] = experiment.dump();
    header["__metadata__"].erase("masks");
    return write("bomb.safetensors", fileWithHeader(header.dump(), bytes.substr(8 + size)));
  }
  void expectDefused(const Arguments& arguments) const {
    SCOPED_TRACE(arguments.front());
    const auto outcome = run(arguments);
    EXPECT_EQ(outcome.exitCode == 2 || outcome.exitCode == 3, true) << outcome.exitCode;
    EXPECT_NE(outcome.err.find("holds only"), std::string::npos) << outcome.err;
    EXPECT_LT(outcome.peakBytes, kSmall);
  }
};

TEST_F(BombTest, AModelThatItsFileDoesNotHoldIsNeverMade) {
  const fs::path file = bomb(), io = kGolden / "vit_micro.io.safetensors";
  expectError(run({"predict", "--weights", file, "--tensor", io}), 3,
              {"bomb.safetensors", "holds only", "parameters"});
  for (const Arguments& open : {Arguments{"--weights", file}, Arguments{"--model", file},
                                Arguments{"--weights", file, "--partial"}}) {
    Arguments arguments{"predict", "--tensor", io};
    arguments.insert(arguments.end(), open.begin(), open.end());
    expectDefused(arguments);
  }
  const fs::path own = kGolden / "vit_micro.safetensors";
  expectDefused({"attend", "--weights", file, "--tensor", io, "--output", "o.safetensors"});
  expectDefused({"evaluate", "--weights", file, "--data.dataset", "texture-shape"});
  expectDefused({"summary", file});
  expectDefused({"inspect", own, "--against", file});
  expectDefused({"convert", own, "o.safetensors", "--model", file});
  expectDefused({"train", "--model", file, "--data.dataset", "texture-shape", "--run", "run"});
  json training = tinyTraining();
  training["training"].update({{"distillation", "soft"}, {"teacher", file.string()}});
  expectDefused({"train", write("train.json", training), "--run", "run"});
  expectOk(run({"inspect", file}));  // what is in it can be looked at
}

TEST_F(BombTest, AConfigsModelIsComparedWithTheFileThatIsGivenForIt) {
  const json model = {{"image_size", 32}, {"patch_size", 4}, {"width", 4096},
                      {"depth", 16},      {"heads", 8},      {"classes", 10}};
  const auto config = write("large.json", json{{"model", model}});
  expectDefused({"predict", "--model", config, "--weights", kGolden / "vit_micro.safetensors",
                 "--tensor", kGolden / "vit_micro.io.safetensors"});
  expectDefused({"convert", kGolden / "vit_micro.safetensors", "o.safetensors", "--model", config});
}

/// A million names of twenty kilobytes each.
TEST_F(BombTest, APatternOfShardsIsCountedBeforeItIsExpanded) {
  json training = tinyTraining();
  std::string pattern = "/x/{0..999999}";
  for (int i = 0; i < 20'000; ++i)
    pattern += "{a}";
  training["data"].update({{"dataset", "webdataset"}, {"path", pattern + ".tar"}});
  const auto outcome = run({"train", write("train.json", training), "--run", "run"});
  expectError(outcome, 2, {"data.path", "20010 bytes", "at most 255"});
  EXPECT_LT(outcome.peakBytes, kSmall);
}

#if !defined(__SANITIZE_ADDRESS__)  // which reserves terabytes
TEST_F(BombTest, AModelLargerThanTheFreeMemoryIsRefusedWithItsSize) {
  const json model = {
      {"image_size", 32}, {"patch_size", 4}, {"width", 4096}, {"depth", 16}, {"heads", 8}};
  const auto config = write("large.json", json{{"model", model}});
  auto limited = options();
  limited.inChild = [] {
    const rlimit limit{rlim_t{8} << 30, rlim_t{8} << 30};
    ::setrlimit(RLIMIT_AS, &limit);
  };
  for (const Arguments& arguments :
       {Arguments{"predict", "--model", config, "--tensor", kGolden / "vit_micro.io.safetensors"},
        Arguments{"summary", config, "--kernels"},
        Arguments{"inspect", kGolden / "vit_micro.safetensors", "--against", config},
        Arguments{"train", config, "--data.dataset", "texture-shape", "--run", "run"}}) {
    const auto outcome = cli(arguments, limited);
    expectError(outcome, 5, {"million parameters", "12.9 GB", "free"});
    EXPECT_LT(outcome.peakBytes, kSmall);
  }
  expectOk(cli({"summary", config}, limited));  // counting allocates nothing
}
#endif

}  // namespace
}  // namespace headlight::testing
