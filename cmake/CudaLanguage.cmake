# Whether the CUDA kernels of core/attention/kernels/cuda can be compiled: where LibTorch has CUDA and
# there is a CUDA compiler. Elsewhere this changes nothing, and CUDA devices run the plain forms.
# Included after find_package(Torch), which may have enabled the language itself.

set(HEADLIGHT_CUDA_KERNELS OFF)
if(NOT TARGET torch_cuda)
  return()
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  message(STATUS "LibTorch has CUDA, but no CUDA compiler was found: without CUDA kernels")
  return()
endif()

# Known to CUDA 11, 12 and 13; newer devices translate the second one's PTX when they first run it.
set(HEADLIGHT_CUDA_ARCHITECTURES "75;80" CACHE STRING "CUDA architectures to compile kernels for")
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES "${HEADLIGHT_CUDA_ARCHITECTURES}")
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
# nvcc may go with an older C++ compiler than ours: programs are not to be linked with its library.
list(FILTER CMAKE_CUDA_IMPLICIT_LINK_DIRECTORIES EXCLUDE REGEX "/gcc/")
set(HEADLIGHT_CUDA_KERNELS ON)
