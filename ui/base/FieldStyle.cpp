#include "ui/base/FieldStyle.h"

#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>

#include "ui/base/Colors.h"

namespace headlight {
namespace {

constexpr double kCorner = 2, kLit = 0.35;

void drawEdge(QPainter* painter, const QRect& rect, const QColor& edge, const QBrush& ground) {
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(edge);
  painter->setBrush(ground);
  painter->drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), kCorner, kCorner);
  painter->restore();
}

/// At least three times as light, or as dark, as the ground. What has the focus is framed already.
void drawFieldEdge(QPainter* painter, const QStyleOption* option) {
  if (option->state & QStyle::State_HasFocus) return;
  const QPalette& palette = option->palette;
  const bool enabled = option->state & QStyle::State_Enabled;
  const QColor dim = palette.color(QPalette::Active, QPalette::PlaceholderText);
  drawEdge(painter, option->rect, mixed(palette.color(QPalette::Window), dim, enabled ? 0.8 : 0.4),
           Qt::NoBrush);
}

}  // namespace

FieldStyle::FieldStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

void FieldStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                               QPainter* painter, const QWidget* widget) const {
  if (element == PE_PanelButtonTool && option->state & State_On) {
    const QColor on = option->palette.color(QPalette::Highlight);
    const QColor ground = mixed(option->palette.color(QPalette::Window), on, kLit);
    return drawEdge(painter, option->rect, on, ground);
  }
  QProxyStyle::drawPrimitive(element, option, painter, widget);
  if (element == PE_FrameLineEdit) drawFieldEdge(painter, option);
}

void FieldStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                    QPainter* painter, const QWidget* widget) const {
  QProxyStyle::drawComplexControl(control, option, painter, widget);
  if (const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option); spin && spin->frame)
    drawFieldEdge(painter, option);
  if (const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option); box && box->frame)
    drawFieldEdge(painter, option);
}

}  // namespace headlight
