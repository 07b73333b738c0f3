// SPDX-License-Identifier: GPL-3.0-or-later

// What lies on this computer: complete or not, of a model that opens or not, and many of them.

#include "core/workbench/loading/LocalModels.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "core/workbench/hub/ModelFolders.h"
#include "core/workbench/session/InferenceSession.h"
#include "tests/workbench/HubFixture.h"

namespace headlight::hub {
namespace {

/// Variables of the environment as they were, afterwards.
class Environment {
 public:
  ~Environment() {
    for (const auto& [name, value] : m_before)
      value.empty() ? ::unsetenv(name.c_str()) : ::setenv(name.c_str(), value.c_str(), 1);
  }
  void set(const std::string& name, const std::string& value) {
    const char* before = std::getenv(name.c_str());
    m_before.insert(m_before.begin(), {name, before ? before : ""});
    value.empty() ? ::unsetenv(name.c_str()) : ::setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  std::vector<std::pair<std::string, std::string>> m_before;
};

std::vector<LocalModel> localModels(const LocalPlaces& places) {
  std::vector<LocalModel> models;
  findLocalModels(places, [&](LocalModel model) { models.push_back(std::move(model)); });
  return models;
}

class LocalModelsTest : public HubTest {
 protected:
  LocalPlaces places() const { return {hub(), path("torch"), {path("mine")}}; }
  LocalModel only(const std::string& search) const {
    auto all = localModels(places());
    std::erase_if(all, [&](const LocalModel& model) { return !isFoundBy(model, search); });
    EXPECT_EQ(all.size(), 1u) << search;
    return all.empty() ? LocalModel() : all.front();
  }
  fs::path torchFile(const std::string& name, const std::string& text) const {
    return writeText(path("torch") / name, text);
  }
};

TEST_F(LocalModelsTest, AnEntryTellsWhatItIs) {
  const LocalModel model = only("");
  EXPECT_EQ(model.name, "timm/" + kMicro);
  EXPECT_EQ(model.architecture, "vit_small_patch14_reg4_dinov2");
  EXPECT_EQ(model.tag, "lvd142m");
  EXPECT_EQ(model.license, "apache-2.0");
  EXPECT_EQ(model.bytes, fs::file_size(kGoldenSnapshot / "model.safetensors"));
  EXPECT_EQ(model.source, LocalModel::Source::Hub);
  EXPECT_TRUE(model.complete);
  EXPECT_TRUE(model.canOpen()) << model.problem;
  ModelSource source = makeModelSource(model);
  source.device = "cpu";
  const auto session = InferenceSession::open(source);
  EXPECT_TRUE(session) << session.error().text();
}

TEST_F(LocalModelsTest, WhatCannotBeOpenedSaysWhy) {
  const fs::path other = hub() / "models--google--bert";
  makeEntry(other);
  const fs::path blob = other / "blobs" / (std::string(63, 'a') + "0");
  writeText(blob, R"({"model_type": "bert"})");
  EXPECT_NE(only("bert").problem.find("transformers"), std::string::npos) << only("bert").problem;
  EXPECT_TRUE(only("bert").complete);
  Json json = config();
  json["architecture"] = "resnet50";
  writeText(blob, json.dump());
  EXPECT_EQ(only("bert").architecture, "resnet50");
  EXPECT_NE(only("bert").problem.find("resnet50"), std::string::npos);
  fs::remove(other / "blobs" / (std::string(63, 'a') + "1"));
  writeText(other / "blobs" / "b.incomplete", "half");
  EXPECT_FALSE(only("bert").complete);
  EXPECT_NE(only("bert").problem.find("incomplete"), std::string::npos) << only("bert").problem;
  EXPECT_GT(only("bert").bytes, 0u);
  fs::create_directories(hub() / "datasets--timm--imagenet" / "snapshots");
  EXPECT_EQ(localModels(places()).size(), 2u);  // datasets are no models
}

TEST_F(LocalModelsTest, TorchHubsFilesAreOfTheModelOfTheirName) {
  const std::string zip = "PK\x03\x04 patch_embed.proj.weight pos_embed";
  const fs::path file = torchFile("deit_tiny_patch16_224-a1311bcf.pth", zip);
  const LocalModel model = only("deit");
  EXPECT_EQ(model.architecture, "deit_tiny_patch16_224");
  EXPECT_EQ(model.bytes, zip.size());
  EXPECT_TRUE(model.canOpen()) << model.problem;
  EXPECT_EQ(makeModelSource(model).model, "deit_tiny_patch16_224");
  EXPECT_EQ(makeModelSource(model).weights, file);
  torchFile("dinov2_vitb14_reg4_pretrain.pth", zip);
  EXPECT_EQ(only("dinov2_vitb14").architecture, "vit_base_patch14_reg4_dinov2");
  torchFile("resnet50-0676ba61.pth", "PK\x03\x04 layer1.0.conv1.weight");
  EXPECT_NE(only("resnet50").problem.find("vision transformer"), std::string::npos);
  torchFile("old-0123abcd.pth", "\x80\x02 no zip");
  EXPECT_NE(only("old").problem.find("ZIP"), std::string::npos);
  torchFile("empty.pth", "");
  EXPECT_FALSE(only("empty").complete);
  torchFile("half.pth.0123.partial", "PK");
  EXPECT_EQ(localModels({{}, path("torch"), {}}).size(), 5u);
}

TEST_F(LocalModelsTest, ChosenFoldersAreLookedThrough) {
  fs::create_directories(path("mine") / "a" / "b" / "c" / "d" / "e");
  fs::rename(folderWith(config()), path("mine") / "a" / "timm");
  const fs::path golden = fs::path(HEADLIGHT_GOLDEN_DIR) / "vit_micro.safetensors";
  fs::copy_file(golden, path("mine") / "a" / "b" / "mine.safetensors");
  fs::copy_file(golden, path("mine") / "a" / "b" / "c" / "d" / "e" / "deep.safetensors");
  fs::copy_file(golden, path("mine") / "a" / "epoch-0003.safetensors");
  fs::create_directory_symlink(path("mine"), path("mine") / "a" / "circle");
  const auto found = localModels({{}, {}, {path("mine")}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "mine.safetensors");
  EXPECT_TRUE(found[0].canOpen()) << found[0].problem;
  EXPECT_EQ(found[1].name, "timm");
  EXPECT_EQ(found[1].source, LocalModel::Source::Folder);
  EXPECT_TRUE(found[1].canOpen()) << found[1].problem;
}

TEST_F(LocalModelsTest, ManyAreFoundSoon) {
  constexpr int kMany = 300;
  for (int i = 0; i < kMany; ++i) {
    const fs::path other = hub() / ("models--someone--model-" + std::to_string(i));
    fs::create_directories(other / "snapshots" / "f00");
    writeText(other / "refs" / "main", "f00");
    writeText(other / "snapshots" / "f00" / "config.json", config().dump());
    writeText(other / "snapshots" / "f00" / "model.safetensors", "weights");
  }
  const auto started = std::chrono::steady_clock::now();
  EXPECT_EQ(localModels(places()).size(), static_cast<std::size_t>(kMany + 1));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  EXPECT_LT(took.count(), 3) << "10 ms an entry";
}

TEST_F(LocalModelsTest, StopsOnRequest) {
  for (int i = 0; i < 100; ++i)
    fs::create_directories(hub() / ("models--someone--model-" + std::to_string(i)) / "snapshots");
  std::stop_source stop;
  int found = 0;
  findLocalModels(
      places(),
      [&](const LocalModel&) {
        if (++found == 3) stop.request_stop();
      },
      stop.get_token());
  EXPECT_EQ(found, 3);
}

TEST_F(LocalModelsTest, PlacesAreThoseOfTheEnvironment) {
  Environment environment;
  for (const char* name :
       {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "TORCH_HOME", "XDG_CACHE_HOME"})
    environment.set(name, "");
  environment.set("HOME", path("home"));
  environment.set("XDG_DATA_HOME", path("data"));
  EXPECT_EQ(LocalPlaces::ofThisComputer().hub, path("home") / ".cache" / "huggingface" / "hub");
  EXPECT_EQ(LocalPlaces::ofThisComputer().torch,
            path("home") / ".cache" / "torch" / "hub" / "checkpoints");
  environment.set("HF_HOME", path("hf"));
  environment.set("TORCH_HOME", path("t"));
  EXPECT_EQ(LocalPlaces::ofThisComputer().hub, path("hf") / "hub");
  EXPECT_EQ(LocalPlaces::ofThisComputer().torch, path("t") / "hub" / "checkpoints");
  environment.set("HF_HUB_CACHE", path("cache"));
  EXPECT_EQ(LocalPlaces::ofThisComputer().hub, path("cache"));
  fs::create_directories(path("models"));
  ASSERT_TRUE(ModelFolders(ModelFolders::defaultFile()).add(path("models")));
  EXPECT_EQ(LocalPlaces::ofThisComputer().folders, std::vector{path("models")});
}

TEST_F(LocalModelsTest, FoldersAreKeptOnceAndForgotten) {
  const ModelFolders folders(path("kept") / "folders.json");
  fs::create_directories(path("one"));
  EXPECT_TRUE(folders.folders().empty());
  EXPECT_EQ(folders.add(path("none")).error().code, ErrorCode::NotFound);
  EXPECT_TRUE(folders.add(path("one")));
  EXPECT_TRUE(folders.add(path("one") / ""));
  EXPECT_EQ(folders.folders(), std::vector{path("one")});
  EXPECT_TRUE(folders.remove(path("one")));
  EXPECT_TRUE(folders.folders().empty());
  writeText(path("kept") / "folders.json", "{ no JSON");
  EXPECT_TRUE(folders.folders().empty());
}

TEST_F(LocalModelsTest, WordsFindNamesArchitecturesTagsAndSources) {
  const LocalModel model = only("");
  for (const char* words : {"", "DINOV2 micro", "lvd142m", "hugging", "reg4 timm"})
    EXPECT_TRUE(isFoundBy(model, words)) << words;
  EXPECT_FALSE(isFoundBy(model, "dinov2 torch"));
}

}  // namespace
}  // namespace headlight::hub
