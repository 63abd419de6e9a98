// A secret of this user on this machine, and what only its holder can have sealed. Caches of verdicts carry
// such seals: a file that somebody else wrote, or that was damaged, is not believed.
#pragma once
#include <string>
#include <string_view>

namespace hallmark {

// The 32 bytes of the file, which only its owner may read; made of random ones where there is no such file.
// Empty when it can neither be read nor made, or when others may read it: then nothing can be sealed.
std::string local_secret(const std::string& path);
// HMAC-SHA256 in hexadecimal.
std::string seal(std::string_view secret, std::string_view bytes);

}  // namespace hallmark
