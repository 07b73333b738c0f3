// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/interventions/PartSource.h"

#include <ATen/ATen.h>

#include <array>

#include "core/attention/base/MixedPrecision.h"
#include "core/base/Translation.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/session/ModelPass.h"

namespace headlight {
namespace {

constexpr std::array kSites{InterventionSite::Residual, InterventionSite::Attention,
                            InterventionSite::Mlp, InterventionSite::Heads,
                            InterventionSite::Pattern};

class ZeroParts : public PartSource {
 public:
  PartActivations block(int) override { return {}; }
};

class ImageParts : public PartSource {
 public:
  ImageParts(Model& model, const at::Tensor& image, PartsHook::Keep keep)
      : m_model(model), m_keep(keep), m_tokens(model.embed(image)) {}

  PartActivations block(int layer) override {
    PartsHook hook(m_model.heads(layer), m_keep);
    m_tokens = hook.run(m_model, layer, m_tokens);
    return hook.kept();
  }
  at::Tensor logits() override { return inFloat32(m_model.classify(m_tokens)); }

 private:
  Model& m_model;
  PartsHook::Keep m_keep;
  at::Tensor m_tokens;
};

class MeanParts : public PartSource {
 public:
  explicit MeanParts(int layers) : m_sums(static_cast<std::size_t>(layers)) {}

  void add(PartSource& image) {
    for (std::size_t l = 0; l < m_sums.size(); ++l) {
      const PartActivations now = image.block(static_cast<int>(l));
      for (const InterventionSite site : kSites)
        addTo(m_sums[l].of(site), now.of(site));
    }
    ++m_images;
  }
  PartActivations block(int layer) override {
    PartActivations mean = m_sums[static_cast<std::size_t>(layer)];
    for (const InterventionSite site : kSites)
      if (mean.of(site).defined()) mean.of(site) = (mean.of(site) / m_images).to(at::kFloat);
    return mean;
  }

 private:
  static void addTo(at::Tensor& sum, const at::Tensor& value) {
    if (!value.defined()) return;
    if (sum.defined() && sum.sizes() != value.sizes())
      throw Failure({ErrorCode::InvalidArgument,
                     tr("the images are of several sizes; give images of one size"), "mean"});
    sum = sum.defined() ? sum + value : value.to(at::kDouble);
  }

  std::vector<PartActivations> m_sums;  ///< double
  double m_images = 0;
};

}  // namespace

std::unique_ptr<PartSource> zeroParts() {
  return std::make_unique<ZeroParts>();
}

std::unique_ptr<PartSource> imageParts(Model& model, const at::Tensor& image,
                                       PartsHook::Keep keep) {
  return std::make_unique<ImageParts>(model, image, keep);
}

std::unique_ptr<PartSource> meanParts(LoadedModel& loaded, const ImageSource& images,
                                      PartsHook::Keep keep, const ProgressCallback& progress,
                                      const std::stop_token& stop) {
  auto mean = std::make_unique<MeanParts>(loaded.model->layers());
  eachSourceImage(images, tr("averaging activations"), progress, stop,
                  [&](const SourceImage& one, const auto&) {
                    const RawImages raw = rawImage(loaded.info, one.image);
                    ImageParts parts(*loaded.model, modelInput(loaded.info, raw), keep);
                    mean->add(parts);
                  });
  return mean;
}

}  // namespace headlight
