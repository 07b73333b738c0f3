#include "core/base/Log.h"

#include <cstdio>
#include <mutex>

namespace headlight {
namespace {

void writeToStandardError(LogLevel level, const std::string& message) {
  const char* prefix = level == LogLevel::Info      ? ""
                       : level == LogLevel::Warning ? "warning: "
                                                    : "error: ";
  std::fprintf(stderr, "%s%s\n", prefix, message.c_str());
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
