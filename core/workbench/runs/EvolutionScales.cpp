// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/runs/EvolutionScales.h"

#include <cstdint>
#include <vector>

#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr std::uint64_t kMostHeld = 1u << 29;  ///< bytes of all points

using PooledValues = std::vector<float>;

void requireNotStopped(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Failure({ErrorCode::Canceled, tr("canceled"), "evolution"});
}

/// A value takes a byte.
std::uint64_t bytesOfPoint(const EvolutionInfo& info) {
  std::uint64_t bytes = 0;
  for (const EvolutionLayer& layer : info.layers)
    bytes += static_cast<std::uint64_t>(layer.heads) * layer.queries.size() *
             static_cast<std::uint64_t>(layer.grid.tokens());
  return bytes * info.images.size();
}

std::vector<EvolutionFrame> readFrames(const RecordedEvolution& evolution,
                                       const std::stop_token& stop) {
  std::vector<EvolutionFrame> frames;
  for (std::size_t i = 0; i < evolution.moments().size(); ++i) {
    requireNotStopped(stop);
    frames.push_back(valueOrThrow(evolution.frame(i)));
  }
  return frames;
}

/// The mean as it is shown of a step: added up head by head.
void addShare(PooledValues& sum, const PooledValues& values, float share) {
  if (sum.empty()) sum.assign(values.size(), 0);
  for (std::size_t i = 0; i < values.size(); ++i)
    sum[i] += share * values[i];
}

void pool(PooledValues& all, const PooledValues& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

Result<EvolutionScales> EvolutionScales::read(const RecordedEvolution& evolution, int image,
                                              const std::stop_token& stop) {
  return guarded("evolution", [&] {
    EvolutionScales scales;
    const EvolutionInfo& info = evolution.info();
    if (bytesOfPoint(info) * evolution.moments().size() > kMostHeld) return scales;
    const std::vector<EvolutionFrame> frames = readFrames(evolution, stop);
    for (const int query : info.queries) {
      PooledValues all;
      for (std::size_t layer = 0; layer < info.layers.size(); ++layer) {
        requireNotStopped(stop);
        const int heads = info.layers[layer].heads, at = static_cast<int>(layer);
        std::vector<PooledValues> means(frames.size());
        for (int head = 0; head < heads; ++head) {
          PooledValues values;
          for (std::size_t i = 0; i < frames.size(); ++i) {
            const auto seen = frames[i].seen(image, at, head, query);
            if (!seen) continue;  // a token that joins later
            pool(values, *seen);
            addShare(means[i], *seen, 1.0F / static_cast<float>(heads));
          }
          if (values.empty()) continue;
          scales.m_heads[{at, head, query}] = summarize(values);
          pool(all, values);
        }
        PooledValues mean;
        for (const PooledValues& step : means)
          pool(mean, step);
        if (!mean.empty()) scales.m_heads[{at, -1, query}] = summarize(mean);
      }
      if (!all.empty()) scales.m_allHeads[query] = summarize(all);
    }
    PooledValues rollout;
    for (const EvolutionFrame& frame : frames)
      pool(rollout, frame.rollout(image));
    if (!rollout.empty()) scales.m_rollout = summarize(rollout);
    return scales;
  });
}

const ValueSummary* EvolutionScales::find(int layer, int head, int query) const {
  const auto found = m_heads.find({layer, head, query});
  return found == m_heads.end() ? nullptr : &found->second;
}

const ValueSummary* EvolutionScales::findAllHeads(int query) const {
  const auto found = m_allHeads.find(query);
  return found == m_allHeads.end() ? nullptr : &found->second;
}

}  // namespace headlight
