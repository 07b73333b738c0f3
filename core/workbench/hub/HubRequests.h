// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Questions to the hub: with its redirections, repetitions and refusals. Internal.

#include <functional>
#include <string>

#include "core/workbench/hub/ModelFetch.h"
#include "core/workbench/hub/WebClient.h"

namespace headlight {

/// What the hub says of a file without giving it.
struct HubFile {
  std::string name;    ///< "model.safetensors"
  std::string commit;  ///< 40 hexadecimal digits
  std::string etag;    ///< 64 of them, its SHA-256; or 40, as git names it
  std::int64_t size = -1;
};

class HubRequests {
 public:
  using Reported = std::function<void(const std::string& whatIsWaitedFor)>;
  HubRequests(const PublishedWeights& weights, const FetchOptions& options, std::stop_token stop,
              Reported reported);

  /// For `name` at `revision`, a commit or "main". Errors: NotFound where the repository has no
  /// such file; those of fetchModel.
  Result<HubFile> describe(const std::string& name, const std::string& revision);

  /// The bytes of it from `from` on, as they come; broken off, asked once more from where `next`
  /// says. Those that were there once count as a new beginning of the repetitions.
  Result<void> read(const HubFile& file, const WebReader& reader,
                    const std::function<std::int64_t()>& next);

 private:
  WebOutcome follow(WebQuestion question, const WebReader& reader, WebAnswer& linked);
  Result<WebAnswer> repeat(const std::function<WebOutcome()>& ask, const std::string& what,
                           const std::function<std::int64_t()>& next);
  bool wait(const WebOutcome& outcome, int repetition);
  WebQuestion makeQuestion(const std::string& name, const std::string& revision) const;

  const PublishedWeights& m_weights;
  const FetchOptions& m_options;
  std::stop_token m_stop;
  Reported m_reported;
  WebClient m_client;
};

}  // namespace headlight
