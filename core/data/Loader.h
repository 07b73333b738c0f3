// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Batches in a reproducible order, prepared ahead by threads. What copy c of sample s of epoch e
// looks like is a function of (seed, e, s, c): neither thread count nor where a run was resumed
// changes it.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/data/Augment.h"
#include "core/data/Batches.h"
#include "core/data/Dataset.h"
#include "core/data/augment/Erasing.h"

namespace headlight {

struct ImageTruth {
  int width = 0, height = 0;
  LabeledBoxes boxes;
  ClassImage segments;  ///< empty where the dataset has none
};

struct Batch {
  at::Tensor images;  ///< [B, 3, H, W], float32, normalized
  at::Tensor labels;  ///< [B], int64; 0 where the dataset has boxes or segments
  /// One list for each row, in pixels of `images`, without crowds and boxes of no area; empty where
  /// the dataset has none.
  std::vector<LabeledBoxes> boxes;
  /// [B, H, W], uint8, of `images`: the class of every pixel, kIgnoredClass where unknown (and
  /// padded); undefined where the dataset has none.
  at::Tensor segments;
  std::vector<ImageTruth>
      truth;  ///< of the original images, one for each row; only in batches that are not augmented
  std::vector<std::int64_t> indices;  ///< of the dataset; fewer than B where files were skipped
  std::int64_t number = 0;            ///< of the batch in its epoch, those passed over counted
  // For a batch that several processes compute; of one that is here whole both are empty.
  std::vector<std::int64_t> rows;  ///< of the whole batch, rising: those that are here
  std::int64_t whole = 0;          ///< rows of the whole batch
  std::int64_t sharedCount = 1;    ///< processes that have each row
};

struct LoaderOptions {
  std::int64_t batchSize = 32;
  bool shuffle = true;
  bool dropLast = kTrainingDropsLast;  ///< ignored when the dataset is smaller than one batch
  int threads = 1;                     ///< besides the caller's; 0: prepare in next()
  int batchesAhead = 2;  ///< prepared and not yet taken, at most; never fewer than `threads`
  std::uint64_t seed = 0;
  std::int64_t part = 0, parts = 1;   ///< of every batch: BatchRows.h
  std::int64_t shuffleBuffer = 2000;  ///< of a dataset in shards, at least 1: EpochOrder.h
  std::int64_t repeats = 1;  ///< versions of a sample in an epoch, at least 1: EpochOrder.h
  AugmentOptions augment;
  ErasingOptions erasing;  ///< of the normalized image; none where `augment` is off
  Preprocessing preprocessing;
};

/// Damaged files: skipped, counted and listed (once each); a batch they empty is passed over, but
/// for a part of one.
/// A dataset of which nothing can be read any more (the folder vanished) is an error from next().
class Loader {
 public:
  /// Throws Failure(InvalidArgument) for an empty dataset, a batch size, repeats or buffer below 1,
  /// and a batch size above 1 where the sizes of what is not augmented follow from the images
  /// (Preprocessing::pad).
  Loader(std::shared_ptr<const Dataset> dataset, LoaderOptions options);
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;
  /// Stops and joins the threads; what they prepare is dropped.
  ~Loader();
  std::int64_t batchesPerEpoch() const;
  std::int64_t batchSize() const;
  /// Starts epoch `epoch` at batch `firstBatch` (for resuming).
  void startEpoch(std::int64_t epoch, std::int64_t firstBatch = 0);
  /// The next batch; an empty optional after the last of the epoch. One caller at a time. Errors:
  /// Canceled (the batch is given by the next call), Io (nothing can be read; stays until
  /// startEpoch).
  Result<std::optional<Batch>> next(std::stop_token stop = {});
  /// For the batches taken so far; callable from any thread.
  std::vector<SkippedFile> skipped() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace headlight
