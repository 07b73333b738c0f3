// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A trained sequence model: how well it predicts, where it looks, completing images, continuing
// text. No torch type here. Core blocks; the caller owns the thread. Calls from several threads are
// serialized.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/config/SequenceExperiment.h"
#include "core/imaging/codecs/Image.h"
#include "core/training/sequence/SequenceTypes.h"
#include "core/workbench/sequences/SequenceMaps.h"

namespace headlight {

class SequenceSession {
 public:
  /// Opens the folder of a run (its best weights, else its last), or weights of one. `device`:
  /// "auto", "cpu", "cuda:N"; `threads`: 0 as many as cores. Errors: NotFound, InvalidFile for
  /// weights whose shapes are not those of their config, UnsupportedFile for a file of another
  /// kind, which says what it is (an image classifier's).
  static Result<std::shared_ptr<SequenceSession>> open(
      const std::filesystem::path& runFolderOrWeights, const std::string& device = "auto",
      int threads = 0);
  ~SequenceSession();

  /// As recorded; setData() changes what evaluate() reads.
  const SequenceExperiment& experiment() const;
  const std::filesystem::path& weights() const;  ///< the file that was read
  std::int64_t parameters() const;

  /// Other data of the same kind to evaluate on. Errors: another kind or size of images.
  Result<void> setData(const SequenceDataConfig& data);

  /// `samples`: at most so many sequences, spread evenly over the split; 0: all. Errors: Canceled,
  /// those of the data, SequenceSplit::Test of images.
  Result<SequenceScore> evaluate(SequenceSplit split, std::int64_t samples,
                                 const ProgressCallback& progress = {},
                                 std::stop_token stop = {}) const;

  /// What the model sees of an image: the center square, resized to its image size.
  Result<Image> view(const Image& image) const;

  /// Draws the lower rows of view(image) from the model, byte after byte, `samples` times (Fig.
  /// 4). `keptFraction` in [0, 1] of the rows, from the top, stay byte for byte (keptRows());
  /// `samples` from 1 to 64; `temperature` in [0, 10] divides the logits, 0 takes the most probable
  /// byte. The same seed gives the same images on the same machine and number of threads. Errors:
  /// Canceled, InvalidArgument (also of a model of text).
  Result<std::vector<Image>> complete(const Image& image, double keptFraction, int samples,
                                      double temperature, std::uint64_t seed,
                                      const ProgressCallback& progress = {},
                                      std::stop_token stop = {}) const;

  /// Where layer `layer` (from 0) looks in the whole of view(image), or in the last T bytes of a
  /// text. Errors: InvalidArgument, also for a sequence of more than kMostMapRows bytes and for a
  /// model of the other kind.
  Result<SequenceMaps> infer(const Image& image, int layer) const;
  Result<SequenceMaps> infer(const std::string& text, int layer) const;

  /// Continues `prompt`, which may be empty, by `bytes` bytes (1 to 1,000,000) and returns them
  /// alone: bytes, not always valid UTF-8. The model sees at most T bytes; where they are full it
  /// goes on from the last half of them. `onBytes` is given them as they come. Errors as
  /// complete(); Canceled keeps nothing but what onBytes was given.
  Result<std::string> continueText(const std::string& prompt, std::int64_t bytes,
                                   double temperature, std::uint64_t seed,
                                   const std::function<void(const std::string&)>& onBytes = {},
                                   std::stop_token stop = {}) const;

 private:
  SequenceSession();
  struct State;
  std::unique_ptr<State> m_state;
};

/// Rows that stay of an image of `rows`: the fraction of them, rounded to the nearest.
int keptRows(int rows, double keptFraction);

}  // namespace headlight
