# The devices that kernels are compiled for: of these generations what the compiler knows. Each gets
# machine code, which later devices of its generation run, and PTX, which those in between translate
# when they first run it.
#   listing  what `nvcc --list-gpu-arch` says
function(headlight_cuda_architectures listing result)
  set(chosen)
  foreach(generation 75 80 90 100 120)
    if("${listing}\n" MATCHES "compute_${generation}[^0-9]")
      list(APPEND chosen ${generation})
    endif()
  endforeach()
  if(NOT chosen)
    set(chosen 75 80) # known to CUDA 11, 12 and 13
  endif()
  set(${result} "${chosen}" PARENT_SCOPE)
endfunction()
