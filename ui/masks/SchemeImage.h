// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A mask scheme as a small image: a row a layer, a cell a head, colored as in the matrix.

#include <QImage>
#include <QPalette>
#include <QSize>

#include "core/masks/MaskScheme.h"

namespace headlight {

/// At most `size`; heads that are not masked are quiet.
QImage schemeImage(const MaskScheme& scheme, const QSize& size, const QPalette& palette);

/// What `to` has otherwise than `from`: those cells as `to` has them (taken away: crossed out), all
/// others faint. Both have one shape.
QImage differenceImage(const MaskScheme& from, const MaskScheme& to, const QSize& size,
                       const QPalette& palette);

}  // namespace headlight
