// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/hub/Redirection.h"

#include "core/base/Translation.h"

namespace headlight {

bool isRedirection(const WebAnswer& answer) {
  const int status = answer.status;
  return (status >= 301 && status <= 303) || status == 307 || status == 308;
}

std::string unsignedAddress(const std::string& url) {
  return url.substr(0, url.find('?'));
}

Error strangeAnswer(const std::string& url, const std::string& message) {
  return {ErrorCode::InvalidFile, message + "; check HF_ENDPOINT and the proxy",
          unsignedAddress(url)};
}

void redirect(WebQuestion& question, const WebAnswer& answer, std::set<std::string>& seen) {
  const std::string to = resolvedAddress(question.url, answer.header("location"));
  const auto here = parseWebPlace(question.url), there = parseWebPlace(to);
  if (!there)
    throw Failure(strangeAnswer(question.url, tr("the server redirects to an invalid address")));
  if (here && here->scheme == "https" && there->scheme == "http")
    throw Failure(strangeAnswer(question.url, tr("the server redirects to ") + there->host +
                                                  tr(" without encryption, which is not safe")));
  if (!seen.insert(to).second || seen.size() > kMostRedirections)
    throw Failure(strangeAnswer(question.url, tr("the server redirects in a circle")));
  if (here != there) question.token.clear();
  question.url = to;
}

}  // namespace headlight
