// Shell scripts that stand in a temporary folder and behave badly; and a small query.
#pragma once
#include <sys/stat.h>

#include <string>

#include "base/files.h"
#include "smt/portfolio.h"

namespace hallmark::smt {

class Scripts {
 public:
  // A program that answers as the shell text says.
  SolverProgram program(const std::string& name, const std::string& body, Dialect dialect = Dialect::z3) {
    const std::string path = folder_.path() + "/" + name;
    write_file(path, "#!/bin/sh\n" + body + "\n");
    ::chmod(path.c_str(), 0755);
    return {name, dialect, path};
  }
  // One that says `word` to every check-sat and echoes what it is told to echo.
  SolverProgram always(const std::string& name, const std::string& word) {
    return program(name, "while read -r line; do case \"$line\" in *check-sat*) " + word +
                             " ;; '(echo '*) echo \"$line\" | sed 's/.*\"\\(.*\\)\".*/\\1/' ;; esac; done");
  }
  // One that is the real z3 for its first `right` queries (self-tests are nine) and then says `word`.
  SolverProgram turning(const std::string& name, int right, const std::string& word) {
    return program(name,
                   "mkfifo \"$0.$$.in\" \"$0.$$.out\"\nz3 -in -smt2 <\"$0.$$.in\" >\"$0.$$.out\" &\n"
                   "exec 3>\"$0.$$.in\" 4<\"$0.$$.out\"\nrm \"$0.$$.in\" \"$0.$$.out\"\nn=0\n"
                   "while read -r line; do case \"$line\" in\n"
                   "*check-sat*) n=$((n+1)); echo '(check-sat)' >&3; read -r a <&4; "
                   "if [ $n -gt " +
                       std::to_string(right) + " ]; then echo " + word +
                       "; else echo \"$a\"; fi ;;\n"
                       "'(echo '*) echo \"$line\" | sed 's/.*\"\\(.*\\)\".*/\\1/' ;;\n"
                       "'(get-'*) ;;\n"
                       "*) printf '%s\\n' \"$line\" >&3 ;; esac; done");
  }

 private:
  TemporaryFolder folder_;
};

// 0 <= i < n and n <= 100 imply i < 100 + slack; the mutant says i < 99.
inline Query small_query(Arena& a, long slack = 0) {
  const Term i = a.integer_variable("i"), n = a.integer_variable("n");
  Query q;
  q.hypotheses = {{"range of i", in_range(i, a.integer(0), n)}, {"size", less_equal(n, 100)}};
  q.goal = less(i, 100 + slack);
  q.mutants = {less(i, 99)};
  return q;
}

}  // namespace hallmark::smt
