// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// EXIF's orientations: how pixels as stored become an upright image, and what lies on them with
// them.

#include <array>
#include <cstddef>

namespace headlight {

/// How one is undone: mirror left-right, upside down, then swap axes.
struct UprightTurn {
  bool mirrored;
  bool upsideDown;
  bool transposed;
};

/// `orientation`: EXIF's 1 … 8; 1 turns nothing.
constexpr UprightTurn uprightTurn(int orientation) {
  constexpr std::array<UprightTurn, 8> kTurns{{{false, false, false},
                                               {true, false, false},
                                               {true, true, false},
                                               {false, true, false},
                                               {false, false, true},
                                               {false, true, true},
                                               {true, true, true},
                                               {true, false, true}}};
  return kTurns[static_cast<std::size_t>(orientation - 1)];
}

}  // namespace headlight
