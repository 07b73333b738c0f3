// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/runs/RecordedInference.h"

#include <algorithm>
#include <utility>

#include "core/base/Translation.h"

namespace headlight {
namespace {

/// The mean of all patches is no token that could look.
std::vector<int> keptTokens(const EvolutionInfo& info) {
  std::vector<int> tokens = info.queries;
  std::erase(tokens, kMeanOfPatches);
  return tokens;
}

bool isWhole(const EvolutionInfo& info) {
  return std::all_of(info.layers.begin(), info.layers.end(), [](const EvolutionLayer& layer) {
    const auto rows = std::count_if(layer.queries.begin(), layer.queries.end(),
                                    [](int query) { return query != kMeanOfPatches; });
    return layer.heads > 0 && rows == layer.grid.tokens();
  });
}

}  // namespace

Result<RecordedInference> recordedInference(RecordedEvolution& evolution, std::size_t moment,
                                            int image) {
  return guarded(kEvolutionFile, [&] {
    const EvolutionInfo& info = evolution.info();
    if (image < 0 || static_cast<std::size_t>(image) >= info.images.size())
      throw Failure({ErrorCode::InvalidArgument,
                     "keeps " + std::to_string(info.images.size()) + tr(" images, counted from 0"),
                     kEvolutionFile});
    const EvolutionFrame frame = valueOrThrow(evolution.frame(moment));
    valueOrThrow(frame.mapsCanBeHeld());
    const EvolutionMoment& numbers = frame.moment();
    const auto at = static_cast<std::size_t>(image);
    RecordedInference recorded;
    recorded.inference.maps = frame.maps(image);
    if (at < numbers.top.size()) recorded.inference.top = numbers.top[at];
    recorded.inference.locality = numbers.locality;
    recorded.inference.alphas = numbers.alpha;
    recorded.inference.learned = valueOrThrow(evolution.learned(moment));
    recorded.inference.view = info.images[at].view;
    recorded.step = numbers.step;
    recorded.queries = keptTokens(info);
    recorded.whole = isWhole(info);
    recorded.rolloutGrid = info.layers.front().grid;
    recorded.rollout = frame.rollout(image);
    return recorded;
  });
}

bool isRecordedFrom(const EvolutionInfo& recording, const ModelInfo& model) {
  if (recording.layers.size() != model.heads.size() || !(recording.grid == model.grid))
    return false;
  for (std::size_t layer = 0; layer < model.heads.size(); ++layer)
    if (const int heads = recording.layers[layer].heads; heads != 0 && heads != model.heads[layer])
      return false;
  return true;
}

}  // namespace headlight
