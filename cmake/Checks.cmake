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
  add_custom_target(tidy)
  foreach(layer core ui)
    headlight_folders(${layer} folders)
    foreach(folder IN LISTS folders)
      file(GLOB_RECURSE files ${layer}/${folder}/*.cpp)
      add_custom_target(tidy_${layer}_${folder}
        COMMAND ${CLANG_TIDY} -p ${PROJECT_BINARY_DIR} --quiet ${files}
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
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
