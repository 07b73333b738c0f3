# LibTorch. One for CUDA refuses to be found by CMake where there is no CUDA toolkit. Its libraries can
# be linked all the same: there they are taken as they are, without our own kernels and NCCL, and
# devices run what LibTorch has.
if(NOT HEADLIGHT_PACKAGE)
  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)  # installed programs find one that is not the system's
endif()

# The include folder of a conda environment has headers of much that is taken from the system here, such
# as libjpeg and zlib: of its LibTorch only a folder of links to LibTorch's own is seen.
function(headlight_torch_headers_alone prefix)
  set(all ${prefix}/include)
  set(own ${PROJECT_BINARY_DIR}/torch-include)
  file(MAKE_DIRECTORY ${own})
  foreach(folder ATen c10 caffe2 tensorpipe torch)
    if(EXISTS ${all}/${folder})
      file(CREATE_LINK ${all}/${folder} ${own}/${folder} SYMBOLIC)
    endif()
  endforeach()
  foreach(target torch torch_library torch_cpu torch_cuda c10 c10_cuda)
    if(TARGET ${target})
      get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
      if(folders)
        string(REPLACE "${all}" "${own}" folders "${folders}")
        set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${folders}")
      endif()
    endif()
  endforeach()
  string(REPLACE "${all}" "${own}" folders "${TORCH_INCLUDE_DIRS}")
  set(TORCH_INCLUDE_DIRS ${folders} PARENT_SCOPE)
endfunction()

set(HEADLIGHT_TORCH_ALONE)
find_program(HEADLIGHT_NVCC NAMES $ENV{CUDACXX} nvcc HINTS ${CUDA_TOOLKIT_ROOT_DIR} ENV CUDA_HOME ENV CUDA_PATH
             PATHS /usr/local/cuda PATH_SUFFIXES bin)
if(NOT HEADLIGHT_NVCC AND NOT CMAKE_CUDA_COMPILER)
  set(prefixes ${CMAKE_PREFIX_PATH})
  if(Torch_DIR)
    get_filename_component(prefix "${Torch_DIR}/../../.." ABSOLUTE)
    list(INSERT prefixes 0 ${prefix})
  endif()
  foreach(prefix IN LISTS prefixes)
    if(NOT HEADLIGHT_TORCH_ALONE AND EXISTS ${prefix}/lib/libtorch_cuda.so
       AND EXISTS ${prefix}/share/cmake/Torch/TorchConfig.cmake)
      set(HEADLIGHT_TORCH_ALONE ${prefix})
    endif()
  endforeach()
endif()

if(NOT HEADLIGHT_TORCH_ALONE)
  # LibTorch would compile and run a program to see the devices of this machine: 2.15 in a dialect of
  # CUDA that CMake 3.25 does not know of nvcc 13. CudaArchitectures.cmake chooses for our kernels.
  if(NOT DEFINED TORCH_CUDA_ARCH_LIST AND NOT DEFINED ENV{TORCH_CUDA_ARCH_LIST})
    set(TORCH_CUDA_ARCH_LIST 8.0)
  endif()
  find_package(Torch REQUIRED)
  if(EXISTS ${TORCH_INSTALL_PREFIX}/conda-meta)
    headlight_torch_headers_alone(${TORCH_INSTALL_PREFIX})
  endif()
  return()
endif()

message(STATUS "LibTorch in ${HEADLIGHT_TORCH_ALONE} has CUDA, but there is no CUDA toolkit: without "
               "CUDA kernels of our own")
set(TORCH_INCLUDE_DIRS ${HEADLIGHT_TORCH_ALONE}/include
                       ${HEADLIGHT_TORCH_ALONE}/include/torch/csrc/api/include)
if(EXISTS ${HEADLIGHT_TORCH_ALONE}/conda-meta)
  headlight_torch_headers_alone(${HEADLIGHT_TORCH_ALONE})
endif()
file(STRINGS ${HEADLIGHT_TORCH_ALONE}/share/cmake/Torch/TorchConfig.cmake abi
     REGEX "_GLIBCXX_USE_CXX11_ABI=0")
set(TORCH_CXX_FLAGS)
if(abi)
  set(TORCH_CXX_FLAGS -D_GLIBCXX_USE_CXX11_ABI=0)
endif()
add_library(headlight_torch_alone INTERFACE)
target_include_directories(headlight_torch_alone SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
# Nothing names a symbol of the libraries for CUDA: they register themselves once they are loaded. What
# they need in turn lies in folders that only they name.
target_link_options(headlight_torch_alone INTERFACE LINKER:--no-as-needed
                    LINKER:--allow-shlib-undefined)
foreach(library torch torch_cpu torch_cuda c10 c10_cuda)
  target_link_libraries(headlight_torch_alone
                        INTERFACE ${HEADLIGHT_TORCH_ALONE}/lib/lib${library}.so)
endforeach()
set(TORCH_LIBRARIES headlight_torch_alone)
