# Whether processes add up their gradients from GPU to GPU: where LibTorch has CUDA and NCCL, and a
# program that uses both can be linked. Elsewhere this changes nothing: sums go over Gloo.
# NCCL_INCLUDE says where nccl.h is, NCCL_LIBRARY where the library is, if LibTorch has none inside.

set(HEADLIGHT_NCCL OFF)
if(NOT TARGET torch_cuda)
  return()
endif()
find_path(NCCL_INCLUDE nccl.h HINTS ${TORCH_INCLUDE_DIRS} ${CUDAToolkit_INCLUDE_DIRS})
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2)
if(NOT NCCL_INCLUDE)
  message(STATUS "LibTorch has CUDA, but there is no nccl.h: processes add up over Gloo")
  return()
endif()
if(NOT NCCL_LIBRARY)
  set(NCCL_LIBRARY)
endif()
try_compile(HEADLIGHT_NCCL_LINKS ${CMAKE_BINARY_DIR}/nccl
            SOURCES ${PROJECT_SOURCE_DIR}/cmake/NcclCheck.cpp
            CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${TORCH_INCLUDE_DIRS};${CUDAToolkit_INCLUDE_DIRS};${NCCL_INCLUDE}"
            COMPILE_DEFINITIONS -DUSE_DISTRIBUTED -DUSE_C10D_NCCL ${TORCH_CXX_FLAGS}
            LINK_LIBRARIES ${TORCH_LIBRARIES} ${NCCL_LIBRARY}
            CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
# A name of its own: what try_compile keeps in the cache lies behind a variable of the same name.
set(HEADLIGHT_NCCL ${HEADLIGHT_NCCL_LINKS})
if(NOT HEADLIGHT_NCCL)
  message(STATUS "nccl.h and LibTorch do not go together: processes add up over Gloo")
endif()
