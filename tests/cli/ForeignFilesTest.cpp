// SPDX-License-Identifier: GPL-3.0-or-later

// Files that are not what their names say, names that begin with a dash, and models whose numbers
// are none.

#include <cmath>

#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

const fs::path kIo = kGolden / "vit_micro.io.safetensors";
const std::string kPage = "<!DOCTYPE html><html><head><title>404 Not Found</title></head></html>";
const std::string kPointer =
    "version https://git-lfs.github.com/spec/v1\noid sha256:abab\nsize 346284714\n";

using ForeignFilesCliTest = CliTest;

TEST_F(ForeignFilesCliTest, EveryDoorSaysWhatAFileIs) {
  const std::vector<std::tuple<std::string, std::string, std::string>> files{
      {"page", kPage, "web page"},
      {"pointer", kPointer, "Git LFS pointer"},
      {"answer", "Entry not found", "server response"}};
  for (const auto& [name, bytes, word] : files) {
    const std::string weights = write(name + ".safetensors", bytes),
                      pth = write(name + ".pth", bytes), image = write(name + ".png", bytes),
                      config = write(name + ".json", bytes);
    for (const std::string& file : {weights, pth}) {
      expectError(run({"predict", "--weights", file, "--tensor", kIo}), 3, {file, word, "again"});
      expectError(run({"inspect", file}), 3, {file, word});
      expectError(run({"train", microConfig(), "--weights", file, "--data.dataset", "texture-shape",
                       "--run", "run"}),
                  3, {file, word});
    }
    expectError(run({"predict", "--tensor", weights, "--model", microConfig(), "--weights",
                     kGolden / "vit_micro.safetensors"}),
                3, {weights, word});
    expectError(run({"predict", image, "--model", microConfig(), "--weights",
                     kGolden / "vit_micro.safetensors"}),
                3, {image, word});
    expectError(run({"train", config, "--run", "run"}), 2, {name + ".json", word});
  }
  const auto listed = run({"models", "--folder", m_folder, "--json"});
  EXPECT_NE(listed.out.find("web page"), std::string::npos) << listed.out;
}

/// An archive of one stored entry.
std::string zipOf(const std::string& name, const std::string& bytes) {
  const auto number = [](std::uint32_t value, int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += static_cast<char>(value >> 8 * i);
    return text;
  };
  const auto size = static_cast<std::uint32_t>(bytes.size());
  const std::string common = number(20, 2) + number(0, 2) + number(0, 2) + number(0, 4) +
                             number(0, 4) + number(size, 4) + number(size, 4) +
                             number(static_cast<std::uint32_t>(name.size()), 2) + number(0, 2);
  const std::string local = "PK\x03\x04" + common + name + bytes;
  const std::string central = "PK\x01\x02" + number(20, 2) + common + number(0, 2) + number(0, 2) +
                              number(0, 2) + number(0, 4) + number(0, 4) + name;
  return local + central + "PK\x05\x06" + number(0, 4) + number(1, 2) + number(1, 2) +
         number(static_cast<std::uint32_t>(central.size()), 4) +
         number(static_cast<std::uint32_t>(local.size()), 4) + number(0, 2);
}

TEST_F(ForeignFilesCliTest, ArraysOfNumPyAreNamedWithTheWayOut) {
  for (const std::string& file : {write("w.npz", zipOf("cls_token.npy", "\x93NUMPY")).string(),
                                  write("w.npy", std::string("\x93NUMPY\x01", 7)).string()})
    expectError(run({"predict", "--weights", file, "--tensor", kIo}), 3,
                {file, "NumPy", "safetensors.numpy.save_file"});
}

TEST_F(ForeignFilesCliTest, ErrorsBeginWithTheFile) {
  writeTensors(path("alien.safetensors"), {{"stem.weight", floatTensor({2}, {1, 1})}});
  const auto outcome = run({"predict", "--weights", path("alien.safetensors"), "--tensor", kIo});
  expectError(outcome, 3, {"patch_embed.proj.weight", "--model"});
  EXPECT_TRUE(outcome.err.starts_with("error: " + path("alien.safetensors").string() + ": "))
      << outcome.err;
}

TEST_F(ForeignFilesCliTest, NamesBeginWithADashBehindTwo) {
  fs::copy(kGolden / "vit_micro.safetensors", path("-w.safetensors"));
  const auto inspected = run({"inspect", "--json", "--", "-w.safetensors"});
  expectOk(inspected);
  const fs::path images = smallImages();
  fs::path image;
  for (const auto& file : fs::recursive_directory_iterator(images / "val"))
    if (file.is_regular_file()) image = file.path();
  fs::copy(image, path("plain.png"));
  fs::copy(image, path("--json"));
  const std::string config = microConfig();
  const Arguments model{"--model", config, "--weights", "./-w.safetensors"};
  const auto predict = [&](const Arguments& before, const Arguments& behind) {
    Arguments all{"predict"};
    for (const Arguments* part : {&before, &model, &behind})
      all.insert(all.end(), part->begin(), part->end());
    return run(all);
  };
  const auto named = predict({"plain.png"}, {"--", "--json", "plain.png"});
  expectOk(named);
  EXPECT_NE(named.out.find("./--json\n"), std::string::npos) << named.out;
  expectOk(predict({}, {"--top", "2", "--", "--json"}));
  expectOk(run({"convert", "--", "-w.safetensors", "-out.safetensors"}));
  EXPECT_TRUE(fs::exists(path("-out.safetensors")));
  expectError(run({"predict", "--", "-nowhere.png"}), 2, {"--model"});
  expectError(run({"summary", "--", "-x"}), 2, {"./-x"});
}

class NaNCliTest : public ImagesCliTest {
 protected:
  void SetUp() override {
    ImagesCliTest::SetUp();
    Tensors tensors = readTensors(kGolden / "vit_micro.safetensors");
    const Tensor& norm = tensors.at("norm.weight");
    tensors["norm.weight"] =
        floatTensor(norm.shape, std::vector<float>(norm.floats().size(), std::nanf("")));
    writeTensors(path("nan.safetensors"), tensors);
  }
};

TEST_F(NaNCliTest, AModelWhoseOutputIsNoNumberFails) {
  nlohmann::json nine = nlohmann::json::parse(readBytes(microConfig()));
  nine["model"]["classes"] = 9;  // as the data
  const fs::path config = write("nine.json", nine);
  const Arguments model{"--model", config, "--weights", path("nan.safetensors"), "--partial"};
  const auto with = [&](Arguments arguments) {
    arguments.insert(arguments.end(), model.begin(), model.end());
    return run(arguments);
  };
  const auto expectNaN = [](const Outcome& outcome) {
    EXPECT_EQ(outcome.exitCode, 1) << outcome.err;
    for (const char* word : {"nan.safetensors", "(NaN)", "earlier checkpoint"})
      EXPECT_NE(outcome.err.find(word), std::string::npos) << outcome.err;
  };
  expectNaN(with({"predict", m_files[0]}));
  expectNaN(with({"predict", "--tensor", kIo}));
  expectNaN(with({"evaluate", "--data.dataset", "texture-shape", "--samples", "9"}));
  const auto trained =
      run({"train", config, "--weights", path("nan.safetensors"), "--data.dataset", "texture-shape",
           "--data.train_samples", "18", "--data.validation_samples", "9", "--training.epochs", "1",
           "--training.batch_size", "9", "--run", "run"});
  EXPECT_EQ(trained.exitCode, 1) << trained.err;
  EXPECT_NE(trained.err.find("is not a number"), std::string::npos) << trained.err;
}

TEST_F(NaNCliTest, MapsThatAreNoNumbersAreNotDrawn) {
  Tensors tensors = readTensors(kGolden / "vit_micro.safetensors");
  const Tensor& qkv = tensors.at("blocks.0.attn.qkv.weight");
  tensors["blocks.0.attn.qkv.weight"] =
      floatTensor(qkv.shape, std::vector<float>(qkv.floats().size(), std::nanf("")));
  writeTensors(path("nan.safetensors"), tensors);
  for (const Arguments& what :
       {Arguments{"attend", m_files[0], "-p", path("out")},
        Arguments{"attend", "--tensor", kIo, "-o", path("o.safetensors")}}) {
    Arguments arguments = what;
    for (const std::string& more :
         Arguments{"--model", microConfig(), "--weights", path("nan.safetensors")})
      arguments.push_back(more);
    const auto drawn = run(arguments);
    EXPECT_EQ(drawn.exitCode, 1) << drawn.err;
    EXPECT_NE(drawn.err.find("(NaN)"), std::string::npos) << drawn.err;
  }
}

TEST_F(ImagesCliTest, PreprocessTakesWeightsThatSayWhatTheyAre) {
  expectOk(runWithModel({"predict", m_files[0], "-o", "unused.safetensors"}));
  expectOk(run({"convert", "--model", microConfig(), kGolden / "vit_micro.safetensors",
                "whole.safetensors"}));
  const auto outcome = run({"preprocess", m_files[0], "--weights", "whole.safetensors", "-o",
                            "a.safetensors", "--json"});
  expectOk(outcome);
  expectOk(run({"preprocess", m_files[0], "--model", microConfig(), "-o", "b.safetensors"}));
  EXPECT_EQ(readTensors(path("a.safetensors")), readTensors(path("b.safetensors")));
  EXPECT_EQ(outcome.json()["preprocessing"]["image_size"], 32);
  EXPECT_TRUE(outcome.json()["preprocessing"].contains("mean"));
  const auto hub = run({"preprocess", m_files[0], "--weights",
                        kGolden / "hf_home/hub/models--timm--vit_small_patch14_reg4_dinov2.micro",
                        "-o", "c.safetensors", "--json"});
  expectOk(hub);
  EXPECT_NE(hub.json()["preprocessing"], outcome.json()["preprocessing"]);
  expectError(run({"preprocess", m_files[0], "-o", "d.safetensors"}), 2, {"--model", "--weights"});
}

/// One option for every door: the same pixels as of an image that was opaque from the start.
TEST_F(ImagesCliTest, TransparentPixelsAreWhiteOrDropped) {
  const fs::path formats = kGolden / "pillow/formats";
  const auto pixelsOf = [&](const fs::path& image, const Arguments& more) {
    Arguments all{"preprocess", image, "--model", microConfig(), "-o", "out.safetensors"};
    all.insert(all.end(), more.begin(), more.end());
    expectOk(run(all));
    return readTensors(path("out.safetensors")).at("input");
  };
  const Tensor white = pixelsOf(formats / "alpha.png", {}),
               dropped = pixelsOf(formats / "alpha.png", {"--transparency", "drop"});
  EXPECT_EQ(pixelsOf(formats / "alpha.png", {"--transparency", "white"}), white);
  EXPECT_EQ(pixelsOf(formats / "dropped/alpha.png.png", {}), dropped);
  EXPECT_NE(white, dropped);
  expectError(runWithModel({"predict", formats / "alpha.png", "--transparency", "black"}), 2,
              {"--transparency"});
  const auto logitsOf = [&](const fs::path& image, const std::string& transparency) {
    expectOk(
        runWithModel({"predict", image, "--transparency", transparency, "-o", "l.safetensors"}));
    return readTensors(path("l.safetensors")).at("logits");
  };
  EXPECT_EQ(logitsOf(formats / "alpha.png", "drop"),
            logitsOf(formats / "dropped/alpha.png.png", "white"));
  EXPECT_NE(logitsOf(formats / "alpha.png", "white"), logitsOf(formats / "alpha.png", "drop"));
  // A config says it for good, and the flag overrides it.
  nlohmann::json config = nlohmann::json::parse(readBytes(microConfig()));
  config["model"]["transparency"] = "drop";
  const fs::path dropping = write("dropping.json", config);
  const auto outcome = run({"preprocess", formats / "alpha.png", "--model", dropping, "-o",
                            "out.safetensors", "--json"});
  expectOk(outcome);
  EXPECT_EQ(outcome.json()["preprocessing"]["transparency"], "drop");
  EXPECT_EQ(readTensors(path("out.safetensors")).at("input"), dropped);
}

/// What neither names nor shapes say is assumed, and said.
TEST_F(ForeignFilesCliTest, TheActivationOfALooseClipIsSaid) {
  const fs::path vectors = kGolden / "transformers/openai_clip_jit";
  const auto outcome =
      run({"predict", "--weights", vectors / "ViT-micro.pt", "--heads", "4", "--tensor",
           vectors / "expected.io.safetensors", "-o", "out.safetensors"});
  expectOk(outcome);
  EXPECT_NE(outcome.err.find("assuming quick GELU, as OpenAI's CLIP has it"), std::string::npos)
      << outcome.err;
  EXPECT_LT(greatestDifference(readTensors(path("out.safetensors")).at("logits"),
                               readTensors(vectors / "expected.io.safetensors").at("image_embeds")),
            1e-4);
  const auto folder = run({"predict", "--model", kGolden / "transformers/clip_classify", "--tensor",
                           kGolden / "transformers/clip_classify/expected.io.safetensors"});
  expectOk(folder);
  EXPECT_EQ(folder.err.find("assuming quick GELU"), std::string::npos) << folder.err;
}

}  // namespace
}  // namespace headlight::testing
