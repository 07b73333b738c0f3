#include "ui/forms/IdleFields.h"

#include "core/config/DatasetKinds.h"

namespace headlight {

std::vector<std::string> idleDataFields(const std::string& dataset) {
  if (dataset == kProceduralData) return {"path", "validation_fraction"};
  return {"train_samples", "validation_samples"};
}

}  // namespace headlight
