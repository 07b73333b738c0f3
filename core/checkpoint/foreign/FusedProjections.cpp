// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/foreign/FusedProjections.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/base/Translation.h"
#include "core/checkpoint/Refusal.h"

namespace headlight {
namespace {

const std::string kBias = ".qkv.bias";

at::Tensor firstOf(const std::array<at::Tensor, 3>& parts) {
  for (const at::Tensor& part : parts)
    if (part.defined()) return part;
  return {};
}

void requireAlike(const std::string& name, const std::array<at::Tensor, 3>& parts,
                  std::int64_t dimensions) {
  const at::Tensor first = firstOf(parts);
  for (const at::Tensor& part : parts) {
    if (!part.defined() && dimensions == 1) continue;
    const bool fits = part.defined() && part.dim() == dimensions && part.sizes() == first.sizes() &&
                      part.scalar_type() == first.scalar_type();
    if (!fits)
      refuse(name, tr("cannot be put together: its queries, keys and values differ in shape or are "
                      "not all in the file; download it again"));
  }
}

at::Tensor fused(const std::array<at::Tensor, 3>& parts) {
  const at::Tensor first = firstOf(parts);
  std::vector<at::Tensor> whole;
  for (const at::Tensor& part : parts)
    whole.push_back(part.defined() ? part : at::zeros_like(first));
  return at::cat(whole, 0);
}

}  // namespace

void FusedProjections::add(const std::string& name, int part, const at::Tensor& tensor) {
  at::Tensor& place = m_parts[name][static_cast<std::size_t>(part)];
  if (place.defined()) refuse(name, tr("is in the file twice; download it again"));
  place = tensor;
}

bool FusedProjections::keysLackBias() const {
  bool any = false, keys = false;
  for (const auto& [name, parts] : m_parts)
    if (name.ends_with(kBias)) {
      any = true;
      keys = keys || parts[1].defined();
    }
  return any && !keys;
}

void FusedProjections::appendBias(const std::string& name, const Parts& parts,
                                  NamedTensors& tensors) const {
  const std::string before = name.substr(0, name.size() - kBias.size() + 1);
  const at::Tensor zeros = at::zeros_like(firstOf(parts));
  tensors.emplace_back(before + "q_bias", parts[0].defined() ? parts[0] : zeros);
  tensors.emplace_back(before + "v_bias", parts[2].defined() ? parts[2] : zeros);
}

void FusedProjections::appendTo(NamedTensors& tensors) const {
  const bool apart = keysLackBias();
  for (const auto& [name, parts] : m_parts) {
    const bool bias = name.ends_with(kBias);
    requireAlike(name, parts, bias ? 1 : 2);
    if (bias && apart)
      appendBias(name, parts, tensors);
    else
      tensors.emplace_back(name, fused(parts));
  }
}

}  // namespace headlight
