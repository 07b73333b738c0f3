// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/Processor.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#if defined(__x86_64__)
#include <pmmintrin.h>
#include <xmmintrin.h>
#endif

namespace headlight {

std::string fittingBlasCore(const std::string& chosen, const VectorUnits& units) {
  static constexpr std::array kWithAvx2 = {"Haswell",  "Zen",        "Excavator",
                                           "SkylakeX", "Cooperlake", "SapphireRapids"};
  if (!units.avx2 || std::find(kWithAvx2.begin(), kWithAvx2.end(), chosen) != kWithAvx2.end())
    return {};
  return units.avx512 ? "SkylakeX" : "Haswell";
}

std::string blasCore() {
  using Name = char* (*)();
  const auto name = reinterpret_cast<Name>(::dlsym(RTLD_DEFAULT, "openblas_get_corename"));
  return name ? name() : "";
}

bool hasBfloat16Products() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512bf16") != 0;
#else
  return false;
#endif
}

namespace {

VectorUnits vectorUnitsHere() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const auto all512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512cd");
  return {__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), all512};
#else
  return {};
#endif
}

void flushTinyNumbers() {
#if defined(__x86_64__)
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
#endif
}

/// OpenBLAS chooses its kernels when it is loaded, by two functions that its builds for many
/// processors export. False where this one does not have them.
bool chooseBlasAgain() {
  using Step = void (*)();
  const auto forget = reinterpret_cast<Step>(::dlsym(RTLD_DEFAULT, "gotoblas_dynamic_quit"));
  const auto choose = reinterpret_cast<Step>(::dlsym(RTLD_DEFAULT, "gotoblas_dynamic_init"));
  if (!forget || !choose) return false;
  forget();
  choose();
  return true;
}

void useFittingBlas(char** arguments) {
  if (std::getenv("OPENBLAS_CORETYPE")) return;
  const std::string chosen = blasCore();
  const std::string fitting = chosen.empty() ? "" : fittingBlasCore(chosen, vectorUnitsHere());
  if (fitting.empty()) return;
  ::setenv("OPENBLAS_CORETYPE", fitting.c_str(), 1);
  if (chooseBlasAgain() && blasCore() == fitting) return;
  ::execv("/proc/self/exe", arguments);  // comes back only where that is refused
}

}  // namespace

void prepareProcessor(char** arguments) {
  useFittingBlas(arguments);
  flushTinyNumbers();
}

}  // namespace headlight
