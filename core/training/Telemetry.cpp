// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/Telemetry.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <map>

#include "core/base/Random.h"
#include "core/masks/Neighborhood.h"
#include "core/training/Evaluation.h"
#include "core/training/step/EvaluationMode.h"

namespace headlight {
namespace {

constexpr std::uint64_t kProbePurpose = 0x70726f6265ULL;  // "probe"
constexpr int kAlsWindow = 3;
/// Images at a time, so that the largest map of the model stays within 256 MB.
std::int64_t imagesAtATime(const Model& model) {
  constexpr std::int64_t kMapValues = 64 << 20, kMost = 16;
  std::int64_t largest = 1;
  for (int layer = 0; layer < model.layers(); ++layer) {
    const std::int64_t tokens = model.grid(layer).tokens();
    largest = std::max(largest, model.heads(layer) * tokens * tokens);
  }
  return std::clamp<std::int64_t>(kMapValues / largest, 1, kMost);
}

/// Sums ALS over images as maps arrive; no map is kept.
class LocalityHook : public AttentionHook {
 public:
  explicit LocalityHook(const Model& model) : m_model(model) {}
  bool wants(int layer) const override { return true; }

  void take(int layer, const at::Tensor& map) override {
    const Grid grid = m_model.grid(layer);
    if (map.dim() != 4 || map.size(2) != grid.tokens() || map.size(3) != grid.tokens()) return;
    const at::Tensor patches =
        map.narrow(2, grid.prefix, grid.patches()).narrow(3, grid.prefix, grid.patches());
    // Mean over patch rows of the attention inside the neighborhood, summed over images: [H].
    const at::Tensor local =
        (patches * neighborhood(grid, map)).sum({0, 2, 3}).div(grid.patches()).to(at::kDouble);
    auto& sum = sums[layer];
    sum = sum.defined() ? sum + local : local;
  }

  std::map<int, at::Tensor> sums;

 private:
  /// [N, N] among patches, on the map's device.
  const at::Tensor& neighborhood(const Grid& grid, const at::Tensor& map) {
    if (m_mask.defined() && m_maskGrid == grid) return m_mask;
    const std::vector<std::uint8_t> ones = neighborhoodMask(grid, kAlsWindow);
    const at::Tensor bytes = at::tensor(at::ArrayRef<std::uint8_t>(ones), at::kByte)
                                 .view({grid.tokens(), grid.tokens()});
    m_mask = bytes.narrow(0, grid.prefix, grid.patches())
                 .narrow(1, grid.prefix, grid.patches())
                 .to(map.options());
    m_maskGrid = grid;
    return m_mask;
  }

  const Model& m_model;
  at::Tensor m_mask;
  Grid m_maskGrid;
};

/// Hands every map to both.
class ProbeHook : public AttentionHook {
 public:
  ProbeHook(LocalityHook& locality, MapRecorder* maps) : m_locality(locality), m_maps(maps) {}
  bool wants(int /*layer*/) const override { return true; }
  void take(int layer, const at::Tensor& map) override {
    m_locality.take(layer, map);
    if (m_maps) m_maps->take(layer, map);
  }

 private:
  LocalityHook& m_locality;
  MapRecorder* m_maps;
};

/// Adds `share` times what the last forward pass left to the means of each layer.
void addReadings(std::vector<Readings>& means, const Model& model, double share) {
  const auto layers = model.readings();
  means.resize(layers.size());
  for (std::size_t l = 0; l < layers.size(); ++l)
    for (const auto& [name, value] : layers[l]) {
      auto& mean = means[l];
      auto found = std::find_if(mean.begin(), mean.end(), [&name = name](const auto& reading) {
        return reading.first == name;
      });
      if (found == mean.end()) found = mean.insert(mean.end(), {name, 0.0});
      found->second += share * value;
    }
}

std::vector<float> toFloats(const at::Tensor& values) {
  const at::Tensor plain = values.to(at::kCPU, at::kFloat).contiguous();
  const float* data = plain.data_ptr<float>();
  return {data, data + plain.numel()};
}

}  // namespace

HeadProbe::HeadProbe(const Dataset& dataset, std::int64_t count, const Preprocessing& given,
                     std::uint64_t seed, at::Device device) {
  const Preprocessing preprocessing = ofOneSize(given);  // they go through the model together
  std::vector<at::Tensor> images;
  for (const std::int64_t index : permutation(dataset.size(), streamKey({seed, kProbePurpose}))) {
    if (static_cast<std::int64_t>(images.size()) == count) break;
    const Result<Sample> sample = dataset.sample(index);
    if (!sample) continue;
    const std::vector<float> pixels = preprocess(sample->image, preprocessing);
    images.push_back(at::tensor(at::ArrayRef<float>(pixels))
                         .view({3, preprocessing.height, preprocessing.width}));
    m_described.push_back({index, sample->label, dataset.describe(index)});
  }
  if (!images.empty()) m_images = at::stack(images).to(device);
}

HeadPoint HeadProbe::measure(Model& model, std::int64_t step, MapRecorder* maps) const {
  HeadPoint point;
  point.step = step;
  point.images = images();
  const at::NoGradGuard noGrad;
  const EvaluationMode mode(model);
  LocalityHook locality(model);
  ProbeHook tap(locality, maps);
  const std::int64_t together = imagesAtATime(model);
  for (std::int64_t first = 0; first < images(); first += together) {
    const at::Tensor chunk = m_images.slice(0, first, first + together);
    if (maps) maps->beginPass(chunk.size(0));
    const bool recorded = maps && maps->isRecording();
    at::Tensor tokens = model.embed(chunk);
    for (int layer = 0; layer < model.layers(); ++layer)
      tokens = model.block(layer, tokens, &tap);
    addReadings(point.readings, model,
                static_cast<double>(chunk.size(0)) / static_cast<double>(images()));
    if (recorded) maps->predict(model.classify(tokens));
  }
  for (int layer = 0; layer < model.layers(); ++layer) {
    const auto found = locality.sums.find(layer);
    point.locality.push_back(found == locality.sums.end()
                                 ? std::vector<float>()
                                 : toFloats(found->second / static_cast<double>(images())));
    point.alpha.push_back(model.softAlphas(layer));
  }
  return point;
}

}  // namespace headlight
