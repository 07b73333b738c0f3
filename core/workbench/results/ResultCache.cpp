// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/results/ResultCache.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "core/base/Clock.h"
#include "core/base/Log.h"
#include "core/base/Translation.h"
#include "core/base/files/OpenFolder.h"
#include "core/base/files/UserFolders.h"
#include "core/config/ConfigText.h"
#include "core/config/RunId.h"
#include "core/workbench/results/ReadingJson.h"

namespace headlight {
namespace {

constexpr int kResultSchema = 1;
constexpr std::uintmax_t kMostShelfBytes = 200u << 20;  ///< of all results together
constexpr const char* kResultEnding = ".json";

/// The texts of a key by their names in a file: the first four are for people.
struct KeyText {
  const char* name;
  std::string ResultKey::*text;
};
constexpr std::array kKeyTexts{
    KeyText{"model", &ResultKey::model},     KeyText{"scheme", &ResultKey::scheme},
    KeyText{"dataset", &ResultKey::dataset}, KeyText{"path", &ResultKey::path},
    KeyText{"kind", &ResultKey::kind},       KeyText{"detail", &ResultKey::detail},
    KeyText{"weights", &ResultKey::weights}, KeyText{"masks", &ResultKey::masks},
    KeyText{"data", &ResultKey::data}};
constexpr std::size_t kNames = 4;

Json keyJson(const ResultKey& key) {
  Json json;
  for (const KeyText& text : kKeyTexts)
    json[text.name] = key.*text.text;
  json["samples"] = key.samples;
  return json;
}

ResultKey keyFrom(const Json& json) {
  ResultKey key;
  for (const KeyText& text : kKeyTexts)
    key.*text.text = json.at(text.name).get<std::string>();
  key.samples = json.at("samples").get<std::int64_t>();
  return key;
}

/// By what counts of the key.
std::string fileNameOf(const ResultKey& key) {
  Json json = keyJson(key);
  for (std::size_t i = 0; i < kNames; ++i)
    json.erase(kKeyTexts[i].name);
  return key.kind + "-" + makeRunId(json) + kResultEnding;
}

bool isResultFile(const std::string& name) {
  const std::size_t dash = name.find('-'), end = name.rfind(kResultEnding);
  return dash != std::string::npos && end != std::string::npos && end == dash + 17 &&
         name.size() == end + 5 && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == dash &&
         name.find_first_not_of("0123456789abcdef", dash + 1) == end;
}

std::string kindOf(const std::string& file) {
  return file.substr(0, file.find('-'));
}

/// One that is not what its name says is another's.
std::optional<CachedResult> keptOrNone(const Result<std::string>& text, const std::string& name) {
  auto kept = text ? keptResultFromText(*text, name) : Result<CachedResult>(text.error());
  if (kept && fileNameOf(kept->key) != name)
    kept = Error{ErrorCode::InvalidFile, tr("does not match its name"), name};
  if (kept) return std::move(*kept);
  logInfo("A saved result was ignored: " + kept.error().text());
  return std::nullopt;
}

struct FileAge {
  std::string name;
  std::int64_t seconds = 0, nanoseconds = 0;
  std::uintmax_t bytes = 0;
  bool operator<(const FileAge& other) const {
    return std::tie(seconds, nanoseconds, name) <
           std::tie(other.seconds, other.nanoseconds, other.name);
  }
};

/// The oldest first.
std::vector<FileAge> agesOf(const OpenFolder& folder, const std::vector<std::string>& names) {
  std::vector<FileAge> ages;
  for (const std::string& name : names) {
    struct stat status {};
    if (::fstatat(folder.descriptor(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    ages.push_back({name, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                    static_cast<std::uintmax_t>(status.st_size)});
  }
  std::sort(ages.begin(), ages.end());
  return ages;
}

/// What has to leave, the oldest first, so that all bounds hold.
std::vector<std::string> tooMany(const std::vector<FileAge>& ages) {
  std::map<std::string, std::size_t> ofKind;
  std::uintmax_t bytes = 0;
  std::size_t kept = 0;
  std::vector<std::string> leaving;
  for (auto age = ages.rbegin(); age != ages.rend(); ++age) {
    bytes += age->bytes;
    const bool fits = ++kept <= ResultCache::kMostResults && bytes <= kMostShelfBytes &&
                      ++ofKind[kindOf(age->name)] <= ResultCache::kMostOfAKind;
    if (!fits) leaving.push_back(age->name);
  }
  return leaving;
}

}  // namespace

std::string keptResultText(const CachedResult& kept) {
  return Json{{"schema", kResultSchema},
              {"key", keyJson(kept.key)},
              {"measured", kept.measured},
              {"result", kept.result}}
             .dump() +
         "\n";
}

Result<CachedResult> keptResultFromText(const std::string& text, const std::string& name) {
  return readingJson(name, [&] {
    const Json json = valueOrThrow(parseConfigJson(text, name, ResultCache::kMostBytes));
    if (json.at("schema") != kResultSchema)
      throw Failure(
          {ErrorCode::UnsupportedFile, tr("was saved by another version of Headlight"), name});
    CachedResult kept{keyFrom(json.at("key")), json.at("measured").get<std::string>(),
                      json.at("result")};
    if (!isUtc(kept.measured))
      throw Failure({ErrorCode::InvalidFile, tr("has no time of measurement"), name});
    return kept;
  });
}

bool ResultKey::operator==(const ResultKey& other) const {
  return samples == other.samples &&
         std::all_of(kKeyTexts.begin() + kNames, kKeyTexts.end(),
                     [&](const KeyText& text) { return this->*text.text == other.*text.text; });
}

std::filesystem::path ResultCache::defaultFolder() {
  const auto data = userDataFolder();
  return data.empty() ? data : data / "results";
}

std::vector<std::string> ResultCache::names() const {
  std::vector<std::string> names;
  const auto folder = OpenFolder::open(m_folder);
  if (!folder) return names;
  for (const std::string& name : folder->names())
    if (isResultFile(name)) names.push_back(name);
  return names;
}

std::optional<CachedResult> ResultCache::read(const std::string& name) const {
  if (m_folder.empty()) {
    const auto found = m_kept.find(name);
    return found == m_kept.end() ? std::nullopt : keptOrNone(found->second, name);
  }
  const auto folder = OpenFolder::open(m_folder);
  if (!folder || !folder->has(name)) return std::nullopt;
  return keptOrNone(folder->read(name, kMostBytes), folder->pathOf(name).filename().string());
}

std::optional<CachedResult> ResultCache::find(const ResultKey& key) const {
  const std::lock_guard lock(m_mutex);
  auto kept = read(fileNameOf(key));
  return kept && kept->key == key ? kept : std::nullopt;
}

Result<void> ResultCache::keep(const CachedResult& kept) const {
  return guarded("results", [&]() -> Result<void> {
    const std::string text = keptResultText(kept), name = fileNameOf(kept.key);
    if (text.size() > kMostBytes)
      return Error{ErrorCode::InvalidArgument, tr("is larger than a saved result can be"),
                   kept.key.kind};
    const std::lock_guard lock(m_mutex);
    if (m_folder.empty()) {
      if (m_kept.size() >= kMostOfAKind && !m_kept.contains(name)) m_kept.erase(m_kept.begin());
      m_kept[name] = text;
      return {};
    }
    const auto folder = OpenFolder::make(m_folder);
    if (!folder) return folder.error();
    if (auto written = folder->write(name, text); !written) return written;
    makeRoom();
    return {};
  });
}

void ResultCache::makeRoom() const {
  const auto folder = OpenFolder::open(m_folder);
  if (!folder) return;
  for (const std::string& name : tooMany(agesOf(*folder, names())))
    folder->remove(name);
}

void ResultCache::remove(const ResultKey& key) const {
  const std::lock_guard lock(m_mutex);
  m_kept.erase(fileNameOf(key));
  if (const auto folder = OpenFolder::open(m_folder); folder) folder->remove(fileNameOf(key));
}

Result<std::vector<CachedResult>> ResultCache::list() const {
  return guarded(m_folder.string(), [&] {
    const std::lock_guard lock(m_mutex);
    std::vector<std::string> all = names();
    for (const auto& [name, text] : m_kept)
      all.push_back(name);
    std::vector<CachedResult> results;
    for (const std::string& name : all)
      if (auto kept = read(name)) results.push_back(std::move(*kept));
    std::sort(results.begin(), results.end(), [](const CachedResult& a, const CachedResult& b) {
      return std::tie(b.measured, b.key.kind, b.key.detail) <
             std::tie(a.measured, a.key.kind, a.key.detail);
    });
    return results;
  });
}

Result<std::size_t> ResultCache::clear() const {
  return guarded(m_folder.string(), [&]() -> Result<std::size_t> {
    const std::lock_guard lock(m_mutex);
    std::size_t removed = m_kept.size();
    m_kept.clear();
    const auto folder = OpenFolder::open(m_folder);
    if (!folder) return removed;
    for (const std::string& name : names()) {
      folder->remove(name);
      if (folder->has(name))
        return Error{ErrorCode::Io, tr("could not be removed"), folder->pathOf(name).string()};
      ++removed;
    }
    return removed;
  });
}

}  // namespace headlight
