# What `cmake --install` puts beside the programs, in the folders of GNUInstallDirs. The programs find
# it relative to themselves (core/base/ProgramFolder.h), so an installation can be moved.
include(GNUInstallDirs)
set(HEADLIGHT_RELEASE_DATE 2026-11-27)  # of this version: AppStream and the package's changelog
set(data ${CMAKE_INSTALL_DATADIR}/headlight)
set(share ${CMAKE_INSTALL_DATADIR})
set(desktop ${PROJECT_SOURCE_DIR}/packaging/desktop)

install(DIRECTORY models/demo models/presets DESTINATION ${data}/models)
install(FILES models/README.md DESTINATION ${share}/doc/headlight RENAME models.md)
install(DIRECTORY resources/samples DESTINATION ${data})

# Manual pages and completions: made by the programs, so that they say what --help says.
set(manuals ${PROJECT_BINARY_DIR}/manuals)
set(programs headlight-cli)
set(program_files $<TARGET_FILE:headlight-cli>)
if(HEADLIGHT_GUI)
  list(APPEND programs headlight)
  list(APPEND program_files $<TARGET_FILE:headlight>)
endif()
add_custom_command(OUTPUT ${manuals}/made DEPENDS ${programs} packaging/manuals.sh
                   COMMAND ${PROJECT_SOURCE_DIR}/packaging/manuals.sh ${manuals} ${program_files}
                   COMMENT "Writing manual pages and completions" VERBATIM)
# With sanitizers the programs are for tests alone.
if(HEADLIGHT_SANITIZE)
  add_custom_target(headlight_manuals DEPENDS ${manuals}/made)
else()
  add_custom_target(headlight_manuals ALL DEPENDS ${manuals}/made)
endif()
set(HEADLIGHT_ZSH_FOLDER ${share}/zsh/site-functions CACHE STRING
    "Where completions for zsh are installed")
# Whoever built the programs alone has none.
install(DIRECTORY ${manuals}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
install(DIRECTORY ${manuals}/bash/ DESTINATION ${share}/bash-completion/completions OPTIONAL)
install(DIRECTORY ${manuals}/zsh/ DESTINATION ${HEADLIGHT_ZSH_FOLDER} OPTIONAL)
install(DIRECTORY ${manuals}/fish/ DESTINATION ${share}/fish/vendor_completions.d OPTIONAL)

if(HEADLIGHT_GUI)
  set(metainfo io.github.headlight.headlight.metainfo.xml)
  configure_file(${desktop}/${metainfo}.in ${PROJECT_BINARY_DIR}/${metainfo} @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${metainfo} DESTINATION ${share}/metainfo)
  install(FILES ${desktop}/headlight.desktop DESTINATION ${share}/applications)
  install(FILES ${desktop}/headlight-mime.xml DESTINATION ${share}/mime/packages
          RENAME headlight.xml)
  set(icons ${share}/icons/hicolor)
  install(FILES resources/icons/headlight.svg DESTINATION ${icons}/scalable/apps)
  install(FILES ${desktop}/headlight-symbolic.svg DESTINATION ${icons}/symbolic/apps)
  install(FILES ${desktop}/headlight-document.svg DESTINATION ${icons}/scalable/mimetypes)
endif()
