#pragma once
// Opening a model from whatever describes it. Torch types: core only.

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/Checkpoint.h"
#include "core/models/Model.h"
#include "core/workbench/InferenceSession.h"

namespace headlight {

struct LoadedModel {
  std::shared_ptr<Model> model;  ///< in evaluation mode, on `device`
  ModelInfo info;
};

/// Throws Failure.
LoadedModel loadModel(const ModelSource& source);
/// Random weights from the experiment's seed.
LoadedModel buildModel(const Experiment& experiment, const std::string& device);

/// What `checkpoint` would do to `model`.
LoadPlan planFor(const Model& model, const Checkpoint& checkpoint);

/// Runs `body` with the session's model while nobody else uses it (see RawTensors.h).
void withModel(InferenceSession& session, const std::function<void(Model&)>& body);

/// The shape of a ViT read off the names and shapes of its tensors (a .pth says nothing else), or
/// off timm's own description in the metadata. `notes` says what had to be assumed. Throws Failure
/// where the tensors are not a ViT's.
ModelConfig inferModel(const Checkpoint& checkpoint, std::vector<std::string>& notes);

}  // namespace headlight
