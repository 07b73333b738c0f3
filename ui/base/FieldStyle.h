#pragma once
// Fusion with edges that are seen: fields stand out from the ground in the dark too, and a button
// that is on looks so in both themes.

#include <QProxyStyle>

namespace headlight {

class FieldStyle : public QProxyStyle {
 public:
  FieldStyle();

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                          QPainter* painter, const QWidget* widget) const override;
};

}  // namespace headlight
