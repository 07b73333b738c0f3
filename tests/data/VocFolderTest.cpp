// SPDX-License-Identifier: GPL-3.0-or-later

// Folders of Pascal VOC as datasets, and files that are not as they should be.

#include "core/data/boxes/VocFolder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "core/data/boxes/VocXml.h"
#include "tests/data/BoxSupport.h"

namespace headlight {
namespace {

using test::hasText;
using test::specOf;

std::string vocObject(const std::string& name, const std::string& sides, int difficult = 0) {
  std::string text = "<object><name>" + name + "</name><difficult>" + std::to_string(difficult) +
                     "</difficult><bndbox>";
  const char* const names[] = {"xmin", "ymin", "xmax", "ymax"};
  std::istringstream numbers(sides);
  for (const char* side : names) {
    std::string number;
    numbers >> number;
    text += std::string("<") + side + ">" + number + "</" + side + ">";
  }
  return text + "</bndbox></object>";
}

std::string vocXml(const std::string& objects, int width = 40, int height = 30) {
  return "<annotation><filename>x.jpg</filename><size><width>" + std::to_string(width) +
         "</width><height>" + std::to_string(height) + "</height><depth>3</depth></size>" +
         objects + "</annotation>";
}

std::string refusalOf(const std::string& xml) {
  const auto read = guarded("", [&] { vocImageFromText(xml, "a.xml"); });
  if (read.ok()) return "was read";
  EXPECT_EQ(read.error().where, "a.xml") << read.error().text();
  return read.error().text();
}

class VocFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    add("a", vocObject("dog", "3 4 12 20") + vocObject("cat10", "1 1 40 30", 1));
    add("b", vocObject("cat9", "5 5 10 10"));
    add("c", vocObject("dog", "2 2 9 9", 1));
    add("d", vocObject("Dog", "2 2 9 9"));
    list("train", "a\nb\nc\n");
    list("val", "d  1\n");
  }
  void add(const std::string& id, const std::string& objects) {
    test::writeBytes(folder / ("Annotations/" + id + ".xml"), vocXml(objects));
    test::writePng(folder / ("JPEGImages/" + id + ".png"), test::gradientImage(40, 30));
  }
  void list(const std::string& name, const std::string& ids) {
    test::writeBytes(folder / ("ImageSets/Main/" + name + ".txt"), ids);
  }
  std::unique_ptr<Dataset> open(Split split) const {
    return valueOrThrow(openDataset(specOf(kVocBoxes, folder.path()), split));
  }
  std::string openRefusal(Split split) const {
    const auto opened = openDataset(specOf(kVocBoxes, folder.path()), split);
    return opened.ok() ? "was opened" : opened.error().text();
  }

  TemporaryFolder folder;
};

TEST_F(VocFolderTest, SplitsComeFromTheListsAndClassesFromBoth) {
  EXPECT_EQ(detectDatasetKind(folder.path()), kVocBoxes);
  const auto train = open(Split::Train), validation = open(Split::Validation);
  const std::vector<std::string> classes{"cat9", "cat10", "Dog", "dog"};
  EXPECT_EQ(train->classNames(), classes) << "in natural order";
  EXPECT_EQ(validation->classNames(), classes);
  EXPECT_EQ(train->size(), 2) << "c has a difficult object alone";
  EXPECT_EQ(validation->size(), 1);
  EXPECT_TRUE(hasText(validation->describe(0), "d.png"));
}

TEST_F(VocFolderTest, SidesCountFromOneWithBothEndsWithin) {
  const LabeledBoxes boxes = valueOrThrow(open(Split::Train)->sample(0)).boxes;
  ASSERT_EQ(boxes.size(), 2u);
  EXPECT_EQ(boxes[0].box, (PixelBox{2, 3, 10, 17}));
  EXPECT_EQ(boxes[0].area, 170);
  EXPECT_EQ(boxes[0].label, 3);
  EXPECT_FALSE(boxes[0].crowd);
  EXPECT_EQ(boxes[1].box, (PixelBox{0, 0, 40, 30})) << "the whole image";
  EXPECT_TRUE(boxes[1].crowd) << "difficult";
}

TEST_F(VocFolderTest, NotesSayWhatADetectorDoesNotLearn) {
  add("b", vocObject("cat9", "5 5 10 10") + vocObject("cat9", "5 5 10 10"));
  std::string notes;
  for (const std::string& note : open(Split::Train)->notes())
    notes += note + "\n";
  EXPECT_TRUE(hasText(notes, "2 objects are marked as difficult")) << notes;
  EXPECT_TRUE(hasText(notes, "1 object is there twice (the first in b.xml)")) << notes;
  EXPECT_TRUE(hasText(notes, "differ in case alone")) << notes;
  EXPECT_TRUE(hasText(notes, "1 image has no box to learn from")) << notes;
}

TEST_F(VocFolderTest, WithoutBothListsItIsSharedOut) {
  std::filesystem::remove_all(folder / "ImageSets");
  DatasetSpec spec = specOf(kVocBoxes, folder.path());
  spec.validationFraction = 0.25;
  EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Validation))->size(), 1);
  EXPECT_LE(valueOrThrow(openDataset(spec, Split::Train))->size(), 3);
  list("trainval", "a\nb\n");
  spec.validationFraction = 0.5;
  const auto train = valueOrThrow(openDataset(spec, Split::Train));
  EXPECT_EQ(train->size(), 1);
  EXPECT_TRUE(hasText(train->notes().back(), "1 of its 2 images are kept for validation"))
      << train->notes().back();
}

TEST_F(VocFolderTest, IdsTwiceAreRefused) {
  list("train", "a\nb\na\n");
  EXPECT_TRUE(hasText(openRefusal(Split::Train), "\"a\", which is listed already"));
  list("train", "a\nb\n");
  list("val", "b\n");
  EXPECT_TRUE(hasText(openRefusal(Split::Train), "\"b\", which is listed already"))
      << "in both lists";
  list("val", "../../secret\n");
  EXPECT_TRUE(hasText(openRefusal(Split::Validation), "which is no name"));
  list("val", "\n");
  EXPECT_TRUE(hasText(openRefusal(Split::Validation), "lists no images"));
}

TEST_F(VocFolderTest, MissingFilesAreCounted) {
  std::filesystem::remove(folder / "JPEGImages/b.png");
  EXPECT_TRUE(hasText(openRefusal(Split::Train), "files of 1 of 3 images missing (the first: b"))
      << openRefusal(Split::Train);
  EXPECT_TRUE(openDataset(specOf(kVocBoxes, folder.path()), Split::Validation).ok());
  std::filesystem::remove(folder / "Annotations/c.xml");
  EXPECT_TRUE(hasText(openRefusal(Split::Train), "annotations of 1 of 3 images missing"));
}

TEST_F(VocFolderTest, DamagedAnnotationsNameTheFile) {
  test::writeBytes(folder / "Annotations/b.xml", "<annotation><object>");
  EXPECT_TRUE(hasText(openRefusal(Split::Train), "b.xml")) << openRefusal(Split::Train);
  test::writeBytes(folder / "Annotations/b.xml", std::string(kMostVocBytes + 1, ' '));
  EXPECT_TRUE(hasText(openRefusal(Split::Train), "b.xml")) << openRefusal(Split::Train);
}

TEST(VocXml, WrongBoxesAreRefusedWithTheObject) {
  const std::string good = vocObject("dog", "1 1 5 5");
  EXPECT_TRUE(
      hasText(refusalOf(vocXml(good + vocObject("dog", "9 1 5 5"))), "object 2: bndbox ends"));
  EXPECT_TRUE(hasText(refusalOf(vocXml(vocObject("dog", "nan 1 5 5"))), "xmin is no number"));
  EXPECT_TRUE(hasText(refusalOf(vocXml(vocObject("dog", "1 1 inf 5"))), "xmax is no number"));
  EXPECT_TRUE(hasText(refusalOf(vocXml(vocObject("dog", "1 1 1e300 5"))), "xmax is no number"));
  EXPECT_TRUE(hasText(refusalOf(vocXml(vocObject("dog", "1 1 5"))), "ymax is missing"));
  EXPECT_TRUE(hasText(refusalOf(vocXml(vocObject("", "1 1 5 5"))), "object 1: has no name"));
  EXPECT_TRUE(hasText(refusalOf(vocXml(vocObject("\xff\xfe", "1 1 5 5"))), "not UTF-8"));
  EXPECT_TRUE(hasText(refusalOf(vocXml("<object><name>a</name></object>")), "has no bndbox"));
  EXPECT_TRUE(hasText(refusalOf(vocXml("", -4)), "width of the image is -4"));
}

TEST(VocXml, OtherContentIsRefused) {
  for (const std::string text : {"", "{\"images\": []}", "<html></html>", "<annotation>"})
    EXPECT_TRUE(hasText(refusalOf(text), "is no annotation of Pascal VOC")) << text;
}

TEST(VocXml, EntitiesThatAFileDeclaresAreNotExpanded) {
  std::string bomb = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY e0 \"boom\">";
  for (int i = 1; i < 30; ++i) {
    bomb += "<!ENTITY e" + std::to_string(i) + " \"";
    for (int k = 0; k < 10; ++k)
      bomb += "&e" + std::to_string(i - 1) + ";";
    bomb += "\">";
  }
  bomb += "]>" + vocXml(vocObject("&e29;", "1 1 5 5"));
  EXPECT_EQ(vocImageFromText(bomb, "a.xml").objects.at(0).name, "&e29;");
}

TEST(VocXml, DeepNestingIsRead) {
  std::string deep;
  for (int i = 0; i < 400'000; ++i)
    deep += "<a>";
  EXPECT_TRUE(hasText(refusalOf(deep), "is no annotation"));
  std::string closed = "<annotation>" + deep;
  for (int i = 0; i < 400'000; ++i)
    closed += "</a>";
  EXPECT_TRUE(vocImageFromText(closed + "</annotation>", "a.xml").objects.empty());
}

TEST(VocXml, DecimalsAndForeignNamesAreRead) {
  const VocImage image =
      vocImageFromText(vocXml(vocObject("Kühlschrank &amp; Co", " 1.5 2 10.25 7 ")), "a.xml");
  ASSERT_EQ(image.objects.size(), 1u);
  EXPECT_EQ(image.objects[0].name, "Kühlschrank & Co");
  EXPECT_EQ(image.objects[0].box, (PixelBox{0.5, 1, 9.75, 6}));
  EXPECT_EQ(image.width, 40);
}

}  // namespace
}  // namespace headlight
