// SPDX-License-Identifier: GPL-3.0-or-later

// What a path is: one example of every kind, and of everything that must not be opened.

#include "core/workbench/loading/Input.h"

#include <gtest/gtest.h>

#include <ATen/ATen.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "core/base/files/FolderLock.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/config/Experiment.h"
#include "core/config/SequenceExperiment.h"
#include "core/training/run/ModelFile.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

const std::string kSessionJson = R"({"kind": "headlight-session", "schema": 1})";
const std::string kHubJson = R"({"architecture": "vit_tiny_patch16_224"})";
const std::string kVideoHead = "RIFF\x10\0\0\0AVI LIST"s;
const std::string kPage = "<!DOCTYPE html><html><body>Not found</body></html>";
const std::string kPointer =
    "version https://git-lfs.github.com/spec/v1\noid sha256:" + std::string(64, 'a') +
    "\nsize 12345\n";

/// A folder with one example of everything.
class InputTest : public ::testing::Test {
 protected:
  InputTest() {
    writeFiles();
    writeTensors();
    writeFolders();
  }

  void write(const std::string& name, const std::string& bytes) const {
    fs::create_directories((m_folder / name).parent_path());
    std::ofstream(m_folder / name, std::ios::binary) << bytes;
  }

  static std::string png(const std::vector<std::pair<std::string, std::string>>& text = {}) {
    Image image;
    image.width = image.height = 8;
    image.pixels = std::make_shared<std::vector<std::uint8_t>>(8 * 8 * 3, 90);
    return valueOrThrow(encodePng(image, text));
  }

  void writeFiles() const {
    write("a.png", png());
    write("image.json", png());  // content wins over the name
    write("session.png", png({{"Software", "Headlight"}, {kSessionKeyword, kSessionJson}}));
    write("other.png", png({{kSessionKeyword, "{\"kind\": 1}"}}));
    write("clip.avi", kVideoHead);
    write("literal[3]", png());
    write("config.txt", experimentToText(Experiment()));
    write("masks.json", R"({"scheme": "sch1"})");
    write("session.json", kSessionJson);
    write("sequence.json", sequenceToJson(SequenceExperiment()).dump());
    write("damaged.json", "{\"model\": ");
    write("page.png", kPage);
    write("pointer.safetensors", kPointer);
  }

  void writeTensors() const {
    const auto save = [&](const char* name, const NamedTensors& tensors,
                          const std::map<std::string, std::string>& metadata = {}) {
      valueOrThrow(writeSafetensors(m_folder / name, tensors, metadata));
    };
    save("weights", {{"head.weight", at::zeros({2, 3})}});
    save("maps.safetensors", {{"attention.0", at::full({2, 3, 4, 4}, 0.25)}});
    save("sequence.safetensors", {{"head.weight", at::zeros({2, 3})}}, {{kSequenceKey, "{}"}});
    write("torch.pth", "PK\x03\x04 nonsense");
  }

  void writeFolders() const {
    write("hub/config.json", kHubJson);
    fs::copy(m_folder / "weights", m_folder / "hub/model.safetensors");
    write("run/config.json", experimentToText(Experiment()));
    write("run/metrics.jsonl", "");
    write("begun/config.json", experimentToText(Experiment()));
    write("sequence-run/config.json", sequenceToJson(SequenceExperiment()).dump());
    write("sequence-run/metrics.csv", "step\n");
    for (const char* name : {"set/discs/0.png", "set/stars/0.png", "flat/0.png"})
      write(name, png());
    fs::create_directories(m_folder / "empty");
  }

  TemporaryFolder m_folder;
};

struct Example {
  const char* name;
  InputKind kind;
  const char* path = nullptr;  ///< where it is another
  int index = -1;
  bool byName = false;
};

TEST_F(InputTest, EveryKindIsFound) {
  const std::vector<Example> examples{
      {"a.png", InputKind::Image},
      {"image.json", InputKind::Image},
      {"other.png", InputKind::Image},
      {"literal[3]", InputKind::Image},
      {"session.png", InputKind::SessionImage},
      {"clip.avi[12]", InputKind::VideoFrame, "clip.avi", 12},
      {"maps.safetensors[1]", InputKind::MapImage, "maps.safetensors", 1},
      {"clip.avi", InputKind::Video},
      {"maps.safetensors", InputKind::Maps},
      {"weights", InputKind::Weights},
      {"torch.pth", InputKind::Weights},
      {"sequence.safetensors", InputKind::SequenceWeights},
      {"config.txt", InputKind::Config},
      {"masks.json", InputKind::Masks},
      {"session.json", InputKind::Session},
      {"sequence.json", InputKind::SequenceConfig},
      {"hub", InputKind::HubFolder},
      {"hub/config.json", InputKind::HubFolder, "hub"},
      {"run", InputKind::RunFolder},
      {"sequence-run", InputKind::SequenceRun},
      {"set", InputKind::Dataset},
      {"flat", InputKind::Folder},
      {"empty", InputKind::Folder},
      {"begun", InputKind::Folder},  // a config alone is not a run
      {"page.png", InputKind::Image, nullptr, -1, true},
      {"pointer.safetensors", InputKind::Weights, nullptr, -1, true},
  };
  for (const Example& example : examples) {
    SCOPED_TRACE(example.name);
    const auto input = identify(m_folder / example.name);
    ASSERT_TRUE(input) << input.error().text();
    EXPECT_STREQ(toText(input->kind), toText(example.kind));
    EXPECT_EQ(input->path, m_folder / (example.path ? example.path : example.name));
    EXPECT_EQ(input->index, example.index);
    EXPECT_EQ(input->byName, example.byName);
    EXPECT_FALSE(input->problem);
    EXPECT_EQ(input->datasetKind, example.kind == InputKind::Dataset ? "image-folder" : "");
    const bool hasText = input->isJson() || example.kind == InputKind::SessionImage;
    EXPECT_EQ(input->text.empty(), !hasText);
  }
}

TEST_F(InputTest, ARunIsFoundWhileItIsHeld) {
  const auto held = FolderLock::acquire(m_folder / "begun");
  ASSERT_TRUE(held);
  EXPECT_EQ(identify(m_folder / "begun")->kind, InputKind::RunFolder);
}

TEST_F(InputTest, NamesErrorsOfJson) {
  const auto input = identify(m_folder / "damaged.json");
  ASSERT_TRUE(input);
  EXPECT_EQ(input->kind, InputKind::Config);
  ASSERT_TRUE(input->problem);
  EXPECT_EQ(input->problem->code, ErrorCode::InvalidConfig);
}

TEST_F(InputTest, ASessionIsCarried) {
  EXPECT_EQ(identify(m_folder / "session.png")->text, kSessionJson);
  EXPECT_EQ(identify(m_folder / "session.json")->text, kSessionJson);
}

struct Refused {
  const char* name;
  ErrorCode code;
  const char* words;
};

TEST_F(InputTest, RefusalsGiveTheReason) {
  write("nothing.png", "");
  write("page.html", kPage);
  write("pointer", kPointer);
  write("packed.gz", "\x1f\x8b\x08\0\0\0\0\0"s);
  write("packed.7z", "7z\xbc\xaf\x27\x1c\0\4"s);
  write("notes.txt", "hello");
  write("list.m3u", "#EXTM3U\nhttp://example.org/a.ts\n");
  ASSERT_EQ(::mkfifo((m_folder / "pipe.png").c_str(), 0600), 0);
  fs::create_symlink("circle", m_folder / "circle");
  fs::create_symlink("nowhere", m_folder / "broken");
  const std::vector<Refused> refused{
      {"missing.png", ErrorCode::NotFound, "does not exist"},
      {"a.png[2]", ErrorCode::NotFound, "does not exist"},  // no frames, no maps
      {"weights[0]", ErrorCode::NotFound, "does not exist"},
      {"broken", ErrorCode::NotFound, "does not exist"},
      {"circle", ErrorCode::NotFound, "circular symbolic link"},
      {"nothing.png", ErrorCode::InvalidFile, "is empty (0 bytes)"},
      {"pipe.png", ErrorCode::UnsupportedFile, "not a regular file"},
      {"page.html", ErrorCode::UnsupportedFile, "web page"},
      {"pointer", ErrorCode::UnsupportedFile, "LFS"},
      {"packed.gz", ErrorCode::UnsupportedFile, "gzip"},
      {"packed.7z", ErrorCode::UnsupportedFile, "7z archive"},
      {"list.m3u", ErrorCode::UnsupportedFile, "refers to other files or addresses"},
      {"notes.txt", ErrorCode::UnsupportedFile, "not a supported kind of file"},
  };
  for (const Refused& one : refused) {
    SCOPED_TRACE(one.name);
    const auto input = identify(m_folder / one.name);
    ASSERT_FALSE(input) << toText(input->kind);
    EXPECT_EQ(input.error().code, one.code);
    EXPECT_EQ(input.error().where, (m_folder / one.name).string());
    EXPECT_NE(input.error().message.find(one.words), std::string::npos) << input.error().message;
  }
}

TEST_F(InputTest, WhatMayNotBeReadSaysSo) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  for (const char* name : {"flat", "a.png"}) {
    fs::permissions(m_folder / name, fs::perms::none);
    const auto input = identify(m_folder / name);
    fs::permissions(m_folder / name, fs::perms::owner_all);
    ASSERT_FALSE(input) << name;
    EXPECT_EQ(input.error().code, ErrorCode::Io);
    EXPECT_NE(input.error().message.find("cannot be read"), std::string::npos);
  }
}

TEST_F(InputTest, ANameIsGuessedFromWhereNothingCanBeRead) {
  const auto guess = [&](const char* name) { return identifyOrGuess(m_folder / name); };
  EXPECT_EQ(guess("missing.JSON").kind, InputKind::Config);
  EXPECT_EQ(guess("missing.pt").kind, InputKind::Weights);
  EXPECT_EQ(guess("missing.jpg").kind, InputKind::Image);
  EXPECT_EQ(guess("missing").kind, InputKind::Unknown);
  EXPECT_TRUE(guess("missing.pt").byName);
  EXPECT_FALSE(guess("missing.pt").holdsTensors());
  EXPECT_TRUE(guess("missing.pt").problem);
  EXPECT_FALSE(guess("weights").problem);
}

TEST_F(InputTest, AnAddressIsReadAsAnImage) {
  for (const char* name : {"a.png", "literal[3]", "maps.safetensors[1]"}) {
    const auto image = readImageAt(m_folder / name);
    ASSERT_TRUE(image) << image.error().text();
    EXPECT_GT(image->width, 0);
  }
  EXPECT_FALSE(readImageAt(m_folder / "maps.safetensors[2]"));
  EXPECT_FALSE(readImageAt(m_folder / "a.png[0]"));
  EXPECT_EQ(identify(m_folder / "clip.avi[12]")->address(), (m_folder / "clip.avi[12]").string());
}

TEST_F(InputTest, WeightsComeWithWhatNamesAModel) {
  const auto weights = [&](const char* name) {
    return weightsOfNamedModel((m_folder / name).string());
  };
  EXPECT_EQ(weights("weights"), (m_folder / "weights").string());
  EXPECT_EQ(weights("hub/config.json"), (m_folder / "hub").string());
  for (const char* name : {"config.txt", "missing.pt", "run", "a.png", "pointer.safetensors"})
    EXPECT_EQ(weights(name), "") << name;
  EXPECT_EQ(weightsOfNamedModel("deit_tiny_patch16_224"), "");
}

}  // namespace
}  // namespace headlight
