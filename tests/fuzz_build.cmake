# Configures and builds the fuzzers of SOURCE in BUILD, for short runs: not optimised, which takes half the time to compile.
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} --preset fuzz -B ${BUILD}
  "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -gline-tables-only -fno-omit-frame-pointer" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} -j 2 COMMAND_ERROR_IS_FATAL ANY)
