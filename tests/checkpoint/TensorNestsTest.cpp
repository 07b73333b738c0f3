// SPDX-License-Identifier: GPL-3.0-or-later

// One rule for all trainers' nests: the dictionary and the prefix under which a known model fits.

#include "core/checkpoint/TensorNests.h"

#include "tests/checkpoint/CheckpointTesting.h"
#include "tests/checkpoint/FileBuilders.h"

namespace headlight::testing {
namespace {

const std::vector<std::string> kVit{"cls_token", "patch_embed.proj.weight", "blocks.0.norm1.weight",
                                    "norm.weight"};
const std::vector<std::string> kSwin{"patch_embed.proj.weight", "layers.0.blocks.0.norm1.weight"};
const std::vector<std::string> kTransformers{"vit.embeddings.patch_embeddings.projection.weight",
                                             "vit.encoder.layer.0.output.dense.weight",
                                             "classifier.weight"};
const std::vector<std::string> kClip{"visual.conv1.weight",
                                     "visual.transformer.resblocks.0.ln_1.weight",
                                     "transformer.resblocks.0.ln_1.weight"};

std::vector<std::string> under(const std::string& prefix, std::vector<std::string> names) {
  for (std::string& name : names)
    name = prefix + name;
  return names;
}

std::vector<std::string> both(std::vector<std::string> first,
                              const std::vector<std::string>& rest) {
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

struct NestCase {
  std::string what;
  std::vector<TensorNest> nests;
  std::string taken;  ///< NestedModel::nameIn; "-": nothing is known
};

TEST(TensorNests, TheKnownModelIsTaken) {
  const std::vector<NestCase> cases{
      {"bare", {{"", kVit}}, "top"},
      {"processes", {{"", under("module.", kVit)}}, "module"},
      {"compiled", {{"", under("_orig_mod.module.", kVit)}}, "module"},
      {"compiled inside", {{"", under("module._orig_mod.", kVit)}}, "module"},
      {"Lightning",
       {{"state_dict", both(under("model.", kVit), {"criterion.weight"})}},
       "state_dict.model"},
      {"tutorials", {{"model_state_dict", kSwin}}, "model_state_dict"},
      {"net", {{"net", under("module.", kSwin)}}, "net.module"},
      {"DINO",
       {{"student", under("module.backbone.", kVit)}, {"teacher", under("backbone.", kVit)}},
       "teacher.backbone"},
      {"MoCo",
       {{"state_dict",
         both(under("module.momentum_encoder.", kVit), under("module.base_encoder.", kVit))}},
       "state_dict.module.base_encoder"},
      {"EMA", {{"model", kVit}, {"model_ema", kVit}}, "model_ema"},
      {"EMA within",
       {{"state_dict", both(under("net.", kVit), under("ema.module.", kVit))}},
       "state_dict.ema.module"},
      {"both averages", {{"model_ema", kVit}, {"state_dict_ema", kVit}}, "state_dict_ema"},
      {"JEPA",
       {{"encoder", kVit}, {"target_encoder", under("module.", kVit)}},
       "target_encoder.module"},
      {"gradients", {{"gradients", kVit}, {"weights", kVit}}, "weights"},
      {"transformers keeps its own prefix", {{"", kTransformers}}, "top"},
      {"transformers in Lightning",
       {{"state_dict", under("model.", kTransformers)}},
       "state_dict.model"},
      {"CLIP keeps its own prefix", {{"", kClip}}, "top"},
      {"the text tower alone is none", {{"", {"transformer.resblocks.0.ln_1.weight"}}}, "-"},
      {"a name that only ends alike", {{"", {"xpatch_embed.proj.weight", "blocks.0.x"}}}, "-"},
      {"blocks elsewhere", {{"", {"a.patch_embed.proj.weight", "b.blocks.0.norm1.weight"}}}, "-"},
      {"a ResNet", {{"", {"conv1.weight", "layer1.0.conv1.weight"}}}, "-"},
  };
  for (const NestCase& test : cases) {
    SCOPED_TRACE(test.what);
    std::vector<TensorNest> nests = test.nests;
    for (TensorNest& nest : nests)
      for (std::string& name : nest.names)
        name = withoutWrappers(name);
    const auto ranked = rankNests(nests);
    ASSERT_FALSE(ranked.empty());
    if (test.taken == "-")
      EXPECT_FALSE(ranked.front().known);
    else
      EXPECT_EQ(ranked.front().nameIn(nests), test.taken);
  }
}

TEST(TensorNests, AnotherIsTakenByItsName) {
  const std::vector<TensorNest> nests{{"student", under("module.backbone.", kVit)},
                                      {"teacher", under("backbone.", kVit)}};
  const auto ranked = rankNests(nests);
  for (const char* name :
       {"student", "student.module.backbone", "module", "student.module", "module.backbone"})
    EXPECT_EQ(chooseNest(ranked, nests, name, "x").nest, 0u) << name;
  for (const char* name : {"", "teacher", "backbone", "teacher.backbone"})
    EXPECT_EQ(chooseNest(ranked, nests, name, "x").nest, 1u) << name;
  for (const char* name : {"teach", "student.backbone", "Teacher", ".", "teacher."}) {
    const auto refused = guarded("x", [&] { return chooseNest(ranked, nests, name, "x").nest; });
    ASSERT_FALSE(refused.ok()) << name;
    EXPECT_NE(refused.error().message.find("teacher.backbone"), std::string::npos);
  }
}

TEST(TensorNests, WrappersInsideNamesAreNone) {
  EXPECT_EQ(withoutWrappers("blocks.0._orig_mod.norm1.weight"), "blocks.0.norm1.weight");
  EXPECT_EQ(withoutWrappers("_fsdp_wrapped_module._orig_mod.norm.weight"), "norm.weight");
  EXPECT_EQ(withoutWrappers("blocks.1._checkpoint_wrapped_module.x"), "blocks.1.x");
  EXPECT_EQ(withoutWrappers("my_orig_mod.x"), "my_orig_mod.x");
  EXPECT_EQ(withoutOuterWrappers("module.module._orig_mod.x"), "x");
  EXPECT_EQ(withoutOuterWrappers("a.module.x"), "a.module.x");
}

TEST(TensorNests, NamesOfAnyKindAreHarmless) {
  std::vector<std::string> names(2000, std::string(900, '.') + "patch_embed.proj.weight");
  for (std::size_t i = 0; i < names.size(); ++i)
    names[i] = std::to_string(i) + names[i];
  names.insert(names.end(), {"", ".", "..", "patch_embed.proj.weight", "blocks.0."});
  const auto ranked = rankNests({{"", names}, {"", {}}, {"a.b", {""}}});
  EXPECT_TRUE(ranked.front().known);
}

/// A dictionary of tensors under `key`, their names as they are.
PickleWriter& addDict(PickleWriter& writer, const std::string& key,
                      const std::vector<std::string>& names) {
  writer.text(key).dict();
  for (const std::string& name : names)
    writer.text(name).tensor({}).raw("s");
  return writer.raw("s");
}

std::vector<std::string> namesOf(const Checkpoint& checkpoint) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : checkpoint.tensors)
    names.push_back(name);
  return names;
}

std::string dinoBytes() {
  PickleWriter writer;
  writer.dict();
  addDict(writer, "student", under("module.backbone.", kVit));
  addDict(writer, "teacher", both(under("backbone.", kVit), {"head.mlp.0.weight"}));
  writer.text("epoch").integer(3).raw("s");
  return pthBytes(writer.finish());
}

TEST(TensorNests, WhatIsTakenAndLeftIsSaid) {
  const Checkpoint read = valueOrThrow(parsePth(dinoBytes(), "dino.pth"));
  EXPECT_EQ(namesOf(read), kVit);
  EXPECT_EQ(read.source, "teacher");
  EXPECT_EQ(read.prefix, "backbone.");
  ASSERT_EQ(read.choices.size(), 2u);
  EXPECT_EQ(read.choices[0].name, "teacher.backbone");
  EXPECT_EQ(read.choices[0].tensors, 4u);
  EXPECT_TRUE(read.choices[0].taken);
  EXPECT_EQ(read.choices[1].name, "student.module.backbone");
  EXPECT_FALSE(read.choices[1].taken);
  std::string aside;
  for (const std::string& part : read.leftAside)
    aside += part + "\n";
  for (const char* part : {"\"student\" (4 tensors)", "\"head.mlp.0.weight\"", "\"epoch\""})
    EXPECT_NE(aside.find(part), std::string::npos) << part << " is not in: " << aside;
  const auto plan = planLoad({}, read, {});
  EXPECT_EQ(plan->report.choices.size(), 2u);
  EXPECT_EQ(plan->report.leftAside, read.leftAside);
}

TEST(TensorNests, TheStudentIsTakenWhereItIsAskedFor) {
  const Checkpoint read = valueOrThrow(parsePth(dinoBytes(), "dino.pth", "student"));
  EXPECT_EQ(read.source, "student");
  EXPECT_EQ(namesOf(read), kVit);
  EXPECT_TRUE(read.choices[1].taken);
  expectRefused(parsePth(dinoBytes(), "dino.pth", "ema"), ErrorCode::InvalidArgument,
                "\"teacher.backbone\"");
}

class TensorNestsFile : public FolderTest {};

TEST_F(TensorNestsFile, SafetensorsHaveTheSameRule) {
  NamedTensors tensors;
  for (const std::string& name : both(under("module.", kVit), {"criterion.weight"}))
    tensors.emplace_back(name, at::ones({2}));
  valueOrThrow(writeSafetensors(path("a.safetensors"), tensors));
  const Checkpoint read = valueOrThrow(readCheckpoint(path("a.safetensors")));
  EXPECT_EQ(namesOf(read), kVit);
  EXPECT_EQ(read.leftAside, std::vector<std::string>{"\"criterion.weight\""});
  // What this program writes is as it is.
  valueOrThrow(writeSafetensors(path("own.safetensors"), tensors, {{"experiment", "{}"}}));
  EXPECT_EQ(valueOrThrow(readCheckpoint(path("own.safetensors"))).tensors.size(), 5u);
}

TEST_F(TensorNestsFile, ShardsAreOneFile) {
  NamedTensors first, second;
  for (const std::string& name : under("module.", kVit))
    (name.find("blocks") == std::string::npos ? first : second)
        .emplace_back(name, at::full({2}, static_cast<double>(name.size())));
  valueOrThrow(writeSafetensors(path("1"), first));
  valueOrThrow(writeSafetensors(path("2"), second));
  const Checkpoint read = valueOrThrow(readCheckpoint(std::vector{path("1"), path("2")}));
  EXPECT_EQ(read.tensors.size(), 4u);
  EXPECT_EQ(read.prefix, "module.");
  expectRefused(readCheckpoint(std::vector{path("1"), path("1")}), ErrorCode::InvalidFile,
                "another shard has too");
  const Checkpoint shapes = valueOrThrow(readCheckpointShapes(std::vector{path("1"), path("2")}));
  for (std::size_t i = 0; i < read.tensors.size(); ++i) {
    EXPECT_EQ(shapes.tensors[i].first, read.tensors[i].first);
    EXPECT_EQ(shapes.tensors[i].second.sizes(), read.tensors[i].second.sizes());
  }
}

TEST_F(TensorNestsFile, BlocksInChunksAreCountedThrough) {
  const auto blocksOf = [&](const std::vector<std::string>& blocks) {
    NamedTensors tensors{{"patch_embed.proj.weight", at::ones({2})}};
    for (const std::string& block : blocks)
      tensors.emplace_back("blocks." + block + ".norm1.weight", at::ones({2}));
    valueOrThrow(writeSafetensors(path("chunks.safetensors"), tensors));
    auto names = namesOf(valueOrThrow(readCheckpoint(path("chunks.safetensors"))));
    names.erase(names.begin());
    return names;
  };
  const std::vector<std::string> four{"blocks.0.norm1.weight", "blocks.1.norm1.weight",
                                      "blocks.2.norm1.weight", "blocks.3.norm1.weight"};
  EXPECT_EQ(blocksOf({"0.0", "0.1", "1.2", "1.3"}), four);  // DINOv2's
  EXPECT_EQ(blocksOf({"0.0", "0.1", "1.0", "1.1"}), four);
  EXPECT_EQ(blocksOf({"0", "1", "2", "3"}), four);
}

}  // namespace
}  // namespace headlight::testing
