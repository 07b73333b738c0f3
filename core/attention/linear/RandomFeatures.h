// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Positive orthogonal random features of the softmax kernel (FAVOR+, Choromanski et al. 2021, §2.3
// and 2.4): E[φ(q)·φ(k)] = exp(q·k/√d) with
//   φ(x) = exp(ω·x' − ‖x'‖²/2) / √m for each of m vectors ω,  x' = x/d^¼.
// Vectors are a function of seed, layer and number of the draw alone, so that none are saved.

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace headlight {

/// m: `wanted`, or where that is 0 d·ln d, rounded down; at least 1.
std::int64_t randomFeatureCount(std::int64_t wanted, std::int64_t headWidth);

/// [count, width] double: each block of `width` rows is orthogonal, of a length that a normal
/// vector of so many values has.
at::Tensor orthogonalVectors(std::int64_t count, std::int64_t width, std::uint64_t key);

/// ω·x' − ‖x'‖²/2 of x [.., d] and vectors [m, d]: [.., m].
at::Tensor featureExponents(const at::Tensor& x, const at::Tensor& vectors);

class RandomFeatures {
 public:
  struct Options {
    std::int64_t count = 1, width = 1;
    int seed = 0, layer = 0;
    /// How often the vectors are drawn anew over a training, evenly; 0: never.
    int redraws = 0;
  };
  explicit RandomFeatures(const Options& options) : m_options(options), m_draw(options.redraws) {}

  std::int64_t count() const { return m_options.count; }
  /// Which draw it is, from 0. Until told of a training, the last.
  int draw() const { return m_draw; }
  /// `fraction` of the training steps is done.
  void setProgress(double fraction);
  /// [m, d] in the dtype and on the device of `like`; drawn when they are first asked for.
  const at::Tensor& vectors(const at::Tensor& like);

 private:
  Options m_options;
  int m_draw;
  at::Tensor m_drawn;    ///< double, CPU; undefined until asked for
  at::Tensor m_vectors;  ///< as asked for last
};

}  // namespace headlight
