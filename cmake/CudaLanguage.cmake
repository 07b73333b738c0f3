# Whether the CUDA kernels of core/attention/kernels/cuda can be compiled: where LibTorch has CUDA and
# there is a CUDA compiler. Elsewhere this changes nothing, and CUDA devices run the plain forms.
# Included after LibTorch is found, which may have enabled the language itself.

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

include(cmake/CudaArchitectures.cmake)
execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-arch OUTPUT_VARIABLE known_to_nvcc
                ERROR_QUIET)
headlight_cuda_architectures("${known_to_nvcc}" architectures)
set(HEADLIGHT_CUDA_ARCHITECTURES "${architectures}" CACHE STRING
    "CUDA architectures to compile kernels for")
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES "${HEADLIGHT_CUDA_ARCHITECTURES}")
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
# nvcc may go with an older C++ compiler than ours: programs are not to be linked with its library.
list(FILTER CMAKE_CUDA_IMPLICIT_LINK_DIRECTORIES EXCLUDE REGEX "/gcc/")
set(HEADLIGHT_CUDA_KERNELS ON)
