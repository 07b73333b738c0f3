# Targets that read the sources instead of building them: format, format-check, tidy and one
# tidy_LAYER_FOLDER for each folder. Both tools change from version to version: 14 is asked for.
find_program(CLANG_FORMAT clang-format-14)
find_program(CLANG_TIDY clang-tidy-14)

file(GLOB_RECURSE sources CONFIGURE_DEPENDS core/*.cpp core/*.h ui/*.cpp ui/*.h app/*.cpp app/*.h
                                            tests/*.cpp tests/*.h)
if(CLANG_FORMAT)
  # Over many processors; the list is too long for one command line.
  string(REPLACE ";" "\n" list "${sources}")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/sources.txt CONTENT "${list}\n" @ONLY)
  set(each xargs -a ${PROJECT_BINARY_DIR}/sources.txt -n 40 -P 4 ${CLANG_FORMAT})
  add_custom_target(format COMMAND ${each} -i VERBATIM)
  add_custom_target(format-check COMMAND ${each} --dry-run --Werror VERBATIM)
endif()

if(CLANG_TIDY)
  # The preset `tidy` is made for it: clang reads no precompiled header of GCC's, and of files that
  # are compiled together the headers are read once. LibTorch's are not all C++20 to clang: what
  # counts is said of our own files, among them those that a unity file includes.
  set(tidy ${CLANG_TIDY} -p ${PROJECT_BINARY_DIR} --quiet --extra-arg=-Wno-unknown-warning-option
           --extra-arg=-ferror-limit=0)
  if(HEADLIGHT_UNITY)
    list(APPEND tidy --checks=-bugprone-suspicious-include)
  endif()
  set(ours "^${PROJECT_SOURCE_DIR}/(core|ui|app)/.*(error|warning):")
  add_custom_target(tidy)
  foreach(layer core ui)
    headlight_folders(${layer} folders)
    list(TRANSFORM folders REPLACE "/.*" "")
    list(REMOVE_DUPLICATES folders)
    foreach(folder IN LISTS folders)
      file(GLOB_RECURSE files ${layer}/${folder}/*.cpp)
      if(HEADLIGHT_UNITY)
        # Written when CMake generates.
        set(unity ${layer}/CMakeFiles/headlight_${layer})
        if(layer STREQUAL ui)
          set(files ${unity}.dir/Unity/unity_${folder}_cxx.cxx)
        else()
          set(files "$(ls ${unity}_${folder}.dir/Unity/*.cxx)")
        endif()
      endif()
      list(JOIN tidy " " command)
      list(JOIN files " " files)
      add_custom_target(tidy_${layer}_${folder} COMMAND sh -c "! ${command} ${files} 2>&1 | grep -A4 -E '${ours}'"
                        WORKING_DIRECTORY ${PROJECT_BINARY_DIR} VERBATIM)
      add_dependencies(tidy tidy_${layer}_${folder})
    endforeach()
  endforeach()
  # A list of checks that is empty, or that nobody reads, would find nothing wrong.
  if(HEADLIGHT_TESTS)
    add_test(NAME tidy_checks COMMAND ${CLANG_TIDY} --list-checks
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(tidy_checks PROPERTIES
                         PASS_REGULAR_EXPRESSION "bugprone-use-after-move.*performance-")
  endif()
endif()
