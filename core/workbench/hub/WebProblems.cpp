// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/hub/WebProblems.h"

#include "core/base/Text.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

std::string hostIn(const std::string& url) {
  const auto place = parseWebPlace(url);
  return place ? place->host : url;
}

std::string unreachable(const std::string& host) {
  return tr("; check the connection, the proxy (https_proxy) and HF_ENDPOINT, or copy the model's "
            "files here and open their folder (URL: ") +
         host + ")";
}

std::string problemText(CURLcode code, const WebQuestion& question) {
  const std::string host = hostIn(question.url);
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return tr("the server name cannot be resolved") + unreachable(host);
    case CURLE_COULDNT_RESOLVE_PROXY:
      return tr("the proxy name cannot be resolved; check https_proxy and http_proxy");
    case CURLE_COULDNT_CONNECT:
      return tr("no connection to the server") + unreachable(host);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
      return std::string(tr("the server cannot be trusted (")) + curl_easy_strerror(code) +
             tr("); check the clock and the system's certificates (ca-certificates), or set "
                "SSL_CERT_FILE to those of your proxy");
    case CURLE_OPERATION_TIMEDOUT:
      return tr("the server did not respond in time (") + numberText(question.connectSeconds) +
             tr(" s to connect, ") + numberText(question.idleSeconds) +
             tr(" s without a byte); try again, the received part is kept");
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return tr("is not an http or https address; correct HF_ENDPOINT");
    default:
      return std::string(tr("the connection broke (")) + curl_easy_strerror(code) +
             tr("); try again, the received part is kept");
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
