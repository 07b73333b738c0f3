// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/files/RememberedScan.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <system_error>
#include <vector>

#include "core/base/Crc32.h"
#include "core/base/Log.h"
#include "core/base/Random.h"
#include "core/base/files/Files.h"
#include "core/base/files/UserFolders.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

// A file is: its CRC-32 (of all that follows), and texts that end with a zero byte: this mark, the
// kind, the place, each watched path with its four numbers, an end, and then what was found.
constexpr std::string_view kScanMark = "headlight scan 1";
constexpr std::string_view kEndOfPaths = "/";  // no path below a root is called that
constexpr std::size_t kCrcDigits = 8;
constexpr std::uintmax_t kMaxScanBytes = 1u << 30;  // some ten million files
constexpr std::size_t kScansKept = 64;

fs::path scanFolder() {
  const fs::path cache = userCacheFolder();
  return cache.empty() ? cache : cache / "scans";
}

std::string scanName(const std::string& kind, const fs::path& place) {
  char name[32];
  std::snprintf(name, sizeof name, "%016llx.scan",
                static_cast<unsigned long long>(mixText(mixText(0, kind), place.string())));
  return name;
}

void addNumber(std::string& bytes, std::int64_t number) {
  addZeroEnded(bytes, std::to_string(number));
}

std::string scanBytes(const std::string& kind, const WatchedPaths& watched,
                      std::string_view found) {
  std::string bytes;
  for (const std::string_view text :
       {kScanMark, std::string_view(kind), std::string_view(watched.root().native())})
    addZeroEnded(bytes, text);
  for (const auto& [name, state] : watched.all()) {
    addZeroEnded(bytes, name);
    addNumber(bytes, std::int64_t(state.inode));
    addNumber(bytes, std::int64_t(state.bytes));
    addNumber(bytes, state.modified);
    addNumber(bytes, state.changed);
  }
  addZeroEnded(bytes, kEndOfPaths);
  bytes += found;
  return crcText(crc32Of(bytes.data(), bytes.size())) + bytes;
}

std::optional<PathState> readState(ZeroEnded& texts) {
  const auto inode = texts.number(), size = texts.number();
  const auto modified = texts.number(), changed = texts.number();
  if (!inode || !size || !modified || !changed) return std::nullopt;
  return PathState{std::uint64_t(*inode), std::uint64_t(*size), *modified, *changed};
}

/// Whether the paths that `texts` goes on with are all as it says; then it stands behind them.
bool pathsAreAsTheyWere(ZeroEnded& texts, const fs::path& place) {
  for (auto name = texts.next(); name; name = texts.next()) {
    if (*name == kEndOfPaths) return true;
    const auto state = readState(texts);
    if (!state || pathState(place / *name) != state) return false;
  }
  return false;
}

bool isWhole(std::string_view bytes) {
  if (bytes.size() < kCrcDigits) return false;
  const std::string_view rest = bytes.substr(kCrcDigits);
  return bytes.substr(0, kCrcDigits) == crcText(crc32Of(rest.data(), rest.size()));
}

void removeOldest(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> scans;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code))
    if (at->path().extension() == ".scan")
      scans.emplace_back(fs::last_write_time(at->path(), code), at->path());
  if (scans.size() <= kScansKept) return;
  std::sort(scans.begin(), scans.end());
  for (std::size_t i = 0; i < scans.size() - kScansKept; ++i)
    fs::remove(scans[i].second, code);
}

}  // namespace

std::optional<std::string_view> ZeroEnded::next() {
  const std::size_t end = m_rest.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view text = m_rest.substr(0, end);
  m_rest.remove_prefix(end + 1);
  return text;
}

std::optional<std::int64_t> ZeroEnded::number() {
  const auto text = next();
  if (!text) return std::nullopt;
  std::int64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [stopped, code] = std::from_chars(text->data(), end, value);
  return code == std::errc() && stopped == end ? std::optional(value) : std::nullopt;
}

std::optional<std::string> recallScan(const std::string& kind, const fs::path& place) {
  const fs::path folder = scanFolder();
  if (folder.empty()) return std::nullopt;
  const auto bytes = readFile(folder / scanName(kind, place), kMaxScanBytes);
  if (!bytes || !isWhole(*bytes)) return std::nullopt;
  ZeroEnded texts(std::string_view(*bytes).substr(kCrcDigits));
  const bool ours =
      texts.next() == kScanMark && texts.next() == kind && texts.next() == place.native();
  if (!ours || !pathsAreAsTheyWere(texts, place)) return std::nullopt;
  return std::string(texts.rest());
}

void rememberScan(const std::string& kind, const WatchedPaths& watched, std::string_view found) {
  const fs::path folder = scanFolder();
  if (folder.empty() || !watched.settled()) return;
  std::error_code code;
  fs::create_directories(folder, code);  // where that fails, writing says why
  const std::string bytes = scanBytes(kind, watched, found);
  if (bytes.size() > kMaxScanBytes) return;
  const auto written = writeFileAtomically(folder / scanName(kind, watched.root()), bytes);
  if (!written)
    logInfo("the scan of " + watched.root().string() +
            " could not be saved: " + written.error().text());
  else
    removeOldest(folder);
}

}  // namespace headlight
