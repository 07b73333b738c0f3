// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// evolution.bin: the maps, α, predictions and learned tensors of a run at every telemetry point.
//
//   beginning   8 bytes "HLEVOLVE", the format's version (4 bytes), CRC-32C of these 12 (4)
//   records     kind (4 bytes), length (4), CRC-32C of these 8 (4), the content, its CRC-32C (4)
//
// All numbers are little-endian. The first record (kind 1) says what all points share: the length
// of a JSON object, the object, and the PNGs of the images that it lists. Every other (kind 2) is
// a point: the length of a JSON object, the object (step, epoch, als, alpha, top, tensors), and
// behind it, for every layer, the codes and the scales of its maps, those of the rollout, and the
// tensors as half-precision numbers. Kinds that a reader does not know it passes over.
//
// A record that is not whole is the end of a file that grows, or was cut. Where a content does not
// fit its checksum that record is passed over; where the head of one does not, nothing behind it
// can be found. Files of another version are refused.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/files/OpenFolder.h"
#include "core/training/evolution/EvolutionTypes.h"

namespace headlight {

inline constexpr std::uint32_t kEvolutionVersion = 1;
inline constexpr std::uint32_t kBeginningRecord = 1, kPointRecord = 2;

/// The first 16 bytes of a file.
std::string evolutionPreamble();
std::string evolutionRecord(std::uint32_t kind, std::string_view content);

std::string beginningContent(const EvolutionBeginning& beginning);
std::string pointContent(const EvolutionPoint& point);
/// Throw Failure(InvalidFile) for a content that is none, or claims sizes that it does not have.
EvolutionBeginning beginningFrom(std::string_view content);
EvolutionPoint pointFrom(std::string_view content, const EvolutionBeginning& beginning);

/// A record as it lies in a file.
struct EvolutionRecord {
  std::uint32_t kind = 0;
  std::int64_t offset = 0;  ///< of its first byte
  std::int64_t size = 0;    ///< with its head and checksums
  bool damaged = false;     ///< its content does not fit its checksum
  std::string content;
};
/// How a file was read.
struct EvolutionScan {
  std::int64_t end = 0;  ///< behind the last record that is whole
  std::string problem;   ///< why nothing behind `end` can be read; empty: it is only not whole yet
};

/// Gives `take` every whole record of an open file from `offset` (0: the beginning of the file) on,
/// until it says false. Errors: InvalidFile where the file is none of these, UnsupportedFile where
/// it is of another version, Io. A file that is too short to tell has no records.
Result<EvolutionScan> scanEvolution(const FileDescriptor& file, const std::filesystem::path& path,
                                    std::int64_t offset,
                                    const std::function<bool(EvolutionRecord&&)>& take);
/// At most `size` bytes at `offset`; fewer at the end. Throws Failure.
std::string evolutionBytes(const FileDescriptor& file, const std::filesystem::path& path,
                           std::int64_t offset, std::size_t size);

}  // namespace headlight
