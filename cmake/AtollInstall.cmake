# What an installed Atoll holds for those who build on it: the umbrella header, the CMake package (target
# Atoll::atoll) and the pkg-config file. All paths in them are relative, so the tree may be moved.
include(CMakePackageConfigHelpers)

target_compile_features(atoll INTERFACE cxx_std_20)

# ---- <atoll/atoll.hpp>: every public header, as the folders list them
set(umbrella_includes "")
foreach(folder core comm partition io solvers)
  get_property(headers TARGET atoll_${folder} PROPERTY ATOLL_HEADERS)
  foreach(header ${headers})
    if(NOT header MATCHES "_inl\\.hpp$")
      string(APPEND umbrella_includes "#include <atoll/${folder}/${header}>\n")
    endif()
  endforeach()
endforeach()
set(umbrella ${CMAKE_BINARY_DIR}/include/umbrella)
configure_file(${CMAKE_SOURCE_DIR}/cmake/atoll.hpp.in ${umbrella}/atoll/atoll.hpp @ONLY)
target_include_directories(atoll INTERFACE $<BUILD_INTERFACE:${umbrella}>)
install(FILES ${umbrella}/atoll/atoll.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/atoll)

# ---- the library and its CMake package
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Atoll)
install(TARGETS atoll EXPORT AtollTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT AtollTargets NAMESPACE Atoll:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/AtollConfig.cmake.in
  ${CMAKE_BINARY_DIR}/AtollConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/AtollConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/AtollConfig.cmake ${CMAKE_BINARY_DIR}/AtollConfigVersion.cmake
  DESTINATION ${package_dir})

# ---- pkg-config
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_SOURCE_DIR}/cmake/atoll.pc.in ${CMAKE_BINARY_DIR}/atoll.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/atoll.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# ---- the command, the example matrix, the licence
if(TARGET atoll_command)
  install(TARGETS atoll_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES ${CMAKE_SOURCE_DIR}/examples/data/lagoon.mtx DESTINATION ${CMAKE_INSTALL_DATADIR}/atoll/examples)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
