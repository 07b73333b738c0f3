# The CUDA kernels of core/attention/kernels/cuda. Included by core/CMakeLists.txt once
# headlight_core_attention is there.

if(NOT HEADLIGHT_CUDA_KERNELS)
  return()
endif()
set(kernels attention/kernels/cuda)
add_library(headlight_cuda_kernels STATIC ${kernels}/Depthwise.cu ${kernels}/LinearHeads.cu
            ${kernels}/Samples.cu)
set_target_properties(headlight_cuda_kernels PROPERTIES
                      CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON CUDA_RUNTIME_LIBRARY Shared
                      CUDA_ARCHITECTURES "${HEADLIGHT_CUDA_ARCHITECTURES}")
target_include_directories(headlight_cuda_kernels PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(headlight_cuda_kernels PUBLIC CUDA::cudart)
target_link_libraries(headlight_core_attention_apart PRIVATE headlight_cuda_kernels)
target_link_libraries(headlight_core_attention PRIVATE headlight_cuda_kernels)
set_source_files_properties(${kernels}/DepthwiseCuda.cpp ${kernels}/DepthwiseRows.cpp
                            ${kernels}/LinearHeadsCuda.cpp ${kernels}/LinearRows.cpp
                            ${kernels}/SampledCuda.cpp ${kernels}/SampledRows.cpp PROPERTIES
                            COMPILE_DEFINITIONS HEADLIGHT_CUDA
                            SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
