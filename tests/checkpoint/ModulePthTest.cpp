// SPDX-License-Identifier: GPL-3.0-or-later

// Modules saved whole and TorchScript programs: their tensors under state_dict()'s names, and
// nothing of them is run.

#include "tests/checkpoint/CheckpointTesting.h"
#include "tests/checkpoint/FileBuilders.h"

namespace headlight::testing {
namespace {

/// An object of a class whose state is what `fill` puts into a dictionary.
template <typename Fill>
PickleWriter& addObject(PickleWriter& writer, const std::string& module, const std::string& name,
                        Fill fill) {
  writer.global(module, name).raw(")\x81").dict();
  fill();
  return writer.raw("b");
}

/// {"_parameters": {name: tensor}, "_buffers": {}, "_modules": {…}}
template <typename Inner>
void addModuleState(PickleWriter& writer, const std::string& parameter, Inner inner) {
  writer.text("_parameters").orderedDict();
  if (!parameter.empty()) writer.text(parameter).tensor({}).raw("s");
  writer.raw("s").text("_buffers").orderedDict().raw("s");
  writer.text("_modules").orderedDict();
  inner();
  writer.raw("s");
}

std::vector<std::string> namesOf(const Checkpoint& checkpoint) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : checkpoint.tensors)
    names.push_back(name);
  return names;
}

TEST(ModulePth, AModuleSavedWholeGivesItsTensors) {
  PickleWriter writer;
  addObject(writer, "my.models", "Net", [&] {
    addModuleState(writer, "scale", [&] {
      writer.text("body");
      addObject(writer, "torch.nn.modules.linear", "Linear",
                [&] { addModuleState(writer, "weight", [] {}); });
      writer.raw("s");
    });
  });
  const auto read = parsePth(pthBytes(writer.finish()), "whole.pth");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(namesOf(*read), (std::vector<std::string>{"scale", "body.weight"}));
  ASSERT_FALSE(read->notes.empty());
  EXPECT_NE(read->notes[0].find("saved whole"), std::string::npos);
}

TEST(ModulePth, ATorchScriptProgramGivesItsTensors) {
  PickleWriter writer;
  addObject(writer, "__torch__.my", "Net", [&] {
    writer.text("scale").tensor({}).raw("s").text("training").raw("\x88s");
    writer.text("body");
    addObject(writer, "__torch__.torch.nn", "Linear",
              [&] { writer.text("weight").tensor({}).raw("s"); });
    writer.raw("s");
  });
  auto items = pthItems(writer.finish(), {{"0", countingFloats(6)}});
  items.push_back({"archive/constants.pkl", "\x80\x02)."});
  // The code is compressed; it is not even unpacked.
  items.push_back({.name = "archive/code/__torch__/my.py", .data = "import os", .method = 8});
  const auto read = parsePth(zipBytes(items), "script.pt");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(namesOf(*read), (std::vector<std::string>{"scale", "body.weight"}));
  EXPECT_NE(read->notes[0].find("TorchScript"), std::string::npos);
}

TEST(ModulePth, TorchsOwnProgramIsRead) {
  const Checkpoint read =
      valueOrThrow(readCheckpoint(golden("transformers/openai_clip_jit/ViT-micro.pt")));
  const auto names = namesOf(read);
  const auto has = [&](const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  EXPECT_TRUE(has("visual.conv1.weight"));
  EXPECT_TRUE(has("visual.transformer.resblocks.1.attn.in_proj_weight"));
  EXPECT_TRUE(has("token_embedding.weight"));
}

TEST(ModulePth, DeepAndCircularModulesEnd) {
  PickleWriter deep;
  for (int i = 0; i < 40; ++i)
    deep.global("__torch__.a", "B").raw(")\x81}").text("m");
  deep.tensor({});
  for (int i = 0; i < 40; ++i)
    deep.raw("sb");
  EXPECT_FALSE(parsePth(pthBytes(deep.finish()), "deep.pt").ok());
  // A module that is its own child.
  PickleWriter circle;
  circle.global("__torch__.a", "B").raw(")\x81q\x01}").text("w").tensor({}).raw("s");
  circle.text("m").raw("h\x01sb");
  const auto read = parsePth(pthBytes(circle.finish()), "circle.pt");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_LT(read->tensors.size(), 40u);
  EXPECT_EQ(read->tensors.front().first, "w");
}

/// Each module holds the one before it twice: 2³⁰ names if anybody wrote them down.
TEST(ModulePth, SharedModulesDoNotMultiply) {
  PickleWriter writer;
  writer.global("__torch__.a", "B")
      .raw(")\x81}")
      .text("w")
      .tensor({})
      .raw("sbq")
      .raw(std::string(1, '\0'));
  for (char i = 1; i <= 30; ++i) {
    writer.global("__torch__.a", "B").raw(")\x81}");
    for (const char* name : {"x", "y"})
      writer.text(name).raw("h").raw(std::string(1, static_cast<char>(i - 1))).raw("s");
    writer.raw("bq").raw(std::string(1, i));
  }
  // The last one alone is the root.
  std::string bytes = "\x80\x02(" + writer.finish().substr(2);
  bytes.erase(bytes.size() - 1);
  bytes += "1h";
  bytes += std::string(1, 30) + ".";
  expectRefused(parsePth(pthBytes(bytes), "laughs.pt"), ErrorCode::InvalidFile, "looked through");
}

}  // namespace
}  // namespace headlight::testing
