// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/Idx.h"

#include <zlib.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "core/base/Translation.h"
#include "core/data/files/DataStamp.h"
#include "core/data/files/SampleErrors.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxBytes = 1u << 30;  // EMNIST's largest split is 525 MiB
constexpr std::uint64_t kMaxSide = 8192;
constexpr std::uint64_t kMaxItems = 100'000'000;
constexpr std::size_t kReadStep = 1u << 20;

struct GzClose {
  void operator()(gzFile file) const { gzclose(file); }
};
using GzFile = std::unique_ptr<std::remove_pointer_t<gzFile>, GzClose>;

[[noreturn]] void damaged(const fs::path& path, const std::string& message) {
  throw Failure({ErrorCode::InvalidFile, message, path.string()});
}

struct IdxArray {
  std::vector<std::uint64_t> sizes;
  std::vector<std::uint8_t> values;
};

/// Reads a plain or gzipped IDX file. Never holds more than was declared, and never believes what
/// was declared further than the next step's bytes.
class IdxReader {
 public:
  explicit IdxReader(const fs::path& path) : m_path(path) {
    std::error_code code;
    if (!fs::is_regular_file(path, code))
      throw Failure({ErrorCode::NotFound, tr("is not a regular file"), path.string()});
    m_file.reset(gzopen(path.c_str(), "rb"));
    if (!m_file)
      throw Failure(
          {ErrorCode::Io, tr("could not be opened; check its permissions"), path.string()});
    gzbuffer(m_file.get(), 1u << 17);
  }

  IdxArray read(int dimensions) {
    std::vector<std::uint8_t> header;
    append(header, 4 + 4 * static_cast<std::size_t>(dimensions));
    if (header[0] != 0 || header[1] != 0 || header[2] != 0x08 || header[3] != dimensions)
      damaged(m_path, dimensions == 1
                          ? tr("does not begin like an IDX file of bytes with 1 dimension (labels)")
                          : tr("does not begin like an IDX file of bytes with ") +
                                std::to_string(dimensions) + tr(" dimensions (images)"));
    IdxArray array;
    for (int d = 0; d < dimensions; ++d) {
      std::uint64_t size = 0;
      for (int i = 0; i < 4; ++i)
        size = size << 8 | header[4 + 4 * d + i];
      array.sizes.push_back(size);
    }
    const std::uint64_t total = checkedTotal(array.sizes);
    if (gzdirect(m_file.get())) requirePlainSize(header.size() + total);
    append(array.values, total);
    std::uint8_t beyond = 0;
    const int more = gzread(m_file.get(), &beyond, 1);  // reads gzip's checksum as well
    if (more < 0) damaged(m_path, reason());
    if (more > 0) damaged(m_path, tr("holds more bytes than its header declares"));
    return array;
  }

 private:
  void append(std::vector<std::uint8_t>& bytes, std::uint64_t count) {
    const std::uint64_t wanted = bytes.size() + count;
    while (bytes.size() < wanted) {
      const std::size_t begin = bytes.size();
      const auto step =
          static_cast<std::size_t>(std::min<std::uint64_t>(kReadStep, wanted - begin));
      bytes.resize(begin + step);
      const int got = gzread(m_file.get(), bytes.data() + begin, static_cast<unsigned>(step));
      if (got < 0) damaged(m_path, reason());
      if (static_cast<std::size_t>(got) < step)
        damaged(m_path, tr("ends early: ") + std::to_string(begin + got) + tr(" of ") +
                            std::to_string(wanted) + tr(" bytes are there; fetch it again"));
    }
  }

  std::uint64_t checkedTotal(const std::vector<std::uint64_t>& sizes) const {
    if (sizes[0] == 0) damaged(m_path, tr("declares no items: the dataset is empty"));
    if (sizes[0] > kMaxItems)
      damaged(m_path, tr("declares ") + std::to_string(sizes[0]) + tr(" items"));
    std::uint64_t total = sizes[0];  // below 2²⁷; each side below 2¹⁴: no overflow
    for (std::size_t d = 1; d < sizes.size(); ++d) {
      if (sizes[d] == 0 || sizes[d] > kMaxSide)
        damaged(m_path, tr("declares images with a side of ") + std::to_string(sizes[d]) +
                            tr("; 1 to ") + std::to_string(kMaxSide) + tr(" is read here"));
      total *= sizes[d];
    }
    if (total > kMaxBytes)
      damaged(m_path, tr("declares ") + std::to_string(total) + tr(" bytes; at most ") +
                          std::to_string(kMaxBytes) + tr(" are read here"));
    return total;
  }

  void requirePlainSize(std::uint64_t expected) const {
    std::error_code code;
    const std::uintmax_t bytes = fs::file_size(m_path, code);
    if (!code && bytes != expected)
      damaged(m_path, tr("is ") + std::to_string(bytes) + tr(" bytes, but its header declares ") +
                          std::to_string(expected));
  }

  std::string reason() const {
    int code = 0;
    const std::string text = gzerror(m_file.get(), &code);
    return tr("could not be decompressed (") + text + tr("); fetch it again");
  }

  fs::path m_path;
  GzFile m_file;
};

/// The first that exists of NAME-idxN-ubyte, NAME.idxN-ubyte and these with .gz; empty if none.
fs::path find(const fs::path& folder, const std::string& name, int dimensions) {
  const std::string ending = "idx" + std::to_string(dimensions) + "-ubyte";
  for (const char* suffix : {"", ".gz"})
    for (const char* separator : {"-", "."}) {
      fs::path path = folder / (name + separator + ending + suffix);
      std::error_code code;
      if (fs::is_regular_file(path, code)) return path;
    }
  return {};
}

struct Pair {
  fs::path images;
  fs::path labels;
  bool complete() const { return !images.empty() && !labels.empty(); }
};

Pair findPair(const fs::path& folder, Split split) {
  if (split == Split::Train)
    return {find(folder, "train-images", 3), find(folder, "train-labels", 1)};
  for (const std::string name : {"t10k", "test"}) {
    Pair pair{find(folder, name + "-images", 3), find(folder, name + "-labels", 1)};
    if (!pair.images.empty() || !pair.labels.empty()) return pair;
  }
  return {};
}

void requireBoth(const fs::path& folder, const Pair& pair) {
  if (pair.images.empty() == pair.labels.empty()) return;
  const std::string found = (pair.images.empty() ? pair.labels : pair.images).filename().string();
  throw Failure({ErrorCode::NotFound,
                 "has " + found + tr(" but not the ") +
                     (pair.images.empty() ? "images" : "labels") + tr(" that belong to it"),
                 folder.string()});
}

class Idx : public LabeledDataset {
 public:
  Idx(fs::path path, IdxArray images, std::vector<std::uint8_t> labels, int classCount)
      : m_path(std::move(path)), m_images(std::move(images)), m_labels(std::move(labels)) {
    for (int i = 0; i < classCount; ++i)
      m_classNames.push_back(std::to_string(i));
  }
  std::int64_t size() const override { return static_cast<std::int64_t>(m_labels.size()); }
  const std::vector<std::string>& classNames() const override { return m_classNames; }
  int label(std::int64_t index) const override { return m_labels.at(index); }
  std::string describe(std::int64_t index) const override {
    return m_path.string() + " #" + std::to_string(index);
  }
  std::string stamp() const override {
    return memoryStamp(m_labels.data(), m_labels.size(),
                       memoryStamp(m_images.values.data(), m_images.values.size()));
  }
  Result<Sample> sample(std::int64_t index) const override {
    if (index < 0 || index >= size()) return noSample(index, m_path.string());
    const auto height = static_cast<std::size_t>(m_images.sizes[1]);
    const auto width = static_cast<std::size_t>(m_images.sizes[2]);
    const std::uint8_t* gray =
        m_images.values.data() + static_cast<std::size_t>(index) * height * width;
    auto pixels = std::make_shared<std::vector<std::uint8_t>>(3 * height * width);
    for (std::size_t i = 0; i < height * width; ++i)
      std::fill_n(pixels->begin() + static_cast<std::ptrdiff_t>(3 * i), 3, gray[i]);
    return Sample{{static_cast<int>(width), static_cast<int>(height), std::move(pixels)},
                  m_labels[index]};
  }

 private:
  fs::path m_path;
  IdxArray m_images;  // [items, height, width]
  std::vector<std::uint8_t> m_labels;
  std::vector<std::string> m_classNames;
};

OpenedSource openIdxFiles(const DatasetSpec& spec, Split split) {
  const Pair train = findPair(spec.path, Split::Train);
  const Pair validation = findPair(spec.path, Split::Validation);
  requireBoth(spec.path, train);
  requireBoth(spec.path, validation);
  const bool own = split == Split::Train || validation.complete();
  const Pair& pair = split == Split::Validation && own ? validation : train;
  if (!pair.complete())
    throw Failure({ErrorCode::NotFound,
                   tr("contains no train-images-idx3-ubyte and train-labels-idx1-ubyte (or .gz); "
                      "give the folder with these files"),
                   spec.path.string()});
  std::vector<std::uint8_t> labels = IdxReader(pair.labels).read(1).values;
  std::set<int> present(labels.begin(), labels.end());
  if (present.size() < 2)
    damaged(pair.labels,
            tr("all items have the same label; a classifier needs at least two classes"));
  // Both splits name the classes alike, so a label seen in either counts.
  const Pair& other = &pair == &train ? validation : train;
  if (other.complete())
    for (const std::uint8_t label : IdxReader(other.labels).read(1).values)
      present.insert(label);
  IdxArray images = IdxReader(pair.images).read(3);
  if (images.sizes[0] != labels.size())
    damaged(pair.images, tr("has ") + std::to_string(images.sizes[0]) + tr(" images, but ") +
                             pair.labels.filename().string() + tr(" has ") +
                             std::to_string(labels.size()) + tr(" labels"));
  return {std::make_unique<Idx>(pair.images, std::move(images), std::move(labels),
                                *present.rbegin() + 1),
          !validation.complete()};
}

}  // namespace

Result<OpenedSource> openIdx(const DatasetSpec& spec, Split split) {
  return guarded(spec.path.string(), [&] { return openIdxFiles(spec, split); });
}

bool looksLikeIdx(const fs::path& path) {
  return findPair(path, Split::Train).complete() || findPair(path, Split::Validation).complete();
}

}  // namespace headlight
