// PTX: statements end at ';', a label is a word before ':', a loop is a branch to a label that came before.
#include <algorithm>
#include <set>
#include <sstream>

#include "scanner/scanner.h"
#include "scanner/tokens.h"

namespace hallmark::scanner {
namespace {

bool is_float_constant(const std::string& text) {
  const std::string start = text.substr(0, 2);
  return ((start == "0f" || start == "0F") && text.size() == 10) ||
         ((start == "0d" || start == "0D") && text.size() == 18);
}

std::vector<std::string> split(const std::string& opcode) {
  std::istringstream in(opcode);
  std::vector<std::string> out;
  for (std::string part; std::getline(in, part, '.');) out.push_back(part);
  return out;
}

std::string space_of(const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    for (const char* space : {"global", "shared", "local", "const", "param"})
      if (part.substr(0, part.find(':')) == space) return space;
  return "generic";
}

class Reader {
 public:
  explicit Reader(std::string_view text) : tokens_(tokenize(text, "%$.", false)) {}

  std::vector<Unit> run() {
    while (at_ < tokens_.size()) {
      const std::string& word = tokens_[at_++].text;
      if (word == ".entry" || word == ".func")
        function(word == ".entry");
      else if (word == "{")
        skip_block();
    }
    return std::move(units_);
  }

 private:
  const std::string& now() const {
    static const std::string none;
    return at_ < tokens_.size() ? tokens_[at_].text : none;
  }
  void skip_block() {
    for (int depth = 1; at_ < tokens_.size() && depth > 0; ++at_)
      depth += now() == "{" ? 1 : now() == "}" ? -1 : 0;
  }

  void function(bool kernel) {
    if (now() == "(")
      while (at_ < tokens_.size() && tokens_[at_++].text != ")") {
      }
    if (at_ >= tokens_.size()) return;
    Unit unit{now(), kernel, tokens_[at_].line, {}};
    while (at_ < tokens_.size() && now() != "{" && now() != ";") ++at_;
    if (now() != "{") return;  // a declaration
    ++at_;
    labels_.clear();
    loops_.clear();
    for (int depth = 1; at_ < tokens_.size() && depth > 0;) {
      if (now() == "{" || now() == "}") {
        depth += now() == "{" ? 1 : -1;
        ++at_;
      } else {
        statement(unit);
      }
    }
    units_.push_back(std::move(unit));
  }

  void statement(Unit& unit) {
    const std::size_t line = tokens_[at_].line;
    if (now() == ".loc" || now() == ".file") {  // the only statements that end with their line
      while (at_ < tokens_.size() && tokens_[at_].line == line) ++at_;
      return;
    }
    // A label, but not `ld.shared::cta`.
    if (at_ + 2 < tokens_.size() && tokens_[at_ + 1].text == ":" && tokens_[at_ + 2].text != ":") {
      labels_.insert(now());
      at_ += 2;
      return;
    }
    if (now() == "@") {
      ++at_;
      if (now() == "!") ++at_;
      ++at_;
    }
    const std::string opcode = now();
    std::vector<std::string> operands;
    for (++at_; at_ < tokens_.size() && now() != ";"; ++at_) {  // braces are vectors here
      operands.push_back(now());
      if (is_float_constant(now()))
        unit.constructs.push_back({What::float_constant, now(), tokens_[at_].line});
    }
    if (now() == ";") ++at_;
    instruction(unit, opcode, operands, line);
  }

  void instruction(Unit& unit, const std::string& opcode, const std::vector<std::string>& operands,
                   std::size_t line) {
    const std::vector<std::string> parts = split(opcode);
    const std::string base = parts.empty() ? "" : parts[0];
    const std::string space = space_of(parts);
    const auto has = [&](std::string_view part) {
      return std::find(parts.begin(), parts.end(), part) != parts.end();
    };
    const auto add = [&](What what, const std::string& detail) {
      unit.constructs.push_back({what, detail, line});
    };
    const auto is = [&](std::initializer_list<std::string_view> names) {
      return std::find(names.begin(), names.end(), base) != names.end();
    };
    if (is({"ld", "ldu"}) && space != "param") add(What::load, space);
    if (base == "st" && space != "param") add(What::store, space);
    if (is({"atom", "red"}) || (base == "multimem" && has("red"))) add(What::atomic, space);
    if (is({"ldmatrix", "tex", "tld4", "suld"}) || (base == "wmma" && has("load"))) add(What::load, space);
    if (is({"stmatrix", "sust", "sured"}) || (base == "wmma" && has("store"))) add(What::store, space);
    if (base == "multimem" && !has("red")) add(has("st") ? What::store : What::load, space);
    if (base == "cp" && !has("commit_group") && !has("wait_group") && !has("wait_all")) {
      add(What::load, "global");
      add(What::store, "shared");
    }
    if ((base == "bar" && !has("warp")) || is({"barrier", "mbarrier"})) add(What::barrier, opcode);
    if ((base == "bar" && has("warp")) ||
        is({"shfl", "vote", "match", "redux", "activemask", "mma", "wmma", "wgmma", "ldmatrix", "elect"}))
      add(What::shuffle, opcode);
    if (base == "call") {
      int depth = 0;  // call (ret), NAME, (args): the callee is the first word outside parentheses
      for (const std::string& operand : operands) {
        depth += operand == "(" ? 1 : operand == ")" ? -1 : 0;
        if (depth == 0 && operand != ")" && operand != ",") {
          add(What::call, operand);
          break;
        }
      }
    }
    if (opcode == ".branchtargets" || is({"bra", "brx"}))
      for (const std::string& target : operands)
        if (labels_.contains(target) && loops_.insert(target).second) add(What::loop, target);
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::set<std::string> labels_, loops_;
  std::vector<Unit> units_;
};

}  // namespace

std::vector<Unit> scan_ptx(std::string_view text) {
  return Reader(text).run();
}

}  // namespace hallmark::scanner
