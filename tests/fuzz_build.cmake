# Configures and builds the fuzzers of SOURCE in BUILD.
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} --preset fuzz -B ${BUILD} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} -j 2 COMMAND_ERROR_IS_FATAL ANY)
