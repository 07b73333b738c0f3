// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/heads/HeadInputs.h"

#include <ATen/ATen.h>

namespace headlight {

HeadInputs HeadInputs::packed(const at::Tensor& qkv, std::int64_t heads) {
  HeadInputs inputs;
  inputs.batch = qkv.size(0);
  inputs.heads = heads;
  inputs.queries = inputs.keys = qkv.size(1);
  inputs.keyWidth = inputs.valueWidth = qkv.size(2) / 3 / heads;
  inputs.m_tensors = {qkv, {}, {}};
  return inputs;
}

HeadInputs HeadInputs::packedByHead(const at::Tensor& qkv, std::int64_t heads,
                                    std::int64_t keyWidth) {
  HeadInputs inputs = packed(qkv, heads);
  inputs.keyWidth = keyWidth;
  inputs.valueWidth = qkv.size(2) / heads - 2 * keyWidth;
  inputs.m_layout = Layout::PackedByHead;
  return inputs;
}

HeadInputs HeadInputs::apart(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  HeadInputs inputs;
  inputs.batch = q.size(0);
  inputs.heads = q.size(1);
  inputs.queries = q.size(2);
  inputs.keys = k.size(2);
  inputs.keyWidth = q.size(3);
  inputs.valueWidth = v.size(3);
  inputs.m_layout = Layout::Apart;
  inputs.m_tensors = {q, k, v};
  return inputs;
}

bool HeadInputs::requiresGrad() const {
  for (std::int64_t i = 0; i < tensorCount(); ++i)
    if (m_tensors[i].requires_grad()) return true;
  return false;
}

HeadInputs HeadInputs::over(const std::array<at::Tensor, 3>& tensors) const {
  HeadInputs inputs = *this;
  inputs.m_tensors = tensors;
  return inputs;
}

HeadInputs HeadInputs::forKernels() const {
  std::array<at::Tensor, 3> tensors;
  for (std::int64_t i = 0; i < tensorCount(); ++i) {
    const at::Tensor& given = m_tensors[i];
    const bool rowsWhole = m_layout == Layout::Apart && given.stride(3) == 1 &&
                           (given.size(2) == 1 || given.stride(2) >= given.size(3));
    tensors[i] = rowsWhole ? given : given.contiguous();
  }
  return over(tensors);
}

HeadInputs HeadInputs::emptyLike() const {
  std::array<at::Tensor, 3> tensors;
  for (std::int64_t i = 0; i < tensorCount(); ++i)
    tensors[i] = at::empty(m_tensors[i].sizes(), m_tensors[i].options());
  return over(tensors);
}

at::Tensor HeadInputs::part(int which) const {
  if (m_layout == Layout::Apart) return m_tensors[which];
  const at::Tensor& all = m_tensors[0];
  if (m_layout == Layout::Packed)
    return all.view({batch, queries, 3, heads, keyWidth}).select(2, which).transpose(1, 2);
  const at::Tensor byHead = all.view({batch, queries, heads, 2 * keyWidth + valueWidth});
  return byHead.narrow(3, which * keyWidth, which == 2 ? valueWidth : keyWidth).transpose(1, 2);
}

}  // namespace headlight
