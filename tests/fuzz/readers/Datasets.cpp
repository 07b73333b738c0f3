// SPDX-License-Identifier: GPL-3.0-or-later

// Data of other people's making.

#include "core/data/Dataset.h"
#include "core/data/Sequences.h"
#include "core/data/ShardNames.h"
#include "tests/Gzip.h"
#include "tests/data/TarWriter.h"
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

std::string idxPictures() {
  return bigEndian({0x803, 6, 4, 5}) + std::string(6 * 4 * 5, '\x30');
}
std::string idxLabels() {
  return bigEndian({0x801, 6}) + std::string("\0\1\2\0\1\2", 6);
}

/// Two classes of two tiny pictures, one of a long name.
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
      require(sample->image.pixels->size() ==
                  std::size_t(sample->image.width) * std::size_t(sample->image.height) * 3,
              "a picture of another size than it says");
    }
  }
  return {};
}

/// The file `damaged` of a dataset whose other files are whole.
Target dataset(const fs::path& folder, const std::string& kind, const std::string& damaged,
               const std::vector<std::pair<std::string, std::string>>& files) {
  const fs::path own = folder / (kind + " " + damaged);
  fs::create_directories(own);
  Target target{kind + ", " + damaged, Kind::Bytes, {}, {}};
  for (const auto& [name, bytes] : files) {
    writeBytes(own / name, bytes);
    if (name == damaged) target.files = {bytes};
  }
  if (damaged.ends_with(".txt")) target.kind = Kind::Text;
  target.read = [=](const std::string& bytes) {
    writeBytes(own / damaged, bytes);
    DatasetSpec spec;
    spec.kind = kind;
    spec.path = own;
    return openEverything(spec);
  };
  return target;
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
      {"train-images-idx3-ubyte", idxPictures()}, {"train-labels-idx1-ubyte", idxLabels()}};
  const std::vector<std::pair<std::string, std::string>> idxGzipped = {
      {"train-images-idx3-ubyte.gz", gzipped(idxPictures())},
      {"train-labels-idx1-ubyte.gz", gzipped(idxLabels())}};
  return {dataset(folder, "cifar10", "data_batch_1.bin", cifar),
          dataset(folder, "cifar10", "batches.meta.txt", cifar),
          dataset(folder, "cifar100", "train.bin", {{"train.bin", hundred}, {"test.bin", hundred}}),
          dataset(folder, "idx", "train-images-idx3-ubyte", idx),
          dataset(folder, "idx", "train-labels-idx1-ubyte", idx),
          dataset(folder, "idx", "train-images-idx3-ubyte.gz", idxGzipped),
          dataset(folder, "webdataset", "train.tar", {{"train.tar", tarShard()}}),
          pattern(),
          text(folder),
          pngText()};
}

}  // namespace headlight::fuzz
