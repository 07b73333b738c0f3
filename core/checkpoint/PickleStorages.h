// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The storages that a pickle's tensors lie in, read on demand. Internal.

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <unordered_map>

#include "core/checkpoint/ByteSource.h"
#include "core/checkpoint/Pickle.h"

namespace headlight {

/// Where a storage's bytes are in the file.
struct StoragePlace {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  /// Throws Failure where they are not what was written. Empty: nothing to compare with.
  std::function<void(const void* bytes)> check = {};
};
/// For a key that the pickle names; the pickle machine has checked that there is one.
using FindStorage = std::function<StoragePlace(const std::string& key)>;

/// Reads each storage once, and makes tensors of it.
class PickleStorages {
 public:
  /// `source` must outlive it.
  PickleStorages(const ByteSource& source, FindStorage find)
      : m_source(source), m_find(std::move(find)) {}

  /// `value`: a Tensor. Contiguous; shares the storage where the file's tensor is contiguous in it.
  /// Throws Failure for views that repeat values until they are far larger than the file.
  at::Tensor tensor(const std::string& name, const PickleValue& value);

  /// Only the refusal above, for a tensor that is not read.
  void countCopied(const std::string& name, const PickleValue& value);

 private:
  at::Tensor load(const std::string& name, const PickleValue& stored);

  const ByteSource& m_source;
  FindStorage m_find;
  std::unordered_map<std::string, at::Tensor> m_storages;
  std::uint64_t m_copied = 0;
};

}  // namespace headlight
