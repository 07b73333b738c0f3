// SPDX-License-Identifier: GPL-3.0-or-later

// ImageNet's development kit. The meta.mat files are SciPy's (scipy.io.savemat, 1.16, compressed
// and not), with the kit's columns and four synsets.

#include "core/data/labels/ImageNetDevkit.h"

#include <gtest/gtest.h>

#include "core/base/files/Files.h"
#include "tests/data/Refusals.h"
#include "tests/data/Support.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using test::hasText;
using test::specOf;
using test::TemporaryFolder;
using test::writeBytes;
using Names = std::vector<std::string>;

std::string metaFile(const std::string& name) {
  return valueOrThrow(readFile(fs::path(HEADLIGHT_GOLDEN_DIR) / "devkit" / name, 1u << 20));
}

void writeImageNet(const fs::path& folder, const std::string& truth) {
  test::writeClasses(folder / "train", {"n02084071", "n02119022", "n02123045"}, 2);
  for (int i = 1; i <= 4; ++i)
    test::writePng(folder / "val" / ("ILSVRC2012_val_0000000" + std::to_string(i) + ".png"),
                   test::solidImage(8, 8, {9, 9, 9}));
  writeBytes(folder / "ILSVRC2012_devkit_t12/data/ILSVRC2012_validation_ground_truth.txt", truth);
}

std::string devkitRefusal(const fs::path& folder) {
  return refusal(specOf("image-folder", folder), Split::Validation);
}

TEST(ImageNetDevkit, ReadsTheSynsetsOfBothForms) {
  for (const char* name : {"meta.mat", "meta_plain.mat"}) {
    const Names synsets = synsetsFromMeta(metaFile(name), name);
    ASSERT_EQ(synsets.size(), 1001u) << name;
    EXPECT_EQ(synsets[0], "n02084071");
    EXPECT_EQ(synsets[1], "n02119022");
    EXPECT_EQ(synsets[2], "n02123045");
    EXPECT_EQ(synsets[3], "");
  }
}

TEST(ImageNetDevkit, LabelsAFlatValidationFolder) {
  const TemporaryFolder folder;
  writeImageNet(folder.path(), "3\n1\n2\n3\n");
  EXPECT_TRUE(hasText(devkitRefusal(folder.path()), "meta.mat beside it"))
      << devkitRefusal(folder.path());
  writeBytes(folder / "ILSVRC2012_devkit_t12/data/meta.mat", metaFile("meta.mat"));
  EXPECT_EQ(detectDatasetKind(folder.path()), "image-folder");
  const auto validation =
      valueOrThrow(openDataset(specOf("image-folder", folder.path()), Split::Validation));
  ASSERT_EQ(validation->size(), 4);
  EXPECT_EQ(validation->classNames(), (Names{"n02084071", "n02119022", "n02123045"}));
  for (const auto& [index, label] : {std::pair{0, 2}, {1, 0}, {2, 1}, {3, 2}})
    EXPECT_EQ(valueOrThrow(validation->sample(index)).label, label);
}

TEST(ImageNetDevkit, RefusesWhatDoesNotFit) {
  const TemporaryFolder folder;
  writeImageNet(folder.path(), "3\n1\n2\n");
  writeBytes(folder / "ILSVRC2012_devkit_t12/data/meta.mat", metaFile("meta.mat"));
  EXPECT_TRUE(hasText(devkitRefusal(folder.path()), "3 lines for 4 images"))
      << devkitRefusal(folder.path());
  writeImageNet(folder.path(), "3\n1\n2\n77\n");
  EXPECT_TRUE(hasText(devkitRefusal(folder.path()), "does not explain, in line 4"));
}

TEST(MatFile, RefusesDamageOfEveryByte) {
  for (const char* name : {"meta.mat", "meta_plain.mat"}) {
    const std::string whole = metaFile(name);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ 0xff);
      const auto read = guarded("", [&] { return synsetsFromMeta(damaged, name); });
      EXPECT_TRUE(!read.ok() || read->size() <= 100'000u);
    }
    for (std::size_t bytes = 0; bytes < whole.size(); bytes += 5)
      EXPECT_FALSE(guarded("", [&] { return synsetsFromMeta(whole.substr(0, bytes), name); }).ok());
  }
}

}  // namespace
}  // namespace headlight
