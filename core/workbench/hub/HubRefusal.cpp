// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/hub/HubRefusal.h"

#include "core/base/Text.h"
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
  return words.empty() ? "" : " (the hub says: " + words + ")";
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
          "the hub has no such repository or file, or it is private: " + weights.repository +
              (close.empty() ? "; search the list of published weights"
                             : "; did you mean " + close + "?"),
          what};
}

Error notAllowed(const WebAnswer& answer, const PublishedWeights& weights,
                 const FetchOptions& options, const std::string& what) {
  const std::string page = pageOf(weights, options);
  if (options.token.empty())
    return {ErrorCode::Io,
            "the hub gives " + weights.repository + " only to those who accepted its licence: do " +
                "so at " + page + ", then set HF_TOKEN to a token of yours" + serversWords(answer),
            what};
  return {ErrorCode::Io,
          "the hub does not give " + weights.repository +
              " to the owner of this token: accept its " + "licence at " + page +
              ", and check that HF_TOKEN is valid and may read it" + serversWords(answer),
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
                 "the server answers " + std::to_string(status) +
                     (status == 429 ? ", too many questions" : ", it is in trouble") +
                     ", again and again; try later: what has arrived is kept" +
                     serversWords(answer),
                 what};
  return Error{ErrorCode::Io,
               "the server answers " + std::to_string(status) +
                   ", which no hub should; check HF_ENDPOINT" + serversWords(answer),
               what};
}

}  // namespace headlight
