// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/ModelsInFolder.h"

#include <algorithm>

#include "core/base/Result.h"
#include "core/base/Translation.h"
#include "core/models/Registry.h"
#include "core/workbench/hub/HubFolder.h"
#include "core/workbench/loading/ModelInfo.h"

namespace headlight {
namespace {

constexpr std::size_t kMostResolved = 50, kMostNamed = 3;

bool isDirectory(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::is_directory(path, unknown);
}

bool holdsEntries(const std::filesystem::path& cache) {
  std::error_code unknown;
  int seen = 0;
  std::filesystem::directory_iterator entries(cache, unknown);
  for (; !unknown && entries != std::filesystem::directory_iterator() && ++seen < kMostLocalEntries;
       entries.increment(unknown))
    if (!hubRepository(entries->path().filename().string()).empty() && isDirectory(*entries))
      return true;
  return false;
}

/// The folder that a source names and that is no model itself; else empty.
std::filesystem::path folderOfModels(const ModelSource& source) {
  if (!source.model.empty() && findPublishedModel(source.model)) return {};
  const std::filesystem::path named =
      source.model.empty() ? source.weights : std::filesystem::path(source.model);
  return !named.empty() && isDirectory(named) && !looksLikeHubFolder(named)
             ? named
             : std::filesystem::path();
}

[[noreturn]] void refuseSeveral(const std::vector<LocalModel>& models,
                                const std::filesystem::path& folder) {
  std::string names;
  for (std::size_t i = 0; i < std::min(models.size(), kMostNamed); ++i)
    names += (i == 0 ? "" : ", ") + models[i].path.string();
  throw Failure({ErrorCode::InvalidArgument,
                 tr("holds several models; give one of them, such as ") + names +
                     tr(" (headlight-cli models --folder lists all)"),
                 folder.string()});
}

}  // namespace

bool holdsHubEntries(const std::filesystem::path& folder) {
  return holdsEntries(folder) || holdsEntries(folder / "hub");
}

std::vector<LocalModel> findModelsIn(const std::filesystem::path& folder, std::size_t most,
                                     const std::stop_token& stop) {
  std::vector<LocalModel> models;
  std::stop_source enough;
  const std::stop_callback canceled(stop, [&] { enough.request_stop(); });
  const auto take = [&](LocalModel model) {
    models.push_back(std::move(model));
    if (models.size() >= most) enough.request_stop();
  };
  findLocalModels({{}, {}, {folder}}, take, enough.get_token());
  return models;
}

ModelSource resolveModelFolder(const ModelSource& source) {
  const std::filesystem::path folder = folderOfModels(source);
  if (folder.empty()) return source;
  std::vector<LocalModel> models = findModelsIn(folder, kMostResolved);
  std::erase_if(models, [](const LocalModel& model) { return !model.canOpen(); });
  if (models.empty()) return source;
  if (models.size() > 1) refuseSeveral(models, folder);
  ModelSource resolved = source;
  const ModelSource only = makeModelSource(models.front());
  resolved.model = only.model;
  if (source.model.empty() || !only.weights.empty()) resolved.weights = only.weights;
  return resolved;
}

}  // namespace headlight
