// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which heatmaps are faithful to a model, over many images: deletion and insertion of every
// method (Faithfulness.h), their mean and deviation. No torch type here; blocks its caller's
// thread.

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "core/analysis/Rollout.h"
#include "core/workbench/attribution/Faithfulness.h"
#include "core/workbench/evaluation/ImageSource.h"

namespace headlight {

struct StudyOptions {
  ExplanationOptions method =
      {};  ///< the class (−1: each image's predicted one) and the layer (−1: last)
  RolloutOptions rollout = {};
  FaithfulnessOptions removal = {};  ///< its class is not used
};

/// What one image's methods are asked with.
struct StudiedHeatmaps {
  std::vector<AskedHeatmap> heatmaps;
  int classIndex = 0;
  std::vector<std::string> left;  ///< methods that this model has not, and why
};

/// The heatmap of every method that is not of a token, rollout, and the last layer's attention, the
/// mean of its heads (the class token's row, or the mean of the patches').
/// Methods that the mechanism does not have are left out. Errors: as of imageHeatmap(), where no
/// method is left.
Result<StudiedHeatmaps> heatmapsToStudy(InferenceSession& session, const RawImages& image,
                                        const MaskScheme& masks, const StudyOptions& options,
                                        std::stop_token stop = {});

/// Over numbers that came one by one.
struct MeanOfMany {
  double mean = 0;
  double deviation = 0;  ///< standard deviation of a sample; NaN of fewer than two
};

struct StudiedMethod {
  std::string title;
  std::int64_t images = 0;
  MeanOfMany deletion;   ///< the area; small is faithful
  MeanOfMany insertion;  ///< large is faithful
};

struct FaithfulnessStudy {
  std::vector<StudiedMethod> methods;  ///< random order last
  SourceCount fed;
  std::vector<std::string> left;  ///< methods that were left out, and why
};

/// Adds up the tables of images.
class StudySums {
 public:
  void add(const FaithfulnessTable& table);
  std::vector<StudiedMethod> means() const;  ///< in the order of the first table

 private:
  struct Areas {
    std::string title;
    std::vector<double> deletion, insertion;
  };
  void add(const Faithfulness& one);
  std::vector<Areas> m_methods;
};

/// One image after another. `options.removal.seed` is of the first one's random orders: each
/// image has its own. Errors: those of eachSourceImage(), heatmapsToStudy() and faithfulness().
Result<FaithfulnessStudy> studyFaithfulness(InferenceSession& session, const ImageSource& feed,
                                            const MaskScheme& masks,
                                            const StudyOptions& options = {},
                                            const ProgressCallback& progress = {},
                                            std::stop_token stop = {});

/// method,images,deletion_mean,deletion_deviation,insertion_mean,insertion_deviation.
std::string studyCsv(const std::vector<StudiedMethod>& methods);
/// "0.123 ± 0.045"; without a deviation "0.123".
std::string meanText(const MeanOfMany& of);

}  // namespace headlight
