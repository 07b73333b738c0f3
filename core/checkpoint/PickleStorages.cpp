// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/PickleStorages.h"

#include <ATen/ops/empty.h>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/checkpoint/Refusal.h"
#include "core/checkpoint/TensorBytes.h"

namespace headlight {
namespace {

/// Strided views are copied; together they may take this many times the size of the file.
constexpr std::uint64_t kMaxCopiedFactor = 4;

}  // namespace

at::Tensor PickleStorages::tensor(const std::string& name, const PickleValue& value) {
  const PickleView& view = *value.view;
  const PickleValue& stored = *value.items.front();
  const auto bytes =
      *byteCount(view.sizes, static_cast<std::int64_t>(c10::elementSize(stored.dtype)));
  if (bytes == 0)
    return at::empty(view.sizes, at::TensorOptions().dtype(stored.dtype).device(at::kCPU));
  std::vector<std::int64_t> strides = view.strides;
  for (std::size_t i = 0; i < strides.size(); ++i)
    if (view.sizes[i] == 1) strides[i] = 1;  // never used, and could be anything
  const at::Tensor storage = load(name, stored);
  const at::Tensor strided = storage.as_strided(view.sizes, strides, view.offset);
  if (strided.is_contiguous())
    return storage.narrow(0, view.offset, strided.numel()).view(view.sizes);
  countCopied(name, value);
  return strided.contiguous();
}

void PickleStorages::countCopied(const std::string& name, const PickleValue& value) {
  const PickleView& view = *value.view;
  // A stride of 0 makes terabytes of a few bytes.
  m_copied += static_cast<std::uint64_t>(*byteCount(
      view.sizes, static_cast<std::int64_t>(c10::elementSize(value.items.front()->dtype))));
  if (m_copied / kMaxCopiedFactor > m_source.size())
    refuse(m_source.name(), "tensor " + inQuotes(name) + tr(" of shape ") + shapeText(view.sizes) +
                                tr(" repeats stored values and is far larger than the file; save "
                                   "it again with .contiguous()"));
}

at::Tensor PickleStorages::load(const std::string& name, const PickleValue& stored) {
  at::Tensor& storage = m_storages[stored.text];
  if (!storage.defined()) {
    const StoragePlace place = m_find(stored.text);
    const auto itemBytes = c10::elementSize(stored.dtype);
    if (place.bytes % itemBytes != 0)
      refuse(m_source.name(),
             tr("the storage of tensor ") + inQuotes(name) + " has " + std::to_string(place.bytes) +
                 tr(" bytes, which is not a whole number of elements: the file is damaged"));
    const auto elements = static_cast<std::int64_t>(place.bytes / itemBytes);
    storage = readTensor(m_source, place.offset, {elements}, stored.dtype, name);
    if (place.check) place.check(storage.data_ptr());
  }
  if (storage.scalar_type() != stored.dtype)
    refuse(m_source.name(), tr("the storage of tensor ") + inQuotes(name) +
                                tr(" has two dtypes, which torch.save never writes"));
  return storage;
}

}  // namespace headlight
