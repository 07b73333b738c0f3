// SPDX-License-Identifier: GPL-3.0-or-later

// Files as trainers leave them: whatever is around the weights, they give what timm's model gives.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/checkpoint/ForeignNames.h"
#include "core/models/backbones/FinalNorm.h"
#include "core/workbench/identify/IdentifyModel.h"
#include "core/workbench/loading/LoadedModel.h"
#include "tests/models/Golden.h"

namespace headlight {
namespace {

struct NestedFile {
  const char* file;
  const char* taken;  ///< Checkpoint::source and ::prefix
  const char* prefix;
  const char* said;  ///< in its notes or those of its model; empty: nothing
};

std::string joinedNotes(const Checkpoint& read, const std::vector<std::string>& notes) {
  std::string text;
  for (const auto* list : {&read.notes, &notes})
    for (const std::string& note : *list)
      text += note + "\n";
  return text;
}

double worstOf(const at::Tensor& a, const at::Tensor& b) {
  EXPECT_EQ(a.sizes(), b.sizes());
  return a.sizes() == b.sizes() ? (a - b).abs().max().item<double>() : 1;
}

/// With the heads said: a file that holds tensors alone does not tell them.
std::shared_ptr<Model> modelOf(Checkpoint read, std::vector<std::string>& notes) {
  read.metadata["config"] = R"({"num_heads": 4})";
  auto model = makeModel(identifyModel(read, notes), 4);
  for (std::string& note : requireExplained(*model, read, "file"))
    notes.push_back(std::move(note));
  const Grid grid = model->grid(0);
  const LoadPlan plan = valueOrThrow(planLoad(
      model->state(), read, {.prefixTokens = grid.prefix, .rows = grid.rows, .cols = grid.cols}));
  EXPECT_TRUE(plan.report.unfilled().empty()) << plan.report.summary();
  valueOrThrow(applyLoad(model->state(), plan));
  model->eval();
  return model;
}

class NestedFiles : public ::testing::TestWithParam<NestedFile> {};

TEST_P(NestedFiles, GiveTimmsNumbers) {
  const at::NoGradGuard noGrad;
  const std::string file = GetParam().file;
  const Checkpoint read = goldenFile("transformers/" + file);
  EXPECT_EQ(read.source, GetParam().taken);
  EXPECT_EQ(read.prefix, GetParam().prefix);
  std::vector<std::string> notes;
  const auto model = modelOf(read, notes);
  const std::string said = joinedNotes(read, notes);
  EXPECT_NE(said.find(GetParam().said), std::string::npos) << said;
  const auto io =
      goldenTensors("transformers/" + file.substr(0, file.find('/')) + "/expected.io.safetensors");
  at::Tensor tokens = model->embed(io.at("input"));
  for (int l = 0; l < model->layers(); ++l)
    tokens = model->block(l, tokens, nullptr);
  EXPECT_LT(worstOf(finalNormed(*model, tokens).tokens, io.at("features")), 1e-4);
  if (model->config().classes > 0) {
    EXPECT_LT(worstOf(model->classify(tokens), io.at("logits")), 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Trainers, NestedFiles,
    ::testing::Values(
        NestedFile{"ddp_module/model.pth", "", "module.", "without the prefix \"module.\""},
        NestedFile{"ddp_training/checkpoint.pth.tar", "state_dict", "module.", "\"optimizer\""},
        NestedFile{"compiled/model.pth", "", "", ""},
        NestedFile{"compiled/model_ddp.pth", "", "module.", ""},
        NestedFile{"lightning/epoch=9-step=1170.ckpt", "state_dict", "model.",
                   "\"criterion.weight\""},
        NestedFile{"legacy_pickle/model.pth", "", "", ""},
        NestedFile{"dino_fb/checkpoint.pth", "teacher", "backbone.", "the average or teacher"},
        NestedFile{"moco_v3/checkpoint.pth.tar", "state_dict", "module.base_encoder.",
                   "opens as features"},
        NestedFile{"mae_fb/mae_pretrain_vit_micro.pth", "model", "", ""},
        NestedFile{"mae_fb/checkpoint-5.pth", "model", "", "only needed for training"}),
    [](const auto& info) {
      std::string name = info.param.file;
      for (char& letter : name)
        if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
      return name;
    });

/// The teacher and the student are two models of one file.
TEST(NestedFiles, AnotherModelIsTakenByName) {
  const std::string file = HEADLIGHT_GOLDEN_DIR "/transformers/dino_fb/checkpoint.pth";
  const Checkpoint teacher = valueOrThrow(readCheckpoint(file)),
                   student = valueOrThrow(readCheckpoint(file, "student"));
  ASSERT_EQ(teacher.tensors.size(), student.tensors.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i < teacher.tensors.size(); ++i) {
    EXPECT_EQ(teacher.tensors[i].first, student.tensors[i].first);
    different += at::equal(teacher.tensors[i].second, student.tensors[i].second) ? 0 : 1;
  }
  EXPECT_GT(different, 0u);
}

/// Names and sizes of a timm ViT of width 8 with this head.
Checkpoint withHead(const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& head) {
  ModelConfig config;
  config.imageSize = 16;
  config.patchSize = 8;
  config.width = 9;
  config.depth = 1;
  config.heads = 3;
  config.classes = 0;
  Checkpoint checkpoint;
  checkpoint.tensors = makeModel(config, 1)->state();
  for (const auto& [name, shape] : head)
    checkpoint.tensors.emplace_back(name, at::ones(shape));
  return checkpoint;
}

std::vector<std::string> notesOfHead(const Checkpoint& checkpoint) {
  std::vector<std::string> notes;
  const auto model = makeModel(identifyModel(checkpoint, notes), 1);
  EXPECT_EQ(model->config().classes, 0);
  return requireExplained(*model, checkpoint, "file");
}

TEST(UnknownHeads, OpenAsFeaturesAndSaySo) {
  for (const auto& head :
       std::vector<std::vector<std::pair<std::string, std::vector<std::int64_t>>>>{
           {{"head.0.weight", {4, 9}}, {"head.0.bias", {4}}, {"head.2.weight", {2, 4}}},
           {{"fc.weight", {4, 9}}, {"fc.bias", {4}}},
           {{"classifier.1.weight", {4, 9}}},
           {{"head.weight", {4, 5}}, {"head.bias", {4}}},
           {{"head.mlp.0.weight", {4, 9}}, {"head.last_layer.weight_g", {4, 1}}}}) {
    const auto notes = notesOfHead(withHead(head));
    ASSERT_EQ(notes.size(), 1u) << head[0].first;
    EXPECT_NE(notes[0].find(head[0].first), std::string::npos) << notes[0];
    EXPECT_NE(notes[0].find("opens as features"), std::string::npos) << notes[0];
  }
}

TEST(UnknownHeads, UnknownPartsOfTheBodyAreRefused) {
  for (const char* name : {"blocks.0.adapter.weight", "extra.weight", "fc_norm2.weight",
                           "head_norm.weight", "blocks.0.decoder.weight"}) {
    const Checkpoint file = withHead({{name, {9}}});
    EXPECT_THROW(notesOfHead(file), Failure) << name;
  }
}

/// A gray image in three channels gives what one channel gave.
TEST(GrayPatches, SeeTheBrightnessOfAColorImage) {
  for (const at::ScalarType dtype : {at::kFloat, at::kHalf}) {
    Checkpoint file;
    const at::Tensor gray = at::randn({4, 1, 2, 2}).to(dtype);
    file.tensors = {{"patch_embed.proj.weight", gray}};
    spreadGrayPatches(file);
    const at::Tensor& spread = file.tensors[0].second;
    EXPECT_EQ(spread.scalar_type(), dtype);
    ASSERT_EQ(spread.sizes(), (std::vector<std::int64_t>{4, 3, 2, 2}));
    EXPECT_LT(worstOf(spread.to(at::kFloat).sum(1, true), gray.to(at::kFloat)), 1e-2);
    ASSERT_EQ(file.notes.size(), 1u);
    spreadGrayPatches(file);  // once
    EXPECT_EQ(file.notes.size(), 1u);
  }
  Checkpoint odd;
  odd.tensors = {{"patch_embed.proj.weight", at::ones({4, 1})}};
  spreadGrayPatches(odd);
  EXPECT_TRUE(odd.notes.empty());
}

}  // namespace
}  // namespace headlight
