# Whether processes add up their gradients from GPU to GPU: where LibTorch has CUDA and NCCL, and a
# program that uses both can be linked. Elsewhere this changes nothing: sums go over Gloo.
# NCCL_INCLUDE says where nccl.h is, NCCL_LIBRARY where the library is, if LibTorch has none inside.

set(HEADLIGHT_NCCL OFF)
if(NOT TARGET torch_cuda)
  return()
endif()
find_path(NCCL_INCLUDE nccl.h HINTS ${TORCH_INCLUDE_DIRS} ${CUDAToolkit_INCLUDE_DIRS})
# The library of LibTorch's wheel comes first: it is the one that LibTorch loads.
get_filename_component(packages "${TORCH_INSTALL_PREFIX}/.." ABSOLUTE)
find_library(NCCL_LIBRARY NAMES libnccl.so.2 nccl
             HINTS ${packages}/nvidia/nccl/lib ${CUDAToolkit_LIBRARY_DIR})
if(NOT NCCL_INCLUDE)
  message(STATUS "LibTorch has CUDA, but there is no nccl.h: processes add up over Gloo")
  return()
endif()
# By their files: LibTorch's targets name others that exist in this project alone.
set(libraries)
foreach(target torch torch_cpu torch_cuda c10 c10_cuda)
  get_target_property(file ${target} LOCATION)
  list(APPEND libraries ${file})
endforeach()
if(NCCL_LIBRARY)
  list(APPEND libraries ${NCCL_LIBRARY})
endif()
try_compile(HEADLIGHT_NCCL_LINKS ${CMAKE_BINARY_DIR}/nccl
            SOURCES ${PROJECT_SOURCE_DIR}/cmake/NcclCheck.cpp
            CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${TORCH_INCLUDE_DIRS};${CUDAToolkit_INCLUDE_DIRS};${NCCL_INCLUDE}"
            COMPILE_DEFINITIONS -DUSE_DISTRIBUTED -DUSE_C10D_NCCL ${TORCH_CXX_FLAGS}
            LINK_LIBRARIES ${libraries} CUDA::cudart
            OUTPUT_VARIABLE output CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
# A name of its own: what try_compile keeps in the cache lies behind a variable of the same name.
set(HEADLIGHT_NCCL ${HEADLIGHT_NCCL_LINKS})
if(NOT HEADLIGHT_NCCL)
  message(STATUS "nccl.h and LibTorch do not go together: processes add up over Gloo")
  message(VERBOSE "${output}")
endif()
