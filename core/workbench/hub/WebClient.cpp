// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/hub/WebClient.h"

#include <curl/curl.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <mutex>
#include <system_error>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/Version.h"
#include "core/workbench/hub/WebProblems.h"

namespace headlight {
namespace {

constexpr int kWaitMs = 100;
constexpr long kBufferBytes = 256 << 10;

struct FreeEasy {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using UrlHandle = std::unique_ptr<CURLU, FreeUrl>;

UrlHandle parsedUrl(const std::string& text) {
  UrlHandle url(curl_url());
  if (!url || curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) return nullptr;
  return url;
}

std::string urlPart(const UrlHandle& url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url.get(), part, &text, flags) != CURLUE_OK) return "";
  std::string copy = text;
  curl_free(text);
  return copy;
}

/// What an answer says, as its lines come; and what its reader throws, which must not pass through
/// libcurl.
struct Incoming {
  const WebReader& reader;
  WebAnswer answer;
  bool begun = false, wanted = false;
  std::exception_ptr thrown;

  /// Every answer begins anew: an intermediate one (100 Continue) does not count.
  void line(std::string_view text) {
    while (!text.empty() && (text.back() == '\r' || text.back() == '\n'))
      text.remove_suffix(1);
    if (text.starts_with("HTTP/")) {
      answer = {};
      return;
    }
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) return;
    const std::string name = lowered(std::string(text.substr(0, colon)));
    const auto value = text.find_first_not_of(" \t", colon + 1);
    answer.headers[name] = value == std::string_view::npos ? "" : std::string(text.substr(value));
  }

  bool take(CURL* handle, const char* data, std::size_t size) {
    try {
      if (!begun) begin(handle);
      if (wanted && size > 0) reader.bytes(data, size);
      return wanted || size == 0;  // a page that says why not is not read
    } catch (...) {
      thrown = std::current_exception();
      return false;
    }
  }

  void begin(CURL* handle) {
    begun = true;
    finishAnswer(handle);
    wanted = reader.begins && reader.begins(answer) && reader.bytes;
  }

  void finishAnswer(CURL* handle) {
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    answer.status = static_cast<int>(status);
  }
};

struct WebExchange {
  CURL* handle;
  Incoming incoming;
};

std::size_t onHeader(char* data, std::size_t one, std::size_t size, void* exchange) {
  static_cast<WebExchange*>(exchange)->incoming.line({data, one * size});
  return one * size;
}

std::size_t onBody(char* data, std::size_t one, std::size_t size, void* place) {
  auto* exchange = static_cast<WebExchange*>(place);
  return exchange->incoming.take(exchange->handle, data, one * size) ? one * size : 0;
}

/// Those that people name behind proxies that look into connections; nothing for what libcurl knows.
const char* namedCertificates() {
  for (const char* name : {"CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"})
    if (const char* file = std::getenv(name); file && *file) return file;
  return nullptr;
}

bool isThere(const char* path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// Of this system, where libcurl was built for another one, as that of a bundle: of Debian, Fedora,
/// openSUSE and Alpine.
const char* systemCertificates() {
#if LIBCURL_VERSION_NUM >= 0x074600
  const char* known = curl_version_info(CURLVERSION_NOW)->cainfo;
  if (!known || isThere(known)) return nullptr;
  for (const char* file : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                           "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"})
    if (isThere(file)) return file;
#endif
  return nullptr;
}

void useCertificates(CURL* handle) {
  const char* named = namedCertificates();
  if (const char* file = named ? named : systemCertificates())
    curl_easy_setopt(handle, CURLOPT_CAINFO, file);
}

void setLimits(CURL* handle, const WebQuestion& question) {
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(1000 * question.connectSeconds));
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME,
                   std::max(1L, static_cast<long>(question.idleSeconds)));
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
  curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);  // stopped, it does not wait for a name server
#endif
}

curl_slist* headersOf(const WebQuestion& question) {
  // Bytes as they are stored: their number and their hash are known.
  curl_slist* list = curl_slist_append(nullptr, "Accept-Encoding: identity");
  if (!question.token.empty())
    list = curl_slist_append(list, ("Authorization: Bearer " + question.token).c_str());
  return list;
}

void describeQuestion(WebExchange& exchange, const WebQuestion& question, curl_slist* headers) {
  CURL* handle = exchange.handle;
  curl_easy_setopt(handle, CURLOPT_URL, question.url.c_str());
  curl_easy_setopt(handle, CURLOPT_USERAGENT, (std::string("headlight/") + kVersion).c_str());
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(handle, CURLOPT_NOBODY, question.head ? 1L : 0L);
  curl_easy_setopt(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, kBufferBytes);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, onHeader);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &exchange);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, onBody);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &exchange);
  if (question.from > 0)
    curl_easy_setopt(handle, CURLOPT_RANGE, (std::to_string(question.from) + "-").c_str());
  setLimits(handle, question);
  useCertificates(handle);
}

}  // namespace

/// Kept between questions: so are its connections.
struct WebClient::Parts {
  CURLM* multi = nullptr;
  bool answered = false;

  Parts() {
    static std::once_flag once;
    std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
    multi = curl_multi_init();
  }
  ~Parts() { curl_multi_cleanup(multi); }

  /// Until it is done (its code) or stopped (nothing).
  std::optional<CURLcode> run(const std::stop_token& stop) const {
    const std::stop_callback wake(stop, [this] { curl_multi_wakeup(multi); });
    int running = 1;
    while (!stop.stop_requested()) {
      curl_multi_perform(multi, &running);
      int left = 0;
      while (const CURLMsg* message = curl_multi_info_read(multi, &left))
        if (message->msg == CURLMSG_DONE) return message->data.result;
      curl_multi_poll(multi, nullptr, 0, kWaitMs, nullptr);
    }
    return std::nullopt;
  }
};

WebClient::WebClient() : m_parts(std::make_unique<Parts>()) {}
WebClient::~WebClient() = default;

WebOutcome WebClient::ask(const WebQuestion& question, const WebReader& reader,
                          std::stop_token stop) {
  const std::unique_ptr<CURL, FreeEasy> handle(curl_easy_init());
  const std::unique_ptr<curl_slist, FreeList> headers(headersOf(question));
  if (!handle || !m_parts->multi)
    return {{}, Error{ErrorCode::Internal, tr("libcurl failed to start"), ""}, false};
  WebExchange exchange{handle.get(), {reader, {}, false, false, {}}};
  describeQuestion(exchange, question, headers.get());
  curl_multi_add_handle(m_parts->multi, handle.get());
  const auto code = m_parts->run(stop);
  Incoming& incoming = exchange.incoming;
  if (code == CURLE_OK && !incoming.begun) incoming.take(handle.get(), "", 0);  // of no bytes
  incoming.finishAnswer(handle.get());
  curl_multi_remove_handle(m_parts->multi, handle.get());
  if (incoming.thrown) std::rethrow_exception(incoming.thrown);
  if (!code) return {incoming.answer, Error{ErrorCode::Canceled, "stopped", ""}, false};
  m_parts->answered = m_parts->answered || incoming.answer.status > 0;
  const bool unread = *code == CURLE_WRITE_ERROR && incoming.begun && !incoming.wanted;
  if (*code == CURLE_OK || unread) return {incoming.answer, std::nullopt, false};
  return {incoming.answer, webError(*code, question), passes(*code, m_parts->answered)};
}

std::optional<WebPlace> parseWebPlace(const std::string& text) {
  const UrlHandle url = parsedUrl(text);
  if (!url) return std::nullopt;
  WebPlace place{urlPart(url, CURLUPART_SCHEME), urlPart(url, CURLUPART_HOST),
                 urlPart(url, CURLUPART_PORT, CURLU_DEFAULT_PORT)};
  if (place.scheme != "http" && place.scheme != "https") return std::nullopt;
  return place;
}

std::string resolvedAddress(const std::string& from, const std::string& location) {
  const UrlHandle url = parsedUrl(from);
  if (!url || location.empty()) return "";
  if (curl_url_set(url.get(), CURLUPART_URL, location.c_str(), 0) != CURLUE_OK) return "";
  return urlPart(url, CURLUPART_URL);
}

bool hasWebClient() {
  return true;
}

}  // namespace headlight
