// Uses the installed package from every stage, in a program that is compiled without our own flags.
#include <cstdio>

#include <linkwright/linkwright.hpp>

int main() {
  lw::Graph graph;
  const lw::Expr x = graph.input("x");
  if (!(x + x == x + x)) return 1;
  for (const lw::EmbeddedFile& file : lw::embedded_files()) {
    std::printf("%s: %zu bytes\n", std::string(file.name).c_str(), file.text.size());
  }
  return 0;
}
