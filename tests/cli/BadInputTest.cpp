// SPDX-License-Identifier: GPL-3.0-or-later

// Files that are damaged or lie: a message that says what, where and what to do; never a crash.

#include "core/imaging/codecs/Image.h"
#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

class BadInputCliTest : public CliTest {
 protected:
  Outcome train(const nlohmann::json& config) const {
    return run({"train", write("config.json", config), "--run", "run"});
  }
  Outcome predictTensor(const std::string& file) const {
    return run({"predict", "--model", microConfig(), "--weights", kGolden / "vit_micro.safetensors",
                "--tensor", file});
  }
  Outcome predictImage(const fs::path& file) const {
    return run({"predict", file, "--model", microConfig(), "--weights",
                kGolden / "vit_micro.safetensors"});
  }
  Outcome inspect(const std::string& bytes) const {
    return run({"inspect", write("file.safetensors", bytes)});
  }
};

TEST_F(BadInputCliTest, ConfigsAreRefusedByTheirJsonPath) {
  auto config = tinyTraining();
  config["training"]["epoch"] = 3;
  expectError(train(config), 2, {"config.json", "training.epoch", "\"epochs\""});
  config = tinyTraining();
  config["training"]["epochs"] = "many";
  expectError(train(config), 2, {"training.epochs", "whole number", "many"});
  config = tinyTraining();
  config["model"]["heads"] = 3;
  expectError(train(config), 2, {"model.heads", "3 heads do not divide the width 16"});
  config = tinyTraining();
  config["masks"] = {{"scheme", "mine"}, {"cells", {{"none"}, {"none"}, {"hard:3"}}}};
  expectError(train(config), 2, {"masks.cells[2]", "2 layers"});
  config["masks"] = {{"scheme", "mine"}, {"cells", {{"none", "none", "hard:3"}}}};
  expectError(train(config), 2, {"masks.cells[0]", "2 heads"});
  config = tinyTraining();
  config["edits"] = {{{"step", 1}, {"changes", {{{"layer", 7}, {"head", 0}, {"to", "hard:3"}}}}}};
  expectError(train(config), 2, {"edits[0]"});
  config = tinyTraining();
  config["schema"] = 99;
  expectError(train(config), 2, {"schema", "newer"});
  EXPECT_FALSE(fs::exists(path("run")));
}

TEST_F(BadInputCliTest, TextThatIsNoConfigIsRefused) {
  expectError(run({"train", write("config.json", std::string("{\"seed\": ")), "--run", "run"}), 2,
              {"config.json", "JSON"});
  expectError(run({"train", write("list.json", std::string("[1]")), "--run", "run"}), 2,
              {"list.json"});
  expectError(run({"train", write("zero.json", std::string())}), 2, {"zero.json"});
  expectError(run({"train", "nowhere.json"}), 3, {"nowhere.json"});
  const std::string deep = "{\"a\":" + std::string(100000, '[') + std::string(100000, ']') + "}";
  expectError(run({"train", write("deep.json", deep)}), 2, {"64 levels"});
  // Given flags, it is parsed, changed and checked as one.
  expectError(run({"train", write("deep.json", deep), "--seed", "1"}), 2, {"64 levels"});
}

TEST_F(BadInputCliTest, MaskFilesForAnotherModelAreRefused) {
  const auto masks = write(
      "masks.json",
      nlohmann::json{{"scheme", "mine"}, {"cells", {{"none"}, {"none"}, {"none"}, {"hard:3"}}}});
  expectError(run({"predict", "--model", microConfig(), "--tensor",
                   kGolden / "vit_micro.io.safetensors", "--masks", masks}),
              2, {"masks.cells[3]", "3 layers"});
  expectError(run({"predict", "--model", microConfig(), "--tensor",
                   kGolden / "vit_micro.io.safetensors", "--masks", "sch9"}),
              2, {"sch9", "scheme"});
}

TEST_F(BadInputCliTest, APrecisionThatTheDeviceLacksIsRefused) {
  auto config = tinyTraining();
  config["device"] = "cpu";
  config["training"]["precision"] = "float16";
  expectError(train(config), 2, {"training.precision", "CUDA"});
  EXPECT_FALSE(fs::exists(path("run")));
  config["training"]["precision"] = "half";
  expectError(train(config), 2, {"training.precision", "bfloat16"});
  EXPECT_FALSE(fs::exists(path("run")));
}

TEST_F(BadInputCliTest, DatasetsThatAreNoneAreRefused) {
  auto config = tinyTraining();
  config["data"] = {{"dataset", "image-folder"}, {"path", path("empty").string()}};
  fs::create_directories(path("empty"));
  auto outcome = train(config);
  EXPECT_TRUE(outcome.exitCode == 2 || outcome.exitCode == 3) << outcome.exitCode;
  expectError(outcome, outcome.exitCode, {"empty"});
  const auto images = smallImages();
  fs::create_directories(path("one"));
  fs::copy(fs::directory_iterator(images / "train")->path(), path("one") / "only");
  config["data"]["path"] = path("one").string();
  outcome = train(config);
  EXPECT_TRUE(outcome.exitCode == 2 || outcome.exitCode == 3) << outcome.exitCode;
  expectError(outcome, outcome.exitCode, {"class"});
  config["data"]["path"] = path("nowhere").string();
  expectError(train(config), 3, {"nowhere"});
  EXPECT_FALSE(fs::exists(path("run") / "last.safetensors"));
}

TEST_F(BadInputCliTest, SafetensorsThatLieAreRefused) {
  const std::string data(16, '\0');
  const auto entry = [](const std::string& dtype, const std::string& shape,
                        const std::string& range) {
    return "{\"x\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + range +
           "}}";
  };
  expectOk(inspect(fileWithHeader(entry("F32", "[4]", "[0,16]"), data)));
  const std::vector<std::string> lies{
      "",
      "short",
      std::string(8, '\xff'),
      fileWithHeader("", ""),
      fileWithHeader("{\"x\":", data),
      fileWithHeader(entry("F32", "[4]", "[0,16]"), data.substr(0, 9)),
      fileWithHeader(entry("F32", "[4]", "[0,32]"), data),
      fileWithHeader(entry("F32", "[5]", "[0,16]"), data),
      fileWithHeader(entry("F32", "[4]", "[16,0]"), data),
      fileWithHeader(entry("F32", "[9223372036854775808]", "[0,16]"), data),
      fileWithHeader(entry("F32", "[4294967296,4294967296]", "[0,16]"), data),
      fileWithHeader(entry("F32", "[-4]", "[0,16]"), data),
      fileWithHeader(entry("F99", "[4]", "[0,16]"), data),
      fileWithHeader("{\"x\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]},"
                     "\"y\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}}",
                     data),
  };
  for (std::size_t i = 0; i < lies.size(); ++i) {
    SCOPED_TRACE("lie " + std::to_string(i));
    expectError(inspect(lies[i]), 3, {"file.safetensors"});
  }
  expectError(run({"inspect", m_folder, "--against", "vit_tiny_patch16_224"}), 3, {});
}

TEST_F(BadInputCliTest, PicklesThatWantToRunAreRefused) {
  // cos\nsystem\n(S'touch pwned'\ntR. as a file of its own, and the end of a real one cut off.
  expectError(run({"inspect", write("evil.pth", std::string("cos\nsystem\n(S'touch pwned'\ntR."))}),
              3, {"evil.pth"});
  EXPECT_FALSE(fs::exists(path("pwned")));
  const std::string whole = readBytes(kGolden / "vit_micro_state_dict.pth");
  expectError(run({"inspect", write("cut.pth", whole.substr(0, whole.size() / 2))}), 3,
              {"cut.pth"});
}

TEST_F(BadInputCliTest, TensorsThatAreNoInputAreRefused) {
  const auto refused = [&](const Tensors& tensors, int exitCode,
                           const std::vector<std::string>& words) {
    writeTensors(path("in.safetensors"), tensors);
    expectError(predictTensor("in.safetensors"), exitCode, words);
  };
  const std::vector<float> one(3 * 32 * 32, 0.5f);
  refused({{"image", floatTensor({1, 3, 32, 32}, one)}}, 3, {"no tensor named \"input\""});
  refused({{"input", floatTensor({3, 32, 32}, one)}}, 3, {"[3, 32, 32]", "[B, 3, H, W]"});
  refused({{"input", floatTensor({0, 3, 32, 32}, {})}}, 3, {"input"});
  refused({{"input", floatTensor({1, 3, 16, 64}, one)}}, 2, {"16 x 64", "32 x 32"});
  refused({{"input", {"I32", {1, 3, 32, 32}, std::string(3 * 32 * 32 * 4, '\0')}}}, 3,
          {"floating-point"});
  auto bad = one;
  bad[7] = std::numeric_limits<float>::quiet_NaN();
  refused({{"input", floatTensor({1, 3, 32, 32}, bad)}}, 3, {"NaN"});
}

TEST_F(BadInputCliTest, ImagesThatLieAreRefused) {
  const Image tiny{1, 1, std::make_shared<const std::vector<std::uint8_t>>(3, 128)};
  const std::string png = *encodePng(tiny);
  expectOk(predictImage(write("tiny.png", png)));  // 1 × 1 is small, not wrong
  expectError(predictImage(write("zero.png", std::string())), 3, {"zero.png"});
  expectError(predictImage(write("cut.png", png.substr(0, 40))), 3, {"cut.png"});
  expectError(predictImage(write("text.jpg", std::string("not an image at all"))), 3, {"text.jpg"});
  std::string huge = png;  // IHDR says 2^31 - 1 pixels of width
  huge.replace(16, 4, std::string("\x7f\xff\xff\xff", 4));
  expectError(predictImage(write("huge.png", huge)), 3, {"huge.png"});
  expectError(predictImage("nowhere.png"), 3, {"nowhere.png"});
  fs::create_directories(path("bare"));
  expectError(predictImage("bare"), 3, {"bare", "no image"});
}

TEST_F(BadInputCliTest, WeightsOfAnotherModelAreRefusedOrReported) {
  const auto wrong =
      run({"predict", "--model", "deit_tiny_patch16_224", "--weights",
           kGolden / "vit_micro.io.safetensors", "--tensor", kGolden / "vit_micro.io.safetensors"});
  expectError(wrong, 3, {"vit_micro.io.safetensors"});
}

}  // namespace
}  // namespace headlight::testing
