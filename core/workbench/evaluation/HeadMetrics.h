// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A number for every head: how local it is, how much it spreads, how far it looks, what it is worth
// and what it learned; of one image, or averaged over images of a dataset. No torch type here.
// All block their caller's thread.

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/imaging/codecs/Image.h"
#include "core/masks/HeadPlace.h"
#include "core/masks/MaskScheme.h"
#include "core/workbench/evaluation/ImageSample.h"
#include "core/workbench/evaluation/ImageSource.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

enum class HeadMetric {
  Locality,              ///< ALS (MaiT Eq. 3)
  Entropy,               ///< of the rows of its map
  Distance,              ///< mean attention distance
  Importance,            ///< exact: one pass a head
  ImportanceFirstOrder,  ///< from gradients: one backward for all heads
  Alpha,                 ///< learned α of a soft mask
  Sink,                  ///< largest share of attention that one token receives
  ValueNorm,             ///< median of ‖v‖
  OutputRank,            ///< effective rank of its outputs
};

/// What a measure is called and what its numbers mean.
struct HeadMeasureInfo {
  HeadMetric measure;
  std::string name;        ///< as typed and stored: "als"
  std::string title;       ///< "attention locality (ALS)"
  std::string unit = {};   ///< "px"; often empty
  std::string larger;      ///< what a larger value means: "more local"
  std::string help;        ///< a sentence or two
  bool isShare = false;    ///< in [0, 1]: a scale of its own makes sense
  bool hasChance = false;  ///< there is a value of heads that look everywhere alike
  bool needsMaps = false;  ///< read off maps: computeHeadValues() computes it from one result
  bool needsOutputs =
      false;  ///< of what heads weigh and give: a pass of the model, no maps of a file
  bool needsLabels = false;  ///< over a dataset, whose classes must then be the model's
  bool isSlow = false;       ///< takes some layers × heads / 2 passes an image
};

/// All, in the order in which programs list them.
const std::vector<HeadMeasureInfo>& headMeasures();
const HeadMeasureInfo& findInfo(HeadMetric measure);
/// Error: InvalidArgument, with the names that there are.
Result<HeadMetric> headMeasureFromName(const std::string& name);

struct HeadValues {
  HeadMetric measure = HeadMetric::Locality;
  std::vector<std::vector<double>> values;  ///< [layer][head]; NaN where a head has none
  std::vector<double> chance;               ///< [layer]: of uniform attention; NaN where none
  /// [layer][head]: standard deviation over images, of a sample; NaN of fewer than two. Empty
  /// where it is not counted: of one image, of importances, of results that were kept before.
  std::vector<std::vector<double>> deviations = {};
  std::int64_t images = 0;    ///< averaged over; 0: α, which no image changes
  std::string note;           ///< how it was taken, where that needs saying; or empty
  std::string measured = {};  ///< when (utcNow()), of values that are kept; else empty
};

/// From an inference result with maps, for metrics that need no more (needsMaps, Alpha): at once
/// and without the session. Errors: InvalidArgument, another measure, or a result without maps.
Result<HeadValues> computeHeadValues(const InferenceResult& inference, const ModelInfo& info,
                                     HeadMetric measure);

/// For one image under `masks`. An importance is of the probability of the class that the model
/// predicts; it works on a copy of the model, so that the session stays free for others. Progress
/// is in layers of an exact importance. Errors: Canceled, a scheme of another shape, no memory.
Result<HeadValues> measureHeadMetrics(InferenceSession& session, const Image& image,
                                      const MaskScheme& masks, HeadMetric measure,
                                      const ProgressCallback& progress = {},
                                      std::stop_token stop = {});

/// For each of `measures`, in their order, averaged over the same images, with the weights that
/// the session has when this begins: on a copy of the model, so that the session stays free. An
/// importance is of the mean loss. Errors: those of opening a dataset,
/// Canceled, a scheme of another shape, classes that do not fit (for an importance), no memory.
Result<std::vector<HeadValues>> measureHeadMetrics(InferenceSession& session,
                                                   const ImageSample& sample,
                                                   const MaskScheme& masks,
                                                   const std::vector<HeadMetric>& measures,
                                                   const ProgressCallback& progress = {},
                                                   std::stop_token stop = {});

/// Averages over images that have no labels.
struct FedHeads {
  std::vector<HeadValues> values;  ///< of each measure, in the order asked for
  SourceCount fed;
};

/// The same over any images: of measures that are read off maps or outputs of heads, and α. Maps
/// alone are read through the session, and have no outputs (NaN, and a note). Errors: those of
/// eachSourceImage(), InvalidArgument for an importance, a scheme of another shape, no memory.
Result<FedHeads> measureHeadMetrics(InferenceSession& session, const ImageSource& feed,
                                    const MaskScheme& masks,
                                    const std::vector<HeadMetric>& measures,
                                    const ProgressCallback& progress = {},
                                    std::stop_token stop = {});

/// A bound on a measure, as people type it: "als<0.2", "importance>=0.01".
struct HeadCondition {
  HeadMetric measure = HeadMetric::Locality;
  enum class Order { Below, AtMost, Above, AtLeast } order = Order::Below;
  double bound = 0;

  bool holds(double value) const;  ///< never of NaN
};
/// Error: InvalidArgument, saying what was expected.
Result<HeadCondition> headConditionFromText(const std::string& text);

/// The heads whose value meets the condition, by layer and head.
std::vector<HeadPlace> headsWhere(const HeadValues& values, const HeadCondition& condition);
/// Every head that has a value, the largest first; equal ones by layer and head.
std::vector<HeadPlace> sortedHeads(const HeadValues& values);

}  // namespace headlight
