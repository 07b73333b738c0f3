// SPDX-License-Identifier: GPL-3.0-or-later

// Pickles that would harm a reader that believed them.

#include "tests/checkpoint/CheckpointTesting.h"
#include "tests/checkpoint/FileBuilders.h"

namespace headlight::testing {
namespace {

Result<Checkpoint> parse(const PickleWriter& writer) {
  return parsePth(pthBytes(writer.finish()), "made-up.pth");
}

void expectInvalid(const PickleWriter& writer, const std::string& word) {
  SCOPED_TRACE(word);
  expectRefused(parse(writer), ErrorCode::InvalidFile, word);
}

/// {"w": a good tensor, "x": …}; the caller pushes what stands for … and then "s" is added.
PickleWriter besideATensor(const PickleWriter& value) {
  const std::string inner = value.finish();
  PickleWriter writer;
  writer.dict().text("w").tensor({}).raw("s").text("x");
  return writer.raw(inner.substr(2, inner.size() - 3)).raw("s");
}

class PickleHostile : public FolderTest {};

TEST_F(PickleHostile, AnAttackIsNeitherRunNorAccepted) {
  const std::string command = "touch " + path("executed").string();
  const auto call = [&](const std::string& module, const std::string& name) {
    return PickleWriter().global(module, name).mark().text(command).raw("tR");
  };
  for (const auto& [module, name] :
       std::vector<std::pair<std::string, std::string>>{{"os", "system"},
                                                        {"posix", "system"},
                                                        {"nt", "system"},
                                                        {"subprocess", "Popen"},
                                                        {"builtins", "eval"},
                                                        {"builtins", "exec"},
                                                        {"__builtin__", "eval"},
                                                        {"builtins", "__import__"}}) {
    expectInvalid(besideATensor(call(module, name)), "calls " + module + "." + name);
    expectInvalid(call(module, name), "built to attack");
  }
  expectInvalid(
      besideATensor(
          PickleWriter().text("os").text("system").raw("\x93").mark().text(command).raw("tR")),
      "built to attack");
  expectInvalid(
      besideATensor(PickleWriter().global("subprocess", "Popen").mark().text(command).raw("t\x81")),
      "built to attack");
  EXPECT_TRUE(std::filesystem::is_empty(m_folder)) << "the command was run";
}

TEST_F(PickleHostile, UnknownObjectsAreHusksWhateverIsDoneWithThem) {
  const std::vector<PickleWriter> values{
      PickleWriter().global("some.module", "function").mark().text("argument").raw("tR"),
      PickleWriter().global("argparse", "Namespace").raw(")\x81}").text("k").text("v").raw("sb"),
      PickleWriter().global("collections", "defaultdict").raw(")R").text("k").text("v").raw("s"),
      PickleWriter().global("my", "List").raw(")R").text("item").raw("a"),
      PickleWriter().global("my", "Class").raw(")}\x92"),
      PickleWriter().global("my", "factory").raw(")R)R)R"),
      PickleWriter().global("torch", "float32"),
      PickleWriter().global("torch._utils", "_rebuild_tensor").raw(")R"),
      PickleWriter().global("torch", "load").mark().text("/etc/passwd").raw("tR"),
  };
  for (const PickleWriter& value : values) {
    const auto read = parse(besideATensor(value));
    ASSERT_TRUE(read.ok()) << read.error().text();
    ASSERT_EQ(read->tensors.size(), 1u);
    EXPECT_EQ(read->tensors[0].first, "w");
    ASSERT_EQ(read->notes.size(), 2u);
    EXPECT_NE(read->notes[0].find("\"x\" (a Python object ("), std::string::npos) << read->notes[0];
    EXPECT_NE(read->notes[1].find("skipped and not run"), std::string::npos);
  }
}

TEST_F(PickleHostile, CallsElsewhereAreRefused) {
  expectInvalid(besideATensor(PickleWriter().text("f").raw(")R")), "calls text");
  expectInvalid(besideATensor(PickleWriter().raw("N)R")), "calls None");
  expectInvalid(besideATensor(PickleWriter().dict().raw(")R")), "calls a dictionary");
  expectInvalid(besideATensor(PickleWriter().tensor({}).raw(")R")), "calls a tensor");
  expectInvalid(besideATensor(PickleWriter().global("torch", "FloatStorage").raw(")R")),
                "calls a part of torch");
  expectInvalid(besideATensor(PickleWriter().global("a", "b").raw("]R")), "calls something with");
  expectInvalid(besideATensor(PickleWriter().global("collections", "OrderedDict").raw(")\x81")),
                "makes an object");
  expectInvalid(besideATensor(PickleWriter().dict().raw(")\x81")), "makes an object");
  expectInvalid(besideATensor(PickleWriter().dict().raw("}b")), "sets the state of a dictionary");
  expectInvalid(besideATensor(PickleWriter().tensor({}).raw("}b")), "sets the state of a tensor");
  expectInvalid(besideATensor(PickleWriter().orderedDict().raw("Nb")), "sets the state");
  expectInvalid(besideATensor(PickleWriter().raw("(ios\nsystem\n")), "the instruction 105");
  expectInvalid(besideATensor(PickleWriter().mark().global("os", "system").raw("o")),
                "the instruction 111");
  expectInvalid(besideATensor(PickleWriter().raw("\x82\x01")), "the instruction 130");  // EXT1
  expectInvalid(besideATensor(PickleWriter().raw("P0\n")), "the instruction 80");       // PERSID
  expectInvalid(besideATensor(PickleWriter().raw("I1\n")), "the instruction 73");       // INT
}

TEST_F(PickleHostile, TheStackAndTheMemoAreGuarded) {
  expectInvalid(PickleWriter().raw("h\x07"), "recalls the value 7");
  expectInvalid(PickleWriter().raw("j\xff\xff\xff\xff"), "recalls the value 4294967295");
  expectInvalid(PickleWriter().raw("q").raw(std::string(1, '\0')), "empty stack");
  expectInvalid(PickleWriter(), "leaves unused values");
  expectInvalid(PickleWriter().raw("NN"), "leaves unused values");
  expectInvalid(PickleWriter().raw("N("), "leaves unused values");
  expectInvalid(PickleWriter().raw("0"), "empty stack");
  expectInvalid(PickleWriter().raw("t"), "never set");
  expectInvalid(PickleWriter().raw("R"), "empty stack");
  expectInvalid(PickleWriter().raw("N\x86"), "empty stack");
  expectInvalid(PickleWriter().raw("](a"), "empty stack");
  expectInvalid(PickleWriter().raw("(u"), "empty stack");
  expectInvalid(PickleWriter().raw("N.N"), "continues after its end");
  expectInvalid(PickleWriter().raw("\x80\x09N"), "version above 5");
}

TEST_F(PickleHostile, LengthsAreNotBelieved) {
  expectInvalid(PickleWriter().raw("X\xff\xff\xff\x7f"), "cut short");
  expectInvalid(PickleWriter().raw("\x8d\xff\xff\xff\xff\xff\xff\xff\xff"), "cut short");
  expectInvalid(PickleWriter().raw("\x8e\xff\xff\xff\xff\xff\xff\xff\x7f"), "cut short");
  expectInvalid(PickleWriter().raw("\x8b\xff\xff\xff\xff"), "cut short");
  expectInvalid(PickleWriter().raw("\x95\xff\xff\xff\xff\xff\xff\xff\xff"), "cut short");
  expectInvalid(PickleWriter().raw("cno line end"), "cut short");
}

TEST_F(PickleHostile, ItemsAreSetOnContainersOnly) {
  expectInvalid(PickleWriter().raw("]").text("k").raw("Ns"), "sets an item on a list");
  expectInvalid(PickleWriter().raw("N").text("k").raw("Ns"), "sets an item on None");
  expectInvalid(PickleWriter().tensor({}).text("k").raw("Ns"), "sets an item on a tensor");
  expectInvalid(PickleWriter().raw(")(").text("k").raw("Nu"), "sets an item on a list");
  expectInvalid(PickleWriter().raw("}(Nu"), "without a value");
  expectInvalid(PickleWriter().raw("}]Ns"), "as a key");
  expectInvalid(PickleWriter().raw("})a"), "adds items to a dictionary");
  expectInvalid(PickleWriter().raw("](N\x90"), "adds items to a list");
}

TEST_F(PickleHostile, NestingHasALimit) {
  const std::string opened(100'000, ']');
  expectInvalid(PickleWriter().raw(opened).raw(std::string(99'999, 'a')), "256 deep");
  expectInvalid(PickleWriter().raw(")").raw(std::string(100'000, '\x85')), "256 deep");
  expectInvalid(PickleWriter().raw(std::string(1'000'000, '(')), "leaves unused values");
  PickleWriter husks;
  husks.global("a", "b").raw("q").raw(std::string(1, '\0')).raw("0N");
  for (int i = 0; i < 300; ++i)
    husks
        .raw(
            "\x85q\x01"
            "0h")
        .raw(std::string(1, '\0'))
        .raw("h\x01R");
  expectInvalid(husks, "256 deep");
  const auto shallow =
      parse(besideATensor(PickleWriter().raw(std::string(200, ']')).raw(std::string(199, 'a'))));
  EXPECT_TRUE(shallow.ok()) << shallow.error().text();
}

TEST_F(PickleHostile, CyclesAreHarmless) {
  // A list that holds itself, and a dictionary that is its own "model".
  EXPECT_TRUE(parse(besideATensor(PickleWriter().raw("]q\x01h\x01"
                                                     "a")))
                  .ok());
  PickleWriter writer;
  writer.dict().raw("q\x01").text("w").tensor({}).raw("s").text("model").raw("h\x01s");
  const auto read = parse(writer);
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read->source, "model");
}

TEST_F(PickleHostile, SharedValuesDoNotMultiply) {
  // Each list holds the one before it ten times: 10¹⁰⁰ items if anybody unfolded it.
  PickleWriter laughs;
  laughs.raw("]q").raw(std::string(1, '\0'));
  for (char i = 1; i <= 100; ++i) {
    laughs.raw("](");
    for (int k = 0; k < 10; ++k)
      laughs.raw("h").raw(std::string(1, static_cast<char>(i - 1)));
    laughs.raw("eq").raw(std::string(1, i));
  }
  laughs.mark().raw("1");  // POP_MARK
  for (int i = 0; i < 100; ++i)
    laughs.raw("0");
  EXPECT_TRUE(parse(besideATensor(laughs)).ok());
}

TEST_F(PickleHostile, ManyValuesAreRefused) {
  expectInvalid(PickleWriter().raw(std::string(4'100'000, 'N')), "4000000 values");
}

TEST_F(PickleHostile, StoragesFitTheirEntries) {
  using T = PickleWriter::Tensor;
  const auto tensor = [](const T& t) { return PickleWriter().dict().text("w").tensor(t).raw("s"); };
  ASSERT_TRUE(parse(tensor({})).ok());
  expectInvalid(tensor({.elements = 7}), "only 24 bytes");
  expectInvalid(tensor({.type = "DoubleStorage"}), "only 24 bytes");
  expectInvalid(tensor({.elements = INT64_MAX}), "only 24 bytes");
  expectInvalid(tensor({.elements = -1}), "not a storage");
  expectInvalid(tensor({.key = "1"}), "\"1\", which the file does not have");
  expectInvalid(tensor({.key = "../data.pkl"}), "does not have");
  // Elements that the entry has, but the storage does not.
  expectInvalid(tensor({.elements = 5}), "beyond its storage of 5");
}

TEST_F(PickleHostile, StridesStayInsideTheStorage) {
  using T = PickleWriter::Tensor;
  const auto view = [](std::int64_t offset, std::vector<std::int64_t> sizes,
                       std::vector<std::int64_t> strides) {
    const T tensor{.offset = offset, .sizes = std::move(sizes), .strides = std::move(strides)};
    return PickleWriter().dict().text("w").tensor(tensor).raw("s");
  };
  const std::int64_t huge = std::int64_t{1} << 62;
  ASSERT_TRUE(parse(view(0, {2, 3}, {3, 1})).ok());
  expectInvalid(view(1, {2, 3}, {3, 1}), "beyond");
  expectInvalid(view(0, {2, 3}, {4, 1}), "beyond");
  expectInvalid(view(0, {7}, {1}), "beyond");
  expectInvalid(view(6, {}, {}), "beyond");
  expectInvalid(view(7, {0}, {1}), "beyond");
  expectInvalid(view(INT64_MAX, {1}, {1}), "beyond");
  expectInvalid(view(0, {5}, {huge}), "beyond");
  expectInvalid(view(0, {3, 3, 3}, {huge, huge, huge}), "beyond");
  expectInvalid(view(0, {huge, 4}, {0, 0}), "impossible");
  expectInvalid(view(0, {huge, huge, 0}, {1, 1, 1}), "impossible");
  expectInvalid(view(-1, {1}, {1}), "impossible");
  expectInvalid(view(0, {-1}, {1}), "not numbers from 0");
  expectInvalid(view(0, {2, 3}, {3, -1}), "not numbers from 0");
  expectInvalid(view(0, {2, 3}, {3}), "impossible");
  expectInvalid(view(0, std::vector<std::int64_t>(65, 1), std::vector<std::int64_t>(65, 1)),
                "impossible");
}

TEST_F(PickleHostile, AStrideOfZeroDoesNotMakeTerabytes) {
  PickleWriter writer;
  writer.dict().text("w");
  writer.tensor({.sizes = {1'000'000, 1'000'000}, .strides = {0, 0}}).raw("s");
  expectInvalid(writer, "far larger than the file");
  PickleWriter many;
  many.dict();
  for (int i = 0; i < 100; ++i)
    many.text(std::string("w") += std::to_string(i))
        .tensor({.sizes = {1000}, .strides = {0}})
        .raw("s");
  expectInvalid(many, "far larger than the file");
}

TEST_F(PickleHostile, PartsOfTensorsAreWhatTheyShouldBe) {
  const auto rebuilt = [](const std::string& arguments) {
    return PickleWriter()
        .global("torch._utils", "_rebuild_tensor_v2")
        .mark()
        .raw(arguments)
        .raw("tR");
  };
  expectInvalid(rebuilt(""), "wrong number of arguments");
  expectInvalid(rebuilt("NNNNNN"), "without a storage");
  const std::string stored = PickleWriter().storage("FloatStorage", "0", 6).finish().substr(2);
  const std::string storage = stored.substr(0, stored.size() - 1);
  expectInvalid(rebuilt(storage + "N))NN"), "not a number");
  expectInvalid(PickleWriter().global("torch._utils", "_rebuild_parameter").raw(")R"),
                "without a tensor");
  expectInvalid(PickleWriter().global("torch._utils", "_rebuild_parameter").raw("N\x85R"),
                "without a tensor");
  expectInvalid(PickleWriter().raw("NQ"), "not a storage");
  expectInvalid(PickleWriter().mark().text("module").raw("NNNNtQ"), "not a storage");
}

TEST_F(PickleHostile, NamesAreUniqueAndPrintable) {
  PickleWriter twice;
  twice.dict().text("w").tensor({}).raw("s").text("w").tensor({}).raw("s");
  expectInvalid(twice, "\"w\" twice");
  PickleWriter stripped;
  stripped.dict().text("w").tensor({}).raw("s").text("module.w").tensor({}).raw("s");
  expectInvalid(stripped, "with and without");
  for (const char* name : {"w\x1b[2J", "w\xff", "w\n",
                           "\xc2\x9b"
                           "31m",
                           "\xed\xa0\x80"})
    expectInvalid(PickleWriter().dict().text(name).tensor({}).raw("s"), "control characters");
}

TEST_F(PickleHostile, WithoutTensorsItSaysWhatToDo) {
  const auto unsupported = ErrorCode::UnsupportedFile;
  expectRefused(parse(PickleWriter().dict()), unsupported, "state_dict()");
  expectRefused(parse(PickleWriter().tensor({})), unsupported, "holds a tensor instead");
  expectRefused(parse(PickleWriter().global("my", "Model").raw(")\x81}b")), unsupported,
                "my.Model");
}

TEST_F(PickleHostile, StoragesOfBooleansAndOfTwoDtypes) {
  using T = PickleWriter::Tensor;
  PickleWriter booleans;
  booleans.dict().text("w").tensor(T{"BoolStorage", "0", 2, 0, {2}, {1}}).raw("s");
  expectRefused(parsePth(pthBytes(booleans.finish(), {{"0", "\x01\x02"}}), "x.pth"),
                ErrorCode::InvalidFile, "neither 0 nor 1");
  PickleWriter both;
  both.dict().text("a").tensor({}).raw("s");
  both.text("b").tensor(T{"IntStorage", "0", 6, 0, {6}, {1}}).raw("s");
  expectInvalid(both, "two dtypes");
  PickleWriter odd;
  odd.dict().text("a").tensor(T{"FloatStorage", "0", 1, 0, {1}, {1}}).raw("s");
  expectRefused(parsePth(pthBytes(odd.finish(), {{"0", "12345"}}), "x.pth"), ErrorCode::InvalidFile,
                "whole number");
}

/// What is remembered once and used again and again costs as often as it is used.
TEST_F(PickleHostile, LongThingsAreNotNamedAgainAndAgain) {
  const std::string name(2000, 'a');
  expectInvalid(besideATensor(PickleWriter().text("os").text(name).raw("\x93")),
                "names a Python object in more than 1024 bytes");
  expectInvalid(besideATensor(PickleWriter().storage("FloatStorage", name, 1)),
                "names a storage in more than 1024 bytes");
  PickleWriter::Tensor tensor;
  tensor.sizes = tensor.strides = std::vector<std::int64_t>(65, 1);
  expectInvalid(besideATensor(PickleWriter().tensor(tensor)), "more than 64 sizes");
}

TEST_F(PickleHostile, MoreTensorsThanAnyModelHas) {
  const auto many = [](int count) {
    PickleWriter writer;
    writer.dict().text("0").tensor({}).raw("q\x01s");  // remembered, and named again
    for (int i = 1; i < count; ++i)
      writer.text(std::to_string(i)).raw("h\x01s");
    return writer;
  };
  EXPECT_TRUE(parse(many(1000)).ok());
  expectInvalid(many(65537), "more than 65536 tensors");
}

TEST_F(PickleHostile, TheStackHasAnEnd) {
  PickleWriter writer;
  writer.raw("Nq").raw(std::string(1, '\1')).raw("(");
  std::string recalls;
  for (int i = 0; i < 4'000'001; ++i)
    recalls += "h\1";
  expectInvalid(writer.raw(recalls).raw("t"), "more than 4000000 values at once");
}

}  // namespace
}  // namespace headlight::testing
