// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/adapt/FeatureStore.h"

#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "core/base/Crc32.h"
#include "core/base/Translation.h"
#include "core/base/files/FileStamp.h"
#include "core/base/files/UserFolders.h"
#include "core/config/ConfigText.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFeatureMagic = "HLFEATS1";
constexpr std::size_t kDigestSize = 32;          ///< bytes
constexpr std::size_t kMostKeyBytes = 1u << 16;  ///< of the key as text
constexpr std::size_t kBeforeHeader = kFeatureMagic.size() + 4;

std::string checkBytes(std::uint32_t number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

std::uint32_t numberAt(const std::string& bytes, std::size_t at) {
  std::uint32_t number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

int digitOf(char letter) {
  return letter <= '9' ? letter - '0' : letter - 'a' + 10;
}

/// 32 bytes of 64 digits.
std::string packed(const std::string& digest) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digest.size(); i += 2)
    bytes += static_cast<char>(digitOf(digest[i]) * 16 + digitOf(digest[i + 1]));
  return bytes;
}

/// Magic, length, the key as JSON, and a checksum of that.
std::string headerBytes(const FeatureKey& key) {
  const std::string text = featureKeyJson(key).dump();
  return std::string(kFeatureMagic) + checkBytes(static_cast<std::uint32_t>(text.size())) + text +
         checkBytes(crc32Of(text.data(), text.size()));
}

struct FeatureHeader {
  FeatureKey key;
  std::size_t end = 0;
};

/// Error: InvalidFile.
Result<FeatureHeader> readHeader(const std::string& content, const std::string& where) {
  const Error damaged{ErrorCode::InvalidFile, tr("is no file of features, or is damaged"), where};
  if (content.size() < kBeforeHeader || !content.starts_with(kFeatureMagic)) return damaged;
  const std::size_t length = numberAt(content, kFeatureMagic.size());
  if (length > kMostKeyBytes || content.size() < kBeforeHeader + length + 4) return damaged;
  const std::string text = content.substr(kBeforeHeader, length);
  if (crc32Of(text.data(), text.size()) != numberAt(content, kBeforeHeader + length))
    return damaged;
  const auto key = guarded(where, [&] { return featureKeyFrom(jsonOrDiscarded(text)); });
  if (!key) return damaged;
  return FeatureHeader{*key, kBeforeHeader + length + 4};
}

Error ofAnotherModel(const FeatureKey& found, const FeatureKey& wanted, const std::string& where) {
  const bool masksAlone = found.weights == wanted.weights && found.masks != wanted.masks;
  return {ErrorCode::InvalidArgument,
          (masksAlone ? tr("has features of this model under other masks")
                      : tr("has features of another model, ") + found.model +
                            tr(", or of other settings")) +
              tr("; choose another file, or remove this one"),
          where};
}

bool isFeatureFile(const std::string& name) {
  return name.starts_with("features-") && name.ends_with(".bin");
}

/// Removes the oldest files of other keys until all are within the bound.
void makeRoomFor(const OpenFolder& folder, const std::string& own) {
  std::vector<std::pair<FileStamp, std::string>> files;
  std::uintmax_t bytes = 0;
  for (const std::string& name : folder.names())
    if (const auto stamp = fileStamp(folder, name); stamp && isFeatureFile(name)) {
      bytes += static_cast<std::uintmax_t>(stamp->size);
      if (name != own) files.emplace_back(*stamp, name);
    }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first.seconds, a.first.nanoseconds, a.second) <
           std::tie(b.first.seconds, b.first.nanoseconds, b.second);
  });
  for (const auto& [stamp, name] : files) {
    if (bytes <= FeatureStore::kMostFolderBytes) return;
    folder.remove(name);
    bytes -= static_cast<std::uintmax_t>(stamp.size);
  }
}

}  // namespace

FeaturePlace FeaturePlace::ofUser() {
  const fs::path cache = userCacheFolder();
  return {{}, cache.empty() ? cache : cache / "features"};
}

FeatureStore::FeatureStore(const FeaturePlace& place, const FeatureKey& key)
    : m_key(key), m_named(!place.file.empty()) {
  if (place.file.empty() && place.folder.empty()) return;
  const auto opened = guarded(place.file.string(), [&] { open(place); });
  if (opened) return;
  if (m_named) throw Failure(opened.error());
  stopKeeping(opened.error().text());
}

void FeatureStore::open(const FeaturePlace& place) {
  if (m_named) {
    const fs::path parent = place.file.parent_path();
    return openIn(parent.empty() ? "." : parent, place.file.filename().string());
  }
  openIn(place.folder, featureFileName(m_key));
}

void FeatureStore::openIn(const fs::path& path, const std::string& name) {
  const OpenFolder folder = valueOrThrow(OpenFolder::make(path));
  if (!m_named) makeRoomFor(folder, name);
  m_path = folder.pathOf(name);
  m_file = valueOrThrow(folder.openLock(name));
  const bool alone = ::flock(m_file.get(), LOCK_EX | LOCK_NB) == 0;
  const std::string content = valueOrThrow(readOpenFile(m_file, m_path, 2 * kMostBytes));
  // What another program writes right now is left as it is.
  if (!alone) stopKeeping(m_path.string() + ": " + tr("another program adds features to it"));
  takeContent(content);
}

/// Whatever is damaged in the folder is replaced; in a file of the person's only what follows the
/// last whole record.
void FeatureStore::takeContent(const std::string& content) {
  if (content.empty()) return startFile();
  const auto header = readHeader(content, m_path.string());
  if (!header && m_named) throw Failure(header.error());
  if (header && !(header->key == m_key)) {
    if (m_named) throw Failure(ofAnotherModel(header->key, m_key, m_path.string()));
  } else if (header) {
    return takeRecords(content, header->end);
  }
  m_notes.push_back(m_path.string() + ": " + tr("was damaged; its features are computed again"));
  startFile();
}

std::size_t FeatureStore::recordBytes() const {
  return kDigestSize + static_cast<std::size_t>(m_key.width) * sizeof(float) + 4;
}

void FeatureStore::takeRecords(const std::string& content, std::size_t from) {
  const std::size_t record = recordBytes(), payload = record - 4;
  const auto width = static_cast<std::size_t>(m_key.width);
  std::size_t at = from;
  for (; at + record <= content.size(); at += record) {
    if (crc32Of(content.data() + at, payload) != numberAt(content, at + payload)) break;
    m_places[content.substr(at, kDigestSize)] = m_values.size();
    m_values.resize(m_values.size() + width);
    std::memcpy(m_values.data() + m_values.size() - width, content.data() + at + kDigestSize,
                width * sizeof(float));
  }
  m_bytes = at;
  if (at == content.size()) return;
  if (content.size() - at >= record)
    m_notes.push_back(m_path.string() + ": " +
                      tr("was damaged in part; what is missing is computed again"));
  cut(at);
}

void FeatureStore::startFile() {
  cut(0);
  append(headerBytes(m_key));
}

void FeatureStore::cut(std::uintmax_t size) {
  m_bytes = size;
  if (m_file.valid() && ::ftruncate(m_file.get(), static_cast<off_t>(size)) != 0)
    stopKeeping(systemFailure(m_path, tr("shorten")).text());
}

void FeatureStore::append(const std::string& bytes) {
  if (!m_file.valid()) return;
  if (m_bytes + bytes.size() > kMostBytes)
    return stopKeeping(m_path.string() + ": " + tr("is as large as it may be (2 GB)"));
  if (::lseek(m_file.get(), static_cast<off_t>(m_bytes), SEEK_SET) < 0)
    return stopKeeping(systemFailure(m_path, tr("write")).text());
  if (const auto written = writeWhole(m_file, bytes.data(), bytes.size(), m_path); !written) {
    cut(m_bytes);  // half a record would be left
    return stopKeeping(written.error().text());
  }
  m_bytes += bytes.size();
}

void FeatureStore::stopKeeping(const std::string& why) {
  m_file = FileDescriptor();
  m_notes.push_back(tr("Features are no longer kept: ") + why);
}

const float* FeatureStore::find(const std::string& digest) const {
  const auto found = m_places.find(packed(digest));
  return found == m_places.end() ? nullptr : m_values.data() + found->second;
}

void FeatureStore::add(const std::string& digest, const float* values) {
  const std::string place = packed(digest);
  if (place.size() != kDigestSize || !m_places.emplace(place, m_values.size()).second) return;
  m_values.insert(m_values.end(), values, values + m_key.width);
  std::string record = place;
  record.append(reinterpret_cast<const char*>(values),
                static_cast<std::size_t>(m_key.width) * sizeof(float));
  append(record + checkBytes(crc32Of(record.data(), record.size())));
}

}  // namespace headlight
