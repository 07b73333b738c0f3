// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/LearnedMaps.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace headlight {
namespace {

template <typename Value>
std::vector<Value> hostValues(const at::Tensor& tensor, at::ScalarType type) {
  const at::Tensor host = tensor.to(at::kCPU, type).contiguous();
  return {host.data_ptr<Value>(), host.data_ptr<Value>() + host.numel()};
}

LearnedMap& entryOf(std::vector<LearnedMap>& maps, const LearnedPairs& pairs, int layers) {
  const auto found = std::find_if(maps.begin(), maps.end(),
                                  [&](const LearnedMap& map) { return map.name == pairs.name; });
  if (found != maps.end()) return *found;
  LearnedMap map{pairs.name, pairs.title, {}};
  map.maps.layers.resize(layers);
  map.maps.meaning = pairs.meaning;
  map.maps.isSigned = pairs.isSigned;
  return maps.emplace_back(std::move(map));
}

}  // namespace

std::vector<LearnedMap> findLearnedMaps(Model& model) {
  std::vector<LearnedMap> maps;
  for (int l = 0; l < model.layers(); ++l) {
    at::Tensor seen;  // by those before of the same layer, which mostly share their windows
    std::shared_ptr<const WindowPlaces> windows;
    for (const LearnedPairs& pairs : model.attention(l).learnedPairs()) {
      if (!pairs.seen.defined())
        windows.reset();
      else if (!pairs.seen.is_same(seen))
        windows = std::make_shared<const WindowPlaces>(
            WindowPlaces{pairs.window, hostValues<int>(pairs.places, at::kInt),
                         hostValues<int>(pairs.seen, at::kInt)});
      seen = pairs.seen;
      const int heads = model.heads(l);
      const at::Tensor values =
          pairs.values.expand({heads, pairs.values.size(1), pairs.values.size(2)});
      entryOf(maps, pairs, model.layers()).maps.layers[l] = {
          heads, model.grid(l),
          std::make_shared<const std::vector<float>>(hostValues<float>(values, at::kFloat)),
          windows};
    }
  }
  return maps;
}

}  // namespace headlight
