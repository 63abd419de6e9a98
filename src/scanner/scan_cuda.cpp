// CUDA C++: functions at file level; in their bodies subscripts, dereferences, loops and names of built-ins.
#include <algorithm>
#include <set>

#include "scanner/scanner.h"
#include "scanner/tokens.h"

namespace hallmark::scanner {
namespace {

bool one_of(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

class Reader {
 public:
  explicit Reader(std::string_view text) : tokens_(tokenize(text, "", true)) {}

  std::vector<Unit> run() {
    bool kernel = false;
    while (at_ < tokens_.size()) {
      const std::string& word = text(at_);
      if (word == "__global__") kernel = true;
      if (word == ";" || word == "}") kernel = false;
      // NAME ( ... ) {  at file level; braces of `extern "C"` and namespaces are stepped into.
      if (word == "(" && at_ > 0 && tokens_[at_ - 1].word && text(at_ - 1) != "__launch_bounds__") {
        const std::size_t name = at_ - 1;
        at_ = matching(at_, "(", ")") + 1;
        if (text(at_) != "{") continue;
        unit_ = {text(name), kernel, tokens_[name].line, {}};
        arrays_.clear();
        body(at_ + 1, matching(at_, "{", "}"));
        at_ = matching(at_, "{", "}") + 1;
        units_.push_back(std::move(unit_));
        kernel = false;
      } else {
        ++at_;
      }
    }
    return std::move(units_);
  }

 private:
  const std::string& text(std::size_t i) const {
    static const std::string none;
    return i < tokens_.size() ? tokens_[i].text : none;
  }
  bool word(std::size_t i) const { return i < tokens_.size() && tokens_[i].word; }
  void add(What what, std::string detail, std::size_t i) {
    unit_.constructs.push_back({what, std::move(detail), tokens_[i].line});
  }
  std::size_t matching(std::size_t i, const char* open, const char* close) const {
    for (int depth = 0; i < tokens_.size(); ++i) {
      depth += text(i) == open ? 1 : text(i) == close ? -1 : 0;
      if (depth == 0) return i;
    }
    return i;
  }

  void body(std::size_t begin, std::size_t end) {
    std::set<std::size_t> do_ends;
    for (std::size_t i = begin; i < end; ++i) {
      const std::string& before = text(i - 1);
      const bool starts = one_of(before, {";", "{", "}"}) || (before == "(" && text(i - 2) == "for");
      if (starts && word(i)) declaration(i);
      if (text(i) == "do" && text(i + 1) == "{") do_ends.insert(matching(i + 1, "{", "}"));
      if (one_of(text(i), {"for", "do", "goto"}) || (text(i) == "while" && !do_ends.contains(i - 1)))
        add(What::loop, text(i), i);
      if (text(i) == "[" && !extents_.contains(i) && before != "]") subscript(i);
      if (text(i) == "->") add(What::load, "generic", i);
      if (text(i) == "*" && !word(i - 1) && !one_of(before, {")", "]"}) && !is_number(before)) dereference(i);
      if (word(i) && text(i + 1) == "(") call(i);
      if (is_float(text(i))) add(What::float_constant, text(i), i);
    }
  }

  static bool is_number(const std::string& t) {
    return !t.empty() && ((t[0] >= '0' && t[0] <= '9') || (t[0] == '.' && t.size() > 1));
  }
  static bool is_float(const std::string& t) {
    if (!is_number(t)) return false;
    const bool hexadecimal = t.starts_with("0x") || t.starts_with("0X");
    return t.find('.') != std::string::npos ||
           t.find_first_of(hexadecimal ? "pP" : "eEfF") != std::string::npos;
  }

  // `TYPE NAME [extent]...`, also after qualifiers: the brackets are extents, and NAME is an array of a known
  // space.
  void declaration(std::size_t i) {
    std::string space = "local";
    std::size_t words = 0;
    for (; word(i) || one_of(text(i), {"*", "&", "::"}); ++i) {
      if (text(i) == "__shared__") space = "shared";
      if (one_of(text(i), {"return", "if", "for", "while", "do", "else", "case"})) return;
      if (one_of(text(i), {"__align__", "alignas"}) && text(i + 1) == "(") i = matching(i + 1, "(", ")");
      ++words;
    }
    if (words < 2 || text(i) != "[") return;
    arrays_[text(i - 1)] = space;
    for (; text(i) == "["; i = matching(i, "[", "]") + 1) extents_.insert(i);
  }

  void subscript(std::size_t i) {
    const std::string& base = text(i - 1);
    if (!word(i - 1) && base != ")") return;  // a lambda's capture list
    const auto known = arrays_.find(base);
    const std::string space = known != arrays_.end() ? known->second : base == ")" ? "generic" : "global";
    std::size_t after = i;
    while (text(after) == "[") after = matching(after, "[", "]") + 1;
    if (text(after) == "." && word(after + 1)) after += 2;
    const std::string& prefix = base == ")" ? text(i) : text(i - 2);
    // `&x[i]` is an address: whoever uses it (an atomic, a cast and a dereference) is counted there.
    if (prefix == "&" && i >= 3 && !word(i - 3) && !one_of(text(i - 3), {")", "]"})) return;
    access(space, text(after), prefix, i);
  }

  void dereference(std::size_t i) {
    std::size_t after = i + 1;
    while (text(after) == "*") ++after;
    while (text(after) == "(" || word(after))
      after = text(after) == "(" ? matching(after, "(", ")") + 1 : after + 1;
    while (text(after) == "&" || text(after) == "[" || word(after) || text(after) == "(")
      after = text(after) == "["   ? matching(after, "[", "]") + 1
              : text(after) == "(" ? matching(after, "(", ")") + 1
                                   : after + 1;
    access("generic", text(after), text(i - 1), i);
  }

  void access(const std::string& space, const std::string& after, const std::string& prefix, std::size_t i) {
    const bool plain = after == "=";
    const bool both =
        one_of(after, {"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"}) ||
        one_of(prefix, {"++", "--"});
    if (!plain) add(What::load, space, i);
    if (plain || both) add(What::store, space, i);
  }

  void call(std::size_t i) {
    const std::string& name = text(i);
    if (name.starts_with("__syncthreads") || name.starts_with("__barrier"))
      add(What::barrier, name, i);
    else if (name.starts_with("atomic"))
      add(What::atomic, "generic", i);
    else if (name == "__syncwarp" || name.starts_with("__shfl") || name == "__activemask" ||
             name.starts_with("__match") || name.starts_with("__reduce_") ||
             one_of(name, {"__ballot_sync", "__any_sync", "__all_sync"}))
      add(What::shuffle, name, i);
    else if (!one_of(name, {"if", "for", "while", "switch", "return", "sizeof"}))
      add(What::call, name, i);
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  Unit unit_;
  std::map<std::string, std::string> arrays_;  // declared in this body -> space
  std::set<std::size_t> extents_;
  std::vector<Unit> units_;
};

}  // namespace

std::vector<Unit> scan_cuda(std::string_view text) {
  return Reader(text).run();
}

}  // namespace hallmark::scanner
