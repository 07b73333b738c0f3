// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/augment/Operations.h"

#include <algorithm>
#include <array>

#include "core/data/augment/EnhanceOps.h"
#include "core/data/augment/ToneOps.h"

namespace headlight {
namespace {

/// timm's int(level / 10 · full).
double wholeShare(double level, double full) {
  return static_cast<int>(level / 10 * full);
}

double degreesAt(double level, double sign) {
  return sign * (level / 10 * 30);
}

double shearAt(double level, double sign) {
  return sign * (level / 10 * 0.3);
}

double translationAt(double level, double sign) {
  return sign * (level / 10 * 0.45);
}

double bitsAt(double level, double) {
  return wholeShare(level, 4);
}

double fewerBitsAt(double level, double) {
  return 4 - wholeShare(level, 4);
}

double thresholdAt(double level, double) {
  return std::min(256.0, wholeShare(level, 256));
}

double lowerThresholdAt(double level, double sign) {
  return 256 - thresholdAt(level, sign);
}

double additionAt(double level, double) {
  return std::min(128.0, wholeShare(level, 110));
}

double factorAt(double level, double) {
  return level / 10 * 1.8 + 0.1;
}

/// Further from 1, which changes nothing, to either side.
double strongerFactorAt(double level, double sign) {
  return std::max(0.1, 1 + sign * (level / 10 * 0.9));
}

/// An operation that only looks at the image.
template <void (*change)(EditedImage&)>
void withNothing(EditedImage& image, double, const Resampling&) {
  change(image);
}

template <void (*change)(EditedImage&, int)>
void withWhole(EditedImage& image, double argument, const Resampling&) {
  change(image, static_cast<int>(argument));
}

template <void (*change)(EditedImage&, double)>
void withFactor(EditedImage& image, double argument, const Resampling&) {
  change(image, argument);
}

constexpr std::size_t kOperations = 15;

constexpr std::array<AugmentOperation, kOperations> kPlain{{
    {"AutoContrast", nullptr, withNothing<autoContrast>},
    {"Equalize", nullptr, withNothing<equalize>},
    {"Invert", nullptr, withNothing<invert>},
    {"Rotate", degreesAt, rotate},
    {"Posterize", bitsAt, withWhole<posterize>},
    {"Solarize", thresholdAt, withWhole<solarize>},
    {"SolarizeAdd", additionAt, withWhole<solarizeAdd>},
    {"Color", factorAt, withFactor<enhanceColor>},
    {"Contrast", factorAt, withFactor<enhanceContrast>},
    {"Brightness", factorAt, withFactor<enhanceBrightness>},
    {"Sharpness", factorAt, withFactor<enhanceSharpness>},
    {"ShearX", shearAt, shearX},
    {"ShearY", shearAt, shearY},
    {"TranslateXRel", translationAt, translateX},
    {"TranslateYRel", translationAt, translateY},
}};

constexpr std::array<AugmentOperation, kOperations> kIncreasing{{
    {"AutoContrast", nullptr, withNothing<autoContrast>},
    {"Equalize", nullptr, withNothing<equalize>},
    {"Invert", nullptr, withNothing<invert>},
    {"Rotate", degreesAt, rotate},
    {"PosterizeIncreasing", fewerBitsAt, withWhole<posterize>},
    {"SolarizeIncreasing", lowerThresholdAt, withWhole<solarize>},
    {"SolarizeAdd", additionAt, withWhole<solarizeAdd>},
    {"ColorIncreasing", strongerFactorAt, withFactor<enhanceColor>},
    {"ContrastIncreasing", strongerFactorAt, withFactor<enhanceContrast>},
    {"BrightnessIncreasing", strongerFactorAt, withFactor<enhanceBrightness>},
    {"SharpnessIncreasing", strongerFactorAt, withFactor<enhanceSharpness>},
    {"ShearX", shearAt, shearX},
    {"ShearY", shearAt, shearY},
    {"TranslateXRel", translationAt, translateX},
    {"TranslateYRel", translationAt, translateY},
}};

}  // namespace

std::span<const AugmentOperation> augmentOperations(bool increasing) {
  return increasing ? kIncreasing : kPlain;
}

}  // namespace headlight
