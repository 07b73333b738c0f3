// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A safetensors file whose header is read and checked, and whose tensors are read when they are
// asked for, whole or an item of their first dimension at a time. Throws Failure. Internal.

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/checkpoint/ByteSource.h"
#include "core/checkpoint/SafetensorsHeader.h"

namespace headlight {

/// A file's header, and where its data begins.
struct OpenedSafetensors {
  SafetensorsHeader header;
  std::uint64_t dataBegin = 0;
};
/// Checked as the format asks. Throws Failure.
OpenedSafetensors openSafetensors(const ByteSource& source);

class SafetensorsFile {
 public:
  /// Errors: those of readSafetensors, but for checksums, which are of runs' folders.
  static SafetensorsFile open(const std::filesystem::path& path);

  const std::string& name() const { return m_source->name(); }
  const SafetensorsHeader& header() const { return m_opened.header; }
  /// Null where there is none of that name.
  const SafetensorsEntry* find(const std::string& tensor) const;

  at::Tensor read(const SafetensorsEntry& entry) const;
  /// Item `index` of the first dimension: of [B, H, T, T] the maps [H, T, T] of one image.
  at::Tensor readItem(const SafetensorsEntry& entry, std::int64_t index) const;
  /// The numbers at `place` of the first dimensions: of [B, H, T, T] at {b, h} one map [T, T].
  at::Tensor readAt(const SafetensorsEntry& entry, const std::vector<std::int64_t>& place) const;

 private:
  std::shared_ptr<const ByteSource> m_source;
  OpenedSafetensors m_opened;
};

}  // namespace headlight
