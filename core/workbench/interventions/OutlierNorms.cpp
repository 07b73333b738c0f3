// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/interventions/OutlierNorms.h"

#include <ATen/ATen.h>

#include "core/base/Translation.h"
#include "core/workbench/session/ModelPass.h"

namespace headlight {

void addOutlierNorms(OutlierLayer& layer, const at::Tensor& tokens, double factor) {
  const at::Tensor norms = tokens[0].to(at::kDouble).norm(2, {-1});
  layer.norms = plainValues(norms);
  const at::Tensor patches = norms.slice(0, layer.grid.prefix);
  layer.median = patches.median().item<double>();
  for (int i = layer.grid.prefix; i < static_cast<int>(layer.norms.size()); ++i)
    if (layer.norms[static_cast<std::size_t>(i)] > factor * layer.median)
      layer.outliers.push_back(i - layer.grid.prefix);
}

void requireOutlierFactor(double factor) {
  if (factor > 1) return;  // not of NaN
  throw Failure({ErrorCode::InvalidArgument, tr("must be greater than 1"), "outlier factor"});
}

}  // namespace headlight
