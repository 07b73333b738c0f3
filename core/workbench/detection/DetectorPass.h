// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A detector run over the images of a truth. No torch type here.

#include <filesystem>
#include <stop_token>
#include <vector>

#include "core/base/Progress.h"
#include "core/data/boxes/BoxResults.h"
#include "core/imaging/codecs/ImageSize.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {

/// Takes images through the model, a few at a time, and keeps what it finds.
class DetectorPass {
 public:
  /// `categories`: of each class of the model, -1 for none. Model, masks and truth must outlive it.
  DetectorPass(InferenceSession& session, const MaskScheme& masks, const BoxTruth& truth,
               std::vector<int> categories);

  /// `files`: of the truth's images, in their order. Best score first within an image. Throws
  /// Failure: an image that cannot be read, NaN, Canceled.
  BoxResults run(const std::vector<std::filesystem::path>& files, const ProgressCallback& progress,
                 std::stop_token stop);

 private:
  struct Waiting {
    int place, width, height;
    ImageSize stored;  ///< as its file has it, where its annotations are of that
  };

  const ModelConfig& model() const { return m_session.info().experiment.model; }
  const BoxImage& imageAt(int place) const;
  /// `stored`: orientation 1 where the annotations are of the upright image.
  void add(int place, const Image& image, const ImageSize& stored);
  void findAll(std::stop_token stop);
  void keep(const Waiting& image, const RawInferenceResult& inference);
  void requireNumbers(const std::vector<float>& values, const Waiting& image) const;
  void addNotes();

  InferenceSession& m_session;
  const MaskScheme& m_masks;
  const BoxTruth& m_truth;
  std::vector<int> m_categories;  ///< of each class of the model
  Preprocessing m_preprocessing;
  RawImages m_batch;
  std::vector<Waiting> m_waiting;  ///< images of the batch
  BoxResults m_results;
  std::int64_t m_cropped = 0, m_otherSize = 0;
};

}  // namespace headlight
