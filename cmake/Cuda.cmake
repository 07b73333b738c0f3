# The CUDA kernels of core/attention/kernels/cuda, compiled in where LibTorch has CUDA and there is a
# CUDA compiler. Elsewhere this file changes nothing, and CUDA devices run the plain forms. Included
# by core/CMakeLists.txt once headlight_core_attention is there.

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

add_library(headlight_cuda_kernels STATIC attention/kernels/cuda/LinearHeads.cu)
set_target_properties(headlight_cuda_kernels PROPERTIES
                      CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON CUDA_RUNTIME_LIBRARY Shared
                      CUDA_ARCHITECTURES "${HEADLIGHT_CUDA_ARCHITECTURES}")
target_include_directories(headlight_cuda_kernels PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(headlight_cuda_kernels PUBLIC CUDA::cudart)
target_link_libraries(headlight_core_attention PRIVATE headlight_cuda_kernels)
set_source_files_properties(attention/kernels/cuda/LinearHeadsCuda.cpp PROPERTIES
                            COMPILE_DEFINITIONS HEADLIGHT_CUDA
                            SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
