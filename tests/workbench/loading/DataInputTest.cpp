// SPDX-License-Identifier: GPL-3.0-or-later

// Archives and lists that are datasets, and still images in a video's container.

#include <gtest/gtest.h>

#include <fstream>

#include "core/base/files/Files.h"
#include "core/imaging/codecs/Image.h"
#include "core/imaging/codecs/OptionalFormats.h"
#include "core/workbench/loading/Input.h"
#include "tests/TemporaryFolder.h"
#include "tests/data/TarWriter.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

std::string tinyPng() {
  const Image image{4, 4, std::make_shared<const std::vector<std::uint8_t>>(48, 7)};
  return valueOrThrow(encodePng(image));
}

void writeText(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

Input inputAt(const fs::path& path) {
  return valueOrThrow(identify(path));
}

TEST(DataInput, AnArchiveOfClassFoldersIsADataset) {
  const TemporaryFolder folder;
  std::string tar;
  for (const char* name : {"cat/1.png", "cat/2.png", "dog/1.png", "dog/2.png"})
    tar += test::tarFile(name, tinyPng());
  writeText(folder / "classes.tar", tar + test::tarEnd());
  EXPECT_EQ(inputAt(folder / "classes.tar").kind, InputKind::Dataset);
  EXPECT_EQ(inputAt(folder / "classes.tar").datasetKind, "image-folder");
}

TEST(DataInput, AListOfLabelsIsADataset) {
  const TemporaryFolder folder;
  writeText(folder / "1.png", tinyPng());
  writeText(folder / "2.png", tinyPng());
  writeText(folder / "own.csv", "image,label\n1.png,cat\n2.png,dog\n");
  writeText(folder / "notes.csv", "a,b\n1,2\n");
  EXPECT_EQ(inputAt(folder / "own.csv").kind, InputKind::Dataset);
  EXPECT_FALSE(identify(folder / "notes.csv").ok());
  writeText(folder / "config.txt", "{\"model\": {}}");
  EXPECT_EQ(inputAt(folder / "config.txt").kind, InputKind::Config) << "content wins over the name";
}

TEST(DataInput, AStillIsAnImageWhateverItIsCalled) {
  const TemporaryFolder folder;
  const fs::path stills = fs::path(HEADLIGHT_GOLDEN_DIR) / "stills";
  for (const char* name : {"smooth.heic", "smooth.avif", "smooth.jxl"}) {
    fs::copy(stills / name, folder / (std::string(name) + ".mp4"));
    const Input input = inputAt(folder / (std::string(name) + ".mp4"));
    EXPECT_EQ(input.kind, InputKind::Image) << name;
  }
  EXPECT_EQ(readImageAt(stills / "smooth.heic").ok(), readsHeif());
}

}  // namespace
}  // namespace headlight
