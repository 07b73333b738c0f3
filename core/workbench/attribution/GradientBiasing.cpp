// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/attribution/GradientBiasing.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cstdio>
#include <limits>

#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/attribution/LogitSlopes.h"
#include "core/workbench/session/ModelCopy.h"
#include "core/workbench/session/ModelPass.h"

namespace headlight {
namespace {

constexpr const char* kBiasingMeaning =
    "J is the cross-entropy of an image with its class, S the logits before mask and softmax "
    "(IBiT, section 6.2).";

/// A model, and what its gradients add up to.
struct BiasedSide {
  LoadedModel own;
  std::vector<RelativeMeans> layers;
  double loss = 0;

  BiasedSide(InferenceSession& session, const MaskScheme& masks, bool withMasks)
      : own(copyModel(session)), layers(session.info().heads.size()) {
    own.model->setMasks(masks);
    for (at::Tensor& parameter : own.model->parameters())
      parameter.requires_grad_(false);
    if (!withMasks) setUnitMasks(*own.model);
  }

  /// Returns the class that counted.
  int add(const at::Tensor& image, int classIndex, const std::function<void()>& step) {
    const LogitSlopes slopes = logitSlopes(*own.model, image, classIndex, step);
    for (std::size_t l = 0; l < layers.size(); ++l)
      if (slopes.layers[l].defined()) addLayer(l, slopes.layers[l]);
    loss += slopes.loss;
    return slopes.classIndex;
  }

  void addLayer(std::size_t layer, const at::Tensor& slopes) {
    LayerMaps maps;
    maps.heads = static_cast<int>(slopes.size(0));
    maps.grid = own.model->grid(static_cast<int>(layer));
    maps.values = std::make_shared<const std::vector<float>>(plainValues(slopes.abs()));
    layers[layer].add(maps);
  }

  RelativeMaps means(const std::string& title, const SourceCount& fed) const {
    RelativeMaps maps;
    maps.title = title;
    maps.meaning = kBiasingMeaning;
    maps.fed = fed;
    for (const RelativeMeans& layer : layers)
      maps.layers.push_back(layer.means());
    return maps;
  }
};

RelativeMaps ratioOf(const RelativeMaps& masked, const RelativeMaps& unmasked) {
  RelativeMaps ratio = masked;
  ratio.title = "mean |dJ/dS| with the mask, divided by that without it";
  ratio.scale = RelativeScale::AboutOne;
  for (std::size_t l = 0; l < ratio.layers.size(); ++l)
    for (std::size_t i = 0; i < ratio.layers[l].values.size(); ++i) {
      const double below = unmasked.layers[l].values[i];
      double& value = ratio.layers[l].values[i];
      value = below > 0 ? value / below : std::numeric_limits<double>::quiet_NaN();
    }
  return ratio;
}

}  // namespace

bool hasGradientBiasing(const ModelInfo& info) {
  return !info.isPrecomputed && info.experiment.model.classes > 0 &&
         info.experiment.model.mechanism == "learned_mask";
}

Result<GradientBiasing> measureGradientBiasing(InferenceSession& session, const ImageSource& feed,
                                               const MaskScheme& masks,
                                               const ProgressCallback& progress,
                                               std::stop_token stop) {
  return guarded("gradient biasing", [&] {
    at::init_num_threads();  // counts are per thread
    const ModelInfo& info = session.info();
    requireClassifier(info, "gradient biasing", "gradient biasing");
    BiasedSide masked(session, masks, true), unmasked(session, masks, false);
    requireLearnedMasks(*masked.own.model);
    GradientBiasing result;
    const SourceCount fed = eachSourceImage(
        feed, "computing gradients", progress, stop,
        [&](const SourceImage& image, const std::function<void(double)>& notify) {
          const RawImages raw = rawImage(info, image.image);  // which `input` may look into
          const at::Tensor input = modelInput(info, raw);
          const auto step = [&] { throwIfFeedStopped(stop); };
          const int classIndex = masked.add(input, image.label, step);
          notify(0.5);
          unmasked.add(input, classIndex, step);
          result.unlabeled += image.label < 0;
        });
    result.masked = masked.means("mean |dJ/dS| with the learned mask", fed);
    result.unmasked = unmasked.means("mean |dJ/dS| with 1 in place of the mask", fed);
    result.ratio = ratioOf(result.masked, result.unmasked);
    result.maskedLoss = masked.loss / static_cast<double>(fed.images);
    result.unmaskedLoss = unmasked.loss / static_cast<double>(fed.images);
    return result;
  });
}

std::string lossText(const GradientBiasing& biasing) {
  char text[128];
  std::snprintf(text, sizeof text,
                "mean loss %.4g with the learned masks, %.4g with 1 in their place",
                biasing.maskedLoss, biasing.unmaskedLoss);
  std::string all = text;
  if (biasing.unlabeled > 0)
    all.append("; ")
        .append(biasing.unlabeled == biasing.masked.fed.images
                    ? std::string("without labels")
                    : std::to_string(biasing.unlabeled) + " images without a label")
        .append(": uses the class predicted with the masks");
  if (const std::string& classes = biasing.masked.fed.classes; !classes.empty())
    all.append(biasing.unlabeled > 0 ? " (" : "; classes ")
        .append(classes)
        .append(biasing.unlabeled > 0 ? ")" : "");
  return all;
}

}  // namespace headlight
