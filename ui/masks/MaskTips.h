// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The tool tips of the mask matrix.

#include <QString>

#include "core/masks/HeadMask.h"
#include "ui/masks/MatrixPlace.h"

namespace headlight {

class Document;

/// A head: its mask, what α and ALS it has now or had at the step that was chosen.
QString cellTip(const Document& document, const HeadPlace& cell);
/// The same for any place, and what a click there does; empty for nothing.
QString placeTip(const Document& document, const MatrixPlace& place, const HeadMask& brush);

}  // namespace headlight
