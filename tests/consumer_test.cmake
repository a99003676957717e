# Installs BUILD into WORK; then configures, builds and runs the project SOURCE against what was installed, with each of
# COMPILERS. With PACKAGE, BUILD is made by the preset `package`, for any x86-64: programs run on a processor of 2008, too,
# which qemu imitates, with the compiler of functions and without; and once they are compiled for AVX2, unlike the library.
if(PACKAGE)
  if(NOT DEFINED ENV{LINKWRIGHT_LONG})
    message(FATAL_ERROR "only with --long")
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${PACKAGE} --preset package -B ${BUILD} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} -j 2 COMMAND_ERROR_IS_FATAL ANY)
endif()
file(REMOVE_RECURSE ${WORK})
set(prefix ${WORK}/prefix)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)

# Symbols of Eigen would meet those of a program that is compiled for another instruction set.
file(GLOB_RECURSE libraries ${prefix}/liblinkwright.*)
execute_process(COMMAND nm -C ${libraries} OUTPUT_VARIABLE symbols ERROR_QUIET)
if(NOT symbols MATCHES "lw::rnea" OR symbols MATCHES "Eigen::")
  message(FATAL_ERROR "${libraries}: symbols of Eigen, or none")
endif()

function(build_and_run compiler flags)
  string(MAKE_C_IDENTIFIER "${compiler}${flags}" folder)
  set(folder ${WORK}/${folder})
  message("${compiler} ${flags}")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${folder} -D CMAKE_PREFIX_PATH=${prefix}
            -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_CXX_FLAGS=${flags}
    COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${folder} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
  foreach(program consumer consumer_eigen)
    foreach(command IN LISTS ARGN)
      separate_arguments(words UNIX_COMMAND "${command} ${folder}/${program}")
      message("${command} ${program}")
      execute_process(COMMAND ${words} COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
  endforeach()
endfunction()

separate_arguments(COMPILERS)
foreach(compiler IN LISTS COMPILERS)
  if(PACKAGE)
    set(old "qemu-x86_64 -cpu Nehalem")
    build_and_run(${compiler} "-O2 -mavx2 -mfma" "env")
    build_and_run(${compiler} "-O2" "env" "${old}" "${old} -E CC=/none")
  else()
    build_and_run(${compiler} "${FLAGS}" "env")
  endif()
endforeach()
