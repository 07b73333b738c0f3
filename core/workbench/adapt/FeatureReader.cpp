// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/adapt/FeatureReader.h"

#include <ATen/ATen.h>

#include "core/base/Translation.h"
#include "core/config/RunId.h"
#include "core/masks/HeadMask.h"
#include "core/workbench/loading/ModelDigest.h"
#include "core/workbench/session/ModelCopy.h"

namespace headlight {
namespace {

std::string featureMasksDigest(const MaskScheme& masks) {
  Json cells = Json::array();
  for (int l = 0; l < masks.layers(); ++l)
    for (const HeadMask& mask : masks.layer(l))
      cells.push_back(std::to_string(l) + ":" + toText(mask));
  return makeRunId(Json{{"cells", cells}});
}

/// A classifier that passes on what it reads. With two heads each has the other half at 0, so that
/// their sum is both tokens side by side.
void fillIdentity(Model& model, std::int64_t width) {
  const at::Tensor nothing = at::zeros({width});
  fillHead(model, {at::eye(width), nothing, nothing, at::ones({width})});
}

void throwIfReadingStopped(const std::stop_token& stop) {
  if (stop.stop_requested())
    throw Failure({ErrorCode::Canceled, tr("computing features was stopped"), ""});
}

}  // namespace

FeatureReader::FeatureReader(InferenceSession& session, const MaskScheme& masks,
                             const HeadChoice& wanted)
    : m_choice(resolvedChoice(session.info(), wanted)), m_masks(featureMasksDigest(masks)) {
  const at::NoGradGuard noGrad;
  const LoadedModel own = copyModel(session);
  const ModelConfig& model = own.info.experiment.model;
  m_both = m_choice.token != "model" && hasTokenAndMean(model);
  m_layers = m_choice.layers;
  const std::string read = m_both ? "both" : m_choice.token;
  m_layerWidth = headInputWidth(headedConfig(model, read, 1));
  m_loaded = withNewHead(own, read, static_cast<int>(m_layerWidth), masks);
  fillIdentity(*m_loaded.model, m_layerWidth);
}

FeatureKey FeatureReader::key() const {
  const std::string& device = m_loaded.info.device;
  return {m_loaded.info.experiment.model.name,
          modelDigest(*m_loaded.model),
          m_masks,
          device.substr(0, device.find(':')),
          m_layers,
          width()};
}

at::Tensor FeatureReader::ofTokens(const at::Tensor& tokens) {
  return m_loaded.model->classify(tokens).to(at::kCPU, at::kFloat);
}

at::Tensor FeatureReader::read(const at::Tensor& images, const std::stop_token& stop) {
  const at::NoGradGuard noGrad;
  Model& model = *m_loaded.model;
  at::Tensor tokens = model.embed(images.to(at::Device(m_loaded.info.device)));
  std::vector<at::Tensor> layers;
  for (int l = 0; l < model.layers(); ++l) {
    throwIfReadingStopped(stop);
    tokens = model.block(l, tokens, nullptr);
    if (l >= model.layers() - m_layers) layers.push_back(ofTokens(tokens));
  }
  return at::cat(layers, 1).contiguous();
}

/// As DINOv2's linear evaluation: class tokens of all layers, the mean of the last alone.
at::Tensor FeatureReader::chosen(const at::Tensor& records) const {
  if (!m_both) return records;
  const std::int64_t half = m_layerWidth / 2;
  const std::int64_t from = m_choice.token == "mean" ? half : 0;
  std::vector<at::Tensor> parts;
  for (std::int64_t l = 0; l < m_layers; ++l)
    parts.push_back(records.slice(1, l * m_layerWidth + from, l * m_layerWidth + from + half));
  if (m_choice.token == "both") parts.push_back(records.slice(1, width() - half, width()));
  return at::cat(parts, 1);
}

}  // namespace headlight
