// SPDX-License-Identifier: GPL-3.0-or-later

// Class folders and lists inside ZIP and tar archives; archives that lie.

#include "core/data/files/ArchivePlace.h"

#include <gtest/gtest.h>

#include "core/data/DataNotes.h"
#include "tests/data/Support.h"
#include "tests/data/TarWriter.h"
#include "tests/data/ZipWriter.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using test::hasText;
using test::specOf;
using test::TemporaryFolder;
using test::writeBytes;
using Files = std::vector<std::pair<std::string, std::string>>;
using Names = std::vector<std::string>;

std::string png(int red) {
  return valueOrThrow(encodePng(test::solidImage(8, 8, {static_cast<std::uint8_t>(red), 1, 2})));
}

Files classFiles(const std::string& top = "") {
  Files files;
  for (const std::string split : {"train", "val"})
    for (const std::string name : {"cat", "dog"})
      for (int i = 0; i < (split == "val" ? 1 : 3); ++i)
        files.emplace_back(top + split + "/" + name + "/" + std::to_string(i) + ".png",
                           png(name == "dog" ? 200 : 100));
  return files;
}

std::string tarArchive(const Files& files) {
  std::string tar;
  for (const auto& [name, bytes] : files)
    tar += test::tarFile(name, bytes);
  return tar + test::tarEnd();
}

void expectClasses(const fs::path& path) {
  EXPECT_EQ(detectDatasetKind(path), "image-folder") << path;
  const auto train = openDataset(specOf("image-folder", path), Split::Train);
  ASSERT_TRUE(train.ok()) << train.error().text();
  EXPECT_EQ((*train)->size(), 6);
  EXPECT_EQ((*train)->classNames(), (Names{"cat", "dog"}));
  const auto validation =
      valueOrThrow(openDataset(specOf("image-folder", path), Split::Validation));
  ASSERT_EQ(validation->size(), 2);
  for (int i = 0; i < 2; ++i) {
    const Sample sample = valueOrThrow(validation->sample(i));
    EXPECT_EQ(sample.label, i);
    EXPECT_EQ(int(sample.image.pixels->front()), i == 0 ? 100 : 200);
  }
  EXPECT_FALSE(validation->stamp().empty());
  EXPECT_TRUE(hasText(validation->describe(1), "dog/0.png"));
}

std::string archiveRefusal(const std::string& bytes) {
  const TemporaryFolder folder;
  writeBytes(folder / "data.zip", bytes);
  const auto dataset = openDataset(specOf("image-folder", folder / "data.zip"), Split::Train);
  if (!dataset) return dataset.error().text();
  const auto sample = (*dataset)->sample(0);
  return sample.ok() ? "" : sample.error().text();
}

TEST(ArchivePlace, ReadsClassFoldersWhereTheyLie) {
  const TemporaryFolder folder;
  for (const std::string top : {"", "./", "photos-main/", "a/b/"}) {
    writeBytes(folder / "packed.zip", test::zipArchive(classFiles(top)));
    expectClasses(folder / "packed.zip");
    writeBytes(folder / "stored.zip", test::zipArchive(classFiles(top), false));
    expectClasses(folder / "stored.zip");
    writeBytes(folder / "classes.tar", tarArchive(classFiles(top)));
    expectClasses(folder / "classes.tar");
  }
}

TEST(ArchivePlace, ReadsListsAndCountsWhatIsPassedOver) {
  const TemporaryFolder folder;
  Files files{
      {"images/1.png", png(1)}, {"images/2.png", png(2)}, {"train.txt", "1.png a\n2.png b\n"}};
  writeBytes(folder / "list.zip", test::zipArchive(files));
  EXPECT_EQ(
      valueOrThrow(openDataset(specOf("image-folder", folder / "list.zip"), Split::Train))->size(),
      2);
  files = classFiles();
  files.emplace_back("train/cat/x.gif", "GIF89a");
  files.emplace_back("__MACOSX/train/cat/._0.png", "junk");
  files.emplace_back("train/.DS_Store", "junk");
  writeBytes(folder / "more.zip", test::zipArchive(files));
  const auto dataset =
      valueOrThrow(openDataset(specOf("image-folder", folder / "more.zip"), Split::Train));
  EXPECT_EQ(dataset->size(), 6);
  ASSERT_EQ(dataset->notes().size(), 1u);
  EXPECT_TRUE(hasText(dataset->notes()[0], "1 .gif"));
}

TEST(ArchivePlace, ShardsStayShards) {
  const TemporaryFolder folder;
  writeBytes(
      folder / "train.tar",
      tarArchive({{"a/0.png", png(1)}, {"a/0.cls", "0"}, {"b/1.png", png(2)}, {"b/1.cls", "1"}}));
  EXPECT_EQ(detectDatasetKind(folder / "train.tar"), "webdataset");
}

TEST(ArchivePlace, RefusesNamesThatLeadOutside) {
  for (const std::string name :
       {"../evil.png", "train/../../evil.png", "/etc/evil.png", "..\\evil.png"}) {
    Files files = classFiles();
    files.emplace_back(name, png(3));
    EXPECT_TRUE(hasText(archiveRefusal(test::zipArchive(files)), "leads out of the archive"))
        << name;
    EXPECT_TRUE(hasText(archiveRefusal(tarArchive(files)), "leads out of the archive")) << name;
  }
}

TEST(ArchivePlace, RefusesTablesThatLie) {
  Files twice = classFiles();
  twice.push_back(twice.front());
  EXPECT_TRUE(hasText(archiveRefusal(test::zipArchive(twice)), "twice"));
  EXPECT_TRUE(hasText(archiveRefusal(test::zipArchive(classFiles(), true, {.addedSize = 1u << 30})),
                      "cannot be"));
  EXPECT_TRUE(hasText(archiveRefusal(test::zipArchive(classFiles(), true, {.addedSize = 1})),
                      "cannot be unpacked"));
  EXPECT_TRUE(hasText(archiveRefusal(test::zipArchive(classFiles(), false, {.addedSize = 1})),
                      "cannot be"));
  EXPECT_TRUE(
      hasText(archiveRefusal(test::zipArchive(classFiles(), true, {.flags = 1})), "encrypted"));
  EXPECT_TRUE(
      hasText(archiveRefusal(test::zipArchive(classFiles(), true, {.method = 12})), "method"));
  EXPECT_TRUE(
      hasText(archiveRefusal(test::zipArchive(classFiles(), true, {.crcChange = 7})), "checksum"));
}

TEST(ArchivePlace, RefusesEveryTruncation) {
  const std::string whole = test::zipArchive(classFiles());
  for (std::size_t bytes = 30; bytes < whole.size(); bytes += 7)
    EXPECT_NE(archiveRefusal(whole.substr(0, bytes)), "") << bytes;
}

}  // namespace
}  // namespace headlight
