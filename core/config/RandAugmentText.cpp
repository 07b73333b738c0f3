// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/RandAugmentText.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include "core/base/Translation.h"
#include "core/config/Reading.h"

namespace headlight {
namespace {

constexpr double kUniformAbove = 100;  // timm: a wider noise is drawn uniformly

[[noreturn]] void refuseSpelling(const std::string& text, const std::string& reason) {
  throw Failure(invalidConfig(
      "\"" + text.substr(0, 80) + "\" " + reason + "; allowed: " + kRandAugmentGrammar, ""));
}

/// One section: "mstd" and "0.5" of "mstd0.5".
struct RandAugmentSection {
  std::string key;
  std::string value;
};

RandAugmentSection sectionFrom(const std::string& text) {
  if (text == "mstdinf") return {"mstd", "inf"};
  const auto digits = std::min(text.find_first_of("0123456789."), text.size());
  return {text.substr(0, digits), text.substr(digits)};
}

double numberIn(const std::string& value, const std::string& text) {
  double number = 0;
  const char* end = value.data() + value.size();
  const auto [read, problem] = std::from_chars(value.data(), end, number);
  if (value.empty() || problem != std::errc() || read != end)
    refuseSpelling(text, tr("is not a code followed by a number"));
  return number;
}

double numberWithin(const RandAugmentSection& section, const std::string& text, double low,
                    double high) {
  const double number = numberIn(section.value, text);
  if (!(number >= low && number <= high)) refuseSpelling(text, tr("is out of range"));
  return number;
}

double wholeWithin(const RandAugmentSection& section, const std::string& text, double low,
                   double high) {
  const double number = numberWithin(section, text, low, high);
  if (number != std::floor(number)) refuseSpelling(text, tr("must be a whole number"));
  return number;
}

double deviationIn(const RandAugmentSection& section, const std::string& text) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const double deviation = numberWithin(section, text, 0, infinite);
  return deviation > kUniformAbove ? infinite : deviation;
}

void readSection(const RandAugmentSection& section, const std::string& text,
                 RandAugmentSpec& spec) {
  if (section.key == "m")
    spec.magnitude = wholeWithin(section, text, 0, 100);
  else if (section.key == "n")
    spec.operations = static_cast<int>(wholeWithin(section, text, 1, 16));
  else if (section.key == "p")
    spec.probability = numberWithin(section, text, 0, 1);
  else if (section.key == "mstd")
    spec.deviation = deviationIn(section, text);
  else if (section.key == "mmax")
    spec.greatest = wholeWithin(section, text, 1, 100);
  else if (section.key == "inc")  // timm takes inc0 for inc1, which nobody means who writes it
    spec.increasing = wholeWithin(section, text, 1, 1) == 1;
  else
    refuseSpelling(text, tr("is not a supported part of RandAugment"));
}

}  // namespace

Result<RandAugmentSpec> randAugmentFromText(const std::string& text) {
  return guarded("", [&] {
    std::istringstream stream(text);
    std::string part;
    std::getline(stream, part, '-');
    if (part != "rand") refuseSpelling(text, tr("does not begin with \"rand\""));
    if (text.ends_with('-')) refuseSpelling(text, tr("ends with a dash"));
    RandAugmentSpec spec;
    std::set<std::string> seen;
    while (std::getline(stream, part, '-')) {
      const RandAugmentSection section = sectionFrom(part);
      readSection(section, part, spec);
      if (!seen.insert(section.key).second) refuseSpelling(part, tr("is given twice"));
    }
    return spec;
  });
}

}  // namespace headlight
