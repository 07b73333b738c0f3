// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The key of a figure page: which color is which class, where boxes or segments are drawn. Behind
// PageDrawing.h.

#include <vector>

#include "core/imaging/drawing/KeyDrawing.h"
#include "core/workbench/figures/PageContent.h"

namespace headlight {

/// Every class that is drawn on the page, by its number.
std::vector<KeyEntry> pageKey(const PageContent& inference);

/// An entry on its line; what it needs is its square, a gap and its text.
struct PlacedKey {
  double left = 0;  ///< from the line's beginning
  KeyEntry entry;
};
/// In lines of at most `width`, in letters of this size; those beyond `most` lines are left out and
/// counted in the last ("+ 3", without a color's square).
std::vector<std::vector<PlacedKey>> keyInLines(const std::vector<KeyEntry>& entries, double width,
                                               double size, std::size_t most);

/// The side of a square, and from its left side to its text.
inline double keySquare(double size) {
  return 0.8 * size;
}
inline double keyIndent(double size) {
  return 1.2 * size;
}

}  // namespace headlight
