// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/MaskAppearance.h"

#include <QPainter>
#include <QPixmap>

#include "ui/base/Colors.h"

namespace headlight {

QColor maskTint(MaskKind kind, const QPalette& palette) {
  const QColor base = palette.color(QPalette::Base);
  if (kind == MaskKind::None) return mixed(base, palette.color(QPalette::Text), 0.06);
  return mixed(base, maskColor(kind, palette), isDark(palette) ? 0.62 : 0.48);
}

QString maskLetter(MaskKind kind) {
  switch (kind) {
    case MaskKind::None:
      return QStringLiteral("N");
    case MaskKind::Hard:
      return QStringLiteral("H");
    case MaskKind::Soft:
      return QStringLiteral("S");
    case MaskKind::Strict:
      return QStringLiteral("X");
    case MaskKind::Random:
      return QStringLiteral("R");
    case MaskKind::Decay:
      return QStringLiteral("D");
  }
  return {};
}

QString maskNumber(const HeadMask& mask) {
  if (mask.kind == MaskKind::Decay) {
    const QString text = QString::number(mask.gamma, 'g', 2);
    return text.startsWith(QLatin1Char('0')) ? text.mid(1) : text;
  }
  if (mask.region.kind == RegionKind::Drawn && mask.kind != MaskKind::Random)
    return QStringLiteral("*");
  return QString::number(mask.window) + (mask.region.inPixels ? QStringLiteral("px") : QString());
}

QIcon maskSwatch(MaskKind kind, const QPalette& palette) {
  QIcon icon;
  for (const int scale : {1, 2}) {
    QPixmap pixmap(12 * scale, 12 * scale);
    pixmap.setDevicePixelRatio(scale);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(kind == MaskKind::None ? QPen(maskColor(kind, palette), 1.2) : Qt::NoPen);
    painter.setBrush(kind == MaskKind::None ? maskTint(kind, palette) : maskColor(kind, palette));
    painter.drawRoundedRect(QRectF(1, 1, 10, 10), 2.5, 2.5);
    painter.end();
    icon.addPixmap(pixmap);
  }
  return icon;
}

}  // namespace headlight
