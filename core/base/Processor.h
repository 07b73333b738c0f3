// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What has to be set up on the processor before anything is computed.

#include <string>

namespace headlight {

struct VectorUnits {
  bool avx2 = false;    ///< with FMA
  bool avx512 = false;  ///< F, DQ, BW, VL and CD
};

/// What OPENBLAS_CORETYPE should say where OpenBLAS chose `chosen` ("Prescott") by itself; empty
/// where that fits.
std::string fittingBlasCore(const std::string& chosen, const VectorUnits& units);

/// The kernels that OpenBLAS runs ("SkylakeX"); empty where the program has another BLAS.
std::string blasCore();

/// Whether it multiplies matrices in bfloat16 by instructions of its own (AVX512-BF16; every one
/// with AMX has that too).
bool hasBfloat16Products();

/// To be called first in main(), so that every thread inherits it.
///
/// Numbers below 10⁻³⁸ count as 0: arithmetic with them is a hundred times slower than with others,
/// and softmax weights of distant tokens are full of them (ConViT's positions: 40 % of its
/// inference).
///
/// OpenBLAS chooses its kernels by the model of the processor; one that is newer than it knows gets
/// kernels from before AVX, up to eight times slower. Where that happened OPENBLAS_CORETYPE is set,
/// and OpenBLAS chooses again; where it cannot, the program starts itself again. A variable that is
/// set already is left as it is.
void prepareProcessor(char** arguments);

}  // namespace headlight
