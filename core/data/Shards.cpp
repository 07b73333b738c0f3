// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/Shards.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/data/ShardNames.h"
#include "core/data/files/DataStamp.h"
#include "core/data/files/SampleErrors.h"
#include "core/data/files/ShardIndex.h"
#include "core/data/files/TarReader.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

/// The shards read last stay open: on a network drive opening one is a question of its own.
class OpenShards {
 public:
  std::shared_ptr<const TarFile> get(const fs::path& path) const {
    const std::lock_guard lock(m_mutex);
    const auto known = std::find_if(m_recent.begin(), m_recent.end(),
                                    [&](const auto& tar) { return tar->path() == path; });
    if (known != m_recent.end()) {
      std::rotate(m_recent.begin(), known, known + 1);
    } else {
      m_recent.insert(m_recent.begin(), std::make_shared<const TarFile>(path));
      if (m_recent.size() > kOpenAtMost) m_recent.pop_back();
    }
    return m_recent.front();
  }

 private:
  static constexpr std::size_t kOpenAtMost = 8;
  mutable std::mutex m_mutex;
  mutable std::vector<std::shared_ptr<const TarFile>> m_recent;  ///< the last first
};

class Shards : public LabeledDataset {
 public:
  Shards(ShardNames names, std::vector<ShardSample> samples, int classes)
      : m_names(std::move(names)), m_samples(std::move(samples)) {
    for (int label = 0; label < classes; ++label)
      m_classNames.push_back(std::to_string(label));
  }

  std::int64_t size() const override { return static_cast<std::int64_t>(m_samples.size()); }
  const std::vector<std::string>& classNames() const override { return m_classNames; }
  int label(std::int64_t index) const override { return m_samples.at(index).label; }
  std::string describe(std::int64_t index) const override {
    const ShardSample& sample = m_samples.at(index);
    return pathOf(sample).string() + ": " + sample.name;
  }
  std::vector<std::int64_t> shards() const override {
    std::vector<std::int64_t> counts(m_names.names.size());
    for (const ShardSample& sample : m_samples)
      ++counts[sample.shard];
    return counts;
  }
  bool reachable() const override {
    std::error_code code;
    return fs::exists(pathOf(m_samples.front()), code);
  }
  std::string stamp() const override {
    std::vector<fs::path> paths;
    for (const std::string& name : m_names.names)
      paths.push_back(m_names.folder / name);
    return fileStamp(m_names.folder, paths);
  }
  Result<Sample> sample(std::int64_t index) const override {
    const auto bytes = bytesOf(index);
    if (!bytes) return bytes.error();
    auto image = decodeImage(*bytes, describe(index));
    if (!image) return image.error();
    return Sample{std::move(image).value(), label(index)};
  }
  Result<SamplePart> part(std::int64_t index, const ChoosePart& choose) const override {
    const auto bytes = bytesOf(index);
    if (!bytes) return bytes.error();
    auto image = decodeImagePart(*bytes, describe(index), choose);
    if (!image) return image.error();
    return SamplePart{std::move(image).value(), label(index)};
  }

 private:
  fs::path pathOf(const ShardSample& sample) const {
    return m_names.folder / m_names.names[sample.shard];
  }
  Result<std::string> bytesOf(std::int64_t index) const {
    if (index < 0 || index >= size()) return noSample(index, m_names.folder.string());
    const ShardSample& sample = m_samples[index];
    if (sample.size > kMaxImageBytes)
      return Error{ErrorCode::UnsupportedFile,
                   "is " + std::to_string(sample.size) + tr(" bytes; at most ") +
                       std::to_string(kMaxImageBytes) + tr(" are read here: scale the image down"),
                   describe(index)};
    return guarded(describe(index),
                   [&] { return m_open.get(pathOf(sample))->read(sample.offset, sample.size); });
  }

  ShardNames m_names;
  std::vector<ShardSample> m_samples;
  std::vector<std::string> m_classNames;
  OpenShards m_open;
};

int greatestLabel(const std::vector<ShardSample>& samples) {
  int greatest = 0;
  for (const ShardSample& sample : samples)
    greatest = std::max(greatest, sample.label);
  return greatest;
}

void requireTwoClasses(const std::vector<ShardSample>& samples, const fs::path& path) {
  const auto other = [&](const ShardSample& sample) { return sample.label != samples[0].label; };
  if (std::none_of(samples.begin(), samples.end(), other))
    throw Failure({ErrorCode::InvalidFile,
                   tr("all images have the class ") + std::to_string(samples[0].label) +
                       tr("; a classifier needs at least two classes"),
                   path.string()});
}

/// The greatest label of the other split, where that has shards of its own that are there.
int greatestOfOther(const DatasetSpec& spec, Split split) {
  const Split other = split == Split::Train ? Split::Validation : Split::Train;
  const auto names = guarded(spec.path.string(), [&] { return shardNames(spec.path, other); });
  return names ? greatestLabel(indexShards(names->folder, names->names)) : 0;
}

OpenedSource openShardsOf(const DatasetSpec& spec, Split split) {
  ShardNames names = shardNames(spec.path, split);
  auto samples = indexShards(names.folder, names.names);
  requireTwoClasses(samples, spec.path);
  const int others = names.shareOut ? 0 : greatestOfOther(spec, split);
  const int classes = 1 + std::max(greatestLabel(samples), others);
  const bool shareOut = names.shareOut;
  return {std::make_unique<Shards>(std::move(names), std::move(samples), classes), shareOut};
}

}  // namespace

Result<OpenedSource> openShards(const DatasetSpec& spec, Split split) {
  return guarded(spec.path.string(), [&] { return openShardsOf(spec, split); });
}

bool looksLikeShards(const fs::path& path) {
  return namesShards(path);
}

}  // namespace headlight
