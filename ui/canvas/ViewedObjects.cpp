// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/ViewedObjects.h"

#include <QColor>

#include <algorithm>

#include "core/workbench/figures/ObjectFigure.h"
#include "core/workbench/objects/ObjectDrawing.h"
#include "core/workbench/session/Objects.h"
#include "ui/base/SanitizedText.h"
#include "ui/document/ChosenCell.h"
#include "ui/document/KnownTruth.h"

namespace headlight {
namespace {

constexpr double kTruthLine = 1.5, kFoundLine = 2.5;
constexpr double kLine = 2, kQueryLine = 4, kHalo = 2, kLabelPadding = 5;

QColor colorOf(int index) {
  const DrawnColor color = objectColor(index);
  return {color.red, color.green, color.blue};
}

QRectF boxIn(const QRectF& region, const std::array<double, 4>& box) {
  const auto& [left, top, right, bottom] = box;
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
  const int chosen = chosenCell(document);
  std::vector<ObjectMark> marks;
  for (const FoundObject& object : objectsAbove(inference->objects, view.objectThreshold)) {
    ObjectMark mark;
    mark.box = boxIn(region, object.box);
    mark.text =
        QStringLiteral("%1 %2 %").arg(displayName(object.name)).arg(qRound(100 * object.score));
    mark.label = labelOf(mark.box, region, mark.text, metrics);
    mark.token = grid.prefix - grid.registers + object.token;
    mark.colorIndex = object.index;
    mark.cell = object.cell;
    mark.isQuery = chosen >= 0 ? mark.cell == chosen : mark.token == view.query;
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

bool showsTruth(const Document& document) {
  const auto& truth = document.inputs().imageTruth();
  return truth && !truth->boxes.empty() && document.inputs().hasModel() &&
         !document.recorded().view();
}

std::vector<TruthMark> viewedTruth(const Document& document, const QRectF& region) {
  if (!showsTruth(document) || !document.view().options().trueBoxes || region.isEmpty()) return {};
  const KnownTruth& truth = *document.inputs().imageTruth();
  const Image& image = document.inputs().image();
  const ModelInfo& model = document.inputs().model();
  std::vector<TruthMark> marks;
  for (const LabeledBox& labeled : truth.boxes) {
    const auto& [left, top, width, height] = labeled.box;
    const auto seen = boxInView({left, top, left + width, top + height}, image.width, image.height,
                                model.experiment.model);
    const TruthMark mark{boxIn(region, seen),
                         modelClassOf(labeled.label, truth, namesOfObjects(model))};
    if (!mark.box.isEmpty()) marks.push_back(mark);
  }
  return marks;
}

void drawTruth(QPainter& painter, const std::vector<TruthMark>& marks) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  for (const TruthMark& mark : marks) {
    painter.setPen(QPen(QColor(0, 0, 0, 130), kTruthLine + 1));
    painter.drawRect(mark.box);
    painter.setPen(QPen(colorOf(mark.colorIndex), kTruthLine, Qt::DashLine));
    painter.drawRect(mark.box);
  }
  painter.restore();
}

void drawFoundBox(QPainter& painter, const QRectF& region, const std::array<double, 4>& box) {
  const auto& [left, top, right, bottom] = box;
  const QRectF rect(region.left() + left * region.width(), region.top() + top * region.height(),
                    (right - left) * region.width(), (bottom - top) * region.height());
  const DrawnColor color = foundColor();
  painter.save();
  painter.setBrush(Qt::NoBrush);
  painter.setPen(
      QPen(QColor(0, 0, 0, 170), kFoundLine + kHalo, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
  painter.drawRect(rect);
  painter.setPen(QPen(QColor(color.red, color.green, color.blue), kFoundLine, Qt::SolidLine,
                      Qt::SquareCap, Qt::MiterJoin));
  painter.drawRect(rect);
  painter.restore();
}

const ObjectMark* labelAt(const std::vector<ObjectMark>& marks, const QPointF& point) {
  const auto found = std::find_if(marks.begin(), marks.end(), [&](const ObjectMark& mark) {
    return mark.label.contains(point);
  });
  return found == marks.end() ? nullptr : &*found;
}

}  // namespace headlight
