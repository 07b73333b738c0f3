// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/hub/WebProblems.h"

#include "core/base/Text.h"

namespace headlight {
namespace {

std::string hostIn(const std::string& url) {
  const auto place = webPlaceOf(url);
  return place ? place->host : url;
}

std::string unreachable(const std::string& host) {
  return "; check the connection, the proxy (https_proxy) and HF_ENDPOINT, or copy the files of "
         "the model here and open their folder (asked: " +
         host + ")";
}

std::string problemText(CURLcode code, const WebQuestion& question) {
  const std::string host = hostIn(question.url);
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return "the name of the server is not known to the system" + unreachable(host);
    case CURLE_COULDNT_RESOLVE_PROXY:
      return "the name of the proxy is not known to the system; check https_proxy and http_proxy";
    case CURLE_COULDNT_CONNECT:
      return "no connection to the server" + unreachable(host);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
      return std::string("the server cannot be trusted (") + curl_easy_strerror(code) +
             "); check the clock, the system's certificates (ca-certificates), or name those of "
             "your proxy in SSL_CERT_FILE";
    case CURLE_OPERATION_TIMEDOUT:
      return "the server was silent for too long (" + numberText(question.connectSeconds) +
             " s to connect, " + numberText(question.idleSeconds) +
             " s without a byte); try again: what has arrived is kept";
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return "is no address of http or https; correct HF_ENDPOINT";
    default:
      return std::string("the connection broke (") + curl_easy_strerror(code) +
             "); try again: what has arrived is kept";
  }
}

}  // namespace

Error webError(CURLcode code, const WebQuestion& question) {
  const bool address = code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL;
  // A signed address is nobody's to read.
  return {address ? ErrorCode::InvalidArgument : ErrorCode::Io, problemText(code, question),
          question.url.substr(0, question.url.find('?'))};
}

bool passes(CURLcode code, bool answered) {
  switch (code) {
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return true;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_OPERATION_TIMEDOUT:
      return answered;
    default:
      return false;
  }
}

}  // namespace headlight
