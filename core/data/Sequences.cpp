// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/Sequences.h"

#include <algorithm>
#include <fstream>
#include <mutex>
#include <set>
#include <utility>

#include "core/base/Log.h"
#include "core/base/Random.h"
#include "core/base/Translation.h"
#include "core/config/DatasetKinds.h"
#include "core/data/DataNotes.h"
#include "core/data/drawn/TextureShape.h"
#include "core/data/files/DataStamp.h"
#include "core/imaging/Preprocess.h"

namespace headlight {
namespace {

constexpr std::uint64_t kImageOrder = 0x7365716f72646572ULL;  // "seqorder"
constexpr std::uint64_t kImageAugment = 0x736571617567ULL;    // "seqaug"
constexpr std::uint64_t kTextPlace = 0x736571706c616365ULL;   // "seqplace"
/// Images in a row that cannot be read before a training gives up.
constexpr std::int64_t kMaxUnreadable = 1000;
/// Damaged images that are named one by one.
constexpr std::size_t kMaxNamedImages = 20;

/// §5.1: flipped or not, and all values together moved by −10 to 10.
ByteSequence augmented(ByteSequence bytes, int size, RandomStream stream) {
  const std::size_t side = static_cast<std::size_t>(size);
  if (stream.uniform() < 0.5)
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t x = 0; x < side / 2; ++x)
        for (std::size_t c = 0; c < 3; ++c)
          std::swap(bytes[(y * side + x) * 3 + c], bytes[(y * side + side - 1 - x) * 3 + c]);
  const auto shift = static_cast<int>(stream.below(21)) - 10;
  for (std::uint8_t& byte : bytes)
    byte = static_cast<std::uint8_t>(std::clamp(byte + shift, 0, 255));
  return bytes;
}

class ImageSequences : public SequenceSource {
 public:
  ImageSequences(std::unique_ptr<Dataset> dataset, int size, bool augment)
      : m_dataset(std::move(dataset)), m_size(size), m_augment(augment) {}

  std::int64_t size() const override { return m_dataset->size(); }
  std::string stamp() const override { return m_dataset->stamp(); }

  Result<ByteSequence> at(std::int64_t index) const override {
    const auto sample = m_dataset->sample(index);
    if (!sample) return sample.error();
    return guarded(m_dataset->describe(index),
                   [&] { return bytesOf(sequenceView(sample->image, m_size)); });
  }

  Result<ByteSequence> draw(std::uint64_t seed, std::int64_t draw) const override {
    const std::int64_t count = size(), tries = std::min(count, kMaxUnreadable);
    for (std::int64_t i = 0;; ++i) {
      const std::int64_t index = indexOf(seed, draw / count, (draw + i) % count);
      auto bytes = at(index);
      if (!bytes && i + 1 >= tries) return bytes;
      if (!bytes) {
        reportSkipped(index, bytes.error());
        continue;
      }
      if (!m_augment) return bytes;
      const RandomStream stream(streamKey({seed, kImageAugment, static_cast<std::uint64_t>(draw)}));
      return augmented(std::move(*bytes), m_size, stream);
    }
  }

 private:
  /// Once for each image, and not for hundreds of them.
  void reportSkipped(std::int64_t index, const Error& error) const {
    std::size_t reported = 0;
    {
      const std::lock_guard lock(m_mutex);
      if (m_skipped.size() > kMaxNamedImages || !m_skipped.insert(index).second) return;
      reported = m_skipped.size();
    }
    logWarning(reported > kMaxNamedImages
                   ? "more than " + std::to_string(kMaxNamedImages) +
                         " damaged images; further ones are skipped without a message"
                   : "skipped " + error.text());
  }

  /// The image at a place of an epoch, each of which has an order of its own.
  std::int64_t indexOf(std::uint64_t seed, std::int64_t epoch, std::int64_t place) const {
    const std::lock_guard lock(m_mutex);
    const std::uint64_t key = streamKey({seed, kImageOrder, static_cast<std::uint64_t>(epoch)});
    if (m_order.empty() || m_key != key) {
      m_order = permutation(size(), key);
      m_key = key;
    }
    return m_order[static_cast<std::size_t>(place)];
  }

  std::unique_ptr<Dataset> m_dataset;
  int m_size;
  bool m_augment;
  mutable std::mutex m_mutex;
  mutable std::vector<std::int64_t> m_order;  ///< of the epoch last asked for
  mutable std::uint64_t m_key = 0;
  mutable std::set<std::int64_t> m_skipped;  ///< that were told of; no more once they are many
};

class TextSequences : public SequenceSource {
 public:
  TextSequences(ByteSequence bytes, std::int64_t length)
      : m_bytes(std::move(bytes)), m_length(length) {}

  std::int64_t size() const override { return (count() + m_length - 1) / m_length; }
  std::string stamp() const override { return memoryStamp(m_bytes.data(), m_bytes.size()); }

  Result<ByteSequence> at(std::int64_t index) const override {
    return piece(index * m_length, std::min((index + 1) * m_length, count()));
  }

  Result<ByteSequence> draw(std::uint64_t seed, std::int64_t draw) const override {
    const std::int64_t places = std::max<std::int64_t>(1, count() - m_length + 1);
    RandomStream stream(streamKey({seed, kTextPlace, static_cast<std::uint64_t>(draw)}));
    const std::int64_t begin = stream.below(places);
    return piece(begin, std::min(begin + m_length, count()));
  }

 private:
  std::int64_t count() const { return static_cast<std::int64_t>(m_bytes.size()); }
  ByteSequence piece(std::int64_t begin, std::int64_t end) const {
    return {m_bytes.begin() + begin, m_bytes.begin() + end};
  }

  ByteSequence m_bytes;
  std::int64_t m_length;
};

std::unique_ptr<Dataset> openImages(const SequenceExperiment& experiment, Split split,
                                    bool measuredWhole) {
  const SequenceDataConfig& data = experiment.data;
  DatasetSpec spec;
  spec.kind = data.dataset;
  spec.path = data.path;
  spec.validationFraction = data.validationFraction;
  spec.measuredWhole = measuredWhole;
  spec.maxSamples = data.maxSamples;
  spec.seed = static_cast<std::uint64_t>(experiment.seed);
  spec.imageSize = std::max(kMinTextureShapeSize, data.imageSize);
  spec.trainSamples = data.trainSamples;
  spec.validationSamples = data.validationSamples;
  if (!isDrawnData(spec.kind) && data.path.empty())
    throw Failure({ErrorCode::InvalidConfig, tr("is empty; give the image folder"), "data.path"});
  auto dataset = valueOrThrow(openDataset(spec, split));
  logNotes(dataset->notes());
  return dataset;
}

/// The size of a file that is long enough for its splits: one sequence to train on, a byte of each
/// of the others.
std::int64_t textSize(const std::filesystem::path& path, std::int64_t length) {
  const auto refuse = [&](ErrorCode code, const std::string& message) {
    throw Failure({code, message, path.string()});
  };
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (!std::filesystem::exists(status))
    refuse(ErrorCode::NotFound, tr("does not exist; data.path must be a text file"));
  if (!std::filesystem::is_regular_file(status))
    refuse(ErrorCode::UnsupportedFile, tr("is not a file; data.path must be a text file"));
  const std::uintmax_t size = std::filesystem::file_size(path, failure);
  if (failure) refuse(ErrorCode::Io, tr("cannot be inspected: ") + failure.message());
  if (size > kMaxTextBytes)
    refuse(ErrorCode::UnsupportedFile, "has " + std::to_string(size) + tr(" bytes; at most ") +
                                           std::to_string(kMaxTextBytes) +
                                           tr(" are read: use a part of it"));
  const std::int64_t needed = std::max<std::int64_t>(20, (10 * length + 8) / 9);
  if (size < static_cast<std::uintmax_t>(needed))
    refuse(ErrorCode::InvalidFile, (size == 0 ? std::string(tr("is empty"))
                                              : tr("has only ") + std::to_string(size) + " bytes") +
                                       tr("; sequences of ") + std::to_string(length) +
                                       tr(" bytes need at least ") + std::to_string(needed) +
                                       tr(" bytes: take a longer text or a smaller model.length"));
  return static_cast<std::int64_t>(size);
}

ByteSequence readText(const std::filesystem::path& path, std::int64_t begin, std::int64_t end) {
  std::ifstream file(path, std::ios::binary);
  ByteSequence bytes(static_cast<std::size_t>(end - begin));
  file.seekg(begin);
  file.read(reinterpret_cast<char*>(bytes.data()), end - begin);
  if (!file)
    throw Failure({ErrorCode::Io, tr("could not be read; check that it still exists and is intact"),
                   path.string()});
  return bytes;
}

std::shared_ptr<const SequenceSource> openText(const SequenceExperiment& experiment,
                                               SequenceSplit split) {
  if (experiment.data.path.empty())
    throw Failure({ErrorCode::InvalidConfig, tr("is empty; give a text file"), "data.path"});
  const std::filesystem::path path = experiment.data.path;
  const std::int64_t size = textSize(path, experiment.length());
  const std::int64_t trained = size / 10 * 9 + size % 10 * 9 / 10;
  const std::int64_t validated = size - size / 20;
  const std::int64_t begin = split == SequenceSplit::Train        ? 0
                             : split == SequenceSplit::Validation ? trained
                                                                  : validated;
  const std::int64_t end = split == SequenceSplit::Train        ? trained
                           : split == SequenceSplit::Validation ? validated
                                                                : size;
  return std::make_shared<TextSequences>(readText(path, begin, end), experiment.length());
}

}  // namespace

Result<std::shared_ptr<const SequenceSource>> openSequences(const SequenceExperiment& experiment,
                                                            SequenceSplit split,
                                                            bool measuredWhole) {
  return guarded("data", [&]() -> std::shared_ptr<const SequenceSource> {
    if (!experiment.ofImages()) return openText(experiment, split);
    if (split == SequenceSplit::Test)
      throw Failure({ErrorCode::InvalidArgument,
                     tr("images have no test split: CIFAR-10's test batch is the validation split"),
                     "split"});
    const bool train = split == SequenceSplit::Train;
    return std::make_shared<ImageSequences>(
        openImages(experiment, train ? Split::Train : Split::Validation, measuredWhole),
        experiment.data.imageSize, train && experiment.data.augment);
  });
}

Image sequenceView(const Image& image, int size) {
  if (image.width == size && image.height == size) return image;
  Preprocessing square;
  square.height = square.width = size;
  square.cropFraction = 1;
  return evaluationView(image, square);
}

ByteSequence bytesOf(const Image& view) {
  return *view.pixels;  // by row, column and color already
}

Image imageOf(const ByteSequence& bytes, int size) {
  if (bytes.size() != static_cast<std::size_t>(size) * static_cast<std::size_t>(size) * 3)
    throw Failure({ErrorCode::InvalidArgument,
                   std::to_string(bytes.size()) + tr(" bytes are not a square of ") +
                       std::to_string(size) + " pixels",
                   ""});
  return {size, size, std::make_shared<const ByteSequence>(bytes)};
}

}  // namespace headlight
