// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/search/ComparedText.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "core/base/Text.h"

namespace headlight {
namespace {

constexpr int kFewestDigits = 3, kMostDigits = 17;

/// Digits after the point of a bound as it is printed; none where it has an exponent.
int digitsOf(double bound) {
  const std::string text = numberText(bound);
  const auto point = text.find('.');
  if (point == std::string::npos || text.find('e') != std::string::npos) return 0;
  return static_cast<int>(text.size() - point - 1);
}

std::string withDigits(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

bool sameSide(double value, double shown, double bound) {
  return (value < bound) == (shown < bound) && (value > bound) == (shown > bound);
}

}  // namespace

std::string comparedText(double value, std::initializer_list<double> bounds) {
  int digits = kFewestDigits;
  for (const double bound : bounds)
    digits = std::clamp(digitsOf(bound), digits, kMostDigits);
  for (; digits < kMostDigits; ++digits) {
    std::string text = withDigits(value, digits);
    const double shown = std::strtod(text.c_str(), nullptr);
    if (std::all_of(bounds.begin(), bounds.end(),
                    [&](double bound) { return sameSide(value, shown, bound); }))
      return text;
  }
  return numberText(value);
}

}  // namespace headlight
