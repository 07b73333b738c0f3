// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the kernels are given in a self-test, and what they and their plain forms make of it.

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/masks/Grid.h"

namespace headlight {

/// Where and how a case is computed.
struct KernelSide {
  at::Device device;
  at::ScalarType type;
  bool plain;  ///< by LibTorch's own operations

  at::TensorOptions options() const { return at::TensorOptions(device).dtype(type); }
};

/// What comes out of a forward pass, and the gradients of what went in.
struct KernelOutcome {
  std::vector<at::Tensor> forward, backward;
};

/// A depthwise convolution: maps [images, channels, rows, cols], square filters of odd `side`.
struct ConvolutionCase {
  std::int64_t images, channels, rows, cols, side, stride;
};
std::vector<ConvolutionCase> convolutionCases();
KernelOutcome convolutionOutcome(const ConvolutionCase& given, const KernelSide& side);

/// Masked heads (MaiT, Eq. 2) in linear time: hard, strict and random masks, two images.
struct HeadsCase {
  Grid grid;
  int headWidth;
  std::vector<std::string> masks;  ///< one a head
};
std::vector<HeadsCase> headsCases();
KernelOutcome headsOutcome(const HeadsCase& given, const KernelSide& side);

/// Multi-scale deformable attention: 2 images, 9 queries, 3 heads; places reach up to two cells
/// beyond every edge.
struct SamplesCase {
  std::vector<Grid> grids;
  std::int64_t points, width;
};
std::vector<SamplesCase> samplesCases();
KernelOutcome samplesOutcome(const SamplesCase& given, const KernelSide& side);

/// By what the device computes them: "CUDA kernels", "fused linear-time (CPU)".
std::string convolutionKernel(const at::Device& device);
std::string headsKernel(const at::Device& device);
std::string samplesKernel(const at::Device& device);

}  // namespace headlight
