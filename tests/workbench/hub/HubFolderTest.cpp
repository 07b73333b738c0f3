// SPDX-License-Identifier: GPL-3.0-or-later

// Folders of timm and entries of the hub's cache: opened by themselves, with the logits of timm's
// own code; and everything that can be wrong with them.

#include "core/workbench/hub/HubFolder.h"

#include <ATen/ATen.h>

#include "core/checkpoint/Checkpoint.h"
#include "core/models/Registry.h"
#include "core/workbench/classes/ClassNames.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/session/RawTensors.h"
#include "tests/workbench/HubFixture.h"

namespace headlight::hub {
namespace {

using HubFolderTest = HubTest;

Result<std::unique_ptr<InferenceSession>> open(const fs::path& model) {
  ModelSource source;
  source.model = model.string();
  source.device = "cpu";
  return InferenceSession::open(source);
}

/// timm's logits of the golden inputs, within 1e-4.
void expectGoldenLogits(InferenceSession& session) {
  const fs::path io = kGoldenHome / "expected.io.safetensors";
  const auto images = readRawImages(io);
  ASSERT_TRUE(images) << images.error().text();
  const auto masks = resolveMasks({}, makeMaskShape(session.info().experiment.model));
  const auto inferences = inferRaw(session, *images, *masks, false, {});
  ASSERT_TRUE(inferences) << inferences.error().text();
  const auto expected = readSafetensors(io);
  ASSERT_TRUE(expected);
  for (const auto& [name, tensor] : expected->tensors) {
    if (name != "logits") continue;
    const at::Tensor values = tensor.contiguous();
    for (std::size_t i = 0; i < inferences->size(); ++i)
      for (std::size_t c = 0; c < 10; ++c)
        EXPECT_NEAR((*inferences)[i].logits.at(c), values.data_ptr<float>()[i * 10 + c], 1e-4);
  }
}

void expectError(const Result<std::unique_ptr<InferenceSession>>& outcome, ErrorCode code,
                 const std::vector<std::string>& words) {
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, code) << outcome.error().text();
  for (const std::string& word : words)
    EXPECT_NE(outcome.error().text().find(word), std::string::npos)
        << word << " is not in: " << outcome.error().text();
}

TEST_F(HubFolderTest, AnEntryOpensByItselfWithTimmsLogits) {
  for (const fs::path& place :
       {entry(), snapshot(), kGoldenSnapshot, kGoldenHome / "hub" / kEntryName,
        folderWith(config()), snapshot() / "config.json"}) {
    SCOPED_TRACE(place.string());
    const auto session = open(place);
    ASSERT_TRUE(session) << session.error().text();
    const ModelInfo& info = (*session)->info();
    EXPECT_FALSE(info.randomWeights);
    EXPECT_TRUE(info.report.complete()) << info.report.summary();
    expectGoldenLogits(**session);
  }
}

TEST_F(HubFolderTest, WhatTheConfigSaysOfTheModelIsTaken) {
  const auto session = open(entry());
  ASSERT_TRUE(session) << session.error().text();
  const ModelInfo& info = (*session)->info();
  const ModelConfig& model = info.experiment.model;
  EXPECT_EQ(model.name, kMicro);
  EXPECT_EQ(info.experiment.name, kMicro);
  EXPECT_EQ(model.imageSize, 32);  // model_args win over input_size, 518
  EXPECT_EQ(model.patchSize, 4);
  EXPECT_EQ(model.width, 48);
  EXPECT_EQ(model.depth, 3);
  EXPECT_EQ(model.registers, 4);
  EXPECT_EQ(model.classes, 10);
  EXPECT_EQ(model.cropFraction, 1.0);
  EXPECT_EQ(info.classNamesFrom, ClassNamesFrom::Model);
  EXPECT_EQ(info.classNames.at(3), "kind 3, a name with a comma");
  EXPECT_EQ(info.classKeys.at(3), "n03");
}

TEST_F(HubFolderTest, PreprocessingIsTheConfigs) {
  Json json = config();
  json["pretrained_cfg"]["mean"] = {0.5, 0.25, 0.125};
  json["pretrained_cfg"]["std"] = {0.5, 1, 2};
  json["pretrained_cfg"]["interpolation"] = "bilinear";
  json["pretrained_cfg"]["crop_pct"] = 0.75;
  json["pretrained_cfg"]["crop_mode"] = "squash";
  const auto experiment = loadExperiment(folderWith(json));
  ASSERT_TRUE(experiment) << experiment.error().text();
  EXPECT_EQ(experiment->model.mean, (std::vector<double>{0.5, 0.25, 0.125}));
  EXPECT_EQ(experiment->model.deviation, (std::vector<double>{0.5, 1, 2}));
  EXPECT_EQ(experiment->model.interpolation, "bilinear");
  EXPECT_EQ(experiment->model.cropFraction, 0.75);
  EXPECT_EQ(experiment->model.cropMode, "squash");
}

TEST_F(HubFolderTest, WithoutArgumentsItIsAsLargeAsItsImages) {
  Json json = config();
  json.erase("model_args");
  json["pretrained_cfg"]["input_size"] = {3, 280, 140};
  const auto experiment = loadExperiment(folderWith(json));
  ASSERT_TRUE(experiment) << experiment.error().text();
  EXPECT_EQ(experiment->model.imageHeightPixels(), 280);
  EXPECT_EQ(experiment->model.imageWidthPixels(), 140);
}

TEST_F(HubFolderTest, WeightsBesideTheirConfigOpenByThemselves) {
  ModelSource source;
  source.weights = snapshot() / "model.safetensors";
  source.device = "cpu";
  const auto session = InferenceSession::open(source);
  ASSERT_TRUE(session) << session.error().text();
  EXPECT_EQ((*session)->info().classNames.at(9), "kind 9, a name with a comma");
  expectGoldenLogits(**session);
}

TEST_F(HubFolderTest, WithoutARefTheOnlySnapshotIsTaken) {
  fs::remove_all(entry() / "refs");
  const auto session = open(entry());
  ASSERT_TRUE(session) << session.error().text();
  ASSERT_FALSE((*session)->info().notes.empty());
  EXPECT_NE((*session)->info().notes.front().find("refs/main"), std::string::npos);
  fs::create_directories(entry() / "snapshots" / "f00");
  expectError(open(entry()), ErrorCode::InvalidFile, {"refs/main", "2 snapshots"});
  fs::remove_all(entry() / "snapshots");
  fs::create_directories(entry() / "snapshots");
  expectError(open(entry()), ErrorCode::InvalidFile, {"refs/main", "no snapshot"});
}

TEST_F(HubFolderTest, DownloadsInPartAreSaidToBe) {
  writeText(entry() / "refs" / "main", "feedfeed");
  expectError(open(entry()), ErrorCode::InvalidFile, {"feedfeed", "is missing", "incomplete"});
  writeText(entry() / "refs" / "main", "../../elsewhere");
  expectError(open(entry()), ErrorCode::InvalidFile, {"does not name a snapshot"});
  writeText(entry() / "refs" / "main", kHash + "\n");
  const fs::path blob = entry() / "blobs" / (std::string(63, 'a') + "1");
  fs::rename(blob, blob.string() + ".incomplete");
  expectError(open(entry()), ErrorCode::InvalidFile,
              {"model.safetensors", "broken link", ".incomplete", "again"});
  fs::remove(snapshot() / "model.safetensors");
  expectError(open(entry()), ErrorCode::NotFound, {"no weights", ".incomplete"});
  fs::remove(snapshot() / "config.json");
  expectError(open(entry()), ErrorCode::NotFound, {"no config.json"});
}

TEST_F(HubFolderTest, AFolderInPlaceOfAFileIsRefused) {
  fs::remove(snapshot() / "model.safetensors");
  fs::create_directories(snapshot() / "model.safetensors");
  expectError(open(entry()), ErrorCode::UnsupportedFile,
              {"model.safetensors", "not a regular file"});
  const fs::path folder = folderWith(config());
  fs::remove(folder / "config.json");
  fs::create_directories(folder / "config.json");
  expectError(open(folder), ErrorCode::UnsupportedFile, {"config.json", "not a regular file"});
}

TEST_F(HubFolderTest, ConfigsThatSayNothingUsefulAreRefused) {
  struct Case {
    std::string text;
    ErrorCode code;
    std::vector<std::string> words;
  };
  Json unknown = config();
  unknown["architecture"] = "vit_small_patch14_reg5_dinov9";
  Json far = config();
  far["architecture"] = "resnet50";
  Json arguments = config();
  arguments["model_args"]["num_experts"] = 8;
  Json size = config();
  size["model_args"]["img_size"] = 33;
  Json gray = config();
  gray["pretrained_cfg"]["input_size"] = {1, 28, 28};
  const std::vector<Case> cases{
      {"{", ErrorCode::InvalidFile, {"config.json", "not valid JSON"}},
      {"[1]", ErrorCode::InvalidFile, {"not a JSON object"}},
      {std::string(200, '['), ErrorCode::InvalidFile, {"config.json"}},
      {"{}", ErrorCode::UnsupportedFile, {"names no architecture"}},
      {R"({"model_type": "segformer", "architectures": ["SegformerModel"]})",
       ErrorCode::UnsupportedFile,
       {"transformers", "segformer", "timm"}},
      {R"({"schema": 2, "model": {}})", ErrorCode::UnsupportedFile, {"Experiment"}},
      {unknown.dump(),
       ErrorCode::UnsupportedFile,
       {"vit_small_patch14_reg5_dinov9", "similar supported names", "vit_small_patch14_reg4_dinov2",
        "--list"}},
      {far.dump(), ErrorCode::UnsupportedFile, {"resnet50", "--list"}},
      {arguments.dump(), ErrorCode::UnsupportedFile, {"num_experts"}},
      {size.dump(), ErrorCode::InvalidConfig, {"image_size", "config.json"}},
      {gray.dump(), ErrorCode::InvalidConfig, {"input_size", "config.json"}}};
  for (const Case& odd : cases) {
    SCOPED_TRACE(odd.text.substr(0, 80));
    expectError(open(folderWith(odd.text)), odd.code, odd.words);
  }
}

TEST_F(HubFolderTest, AHugeConfigIsNotRead) {
  const fs::path folder = folderWith(config());
  fs::resize_file(folder / "config.json", 32u << 20);
  EXPECT_FALSE(open(folder));
}

TEST_F(HubFolderTest, LabelsOfAnotherNumberAreSaidAndNotUsed) {
  Json json = config();
  json["label_names"].push_back("one too many");
  const auto session = open(folderWith(json));
  ASSERT_TRUE(session) << session.error().text();
  const ModelInfo& info = (*session)->info();
  EXPECT_TRUE(info.classNames.empty());
  EXPECT_EQ(info.classNamesFrom, ClassNamesFrom::Nowhere);
  ASSERT_EQ(info.notes.size(), 1u);
  EXPECT_NE(info.notes[0].find("11 labels for 10 classes"), std::string::npos) << info.notes[0];
}

TEST_F(HubFolderTest, LabelsByNumberAndWithoutDescriptions) {
  Json json = config();
  json.erase("label_descriptions");
  json["label_names"] = Json::object();
  for (int i = 9; i >= 0; --i)
    json["label_names"][std::to_string(i)] = "label " + std::to_string(i);
  const auto session = open(folderWith(json));
  ASSERT_TRUE(session) << session.error().text();
  EXPECT_EQ((*session)->info().classNames.at(7), "label 7");
  EXPECT_TRUE((*session)->info().classKeys.empty());
}

TEST_F(HubFolderTest, OneObjectAsTimmWroteOnce) {
  Json json = config()["pretrained_cfg"];
  json["architecture"] = config()["architecture"];
  json["num_classes"] = 10;
  json["labels"] = config()["label_names"];
  json["input_size"] = {3, 42, 42};
  const auto experiment = loadExperiment(folderWith(json));
  ASSERT_TRUE(experiment) << experiment.error().text();
  EXPECT_EQ(experiment->model.imageSize, 42);
  EXPECT_EQ(experiment->model.classes, 10);
}

/// The golden weights in two files, and the index that says so.
fs::path shardedFolder(const fs::path& folder, const Json& config, bool twice = false) {
  writeText(folder / "config.json", config.dump());
  const auto whole = readSafetensors(kGoldenSnapshot / "model.safetensors");
  NamedTensors parts[2];
  Json map = Json::object();
  for (std::size_t i = 0; i < whole->tensors.size(); ++i) {
    parts[i % 2].push_back(whole->tensors[i]);
    map[whole->tensors[i].first] = "model-0000" + std::to_string(i % 2 + 1) + ".safetensors";
  }
  if (twice) parts[1].push_back(parts[0].front());
  for (int part = 0; part < 2; ++part)
    EXPECT_TRUE(writeSafetensors(
        folder / ("model-0000" + std::to_string(part + 1) + ".safetensors"), parts[part]));
  writeText(folder / "model.safetensors.index.json", Json{{"weight_map", map}}.dump());
  return folder;
}

TEST_F(HubFolderTest, ShardsAreReadTogether) {
  const auto session = open(shardedFolder(path("sharded"), config()));
  ASSERT_TRUE(session) << session.error().text();
  EXPECT_EQ((*session)->info().weights, path("sharded"));
  expectGoldenLogits(**session);
  fs::remove(path("sharded") / "model-00002.safetensors");
  expectError(open(path("sharded")), ErrorCode::InvalidFile, {"model-00002", "is missing"});
}

TEST_F(HubFolderTest, ShardsThatAreElsewhereOrDoubleAreRefused) {
  expectError(open(shardedFolder(path("double"), config(), /*twice=*/true)), ErrorCode::InvalidFile,
              {"another shard has too"});
  const fs::path folder = shardedFolder(path("elsewhere"), config());
  writeText(folder / "model.safetensors.index.json",
            R"({"weight_map": {"cls_token": "../../secret.safetensors"}})");
  expectError(open(folder), ErrorCode::UnsupportedFile, {"cls_token", "no file beside it"});
  writeText(folder / "model.safetensors.index.json", "{}");
  expectError(open(folder), ErrorCode::InvalidFile, {"weight_map"});
}

TEST_F(HubFolderTest, OtherFoldersAreNone) {
  EXPECT_TRUE(looksLikeHubFolder(entry()));
  EXPECT_TRUE(looksLikeHubFolder(snapshot()));
  EXPECT_TRUE(looksLikeHubFolder(folderWith(config())));
  writeText(path("run") / "config.json", "{}");
  EXPECT_FALSE(looksLikeHubFolder(path("run")));
  writeText(path("run") / "best.safetensors", "weights");
  writeText(path("run") / "metrics.jsonl", "{}");
  EXPECT_FALSE(looksLikeHubFolder(path("run")));
  EXPECT_FALSE(looksLikeHubFolder(path("nowhere")));
  fs::create_directories(path("empty"));
  expectError(open(path("empty")), ErrorCode::NotFound, {"no config.json"});
  expectError(open(m_folder.path()), ErrorCode::InvalidArgument,
              {"several models", "models --folder"});
}

}  // namespace
}  // namespace headlight::hub
