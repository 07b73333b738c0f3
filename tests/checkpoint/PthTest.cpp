// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files/Files.h"
#include "tests/checkpoint/CheckpointTesting.h"
#include "tests/checkpoint/FileBuilders.h"

namespace headlight::testing {
namespace {

Checkpoint parse(const std::string& bytes) {
  return valueOrThrow(parsePth(bytes, "built.pth"));
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines)
    text += line + "\n";
  return text;
}

/// {"name": tensor of [2, 3] from 0 to 5} inside a dictionary called `key`.
PickleWriter& addDict(PickleWriter& writer, const std::string& key, const std::string& name) {
  return writer.text(key).dict().text(name).tensor({}).raw("s").raw("s");
}

TEST(Pth, TheGoldenStateDictIsThatOfSafetensors) {
  const Checkpoint expected = valueOrThrow(readCheckpoint(golden("vit_micro.safetensors")));
  const Checkpoint bare = valueOrThrow(readCheckpoint(golden("vit_micro_state_dict.pth")));
  EXPECT_EQ(bare.format, "pth");
  EXPECT_EQ(bare.source, "");
  EXPECT_TRUE(bare.notes.empty()) << joined(bare.notes);
  ASSERT_EQ(bare.tensors.size(), 44u);
  expectSameTensors(bare.tensors, expected.tensors);
}

TEST(Pth, TheGoldenTrainingCheckpointIsThatOfSafetensors) {
  const Checkpoint expected = valueOrThrow(readCheckpoint(golden("vit_micro.safetensors")));
  const Checkpoint trained =
      valueOrThrow(readCheckpoint(golden("vit_micro_training_checkpoint.pth")));
  EXPECT_EQ(trained.source, "model");
  ASSERT_EQ(trained.tensors.size(), 44u);
  expectSameTensors(trained.tensors, expected.tensors);
  const std::string notes = joined(trained.notes);
  for (const char* said : {"optimizer", "epoch", "\"args\" (a Python object (argparse.Namespace))",
                           "skipped and not run"})
    EXPECT_NE(notes.find(said), std::string::npos) << said << " is not in: " << notes;
}

TEST(Pth, WhatTorchSavesInPracticeIsRead) {
  const Checkpoint expected = valueOrThrow(readCheckpoint(golden("torch_varied.safetensors")));
  const Checkpoint varied = valueOrThrow(readCheckpoint(golden("torch_varied.pth")));
  EXPECT_EQ(varied.source, "state_dict_ema");
  expectSameTensors(varied.tensors, expected.tensors);
  const std::string notes = joined(varied.notes);
  for (const char* said :
       {"ComplexFloatStorage", "\"module.count\" (a number)", "pathlib", "collections.defaultdict"})
    EXPECT_NE(notes.find(said), std::string::npos) << said << " is not in: " << notes;
}

TEST(Pth, DictionariesAreTakenInTheirOrderOfPreference) {
  const std::vector<std::string> order{"state_dict_ema", "model_ema", "state_dict", "model"};
  for (std::size_t from = 0; from < order.size(); ++from) {
    PickleWriter writer;
    writer.dict();
    for (std::size_t i = order.size(); i-- > from;)
      addDict(writer, order[i], "w" + order[i]);
    writer.text("bare").tensor({}).raw("s");
    const Checkpoint read = parse(pthBytes(writer.finish()));
    EXPECT_EQ(read.source, order[from]);
    ASSERT_EQ(read.tensors.size(), 1u);
    EXPECT_EQ(read.tensors[0].first, "w" + order[from]);
  }
}

TEST(Pth, APreferredNameWithoutTensorsIsPassedOver) {
  PickleWriter writer;
  writer.dict().text("state_dict_ema").raw("Ns").text("model_ema").dict().raw("s");
  writer.text("state_dict").global("torch.nn", "Module").raw(")\x81s");
  addDict(writer, "model", "w");
  EXPECT_EQ(parse(pthBytes(writer.finish())).source, "model");
}

TEST(Pth, PrefixesOfWrappersAreStripped) {
  PickleWriter writer;
  writer.orderedDict();
  for (const char* name : {"module.a", "_orig_mod.b", "module._orig_mod.c", "d.module.e"})
    writer.text(name).tensor({}).raw("s");
  const Checkpoint read = parse(pthBytes(writer.finish()));
  std::vector<std::string> names;
  for (const auto& [name, tensor] : read.tensors)
    names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "c", "d.module.e"}));
}

TEST(Pth, ViewsAreReadThroughTheirStrides) {
  PickleWriter writer;
  writer.dict();
  writer.text("t").tensor({"FloatStorage", "0", 6, 0, {3, 2}, {1, 3}}).raw("s");
  writer.text("tail").tensor({"FloatStorage", "0", 6, 4, {2}, {1}}).raw("s");
  writer.text("odd").tensor({"FloatStorage", "0", 6, 1, {3}, {2}}).raw("s");
  writer.text("one").tensor({"FloatStorage", "0", 6, 5, {1, 1}, {INT64_MAX, INT64_MAX}}).raw("s");
  writer.text("none").tensor({"FloatStorage", "0", 6, 6, {0, 4}, {9, 9}}).raw("s");
  const at::Tensor base = at::arange(6).to(at::kFloat);
  expectSameTensors(parse(pthBytes(writer.finish())).tensors,
                    {{"t", base.view({2, 3}).t()},
                     {"tail", base.slice(0, 4)},
                     {"odd", base.slice(0, 1, 6, 2)},
                     {"one", base.slice(0, 5).view({1, 1})},
                     {"none", at::empty({0, 4})}});
}

TEST(Pth, NewerProtocolsAreRead) {
  // Protocol 4: FRAME, SHORT_BINUNICODE, MEMOIZE, STACK_GLOBAL.
  PickleWriter writer;
  writer.raw(std::string("\x95") + littleEndian(10, 8)).dict().raw("\x94(");
  writer.raw("\x8c\x01w\x94").tensor({}).raw("\x94");
  writer.raw(
      "\x8c\x01x\x94\x8c\x08"
      "argparse\x8c\x09Namespace\x93)\x81}b");
  writer.raw("\x8c\x01y").raw("h").raw(std::string(1, '\x02')).raw("u");
  const Checkpoint read = parse(pthBytes(writer.finish()));
  ASSERT_EQ(read.tensors.size(), 2u);
  EXPECT_EQ(read.tensors[1].first, "y");
  EXPECT_TRUE(at::equal(read.tensors[1].second, at::arange(6).to(at::kFloat).view({2, 3})));
}

TEST(Pth, ArchivesOfOtherHonestWritersAreRead) {
  PickleWriter writer;
  writer.dict().text("w").tensor({}).raw("s");
  auto items = pthItems(writer.finish(), {{"0", countingFloats(6)}});
  for (ZipItem& item : items)
    item.flags = 0;  // sizes in front, as Python's zipfile does
  const auto plain = parsePth(zipBytes(items, {.zip64End = false}), "plain");
  ASSERT_TRUE(plain.ok()) << plain.error().text();
  EXPECT_EQ(plain->tensors.size(), 1u);
  items.push_back({"archive/byteorder", "little"});
  EXPECT_TRUE(parsePth(zipBytes(items), "with byte order").ok());
}

TEST(Pth, EmptyStoragesAreRead) {
  PickleWriter writer;
  writer.dict().text("w").tensor({"HalfStorage", "0", 0, 0, {0, 3}, {3, 1}}).raw("s");
  const Checkpoint read = parse(pthBytes(writer.finish(), {{"0", ""}}));
  EXPECT_EQ(read.tensors[0].second.sizes(), (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(read.tensors[0].second.scalar_type(), at::kHalf);
}

TEST(Pth, WritingItAsSafetensorsAndBackChangesNothing) {
  const Checkpoint pth = valueOrThrow(readCheckpoint(golden("torch_varied.pth")));
  const auto path = std::filesystem::temp_directory_path() /
                    ("headlight-convert-" + std::to_string(::getpid()) + ".safetensors");
  ASSERT_TRUE(writeSafetensors(path, pth.tensors).ok());
  expectSameTensors(valueOrThrow(readCheckpoint(path)).tensors, pth.tensors);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace headlight::testing
