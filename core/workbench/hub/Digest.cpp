// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/hub/Digest.h"

#include <openssl/evp.h>

#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {

struct Digest::State {
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context{EVP_MD_CTX_new()};
};

Digest::Digest(Kind kind, std::int64_t size) : m_state(std::make_unique<State>()) {
  const EVP_MD* method = kind == Kind::Sha256 ? EVP_sha256() : EVP_sha1();
  EVP_MD_CTX* context = m_state->context.get();
  if (!context || EVP_DigestInit_ex(context, method, nullptr) != 1)
    throw Failure(Error{ErrorCode::Internal, tr("OpenSSL has no such hash here"), ""});
  if (kind == Kind::Sha256) return;
  const std::string head = "blob " + std::to_string(size);
  add(head.c_str(), head.size() + 1);  // with the zero behind it
}

Digest::~Digest() = default;

void Digest::add(const void* data, std::size_t size) {
  EVP_DigestUpdate(m_state->context.get(), data, size);
}

std::string Digest::text() {
  constexpr const char* kDigits = "0123456789abcdef";
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_DigestFinal_ex(m_state->context.get(), bytes, &size);
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

}  // namespace headlight
