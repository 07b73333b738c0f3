// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One exchange over HTTP or HTTPS: a question, an answer. Follows no redirection and repeats
// nothing: that is HubRequests'. The only file that knows libcurl is its source; without libcurl
// NoWebClient.cpp stands in its place. Proxies (https_proxy, no_proxy) and the system's
// certificates are libcurl's matter. Internal.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/Result.h"

namespace headlight {

struct WebQuestion {
  std::string url;
  std::string token;      ///< sent as "Authorization: Bearer"; empty: none
  bool head = false;      ///< what there is, without its bytes
  std::int64_t from = 0;  ///< the first byte that is wanted
  double connectSeconds = 20;
  double idleSeconds = 60;
};

struct WebAnswer {
  int status = 0;
  std::map<std::string, std::string> headers;  ///< names in lower case

  std::string header(const std::string& name) const;  ///< empty where it is missing
  /// A header that is a count; -1 where it is missing or none.
  std::int64_t count(const std::string& name) const;
};

struct WebReader {
  /// Called once, before the first byte: whether the bytes are wanted. May throw Failure.
  std::function<bool(const WebAnswer&)> begins;
  /// May throw Failure, which ends the exchange.
  std::function<void(const void* data, std::size_t size)> bytes;
};

struct WebOutcome {
  WebAnswer answer;            ///< status 0: none came
  std::optional<Error> error;  ///< no answer, or it broke off
  bool passing = false;        ///< asked again, it may go well
};

class WebClient {
 public:
  WebClient();
  ~WebClient();
  WebClient(const WebClient&) = delete;
  WebClient& operator=(const WebClient&) = delete;

  /// Blocks; ends within a tenth of a second when stopped (Canceled). A failed name look-up or
  /// connection passes only where this client has had an answer before: then the line broke.
  WebOutcome ask(const WebQuestion& question, const WebReader& reader, std::stop_token stop);

 private:
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

/// Whether this build has libcurl.
bool hasWebClient();

struct WebPlace {
  std::string scheme, host, port;
  bool operator==(const WebPlace&) const = default;
};
/// Nothing where it is no address of http or https.
std::optional<WebPlace> parseWebPlace(const std::string& url);
/// What `location`, whole or relative, means in an answer from `url`; empty where it means nothing.
std::string resolvedAddress(const std::string& url, const std::string& location);

}  // namespace headlight
