// The kernels of corpus/kernels and what their files expect:
//
//   // expect KERNEL: proved                 every obligation is proved
//   // expect KERNEL: refuted KIND ...       these kinds have a refutation, executed by the interpreter
//   // expect KERNEL: unrun KIND ...         these kinds are not decided, all others are proved
//   // expect KERNEL: open KIND ...          these kinds are not proved
//   // expect KERNEL ptx: ...                the same of nvcc's PTX, or of the text itself in a .ptx file;
//   without such a line nothing is expected of it
//
// The first kernel of a file is right, the others are its faulty twins; the specification stands beside it.
#pragma once
#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/files.h"

namespace hallmark {

struct Expectation {
  std::string verdict;  // proved, refuted, unrun, open
  std::vector<std::string> kinds;
  std::string text() const {
    std::string out = verdict;
    for (const std::string& kind : kinds) out += " " + kind;
    return out;
  }
};

struct CorpusKernel {
  std::string name;
  std::map<std::string, Expectation> levels;  // source; ptx where something is expected of it
};

struct CorpusFile {
  std::string family, name, cuda, specification;  // the last two are paths; cuda may be PTX
  std::vector<CorpusKernel> kernels;
};

inline void PrintTo(const CorpusFile& file, std::ostream* out) {
  *out << file.family << "/" << file.name;
}

inline std::vector<CorpusFile> read_corpus(const std::string& folder) {
  std::vector<CorpusFile> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".cu" && entry.path().extension() != ".ptx") continue;
    CorpusFile file;
    file.family = entry.path().parent_path().filename().string();
    file.name = entry.path().stem().string();
    file.cuda = entry.path().string();
    file.specification = std::filesystem::path(entry.path()).replace_extension(".hm").string();
    std::istringstream text(read_file(file.cuda));
    for (std::string line; std::getline(text, line);) {
      const std::string start = "// expect ";
      if (line.rfind(start, 0) != 0) continue;
      const std::size_t colon = line.find(':');
      std::istringstream before(line.substr(start.size(), colon - start.size())),
          after(line.substr(colon + 1));
      std::string kernel, level, kind;
      before >> kernel >> level;
      Expectation expectation;
      after >> expectation.verdict;
      while (after >> kind) expectation.kinds.push_back(kind);
      auto found = std::find_if(file.kernels.begin(), file.kernels.end(),
                                [&](const CorpusKernel& k) { return k.name == kernel; });
      if (found == file.kernels.end())
        found = file.kernels.insert(file.kernels.end(), CorpusKernel{kernel, {}});
      found->levels[level.empty() ? "source" : level] = expectation;
    }
    files.push_back(file);
  }
  std::sort(files.begin(), files.end(), [](const CorpusFile& a, const CorpusFile& b) {
    return std::tie(a.family, a.name) < std::tie(b.family, b.name);
  });
  return files;
}

}  // namespace hallmark
