// A secret of this user on this machine, and what only its holder can have sealed. Remembered verdicts carry
// such seals: a file that somebody else wrote, or that was damaged, is not believed.
//
// The secret lies where nobody carries it along by accident: never beside what it seals, because whoever
// restores a folder of remembered verdicts from elsewhere (a build cache, an archive, a checkout) would
// restore the secret with it. To share verdicts between machines on purpose, share that one file.
#pragma once
#include <string>
#include <string_view>

namespace hallmark {

// $XDG_STATE_HOME/hallmark/secret, or $HOME/.local/state/hallmark/secret; empty where neither variable holds
// an absolute path.
std::string secret_file();
// The 32 bytes of that file, which only its owner may read; made of random ones where there is no such file.
// Empty when it can neither be read nor made, or when others may read it: then nothing can be sealed.
std::string local_secret();
std::string local_secret(const std::string& path);
// HMAC-SHA256 in hexadecimal.
std::string seal(std::string_view secret, std::string_view bytes);

}  // namespace hallmark
