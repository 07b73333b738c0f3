// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/base/MicroBatch.h"

#include <ATen/Functions.h>

#include <utility>

namespace headlight {
namespace {

thread_local MicroBatch seen;

}  // namespace

const MicroBatch& batchPart() {
  return seen;
}

at::Tensor rowsSeen(const at::Tensor& values) {
  if (seen.whole == 0) return values;
  return values.index_select(0, at::tensor(seen.rows, at::kLong).to(values.device()));
}

BatchPartScope::BatchPartScope(MicroBatch part) : m_before(std::exchange(seen, std::move(part))) {}

BatchPartScope::~BatchPartScope() {
  seen = std::move(m_before);
}

}  // namespace headlight
