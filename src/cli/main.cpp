#include "commands.hpp"

int main(int argc, char** argv) { return lw::cli::run_program(lw::cli::commands(), argc, argv); }
