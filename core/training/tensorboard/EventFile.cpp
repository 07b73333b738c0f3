// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/tensorboard/EventFile.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>

#include "core/base/Crc32c.h"
#include "core/training/logs/WholeAppends.h"
#include "core/training/tensorboard/Protobuf.h"

namespace headlight {
namespace {

constexpr const char* kEventFilePrefix = "events.out.tfevents.";
constexpr long long kMostSeconds = 9'999'999'998;  // ten digits: so that names sort by time

/// A checksum of bytes that hold checksums says little: it is turned and shifted first.
std::uint32_t maskedCrc(std::string_view bytes) {
  const std::uint32_t crc = crc32cOf(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

/// From the name of an event file; 0 if no further file can follow.
long long secondsInName(const std::string& name) {
  const std::string prefix = kEventFilePrefix;
  if (!name.starts_with(prefix)) return 0;
  long long seconds = 0;
  const auto read =
      std::from_chars(name.data() + prefix.size(), name.data() + name.size(), seconds);
  return read.ec == std::errc() && seconds > 0 && seconds < kMostSeconds ? seconds : 0;
}

std::string hostName() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0) return "localhost";
  std::string host = name;
  for (char& c : host)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') c = '-';
  return host.empty() ? "localhost" : host;
}

}  // namespace

std::string eventRecord(std::string_view event) {
  std::string record;
  appendLittleEndian(record, event.size(), 8);
  appendLittleEndian(record, maskedCrc(record), 4);
  record += event;
  appendLittleEndian(record, maskedCrc(event), 4);
  return record;
}

std::string freshEventFileName(const OpenFolder& folder) {
  using std::chrono::system_clock;
  long long seconds =
      std::min<long long>(system_clock::to_time_t(system_clock::now()), kMostSeconds);
  for (const std::string& name : folder.names())
    seconds = std::max(seconds, secondsInName(name) + 1);
  char digits[32];
  std::snprintf(digits, sizeof digits, "%010lld", seconds);
  return kEventFilePrefix + std::string(digits) + "." + hostName();
}

Result<void> EventFile::open() {
  m_name = freshEventFileName(m_folder);
  auto opened = m_folder.openToAppend(m_name);
  if (!opened) return opened.error();
  m_file = std::move(opened).value();
  return {};
}

Result<void> EventFile::append(std::string_view event) {
  if (!m_file.valid())
    if (auto opened = open(); !opened) return opened;
  auto written = appendWhole(m_folder, m_name, m_file, m_beginning + eventRecord(event));
  if (written) m_beginning.clear();
  return written;
}

}  // namespace headlight
