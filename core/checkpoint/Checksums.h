// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// CRC-32 of every tensor and of the metadata of a safetensors file, kept in its metadata, so that a
// bit that flipped on a disk or on the way is noticed. No protection against those who mean harm.
// Internal.

#include <map>
#include <string>

#include "core/checkpoint/Checkpoint.h"

namespace headlight {

/// The key of the metadata that holds them; it is added when a run writes a file and taken away
/// when one is read.
inline constexpr const char* kChecksumsKey = "checksums";

/// JSON: {"metadata": "1c291ca3", "tensors": {"head.weight": "cbf43926", …}}.
std::string computeChecksums(const NamedTensors& tensors,
                             const std::map<std::string, std::string>& metadata);

/// What is compared with what a file says of itself, if it does.
enum class Checked {
  Values,     ///< the numbers of tensors that are listed: names and metadata are anybody's to edit
  Everything  ///< also which tensors there are, and the metadata
};
/// Compares, and takes the key out of the metadata. Throws Failure(InvalidFile) that names what was
/// changed.
void verifyChecksums(Checkpoint& checkpoint, const std::string& where, Checked checked);

}  // namespace headlight
