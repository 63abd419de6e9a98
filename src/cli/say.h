// What the program says: results on stdout, news on stderr. A write that fails throws nothing here, so that
// lost news change no verdict; a lost result is found by result_written(), once, at the end.
#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <utility>

namespace hallmark::cli {

template <typename... Arguments>
void show(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  std::cout << fmt::format(format, std::forward<Arguments>(arguments)...);
}

template <typename... Arguments>
void tell(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  std::fputs(fmt::format(format, std::forward<Arguments>(arguments)...).c_str(), stderr);
}

// False when something of the result did not reach stdout (a full disk), other than because its reader went
// away (a pipe to `head`).
bool result_written();

}  // namespace hallmark::cli
