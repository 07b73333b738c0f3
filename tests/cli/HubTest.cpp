// SPDX-License-Identifier: GPL-3.0-or-later

// Folders of the Hugging Face hub by --model, the list of what lies on this computer, and names of
// classes.

#include <cstdlib>

#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

const fs::path kHome = kGolden / "hf_home";
const fs::path kHubIo = kHome / "expected.io.safetensors";
const std::string kEntry = "models--timm--vit_small_patch14_reg4_dinov2.micro";

class HubCliTest : public CliTest {
 protected:
  fs::path entry() const { return kHome / "hub" / kEntry; }
  fs::path snapshot() const {
    return entry() / "snapshots" / "0123456789abcdef0123456789abcdef01234567";
  }
  /// A copy, to be damaged.
  fs::path copy() const {
    fs::copy(kHome / "hub", path("hub"), fs::copy_options::recursive);
    return path("hub") / kEntry;
  }
  /// With these places alone, whatever the one who tests has.
  Outcome runAtHome(const Arguments& arguments) const {
    ProgramOptions at = options();
    at.inChild = [home = m_folder.string()] {
      for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "XDG_CACHE_HOME"})
        ::unsetenv(name);
      ::setenv("HF_HOME", (fs::path(home) / "hf").c_str(), 1);
      ::setenv("TORCH_HOME", (fs::path(home) / "torch").c_str(), 1);
      ::setenv("XDG_DATA_HOME", (fs::path(home) / "data").c_str(), 1);
    };
    return cli(arguments, at);
  }
};

TEST_F(HubCliTest, AnEntryPredictsAsTimmDoes) {
  for (const fs::path& model : {entry(), snapshot()}) {
    expectOk(run({"predict", "--model", model, "--tensor", kHubIo, "--output", "out.safetensors",
                  "--device", "cpu"}));
    EXPECT_LT(greatestDifference(readTensors(path("out.safetensors"))["logits"],
                                 readTensors(kHubIo)["logits"]),
              1e-4);
  }
}

TEST_F(HubCliTest, EveryCommandTakesIt) {
  const fs::path images = smallImages();
  expectOk(run({"summary", entry()}));
  expectOk(run({"inspect", entry()}));
  expectOk(run({"attend", "--model", entry(), "--tensor", kHubIo, "-o", "maps.safetensors"}));
  expectOk(run({"heads", "--model", entry(), "--image",
                fs::directory_iterator(images / "val")->path(), "--measure", "als"}));
  expectOk(run({"predict", "--weights", entry(), "--tensor", kHubIo}));
  expectOk(run({"train", "--model", entry(), "--weights", entry(), "--data.dataset", "image-folder",
                "--data.path", images, "--run", "r", "--training.epochs", "1",
                "--training.batch_size", "9", "--device", "cpu"}));
}

TEST_F(HubCliTest, TrainingStartsFromTheWeightsOfTheFolderThatIsTheModel) {
  const fs::path images = smallImages();
  const auto train = [&](const fs::path& model, const std::string& name, Arguments more = {}) {
    Arguments all{"train",
                  "--model",
                  model,
                  "--data.dataset",
                  "image-folder",
                  "--data.path",
                  images,
                  "--run",
                  name,
                  "--training.epochs",
                  "1",
                  "--training.batch_size",
                  "9",
                  "--device",
                  "cpu",
                  "--training.learning_rate",
                  "0",
                  "--training.min_learning_rate",
                  "0",
                  "--training.warmup_learning_rate",
                  "0"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  };
  const Tensors own = readTensors(snapshot() / "model.safetensors");
  for (const fs::path& model : {entry(), snapshot(), snapshot() / "config.json"}) {
    fs::remove_all(path("a"));
    const auto outcome = train(model, "a");
    expectOk(outcome);
    EXPECT_NE(outcome.err.find("starts from the weights of "), std::string::npos) << outcome.err;
    EXPECT_EQ(readTensors(path("a/last.safetensors")).at("norm.weight"), own.at("norm.weight"));
    EXPECT_EQ(readTensors(path("a/last.safetensors")).at("cls_token"), own.at("cls_token"));
  }
  const auto random = train(entry(), "b", {"--training.weights", ""});
  expectOk(random);
  EXPECT_NE(random.err.find("starts from random numbers"), std::string::npos) << random.err;
  EXPECT_NE(readTensors(path("b/last.safetensors")).at("cls_token"), own.at("cls_token"));
  // A checkpoint that is named as the model, too.
  const auto again = train(path("a/last.safetensors"), "c");
  expectOk(again);
  EXPECT_EQ(readTensors(path("c/last.safetensors")).at("cls_token"), own.at("cls_token"));
}

TEST_F(HubCliTest, ItsNamesAreShownAndItsLabelsFindTheData) {
  const json reported = run({"predict", "--model", entry(), "--tensor", kHubIo, "--json"}).json();
  const json best = reported["results"][0]["top"][0];
  EXPECT_EQ(best["name"],
            "kind " + std::to_string(best["index"].get<int>()) + ", a name with a comma");
  EXPECT_EQ(reported["model"]["class_names"], "model");
  fs::create_directories(path("data/val"));
  const fs::path images = smallImages();
  int label = 0;
  for (const auto& kind : fs::directory_iterator(images / "val"))
    fs::copy(kind.path(), path("data/val") / ("n0" + std::to_string(label++)));
  fs::copy(path("data/val"), path("data/train"), fs::copy_options::recursive);
  expectOk(run({"evaluate", "--model", entry(), "--data", path("data")}));
  fs::rename(path("data/val/n03"), path("data/val/unknown"));
  fs::rename(path("data/train/n03"), path("data/train/unknown"));
  expectError(run({"evaluate", "--model", entry(), "--data", path("data")}), 2, {"unknown"});
}

TEST_F(HubCliTest, NamesProblems) {
  const fs::path damaged = copy();
  const fs::path hash = damaged / "snapshots" / "0123456789abcdef0123456789abcdef01234567";
  const Arguments predict{"predict", "--model", damaged, "--tensor", kHubIo};
  json config = json::parse(readBytes(hash / "config.json"));
  config["architecture"] = "vit_small_patch14_reg4_dinov7";
  write("hub/" + kEntry + "/snapshots/" + hash.filename().string() + "/config.json", config);
  expectError(run(predict), 3, {"vit_small_patch14_reg4_dinov7", "vit_small_patch14_reg4_dinov2"});
  write("hub/" + kEntry + "/snapshots/" + hash.filename().string() + "/config.json",
        std::string("{\"model_type\": \"pvt\"}"));
  expectError(run(predict), 3, {"transformers", "pvt"});
  fs::remove(hash / "config.json");
  fs::create_symlink("../../blobs/missing", hash / "config.json");
  expectError(run(predict), 3, {"config.json", "broken link"});
  write("hub/" + kEntry + "/refs/main", std::string("beef"));
  expectError(run(predict), 3, {"beef", "is missing"});
  expectError(run({"predict", "--model", m_folder, "--tensor", kHubIo}), 3, {"no config.json"});
}

TEST_F(HubCliTest, ModelsOfThisComputerAreListed) {
  expectOk(runAtHome({"models"}));  // none
  fs::create_directories(path("hf"));
  fs::copy(kHome / "hub", path("hf/hub"), fs::copy_options::recursive);
  fs::create_directories(path("torch/hub/checkpoints"));
  fs::copy_file(kGolden / "vit_micro_state_dict.pth",
                path("torch/hub/checkpoints/deit_tiny_patch16_224-a1311bcf.pth"));
  fs::create_directories(path("hf/hub/models--google--none/snapshots"));
  const json reported = runAtHome({"models", "--json"}).json();
  ASSERT_EQ(reported["models"].size(), 3u);
  const json& broken = reported["models"][0];
  EXPECT_EQ(broken["name"], "google/none");
  EXPECT_FALSE(broken["can_open"]);
  EXPECT_FALSE(broken["problem"].get<std::string>().empty());
  const json& micro = reported["models"][1];
  EXPECT_EQ(micro["name"], "timm/vit_small_patch14_reg4_dinov2.micro");
  EXPECT_EQ(micro["architecture"], "vit_small_patch14_reg4_dinov2");
  EXPECT_EQ(micro["tag"], "lvd142m");
  EXPECT_EQ(micro["bytes"], fs::file_size(snapshot() / "model.safetensors"));
  EXPECT_TRUE(micro["can_open"]);
  EXPECT_EQ(micro["source"], "Hugging Face");
  expectOk(run({"predict", "--model", micro["path"], "--tensor", kHubIo}));
  EXPECT_EQ(reported["models"][2]["architecture"], "deit_tiny_patch16_224");
  EXPECT_EQ(reported["models"][2]["source"], "torch hub");
  const Outcome table = runAtHome({"models", "dinov2", "micro"});
  expectOk(table);
  EXPECT_NE(table.out.find("lvd142m"), std::string::npos) << table.out;
  EXPECT_EQ(table.out.find("deit_tiny"), std::string::npos) << table.out;
}

TEST_F(HubCliTest, FoldersAreListedAndRemembered) {
  fs::create_directories(path("mine"));
  fs::copy_file(kGolden / "vit_micro.safetensors", path("mine/own.safetensors"));
  const auto names = [&](const Arguments& arguments) {
    std::vector<std::string> found;
    const json reported = runAtHome(arguments).json();
    for (const json& model : reported["models"])
      found.push_back(model["name"]);
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names({"models", "--json", "--folder", path("mine")}), Names{"own.safetensors"});
  EXPECT_EQ(names({"models", "--json"}), Names());
  EXPECT_EQ(names({"models", "--json", "--add-folder", path("mine")}), Names{"own.safetensors"});
  EXPECT_EQ(names({"models", "--json"}), Names{"own.safetensors"});
  EXPECT_EQ(names({"models", "--json", "--remove-folder", path("mine")}), Names());
  expectError(runAtHome({"models", "--folder", path("none")}), 3, {"none", "is not a folder"});
  expectError(runAtHome({"models", "--add-folder", path("none")}), 3, {"none", "is not a folder"});
}

class NamesCliTest : public HubCliTest {
 protected:
  Arguments predict(const Arguments& more) const {
    Arguments all{"predict",
                  "--model",
                  microConfig(),
                  "--weights",
                  kGolden / "vit_micro.safetensors",
                  "--tensor",
                  kGolden / "vit_micro.io.safetensors"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  fs::path tenNames() const {
    std::string lines;
    for (int i = 0; i < 10; ++i)
      lines += "name of " + std::to_string(i) + "\n";
    return write("ten.txt", lines);
  }
};

TEST_F(NamesCliTest, AreThoseOfTheFile) {
  const json reported = run(predict({"--class-names", tenNames(), "--json"})).json();
  EXPECT_EQ(reported["model"]["class_names"], "file");
  for (const json& one : reported["results"][0]["top"])
    EXPECT_EQ(one["name"], "name of " + std::to_string(one["index"].get<int>()));
  json labels = json::object();
  for (int i = 0; i < 10; ++i)
    labels["id2label"][std::to_string(i)] = "label " + std::to_string(i);
  const json other = run(predict({"--class-names", write("names", labels), "--json"})).json();
  const json& best = other["results"][0]["top"][0];
  EXPECT_EQ(best["name"], "label " + std::to_string(best["index"].get<int>()));
}

TEST_F(NamesCliTest, OfAnotherNumberAreAnErrorThatNamesBoth) {
  const auto nine = write("nine.txt", std::string("1\n2\n3\n4\n5\n6\n7\n8\n9\n"));
  expectError(run(predict({"--class-names", nine})), 3, {"nine.txt", "9 classes", "10"});
  expectError(run(predict({"--class-names", path("nowhere")})), 3, {"nowhere"});
  expectError(
      run({"attend", "--model", microConfig(), "--tensor", kGolden / "vit_micro.io.safetensors",
           "-o", "o.safetensors", "--class-names", nine}),
      3, {"9 classes"});
}

TEST_F(NamesCliTest, OfEvaluateToo) {
  const json reported =
      run({"evaluate", "--model", microConfig(), "--weights", kGolden / "vit_micro.safetensors",
           "--data.dataset", "texture-shape", "--data.validation_samples", "9", "--class-names",
           tenNames(), "--match", "index", "--worst", "1", "--json"})
          .json();
  EXPECT_TRUE(reported["worst"][0]["class_name"].get<std::string>().starts_with("name of "))
      << reported["worst"][0];
}

TEST_F(NamesCliTest, OfAThousandClassesAreImagenetsAndSaidToBeAssumed) {
  json config = json::parse(readBytes(microConfig()));
  config["model"]["classes"] = 1000;
  const auto thousand = write("thousand.json", config);
  const Arguments arguments{
      "predict", "--model", thousand, "--tensor", kGolden / "vit_micro.io.safetensors",
      "--top",   "1000"};
  Arguments asJson = arguments;
  asJson.push_back("--json");
  const json reported = run(asJson).json();
  EXPECT_EQ(reported["model"]["class_names"], "imagenet-1k, assumed");
  for (const json& one : reported["results"][0]["top"])
    if (one["index"] == 207) {
      EXPECT_EQ(one["name"], "golden retriever");
    }
  const Outcome words = run(arguments);
  expectOk(words);
  EXPECT_NE(words.err.find("class names: ImageNet-1k's (assumed)"), std::string::npos) << words.err;
  expectOk(run(
      {"convert", kGolden / "vit_micro.safetensors", "ten.safetensors", "--model", microConfig()}));
  EXPECT_EQ(run({"predict", "--weights", path("ten.safetensors"), "--tensor",
                 kGolden / "vit_micro.io.safetensors", "--json"})
                .json()["model"]["class_names"],
            "none");
}

}  // namespace
}  // namespace headlight::testing
