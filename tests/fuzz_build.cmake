# Configures and builds the fuzzers of SOURCE in BUILD, for short runs: not optimised, which takes half the time to compile.
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} --preset fuzz -B ${BUILD} -D CMAKE_CXX_FLAGS_DEBUG=-O0
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} -j 2 COMMAND_ERROR_IS_FATAL ANY)
