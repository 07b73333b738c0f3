// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/hub/HubRequests.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>

#include "core/base/Translation.h"
#include "core/workbench/hub/HubRefusal.h"
#include "core/workbench/hub/Redirection.h"

namespace headlight {
namespace {

constexpr double kLongestWait = 60;  // seconds, whatever the server asks for

bool isHex(const std::string& text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// W/"abc" and "abc" are abc.
std::string bareEtag(std::string etag) {
  if (etag.starts_with("W/")) etag = etag.substr(2);
  std::erase(etag, '"');
  return etag;
}

/// The first that says so counts: the servers that it leads to know less of the repository.
void keepLinked(const WebAnswer& answer, WebAnswer& linked) {
  for (const char* name : {"x-repo-commit", "x-linked-etag", "x-linked-size"})
    if (!answer.header(name).empty()) linked.headers.try_emplace(name, answer.header(name));
}

bool saysEnough(const WebAnswer& linked) {
  return linked.headers.size() == 3;
}

/// False when stopped.
bool sleepFor(double seconds, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
  return !stop.stop_requested();
}

}  // namespace

HubRequests::HubRequests(const PublishedWeights& weights, const FetchOptions& options,
                         std::stop_token stop, Reported reported)
    : m_weights(weights),
      m_options(options),
      m_stop(std::move(stop)),
      m_reported(std::move(reported)) {}

WebQuestion HubRequests::makeQuestion(const std::string& name, const std::string& revision) const {
  WebQuestion question;
  question.url =
      m_options.endpoint + "/" + m_weights.repository + "/resolve/" + revision + "/" + name;
  question.token = m_options.token;
  question.connectSeconds = m_options.connectSeconds;
  question.idleSeconds = m_options.idleSeconds;
  return question;
}

WebOutcome HubRequests::follow(WebQuestion question, const WebReader& reader, WebAnswer& linked) {
  std::set<std::string> seen{question.url};
  while (true) {
    const WebReader last{[&](const WebAnswer& answer) {
                           return !isRedirection(answer) && reader.begins && reader.begins(answer);
                         },
                         reader.bytes};
    WebOutcome outcome = m_client.ask(question, last, m_stop);
    keepLinked(outcome.answer, linked);
    if (outcome.error || !isRedirection(outcome.answer)) return outcome;
    if (question.head && saysEnough(linked)) {
      outcome.answer.status = 200;
      return outcome;
    }
    redirect(question, outcome.answer, seen);
  }
}

/// Longer each time, or as long as the server says. False when stopped.
bool HubRequests::wait(const WebOutcome& outcome, int repetition) {
  double seconds = m_options.retrySeconds * static_cast<double>(1 << std::min(repetition, 5));
  if (const auto asked = outcome.answer.count("retry-after");
      asked > 0 && m_options.retrySeconds > 0)
    seconds = std::max(seconds, static_cast<double>(asked));
  if (m_reported)
    m_reported(outcome.error ? "the connection broke; retrying" : "the server is busy; retrying");
  return sleepFor(std::min(seconds, kLongestWait), m_stop);
}

Result<WebAnswer> HubRequests::repeat(const std::function<WebOutcome()>& ask,
                                      const std::string& what,
                                      const std::function<std::int64_t()>& next) {
  std::int64_t before = next ? next() : 0;
  for (int repetition = 0;; ++repetition) {
    const WebOutcome outcome = ask();
    if (next && next() > before) {
      before = next();
      repetition = 0;
    }
    const bool again = outcome.error ? outcome.passing : refusesForNow(outcome.answer);
    if (again && repetition < m_options.retries) {
      if (wait(outcome, repetition)) continue;
      return Error{ErrorCode::Canceled, tr("stopped; the received part is kept"), what};
    }
    if (outcome.error) return *outcome.error;
    if (const auto refusal = hubRefusal(outcome.answer, m_weights, m_options, what))
      return *refusal;
    return outcome.answer;
  }
}

Result<HubFile> HubRequests::describe(const std::string& name, const std::string& revision) {
  WebQuestion question = makeQuestion(name, revision);
  question.head = true;
  WebAnswer linked;
  const auto answer = repeat(
      [&] {
        linked = {};
        return follow(question, {}, linked);
      },
      question.url, {});
  if (!answer) return answer.error();
  HubFile file{name, linked.header("x-repo-commit"), bareEtag(linked.header("x-linked-etag")),
               linked.count("x-linked-size")};
  if (file.etag.empty()) file.etag = bareEtag(answer->header("etag"));
  if (file.size < 0) file.size = answer->count("content-length");
  // They name files and folders here, so they must be what they should be.
  if (!isHex(file.commit, 40) || (!isHex(file.etag, 40) && !isHex(file.etag, 64)) || file.size < 0)
    return strangeAnswer(
        question.url, "the server does not send the file's commit, hash and size, as the hub does");
  return file;
}

Result<void> HubRequests::read(const HubFile& file, const WebReader& reader,
                               const std::function<std::int64_t()>& next) {
  WebQuestion question = makeQuestion(file.name, file.commit);
  const auto ask = [&] {
    WebAnswer unused;
    question.from = next();
    return follow(question, reader, unused);
  };
  const auto answer = repeat(ask, question.url, next);
  if (!answer) return answer.error();
  return {};
}

}  // namespace headlight
