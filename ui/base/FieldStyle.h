// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Fusion with edges that are seen: fields stand out from the ground in the dark too, and a button
// that is on looks so in both themes. The frames of docks, tips and the status bar are quiet. All
// colors are the palette's, so that a theme is a palette: a style sheet would have Qt style every
// widget anew.

#include <QProxyStyle>

namespace headlight {

class FieldStyle : public QProxyStyle {
 public:
  FieldStyle();

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                          QPainter* painter, const QWidget* widget) const override;
  /// Dialogs' buttons have no icons: Fusion's are black in the dark too.
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* more) const override;
  /// Our own for docks, tool bars and fields: Fusion's are images of few pixels.
  QIcon standardIcon(StandardPixmap icon, const QStyleOption* option,
                     const QWidget* widget) const override;
  int pixelMetric(PixelMetric metric, const QStyleOption* option,
                  const QWidget* widget) const override;
};

}  // namespace headlight
