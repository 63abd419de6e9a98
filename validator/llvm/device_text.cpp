#include "validator/llvm/device_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hallmark::validator::source {
namespace {

constexpr const char* instances_file = "<instances>";

using Kind = TopDeclaration::Kind;

}  // namespace

DeviceText::DeviceText(std::string preprocessed, std::string stub_folder,
                       const std::vector<std::string>& instances)
    : text_(std::move(preprocessed)), declarations_(top_declarations(text_, stub_folder)) {
  std::string own;  // definitions are looked for in the user's text alone
  for (const TopDeclaration& d : declarations_)
    if (d.kind != Kind::stub) own += text_.substr(d.begin, d.end - d.begin) + "\n";
  for (const std::string& name : instances) instances_.push_back({name, true});
  for (std::size_t i = 0; i < declarations_.size(); ++i) {
    const TopDeclaration& d = declarations_[i];
    if (d.kind != Kind::host) continue;
    for (HostLaunch& launch : launches_in(std::string_view(text_).substr(d.begin, d.end - d.begin))) {
      const bool known = std::any_of(instances_.begin(), instances_.end(),
                                     [&](const Instance& n) { return n.name == launch.kernel; });
      if (launch.kernel.find('<') != std::string::npos && !known)
        instances_.push_back({launch.kernel, false});
      if (launch.configuration.size() > 1) launch.block = constant_extents(launch.configuration[1], own);
      launches_.push_back(std::move(launch));
    }
    blank(text_, d.begin, d.end);
    gone_.insert(i);
  }
  if (instances_.empty()) return;
  text_ += fmt::format("\n# 1 \"{}\"\n", instances_file);
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    instances_[i].begin = text_.size();
    text_ += fmt::format("static auto *const hallmark_instance_{} = &{};", i, instances_[i].name);
    instances_[i].end = text_.size();
    text_ += "\n";
  }
}

std::vector<TopDeclaration> DeviceText::templates() const {
  std::vector<TopDeclaration> out;
  for (std::size_t i = 0; i < declarations_.size(); ++i)
    if (declarations_[i].kind == Kind::kernel && declarations_[i].is_template && declarations_[i].has_body &&
        gone_.count(i) == 0)
      out.push_back(declarations_[i]);
  return out;
}

bool DeviceText::drop(const std::vector<Diagnostic>& messages) {
  bool any = false;
  for (const Diagnostic& message : messages) {
    if (message.kind != "error") continue;
    if (!drop_at(message)) return false;
    any = true;
  }
  if (!any) return false;
  std::stable_sort(lost_.begin(), lost_.end(), [](const LostKernel& a, const LostKernel& b) {
    return a.where.file == b.where.file && a.where.line < b.where.line;
  });
  for (std::size_t i = 0; i < declarations_.size(); ++i)
    if (declarations_[i].kind == Kind::kernel && gone_.count(i) == 0) return true;
  return false;
}

bool DeviceText::drop_at(const Diagnostic& message) {
  if (message.where.file == instances_file) {
    if (message.where.line == 0 || message.where.line > instances_.size()) return false;
    Instance& instance = instances_[message.where.line - 1];
    if (instance.asked) return false;
    if (!instance.dropped) blank(text_, instance.begin, instance.end);
    instance.dropped = true;
    return true;
  }
  for (std::size_t i = 0; i < declarations_.size(); ++i) {
    const TopDeclaration& d = declarations_[i];
    if (d.kind == Kind::stub || d.file != message.where.file || message.where.line < d.first_line ||
        message.where.line > d.last_line)
      continue;
    if (gone_.count(i) != 0) return true;  // a second error of it
    take_out(i, message.text, message.where);
    return d.kind == Kind::kernel || !d.name.empty();
  }
  return false;
}

void DeviceText::take_out(std::size_t declaration, const std::string& message, const Location& where) {
  const TopDeclaration& d = declarations_[declaration];
  gone_.insert(declaration);
  blank(text_, d.begin, d.end);
  if (d.kind == Kind::kernel) {
    if (d.has_body) lost_.push_back({d.name, message, where});
  } else if (!d.name.empty()) {
    drop_users(d.name, fmt::format("it needs {}, which is not understood: {}", d.name, message), where);
  }
}

// Of code for the device: host declarations are gone already.
void DeviceText::drop_users(const std::string& name, const std::string& message, const Location& where) {
  for (std::size_t i = 0; i < declarations_.size(); ++i) {
    const TopDeclaration& d = declarations_[i];
    if (d.kind == Kind::stub || gone_.count(i) != 0) continue;
    if (mentions(std::string_view(text_).substr(d.begin, d.end - d.begin), name)) take_out(i, message, where);
  }
}

}  // namespace hallmark::validator::source
