// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How alike the layers of a model look (MaiT Eq. 4), of one image or averaged over images of a
// dataset. No torch type here. Both doors block their caller's thread.

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/imaging/codecs/Image.h"
#include "core/masks/MaskScheme.h"
#include "core/workbench/evaluation/ImageSample.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

/// Cosines of maps, averaged over tokens (and images): in [0, 1], of signed maps in [−1, 1].
struct LayerSimilarity {
  int layers = 0;
  /// [1 + heads][layers × layers], row-major: the mean over the heads that both layers have, then
  /// every head of the layer that has most. 0 where one of the layers lacks the head; NaN where
  /// they lie on different grids and cannot be compared.
  std::vector<std::vector<double>> values;
  std::int64_t images = 0;    ///< averaged over
  bool isSigned = false;      ///< the maps, and so the cosines
  std::string measured = {};  ///< when (utcNow()), of a result that is kept; else empty

  int heads() const { return static_cast<int>(values.size()) - 1; }
  /// For one head, or the mean over heads (−1).
  const std::vector<double>& of(int head) const {
    return values[static_cast<std::size_t>(head) + 1];
  }
};

/// For one image under `masks`. Errors: Canceled, a scheme of another shape, no memory.
Result<LayerSimilarity> measureSimilarity(InferenceSession& session, const Image& image,
                                          const MaskScheme& masks, std::stop_token stop = {});

/// The mean over images of what each of them alone gives, summed in double in their order, with
/// the weights that the session has when this begins: on a copy of the model, so that the session
/// stays free. Maps of at most 256 MB are held at once, and of one image whatever it takes.
/// Progress is in images. Errors: those of opening a dataset, Canceled, a scheme of another
/// shape, no memory.
Result<LayerSimilarity> measureSimilarity(InferenceSession& session, const ImageSample& sample,
                                          const MaskScheme& masks,
                                          const ProgressCallback& progress = {},
                                          std::stop_token stop = {});

/// head,layer,other,similarity: a line for every pair, of all heads ("mean" first) or of `head`
/// (−1: the mean) alone; nothing where two layers cannot be compared.
std::string similarityCsv(const LayerSimilarity& similarity);
std::string similarityCsv(const LayerSimilarity& similarity, int head);

}  // namespace headlight
