// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Between core's plain images and Qt's.

#include <QImage>

#include "core/workbench/session/Images.h"

namespace headlight {

/// Format_RGB888 over the same bytes: nothing is copied, the bytes live as long as the QImage.
QImage wrapImage(const Image& image);
/// The same, sharing nothing.
QImage toQImage(const Image& image);
Image fromQImage(const QImage& image);

}  // namespace headlight
