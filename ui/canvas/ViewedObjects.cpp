// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/ViewedObjects.h"

#include <QColor>

#include <algorithm>
#include <cmath>

#include "core/workbench/session/Objects.h"
#include "ui/base/SanitizedText.h"

namespace headlight {
namespace {

constexpr double kLine = 2, kQueryLine = 4, kHalo = 2, kLabelPadding = 5;

/// Neighbors differ by the golden angle, so that few classes never look alike.
QColor colorOf(int index) {
  constexpr double kGoldenAngle = 137.508;
  return QColor::fromHsv(static_cast<int>(std::fmod(30 + index * kGoldenAngle, 360)), 200, 255);
}

QRectF boxIn(const QRectF& region, const FoundObject& object) {
  const auto& [left, top, right, bottom] = object.box;
  const QPointF from(region.left() + left * region.width(), region.top() + top * region.height()),
      to(region.left() + right * region.width(), region.top() + bottom * region.height());
  return QRectF(from, to) & region;
}

QRectF labelOf(const QRectF& box, const QRectF& region, const QString& text,
               const QFontMetricsF& metrics) {
  QRectF label(box.topLeft(),
               QSizeF(metrics.horizontalAdvance(text) + 2 * kLabelPadding, metrics.height() + 2));
  label.moveLeft(std::max(region.left(), std::min(label.left(), region.right() - label.width())));
  label.moveTop(std::max(region.top(), std::min(label.top(), region.bottom() - label.height())));
  return label;
}

void drawBox(QPainter& painter, const ObjectMark& mark) {
  const double line = mark.isQuery ? kQueryLine : kLine;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(
      QPen(QColor(0, 0, 0, 170), line + kHalo, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
  painter.drawRect(mark.box);
  painter.setPen(QPen(colorOf(mark.colorIndex), line, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
  painter.drawRect(mark.box);
}

void drawLabel(QPainter& painter, const ObjectMark& mark, const QPalette& palette) {
  const QColor ground =
      mark.isQuery ? palette.color(QPalette::Highlight) : colorOf(mark.colorIndex);
  painter.setPen(QColor(0, 0, 0, 170));
  painter.setBrush(ground);
  painter.drawRect(mark.label);
  painter.setPen(mark.isQuery ? palette.color(QPalette::HighlightedText) : QColor(Qt::black));
  painter.drawText(mark.label, Qt::AlignCenter, mark.text);
}

}  // namespace

bool showsObjects(const Document& document) {
  return document.inputs().hasModel() && detectsObjects(document.inputs().model().experiment.model);
}

std::vector<ObjectMark> viewedObjects(const Document& document, const QRectF& region,
                                      const QFontMetricsF& metrics) {
  const auto inference = document.inference();
  const ViewOptions& view = document.view().options();
  if (!inference || !view.objectBoxes || region.isEmpty() || !document.inputs().hasModel())
    return {};
  const Grid& grid = document.inputs().model().grid;
  std::vector<ObjectMark> marks;
  for (const FoundObject& object : objectsAbove(inference->objects, kDefaultObjectThreshold)) {
    ObjectMark mark;
    mark.box = boxIn(region, object);
    mark.text =
        QStringLiteral("%1 %2 %").arg(displayName(object.name)).arg(qRound(100 * object.score));
    mark.label = labelOf(mark.box, region, mark.text, metrics);
    mark.token = grid.prefix - grid.registers + object.token;
    mark.colorIndex = object.index;
    mark.isQuery = mark.token == view.query;
    if (!mark.box.isEmpty()) marks.push_back(mark);
  }
  return marks;
}

void drawObjects(QPainter& painter, const std::vector<ObjectMark>& marks, const QPalette& palette) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  std::for_each(marks.rbegin(), marks.rend(), [&](const auto& mark) { drawBox(painter, mark); });
  std::for_each(marks.rbegin(), marks.rend(),
                [&](const auto& mark) { drawLabel(painter, mark, palette); });
  painter.restore();
}

const ObjectMark* labelAt(const std::vector<ObjectMark>& marks, const QPointF& point) {
  const auto found = std::find_if(marks.begin(), marks.end(), [&](const ObjectMark& mark) {
    return mark.label.contains(point);
  });
  return found == marks.end() ? nullptr : &*found;
}

}  // namespace headlight
