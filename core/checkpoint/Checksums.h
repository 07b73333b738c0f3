#pragma once
// CRC-32 of every tensor and of the metadata of a safetensors file, kept in its metadata, so that a
// bit that flipped on a disk or on the way is noticed. No protection against those who mean harm.
// Internal.

#include <map>
#include <string>

#include "core/checkpoint/Checkpoint.h"

namespace headlight {

/// The key of the metadata that holds them; it is added when a file is written and taken away when
/// it is read.
inline constexpr const char* kChecksumsKey = "checksums";

/// JSON: {"metadata": "1c291ca3", "tensors": {"head.weight": "cbf43926", …}}.
std::string checksumsOf(const NamedTensors& tensors,
                        const std::map<std::string, std::string>& metadata);

/// Compares with what the file says of itself, if it does, and takes the key out of its metadata.
/// Throws Failure(InvalidFile) that names what was changed.
void verifyChecksums(Checkpoint& checkpoint, const std::string& where);

}  // namespace headlight
