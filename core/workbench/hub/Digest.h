// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The hashes by which the hub names what it stores. Internal.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace headlight {

class Digest {
 public:
  enum class Kind {
    Sha256,  ///< of the bytes: large files (Git LFS)
    GitBlob  ///< SHA-1 of "blob SIZE", a zero and the bytes: small files, as git names them
  };
  /// `size` of all that is going to be added. Throws Failure.
  Digest(Kind kind, std::int64_t size);
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  void add(const void* data, std::size_t size);
  /// In lower-case hexadecimal. Ends it: nothing is added afterwards.
  std::string text();

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace headlight
