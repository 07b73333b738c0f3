// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/LocalModels.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "core/base/Text.h"
#include "core/workbench/hub/HubFolder.h"
#include "core/workbench/hub/ModelFetch.h"
#include "core/workbench/hub/ModelFolders.h"
#include "core/workbench/loading/HubConfig.h"
#include "core/workbench/loading/LooseWeights.h"
#include "core/workbench/loading/ModelInfo.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

fs::path torchCheckpoints() {
  const auto variable = [](const char* name) -> fs::path {
    const char* value = std::getenv(name);
    return value ? value : "";
  };
  fs::path home = variable("TORCH_HOME");
  if (home.empty()) {
    const fs::path cache = variable("XDG_CACHE_HOME");
    home = (cache.empty() ? variable("HOME") / ".cache" : cache) / "torch";
  }
  return home / "hub" / "checkpoints";
}

/// A partial download: the part that exists.
std::uint64_t bytesOfBlobs(const fs::path& entry) {
  std::uint64_t sum = 0;
  std::error_code unknown;
  int seen = 0;
  fs::directory_iterator blobs(entry / "blobs", unknown);
  for (; !unknown && blobs != fs::directory_iterator() && ++seen <= kMostLocalEntries;
       blobs.increment(unknown)) {
    std::error_code vanished;
    if (const auto size = blobs->file_size(vanished); !vanished) sum += size;
  }
  return sum;
}

LocalModel describeHub(const fs::path& path, LocalModel::Source source) {
  LocalModel model;
  model.path = path;
  model.source = source;
  model.name = hubRepository(path.filename().string());
  if (model.name.empty()) model.name = path.filename().string();
  const auto folder = findHubFolder(path);
  if (!folder) {
    model.complete = false;
    model.problem = folder.error().text();
    model.bytes = bytesOfBlobs(path);
    return model;
  }
  model.bytes = folder->bytes();
  const auto known = guarded("", [&] { return readHubConfig(*folder); });
  if (!known) model.problem = known.error().message;
  const auto names = known ? known : guarded("", [&] { return readHubNames(*folder); });
  if (!names) return model;
  model.architecture = names->architecture;
  model.tag = names->tag;
  model.license = names->license;
  return model;
}

class LocalSearch {
 public:
  LocalSearch(const std::function<void(LocalModel)>& found, std::stop_token stop)
      : m_found(found), m_stop(std::move(stop)) {}

  void cache(const fs::path& hub) {
    for (const fs::path& entry : entriesOf(hub))
      if (!stopped() && !hubRepository(entry.filename().string()).empty() && isFolder(entry))
        m_found(describeHub(entry, LocalModel::Source::Hub));
  }

  void files(const fs::path& folder, LocalModel::Source source) {
    for (const fs::path& entry : entriesOf(folder))
      if (!stopped() && isWeights(entry)) m_found(describeLooseWeights(entry, source));
  }

  /// `folder` itself may be a model.
  void folder(const fs::path& folder, int depth = 0) {
    if (stopped()) return;
    if (looksLikeHubFolder(folder)) return m_found(describeHub(folder, LocalModel::Source::Folder));
    std::vector<fs::path> inner;
    for (const fs::path& entry : entriesOf(folder)) {
      if (entry.filename().string().starts_with('.')) continue;
      if (isPlainFolder(entry))
        inner.push_back(entry);
      else if (!stopped() && isWeights(entry) && !isOneOfMany(entry))
        m_found(describeLooseWeights(entry, LocalModel::Source::Folder));
    }
    for (const fs::path& entry : inner)
      if (depth < kDeepestLocal) this->folder(entry, depth + 1);
  }

  std::size_t leftOut() const { return m_leftOut; }

 private:
  bool stopped() const { return m_stop.stop_requested(); }

  static bool isFolder(const fs::path& path) {
    std::error_code unknown;
    return fs::is_directory(path, unknown);
  }
  static bool isPlainFolder(const fs::path& path) {
    std::error_code unknown;
    return fs::is_directory(fs::symlink_status(path, unknown));
  }
  static bool isWeights(const fs::path& path) {
    return isNamedAsWeights(path.filename().string()) && !isFolder(path);
  }
  /// A run's weights of some epoch, beside its best.
  static bool isOneOfMany(const fs::path& path) {
    return path.filename().string().starts_with("epoch-");
  }

  std::vector<fs::path> entriesOf(const fs::path& folder) {
    std::vector<fs::path> entries;
    std::error_code unknown;
    if (folder.empty()) return entries;
    fs::directory_iterator listed(folder, unknown);
    for (; !unknown && listed != fs::directory_iterator() && !stopped(); listed.increment(unknown))
      if (entries.size() < kMostLocalEntries)
        entries.push_back(listed->path());
      else
        ++m_leftOut;
    std::sort(entries.begin(), entries.end());
    return entries;
  }

  const std::function<void(LocalModel)>& m_found;
  std::stop_token m_stop;
  std::size_t m_leftOut = 0;
};

}  // namespace

LocalPlaces LocalPlaces::ofThisComputer() {
  return {fetchOptionsOfEnvironment().cache, torchCheckpoints(),
          ModelFolders(ModelFolders::defaultFile()).folders()};
}

const char* toText(LocalModel::Source source) {
  switch (source) {
    case LocalModel::Source::Hub:
      return "Hugging Face";
    case LocalModel::Source::TorchHub:
      return "torch hub";
    case LocalModel::Source::Folder:
      return "folder";
  }
  return "";
}

ModelSource makeModelSource(const LocalModel& model) {
  ModelSource source;
  std::error_code unknown;
  const bool folder = fs::is_directory(model.path, unknown);
  if (folder) source.model = model.path.string();
  if (!folder) source.weights = model.path;
  if (model.source == LocalModel::Source::TorchHub) source.model = model.architecture;
  return source;
}

bool isFoundBy(const LocalModel& model, const std::string& search) {
  const std::string all =
      lowered(model.name + ' ' + model.architecture + ' ' + model.tag + ' ' + toText(model.source));
  std::istringstream words(lowered(search));
  for (std::string word; words >> word;)
    if (all.find(word) == std::string::npos) return false;
  return true;
}

std::size_t findLocalModels(const LocalPlaces& places, const std::function<void(LocalModel)>& found,
                            const std::stop_token& stop) {
  LocalSearch search(found, stop);
  search.cache(places.hub);
  search.files(places.torch, LocalModel::Source::TorchHub);
  for (const fs::path& folder : places.folders)
    search.folder(folder);
  return search.leftOut();
}

}  // namespace headlight
