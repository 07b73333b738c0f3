// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/files/NaturalOrder.h"

#include <algorithm>

namespace headlight {
namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

/// Cuts the run of digits (or of anything else) off the front of `rest`.
std::string_view takeRun(std::string_view& rest, bool digits) {
  std::size_t length = 0;
  while (length < rest.size() && isDigit(rest[length]) == digits)
    ++length;
  const std::string_view run = rest.substr(0, length);
  rest.remove_prefix(length);
  return run;
}

unsigned char lower(char c) {
  return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

int compareText(std::string_view a, std::string_view b) {
  const std::size_t common = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < common; ++i)
    if (lower(a[i]) != lower(b[i])) return lower(a[i]) < lower(b[i]) ? -1 : 1;
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

/// Numbers of any length, so nothing overflows.
int compareNumbers(std::string_view a, std::string_view b) {
  a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
  b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

}  // namespace

bool naturalLess(std::string_view a, std::string_view b) {
  std::string_view restA = a;
  std::string_view restB = b;
  // As re.split(r"(\d+)") does: text (may be empty), number, text, number, …
  for (bool digits = false; !restA.empty() || !restB.empty(); digits = !digits) {
    if (digits && (restA.empty() || restB.empty())) return restA.empty();
    const std::string_view runA = takeRun(restA, digits);
    const std::string_view runB = takeRun(restB, digits);
    const int order = digits ? compareNumbers(runA, runB) : compareText(runA, runB);
    if (order != 0) return order < 0;
  }
  return a < b;
}

}  // namespace headlight
