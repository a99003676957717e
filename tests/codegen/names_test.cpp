// What a reader of generated code finds: every name explained, equations in the order of the sweeps over the links.
#include <gtest/gtest.h>

#include "base/process.hpp"
#include "codegen/c/emit_c.hpp"
#include "codegen/compile.hpp"
#include "codegen/languages/emit_latex.hpp"
#include "codegen/languages/emit_text.hpp"
#include "codegen/text/banner.hpp"
#include "codegen/text/equations.hpp"
#include "codegen/text/unicode_notation.hpp"
#include "model/read/read.hpp"
#include "other_languages.hpp"

namespace lw {
namespace names_test {

TEST(Names, AreExplainedAtTheHeadOfTheFile) {
  for (const char* model : {"puma560", "stanford", "quadruped"}) {
    const Program program = make_program(load(model), {"inverse", "forward"});
    const std::string code = emit_c(program).at(1).text, head = code.substr(0, code.find("#include"));
    std::size_t named = 0;
    for (const Function& f : program.functions) {
      for (const NodeId id : f.order()) {
        const std::string* name = f.graph().name_of(id);
        if (name == nullptr) continue;
        ++named;
        const std::string quantity = parsed(*name).quantity;
        ASSERT_NE(meaning(quantity), nullptr) << *name;
        EXPECT_NE(head.find("\n *   " + quantity + " "), std::string::npos) << model << ": " << *name;
      }
    }
    EXPECT_GT(named, 50u) << model;
    for (const char c : head) ASSERT_GE(c, 0) << "not every compiler's reader expects more than ASCII";
  }
}

// Axes that are not the file's are told to be so.
TEST(Names, ChosenFramesAreExplained) {
  const auto legend = [](const Program& program) { return emit_c(program).at(1).text; };
  const Program canonical = make_program(load("puma560"), {"inverse"}), own = make_program(load("puma560"), {"energy"});
  ASSERT_TRUE(canonical.notes[0].starts_with("inverse: acceleration tensor")) << canonical.notes[0];
  EXPECT_NE(legend(canonical).find("In inverse these axes are not the file's"), std::string::npos);
  EXPECT_NE(legend(own).find("in the axes of that link"), std::string::npos);
  EXPECT_EQ(legend(own).find("not the file's"), std::string::npos);
}

TEST(Names, NothingIsExplainedWithoutNames) {
  const Function f =
      trace("f", {{"x", 1}}, {{"y", 1}}, [](const Arguments& in, Results& out) { out[0][0] = in[0][0] * 2.0; });
  Program program;
  program.name = "f";
  program.functions = {f};
  EXPECT_EQ(banner_with_names(program), banner(program));
}

TEST(Names, EquationsGoOutwardLinkByLinkAndBack) {
  for (const char* model : {"puma560", "ur5", "stanford"}) {
    const Program program = make_program(load(model), {"inverse"});
    const UnicodeNotation notation;
    const Equations equations(program.functions[0], notation);
    int link = 0;
    bool inward = false;
    for (const Section& s : equations.sections()) {
      const Meaning* m = meaning(s.quantity);
      if (s.body.empty()) continue;
      ASSERT_NE(m, nullptr) << s.quantity;
      if (m->sweep == Sweep::inward && !inward) {
        inward = true;
        link = 1000;
      }
      const int here = std::stoi(s.body);
      EXPECT_EQ(m->sweep, inward ? Sweep::inward : Sweep::outward) << model << ", " << s.quantity << s.body;
      EXPECT_TRUE(inward ? here <= link : here >= link) << model << ", " << s.quantity << s.body << " after " << link;
      link = here;
    }
    EXPECT_TRUE(inward);
    EXPECT_EQ(link, 1);
  }
}

TEST(Names, NumbersHaveNoRoundingDigitsOrLeadingSigns) {
  const Function f = trace("f", {{"x", 1}}, {{"y", 1}}, [](const Arguments& in, Results& out) {
    out[0][0] = in[0][0] * 0.30000000000000004 + (-1.0);
  });
  Program program;
  program.name = "f";
  program.functions = {f};
  EXPECT_NE(emit_text(program).at(0).text.find("y₁ = 0.3 x₁ − 1\n"), std::string::npos)
      << emit_text(program).at(0).text;
}

TEST(Names, LatexAcceptsThem) {
  if (find_program("pdflatex").empty()) GTEST_SKIP() << "no pdflatex";
  // carriers' quantities, squared among them
  const Scratch scratch;
  write(scratch, emit_latex(make_program(load("ur5"), {"inverse", "forward"})));
  const std::string said = output_of(scratch, "pdflatex -interaction=nonstopmode -halt-on-error ur5.tex");
  EXPECT_NE(said.find("Output written on ur5.pdf"), std::string::npos) << said;
}

}  // namespace names_test
}  // namespace lw
