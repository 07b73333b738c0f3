// SPDX-License-Identifier: GPL-3.0-or-later

// Images whose classes a list says, in the layouts in which data sets are published.

#include "core/data/ImageLists.h"

#include <gtest/gtest.h>

#include "tests/data/Refusals.h"
#include "tests/data/Support.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using test::hasText;
using test::specOf;
using test::TemporaryFolder;
using test::writeBytes;
using test::writeClasses;
using test::writePng;
using Names = std::vector<std::string>;

void writeImages(const fs::path& folder, const Names& names) {
  for (const std::string& name : names)
    writePng(folder / name, test::solidImage(8, 8, {10, 20, 30}));
}

std::unique_ptr<Dataset> opened(const fs::path& path, Split split) {
  return valueOrThrow(openDataset(specOf("image-folder", path), split));
}

/// "1.png cat, 2.png dog".
std::string contents(const Dataset& dataset) {
  std::string text;
  for (std::int64_t i = 0; i < dataset.size(); ++i) {
    const int label = valueOrThrow(dataset.sample(i)).label;
    text += (text.empty() ? "" : ", ") + fs::path(dataset.describe(i)).filename().string() + " " +
            dataset.classNames().at(static_cast<std::size_t>(label));
  }
  return text;
}

std::string notes(const Dataset& dataset) {
  std::string text;
  for (const std::string& note : dataset.notes())
    text += note + "\n";
  return text;
}

std::string listRefusal(const fs::path& path, Split split = Split::Train) {
  return refusal(specOf("image-folder", path), split);
}

TEST(ImageLists, ImageNetsFlatValidationWithItsSolution) {
  const TemporaryFolder folder;
  writeClasses(folder / "train", {"n02084071", "n02119022", "n02123045"}, 2);
  writeImages(folder / "val", {"ILSVRC2012_val_00000001.png", "ILSVRC2012_val_00000002.png",
                               "ILSVRC2012_val_00000003.png"});
  writeBytes(folder / "LOC_val_solution.csv",
             "ImageId,PredictionString\r\n"
             "ILSVRC2012_val_00000002,n02084071 1 2 3 4 n02119022 5 6 7 8 \r\n"
             "ILSVRC2012_val_00000001,n02123045 1 2 3 4 \r\n"
             "ILSVRC2012_val_00000003,n02119022 9 9 9 9 \r\n");
  EXPECT_EQ(detectDatasetKind(folder.path()), "image-folder");
  const auto validation = opened(folder.path(), Split::Validation);
  EXPECT_EQ(contents(*validation),
            "ILSVRC2012_val_00000002.png n02084071, ILSVRC2012_val_00000001.png n02123045, "
            "ILSVRC2012_val_00000003.png n02119022");
  EXPECT_TRUE(hasText(notes(*validation), "labels are read from LOC_val_solution.csv"));
  EXPECT_EQ(opened(folder.path(), Split::Train)->size(), 6);
  EXPECT_EQ(opened(folder.path(), Split::Train)->classNames(), validation->classNames());
}

TEST(ImageLists, TinyImageNet) {
  const TemporaryFolder folder;
  for (const std::string synset : {"n01443537", "n01629819"}) {
    writeImages(folder / "train" / synset / "images", {synset + "_0.png", synset + "_1.png"});
    writeBytes(folder / "train" / synset / (synset + "_boxes.txt"),
               synset + "_0.png\t0\t10\t63\t58\n");
  }
  writeImages(folder / "val/images", {"val_0.png", "val_1.png"});
  writeBytes(folder / "val/val_annotations.txt",
             "val_0.png\tn01629819\t0\t32\t44\t62\nval_1.png\tn01443537\t52\t55\t57\t59\n");
  writeImages(folder / "test/images", {"test_0.png"});
  writeBytes(folder / "wnids.txt", "n01629819\nn01443537\n");
  writeBytes(folder / "words.txt", "n01443537\tgoldfish, Carassius auratus\n");
  EXPECT_EQ(contents(*opened(folder.path(), Split::Validation)),
            "val_0.png n01629819, val_1.png n01443537");
  const auto train = opened(folder.path(), Split::Train);
  EXPECT_EQ(train->size(), 4);
  EXPECT_EQ(train->classNames(), (Names{"n01443537", "n01629819"}));
  EXPECT_TRUE(hasText(notes(*train), "test/ is not used")) << notes(*train);
}

TEST(ImageLists, MetadataOfImageFolders) {
  for (const bool lines : {false, true}) {
    const TemporaryFolder folder;
    writeImages(folder / "train", {"0.png", "1.png", "2.png"});
    writeImages(folder / "test", {"0.png", "1.png"});
    if (lines) {
      writeBytes(folder / "train/metadata.jsonl",
                 "{\"file_name\": \"0.png\", \"label\": \"cat\"}\n"
                 "{\"file_name\": \"1.png\", \"label\": \"dog\", \"text\": \"a \\n b\"}\n\n"
                 "{\"file_name\": \"2.png\", \"label\": \"cat\"}\n");
      writeBytes(folder / "test/metadata.jsonl",
                 "{\"label\": \"dog\", \"file_name\": \"0.png\"}\n"
                 "{\"label\": \"cat\", \"file_name\": \"1.png\"}");
    } else {
      writeBytes(folder / "train/metadata.csv",
                 "\xef\xbb\xbftext,file_name,label\n\"two\nlines, \"\"x\"\"\",0.png,cat\n"
                 ",1.png,dog\n,2.png,\"cat\"\n");
      writeBytes(folder / "test/metadata.csv", "file_name,label\n0.png,dog\n1.png,cat\n");
    }
    EXPECT_EQ(contents(*opened(folder.path(), Split::Train)), "0.png cat, 1.png dog, 2.png cat");
    const auto validation = opened(folder.path(), Split::Validation);
    EXPECT_EQ(contents(*validation), "0.png dog, 1.png cat");
    EXPECT_TRUE(hasText(notes(*validation), "test/ is the validation split"));
  }
}

TEST(ImageLists, MetadataAtTheTopSharesItsRowsByFolder) {
  const TemporaryFolder folder;
  writeImages(folder / "train", {"a.png", "b.png"});
  writeImages(folder / "val", {"a.png"});
  writeBytes(folder / "metadata.csv",
             "file_name,label\ntrain/a.png,cat\ntrain/b.png,dog\nval/a.png,dog\n");
  EXPECT_EQ(contents(*opened(folder.path(), Split::Train)), "a.png cat, b.png dog");
  EXPECT_EQ(contents(*opened(folder.path(), Split::Validation)), "a.png dog");
}

TEST(ImageLists, ListsOfPathsAndNumbers) {  // as IP102 has them
  const TemporaryFolder folder;
  writeImages(folder / "images", {"00002.png", "00003.png", "my cat.png", "00005.png"});
  writeBytes(folder / "train.txt", "00002.png 0\n00003.png 1\nmy cat.png 2\n");
  writeBytes(folder / "val.txt", "00005.png 2\n");
  writeBytes(folder / "test.txt", "00002.png 0\n");
  writeBytes(folder / "classes.txt",
             "1   rice leaf roller   \n2  rice leaf caterpillar\n3 paddy\n");
  EXPECT_EQ(detectDatasetKind(folder.path()), "image-folder");
  EXPECT_EQ(contents(*opened(folder.path(), Split::Train)),
            "00002.png rice leaf roller, 00003.png rice leaf caterpillar, my cat.png paddy");
  EXPECT_EQ(contents(*opened(folder.path(), Split::Validation)), "00005.png paddy");
}

TEST(ImageLists, ListsOfPathsAlone) {  // as Food-101 has them
  const TemporaryFolder folder;
  writeImages(folder / "images/apple_pie", {"1.png", "2.png"});
  writeImages(folder / "images/waffles", {"3.png", "4.png"});
  writeBytes(folder / "meta/train.txt", "apple_pie/1\nwaffles/3\n");
  writeBytes(folder / "meta/test.txt", "apple_pie/2\nwaffles/4\n");
  writeBytes(folder / "meta/classes.txt", "apple_pie\nwaffles\n");
  EXPECT_EQ(contents(*opened(folder.path(), Split::Train)), "1.png apple_pie, 3.png waffles");
  EXPECT_EQ(contents(*opened(folder.path(), Split::Validation)), "2.png apple_pie, 4.png waffles");
}

TEST(ImageLists, SplitsOfNoCommonClassAreUsedTogether) {  // as Mini-ImageNet has them
  const TemporaryFolder folder;
  for (const std::string split : {"train", "val", "test"}) {
    std::string list = "filename,label\n";
    for (int i = 0; i < 8; ++i) {
      const std::string name = split + std::to_string(i) + ".png";
      writeImages(folder / "images", {name});
      list += name + "," + split + std::to_string(i % 2) + "\n";
    }
    writeBytes(folder / (split + ".csv"), list);
  }
  const auto train = opened(folder.path(), Split::Train);
  const auto validation = opened(folder.path(), Split::Validation);
  EXPECT_EQ(train->classNames().size(), 6u);
  EXPECT_EQ(train->size() + validation->size(), 24);
  EXPECT_TRUE(hasText(notes(*train), "share no class")) << notes(*train);
  EXPECT_TRUE(hasText(notes(*train), "kept for validation")) << notes(*train);
}

TEST(ImageLists, OneListForAll) {
  const TemporaryFolder folder;
  writeImages(folder / "train", {"aa.png", "bb.png", "cc.png", "dd.png"});
  writeBytes(folder / "labels.csv", "id,breed\naa,pug\nbb,boxer\ncc,pug\ndd,boxer\n");
  writeBytes(folder / "sample_submission.csv", "id,boxer,pug\nzz,0.5,0.5\n");
  EXPECT_EQ(contents(*opened(folder.path(), Split::Train)).substr(0, 6), "aa.png");
  EXPECT_EQ(opened(folder.path(), Split::Train)->classNames(), (Names{"boxer", "pug"}));
  const TemporaryFolder columns;
  writeImages(columns.path(), {"1.png", "2.png", "3.png"});
  writeBytes(columns / "list.tsv",
             "path\tlabel\tsplit\n1.png\ta\ttrain\n2.png\tb\tTrain\n3.png\ta\tvalid\n");
  EXPECT_EQ(contents(*opened(columns.path(), Split::Train)), "1.png a, 2.png b");
  EXPECT_EQ(contents(*opened(columns.path(), Split::Validation)), "3.png a");
}

TEST(ImageLists, AListItselfIsADataset) {
  const TemporaryFolder folder;
  writeImages(folder / "pictures", {"1.png", "2.png", "3.png", "4.png"});
  writeBytes(folder / "own.txt", "pictures/1.png cat\npictures/2.png dog\npictures/3.png cat\n" +
                                     (folder / "pictures/4.png").string() + " dog\n");
  EXPECT_EQ(detectDatasetKind(folder / "own.txt"), "image-folder");
  auto spec = specOf("image-folder", folder / "own.txt");
  spec.measuredWhole = true;
  EXPECT_EQ(contents(*valueOrThrow(openDataset(spec, Split::Validation))),
            "1.png cat, 2.png dog, 3.png cat, 4.png dog");
  writeBytes(folder / "notes.txt", "some words\nof a person\n");
  EXPECT_EQ(detectDatasetKind(folder / "notes.txt"), "");
}

TEST(ImageLists, ClassesWrittenAsDecimalsAreWhole) {
  const TemporaryFolder folder;
  writeImages(folder / "images", {"1.png", "2.png"});
  writeBytes(folder / "train.csv", "image,label\n1.png,0.0\n2.png,12.0\n");
  EXPECT_EQ(opened(folder.path(), Split::Train)->classNames(), (Names{"0", "12"}));
}

TEST(ImageLists, SayWhatIsMissing) {
  const TemporaryFolder folder;
  writeImages(folder / "images", {"1.png", "2.png"});
  writeBytes(folder / "train.csv", "image,label\n1.png,a\n2.png,b\n3.png,a\n4.png,a\n");
  const auto train = opened(folder.path(), Split::Train);
  EXPECT_EQ(train->size(), 2);
  EXPECT_TRUE(hasText(notes(*train), "2 of its 4 images are missing (3.png, …)")) << notes(*train);
}

TEST(ImageLists, RefuseWhatWouldBeMisread) {
  const auto why = [](const std::string& name, const std::string& list) {
    const TemporaryFolder folder;
    for (int i = 0; i < 12; ++i)
      writeImages(folder / "images", {std::to_string(i) + ".png"});
    writeBytes(folder / name, list);
    return listRefusal(folder.path());
  };
  std::string running;
  for (int i = 0; i < 12; ++i)
    running += std::to_string(i) + " " + std::to_string(i + 1) + "\n";
  EXPECT_TRUE(hasText(why("val.txt", running), "numbers its images"));
  EXPECT_TRUE(hasText(why("train.txt", "0.png 0 1 0 1\n1.png 1 0 0 0\n"), "several classes"));
  EXPECT_TRUE(hasText(why("train.csv", "image,label\n0.png,a\n0.png,b\n"), "two classes"));
  EXPECT_TRUE(hasText(why("0.txt", "0 0.51 0.4 0.1 0.2\n1 0.25 0.5 0.1 0.1\n"), "fractions"))
      << "boxes";
  EXPECT_TRUE(hasText(why("train.csv", "image,width,height\n0.png,4,4\n"), "none of classes"));
  EXPECT_TRUE(hasText(why("train.csv", "image,label\n0.png,\n"), "no class in line 2"));
  EXPECT_TRUE(hasText(why("train.csv", "image,label\n\"0.png,a\n"), "unclosed"));
  EXPECT_TRUE(hasText(why("train.csv", "image,label\n../images/0.png,a\n"), "outside"));
  EXPECT_TRUE(hasText(why("train.csv", "image,label\n/etc/0.png,a\n"), "outside"));
  EXPECT_TRUE(hasText(why("train.csv", "image,label\nx.png,a\n"), "none of the images"));
  EXPECT_TRUE(hasText(why("train.csv", "image,label\n0.png,a\n1.png,a\n"), "one class"));
  EXPECT_TRUE(hasText(why("train.jsonl", "{\"file_name\": \"0.png\", \"label\": [1, 2]}\n"),
                      "one class per image"));
  EXPECT_TRUE(hasText(why("train.jsonl", "[1]\n"), "no object"));
}

TEST(ImageLists, AClassOfValidationAloneIsRefused) {
  const TemporaryFolder folder;
  writeImages(folder / "images", {"1.png", "2.png", "3.png", "4.png"});
  writeBytes(folder / "train.txt", "1.png a\n2.png b\n");
  writeBytes(folder / "val.txt", "3.png a\n4.png c\n");
  EXPECT_TRUE(hasText(listRefusal(folder.path()), "lacks: c"));
  writeBytes(folder / "val.txt", "3.png a\n");
  EXPECT_TRUE(hasText(notes(*opened(folder.path(), Split::Validation)), "no images of b"));
}

TEST(ImageLists, ClassFoldersComeBeforeAStrayTable) {
  const TemporaryFolder folder;
  writeClasses(folder.path(), {"cat", "dog"}, 2);
  writeBytes(folder / "results.csv", "file,prediction\ncat/0.png,dog\ndog/0.png,cat\n");
  EXPECT_EQ(opened(folder.path(), Split::Train)->classNames(), (Names{"cat", "dog"}));
}

TEST(ImageLists, AnUnlabeledTestSplitIsSaid) {
  const TemporaryFolder folder;
  writeClasses(folder / "train", {"cat", "dog"}, 4);
  writeImages(folder / "test", {"1.png", "2.png"});
  const auto validation = opened(folder.path(), Split::Validation);
  EXPECT_EQ(validation->size(), 2) << "a share of the training images";
  EXPECT_TRUE(hasText(notes(*validation), "test/ has images without classes"))
      << notes(*validation);
}

}  // namespace
}  // namespace headlight
