// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Weights from the Hugging Face hub, brought into the hub's own cache: Python's huggingface_hub and
// timm find there what was fetched here, and the other way round. The layout is the hub's:
//
//   models--timm--NAME/refs/main              the commit that "main" was
//   models--timm--NAME/blobs/ETAG             the bytes, named by their SHA-256 (small: git's
//   SHA-1) models--timm--NAME/snapshots/COMMIT/FILE  a link to the blob

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/workbench/hub/PublishedWeights.h"

namespace headlight {

struct FetchOptions {
  std::string endpoint = "https://huggingface.co";  ///< without a slash at its end
  std::string token;                                ///< for gated repositories; empty: none
  std::filesystem::path cache;                      ///< the hub's: with its models--… folders
  bool offline = false;                             ///< no connection is made
  double connectSeconds = 20;                       ///< until a server answers a connection
  double idleSeconds = 60;                          ///< without a byte, until it is given up
  double retrySeconds = 1;  ///< before the first repetition; doubled for each after it
  int retries = 5;          ///< without a byte gained in between
};

/// Settings of the hub's own programs: HF_ENDPOINT, HF_TOKEN (or the file HF_TOKEN_PATH, or
/// HF_HOME/token), HF_HUB_CACHE (or HF_HOME/hub, or ~/.cache/huggingface/hub), HF_HUB_OFFLINE.
FetchOptions fetchOptionsOfEnvironment();

/// Bytes of all files, as they come.
struct FetchProgress {
  Progress progress;          ///< bytes done and in all; stage: the file, or what is waited for
  double bytesPerSecond = 0;  ///< of the last seconds; 0: nothing yet
};
using FetchCallback = std::function<void(const FetchProgress&)>;

/// "model.safetensors, 12.1 of 88.2 MB, 4.2 MB/s": what a line says beside a bar.
std::string fetchText(const FetchProgress& progress);

struct FetchedModel {
  PublishedWeights weights;
  std::string commit;
  std::filesystem::path folder;      ///< of the snapshot: what --model takes
  std::filesystem::path file;        ///< in it, of the weights
  std::int64_t bytes = 0;            ///< of the files
  std::int64_t downloadedBytes = 0;  ///< of them, now; 0: it was here
  std::string architecture;          ///< that its config.json names; empty: none
  std::string note;  ///< what a person should know ("the hub did not answer"); empty: nothing
};

/// Whether this build was made with libcurl; without it fetchModel fails and says what to do.
bool canFetch();

/// What the cache has of these weights, of the commit that "main" was last (without refs/main: of
/// the only one); nothing where a file is missing, or the weights' header says more than is there.
/// No connection is made.
std::optional<FetchedModel> fetchedAlready(const PublishedWeights& weights,
                                           const FetchOptions& options);

/// config.json and model.safetensors (else pytorch_model.bin), as "main" has them now. What was
/// fetched in part goes on; what arrives, and what is here, is checked against the hub's size and
/// hash. A whole file in the snapshot stays as it is, a link or a file of its own (a cache copied
/// with its links followed); anything else is replaced once its successor is whole. The result's
/// files open, and the weights begin as a checkpoint. Where the hub cannot be reached, what is here
/// already will do, and `note` says so.
/// `told` is called about ten times a second, from the calling thread.
/// Errors: InvalidArgument (a name that no repository can have), NotFound (404), InvalidFile (size
/// or hash are not what the hub says; the partial file is deleted), UnsupportedFile (the hub's own
/// weights are no checkpoint), Canceled (the partial file
/// stays), Io (offline, no connection, refused, no space).
Result<FetchedModel> fetchModel(const PublishedWeights& weights, const FetchOptions& options,
                                const FetchCallback& reported = {}, std::stop_token stop = {});

}  // namespace headlight
