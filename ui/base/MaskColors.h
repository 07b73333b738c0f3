// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One color per mask kind, wherever masks are shown (the mask matrix, the corner of a head's
// tile).

#include <QColor>
#include <QPalette>

#include "core/masks/HeadMask.h"

namespace headlight {

/// Told apart by color-blind eyes too (Okabe and Ito's set). None: a quiet tone of the palette.
QColor maskColor(MaskKind kind, const QPalette& palette);

}  // namespace headlight
