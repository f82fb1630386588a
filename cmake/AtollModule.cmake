# atoll_module(NAME HEADERS ... SOURCES ... DEPENDS ... LIBRARIES ...)
#
# One folder of the house: an object library atoll_NAME. Its headers are spelt <atoll/NAME/...> in the build as
# when installed, through a link in the build tree. DEPENDS names the folders it may include, LIBRARIES foreign ones.
function(atoll_module name)
  cmake_parse_arguments(arg "" "" "HEADERS;SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  set(include ${CMAKE_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${include}/atoll)
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${include}/atoll/${name} SYMBOLIC)

  add_library(atoll_${name} OBJECT ${arg_SOURCES} ${arg_HEADERS})
  target_include_directories(atoll_${name} PUBLIC $<BUILD_INTERFACE:${include}>)
  foreach(folder ${arg_DEPENDS})
    target_link_libraries(atoll_${name} PUBLIC atoll_${folder})
  endforeach()
  target_link_libraries(atoll_${name} PRIVATE ${arg_LIBRARIES})
  set_property(TARGET atoll_${name} PROPERTY ATOLL_HEADERS ${arg_HEADERS})
  set_property(TARGET atoll_${name} PROPERTY ATOLL_LIBRARIES ${arg_LIBRARIES})

  foreach(header ${arg_HEADERS})
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/atoll/${name}/${folder})
  endforeach()
endfunction()

# The shared library of all folders: target `atoll`, for users Atoll::atoll.
function(atoll_add_library)
  add_library(atoll SHARED)
  add_library(Atoll::atoll ALIAS atoll)
  set_target_properties(atoll PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
  target_link_options(atoll PRIVATE -Wl,--gc-sections)
  foreach(name ${ARGN})
    target_sources(atoll PRIVATE $<TARGET_OBJECTS:atoll_${name}>)
    target_include_directories(atoll INTERFACE $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include/${name}>)
    get_property(libraries TARGET atoll_${name} PROPERTY ATOLL_LIBRARIES)
    target_link_libraries(atoll PRIVATE ${libraries})
  endforeach()
  target_include_directories(atoll INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # make_mpi_communicator() shows MPI_Comm.
  target_link_libraries(atoll PUBLIC $<BUILD_INTERFACE:atoll_mpi> $<INSTALL_INTERFACE:MPI::MPI_C>)
endfunction()
