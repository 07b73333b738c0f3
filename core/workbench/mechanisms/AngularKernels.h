// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The angular kernel of Castling-ViT (You et al. 2023, Eq. 4 to 8), its linear terms and what they
// leave, beside the other kernels of its Table 5; and the angles between the queries and keys of an
// image, in any model that compares some. How they are drawn: AngularFigure.h. No torch type
// here.

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {

/// Eq. 5, 1 − θ/π: in [0, 1] for an angle θ in [0, π].
double angularKernel(double angle);
/// The linear terms of Eq. 8, ½ + cos θ/π. In attention as the authors released it the ½ is of a
/// token's own value alone.
double angularLinear(double angle);
/// What the linear terms leave: angularKernel − angularLinear.
double angularResidual(double angle);
/// The linear terms and the first `terms` of the sum of Eq. 8: (cos θ)^(2k+1) times
/// c(k)/π for k = 1, …, terms, where c(k) = (2k)!/(2^(2k) (k!)² (2k + 1)), as in arcsin's series.
double angularPartial(double angle, int terms);

/// A kernel that the explorer shows.
struct KernelInfo {
  std::string name;      ///< as the mechanism's option has it: "relu_e"
  std::string title;     ///< "ReLU-E"
  std::string help;      ///< what it makes of a query and a key, in a sentence
  bool ofAngle = false;  ///< of the angle alone; the others are measured on an image's pairs
};
/// Those of Table 5 in its mechanism's order, then "attention": the softmax of q·k/√d itself.
const std::vector<KernelInfo>& shownKernels();

/// Queries and keys of one layer for one image. Within windows (`groups` of them) or of pooled
/// tokens, `tokens` is false: then no query is one token of the grid that looks at all others.
struct LayerPairs {
  int layer = 0;
  int groups = 1, heads = 0, queries = 0, keys = 0, width = 0;
  Grid grid;                ///< of the layer's tokens
  bool tokens = true;       ///< a query and a key a token of the grid, one group
  std::vector<float> q, k;  ///< [groups, heads, queries, width], [groups, heads, keys, width]
};

struct ImagePairs {
  std::vector<LayerPairs> layers;  ///< those that compare queries and keys
  Grid grid;                       ///< the model's
  int modelLayers = 0;
  std::string note;  ///< what must be said of them; often empty
};

/// What the attention of every layer compares, behind its norms, pooling and rotary positions. One
/// pass. Errors: a mechanism that compares nothing (AFT), an image of another size, Canceled, a
/// scheme of another shape.
Result<ImagePairs> loadPairs(InferenceSession& session, const RawImages& image,
                             const MaskScheme& masks, const ProgressCallback& progress = {},
                             std::stop_token stop = {});

struct AngleOptions {
  int layer = -1;  ///< −1: all
  int head = -1;   ///< −1: all
  int token = -1;  ///< on the model's grid, whose keys are shown separately; −1: none
  int bins = 90;   ///< of [0, π], 4 to 3600
};

/// A kernel's value by the angle of the pair.
struct KernelBins {
  std::string name;
  std::vector<double> mean, deviation;  ///< one a bin; NaN where it has less than 5 pairs
};

/// What is read off the pairs that were asked for.
struct AngleTable {
  std::int64_t pairs = 0;
  double mean = 0, deviation = 0;   ///< of the angle, radians
  std::vector<double> share;        ///< of the pairs, one a bin; sums to 1
  std::vector<double> tokenShare;   ///< of the pairs of that token; empty: none
  std::vector<double> tokenAngles;  ///< radians: of each of its keys, by layer, head and key
  std::vector<KernelBins> kernels;  ///< those of shownKernels() that are not of the angle alone
  std::string subject;              ///< "layer 3, head 1", "all layers and heads"
  std::string tokenText;            ///< "patch (4, 7)"; empty: none
  std::string note;                 ///< what must be said of the pairs; often empty
  std::string tokenNote;            ///< why not every layer has keys of that token; often empty

  int bins() const { return static_cast<int>(share.size()); }
  double binAngle(int bin) const;  ///< of its middle, radians
};

/// Errors: a layer or head that there is not, or that compares nothing; bins out of range;
/// Canceled. A token that the layer does not have, or whose keys lie in windows, is noted.
Result<AngleTable> angleTable(const ImagePairs& pairs, const AngleOptions& options,
                              std::stop_token stop = {});
/// The same table with another token's keys told apart, which takes no time: `table` is of these
/// pairs and of these options but for the token.
Result<AngleTable> withToken(AngleTable table, const ImagePairs& pairs,
                             const AngleOptions& options);

}  // namespace headlight
