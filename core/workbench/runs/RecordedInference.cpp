// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/runs/RecordedInference.h"

#include <algorithm>
#include <utility>

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

Result<RecordedInference> recordedLook(RecordedEvolution& evolution, std::size_t moment,
                                       int picture) {
  return guarded(kEvolutionFile, [&] {
    const EvolutionInfo& info = evolution.info();
    if (picture < 0 || static_cast<std::size_t>(picture) >= info.pictures.size())
      throw Failure({ErrorCode::InvalidArgument,
                     "keeps " + std::to_string(info.pictures.size()) + " pictures, counted from 0",
                     kEvolutionFile});
    const EvolutionFrame frame = valueOrThrow(evolution.frame(moment));
    valueOrThrow(frame.mapsCanBeHeld());
    const EvolutionMoment& numbers = frame.moment();
    const auto at = static_cast<std::size_t>(picture);
    RecordedInference recorded;
    recorded.look.maps = frame.maps(picture);
    if (at < numbers.top.size()) recorded.look.top = numbers.top[at];
    recorded.look.locality = numbers.locality;
    recorded.look.alphas = numbers.alpha;
    recorded.look.learned = valueOrThrow(evolution.learned(moment));
    recorded.look.view = info.pictures[at].view;
    recorded.step = numbers.step;
    recorded.queries = keptTokens(info);
    recorded.whole = isWhole(info);
    recorded.rolloutGrid = info.layers.front().grid;
    recorded.rollout = frame.rollout(picture);
    return recorded;
  });
}

bool isRecordingOf(const EvolutionInfo& recording, const ModelInfo& model) {
  if (recording.layers.size() != model.heads.size() || !(recording.grid == model.grid))
    return false;
  for (std::size_t layer = 0; layer < model.heads.size(); ++layer)
    if (const int heads = recording.layers[layer].heads; heads != 0 && heads != model.heads[layer])
      return false;
  return true;
}

}  // namespace headlight
