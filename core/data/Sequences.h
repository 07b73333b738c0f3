// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Sequences of bytes to learn from: images by row, column and color (R, G, B), as in Zhai et al.
// 2021, §5.1, and pieces of a file (§5.2). Immutable after opening; safe to read from several
// threads.

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/Result.h"
#include "core/config/SequenceExperiment.h"
#include "core/data/Dataset.h"

namespace headlight {

/// Larger files of text are refused: they are held in memory.
inline constexpr std::uintmax_t kMaxTextBytes = std::uintmax_t{2} << 30;

using ByteSequence = std::vector<std::uint8_t>;

class SequenceSource {
 public:
  virtual ~SequenceSource() = default;
  /// How many there are to evaluate on; at least 1.
  virtual std::int64_t size() const = 0;
  /// The `index`-th, to evaluate on: of images T bytes; of a file at most T, the pieces standing
  /// one after the other. An error concerns this one alone (a damaged image).
  virtual Result<ByteSequence> at(std::int64_t index) const = 0;
  /// The `draw`-th of a training from `seed`: T bytes, a function of its arguments alone. Images
  /// come in another order every epoch, augmented where that is asked for; pieces of a file begin
  /// anywhere. Images that cannot be read are passed over, with a warning for each of the first;
  /// an error where none can.
  virtual Result<ByteSequence> draw(std::uint64_t seed, std::int64_t draw) const = 0;
  /// As Dataset::stamp.
  virtual std::string stamp() const { return ""; }
};

/// Opens one split of the experiment's data. Errors: those of the dataset; of a file: NotFound, one
/// that is too short for its splits (it says how many bytes are needed) or too large; Test of
/// images. `measuredWhole`: as DatasetSpec's, of images.
Result<std::shared_ptr<const SequenceSource>> openSequences(const SequenceExperiment& experiment,
                                                            SequenceSplit split,
                                                            bool measuredWhole = false);

/// What a model sees of an image: its center square, resized to size × size.
Image sequenceView(const Image& image, int size);
/// Row after row, pixel after pixel, R, G, B.
ByteSequence bytesOf(const Image& view);
/// The image back. Throws Failure(InvalidArgument) for other than size · size · 3 bytes.
Image imageOf(const ByteSequence& bytes, int size);

}  // namespace headlight
