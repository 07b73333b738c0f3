// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Stands in for LibTorch's own header.

#include <c10/util/Exception.h>

#define C10_CUDA_CHECK(expression) TORCH_CHECK((expression) == cudaSuccess, "CUDA error")
