# Flags and helpers that every target of Headlight shares.

add_library(headlight_settings INTERFACE)
target_include_directories(headlight_settings INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(headlight_settings INTERFACE QT_NO_KEYWORDS)
target_compile_options(headlight_settings INTERFACE -Wall -Wextra -Wno-unused-parameter
                       -Wno-restrict # GCC 12 warns falsely in std::string (GCC bug 105651)
                       -fno-strict-aliasing
                       # Nobody traps floating-point exceptions; while they might, GCC 14 leaves
                       # every kernel with an exponential in scalar form.
                       -fno-trapping-math)
if(HEADLIGHT_SANITIZE)
  target_compile_options(headlight_settings INTERFACE -fsanitize=${HEADLIGHT_SANITIZE}
                         -fno-omit-frame-pointer
                         # Instrumented, GCC takes std::regex for uninitialized.
                         $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(headlight_settings INTERFACE -fsanitize=${HEADLIGHT_SANITIZE})
endif()

# Two builds of a package give the same bytes, wherever they are made: nothing names their folders.
if(HEADLIGHT_PACKAGE)
  foreach(map ${PROJECT_SOURCE_DIR}=. ${PROJECT_BINARY_DIR}=build)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-ffile-prefix-map=${map}>
                        $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffile-prefix-map=${map}>)
  endforeach()
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # What ccache needs in order to cache compilations that use a precompiled header, and to know
  # the same file in another checkout; and not to preprocess what has to be compiled (depend mode:
  # what a unit read, the compiler says itself), a tenth of the time of a build from nothing.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true CCACHE_DEPEND=true
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${CCACHE_PROGRAM})
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
endif()

# Most of what compiling a file costs here is what its headers instantiate; files that are compiled
# together share it. Those of a room of ui where there is a precompiled header, those of several rooms
# of core and the command line, else forty. So names in unnamed namespaces are unique within a wing of
# core, the command line, and a room of ui.
# What is being edited (HEADLIGHT_APART) is compiled file by file all the same.
function(headlight_unity target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.]cpp$")
  get_target_property(precompiled ${target} PRECOMPILE_HEADERS)
  get_target_property(shared ${target} PRECOMPILE_HEADERS_REUSE_FROM)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${HEADLIGHT_UNITY}
                        UNITY_BUILD_BATCH_SIZE 40)
  if(precompiled OR shared)
    set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
    headlight_unity_groups(${target} ${sources})
  endif()
  if(HEADLIGHT_APART)
    list(FILTER sources INCLUDE REGEX "${HEADLIGHT_APART}")
    set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# Reading the precompiled header and instantiating what a room needs takes six seconds before its
# first line, the hundred kilobytes of code that are compiled together at most take twenty.
function(headlight_unity_groups target)
  set(most 100000)
  if(target MATCHES "_ui$")
    set(most 0)
  endif()
  set(here "")
  set(group "")
  set(size 0)
  foreach(source IN LISTS ARGN)
    get_filename_component(room ${source} DIRECTORY)
    if(NOT room STREQUAL here)
      set(here ${room})
      headlight_bytes(bytes ${room} ${ARGN})
      math(EXPR size "${size} + ${bytes}")
      if(size GREATER most OR group STREQUAL "")
        get_filename_component(name ${room} NAME)
        string(MAKE_C_IDENTIFIER ${name} group)
        set(size ${bytes})
      endif()
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# Of those of the sources that lie in this room.
function(headlight_bytes result room)
  set(sum 0)
  foreach(source IN LISTS ARGN)
    get_filename_component(its ${source} DIRECTORY)
    get_filename_component(path ${source} ABSOLUTE)
    if(its STREQUAL room AND EXISTS ${path})
      file(SIZE ${path} bytes)
      math(EXPR sum "${sum} + ${bytes}")
    endif()
  endforeach()
  set(${result} ${sum} PARENT_SCOPE)
endfunction()

# Code that waits for people, files or LibTorch: optimizing it like a kernel would take a third of
# the time of building, and nobody could measure the difference.
function(headlight_optimize target level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
endfunction()

# The headers are precompiled once for all targets of one `kind` that are optimized alike: GCC 12
# crashes on a precompiled header of another level.
function(headlight_precompile target kind)
  get_property(owner GLOBAL PROPERTY headlight_pch_${kind})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY headlight_pch_${kind} ${target})
  endif()
endfunction()

# The folders of `layer` in the order of who may include whom.
function(headlight_folders layer result)
  set(file ${PROJECT_SOURCE_DIR}/cmake/folders.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} line REGEX "^${layer}: ")
  string(REGEX REPLACE "^${layer}: " "" line "${line}")
  separate_arguments(line)
  set(${result} ${line} PARENT_SCOPE)
endfunction()
