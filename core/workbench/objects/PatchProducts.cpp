// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/objects/PatchProducts.h"

#include <ATen/ATen.h>

namespace headlight {
namespace {

constexpr double kLeastLength = 1e-12;

at::Tensor rowsOfUnitLength(const at::Tensor& rows) {
  return rows / rows.square().sum(1, /*keepdim=*/true).sqrt().clamp_min(kLeastLength);
}

}  // namespace

PatchProducts::PatchProducts(const PatchFeatures& features, bool cosines)
    : m_patches(features.patches()) {
  const at::NoGradGuard noGrad;
  at::Tensor rows = at::from_blob(const_cast<double*>(features.values.data()),
                                  {m_patches, features.width}, at::kDouble);
  if (cosines) rows = rowsOfUnitLength(rows);
  const at::Tensor products = rows.mm(rows.t());
  const at::Tensor both = ((products + products.t()) / 2).contiguous();
  m_values.assign(both.data_ptr<double>(), both.data_ptr<double>() + both.numel());
}

}  // namespace headlight
