// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/ModelCopy.h"
#include "core/workbench/session/ModelAccess.h"

#include "core/workbench/loading/LearnedAlphas.h"

namespace headlight {
namespace {

void copyInto(Model& copy, const Model& model, const std::string& device) {
  const std::vector<LearnedAlpha> learned = model.learnedAlphas();
  copy.setMasks(model.masks());
  copy.setLearnedAlphas(learned);  // so that their parameters exist
  Checkpoint checkpoint;
  for (const auto& [name, tensor] : model.state())
    checkpoint.tensors.emplace_back(name, tensor.detach().to(at::kCPU));
  applyWeights(copy, planFor(copy, checkpoint), learned);
  copy.setProgress(model.progress());
  copy.to(at::Device(device));
  copy.eval();
}

}  // namespace

LoadedModel copyModel(InferenceSession& session) {
  LoadedModel copy;
  withModel(session, [&](Model& model) {
    copy.info = session.info();
    copy.model = makeModel(model.config(), 0);
    copyInto(*copy.model, model, copy.info.device);
  });
  return copy;
}

}  // namespace headlight
