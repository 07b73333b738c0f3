// SPDX-License-Identifier: GPL-3.0-or-later

// WebClient.h: in a build without libcurl or OpenSSL; and of Digest.h.

#include "core/base/Translation.h"
#include "core/workbench/hub/Digest.h"
#include "core/workbench/hub/WebClient.h"

namespace headlight {

struct WebClient::Parts {};
struct Digest::State {};

WebClient::WebClient() = default;
WebClient::~WebClient() = default;

WebOutcome WebClient::ask(const WebQuestion&, const WebReader&, std::stop_token) {
  return {{}, Error{ErrorCode::Io, tr("this build has no libcurl"), ""}, false};
}

std::optional<WebPlace> parseWebPlace(const std::string&) {
  return std::nullopt;
}

std::string resolvedAddress(const std::string&, const std::string&) {
  return "";
}

Digest::Digest(Kind, std::int64_t) {}
Digest::~Digest() = default;
void Digest::add(const void*, std::size_t) {}
std::string Digest::text() {
  return "";
}

bool hasWebClient() {
  return false;
}

}  // namespace headlight
