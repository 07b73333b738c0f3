// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/adapt/LinearHead.h"

#include "core/base/Translation.h"
#include "core/models/Registry.h"
#include "core/workbench/loading/ModelInfo.h"

namespace headlight {

bool isTeachable(const ModelInfo& info) {
  const ModelConfig& model = info.experiment.model;
  return taskOf(model) == Task::Classify && model.layout.value("object_classes", 0) == 0;
}

std::string whyHeadStaysApart(const LinearHead& head) {
  if (head.layers == 1) return {};
  return tr("reads ") + std::to_string(head.layers) +
         tr(" blocks, and a model's classifier reads the last one; fit it with layers 1 to use or "
            "save it");
}

}  // namespace headlight
