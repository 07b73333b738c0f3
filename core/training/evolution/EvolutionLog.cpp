// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/evolution/EvolutionLog.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/Translation.h"
#include "core/training/evolution/EvolutionFile.h"
#include "core/training/logs/LineLog.h"
#include "core/training/logs/WholeAppends.h"

namespace headlight {
namespace {

/// What must not change between the points of a file.
std::string identityOf(EvolutionBeginning beginning) {
  beginning.stride = 1;
  for (EvolutionImage& image : beginning.images)
    image.png.clear();  // another library may pack the same pixels otherwise
  return beginningContent(beginning);
}

/// More than so many do not wait: a run's memory is not for its images.
constexpr std::size_t kMostWaitingBytes = 64u << 20;
constexpr const char* kBeginningKey = "beginning";

std::string megabytes(std::int64_t bytes) {
  return std::to_string(static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) / 1e6)));
}

}  // namespace

/// Finds the points of the file and where it can be added to.
void EvolutionLog::readAvailable(const FileDescriptor& file) {
  const auto take = [&](EvolutionRecord&& record) {
    if (record.kind == kBeginningRecord && !m_beginning && !record.damaged)
      m_beginning = beginningFrom(record.content);
    if (record.kind != kPointRecord || record.damaged || !m_beginning) return true;
    const auto point = guarded("", [&] { return pointFrom(record.content, *m_beginning); });
    if (point && point->step > writtenStep())
      m_points.push_back({point->step, record.offset, record.size});
    return true;
  };
  // What belongs to somebody else is left alone from then on; a disk may get well again.
  m_off = true;
  const auto scan = scanEvolution(file, m_folder.pathOf(kEvolutionFile), 0, take);
  m_off = !scan && scan.error().code != ErrorCode::Io;
  m_end = valueOrThrow(scan).end;
  if (!m_beginning) {
    m_end = 0;  // nothing of it can be read
    return;
  }
  m_off = true;
  requireRun(m_folder, kEvolutionFile, m_beginning->run, m_run);
  m_off = false;
  m_stride = m_beginning->stride;
}

/// What lies in the folder.
void EvolutionLog::open() {
  m_points.clear();
  m_beginning.reset();
  m_stride = 1;
  m_end = 0;
  m_file = FileDescriptor();
  if (m_folder.has(kEvolutionFile))
    readAvailable(valueOrThrow(m_folder.openToRead(kEvolutionFile)));
  m_read = true;
}

void EvolutionLog::requireSameImages() {
  if (!m_beginning || identityOf(*m_offered) == identityOf(*m_beginning)) return;
  m_off = true;
  throw Failure({ErrorCode::InvalidFile,
                 tr("has maps of other images than this run measures; move it away, and the run "
                    "starts a new recording"),
                 m_folder.pathOf(kEvolutionFile).string()});
}

/// All that comes before the first point.
std::string EvolutionLog::head(std::int64_t stride) const {
  EvolutionBeginning beginning = *m_beginning;
  beginning.stride = stride;
  return evolutionPreamble() + evolutionRecord(kBeginningRecord, beginningContent(beginning));
}

Result<void> EvolutionLog::add(const EvolutionBeginning& beginning, const EvolutionPoint& point,
                               bool last) {
  return guarded(kEvolutionFile, [&] {
    if (m_off) return;
    m_offered = beginning;
    if (point.step > lastStep()) wait({point.step, pointContent(point), last});
    writeWaiting();
    if (last) flush();  // no checkpoint comes after it
  });
}

void EvolutionLog::wait(Waiting point) {
  std::size_t bytes = point.content.size();
  for (const Waiting& other : m_waiting)
    bytes += other.content.size();
  for (; bytes > kMostWaitingBytes && !m_waiting.empty(); m_lost = true) {
    bytes -= m_waiting.front().content.size();
    m_waiting.erase(m_waiting.begin());
  }
  m_waiting.push_back(std::move(point));
}

/// In their order, up to the first that cannot be.
void EvolutionLog::writeWaiting() {
  if (!m_read) open();
  if (!m_waiting.empty()) requireSameImages();
  while (!m_waiting.empty()) {
    write(m_waiting.front());
    m_waiting.erase(m_waiting.begin());
  }
}

void EvolutionLog::write(const Waiting& point) {
  if (point.step <= writtenStep()) return;
  if (!m_beginning) m_beginning = m_offered;
  const std::string record = evolutionRecord(kPointRecord, point.content);
  const auto size = static_cast<std::int64_t>(record.size());
  makeRoom(size);
  if (!point.last && point.step % (m_interval * m_stride) != 0) return;
  const std::string before = m_end == 0 ? head(m_stride) : "";
  append(before + record);
  m_end += static_cast<std::int64_t>(before.size());
  m_points.push_back({point.step, m_end, size});
  m_end += size;
}

/// Thins what is there until `bytes` more fit.
void EvolutionLog::makeRoom(std::int64_t bytes) {
  const auto first = static_cast<std::int64_t>(head(m_stride).size());
  if (first + 2 * bytes > m_mostBytes) {
    m_off = true;
    throw Failure({ErrorCode::InvalidArgument,
                   tr("telemetry.evolution_mb is too small: two points of this model take ") +
                       megabytes(first + 2 * bytes) +
                       tr(" MB. The maps of this run are not recorded"),
                   kEvolutionFile});
  }
  if (std::max(m_end, first) + bytes <= m_mostBytes) return;
  std::int64_t stride = m_stride, kept = 0;
  do {
    stride *= 2;
    kept = static_cast<std::int64_t>(head(stride).size());
    for (const Place& place : m_points)
      if (place.step % (m_interval * stride) == 0) kept += place.size;
  } while (kept + bytes > m_mostBytes && stride < (1ll << 40));
  keepEvery(stride);
}

/// The file anew, with every `stride`-th measurement: the old one or the new one is always there.
void EvolutionLog::keepEvery(std::int64_t stride) {
  const FileDescriptor old = valueOrThrow(m_folder.openToRead(kEvolutionFile));
  std::vector<Place> kept;
  const std::string first = head(stride);
  auto end = static_cast<std::int64_t>(first.size());
  valueOrThrow(m_folder.write(kEvolutionFile, [&](const AppendBytes& append) {
    append(first.data(), first.size());
    for (const Place& place : m_points) {
      if (place.step % (m_interval * stride) != 0) continue;
      const std::string bytes = evolutionBytes(old, m_folder.pathOf(kEvolutionFile), place.offset,
                                               static_cast<std::size_t>(place.size));
      append(bytes.data(), bytes.size());
      kept.push_back({place.step, end, place.size});
      end += static_cast<std::int64_t>(bytes.size());
    }
  }));
  m_stride = stride;
  m_points = std::move(kept);
  m_end = end;
  m_file = FileDescriptor();
}

/// Behind what is whole: what a crash left half-written is cut off first. A file that begins is
/// there with its first point or not at all.
void EvolutionLog::append(const std::string& bytes) {
  if (m_end == 0) {
    m_file = FileDescriptor();
    valueOrThrow(m_folder.write(kEvolutionFile, bytes));
    return;
  }
  if (!m_file.valid()) {
    m_file = valueOrThrow(m_folder.openToAppend(kEvolutionFile));
    if (::ftruncate(m_file.get(), m_end) != 0)
      throw Failure(systemFailure(m_folder.pathOf(kEvolutionFile), tr("cut back")));
  }
  valueOrThrow(appendWhole(m_folder, kEvolutionFile, m_file, bytes));
}

Result<void> EvolutionLog::sync() {
  return guarded(kEvolutionFile, [&] {
    if (m_off) return;
    if (!m_waiting.empty()) writeWaiting();
    flush();
  });
}

void EvolutionLog::flush() {
  m_unsynced = m_file.valid() && ::fdatasync(m_file.get()) != 0;
  if (m_unsynced)
    throw Failure(systemFailure(m_folder.pathOf(kEvolutionFile), tr("flush to the disk")));
}

std::map<std::string, std::string> EvolutionLog::unwritten() const {
  std::map<std::string, std::string> unwritten;
  for (const Waiting& point : m_waiting)
    if (!point.last && !m_off) unwritten[std::to_string(point.step)] = point.content;
  if (!unwritten.empty()) unwritten[kBeginningKey] = beginningContent(*m_offered);
  return unwritten;
}

Result<void> EvolutionLog::owe(const std::map<std::string, std::string>& unwritten) {
  const auto beginning = unwritten.find(kBeginningKey);
  if (beginning == unwritten.end()) return {};
  return guarded(kEvolutionFile, [&] {
    m_offered = beginningFrom(beginning->second);
    for (const auto& [name, content] : unwritten)
      if (name != kBeginningKey)
        m_waiting.push_back({pointFrom(content, *m_offered).step, content, false});
    std::sort(m_waiting.begin(), m_waiting.end(),
              [](const Waiting& a, const Waiting& b) { return a.step < b.step; });
  });
}

Result<void> EvolutionLog::cutTo(std::int64_t step) {
  return guarded(kEvolutionFile, [&] {
    m_waiting.clear();
    open();
    while (!m_points.empty() && m_points.back().step > step) {
      m_end = m_points.back().offset;
      m_points.pop_back();
    }
    if (step < 0) {
      m_beginning.reset();
      m_end = 0;
      m_stride = 1;
    }
    if (!m_folder.has(kEvolutionFile)) return;
    if (m_end == 0) return m_folder.remove(kEvolutionFile);
    m_file = valueOrThrow(m_folder.openToAppend(kEvolutionFile));
    if (::ftruncate(m_file.get(), m_end) != 0)
      throw Failure(systemFailure(m_folder.pathOf(kEvolutionFile), tr("cut back")));
  });
}

}  // namespace headlight
