// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/base/FusedHeads.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/base/QueryKeyCapture.h"

namespace headlight {

FusedHeads fusedHeads(const at::Tensor& qkv, std::int64_t heads) {
  const std::int64_t each = qkv.size(2) / (3 * heads);
  const at::Tensor parts =
      inFloat32(qkv).view({qkv.size(0), qkv.size(1), 3, heads, each}).permute({2, 0, 3, 1, 4});
  FusedHeads all{parts[0], parts[1], parts[2]};
  if (QueryKeyHook::wanted()) QueryKeyHook::notify(all.query, all.key);
  return all;
}

at::Tensor headsBesideEachOther(const at::Tensor& heads) {
  return heads.transpose(1, 2).reshape(
      {heads.size(0), heads.size(2), heads.size(1) * heads.size(3)});
}

}  // namespace headlight
