// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The inputs of a head's attention and their image on the sphere (Castling-ViT, Fig. 3): queries
// and keys, and what their normalization leaves, whose angles the angular kernel compares. How it
// is drawn: SphereFigure.h. No torch type here.
//
// With the unit vectors u = x/‖x‖ of all n queries and keys of a head as rows of U, the rows of W
// are the eigenvectors of UᵀU/n with the largest eigenvalues: PCA about the origin, as angles are.
// An input is shown at Wx. Its image is W u/‖W u‖, on the circle or the sphere; ‖W u‖², in [0, 1],
// is the share of u that the axes show. A vector of length 0 stays at the origin.

#include <stop_token>
#include <string>
#include <vector>

#include "core/workbench/mechanisms/AngularKernels.h"

namespace headlight {

struct SphereOptions {
  int layer = 0;
  int head = -1;  ///< −1: each head of the layer, on axes of its own
  int dimensions = 2;
  int token = -1;  ///< on the model's grid, whose query and key are marked; −1: none
};

/// Queries or keys of a head, one after the other (windows too).
struct SpherePoints {
  std::vector<double> inputs;  ///< [n × dimensions]: Wx
  std::vector<double> images;  ///< [n × dimensions]: of length 1, or 0
  std::vector<double> shares;  ///< [n]: ‖W u‖²

  int count() const { return static_cast<int>(shares.size()); }
};

struct SphereHead {
  int layer = 0, head = 0, width = 0;
  std::vector<double>
      axes;  ///< [dimensions × width]: W; its entry of largest magnitude is positive
  std::vector<double> axisShares;  ///< [dimensions]: eigenvalues over their sum, falling
  SpherePoints queries, keys;
};

struct SphereTable {
  int dimensions = 2;
  std::vector<SphereHead> heads;
  int token = -1;         ///< the row of the marked query and key; −1: none
  std::string subject;    ///< "layer 3, head 1"
  std::string tokenText;  ///< "patch (4, 7)"; empty: none
  std::string note;       ///< what must be said of them; often empty
};

/// Errors: dimensions other than 2 or 3, or more than a head has; a layer or head that there is
/// not, or that compares nothing; Canceled.
Result<SphereTable> sphereTable(const ImagePairs& pairs, const SphereOptions& options,
                                std::stop_token stop = {});

}  // namespace headlight
