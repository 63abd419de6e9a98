// The preprocessed text of one CUDA file as Clang compiles it: without host code (host_code.h), with the
// templates instantiated that launches in the file name and that the user names. What does not compile is
// taken out, so that the other kernels are still read; whatever mentions it by name goes with it, because
// another overload might otherwise stand in for it unseen.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "validator/llvm/host_code.h"

namespace hallmark::validator::source {

struct Diagnostic {
  Location where;
  std::string kind, text;  // kind: "error" or "warning"
};

struct LostKernel {
  std::string name;
  std::string message;
  Location where;
};

class DeviceText {
 public:
  DeviceText(std::string preprocessed, std::string stub_folder, const std::vector<std::string>& instances);

  const std::string& text() const { return text_; }
  // Takes out what the errors stand in. Returns false when that is not possible: an error outside every
  // declaration that could go, in a template argument that the user named, or nothing left to read.
  bool drop(const std::vector<Diagnostic>& messages);
  // Kernels that were taken out, in the order of the text.
  const std::vector<LostKernel>& lost() const { return lost_; }
  // Kernel templates with a body, which are read only where something instantiates them.
  std::vector<TopDeclaration> templates() const;
  const std::vector<HostLaunch>& launches() const { return launches_; }

 private:
  struct Instance {
    std::string name;
    bool asked = false;  // by the user
    std::size_t begin = 0, end = 0;
    bool dropped = false;
  };
  bool drop_at(const Diagnostic& message);
  void take_out(std::size_t declaration, const std::string& message, const Location& where);
  void drop_users(const std::string& name, const std::string& message, const Location& where);

  std::string text_;
  std::vector<TopDeclaration> declarations_;
  std::set<std::size_t> gone_;  // indices of declarations that were blanked
  std::vector<Instance> instances_;
  std::vector<HostLaunch> launches_;
  std::vector<LostKernel> lost_;
};

}  // namespace hallmark::validator::source
