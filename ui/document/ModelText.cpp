// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/ModelText.h"

#include "core/workbench/loading/ModelInfo.h"
#include "core/workbench/loading/WeightsName.h"
#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"

namespace headlight {

QString weightsName(const ModelInfo& model) {
  if (model.weightsName.empty()) return weightsName(model.weights);
  return displayName(coreText(model.weightsName));
}

QString weightsName(const std::filesystem::path& weights) {
  return displayName(coreText(makeWeightsName(weights)));
}

QString modelTitle(const ModelInfo& model) {
  return displayName(coreText(makeModelTitle(model)));
}

QString modelTitle(const ModelInfo& model, const QString& weights) {
  return displayName(coreText(makeModelTitle(model, weights.toStdString())));
}

}  // namespace headlight
