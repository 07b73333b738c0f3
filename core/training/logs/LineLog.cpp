// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/logs/LineLog.h"

#include <unistd.h>

#include <charconv>

#include "core/base/Translation.h"
#include "core/config/ConfigText.h"
#include "core/config/RunId.h"
#include "core/training/logs/WholeAppends.h"

namespace headlight {
namespace {

constexpr std::size_t kMaxPending = 16u << 20, kMaxLine = 16u << 20, kPieceBytes = 1u << 16;

}  // namespace

Result<void> LineLog::append(const std::string& line) {
  while (m_pending.size() > kMaxPending) {
    m_pending.erase(0, m_pending.find('\n') + 1);
    m_lost = true;
  }
  m_pending += line + "\n";
  return flush();
}

Result<void> LineLog::flush() {
  if (!m_file.valid()) {
    auto opened = m_folder.openToAppend(m_name);
    if (!opened) return opened.error();
    m_file = std::move(opened).value();
  }
  if (auto written = appendWhole(m_folder, m_name, m_file, m_pending); !written) return written;
  m_pending.clear();
  return {};
}

Result<void> LineLog::sync() {
  if (!m_pending.empty())
    if (auto flushed = flush(); !flushed) return flushed;
  if (m_file.valid() && ::fdatasync(m_file.get()) != 0)
    return systemFailure(m_folder.pathOf(m_name), "flush to the disk");
  return {};
}

Result<void> LineLog::keepWhile(const std::function<bool(const std::string& line)>& keep) {
  if (!m_folder.has(m_name)) return {};
  off_t kept = 0;
  const auto count = [&](const std::string& line, bool whole) {
    if (!whole || !keep(line)) return false;
    kept += static_cast<off_t>(line.size()) + 1;
    return true;
  };
  if (auto read = forEachLine(m_folder, m_name, count); !read) return read;
  auto file = m_folder.openToAppend(m_name);
  if (!file) return file.error();
  if (::ftruncate(file->get(), kept) != 0)
    return systemFailure(m_folder.pathOf(m_name), "cut back");
  return {};
}

std::string LineLog::head() const {
  std::string head;
  const auto read = forEachLine(m_folder, m_name, [&](const std::string& line, bool) {
    head = line;
    return false;
  });
  return read ? head : std::string();
}

Result<void> forEachLine(const OpenFolder& folder, const std::string& name, const TakeLine& take) {
  if (!folder.has(name)) return {};
  const auto file = folder.openToRead(name);
  if (!file) return file.error();
  std::string waiting, piece(kPieceBytes, '\0');
  while (waiting.size() <= kMaxLine) {
    const ssize_t got = ::read(file->get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return systemFailure(folder.pathOf(name), "read");
    if (got == 0) break;
    waiting.append(piece, 0, static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t end; (end = waiting.find('\n', begin)) != std::string::npos; begin = end + 1)
      if (!take(waiting.substr(begin, end - begin), true)) return {};
    waiting.erase(0, begin);
  }
  if (!waiting.empty()) take(waiting, false);
  return {};
}

std::int64_t integerAt(const Json& json, const char* key) {
  if (!json.is_object() || !json.contains(key) || !json[key].is_number_integer()) return -1;
  return json[key].get<std::int64_t>();
}

std::optional<std::int64_t> firstCell(const std::string& row) {
  std::int64_t value = 0;
  const char* end = row.data() + row.size();
  const auto read = std::from_chars(row.data(), end, value);
  const bool whole = read.ec == std::errc() && read.ptr != end && *read.ptr == ',';
  return whole ? std::optional(value) : std::nullopt;
}

void forEachLoggedStep(const OpenFolder& folder, const std::string& name,
                       const std::function<void(const Json& line, std::int64_t step)>& take) {
  // What cannot be read says nothing.
  static_cast<void>(forEachLine(folder, name, [&](const std::string& text, bool) {
    const Json line = jsonOrDiscarded(text);
    if (const std::int64_t step = integerAt(line, "step"); step >= 0) take(line, step);
    return true;
  }));
}

void requireRun(const OpenFolder& folder, const std::string& name, const std::string& id,
                const std::string& run) {
  if (id.empty() || run.empty() || id == run) return;
  throw Failure({ErrorCode::InvalidFile,
                 tr("belongs to another run (") + id.substr(0, 32) + tr("; this run is ") + run +
                     tr("); restore this run's own file, or move the other away"),
                 folder.pathOf(name).string()});
}

Json ownLine(const OpenFolder& folder, const std::string& name, const std::string& line,
             const std::string& run) {
  Json json = jsonOrDiscarded(line);
  requireRun(folder, name, writtenRunId(json), run);
  return json;
}

}  // namespace headlight
