// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/hub/ModelFetch.h"

#include <algorithm>
#include <vector>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/checkpoint/CheckHeader.h"
#include "core/config/ConfigText.h"
#include "core/config/Parameter.h"
#include "core/workbench/hub/FetchMeter.h"
#include "core/workbench/hub/PartialBlob.h"
#include "core/workbench/hub/WholeFile.h"

namespace headlight {
namespace {

constexpr const char* kHubConfig = "config.json";
constexpr const char* kHubProcessor = "preprocessor_config.json";
constexpr const char* kHubWeights[] = {"model.safetensors", "pytorch_model.bin"};
constexpr std::uintmax_t kMaxHubConfig = 4u << 20;

/// The size of a file in bytes, if it exists with all of its links.
std::optional<std::int64_t> sizeThere(const std::filesystem::path& path) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(path, missing);
  if (missing) return std::nullopt;
  return static_cast<std::int64_t>(size);
}

/// Whether there is anything of that name, a link that leads nowhere too.
bool isNamedInCache(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::exists(std::filesystem::symlink_status(path, unknown));
}

std::string architectureIn(const std::filesystem::path& config) {
  const auto text = readFile(config, kMaxHubConfig);
  if (!text) return "";
  const Json json = jsonOrDiscarded(*text);
  if (!json.is_object() || !json.contains("architecture")) return "";
  return json["architecture"].is_string() ? json["architecture"].get<std::string>() : "";
}

/// transformers' config.json says nothing of images: another file does.
bool needsProcessor(const std::filesystem::path& config) {
  const auto text = readFile(config, kMaxHubConfig);
  const Json json = text ? jsonOrDiscarded(*text) : Json();
  return json.is_object() && json.contains("model_type") && !json.contains("architecture");
}

/// CLIP's weights with two names lie in one repository, whose config has one of them.
std::string noteOn(const FetchedModel& model) {
  if (model.architecture.empty() || model.weights.parameters <= 0) return "";
  if (model.architecture == model.weights.architecture()) return "";
  return "its config.json names " + model.architecture + ", so the folder opens as that model";
}

FetchedModel fetchedFrom(const PublishedWeights& weights, const HubCache& cache,
                         const std::string& commit, const std::string& file) {
  FetchedModel model;
  model.weights = weights;
  model.commit = commit;
  model.folder = cache.snapshot(commit);
  model.file = model.folder / file;
  model.bytes =
      sizeThere(model.file).value_or(0) + sizeThere(model.folder / kHubConfig).value_or(0);
  model.architecture = architectureIn(model.folder / kHubConfig);
  model.note = noteOn(model);
  return model;
}

void requireUsable(const PublishedWeights& weights, const FetchOptions& options) {
  if (!canFetch())
    throw Failure(Error{ErrorCode::Io,
                        tr("this build cannot download, because it was built without libcurl "
                           "(libcurl4-openssl-dev, libssl-dev). Get the model with Python: "
                           "huggingface_hub.snapshot_download(\"") +
                            weights.repository + tr("\"), and open its folder"),
                        weights.name});
  if (options.offline)
    throw Failure(Error{ErrorCode::Io,
                        tr("HF_HUB_OFFLINE is set, so Headlight does not connect; unset it, or "
                           "copy the model's folder into ") +
                            options.cache.string(),
                        weights.name});
  const bool printable = std::all_of(options.token.begin(), options.token.end(),
                                     [](char letter) { return letter > ' ' && letter <= '~'; });
  if (!printable)
    throw Failure(Error{ErrorCode::InvalidArgument,
                        tr("has characters that hub tokens do not have; copy it again"),
                        "HF_TOKEN"});
}

/// One fetch: what the hub has, then file by file.
class ModelFetcher {
 public:
  ModelFetcher(const PublishedWeights& weights, const FetchOptions& options,
               const FetchCallback& reported, std::stop_token stop)
      : m_weights(weights),
        m_stop(stop),
        m_cache(options.cache, weights.repository),
        m_meter(reported),
        m_requests(weights, options, stop,
                   [this](const std::string& what) { m_meter.setStage(what); }) {}

  /// Whether the hub has said what there is: what fails afterwards fails here.
  bool hasAnswer() const { return m_hasAnswer; }

  FetchedModel run() {
    m_meter.setStage("contacting the hub");
    const HubFile config = valueOrThrow(m_requests.describe(kHubConfig, "main"));
    const HubFile weights = valueOrThrow(describeWeights(config.commit));
    m_hasAnswer = true;
    m_meter.setTotal(config.size + weights.size);
    std::vector<HubFile> unlinked;
    std::vector<HubFile> files{config, weights};
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (!fetch(files[i])) unlinked.push_back(files[i]);
      if (i == 0) addProcessor(files);
    }
    publish(config, unlinked);
    requireReadable(config);
    requireReadable(weights);
    requireCheckpoint(m_cache.snapshot(weights.commit) / weights.name);
    FetchedModel model = fetchedFrom(m_weights, m_cache, weights.commit, weights.name);
    model.downloadedBytes = m_downloaded;
    return model;
  }

 private:
  Result<HubFile> describeWeights(const std::string& commit) {
    Result<HubFile> found = m_requests.describe(kHubWeights[0], commit);
    if (found || found.error().code != ErrorCode::NotFound) return found;
    return m_requests.describe(kHubWeights[1], commit);
  }

  /// Where the config, which is here, has one beside it.
  void addProcessor(std::vector<HubFile>& files) {
    const HubFile config = files.front();
    const auto linked = m_cache.snapshot(config.commit) / config.name;
    if (!needsProcessor(sizeThere(linked) ? linked : m_cache.blob(config))) return;
    const auto processor = m_requests.describe(kHubProcessor, config.commit);
    if (!processor) return;
    files.push_back(*processor);
    std::int64_t total = 0;
    for (const HubFile& file : files)
      total += file.size;
    m_meter.setTotal(total);
  }

  /// One at a time: another that fetches the same writes the same names. A cache that has
  /// everything is not written to: it may be read-only.
  void publish(const HubFile& config, const std::vector<HubFile>& unlinked) const {
    if (unlinked.empty() && m_cache.mainCommit() == config.commit) return;
    m_cache.makeFolders();
    const FileDescriptor lock = m_cache.lock(config, m_stop, {});
    for (const HubFile& file : unlinked)
      m_cache.link(file);
    m_cache.setMain(config.commit);
  }

  bool isWhole(const std::filesystem::path& path, const HubFile& file) {
    return isWholeFile(path, file, m_stop, [&] { m_meter.setStage("checking " + file.name); });
  }

  /// Whether the snapshot has it: by a link to its blob, to one elsewhere, or, in a cache that was
  /// copied with its links followed, as a file of its own.
  bool isInSnapshot(const HubFile& file) {
    return isWhole(m_cache.snapshot(file.commit) / file.name, file);
  }

  /// Whether the snapshot had it already; else its blob is whole now.
  bool fetch(const HubFile& file) {
    m_meter.setStage(file.name);
    bool inSnapshot = isInSnapshot(file);
    if (!inSnapshot && !isWhole(m_cache.blob(file), file)) {
      m_cache.makeFolders();
      const FileDescriptor lock =
          m_cache.lock(file, m_stop, [this](const std::string& what) { m_meter.setStage(what); });
      inSnapshot = isInSnapshot(file);
      if (!inSnapshot && !isWhole(m_cache.blob(file), file)) download(file);
    }
    m_finished += file.size;
    m_meter.setDone(m_finished, false);
    return inSnapshot;
  }

  void requireReadable(const HubFile& file) const {
    const auto path = m_cache.snapshot(file.commit) / file.name;
    if (sizeThere(path) == file.size) return;
    throw Failure(Error{ErrorCode::Io,
                        tr("is missing after the download, because another program changes the "
                           "cache; try again, or set another cache (HF_HUB_CACHE)"),
                        path.string()});
  }

  /// With the hub's own bytes, so that a second download would not help.
  static void requireCheckpoint(const std::filesystem::path& weights) {
    const auto header = checkCheckpointHeader(weights);
    if (header) return;
    throw Failure(
        Error{header.error().code,
              tr("was downloaded correctly, but cannot be opened: ") + header.error().message,
              weights.string()});
  }

  void download(const HubFile& file) {
    PartialBlob blob(m_cache, file, m_stop);
    blob.requireSpace();
    m_meter.setDone(m_finished + blob.size(), false);
    const WebReader reader{[&](const WebAnswer& answer) { return begin(file, blob, answer); },
                           [&](const void* data, std::size_t size) {
                             blob.append(data, size);
                             m_downloaded += static_cast<std::int64_t>(size);
                             m_meter.setDone(m_finished + blob.size(), true);
                           }};
    for (int attempt = 0; !blob.isWhole(); ++attempt) {
      if (attempt > 1) throw Failure(tooShort(file, blob));
      valueOrThrow(m_requests.read(file, reader, [&] { return blob.size(); }));
    }
    blob.keep();
  }

  /// Whether the bytes go on where the file ends. A server that knows no ranges begins anew.
  bool begin(const HubFile& file, PartialBlob& blob, const WebAnswer& answer) {
    if (answer.status == 416) blob.restart();
    if (answer.status != 200 && answer.status != 206) return false;
    m_meter.setStage(file.name);
    const auto wanted = "bytes " + std::to_string(blob.size()) + "-";
    if (answer.status == 200 && blob.size() > 0) blob.restart();
    if (answer.status == 206 && !answer.header("content-range").starts_with(wanted))
      throw Failure(Error{ErrorCode::InvalidFile,
                          tr("the server sent the wrong part of the file; try again"), file.name});
    const auto announced = answer.count("content-length");
    if (announced >= 0 && announced != file.size - blob.size())
      throw Failure(Error{ErrorCode::InvalidFile,
                          tr("the server announces ") + std::to_string(blob.size() + announced) +
                              tr(" bytes, but the hub declares ") + std::to_string(file.size) +
                              tr("; try again, and check the proxy"),
                          file.name});
    return true;
  }

  static Error tooShort(const HubFile& file, const PartialBlob& blob) {
    return {ErrorCode::InvalidFile,
            tr("ends after ") + std::to_string(blob.size()) + tr(" of ") +
                std::to_string(file.size) + tr(" bytes; try again, the received part is kept"),
            file.name};
  }

  const PublishedWeights& m_weights;
  std::stop_token m_stop;
  HubCache m_cache;
  FetchMeter m_meter;
  HubRequests m_requests;
  std::int64_t m_finished = 0, m_downloaded = 0;
  bool m_hasAnswer = false;
};

}  // namespace

bool canFetch() {
  return hasWebClient();
}

std::optional<FetchedModel> fetchedAlready(const PublishedWeights& weights,
                                           const FetchOptions& options) {
  const HubCache cache(options.cache, weights.repository);
  const std::string main = cache.mainCommit();
  const std::string commit = main.empty() ? cache.onlyCommit() : main;
  if (commit.empty() || !sizeThere(cache.snapshot(commit) / kHubConfig)) return std::nullopt;
  for (const char* file : kHubWeights)
    if (isNamedInCache(cache.snapshot(commit) / file))
      return checkCheckpointHeader(cache.snapshot(commit) / file)
                 ? std::optional(fetchedFrom(weights, cache, commit, file))
                 : std::nullopt;
  return std::nullopt;
}

Result<FetchedModel> fetchModel(const PublishedWeights& weights, const FetchOptions& options,
                                const FetchCallback& reported, std::stop_token stop) {
  ModelFetcher fetcher(weights, options, reported, stop);
  auto fetched = guarded(weights.name, [&] {
    requireUsable(weights, options);
    return fetcher.run();
  });
  if (fetched || fetched.error().code != ErrorCode::Io || fetcher.hasAnswer()) return fetched;
  auto here = fetchedAlready(weights, options);
  if (!here) return fetched;
  here->note = "already downloaded; the hub was not contacted: " + fetched.error().text();
  return *here;
}

}  // namespace headlight
