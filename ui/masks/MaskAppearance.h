// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How a kind of mask looks in the matrix: its color (MaskColors.h), and a letter for eyes that
// tell no colors apart.

#include <QColor>
#include <QIcon>
#include <QPalette>

#include "ui/base/MaskColors.h"

namespace headlight {

/// The color mixed into the background, so that the palette's text is readable on it.
QColor maskTint(MaskKind kind, const QPalette& palette);
/// "N", "H", "S", "X", "R", "D": also the key that sets it.
QString maskLetter(MaskKind kind);
/// What stands beside it: the window ("7", "48px"), γ of a decay (".9"), "*" of a drawn region.
QString maskNumber(const HeadMask& mask);
QIcon maskSwatch(MaskKind kind, const QPalette& palette);

}  // namespace headlight
