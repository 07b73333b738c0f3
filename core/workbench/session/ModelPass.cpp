// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/ModelPass.h"

#include <ATen/ATen.h>

#include "core/base/Translation.h"

namespace headlight {

void throwIfPassStopped(const std::stop_token& stop) {
  if (stop.stop_requested())
    throw Failure({ErrorCode::Canceled, tr("replaced by a newer request"), ""});
}

at::Tensor modelInput(const ModelInfo& info, const RawImages& image) {
  const ModelConfig& config = info.experiment.model;
  requireAttention(info);
  if (image.count != 1 || !takesSize(config, image.height, image.width))
    throw Failure({ErrorCode::InvalidArgument,
                   tr("takes one image of ") + std::to_string(config.imageHeightPixels()) + " x " +
                       std::to_string(config.imageWidthPixels()) + tr(" (height x width)"),
                   "input"});
  return at::from_blob(const_cast<float*>(image.values.data()), {1, 3, image.height, image.width},
                       at::kFloat)
      .to(at::Device(info.device));
}

int layerOrLast(int layer, int layers) {
  if (layer < -1 || layer >= layers)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("no layer ") + std::to_string(layer) + tr("; the model has ") +
                       std::to_string(layers) + tr(", counted from 0"),
                   "layer"});
  return layer < 0 ? layers - 1 : layer;
}

std::vector<float> plainValues(const at::Tensor& tensor) {
  const at::Tensor host = tensor.to(at::kCPU, at::kFloat).contiguous();
  return {host.data_ptr<float>(), host.data_ptr<float>() + host.numel()};
}

PassSteps::PassSteps(std::string stage, const ProgressCallback& progress, std::stop_token stop,
                     std::int64_t total)
    : m_stage(std::move(stage)), m_progress(progress), m_stop(std::move(stop)), m_total(total) {
  m_remaining.start(0);
}

void PassSteps::operator()() {
  throwIfPassStopped(m_stop);
  ++m_done;
  if (m_progress)
    m_progress({m_stage, m_done, m_total, m_remaining.secondsRemaining(m_done, m_total)});
}

}  // namespace headlight
