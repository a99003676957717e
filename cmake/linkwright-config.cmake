# find_package(linkwright CONFIG) gives the target linkwright::linkwright.
include(CMakeFindDependencyMacro)
find_dependency(Eigen3 3.4 NO_MODULE)
find_dependency(fmt)
find_dependency(NLopt)
find_dependency(tinyxml2 CONFIG)
find_dependency(yaml-cpp CONFIG)
include(${CMAKE_CURRENT_LIST_DIR}/linkwright-targets.cmake)
