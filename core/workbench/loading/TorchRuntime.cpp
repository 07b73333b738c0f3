// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/TorchRuntime.h"

#include <dlfcn.h>
#include <malloc.h>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/detail/CUDAHooksInterface.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "core/base/Log.h"
#include "core/base/Processor.h"
#include "core/base/TorchCompat.h"

namespace headlight {
namespace {

/// So that a run of a larger machine can be replayed with as many threads; far more take minutes
/// for what one does in a second.
constexpr int kMostThreadsACore = 8;

enum class Blas { OpenBlas, Mkl, Reference };

/// Which BLAS answers LibTorch's calls. One that is built with MKL calls that; others take what the
/// system has, and each known one exports a name of its own. OpenBLAS may also be there for OpenCV.
Blas blasInUse() {
  if (at::hasMKL()) return Blas::Mkl;
  if (::dlsym(RTLD_DEFAULT, "openblas_get_config")) return Blas::OpenBlas;
  if (::dlsym(RTLD_DEFAULT, "MKL_Get_Max_Threads")) return Blas::Mkl;
  return Blas::Reference;
}

void warnAboutReferenceBlas() {
  if (blasInUse() == Blas::Reference && !cudaIsAvailable())
    logWarning(
        "LibTorch uses the reference BLAS, over 30 times slower than OpenBLAS; install it with "
        "\"apt install libopenblas0-openmp\" and start again");
}

/// "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH … Haswell MAX_THREADS=64": by its own words.
std::string blasVersion() {
  using Config = char* (*)();
  if (blasInUse() == Blas::Mkl) return at::get_mkl_version();
  const auto config = reinterpret_cast<Config>(::dlsym(RTLD_DEFAULT, "openblas_get_config"));
  return config ? config() : "reference BLAS (slow)";
}

/// CUDA's runtime says 12010 for 12.1.
std::string cudaVersion() {
  const auto& hooks = at::detail::getCUDAHooks();
  if (!hooks.hasCUDART()) return "CUDA: none";
  const long version = hooks.versionCUDART();
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10) +
         (cudaIsAvailable() ? "" : " (no device)");
}

/// Activations are megabytes, freed and wanted again every step: keep them in the heap instead of
/// asking the system for fresh, zeroed pages each time.
void keepFreedMemory() {
  constexpr int kLargest = 32 << 20;  // the most that glibc takes for the mmap threshold
  ::mallopt(M_MMAP_THRESHOLD, kLargest);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
  ::mallopt(M_TOP_PAD, 64 << 20);
}

}  // namespace

std::string computeDescription() {
  const Blas kind = blasInUse();
  const std::string blas = kind == Blas::OpenBlas ? "OpenBLAS " + blasCore()
                           : kind == Blas::Mkl    ? "MKL"
                                                  : "reference BLAS (slow)";
  return std::to_string(at::get_num_threads()) + " threads · " + blas +
         (cudaIsAvailable() ? " · CUDA" : "");
}

std::vector<std::string> libraryVersions() {
  return {std::string("LibTorch ") + TORCH_VERSION, "BLAS: " + blasVersion(), cudaVersion()};
}

void configureCompute(int threads) {
  static std::once_flag once;
  std::call_once(once, [] {
    keepFreedMemory();
    warnAboutReferenceBlas();
  });
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int most = kMostThreadsACore * cores;
  static std::atomic<int> reported = 0;
  if (threads > most && reported.exchange(threads) != threads)
    logWarning("threads: " + std::to_string(threads) + " were requested and " +
               std::to_string(most) + " are used; this machine has " + std::to_string(cores) +
               " cores, and more threads would only slow it down");
  at::set_num_threads(threads > 0 ? std::min(threads, most) : cores);
}

}  // namespace headlight
