// SPDX-License-Identifier: GPL-3.0-or-later

// Data of other people's making.

#include "core/base/files/Files.h"
#include "core/data/Dataset.h"
#include "core/data/Sequences.h"
#include "core/data/ShardNames.h"
#include "core/data/labels/ImageNetDevkit.h"
#include "core/data/segments/SegmentLabels.h"
#include "core/imaging/ClassPng.h"
#include "tests/Gzip.h"
#include "tests/data/CifarPickles.h"
#include "tests/data/TarWriter.h"
#include "tests/data/ZipWriter.h"
#include "tests/fuzz/Bounds.h"
#include "tests/fuzz/readers/Target.h"

namespace headlight::fuzz {
namespace {

namespace fs = std::filesystem;

using test::gzipped;

/// `count` records of CIFAR, of two classes.
std::string cifarRecords(int count, int labelBytes) {
  std::string bytes;
  for (int i = 0; i < count; ++i)
    bytes += std::string(labelBytes, static_cast<char>(i % 2)) +
             std::string(3 * 32 * 32, static_cast<char>(40 * i));
  return bytes;
}

std::string bigEndian(std::initializer_list<std::uint32_t> values) {
  std::string bytes;
  for (const std::uint32_t value : values)
    for (int shift = 24; shift >= 0; shift -= 8)
      bytes += static_cast<char>(value >> shift);
  return bytes;
}

std::string idxImages() {
  return bigEndian({0x803, 6, 4, 5}) + std::string(6 * 4 * 5, '\x30');
}
std::string idxLabels() {
  return bigEndian({0x801, 6}) + std::string("\0\1\2\0\1\2", 6);
}

/// Two classes of two tiny images, one of a long name.
std::string tarShard() {
  const Image image{4, 4, std::make_shared<const std::vector<std::uint8_t>>(48, 7)};
  const std::string png = valueOrThrow(encodePng(image));
  std::string bytes;
  for (const std::string key : {"a", "b", "c", "d"}) {
    if (key == "c") bytes += test::tarFile("././@LongLink", "c.cls", 'L');
    bytes += test::tarFile(key + ".cls", key < "c" ? "0" : "1") + test::tarFile(key + ".png", png);
  }
  return bytes + test::tarEnd();
}

std::string tinyPng() {
  const Image image{4, 4, std::make_shared<const std::vector<std::uint8_t>>(48, 7)};
  return valueOrThrow(encodePng(image));
}

/// Class folders in an archive, with a list of labels beside them.
using NamedFiles = std::vector<std::pair<std::string, std::string>>;
NamedFiles archivedFiles() {
  NamedFiles files;
  for (const std::string name : {"train/a/1", "train/b/2", "val/a/3", "val/b/4"})
    files.emplace_back(name + ".png", tinyPng());
  files.emplace_back("labels.csv", "image,label\n1.png,a\n");
  return files;
}
std::string classTar() {
  std::string tar;
  for (const auto& [name, bytes] : archivedFiles())
    tar += test::tarFile(name, bytes);
  return tar + test::tarEnd();
}

Target metaMat() {
  std::vector<std::string> files;
  for (const char* name : {"meta.mat", "meta_plain.mat"})
    files.push_back(
        valueOrThrow(readFile(fs::path(HEADLIGHT_GOLDEN_DIR) / "devkit" / name, 1u << 20)));
  return {"meta.mat", Kind::Bytes, files, [](const std::string& bytes) {
            return readThen(guarded("", [&] { return synsetsFromMeta(bytes, "fuzz"); }),
                            [](const std::vector<std::string>& synsets) {
                              require(synsets.size() <= 100'000, "too many synsets");
                            });
          }};
}

/// Both splits, and every sample of them.
Result<void> openEverything(const DatasetSpec& spec) {
  detectDatasetKind(spec.path);
  for (const Split split : {Split::Train, Split::Validation}) {
    const auto dataset = openDataset(spec, split);
    if (!dataset) return dataset.error();
    for (std::int64_t i = 0; i < (*dataset)->size(); ++i) {
      const auto sample = (*dataset)->sample(i);
      if (!sample) return sample.error();
      const auto classes = static_cast<int>((*dataset)->classNames().size());
      require(sample->label >= 0 && sample->label < classes, "a label of no class");
      for (const LabeledBox& box : sample->boxes)
        require(box.label >= 0 && box.label < classes && box.box.width >= 0 &&
                    box.box.height >= 0 && box.area >= 0,
                "a box that is none");
      require(sample->image.pixels->size() ==
                  std::size_t(sample->image.width) * std::size_t(sample->image.height) * 3,
              "an image of another size than it says");
      require(sample->segments.empty() != (*dataset)->hasSegments() &&
                  sample->segments.classes.size() * 3 ==
                      ((*dataset)->hasSegments() ? sample->image.pixels->size() : 0),
              "a class for every pixel");
      for (const int label : sample->segments.classes)
        require(label < classes || label == kIgnoredClass, "a pixel of no class");
    }
  }
  return {};
}

/// An archive, which is the dataset itself.
Target archive(const fs::path& folder, const std::string& name, const std::string& bytes) {
  const fs::path path = folder / name;
  return {"archive, " + name, Kind::Bytes, {bytes}, [path](const std::string& damaged) {
            writeBytes(path, damaged);
            DatasetSpec spec;
            spec.kind = kImageFolder;
            spec.path = path;
            return openEverything(spec);
          }};
}

/// The file `damaged` of a dataset whose other files are whole.
Target dataset(const fs::path& folder, const std::string& kind, const std::string& damaged,
               const std::vector<std::pair<std::string, std::string>>& files) {
  const fs::path own = folder / (kind + " " + fs::path(damaged).filename().string());
  fs::create_directories(own);
  Target target{kind + ", " + damaged, Kind::Bytes, {}, {}};
  for (const auto& [name, bytes] : files) {
    fs::create_directories((own / name).parent_path());
    writeBytes(own / name, bytes);
    if (name == damaged) target.files = {bytes};
  }
  if (damaged.ends_with(".txt") || damaged.ends_with(".csv")) target.kind = Kind::Text;
  target.read = [=](const std::string& bytes) {
    writeBytes(own / damaged, bytes);
    DatasetSpec spec;
    spec.kind = kind;
    spec.path = own;
    return openEverything(spec);
  };
  return target;
}

/// A list beside the images that it names.
NamedFiles listed(const std::string& name, const std::string& list) {
  return {{name, list}, {"1.png", tinyPng()}, {"2.png", tinyPng()}, {"3.png", tinyPng()}};
}

/// ImageNet's flat validation folder, with `list` that labels its images.
NamedFiles flatValidation(const std::string& name, const std::string& list) {
  NamedFiles files{{name, list}};
  for (const char* image : {"train/n02084071/1", "train/n02119022/2", "val/ILSVRC2012_val_00000001",
                            "val/ILSVRC2012_val_00000002"})
    files.emplace_back(std::string(image) + ".png", tinyPng());
  return files;
}

NamedFiles devkit() {
  NamedFiles files = flatValidation(
      "ILSVRC2012_devkit_t12/data/"
      "ILSVRC2012_validation_ground_truth.txt",
      "2\n1\n");
  files.emplace_back(
      "ILSVRC2012_devkit_t12/data/meta.mat",
      valueOrThrow(readFile(fs::path(HEADLIGHT_GOLDEN_DIR) / "devkit" / "meta.mat", 1u << 20)));
  return files;
}

/// As Tiny-ImageNet has it.
NamedFiles annotations() {
  return {{"val/val_annotations.txt", "1.png\tb\t0\t32\t44\t62\n2.png\ta\t52\t55\t57\t59\n"},
          {"train/a/images/1.png", tinyPng()},
          {"train/b/images/2.png", tinyPng()},
          {"val/images/1.png", tinyPng()},
          {"val/images/2.png", tinyPng()}};
}

NamedFiles namedClasses() {
  NamedFiles files = listed("train.txt", "1.png 0\n2.png 1\n");
  files.emplace_back("val.txt", "3.png 1\n");
  files.emplace_back("classes.txt", "1   rice leaf roller   \n2  paddy\n");
  return files;
}

/// Two images with boxes, a crowd among them.
NamedFiles cocoFolder() {
  return {{"annotations/instances_train.json",
           R"({"images": [{"id": 1, "file_name": "1.png", "width": 4, "height": 4},)"
           R"( {"id": 2, "file_name": "2.png"}], "categories": [{"id": 1, "name": "dog"}],)"
           R"( "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 1, 2.5, 3],)"
           R"( "area": 7}, {"id": 2, "image_id": 2, "category_id": 1, "bbox": [0, 0, 4, 4],)"
           R"( "iscrowd": 1}, {"id": 3, "image_id": 2, "category_id": 1, "bbox": [1, 1, 2, 2]}]})"},
          {"train/1.png", tinyPng()},
          {"train/2.png", tinyPng()}};
}

std::string vocAnnotation(const std::string& name) {
  return "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY e \"x\">]><annotation><filename>1.png"
         "</filename><size><width>4</width><height>4</height></size><object><name>" +
         name +
         "</name><difficult>0</difficult><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>3.5</xmax>"
         "<ymax>4</ymax></bndbox></object></annotation>";
}

NamedFiles vocFolder() {
  return {{"Annotations/1.xml", vocAnnotation("k&#252;he &amp; &e;")},
          {"Annotations/2.xml", vocAnnotation("dog")},
          {"ImageSets/Main/trainval.txt", "1\n2  1\n"},
          {"JPEGImages/1.png", tinyPng()},
          {"JPEGImages/2.png", tinyPng()}};
}

/// Two images of each split, with label images in the folder `labels`.
NamedFiles segmentFolder(const std::string& labels) {
  const ClassImage classes{4, 4, {0, 1, 0, 1, 1, 1, 255, 0, 0, 0, 1, 1, 0, 0, 0, 0}};
  const std::string label = valueOrThrow(encodeClassPng(classes, ClassPalette{}));
  NamedFiles files{{"classes.csv", "index,name,red,green,blue\n0,a,1,2,3\n1,\"b, c\",4,5,6\n"}};
  for (const std::string split : {"train/", "val/"})
    for (const std::string name : {"1.png", "2.png"}) {
      files.emplace_back("images/" + split + name, tinyPng());
      files.emplace_back(labels + "/" + split + name, label);
    }
  return files;
}

/// With names of its own.
NamedFiles ade20kFolder() {
  const ClassImage classes{4, 4, std::vector<std::uint8_t>(16, 150)};
  std::string info = "Idx\tRatio\tTrain\tVal\tStuff\tName\n";
  for (int i = 1; i <= 150; ++i)
    info += std::to_string(i) + "\t0.1\t1\t1\t0\tthing" + std::to_string(i) + ", item\n";
  NamedFiles files{{"objectInfo150.txt", info}};
  for (const std::string split : {"training", "validation"}) {
    files.emplace_back("images/" + split + "/1.png", tinyPng());
    files.emplace_back("annotations/" + split + "/1.png",
                       valueOrThrow(encodeClassPng(classes, ClassPalette{})));
  }
  return files;
}

/// A label image by itself: what is read has the size and the classes that are asked for.
Target labelImage() {
  const ClassImage classes{4, 4, {0, 1, 0, 1, 1, 1, 255, 0, 0, 0, 1, 1, 0, 0, 0, 0}};
  return {"label image",
          Kind::Bytes,
          {valueOrThrow(encodeClassPng(classes, ClassPalette{}))},
          [](const std::string& bytes) {
            const SegmentClasses known = segmentClasses({{0, "a"}, {1, "b", ClassColor{7, 7, 7}}});
            const auto read =
                guarded("fuzz", [&] { return segmentsFromPng(bytes, "fuzz", known, 4, 4); });
            return readThen(read, [](const ClassImage& image) {
              require(image.width == 4 && image.classes.size() == 16, "the size asked for");
              for (const int label : image.classes)
                require(label < 2 || label == kIgnoredClass, "a class of the table");
            });
          }};
}

/// What data.path may hold. Names are counted before they are made.
Target pattern() {
  return {"pattern of shards",
          Kind::Text,
          {"imagenet-train-{000000..000146}.tar", "{train,val}-{0..3}{a,b,}-{00..99}{x}.tar",
           "{0..99}{0..99}{a,b}{0..9}.tar"},
          [](const std::string& text) {
            const auto names = guarded("", [&] { return expandedBraces(text); });
            return readThen(names, [](const std::vector<std::string>& all) {
              std::size_t bytes = 0;
              for (const std::string& name : all) {
                require(name.size() <= 255, "a name that is too long");
                bytes += name.size();
              }
              require(all.size() <= 1'000'000 && bytes <= 64u << 20, "too many names");
            });
          }};
}

Target text(const fs::path& folder) {
  const fs::path path = folder / "book.txt";
  std::string whole;
  for (int i = 0; i < 60; ++i)
    whole += "the dog.";
  return {"text", Kind::Bytes, {whole}, [path](const std::string& bytes) -> Result<void> {
            writeBytes(path, bytes);
            SequenceExperiment experiment;
            experiment.data.kind = "text";
            experiment.data.path = path.string();
            experiment.model.length = 24;
            for (const auto split :
                 {SequenceSplit::Train, SequenceSplit::Validation, SequenceSplit::Test}) {
              const auto source = openSequences(experiment, split);
              if (!source) return source.error();
              for (std::int64_t i = 0; i < (*source)->size(); ++i)
                if (const auto piece = (*source)->at(i); !piece) return piece.error();
              if (const auto drawn = (*source)->draw(1, 2); !drawn) return drawn.error();
            }
            return {};
          }};
}

Target pngText() {
  const Image image{4, 4, std::make_shared<const std::vector<std::uint8_t>>(48, 7)};
  const std::string png = valueOrThrow(
      encodePng(image, {{"headlight", R"({"model": "deit_tiny"})"}, {"Comment", "größer"}}));
  return {"text in a PNG", Kind::Bytes, {png}, [](const std::string& bytes) {
            for (const auto& [keyword, value] : readPngText(bytes))
              require(!keyword.empty(), "text without a keyword");
            return readThen(decodeImage(bytes, "fuzz"), [](const Image&) {});
          }};
}

}  // namespace

std::vector<Target> dataTargets(const fs::path& folder) {
  const std::string ten = cifarRecords(4, 1), hundred = cifarRecords(4, 2);
  std::string names;
  for (int i = 0; i < 10; ++i)
    names += "class" + std::to_string(i) + "\n";
  const std::vector<std::pair<std::string, std::string>> cifar = {
      {"data_batch_1.bin", ten}, {"test_batch.bin", ten}, {"batches.meta.txt", names}};
  const std::vector<std::pair<std::string, std::string>> idx = {
      {"train-images-idx3-ubyte", idxImages()}, {"train-labels-idx1-ubyte", idxLabels()}};
  const std::vector<std::pair<std::string, std::string>> idxGzipped = {
      {"train-images-idx3-ubyte.gz", gzipped(idxImages())},
      {"train-labels-idx1-ubyte.gz", gzipped(idxLabels())}};
  return {
      dataset(folder, "cifar10", "data_batch_1.bin", cifar),
      dataset(folder, "cifar10", "batches.meta.txt", cifar),
      dataset(folder, "cifar100", "train.bin", {{"train.bin", hundred}, {"test.bin", hundred}}),
      dataset(folder, "idx", "train-images-idx3-ubyte", idx),
      dataset(folder, "idx", "train-labels-idx1-ubyte", idx),
      dataset(folder, "idx", "train-images-idx3-ubyte.gz", idxGzipped),
      dataset(folder, "webdataset", "train.tar", {{"train.tar", tarShard()}}),
      dataset(folder, "cifar10", "data_batch_1",
              {{"data_batch_1", test::cifarPickle({0, 1, 2})},
               {"test_batch", test::cifarPickle({2, 1})}}),
      dataset(folder, "cifar10", "batches.meta",
              {{"data_batch_1", test::cifarPickle({0, 1, 0, 1})},
               {"batches.meta",
                test::pickledDict({{"label_names", test::pickledTexts({"a", "b", "c", "d", "e", "f",
                                                                       "g", "h", "i", "j"})}})}}),
      dataset(folder, kImageFolder, "train.txt", listed("train.txt", "1 0\n2.png 1\n3.png 0\n")),
      dataset(folder, kImageFolder, "train.csv",
              listed("train.csv", "id,label,split\n1,a,train\n\"2\",\"b\",val\n3,a,train\n")),
      dataset(folder, kImageFolder, "metadata.jsonl",
              listed("metadata.jsonl",
                     "{\"file_name\": \"1.png\", \"label\": \"a\"}\n"
                     "{\"file_name\": \"2.png\", \"label\": 3}\n"
                     "{\"file_name\": \"3.png\", \"label\": 3}\n")),
      dataset(folder, kImageFolder, "LOC_val_solution.csv",
              flatValidation("LOC_val_solution.csv",
                             "ImageId,PredictionString\r\n"
                             "ILSVRC2012_val_00000002,n02084071 1 2 3 4 n02119022 5 6 7 8 \r\n"
                             "ILSVRC2012_val_00000001,n02119022 1 2 3 4 \r\n")),
      dataset(folder, kImageFolder, devkit().front().first, devkit()),
      dataset(folder, kImageFolder, "val/val_annotations.txt", annotations()),
      dataset(folder, kImageFolder, "classes.txt", namedClasses()),
      dataset(folder, kCocoBoxes, "annotations/instances_train.json", cocoFolder()),
      dataset(folder, kVocBoxes, "Annotations/1.xml", vocFolder()),
      dataset(folder, kVocBoxes, "ImageSets/Main/trainval.txt", vocFolder()),
      dataset(folder, kSegmentFolder, "classes.csv", segmentFolder("labels")),
      dataset(folder, kSegmentFolder, "masks/train/1.png", segmentFolder("masks")),
      dataset(folder, kAde20k, "objectInfo150.txt", ade20kFolder()),
      labelImage(),
      archive(folder, "deflated.zip", test::zipArchive(archivedFiles())),
      archive(folder, "stored.zip", test::zipArchive(archivedFiles(), false)),
      archive(folder, "classes.tar", classTar()),
      metaMat(),
      pattern(),
      text(folder),
      pngText()};
}

}  // namespace headlight::fuzz
