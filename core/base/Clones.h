// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Loops compiled for AVX-512, AVX2 and the baseline; the right one is chosen when the program
// starts.

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HEADLIGHT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
/// Of loops over numbers of 8 or 16 bits.
#define HEADLIGHT_CLONES_16 __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define HEADLIGHT_CLONES
#define HEADLIGHT_CLONES_16
#endif
/// What such loops call: compiled with them.
#define HEADLIGHT_INLINE inline __attribute__((always_inline))
