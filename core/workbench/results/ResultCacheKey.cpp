// SPDX-License-Identifier: GPL-3.0-or-later

// ResultCache.h: what a result is of.

#include <algorithm>
#include <chrono>
#include <system_error>

#include "core/config/DatasetKinds.h"
#include "core/config/RunId.h"
#include "core/data/drawn/TextureShape.h"
#include "core/masks/HeadMask.h"
#include "core/workbench/loading/TrainedData.h"
#include "core/workbench/results/ResultCache.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostStamps = 100'000;

/// What a file or folder was when it was last changed. What cannot be asked says so.
std::string stampOf(const fs::directory_entry& entry, const fs::path& root) {
  std::error_code error;
  const auto changed = entry.last_write_time(error).time_since_epoch().count();
  const bool folder = entry.is_directory(error);
  const auto size = folder ? 0 : entry.file_size(error);
  return entry.path().lexically_relative(root).string() + "|" + std::to_string(size) + "|" +
         std::to_string(changed);
}

/// For all that lies in `folder`, and of the folders in its folders: an image that comes or goes
/// changes the time of the folder it is in.
void addStamps(std::vector<std::string>& stamps, const fs::path& root, const fs::path& folder,
               int depth) {
  std::error_code error;
  for (fs::directory_iterator entries(folder, error), end; !error && entries != end;
       entries.increment(error)) {
    if (stamps.size() >= kMostStamps) return;
    const bool isFolder = entries->is_directory(error);
    if (depth == 0 || isFolder) stamps.push_back(stampOf(*entries, root));
    if (isFolder && depth == 0) addStamps(stamps, root, *entries, 1);
  }
}

/// A pattern of shards stands for the folder that they are in.
Json stampsOf(const std::string& path) {
  std::vector<std::string> stamps;
  if (path.empty()) return stamps;
  std::error_code error;
  const fs::path root =
      fs::is_directory(path, error) ? fs::path(path) : fs::path(path).parent_path();
  addStamps(stamps, root, root, 0);
  std::sort(stamps.begin(), stamps.end());
  return stamps;
}

std::string wholePathOf(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error);
  return path.empty() || error ? path : whole.string();
}

/// Which class of the model a label is follows from this.
Json matchingOf(const ClassMatching& matching, const ModelInfo& info) {
  Json json = writeParameters(classMatchParameters(), &matching);
  json["class_names"] = info.classNames;
  std::error_code error;
  if (!matching.classMap.empty())
    json["class_map_file"] = stampOf(fs::directory_entry(matching.classMap, error), "/");
  return json;
}

std::string dataDigest(const ImageSample& sample, const std::string& path, const ModelInfo& info,
                       bool labeled) {
  Json config = writeParameters(dataParameters(), &sample.data);
  for (const char* name : {"path", "loader_threads", "augment", "box_crop", "multi_scale",
                           "segment_scales", "teacher_logits"})
    config.erase(name);  // which change no number
  // Kept results are older than this option.
  if (sample.data.drawnClasses == kTextureShapeClasses) config.erase("drawn_classes");
  // Drawn images, and splits that a folder does not have, follow from these.
  Json key = Json{{"config", config},
                  {"seed", info.experiment.seed},
                  {"image_size", info.experiment.model.imageSize},
                  {"device", info.device},
                  {"batch", info.experiment.training.batchSize},
                  {"files", stampsOf(path)}};
  // How files become splits: results of another reading are other results.
  if (!isDrawnData(sample.data.dataset))
    key["reading"] = trainedOn(info, sample.data) ? "2, its own" : "2, another's";
  if (labeled) key["classes"] = matchingOf(sample.matching, info);
  return makeRunId(key);
}

std::string masksDigest(const MaskScheme& masks) {
  Json cells = Json::array();
  for (int l = 0; l < masks.layers(); ++l)
    for (const HeadMask& mask : masks.layer(l))
      cells.push_back(std::to_string(l) + ":" + toText(mask));
  return makeRunId(Json{{"cells", cells}});
}

}  // namespace

Result<ResultKey> resultKey(InferenceSession& session, const ImageSample& sample,
                            const MaskScheme& masks, const std::string& kind,
                            const std::string& detail) {
  return guarded(kind, [&] {
    const ModelInfo& info = session.info();
    ResultKey key{kind,
                  detail,
                  info.experiment.model.name,
                  masks.name(),
                  sample.data.dataset,
                  wholePathOf(sample.data.path),
                  sample.samples,
                  {},
                  {},
                  {}};
    key.weights = valueOrThrow(session.digest());
    key.masks = masksDigest(masks);
    key.data = dataDigest(sample, key.path, info, /*labeled=*/kind != "similarity");
    return key;
  });
}

}  // namespace headlight
