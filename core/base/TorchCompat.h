#pragma once
// The one place that knows how LibTorch 1.13 and 2.x differ. Included by torch-using files of core
// only.

#include <torch/version.h>

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#define HEADLIGHT_TORCH_AT_LEAST(major, minor) \
  (TORCH_VERSION_MAJOR > (major) ||            \
   (TORCH_VERSION_MAJOR == (major) && TORCH_VERSION_MINOR >= (minor)))

namespace headlight {

inline bool cudaIsAvailable() {
  return at::globalContext().hasCUDA();
}

}  // namespace headlight
