// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/Log.h"

#include <cstdio>
#include <mutex>

#include "core/base/Utf8.h"

namespace headlight {
namespace {

void writeToStandardError(LogLevel level, const std::string& message) {
  const char* prefix = level == LogLevel::Info      ? ""
                       : level == LogLevel::Warning ? "warning: "
                                                    : "error: ";
  const std::string line = prefix + fitForLine(message) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

std::mutex g_mutex;
LogSink g_sink = writeToStandardError;

}  // namespace

void setLogSink(LogSink sink) {
  const std::lock_guard lock(g_mutex);
  g_sink = std::move(sink);
}

void log(LogLevel level, const std::string& message) {
  const std::lock_guard lock(g_mutex);
  if (g_sink) g_sink(level, message);
}

}  // namespace headlight
