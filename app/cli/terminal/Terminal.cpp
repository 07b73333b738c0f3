// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/terminal/Terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Translation.h"
#include "core/base/Utf8.h"

namespace headlight::cli {
namespace {

constexpr const char* kEraseLine = "\r\033[K";

/// At most three bytes, as in JSON.
std::string escaped(std::string_view character) {
  const auto bits = [&](std::size_t i) { return static_cast<unsigned char>(character[i]) & 0x3fu; };
  const unsigned code = character.size() == 1   ? static_cast<unsigned char>(character[0])
                        : character.size() == 2 ? (bits(0) & 0x1f) << 6 | bits(1)
                                                : (bits(0) & 0xf) << 12 | bits(1) << 6 | bits(2);
  char text[8];
  std::snprintf(text, sizeof text, "\\u%04x", code);
  return text;
}

/// At most `columns` characters.
std::string cutTo(std::string_view text, int columns) {
  std::string cut;
  for (; !text.empty() && columns > 0; --columns) {
    const std::size_t length = utf8Length(text);
    cut += text.substr(0, length);
    text.remove_prefix(length);
  }
  return cut;
}

bool terminalIsDumb() {
  const char* term = std::getenv("TERM");
  return !term || std::strcmp(term, "dumb") == 0;
}

}  // namespace

std::string jsonText(const Json& json) {
  const std::string whole = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string result;
  for (std::string_view text = whole; !text.empty();) {
    const std::string_view character = text.substr(0, utf8Length(text));
    if (isControl(character) || turnsText(character))
      result += escaped(character);
    else
      result += character;
    text.remove_prefix(character.size());
  }
  return result;
}

Json numberOrNull(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Terminal::Terminal(bool json)
    : m_json(json), m_interactive(::isatty(STDERR_FILENO) == 1 && !terminalIsDumb()) {}

int Terminal::columns() const {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

void Terminal::print(std::string_view line) {
  write(fitForLine(line));
}

void Terminal::printText(std::string_view text) {
  write(::isatty(::fileno(m_result)) == 1 ? fitForTerminal(text) : std::string(text));
}

bool Terminal::showsResults() const {
  return !m_json && ::isatty(::fileno(m_result)) == 1 && !terminalIsDumb();
}

void Terminal::redraw(const std::vector<std::string>& lines) {
  winsize size{};
  const bool known = ::ioctl(::fileno(m_result), TIOCGWINSZ, &size) == 0 && size.ws_row > 1;
  const std::size_t most = known ? size.ws_row - 1 : 24;
  const std::lock_guard lock(m_mutex);
  std::string text = m_drawn > 0 ? "\033[" + std::to_string(m_drawn) + "A\r\033[J" : "";
  m_drawn = std::min(lines.size(), most);
  for (std::size_t i = 0; i < m_drawn; ++i)
    text += cutTo(fitForLine(lines[i]), known && size.ws_col > 0 ? size.ws_col : 80) + "\n";
  std::fwrite(text.data(), 1, text.size(), m_result);
  std::fflush(m_result);
}

void Terminal::write(std::string_view text) {
  if (m_silent) return;
  const std::lock_guard lock(m_mutex);
  m_drawn = 0;
  clearStatus();
  const std::string whole = std::string(text) + "\n";
  const bool written = std::fwrite(whole.data(), 1, whole.size(), m_result) == whole.size() &&
                       std::fflush(m_result) == 0;
  if (!written && !m_lost) {
    m_lost = true;
    m_lostReason = errno;
  }
  drawStatus();
}

void Terminal::printJson(const Json& object) {
  write(jsonText(object));
}

void Terminal::error(const Error& error) {
  if (m_json) {
    writeError(jsonText({{"error",
                          {{"code", errorCodeName(error.code)},
                           {"message", error.message},
                           {"where", error.where}}}}));
  } else {
    writeError("error: " + error.text());
  }
}

void Terminal::warning(const std::string& message) {
  writeError(m_json ? jsonText({{"warning", {{"message", message}}}}) : "warning: " + message);
}

void Terminal::note(const std::string& message) {
  if (!m_json) writeError(message);
}

void Terminal::writeError(const std::string& line) {
  if (m_silent) return;
  const std::lock_guard lock(m_mutex);
  m_drawn = 0;
  clearStatus();
  const std::string whole = fitForLine(line) + "\n";
  std::fwrite(whole.data(), 1, whole.size(), stderr);
  drawStatus();
}

void Terminal::setStatus(const std::string& text) {
  if (!m_interactive || m_silent) return;
  const std::lock_guard lock(m_mutex);
  clearStatus();
  m_status = fitForLine(text);
  drawStatus();
}

void Terminal::clearStatus() {
  if (!m_status.empty()) std::fputs(kEraseLine, stderr);
}

void Terminal::drawStatus() {
  if (!m_status.empty()) std::fputs(m_status.c_str(), stderr);
  std::fflush(stderr);
}

Result<void> Terminal::finish() {
  setStatus("");
  const std::lock_guard lock(m_mutex);
  if (std::fflush(stdout) != 0 && !m_lost) {
    m_lost = true;
    m_lostReason = errno;
  }
  if (!m_lost) return {};
  return Error{ErrorCode::Io,
               std::string(tr("could not write the result: ")) + std::strerror(m_lostReason) +
                   tr("; redirect it to a disk with free space"),
               "standard output"};
}

}  // namespace headlight::cli
