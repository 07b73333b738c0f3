#include "app/cli/Terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "app/cli/ExitCodes.h"

namespace headlight::cli {
namespace {

constexpr const char* kEraseLine = "\r\033[K";

bool terminalIsDumb() {
  const char* term = std::getenv("TERM");
  return !term || std::strcmp(term, "dumb") == 0;
}

}  // namespace

std::string jsonText(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Terminal::Terminal(bool json)
    : m_json(json), m_interactive(::isatty(STDERR_FILENO) == 1 && !terminalIsDumb()) {}

int Terminal::columns() const {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

void Terminal::print(std::string_view line) {
  const std::lock_guard lock(m_mutex);
  clearStatus();
  const std::string whole = std::string(line) + "\n";
  const bool written = std::fwrite(whole.data(), 1, whole.size(), stdout) == whole.size() &&
                       std::fflush(stdout) == 0;
  if (!written && !m_lost) {
    m_lost = true;
    m_lostReason = errno;
  }
  drawStatus();
}

void Terminal::printJson(const Json& object) {
  print(jsonText(object));
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
  const std::lock_guard lock(m_mutex);
  clearStatus();
  std::fprintf(stderr, "%s\n", line.c_str());
  drawStatus();
}

void Terminal::setStatus(const std::string& text) {
  if (!m_interactive) return;
  const std::lock_guard lock(m_mutex);
  clearStatus();
  m_status = text;
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
               std::string("could not write the result: ") + std::strerror(m_lostReason) +
                   "; send it to a place with space",
               "standard output"};
}

}  // namespace headlight::cli
