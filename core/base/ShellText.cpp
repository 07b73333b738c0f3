// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/ShellText.h"

namespace headlight {
namespace {

constexpr std::string_view kPlainSigns = "./~+,:@%=_-";

bool isPlain(char letter) {
  return (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= 'a' && letter <= 'z') || kPlainSigns.find(letter) != std::string_view::npos;
}

}  // namespace

std::string shellQuoted(std::string_view text) {
  bool plain = !text.empty();
  std::string quoted = "'";
  for (const char letter : text) {
    plain = plain && isPlain(letter);
    quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  }
  quoted += '\'';
  return plain ? std::string(text) : quoted;
}

}  // namespace headlight
