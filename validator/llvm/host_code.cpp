#include "validator/llvm/host_code.h"

#include <algorithm>
#include <array>

namespace hallmark::validator::source {
namespace {

bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool is_word(char c) {
  return is_word_start(c) || (c >= '0' && c <= '9');
}

struct Token {
  enum class Kind { word, mark, literal, end } kind = Kind::end;
  std::string_view text;
  std::size_t at = 0;
  std::size_t line = 0;  // by the line markers
};

// Tokens of preprocessed text: no comments, no macros; "# 12 "file"" says where the next line comes from.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  const std::string& file() const { return file_; }

  Token next() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++at_;
        ++line_;
        fresh_ = true;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (c == '#' && fresh_) {
        directive();
      } else {
        break;
      }
    }
    fresh_ = false;
    Token out;
    out.at = at_;
    out.line = line_;
    if (at_ >= text_.size()) return out;
    const char c = text_[at_];
    if (is_word_start(c)) {
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
      out.kind = Token::Kind::word;
      if (at_ < text_.size() && text_[at_] == '"' && text_[at_ - 1] == 'R') raw_string();
    } else if (c >= '0' && c <= '9') {
      while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '.' || text_[at_] == '\'')) ++at_;
      out.kind = Token::Kind::literal;
    } else if (c == '"' || c == '\'') {
      ++at_;
      while (at_ < text_.size() && text_[at_] != c && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
      at_ = std::min(text_.size(), at_ + 1);
      out.kind = Token::Kind::literal;
    } else {
      ++at_;
      out.kind = Token::Kind::mark;
    }
    out.text = text_.substr(out.at, at_ - out.at);
    return out;
  }

 private:
  void raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return;
    const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t end = text_.find(close, open);
    const std::size_t stop = end == std::string_view::npos ? text_.size() : end + close.size();
    line_ += static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                 text_.begin() + static_cast<std::ptrdiff_t>(stop), '\n'));
    at_ = stop;
  }

  // A line marker changes file and line; every other directive is passed over.
  void directive() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = text_.substr(at_, end - at_);
    std::size_t i = 1;
    while (i < line.size() && line[i] == ' ') ++i;
    std::size_t number = 0;
    const std::size_t digits = i;
    while (i < line.size() && line[i] >= '0' && line[i] <= '9' && number < 100000000)
      number = number * 10 + static_cast<std::size_t>(line[i++] - '0');
    const std::size_t quote = line.find('"', i);
    if (i > digits && quote != std::string_view::npos) {
      file_.clear();
      for (std::size_t k = quote + 1; k < line.size() && line[k] != '"'; ++k) {
        if (line[k] == '\\' && k + 1 < line.size()) ++k;
        file_ += line[k];
      }
      line_ = number - 1;  // of the marker itself: the line end behind it counts
    }
    at_ = end;
  }

  std::string_view text_;
  std::size_t at_ = 0, line_ = 1;
  std::string file_;
  bool fresh_ = true;
};

template <std::size_t N>
bool one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<std::string_view, 4> type_words{"struct", "class", "union", "enum"};

// One declaration as it grows.
struct Growing {
  TopDeclaration out;
  std::vector<Token> head;  // up to the body or the initialiser
  bool is_device = false, is_kernel = false, is_shared = false, is_alias = false, is_type = false;
  bool has_call = false, has_initialiser = false;
};

class Declarations {
 public:
  Declarations(std::string_view text, const std::string& stub_folder)
      : text_(text), stub_folder_(stub_folder), lexer_(text) {}

  std::vector<TopDeclaration> run() {
    advance();
    while (token_.kind != Token::Kind::end) {
      if (token_.text == "}" || token_.text == ";") {
        advance();  // the end of a namespace
        continue;
      }
      declaration();
    }
    return std::move(all_);
  }

 private:
  void advance() {
    last_end_ = token_.at + token_.text.size();
    last_line_ = token_.line;
    token_ = lexer_.next();
  }

  // Passes a bracketed part, from its opening to behind its closing mark.
  void brackets(Growing& g, bool keep) {
    int depth = 0;
    do {
      const std::string_view t = token_.text;
      if (t == "(" || t == "[" || t == "{") ++depth;
      if (t == ")" || t == "]" || t == "}") --depth;
      if (keep) g.head.push_back(token_);
      advance();
    } while (depth > 0 && token_.kind != Token::Kind::end);
  }

  // template < ... >
  void template_header(Growing& g) {
    g.out.is_template = true;
    g.head.push_back(token_);
    advance();
    if (token_.text != "<") return;  // an explicit instantiation
    int depth = 0;
    do {
      if (token_.text == "(" || token_.text == "[" || token_.text == "{") {
        brackets(g, false);
        continue;
      }
      if (token_.text == "<") ++depth;
      if (token_.text == ">") --depth;
      advance();
    } while (depth > 0 && token_.kind != Token::Kind::end);
  }

  bool opens_scope(Growing& g) {
    if (token_.text == "inline" && g.head.empty()) return false;
    if (token_.text == "namespace") {
      do advance();
      while (token_.kind != Token::Kind::end && token_.text != "{" && token_.text != ";");
      if (token_.kind != Token::Kind::end) advance();
      return true;
    }
    if (token_.text == "extern") {
      g.head.push_back(token_);
      advance();
      if (token_.kind != Token::Kind::literal) return false;
      advance();
      if (token_.text != "{") return false;
      advance();
      return true;
    }
    return false;
  }

  void declaration() {
    Growing g;
    g.out.begin = token_.at;
    g.out.first_line = token_.line;
    g.out.file = lexer_.file();
    while (token_.kind != Token::Kind::end) {
      const std::string_view t = token_.text;
      if (opens_scope(g)) return;
      if (token_.kind == Token::Kind::end) break;
      if (token_.text != t) continue;  // `extern` has been read
      if (t == "template") {
        template_header(g);
        continue;
      }
      if (t == ";") {
        advance();
        break;
      }
      if (t == "{") {
        const bool is_function = g.has_call && !g.has_initialiser && !g.is_type;
        brackets(g, false);
        if (is_function) {
          g.out.has_body = true;
          break;
        }
        g.out.has_body = g.out.has_body || g.is_type;
        continue;
      }
      if (t == "}") break;  // unbalanced: leave it to Clang
      if (t == "(" || t == "[") {
        const bool is_attribute = !g.head.empty() && g.head.back().text == "__attribute__";
        const bool is_list = t == "(" && !is_attribute && !g.has_initialiser;
        g.has_call = g.has_call || is_list;
        if (is_attribute)
          attribute(g);
        else
          brackets(g, true);
        continue;
      }
      words(g, t);
      g.head.push_back(token_);
      advance();
    }
    g.out.end = last_end_;
    g.out.last_line = last_line_;
    finish(g);
  }

  // Execution spaces, which the stubs spell as attributes.
  void attribute(Growing& g) {
    int depth = 0;
    do {
      const std::string_view t = token_.text;
      if (t == "(") ++depth;
      if (t == ")") --depth;
      if (t == "global") g.is_kernel = true;
      if (t == "device" || t == "shared" || t == "constant") g.is_device = true;
      advance();
    } while (depth > 0 && token_.kind != Token::Kind::end);
  }

  static void words(Growing& g, std::string_view t) {
    if (t == "=") g.has_initialiser = true;
    if (g.has_initialiser || g.has_call) return;
    if (t == "typedef" || t == "using" || t == "static_assert" || t == "_Static_assert" || t == "asm")
      g.is_alias = true;
    if (t == "constexpr" || t == "const" || t == "consteval") g.is_shared = true;
    if (one_of(t, type_words)) g.is_type = true;
  }

  void finish(Growing& g) {
    if (g.out.end <= g.out.begin) return;
    using Kind = TopDeclaration::Kind;
    g.out.name = name_of(g);
    if (g.is_type && g.has_call && !g.out.has_body) g.is_type = false;  // struct x f(...)
    const bool host_function = g.has_call && !g.is_type && !g.is_alias;
    if (!stub_folder_.empty() && g.out.file.rfind(stub_folder_, 0) == 0)
      g.out.kind = Kind::stub;
    else if (g.is_kernel)
      g.out.kind = Kind::kernel;
    else if (g.is_device)
      g.out.kind = Kind::device;
    else if (g.is_alias || g.is_type || is_constexpr(g) || (g.is_shared && !host_function))
      g.out.kind = Kind::shared;
    else
      g.out.kind = Kind::host;
    all_.push_back(std::move(g.out));
  }

  static bool is_constexpr(const Growing& g) {
    return std::any_of(g.head.begin(), g.head.end(),
                       [](const Token& t) { return t.text == "constexpr" || t.text == "consteval"; });
  }

  // A function's name stands before its parameters, a type's behind its keyword, any other before `=`, `[`
  // or the end.
  static std::string name_of(const Growing& g) {
    std::string last;
    bool behind_type = false;
    for (std::size_t i = 0; i < g.head.size(); ++i) {
      const Token& t = g.head[i];
      if (t.kind == Token::Kind::word && t.text == "__attribute__") continue;
      if (g.is_type && behind_type && t.kind == Token::Kind::word && t.text != "class")
        return std::string(t.text);
      if (one_of(t.text, type_words)) behind_type = true;
      if (t.text == "using" && i + 1 < g.head.size()) return std::string(g.head[i + 1].text);
      if (t.text == "(" && !g.is_type && !last.empty() && last != "__attribute__") {
        if (g.is_alias) {
          last = "";
          continue;
        }
        return last;
      }
      if ((t.text == "=" || t.text == "[") && !last.empty()) return last;
      if (t.kind == Token::Kind::word) last = std::string(t.text);
    }
    return last;
  }

  std::string_view text_;
  const std::string& stub_folder_;
  Lexer lexer_;
  Token token_;
  std::size_t last_end_ = 0, last_line_ = 0;
  std::vector<TopDeclaration> all_;
};

std::string trimmed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// Where "NAME" or "NAME<...>" that ends before `end` begins; `end` where there is none.
std::size_t name_before(std::string_view text, std::size_t end) {
  std::size_t at = end;
  const auto back_over_blanks = [&] {
    while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\n' || text[at - 1] == '\t')) --at;
  };
  back_over_blanks();
  if (at > 0 && text[at - 1] == '>') {
    int depth = 0;
    do {
      --at;
      if (text[at] == '>') ++depth;
      if (text[at] == '<') --depth;
      if (text[at] == ';' || text[at] == '{' || text[at] == '}') return end;
    } while (at > 0 && depth > 0);
    if (depth != 0) return end;
    back_over_blanks();
  }
  const std::size_t word_end = at;
  while (at > 0 && (is_word(text[at - 1]) || text[at - 1] == ':')) --at;
  return at == word_end ? end : at;
}

}  // namespace

std::vector<TopDeclaration> top_declarations(std::string_view text, const std::string& stub_folder) {
  return Declarations(text, stub_folder).run();
}

std::vector<HostLaunch> launches_in(std::string_view text) {
  std::vector<HostLaunch> out;
  for (std::size_t at = text.find("<<<"); at != std::string_view::npos; at = text.find("<<<", at + 3)) {
    const std::size_t start = name_before(text, at), close = text.find(">>>", at + 3);
    if (start == at || close == std::string_view::npos) continue;
    HostLaunch launch;
    launch.kernel = trimmed(text.substr(start, at - start));
    int depth = 0;
    std::size_t from = at + 3;
    for (std::size_t i = from; i <= close; ++i) {
      const char c = text[i];
      if (c == '(' || c == '{') ++depth;
      if (c == ')' || c == '}') --depth;
      if (i == close || (c == ',' && depth == 0)) {
        launch.configuration.push_back(trimmed(text.substr(from, i - from)));
        from = i + 1;
      }
    }
    out.push_back(std::move(launch));
  }
  return out;
}

namespace {

std::optional<long> constant_number(std::string_view text, std::string_view all, int depth);

// What stands behind `= ` or in `( )` or `{ }` of the definitions of a name; nothing unless all agree.
std::optional<std::string> definition_of(std::string_view name, std::string_view all) {
  std::optional<std::string> found;
  for (std::size_t at = all.find(name); at != std::string_view::npos; at = all.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at > 0 && is_word(all[at - 1])) || end >= all.size() || is_word(all[end])) continue;
    // A definition follows a type; a call or a use does not.
    std::size_t before = at;
    while (before > 0 && all[before - 1] == ' ') --before;
    const bool typed = before < at && before > 0 && is_word(all[before - 1]);
    std::size_t i = end;
    while (i < all.size() && all[i] == ' ') ++i;
    if (i >= all.size() || (all[i] != '=' && !(typed && (all[i] == '(' || all[i] == '{')))) {
      if (i + 1 < all.size() &&
          (all[i] == '+' || all[i] == '-' || all[i] == '*' || all[i] == '/' || all[i] == '<' ||
           all[i] == '>') &&
          all[i + 1] == '=' && all[i] != '<' && all[i] != '>')
        return std::nullopt;  // it is changed
      continue;
    }
    if (all[i] == '=' && i + 1 < all.size() && all[i + 1] == '=') continue;
    if (before >= 6 && all.substr(before - 6, 6) == "return") continue;
    std::string value;
    int depth = 0;
    const bool is_list = all[i] != '=';
    for (std::size_t k = is_list ? i : i + 1; k < all.size(); ++k) {
      const char c = all[k];
      if (c == '(' || c == '{') ++depth;
      if (c == ')' || c == '}') --depth;
      if (depth < 0 || (depth == 0 && (c == ';' || c == ','))) break;
      value += c;
      if (is_list && depth == 0) break;
    }
    value = trimmed(value);
    if (found && *found != value) return std::nullopt;
    found = value;
  }
  return found;
}

std::optional<std::array<long, 3>> list_of_extents(std::string_view text, std::string_view all, int depth) {
  std::array<long, 3> out{1, 1, 1};
  std::size_t d = 0, from = 1;
  int open = 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '{') ++open;
    const bool last = i + 1 == text.size();
    if (last || (text[i] == ',' && open == 0)) {
      const auto value = constant_number(text.substr(from, i - from), all, depth + 1);
      if (!value || d == 3) return std::nullopt;
      out[d++] = *value;
      from = i + 1;
    }
    if (text[i] == ')' || text[i] == '}') --open;
  }
  return d == 0 ? std::nullopt : std::optional(out);
}

std::optional<std::array<long, 3>> extents_at(std::string_view expression, std::string_view all, int depth) {
  const std::string text = trimmed(expression);
  if (depth > 6 || text.empty()) return std::nullopt;
  if (text.rfind("dim3", 0) == 0) {
    const std::size_t open = text.find_first_of("({");
    if (open == std::string::npos) return std::nullopt;
    return list_of_extents(std::string_view(text).substr(open), all, depth);
  }
  if (text[0] == '(' || text[0] == '{') return list_of_extents(text, all, depth);
  if (text[0] >= '0' && text[0] <= '9') {
    const auto value = constant_number(text, all, depth);
    if (!value) return std::nullopt;
    return std::array<long, 3>{*value, 1, 1};
  }
  if (!std::all_of(text.begin(), text.end(), is_word)) return std::nullopt;
  const auto definition = definition_of(text, all);
  if (!definition) return std::nullopt;
  return extents_at(*definition, all, depth + 1);
}

std::optional<long> constant_number(std::string_view expression, std::string_view all, int depth) {
  const std::string text = trimmed(expression);
  if (text.empty() || depth > 6) return std::nullopt;
  if (const std::size_t times = text.find('*'); times != std::string::npos) {
    const auto a = constant_number(text.substr(0, times), all, depth + 1),
               b = constant_number(text.substr(times + 1), all, depth + 1);
    if (!a || !b || *a > 65536 || *b > 65536) return std::nullopt;
    return *a * *b;
  }
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  if (digits > 0) {
    const std::string suffix = text.substr(digits);
    if (digits > 9 || (suffix != "" && suffix != "u" && suffix != "U")) return std::nullopt;
    return std::stol(text.substr(0, digits));
  }
  const auto extents = extents_at(text, all, depth + 1);
  if (!extents || (*extents)[1] != 1 || (*extents)[2] != 1) return std::nullopt;
  return (*extents)[0];
}

}  // namespace

std::optional<std::array<long, 3>> constant_extents(std::string_view expression, std::string_view text) {
  const auto out = extents_at(expression, text, 0);
  if (!out || (*out)[0] < 1 || (*out)[1] < 1 || (*out)[2] < 1) return std::nullopt;
  return out;
}

namespace {

// "# 12 ...", not "#pragma unroll".
bool is_marker(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && text[at] == ' ') ++at;
  return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

}  // namespace

void blank(std::string& text, std::size_t begin, std::size_t end) {
  bool fresh = begin == 0 || text[begin - 1] == '\n';
  for (std::size_t i = begin; i < end && i < text.size(); ++i) {
    // Line markers stay: they say where the lines behind them come from.
    if (fresh && text[i] == '#' && is_marker(text, i)) {
      i = std::min(text.find('\n', i), text.size());
      fresh = true;
      continue;
    }
    fresh = text[i] == '\n';
    if (!fresh) text[i] = ' ';
  }
}

bool mentions(std::string_view text, std::string_view identifier) {
  for (std::size_t at = text.find(identifier); at != std::string_view::npos;
       at = text.find(identifier, at + 1)) {
    const bool starts = at == 0 || !is_word(text[at - 1]);
    const std::size_t end = at + identifier.size();
    if (starts && (end >= text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

}  // namespace hallmark::validator::source
