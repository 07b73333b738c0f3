# The Debian package (CPack). packaging/package.sh builds with HEADLIGHT_PACKAGE and sets the rest:
#   HEADLIGHT_DEBIAN_RELEASE  behind the version: 1~deb12
#   HEADLIGHT_MAINTAINER      "Name <address>"
if(NOT HEADLIGHT_PACKAGE)
  return()
endif()
set(HEADLIGHT_DEBIAN_RELEASE 1 CACHE STRING "Revision of the package")
set(HEADLIGHT_MAINTAINER "Headlight maintainers <headlight@users.noreply.github.com>" CACHE STRING
    "Who answers for the package: Name <address>")

# What Debian wants in /usr/share/doc, and what is shipped: packaging/documents.sh.
set(documents ${PROJECT_BINARY_DIR}/documents)
set(debian_version ${PROJECT_VERSION}-${HEADLIGHT_DEBIAN_RELEASE})
add_custom_command(OUTPUT ${documents}/made
                   DEPENDS ${programs} packaging/documents.sh packaging/sbom.py CHANGELOG.md
                           packaging/debian/copyright
                   COMMAND ${PROJECT_SOURCE_DIR}/packaging/documents.sh ${documents}
                           ${debian_version} ${HEADLIGHT_RELEASE_DATE} ${HEADLIGHT_MAINTAINER}
                           ${program_files}
                   COMMENT "Writing changelogs, licenses and SBOM" VERBATIM)
add_custom_target(headlight_documents ALL DEPENDS ${documents}/made)
install(DIRECTORY ${documents}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/headlight PATTERN made EXCLUDE)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME headlight)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
    GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${HEADLIGHT_DEBIAN_RELEASE})
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${HEADLIGHT_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS OFF)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# LibTorch takes any BLAS, and the reference one is over 30 times slower than OpenBLAS. Qt finds its
# window system when it runs, and figures their font.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libopenblas0-openmp | libopenblas0, fonts-dejavu-core")
if(HEADLIGHT_GUI)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", qt6-qpa-plugins")
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS qt6-wayland)
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "workbench for the attention of vision transformers")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Headlight shows where every head of every layer of a vision transformer looks
in an image. It masks heads and shows the prediction change at once, retrains
models while their locality is watched, compares models, and exports the
result as one config file for machines without a screen.

The package contains the window (headlight), the command line (headlight-cli),
a small demo model and presets of experiments.")
include(CPack)
