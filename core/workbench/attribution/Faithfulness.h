// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How faithful a heatmap is to the model (Petsiuk, Das & Saenko 2018, "RISE", §4.3): patches are
// taken from the image in falling order of their value (deletion), or put into an empty one in
// that order (insertion), and the probability of a class is watched. Any heatmap can be asked;
// random order stands beside it. No torch type here; blocks its caller's thread, but not the
// session: it works on a copy of the model.

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/workbench/attribution/Explanations.h"

namespace headlight {

struct FaithfulnessOptions {
  int classIndex = -1;     ///< −1: the predicted one
  int steps = 32;          ///< in which all patches go, at most; 0: patch by patch
  int randomOrders = 4;    ///< that are averaged
  std::uint64_t seed = 0;  ///< of random orders
};

/// A class's probability by the share of patches that are gone, or there.
struct FaithfulnessCurve {
  std::vector<double> probability;  ///< [steps + 1]
  double area = 0;                  ///< under it, by trapezia, in [0, 1]
};

struct Faithfulness {
  std::string title;            ///< of the heatmap, as the caller named it
  std::vector<double> shares;   ///< [steps + 1]: of patches, from 0 to 1
  FaithfulnessCurve deletion;   ///< a faithful map has a small area
  FaithfulnessCurve insertion;  ///< a faithful map has a large area
};

struct FaithfulnessTable {
  int classIndex = 0;
  std::string className;
  std::vector<Faithfulness> methods;  ///< in the order of the heatmaps
  Faithfulness random;                ///< the mean over random orders of the first's patches
};

/// A heatmap to be asked: values [rows × cols], each of its patches standing for a rectangle of the
/// image.
struct AskedHeatmap {
  std::string title;
  std::vector<float> values;
  Grid grid;
};

/// A patch's pixels are set to the model's mean color (0 after normalization). Equal values go in
/// the order of their patches; NaN comes last. Errors: no heatmaps; a heatmap of another size than
/// its grid; a grid that is finer than the image; as of imageHeatmap().
Result<FaithfulnessTable> faithfulness(InferenceSession& session, const RawImages& image,
                                       const MaskScheme& masks,
                                       const std::vector<AskedHeatmap>& heatmaps,
                                       const FaithfulnessOptions& options = {},
                                       const ProgressCallback& progress = {},
                                       std::stop_token stop = {});

/// method,curve,share,probability: a line for every point, the area as share "area"; random last.
std::string faithfulnessCsv(const FaithfulnessTable& table);

}  // namespace headlight
