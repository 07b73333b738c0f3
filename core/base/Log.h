// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Messages for the person, not for control flow. Thread-safe; one sink for the whole program.

#include <functional>
#include <string>

namespace headlight {

enum class LogLevel { Info, Warning, Error };

using LogSink = std::function<void(LogLevel, const std::string&)>;

/// Replaces the sink (standard error by default); an empty function silences the log.
void setLogSink(LogSink sink);
void log(LogLevel level, const std::string& message);
inline void logInfo(const std::string& message) {
  log(LogLevel::Info, message);
}
inline void logWarning(const std::string& message) {
  log(LogLevel::Warning, message);
}
inline void logError(const std::string& message) {
  log(LogLevel::Error, message);
}

}  // namespace headlight
