// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How readers of untrusted files say no, and the arithmetic they all check with. Internal.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/Result.h"

namespace headlight {

/// Tensors that one file may hold: many times those of the largest models, few enough that looking
/// at a made-up file takes a moment.
inline constexpr std::size_t kMaxTensors = 65'536;
/// For one tensor.
inline constexpr std::size_t kMaxDimensions = 64;

/// Throws a Failure: what is wrong with the file named `where`, and what to do.
[[noreturn]] void refuse(const std::string& where, const std::string& message,
                         ErrorCode code = ErrorCode::InvalidFile);

/// Text from a file, in quotes, fit for a message: control characters and bytes that are not UTF-8
/// become '?', long text is cut.
std::string inQuotes(std::string_view text);

/// Valid UTF-8 without control characters, at most 1024 bytes: what a tensor may be called.
bool isPlainName(std::string_view text);

/// Bytes of a tensor of `shape` (each ≥ 0, at most 64 of them); nothing if that overflows. Zeros
/// count as ones while overflow is looked for, so that strides can always be computed.
std::optional<std::int64_t> byteCount(std::span<const std::int64_t> shape, std::int64_t itemBytes);

}  // namespace headlight
