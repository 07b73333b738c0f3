// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/MaskColors.h"

namespace headlight {

QColor maskColor(MaskKind kind, const QPalette& palette) {
  switch (kind) {
    case MaskKind::Hard:
      return QColor(0, 114, 178);
    case MaskKind::Soft:
      return QColor(0, 158, 115);
    case MaskKind::Strict:
      return QColor(213, 94, 0);
    case MaskKind::Random:
      return QColor(204, 121, 167);
    case MaskKind::Decay:
      return QColor(230, 159, 0);
    case MaskKind::None:
      break;
  }
  return palette.color(QPalette::Mid);
}

}  // namespace headlight
