// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/files/ShardIndex.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <system_error>

#include "core/base/Random.h"
#include "core/base/Translation.h"
#include "core/data/files/RememberedScan.h"
#include "core/data/files/TarReader.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWorthKeeping = 1000;  // samples; fewer are read at once everywhere
constexpr std::uint64_t kMaxClassBytes = 64;

/// "folder/name.seg.png" belongs to "folder/name" and is its "seg.png".
struct MemberName {
  std::string_view key;
  std::string_view extension;
};

/// Nothing for what has no dot, and for names that begin with one.
std::optional<MemberName> memberName(std::string_view name) {
  const std::size_t base = name.rfind('/') + 1;  // 0 without a slash
  const std::size_t dot = name.find('.', base);
  if (dot == name.npos || dot == base) return std::nullopt;
  return MemberName{name.substr(0, dot), name.substr(dot + 1)};
}

/// A PGM beside a JPEG in a shard is a mask or a depth map of it: PNM stays passed over there.
bool isImage(std::string_view extension) {
  const std::string name = "x." + std::string(extension);
  return extension.find('.') == extension.npos && hasImageExtension(name) && !hasPnmExtension(name);
}

std::optional<int> classIn(std::string_view text) {
  constexpr std::string_view kBlanks(" \t\r\n\0", 5);
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  const std::string_view digits = text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
  int label = -1;
  const char* end = digits.data() + digits.size();
  const auto [stopped, code] = std::from_chars(digits.data(), end, label);
  const bool known = code == std::errc() && stopped == end && label >= 0;
  return known && label < kMaxShardClasses ? std::optional(label) : std::nullopt;
}

/// The samples of one shard, as its members come.
class ShardReader {
 public:
  ShardReader(const fs::path& path, std::uint32_t shard, std::vector<ShardSample>& samples)
      : m_tar(path), m_shard(shard), m_samples(samples) {}

  void run() {
    const std::size_t before = m_samples.size();
    walkTar(m_tar, [this](const TarEntry& entry) { take(entry); });
    finish();
    if (m_samples.size() == before)
      refuseShard(
          tr("contains no images; remove it, or write it with .jpg or .png and .cls files"));
  }

 private:
  [[noreturn]] void refuseShard(const std::string& message) const {
    throw Failure({ErrorCode::InvalidFile, message, m_tar.path().string()});
  }

  void take(const TarEntry& entry) {
    const auto name = memberName(entry.name);
    if (!name) return;
    if (name->key != m_key) {
      finish();
      m_key = name->key;
    }
    if (isImage(name->extension))
      takeImage(entry);
    else if (name->extension == "cls")
      takeClass(entry);
  }

  void takeImage(const TarEntry& entry) {
    if (m_image)
      refuseShard(tr("contains two images with one name, ") + m_image->name + " and " + entry.name +
                  tr("; write the shard with one image per sample"));
    m_image = ShardSample{entry.name, m_shard, 0, entry.offset, entry.size};
  }

  void takeClass(const TarEntry& entry) {
    const auto label =
        entry.size <= kMaxClassBytes ? classIn(m_tar.read(entry.offset, entry.size)) : std::nullopt;
    if (!label)
      refuseShard(tr("contains a class, ") + entry.name + tr(", that is not a number from 0 to ") +
                  std::to_string(kMaxShardClasses - 1) + tr("; write it as \"7\""));
    m_label = label;
  }

  void finish() {
    if (m_image && !m_label)
      refuseShard(tr("has no class for ") + m_image->name + tr("; a file ") + m_key +
                  tr(".cls must be in the shard beside it"));
    if (m_image) {
      m_image->label = *m_label;
      m_samples.push_back(std::move(*m_image));
    }
    m_image.reset();
    m_label.reset();
  }

  const TarFile m_tar;
  std::uint32_t m_shard;
  std::vector<ShardSample>& m_samples;
  std::string m_key;
  std::optional<ShardSample> m_image;
  std::optional<int> m_label;
};

std::string indexText(const std::vector<ShardSample>& samples) {
  std::string text;
  for (const ShardSample& sample : samples) {
    addZeroEnded(text, sample.name);
    for (const std::uint64_t number :
         {std::uint64_t(sample.shard), std::uint64_t(sample.label), sample.offset, sample.size})
      addZeroEnded(text, std::to_string(number));
  }
  return text;
}

/// Nothing unless shards ascend from the first to the last and every number may be.
std::optional<std::vector<ShardSample>> readIndex(std::string_view text, std::size_t shards) {
  std::vector<ShardSample> samples;
  ZeroEnded texts(text);
  std::int64_t last = -1;
  while (!texts.rest().empty()) {
    const auto name = texts.next();
    const auto shard = texts.number(), label = texts.number();
    const auto offset = texts.number(), size = texts.number();
    if (!name || !shard || !label || !offset || !size) return std::nullopt;
    if (*shard != last && *shard != last + 1) return std::nullopt;
    if (*label < 0 || *label >= kMaxShardClasses || *offset < 0 || *size < 0) return std::nullopt;
    last = *shard;
    samples.push_back({std::string(*name), std::uint32_t(*shard), std::int32_t(*label),
                       std::uint64_t(*offset), std::uint64_t(*size)});
  }
  return last + 1 == std::int64_t(shards) ? std::optional(std::move(samples)) : std::nullopt;
}

/// Which shards of a folder an index is of.
std::string indexKind(const std::vector<std::string>& names) {
  std::uint64_t key = 0;
  for (const std::string& name : names)
    key = mixText(key, name);
  char text[32];
  std::snprintf(text, sizeof text, "shards %016llx", static_cast<unsigned long long>(key));
  return text;
}

}  // namespace

std::vector<ShardSample> indexShards(const fs::path& folder,
                                     const std::vector<std::string>& names) {
  std::error_code unknown;
  const fs::path place = fs::canonical(folder.empty() ? "." : folder, unknown);
  const std::string kind = indexKind(names);
  if (const auto text = recallScan(kind, place))
    if (auto samples = readIndex(*text, names.size())) return std::move(*samples);
  WatchedPaths watched(place);
  std::vector<ShardSample> samples;
  for (std::size_t shard = 0; shard < names.size(); ++shard) {
    watched.add(names[shard]);
    ShardReader(folder / names[shard], static_cast<std::uint32_t>(shard), samples).run();
  }
  if (samples.size() >= kWorthKeeping) rememberScan(kind, watched, indexText(samples));
  return samples;
}

}  // namespace headlight
