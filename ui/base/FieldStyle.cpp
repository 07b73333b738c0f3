// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/FieldStyle.h"

#include <QIcon>
#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>

#include "ui/base/Colors.h"
#include "ui/base/Icons.h"

namespace headlight {
namespace {

constexpr double kCorner = 2, kBoxCorner = 3, kLit = 0.35;
constexpr int kBox = 16, kSeparatorMargin = 2, kTipMargin = 4;

void drawEdge(QPainter* painter, const QRect& rect, const QColor& edge, const QBrush& ground,
              double corner = kCorner) {
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(edge);
  painter->setBrush(ground);
  painter->drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), corner, corner);
  painter->restore();
}

QColor borderOf(const QPalette& palette) {
  return palette.color(QPalette::Active, QPalette::Mid);
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

/// The line between docks, one pixel wide, blue where the pointer can take it.
void drawSeparator(QPainter* painter, const QStyleOption* option) {
  const int margin = kSeparatorMargin;
  const bool hovered = option->state & QStyle::State_MouseOver;
  painter->fillRect(
      option->rect.adjusted(margin, margin, -margin, -margin),
      hovered ? option->palette.color(QPalette::Highlight) : borderOf(option->palette));
}

void drawTopLine(QPainter* painter, const QStyleOption* option) {
  const QRect& rect = option->rect;
  painter->fillRect(QRect(rect.left(), rect.top(), rect.width(), 1), borderOf(option->palette));
}

void drawLit(QPainter* painter, const QStyleOption* option) {
  const QColor on = option->palette.color(QPalette::Highlight);
  drawEdge(painter, option->rect, on, mixed(option->palette.color(QPalette::Window), on, kLit));
}

QColor boxEdge(const QStyleOption* option, bool filled) {
  const QPalette& palette = option->palette;
  if (!(option->state & QStyle::State_Enabled)) return borderOf(palette);
  if (filled || option->state & QStyle::State_HasFocus) return palette.color(QPalette::Highlight);
  return palette.color(QPalette::Active, QPalette::PlaceholderText);
}

/// A tick on blue, a dash where only some of its items are on.
void drawCheckBox(QPainter* painter, const QStyleOption* option) {
  static const QIcon tick(QStringLiteral(":/icons/check.svg"));
  const bool on = option->state & QStyle::State_On;
  const bool some = option->state & QStyle::State_NoChange;
  const QColor edge = boxEdge(option, on || some);
  drawEdge(painter, option->rect, edge,
           on || some ? edge : option->palette.color(QPalette::Active, QPalette::Base), kBoxCorner);
  if (on) tick.paint(painter, option->rect.adjusted(1, 1, -1, -1));
  if (some) painter->fillRect(option->rect.adjusted(4, 7, -4, -7), Qt::white);
}

/// A blue dot where it is chosen.
void drawRadioButton(QPainter* painter, const QStyleOption* option) {
  const bool on = option->state & QStyle::State_On;
  const QColor edge = boxEdge(option, on);
  drawEdge(painter, option->rect, edge, option->palette.color(QPalette::Active, QPalette::Base),
           kBox / 2.0);
  if (on) drawEdge(painter, option->rect.adjusted(4, 4, -4, -4), edge, edge, kBox / 4.0);
}

}  // namespace

FieldStyle::FieldStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

void FieldStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                               QPainter* painter, const QWidget* widget) const {
  switch (element) {
    case PE_IndicatorDockWidgetResizeHandle:
      return drawSeparator(painter, option);
    case PE_PanelStatusBar:
      return drawTopLine(painter, option);
    case PE_FrameStatusBarItem:
      return;
    case PE_IndicatorCheckBox:
      return drawCheckBox(painter, option);
    case PE_IndicatorRadioButton:
      return drawRadioButton(painter, option);
    case PE_PanelTipLabel:
      painter->fillRect(option->rect, option->palette.toolTipBase());
      painter->setPen(borderOf(option->palette));
      return painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
    case PE_PanelButtonTool:
      if (option->state & State_On) return drawLit(painter, option);
      break;
    default:
      break;
  }
  QProxyStyle::drawPrimitive(element, option, painter, widget);
  if (element == PE_FrameLineEdit) drawFieldEdge(painter, option);
}

int FieldStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                          QStyleHintReturn* more) const {
  if (hint == SH_DialogButtonBox_ButtonsHaveIcons) return 0;
  return QProxyStyle::styleHint(hint, option, widget, more);
}

QIcon FieldStyle::standardIcon(StandardPixmap icon, const QStyleOption* option,
                               const QWidget* widget) const {
  switch (icon) {
    case SP_TitleBarCloseButton:
    case SP_DockWidgetCloseButton:
    case SP_LineEditClearButton:
      return lineIcon(QStringLiteral("close"));
    case SP_TitleBarNormalButton:
      return lineIcon(QStringLiteral("undock"));
    case SP_ToolBarHorizontalExtensionButton:
      return lineIcon(QStringLiteral("more"));
    default:
      return QProxyStyle::standardIcon(icon, option, widget);
  }
}

int FieldStyle::pixelMetric(PixelMetric metric, const QStyleOption* option,
                            const QWidget* widget) const {
  switch (metric) {
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
      return kBox;
    case PM_DockWidgetSeparatorExtent:
      return 2 * kSeparatorMargin + 1;
    case PM_ToolTipLabelFrameWidth:
      return kTipMargin;
    default:
      return QProxyStyle::pixelMetric(metric, option, widget);
  }
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
