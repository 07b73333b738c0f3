// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/interventions/RegisterNeurons.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/interventions/OutlierNorms.h"
#include "core/workbench/interventions/RegisterPass.h"

namespace headlight {
namespace {

/// Two passes over the images: where outliers appear, then what is active there.
class RegisterNeuronSearch {
 public:
  RegisterNeuronSearch(LoadedModel& own, const RegisterRequest& request,
                       const ProgressCallback& progress, const std::stop_token& stop)
      : m_info(own.info),
        m_model(requireRegisterPlace(*own.model)),
        m_request(request),
        m_progress(progress),
        m_stop(stop),
        m_counts(static_cast<std::size_t>(m_model.layers()), 0),
        m_sums(static_cast<std::size_t>(m_model.layers())) {}

  void operator()(RegisterReport& report) {
    report.fed =
        eachSourceImage(m_request.images, tr("finding outliers"), m_progress, m_stop,
                        [&](const SourceImage& one, const auto&) { findPlaces(one.image); });
    report.outlierLayer = outlierLayer();
    std::size_t image = 0;
    eachSourceImage(m_request.images, tr("finding register neurons"), m_progress, m_stop,
                    [&](const SourceImage& one, const auto&) {
                      if (image < m_places.size())
                        addActivations(one.image, m_places[image], report.outlierLayer);
                      ++image;
                    });
    if (image != m_places.size())  // what was added may be of other images than the places are
      throw Failure({ErrorCode::InvalidArgument,
                     tr("other images could be read the second time; try again when their files "
                        "stay as they are"),
                     "registers"});
    report.neurons = mostActive(report.outlierLayer);
  }

 private:
  using LayerPlaces = std::vector<std::vector<int>>;  ///< [layer]: outliers among the patches

  at::Tensor embedded(const Image& image) {
    return m_model.embed(modelInput(m_info, rawImage(m_info, image)));
  }

  void findPlaces(const Image& image) {
    LayerPlaces places;
    at::Tensor tokens = embedded(image);
    for (int l = 0; l < m_model.layers(); ++l) {
      throwIfFeedStopped(m_stop);
      tokens = m_model.block(l, tokens, nullptr);
      OutlierLayer layer;
      layer.grid = m_model.grid(l);
      addOutlierNorms(layer, tokens, m_request.factor);
      m_counts[static_cast<std::size_t>(l)] += layer.outliers.size();
      places.push_back(std::move(layer.outliers));
    }
    m_places.push_back(std::move(places));
  }

  int outlierLayer() const {
    const std::size_t most = *std::max_element(m_counts.begin(), m_counts.end());
    if (most == 0)
      throw Failure({ErrorCode::InvalidArgument,
                     tr("no patch is longer than ") + numberText(m_request.factor) +
                         tr(" times the median of its layer in these images, so there is nothing "
                            "to move; lower the factor, give other images, or 0 neurons"),
                     "registers"});
    const auto first = std::find_if(m_counts.begin(), m_counts.end(),
                                    [most](std::size_t count) { return 2 * count >= most; });
    return static_cast<int>(first - m_counts.begin());
  }

  void addActivations(const Image& image, const LayerPlaces& places, int last) {
    const std::vector<int>& outliers = places[static_cast<std::size_t>(last)];
    if (outliers.empty()) return;
    std::vector<std::int64_t> rows;
    for (const int patch : outliers)
      rows.push_back(m_model.grid(0).prefix + patch);
    HiddenEdits edits(m_model);
    for (int l = 0; l <= last; ++l)
      edits.set(l, [this, l, rows](const at::Tensor& hidden) { return summed(hidden, l, rows); });
    at::Tensor tokens = embedded(image);
    for (int l = 0; l <= last; ++l) {
      throwIfFeedStopped(m_stop);
      tokens = m_model.block(l, tokens, nullptr);
    }
    ++m_images;
  }

  at::Tensor summed(const at::Tensor& hidden, int layer, const std::vector<std::int64_t>& rows) {
    const at::Tensor index = at::tensor(rows, at::kLong).to(hidden.device());
    const at::Tensor mean = hidden[0].index_select(0, index).to(at::kDouble).mean(0).to(at::kCPU);
    at::Tensor& sum = m_sums[static_cast<std::size_t>(layer)];
    sum = sum.defined() ? sum + mean : mean;
    return hidden;
  }

  std::vector<RegisterNeuron> mostActive(int last) const {
    std::vector<RegisterNeuron> all;
    for (int l = 0; l <= last; ++l) {
      const at::Tensor means = (m_sums[static_cast<std::size_t>(l)] / m_images).contiguous();
      for (std::int64_t u = 0; u < means.numel(); ++u)
        all.push_back({l, static_cast<int>(u), means.data_ptr<double>()[u]});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.activation > b.activation; });
    all.resize(std::min(all.size(), static_cast<std::size_t>(m_request.options.neurons)));
    return all;
  }

  const ModelInfo& m_info;
  VisionTransformer& m_model;
  const RegisterRequest& m_request;
  const ProgressCallback& m_progress;
  std::stop_token m_stop;
  std::vector<LayerPlaces> m_places;  ///< of every image that could be read
  std::vector<std::size_t> m_counts;  ///< of outliers, by layer
  std::vector<at::Tensor> m_sums;     ///< [M] by layer, over images with outliers
  double m_images = 0;
};

}  // namespace

void findRegisterNeurons(RegisterReport& report, LoadedModel& own, const RegisterRequest& request,
                         const ProgressCallback& progress, const std::stop_token& stop) {
  RegisterNeuronSearch(own, request, progress, stop)(report);
}

}  // namespace headlight
