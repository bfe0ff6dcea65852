# SPDX-License-Identifier: Apache-2.0
# Compiler options of the suite, and the helpers that the component files use.

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

set(CMAKE_CXX_EXTENSIONS OFF)

add_library(twinsite_options INTERFACE)
target_compile_features(twinsite_options INTERFACE cxx_std_20)
target_include_directories(twinsite_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(twinsite_options INTERFACE
  -Wall -Wextra -Werror -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  # libstdc++ 12 marks parts of itself deprecated (std::stable_sort) that clang 19 then reports.
  -Wno-deprecated-declarations)
target_compile_definitions(twinsite_options INTERFACE
  TWINSITE_VERSION="${PROJECT_VERSION}"
  BOOST_ASIO_NO_DEPRECATED)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 warns falsely inside Boost and inlined standard library code; clang is the judge.
  target_compile_options(twinsite_options INTERFACE
    -fcoroutines -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds
    -Wno-dangling-pointer -Wno-missing-field-initializers -Wno-non-virtual-dtor)
endif()

if(TWINSITE_HARDENED)
  target_compile_options(twinsite_options INTERFACE
    -fstack-protector-strong -fstack-clash-protection -fcf-protection -U_FORTIFY_SOURCE
    -D_FORTIFY_SOURCE=2 -D_GLIBCXX_ASSERTIONS)
  target_link_options(twinsite_options INTERFACE -Wl,-z,relro -Wl,-z,now)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()

if(TWINSITE_SANITIZE)
  target_compile_options(twinsite_options INTERFACE
    -fsanitize=${TWINSITE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(twinsite_options INTERFACE -fsanitize=${TWINSITE_SANITIZE})
endif()

if(TWINSITE_FUZZ)
  # Coverage of our libraries too, not of the harness alone: it steers libFuzzer.
  target_compile_options(twinsite_options INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(twinsite_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# twinsite_library(name SOURCES a.cpp ... LINK target ...)
function(twinsite_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC twinsite_options ${arg_LINK})
endfunction()

# twinsite_program(twinsite-x SOURCES main.cpp ... LINK target ...): built into bin/, installed.
function(twinsite_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE twinsite_options ${arg_LINK})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${name})
endfunction()

# twinsite_unit(name): installs etc/<name>.service.in as a systemd unit. Written while installing:
# only `cmake --install --prefix` knows where the program goes.
function(twinsite_unit name)
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/${name}.service)
  install(CODE "
    get_filename_component(BINDIR \"${CMAKE_INSTALL_BINDIR}\" ABSOLUTE
      BASE_DIR \"\${CMAKE_INSTALL_PREFIX}\")
    configure_file(\"${CMAKE_CURRENT_SOURCE_DIR}/etc/${name}.service.in\" \"${unit}\" @ONLY)"
    COMPONENT ${name})
  install(FILES ${unit} DESTINATION lib/systemd/system COMPONENT ${name})
endfunction()

# twinsite_test(name SOURCES a_test.cpp ... LINK target ...): a GoogleTest program known to ctest.
# SOURCE_ROOT is the checkout, for the tests that read it.
function(twinsite_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE twinsite_options ${arg_LINK} GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    SOURCE_ROOT="${PROJECT_SOURCE_DIR}" BINARY_ROOT="${PROJECT_BINARY_DIR}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 120)
endfunction()

# twinsite_fuzz(name SOURCES x_fuzz.cpp LINK target ... CORPUS folder)
# A decoder's harness: always built as a replay test over its corpus, and with TWINSITE_FUZZ also
# as a libFuzzer program `fuzz_<name>`.
function(twinsite_fuzz name)
  cmake_parse_arguments(arg "" "CORPUS" "SOURCES;LINK" ${ARGN})
  add_executable(replay_${name} ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.cpp)
  target_link_libraries(replay_${name} PRIVATE twinsite_options ${arg_LINK})
  set_target_properties(replay_${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME fuzz_corpus.${name} COMMAND replay_${name} ${arg_CORPUS})
  if(TWINSITE_FUZZ)
    add_executable(fuzz_${name} ${arg_SOURCES})
    target_link_libraries(fuzz_${name} PRIVATE twinsite_options ${arg_LINK})
    target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    set_target_properties(fuzz_${name} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
  endif()
endfunction()
