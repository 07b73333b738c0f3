#include <dlfcn.h>
#include <malloc.h>

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <mutex>
#include <thread>

#include "core/base/Log.h"
#include "core/base/Processor.h"
#include "core/base/TorchCompat.h"
#include "core/workbench/InferenceSession.h"

namespace headlight {
namespace {

enum class Blas { OpenBlas, Mkl, Reference };

/// Which BLAS answers LibTorch's calls: each known one exports a name of its own.
Blas blasInUse() {
  if (::dlsym(RTLD_DEFAULT, "openblas_get_config")) return Blas::OpenBlas;
  if (at::hasMKL() || ::dlsym(RTLD_DEFAULT, "MKL_Get_Max_Threads")) return Blas::Mkl;
  return Blas::Reference;
}

void warnAboutReferenceBlas() {
  if (blasInUse() == Blas::Reference && !cudaIsAvailable())
    logWarning(
        "LibTorch uses the reference BLAS, over 30 times slower than OpenBLAS; install it with "
        "\"apt install libopenblas0-openmp\" and start again");
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

void configureCompute(int threads) {
  static std::once_flag once;
  std::call_once(once, [] {
    keepFreedMemory();
    warnAboutReferenceBlas();
  });
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  at::set_num_threads(threads > 0 ? threads : cores);
}

}  // namespace headlight
