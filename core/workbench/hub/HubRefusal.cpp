// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/hub/HubRefusal.h"

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/config/Parameter.h"

namespace headlight {
namespace {

constexpr std::size_t kShownWords = 200;

/// What the server adds in words: it comes from outside.
std::string serversWords(const WebAnswer& answer) {
  std::string words = answer.header("x-error-message").substr(0, kShownWords);
  for (char& letter : words)
    if (static_cast<unsigned char>(letter) < ' ' || static_cast<unsigned char>(letter) > '~')
      letter = '?';
  return words.empty() ? "" : tr(" (the hub says: ") + words + ")";
}

std::string pageOf(const PublishedWeights& weights, const FetchOptions& options) {
  return options.endpoint + "/" + weights.repository;
}

/// The hub says 401 of repositories that are not there, so as not to tell which are private.
Error notThere(const PublishedWeights& weights, const std::string& what) {
  std::vector<std::string> names;
  for (const PublishedWeights& known : publishedWeights())
    if (known.name != weights.name) names.push_back(known.name);
  const std::string close = closestName(weights.name, names);
  return {ErrorCode::NotFound,
          tr("no such repository or file on the hub, or it is private: ") + weights.repository +
              (close.empty() ? tr("; search the list of published weights")
                             : tr("; did you mean ") + close + "?"),
          what};
}

Error notAllowed(const WebAnswer& answer, const PublishedWeights& weights,
                 const FetchOptions& options, const std::string& what) {
  const std::string page = pageOf(weights, options);
  if (options.token.empty())
    return {ErrorCode::Io,
            tr("the hub gives ") + weights.repository +
                tr(" only to users who accepted its license: do so at ") + page +
                tr(", then set HF_TOKEN to your token") + serversWords(answer),
            what};
  return {ErrorCode::Io,
          tr("the hub does not give ") + weights.repository +
              tr(" to the owner of this token: accept its license at ") + page +
              tr(", and check that HF_TOKEN is valid and may read it") + serversWords(answer),
          what};
}

}  // namespace

bool refusesForNow(const WebAnswer& answer) {
  const int status = answer.status;  // 416: the partial file begins anew
  return status == 408 || status == 416 || status == 429 || status >= 500;
}

std::optional<Error> hubRefusal(const WebAnswer& answer, const PublishedWeights& weights,
                                const FetchOptions& options, const std::string& what) {
  const int status = answer.status;
  if (status == 200 || status == 206) return std::nullopt;
  const std::string code = answer.header("x-error-code");
  if (status == 404 || code == "RepoNotFound") return notThere(weights, what);
  if (status == 401 || status == 403) return notAllowed(answer, weights, options, what);
  if (refusesForNow(answer))
    return Error{ErrorCode::Io,
                 tr("the server answers ") + std::to_string(status) +
                     (status == 429 ? tr(", too many requests") : tr(", a server error")) +
                     tr(", repeatedly; try again later, the received part is kept") +
                     serversWords(answer),
                 what};
  return Error{ErrorCode::Io,
               tr("the server answers ") + std::to_string(status) +
                   tr(", which is unexpected; check HF_ENDPOINT") + serversWords(answer),
               what};
}

}  // namespace headlight
