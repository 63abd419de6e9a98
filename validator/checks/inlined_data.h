// corpus/accuracy/inlined.ptx as part of the program: what a proof rests on is fixed with the build.
#pragma once

namespace hallmark::validator {

const char* inlined_ptx();

}  // namespace hallmark::validator
