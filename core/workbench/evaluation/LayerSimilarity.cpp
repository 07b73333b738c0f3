// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/LayerSimilarity.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

#include "core/analysis/Rollout.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/training/Evaluation.h"
#include "core/workbench/evaluation/OpenedEvaluation.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/session/ModelCopy.h"

namespace headlight {
namespace {

constexpr std::int64_t kMostMapBytes = 256 << 20;
constexpr std::int64_t kMostAtOnce = 8;

/// Images whose maps of all layers are held at once.
std::int64_t imagesAtOnce(const Model& model) {
  std::int64_t bytes = 0;
  for (int l = 0; l < model.layers(); ++l) {
    const std::int64_t tokens = model.grid(l).tokens();
    bytes += model.heads(l) * tokens * tokens * static_cast<std::int64_t>(sizeof(float));
  }
  return std::clamp<std::int64_t>(kMostMapBytes / std::max<std::int64_t>(bytes, 1), 1, kMostAtOnce);
}

/// What one image's similarities add to the sums. NaN stays NaN.
class SimilaritySums {
 public:
  void add(const std::vector<std::vector<float>>& one) {
    if (m_sums.empty()) m_sums.assign(one.size(), std::vector<double>(one.front().size(), 0.0));
    for (std::size_t h = 0; h < one.size(); ++h)
      for (std::size_t i = 0; i < one[h].size(); ++i)
        m_sums[h][i] += one[h][i];
    ++m_images;
  }
  std::vector<std::vector<double>> means() const {
    auto means = m_sums;
    for (auto& head : means)
      for (double& value : head)
        value /= static_cast<double>(m_images);
    return means;
  }
  std::int64_t images() const { return m_images; }

 private:
  std::vector<std::vector<double>> m_sums;
  std::int64_t m_images = 0;
};

/// The maps of every layer for a batch, on the host: [B, H, T, T] each.
std::vector<at::Tensor> mapsOfBatch(Model& model, const at::Tensor& images, std::stop_token stop) {
  std::vector<at::Tensor> maps;
  at::Tensor tokens = model.embed(images);
  for (int l = 0; l < model.layers(); ++l) {
    if (stop.stop_requested())
      throw Failure({ErrorCode::Canceled, tr("comparing the layers was stopped"), ""});
    CollectingHook tap;
    tokens = model.block(l, tokens, &tap);
    maps.push_back(tap.maps.at(l).to(at::kCPU, at::kFloat).contiguous());
  }
  return maps;
}

AttentionMaps mapsOfOne(const Model& model, const std::vector<at::Tensor>& batch,
                        std::int64_t image) {
  AttentionMaps maps;
  for (int l = 0; l < model.layers(); ++l) {
    const at::Tensor own = batch[static_cast<std::size_t>(l)][image];
    const float* begin = own.data_ptr<float>();
    maps.layers.push_back({static_cast<int>(own.size(0)), model.grid(l),
                           std::make_shared<const std::vector<float>>(begin, begin + own.numel())});
  }
  return maps;
}

LayerSimilarity resultOf(const SimilaritySums& sums, const ModelInfo& info) {
  LayerSimilarity result;
  result.layers = static_cast<int>(info.heads.size());
  result.values = sums.means();
  result.images = sums.images();
  result.isSigned = info.mapIsSigned;
  return result;
}

/// Every image of the sample, in order.
void addImages(SimilaritySums& sums, LoadedModel& own, const ImageSample& sample,
               const ProgressCallback& progress, std::stop_token stop) {
  const auto dataset = openImages(own.info, sample.data, sample.samples);
  const auto loader =
      evaluationLoader(dataset, ofOneSize(makePreprocessing(own.info.experiment.model)),
                       imagesAtOnce(*own.model), static_cast<int>(sample.data.loaderThreads));
  RemainingTime remaining;
  remaining.start(0);
  std::int64_t done = 0;
  loader->startEpoch(0);
  while (auto batch = valueOrThrow(loader->next(stop))) {
    const auto maps = mapsOfBatch(*own.model, batch->images.to(at::Device(own.info.device)), stop);
    for (std::int64_t p = 0; p < batch->images.size(0); ++p) {
      if (stop.stop_requested())
        throw Failure({ErrorCode::Canceled, tr("comparing the layers was stopped"), ""});
      sums.add(valueOrThrow(similarities(mapsOfOne(*own.model, maps, p))));
      ++done;
      if (progress)
        progress({"comparing layers", done, dataset->size(),
                  remaining.secondsRemaining(done, dataset->size())});
    }
  }
  if (sums.images() == 0)
    throw Failure(
        {ErrorCode::InvalidFile, tr("no image of the validation split can be read"), "data"});
}

void addLines(std::string& csv, const LayerSimilarity& similarity, int head) {
  const std::string name = head < 0 ? "mean" : std::to_string(head);
  const auto& values = similarity.of(head);
  for (int i = 0; i < similarity.layers; ++i)
    for (int j = 0; j < similarity.layers; ++j) {
      const double value = values[static_cast<std::size_t>(i) * similarity.layers + j];
      csv += name + "," + std::to_string(i) + "," + std::to_string(j) + ",";
      csv += std::isnan(value) ? "" : numberText(value);
      csv += "\n";
    }
}

constexpr const char* kSimilarityColumns = "head,layer,other,similarity\n";

}  // namespace

Result<LayerSimilarity> measureSimilarity(InferenceSession& session, const Image& image,
                                          const MaskScheme& masks, std::stop_token stop) {
  return guarded("similarity", [&] {
    const InferenceResult inference = valueOrThrow(session.infer(image, masks, {}, stop));
    SimilaritySums sums;
    sums.add(valueOrThrow(similarities(inference.maps)));
    return resultOf(sums, session.info());
  });
}

Result<LayerSimilarity> measureSimilarity(InferenceSession& session, const ImageSample& sample,
                                          const MaskScheme& masks, const ProgressCallback& progress,
                                          std::stop_token stop) {
  return guarded("similarity", [&] {
    const at::NoGradGuard noGrad;
    at::init_num_threads();  // counts are per thread
    LoadedModel own = copyModel(session);
    own.model->setMasks(masks);
    SimilaritySums sums;
    addImages(sums, own, sample, progress, stop);
    return resultOf(sums, own.info);
  });
}

std::string similarityCsv(const LayerSimilarity& similarity) {
  std::string csv = kSimilarityColumns;
  for (int head = -1; head < similarity.heads(); ++head)
    addLines(csv, similarity, head);
  return csv;
}

std::string similarityCsv(const LayerSimilarity& similarity, int head) {
  std::string csv = kSimilarityColumns;
  addLines(csv, similarity, head);
  return csv;
}

}  // namespace headlight
