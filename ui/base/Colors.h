// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Colors from the palette, light or dark, distinguishable for color-blind people.

#include <QColor>
#include <QPalette>

namespace headlight {

bool isDark(const QPalette& palette);
/// One of seven, Okabe and Ito's, lightened on a dark background.
QColor seriesColor(int index, const QPalette& palette);
/// Position in [0, 1] on a blue-to-yellow scale, kept readable on the background.
QColor sequenceColor(double position, const QPalette& palette);
/// (1 − share)·a + share·b, opaque; share in [0, 1].
QColor mixed(const QColor& a, const QColor& b, double share);

}  // namespace headlight
