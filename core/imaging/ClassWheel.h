// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Colors of classes.

#include <array>
#include <cstdint>
#include <vector>

#include "core/imaging/ClassImage.h"

namespace headlight {

using ClassColor = std::array<std::uint8_t, 3>;  ///< RGB

/// What shows pixels of kIgnoredClass (as VOC's border).
inline constexpr ClassColor kIgnoredColor{224, 224, 192};

/// Colors of `count` classes (to kMaxPixelClasses) that no table gives, all different: hues a
/// golden section of the circle apart, so that the first ones differ most, with saturations of
/// 0.75, 0.5 and 0.95 in turn and, every third time, values of 0.95 and 0.75 in turn.
std::vector<ClassColor> classWheel(int count);

}  // namespace headlight
