// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What computes: threads and libraries.

#include <string>
#include <vector>

namespace headlight {

/// What LibTorch runs on, for the status bar: threads, BLAS, CUDA device.
std::string computeDescription();
/// The libraries that compute, as --version lists them: "LibTorch 1.13.0", "BLAS: OpenBLAS 0.3.21
/// …", "CUDA 12.1" or "CUDA: none".
std::vector<std::string> libraryVersions();
/// Sets LibTorch's threads (0: as many as cores; at most eight for each core, which is said) and
/// warns once about the reference BLAS.
void configureCompute(int threads);

}  // namespace headlight
