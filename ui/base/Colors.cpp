// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/Colors.h"

#include <algorithm>
#include <array>

namespace headlight {

QColor mixed(const QColor& a, const QColor& b, double share) {
  const auto channel = [share](double x, double y) {
    return std::clamp(static_cast<int>(x + share * (y - x) + 0.5), 0, 255);
  };
  return {channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue())};
}

bool isDark(const QPalette& palette) {
  return palette.color(QPalette::Base).lightnessF() < 0.5;
}

QColor seriesColor(int index, const QPalette& palette) {
  static const std::array<QColor, 7> colors{QColor(0x00, 0x72, 0xb2), QColor(0xd5, 0x5e, 0x00),
                                            QColor(0x00, 0x9e, 0x73), QColor(0xcc, 0x79, 0xa7),
                                            QColor(0xe6, 0x9f, 0x00), QColor(0x56, 0xb4, 0xe9),
                                            QColor(0x7f, 0x7f, 0x7f)};
  const QColor color = colors[static_cast<std::size_t>(index) % colors.size()];
  return isDark(palette) ? mixed(color, Qt::white, 0.3) : color;
}

QColor sequenceColor(double position, const QPalette& palette) {
  // Viridis at five places; its ends are drawn in so that neither vanishes on black or on white.
  static const std::array<QColor, 5> stops{QColor(68, 1, 84), QColor(59, 82, 139),
                                           QColor(33, 145, 140), QColor(94, 201, 98),
                                           QColor(253, 231, 37)};
  const double low = isDark(palette) ? 0.18 : 0.0, high = isDark(palette) ? 1.0 : 0.88;
  const double at = (low + std::clamp(position, 0.0, 1.0) * (high - low)) * (stops.size() - 1);
  const auto index = std::min<std::size_t>(static_cast<std::size_t>(at), stops.size() - 2);
  return mixed(stops[index], stops[index + 1], at - static_cast<double>(index));
}

}  // namespace headlight
