// SPDX-License-Identifier: GPL-3.0-or-later

// Files that are not read are counted and named by kind, in class folders and in folders of images.

#include "core/data/files/PassedOver.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/base/Crc32.h"
#include "core/base/files/Files.h"
#include "core/data/ImageFiles.h"
#include "core/data/files/ClassFolders.h"
#include "tests/data/CacheFolder.h"
#include "tests/data/Support.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using test::writeClasses;

TEST(PassedOver, CountsByTheEndOfTheName) {
  PassedOver files;
  EXPECT_EQ(files.text(), "");
  files.addFile("notes.TXT");
  EXPECT_EQ(files.text(), "1 file is not read (1 .txt)");
  for (int i = 0; i < 3; ++i)
    files.addFile(std::to_string(i) + ".GIF");
  files.addFile("README");
  files.addFile("x.notAKindThatAnyoneHas");
  EXPECT_EQ(files.count(), 6);
  EXPECT_EQ(files.text(),
            "6 files are not read (3 .gif, 2 others, 1 .txt); save the images among these files as "
            "PNG or JPEG");
}

TEST(PassedOver, NamesHoweverManyKindsInOneLine) {
  PassedOver files;
  for (int i = 0; i < 100'000; ++i)
    files.addFile("frame." + std::to_string(i));
  EXPECT_EQ(files.count(), 100'000);
  EXPECT_LT(files.kinds().size(), 100u);
  EXPECT_LT(files.text().size(), 300u);
  EXPECT_EQ(PassedOver::kindOf("a.\x1b[31m"), "others");
}

TEST(PassedOver, IsSaidOfClassFolders) {
  const TemporaryFolder folder;
  writeClasses(folder / "train", {"a", "b"}, 2);
  writeClasses(folder / "val", {"a", "b"}, 1);
  for (const std::string name : {"a/0.gif", "a/1.gif", "b/deeper/0.jp2"})
    test::writeBytes(folder / "train" / name, "GIF89a");
  test::writeBytes(folder / "train/stray.png", "of no class");
  const auto spec = test::specOf("image-folder", folder.path());
  const auto notes = valueOrThrow(openDataset(spec, Split::Train))->notes();
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0], (folder / "train").string() +
                          ": 3 files are not read (2 .gif, 1 .jp2); save the images among these "
                          "files as PNG or JPEG");
  EXPECT_NE(notes[1].find("1 image lies beside the class folders"), notes[1].npos);
  EXPECT_TRUE(valueOrThrow(openDataset(spec, Split::Validation))->notes().empty());
}

TEST(PassedOver, IsNamedWhereAClassHasNothingElse) {
  const TemporaryFolder folder;
  for (const std::string name : {"a/0.gif", "b/0.gif", "b/1.gif"})
    test::writeBytes(folder / name, "GIF89a");
  const auto opened = openDataset(test::specOf("image-folder", folder.path()), Split::Train);
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().text().find("3 .gif"), std::string::npos) << opened.error().text();
}

/// Two classes of 600 files that are called images, with two others and an image beside, settled.
void makeLargeClasses(const fs::path& folder) {
  for (const std::string name : {"a", "b"}) {
    fs::create_directories(folder / name);
    for (int i = 0; i < 600; ++i)
      std::ofstream(folder / name / (std::to_string(i) + ".jpg"));
    test::writeBytes(folder / name / "0.gif", "");
  }
  test::writeBytes(folder / "beside.jpg", "");
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));
}

TEST(PassedOver, IsRememberedWithALargeFolder) {
  const test::CacheFolder cache;
  const TemporaryFolder folder;
  makeLargeClasses(folder.path());
  for (int i = 0; i < 2; ++i) {
    Leftovers leftovers;
    EXPECT_EQ(imagesOfClasses(folder.path(), &leftovers).size(), 2u);
    EXPECT_EQ(leftovers.files.text().substr(0, 20), "2 files are not read");
    EXPECT_EQ(leftovers.imagesBeside, 1);
    EXPECT_FALSE(cache.onlyScan().empty());
  }
}

TEST(PassedOver, IsCountedAnewWhereTheScanLies) {
  const test::CacheFolder cache;
  const TemporaryFolder folder;
  makeLargeClasses(folder.path());
  Leftovers right;
  imagesOfClasses(folder.path(), &right);
  const fs::path scan = cache.onlyScan();
  const std::string whole = valueOrThrow(readFile(scan, 1u << 20));
  const std::string zero(1, '\0');
  const auto lying = [&](const std::string& from, const std::string& to) {
    const std::string rest = whole.substr(8);  // after the checksum
    const auto at = rest.rfind(from);
    EXPECT_NE(at, rest.npos) << from;
    return rest.substr(0, at) + to + rest.substr(at + from.size());
  };
  for (const std::string& rest :
       {lying("/leftovers" + zero + "1", "/leftovers" + zero + "-1"),
        lying("/leftovers" + zero + "1", "/leftovers" + zero + "99999999999999999"),
        lying(".gif" + zero + "2", ".gif" + zero + "-2"), lying(".gif" + zero, "../../gif" + zero),
        lying(".gif" + zero, "\x1b[31m" + zero), lying("/leftovers" + zero + "1" + zero, zero),
        whole.substr(8, whole.size() - 9) + ".txt" + zero + "7" + zero}) {
    test::writeBytes(scan, crcText(crc32Of(rest.data(), rest.size())) + rest);
    Leftovers found;
    EXPECT_EQ(imagesOfClasses(folder.path(), &found).size(), 2u);
    EXPECT_EQ(found.files.kinds(), right.files.kinds());
    EXPECT_EQ(found.imagesBeside, 1);
  }
}

std::vector<std::string> namesIn(const fs::path& folder, const ImageFiles& files) {
  std::vector<std::string> names;
  for (const fs::path& image : files.images)
    names.push_back(image.lexically_relative(folder).string());
  return names;
}

TEST(ImageFiles, AreThoseOfAllFoldersWithin) {
  const TemporaryFolder folder;
  for (const std::string name : {"10.png", "9.jpg", "b/deep/1.PNG", "b/0.ppm", ".hidden/x.png",
                                 "._1.png", "a.gif", "b/c.txt"})
    test::writeBytes(folder / name, "x");
  fs::create_directory_symlink(folder.path(), folder / "b/loop");
  const ImageFiles files = imageFilesIn(folder.path());
  EXPECT_EQ(namesIn(folder.path(), files),
            (std::vector<std::string>{"9.jpg", "10.png", "b/0.ppm", "b/deep/1.PNG"}));
  EXPECT_EQ(files.passedOver.count(), 2);
  EXPECT_TRUE(files.complete);
  EXPECT_NE(files.text().find("1 .gif"), std::string::npos);
  const ImageFiles few = imageFilesIn(folder.path(), 3);
  EXPECT_FALSE(few.complete);
  EXPECT_LE(few.images.size(), 3u);
  EXPECT_THROW(imageFilesIn(folder / "missing"), Failure);
}

}  // namespace
}  // namespace headlight
