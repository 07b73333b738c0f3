// SPDX-License-Identifier: GPL-3.0-or-later

// Checkpoints as trainers leave them: several models in a file, shards, and what a list says opens.

#include <algorithm>
#include <fstream>

#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

const fs::path kField = kGolden / "field";
const fs::path kInput = kField / "input.safetensors";
const fs::path kDino = kField / "dino_full_checkpoint.pth";

using NestedFilesCliTest = CliTest;

struct FieldFile {
  const char* file;
  const char* expected;  ///< in expected.safetensors: its library's own numbers
  const char* said;
};

class FieldFilesCliTest : public CliTest, public ::testing::WithParamInterface<FieldFile> {};

TEST_P(FieldFilesCliTest, OpensByItselfWithItsLibrarysNumbers) {
  const auto outcome = run({"predict", "--tensor", kInput, "--weights", kField / GetParam().file,
                            "-o", "out.safetensors"});
  expectOk(outcome);
  const std::string expected = GetParam().expected;
  const bool classifies = expected == "vit" || expected == "mmpretrain";
  EXPECT_LT(greatestDifference(
                readTensors(path("out.safetensors")).at(classifies ? "logits" : "features"),
                readTensors(kField / "expected.safetensors").at(expected)),
            1e-4);
  EXPECT_NE(outcome.err.find(GetParam().said), std::string::npos) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(
    Trainers, FieldFilesCliTest,
    ::testing::Values(
        FieldFile{"dino_full_checkpoint.pth", "vit_features", "\"student\" (34 tensors)"},
        FieldFile{"dinov2_teacher_chunked.pth", "dinov2", "blocks in chunks"},
        FieldFile{"ddp_module.safetensors", "vit", "\"module.\""},
        FieldFile{"compiled_ddp.pth", "vit", "\"module.\""},
        FieldFile{"lightning_model.ckpt", "vit", "\"criterion.weight\""},
        FieldFile{"mocov3_vit-s.pth.tar", "vit_features", "opens as features"},
        FieldFile{"mae_checkpoint-799.pth", "vit_features", "decoder"},
        FieldFile{"model_state_dict_tutorial.pth", "vit", "took \"model_state_dict\""},
        FieldFile{"net_kuangliu.pth", "vit", "took \"net\""},
        FieldFile{"mmpretrain_vit.pth", "mmpretrain", "mmpretrain's ViT"},
        FieldFile{"legacy_zip_false.pth", "vit", ""}, FieldFile{"sharded_bin", "vit", ""},
        FieldFile{"sharded_bin/pytorch_model.bin.index.json", "vit", ""},
        FieldFile{"sharded_bin/pytorch_model-00002-of-00002.bin", "vit", ""},
        FieldFile{"head_sequential.pth", "vit_features", "opens as features"},
        FieldFile{"head_fc.pth", "vit", "head.fc is read as the head"}),
    [](const auto& info) {
      std::string name = info.param.file;
      for (char& letter : name)
        if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
      return name;
    });

TEST_F(NestedFilesCliTest, InspectListsTheModelsOfAFile) {
  const auto outcome = run({"inspect", kDino, "--json"});
  expectOk(outcome);
  const json models = outcome.json()["models"];
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[0]["name"], "teacher.backbone");
  EXPECT_EQ(models[0]["taken"], true);
  EXPECT_EQ(models[1]["name"], "student.module.backbone");
  EXPECT_EQ(outcome.json()["prefix"], "backbone.");
  const auto student = run({"inspect", kDino, "--take", "student"});
  expectOk(student);
  EXPECT_NE(student.out.find("--take student.module.backbone  30 tensors, taken"),
            std::string::npos)
      << student.out;
  expectError(run({"inspect", kDino, "--take", "ema"}), 2, {"ema", "teacher.backbone"});
}

TEST_F(NestedFilesCliTest, TheTeacherOpensAndTheStudentWhereItIsTaken) {
  const auto features = [&](const Arguments& more) {
    Arguments all{"predict", "--tensor", kInput, "-o", "out.safetensors"};
    all.insert(all.end(), more.begin(), more.end());
    const auto outcome = run(all);
    expectOk(outcome);
    EXPECT_NE(outcome.err.find("left aside"), std::string::npos) << outcome.err;
    return readTensors(path("out.safetensors")).at("features");
  };
  const Tensor teacher = features({"--weights", kDino}),
               student = features({"--weights", kDino, "--take", "student"});
  EXPECT_EQ(features({"--weights", kDino, "--take", "teacher"}), teacher);
  EXPECT_EQ(features({"--weights", kDino.string() + "[student]"}), student);
  EXPECT_EQ(features({"--model", kDino.string() + "[student]"}), student);
  EXPECT_NE(student, teacher);
}

TEST_F(NestedFilesCliTest, TrainingStartsFromTheModelThatIsTaken) {
  json config = tinyTraining();
  config["model"] = {{"image_size", 32}, {"patch_size", 8}, {"width", 24},
                     {"depth", 2},       {"heads", 3},      {"mlp_ratio", 2}};
  config["training"]["learning_rate"] = 0;
  config["training"]["min_learning_rate"] = 0;
  config["training"]["warmup_learning_rate"] = 0;
  const fs::path file = write("config.json", config);
  const auto tokenOf = [&](const std::string& take) {
    fs::remove_all(path("run"));
    Arguments all{"train", file, "--weights", kDino, "--run", "run"};
    if (!take.empty()) all.insert(all.end(), {"--take", take});
    expectOk(run(all));
    return readTensors(path("run/last.safetensors")).at("cls_token");
  };
  const Tensor teacher = tokenOf("");
  EXPECT_EQ(tokenOf("teacher"), teacher);
  EXPECT_NE(tokenOf("student"), teacher);
  expectError(run({"train", file, "--take", "student", "--run", "other"}), 2,
              {"--take", "--weights"});
}

class ShardsCliTest : public ImagesCliTest {
 protected:
  void SetUp() override {
    ImagesCliTest::SetUp();
    Tensors first, second;
    bool odd = false;
    for (const auto& [name, tensor] : readTensors(kGolden / "vit_micro.safetensors")) {
      (odd ? first : second).emplace(name, tensor);
      m_index["weight_map"][name] =
          odd ? "model-00001-of-00002.safetensors" : "model-00002-of-00002.safetensors";
      odd = !odd;
    }
    writeTensors(path("model-00001-of-00002.safetensors"), first);
    writeTensors(path("model-00002-of-00002.safetensors"), second);
  }

  Outcome logits(const fs::path& weights) const {
    return run({"predict", "--model", microConfig(), "--weights", weights, "--tensor",
                kGolden / "vit_micro.io.safetensors", "-o", "out.safetensors"});
  }

  json m_index = {{"weight_map", json::object()}};
};

TEST_F(ShardsCliTest, AnIndexOrOneShardStandsForAll) {
  const Tensor expected = readTensors(kGolden / "vit_micro.io.safetensors").at("logits");
  const auto expectAll = [&](const fs::path& weights) {
    const auto outcome = logits(weights);
    expectOk(outcome);
    EXPECT_LT(greatestDifference(readTensors(path("out.safetensors")).at("logits"), expected), 1e-4)
        << weights;
  };
  expectAll("model-00001-of-00002.safetensors");  // without an index
  const fs::path index = write("model.safetensors.index.json", m_index);
  expectAll(index);
  expectAll("model-00002-of-00002.safetensors");
  const auto inspected = run({"inspect", index, "--json"});
  expectOk(inspected);
  EXPECT_EQ(inspected.json()["tensors"].size(), m_index["weight_map"].size());
}

TEST_F(ShardsCliTest, WhatIsMissingOrElsewhereIsSaid) {
  const fs::path index = write("model.safetensors.index.json", m_index);
  fs::remove(path("model-00002-of-00002.safetensors"));
  expectError(logits(index), 3, {"model-00002-of-00002.safetensors", "missing"});
  expectError(logits("model-00001-of-00002.safetensors"), 3, {"model-00002-of-00002", "missing"});
  fs::remove(index);
  expectError(logits("model-00001-of-00002.safetensors"), 3, {"model-00002-of-00002", "missing"});
  for (const char* map : {R"({"weight_map": {"a": "../secret.safetensors"}})",
                          R"({"weight_map": {"a": "/etc/passwd"}})", R"({"weight_map": {"a": 3}})",
                          R"({"weight_map": {}})", R"({"weight_map": []})"}) {
    const auto outcome = logits(write("forged.bin.index.json", std::string(map)));
    EXPECT_NE(outcome.exitCode, 0) << map;
    EXPECT_NE(outcome.err.find("forged.bin.index.json"), std::string::npos) << outcome.err;
  }
}

TEST_F(NestedFilesCliTest, TheListSaysWhatOpens) {
  const fs::path folder = path("files");
  fs::create_directories(folder);
  for (const char* file :
       {"dino_full_checkpoint.pth", "lightning_model.ckpt", "mocov3_vit-s.pth.tar",
        "mae_checkpoint-799.pth", "legacy_zip_false.pth", "control_levit.safetensors"})
    fs::copy_file(kField / file, folder / file);
  for (const char* file : {"vit_micro.safetensors", "vit_micro.io.safetensors", "torch_varied.pth"})
    fs::copy_file(kGolden / file, folder / file);
  std::ofstream(folder / "page.bin") << "<!DOCTYPE html><html></html>";
  std::ofstream(folder / "nothing.pth") << "nothing";
  const auto listed = runAtHome({"models", "--folder", folder, "--json"});
  expectOk(listed);
  std::size_t opened = 0;
  const json models = listed.json()["models"];
  for (const json& model : models) {
    const auto outcome = run({"summary", model["path"].get<std::string>()});
    EXPECT_EQ(outcome.exitCode == 0, model["can_open"].get<bool>()) << model << outcome.err;
    opened += outcome.exitCode == 0 ? 1 : 0;
  }
  EXPECT_EQ(models.size(), 11u);
  EXPECT_EQ(opened, 7u);
}

TEST_F(NestedFilesCliTest, HeadsThatNothingSaysAreAssumedAndSaid) {
  const auto features = [&](const Arguments& more) {
    Arguments all{"predict", "--weights", kDino, "--tensor", kInput, "-o", "out.safetensors"};
    all.insert(all.end(), more.begin(), more.end());
    const auto outcome = run(all);
    expectOk(outcome);
    const bool isAssumed = outcome.err.find("assuming 3, as ViT-Tiny has") != std::string::npos;
    EXPECT_EQ(isAssumed, more.empty()) << outcome.err;
    return readTensors(path("out.safetensors"));
  };
  EXPECT_EQ(features({}), features({"--heads", "3"}));
  EXPECT_NE(features({}), features({"--heads", "4"}));
  expectError(run({"predict", "--weights", kDino, "--tensor", kInput, "--heads", "5"}), 3, {"5"});
  expectError(run({"predict", "--weights", kDino, "--tensor", kInput, "--heads", "0"}), 2,
              {"--heads"});
}

TEST_F(NestedFilesCliTest, EveryCommandTakesAModelOfAFile) {
  const std::string student = kDino.string() + "[student]";
  const auto tensors = [&](const Arguments& more) {
    Arguments all{"convert"};
    all.insert(all.end(), more.begin(), more.end());
    expectOk(run(all));
    return readTensors(path("out.safetensors"));
  };
  const Tensors teacher = tensors({kDino, "out.safetensors"}),
                taken = tensors({kDino, "out.safetensors", "--take", "student"});
  EXPECT_NE(taken, teacher);
  EXPECT_EQ(tensors({student, "out.safetensors"}), taken);
  EXPECT_EQ(tensors({student, "out.safetensors", "--take", "teacher"}), teacher);
  const auto inspected = run({"inspect", student, "--json"});
  expectOk(inspected);
  EXPECT_EQ(inspected.json()["tensors"],
            run({"inspect", kDino, "--take", "student", "--json"}).json()["tensors"]);
  EXPECT_EQ(inspected.json()["models"][1]["taken"], true);
  expectOk(run({"inspect", student, "--against", "vit_micro"}));
  for (const Arguments& model : {Arguments{student}, Arguments{kDino, "--take", "student"}}) {
    Arguments summary{"summary"}, pixels{"preprocess", "-o", "pixels.safetensors"};
    summary.insert(summary.end(), model.begin(), model.end());
    pixels.insert(pixels.end(), {kGolden / "transformers/picture.png", "--weights"});
    pixels.insert(pixels.end(), model.begin(), model.end());
    expectOk(run(summary));
    expectOk(run(pixels));
  }
  for (const char* command : {"convert", "inspect", "preprocess", "summary", "predict", "train"})
    EXPECT_NE(run({command, "--help"}).out.find("FILE[NAME] says the same"), std::string::npos)
        << command;
  expectError(run({"convert", kDino.string() + "[ema]", "out.safetensors"}), 2, {"ema"});
}

}  // namespace
}  // namespace headlight::testing
