// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/EditMarks.h"

#include <QFont>
#include <QFontMetricsF>
#include <QPalette>

#include <algorithm>

#include "ui/base/Colors.h"
#include "ui/plots/Plotting.h"

namespace headlight {
namespace {

constexpr double kLineGap = 3;      ///< pixels: nearer lines are one
constexpr double kLeastLabel = 48;  ///< pixels that a label of its own needs
constexpr double kMostLabel = 150;  ///< pixels: longer texts are cut
constexpr double kLabelMargin = 4;

template <typename Item>
void hideFrom(const QList<Item*>& items, int first) {
  for (int i = first; i < items.size(); ++i)
    items[i]->setVisible(false);
}

}  // namespace

EditMarks::EditMarks(QCustomPlot* plot, const QList<QCPAxisRect*>& rects)
    : QObject(plot), m_plot(plot) {
  for (QCPAxisRect* rect : rects)
    m_rooms.append(Room{rect, {}, {}});
  connect(plot, &QCustomPlot::beforeReplot, this, &EditMarks::layOut);
}

void EditMarks::add(double key, const QString& text) {
  if (m_marks.size() >= kMost) m_marks.removeFirst();
  m_marks.append({key, text});
  tell();
}

void EditMarks::set(const QList<PlotMark>& marks) {
  m_marks = marks.mid(std::max<qsizetype>(0, marks.size() - kMost));
  tell();
}

void EditMarks::setVisible(bool visible) {
  m_visible = visible;
  tell();
}

/// To who reads values at the cursor.
void EditMarks::tell() {
  for (const Room& room : m_rooms)
    setPlotMarks(room.rect, m_visible ? m_marks : QList<PlotMark>());
}

void EditMarks::applyTheme(const QPalette& palette, const QFont& font) {
  const QColor quiet = mixed(palette.color(QPalette::Base), palette.color(QPalette::Text), 0.65);
  m_pen = QPen(quiet, 1, Qt::DotLine);
  m_text = quiet;
  m_ground = palette.color(QPalette::Base);
  m_ground.setAlpha(200);
  m_font = font;
  m_font.setPointSizeF(std::max(7.0, font.pointSizeF() * 0.85));
}

// --- Layout ------------------------------------------------------------------------------------

void EditMarks::layOut() {
  for (Room& room : m_rooms) {
    layOutLines(room);
    layOutLabels(room);
  }
}

double EditMarks::pixelOf(const Room& room, double key) const {
  return room.rect->axis(QCPAxis::atBottom)->coordToPixel(key);
}

void EditMarks::layOutLines(Room& room) {
  int used = 0;
  double last = -1e9;
  for (const PlotMark& mark : m_marks) {
    const double at = pixelOf(room, mark.key);
    if (!m_visible || at - last < kLineGap) continue;
    last = at;
    placeLine(room, used++, mark.key);
  }
  hideFrom(room.lines, used);
}

/// A label stands beside the first of the marks that are too near to have labels of their own.
void EditMarks::layOutLabels(Room& room) {
  const double left = room.rect->left(), right = room.rect->right();
  int used = 0;
  for (qsizetype first = 0, next = 0; m_visible && first < m_marks.size(); first = next) {
    const double at = pixelOf(room, m_marks[first].key);
    while (next < m_marks.size() && pixelOf(room, m_marks[next].key) - at < kLeastLabel)
      ++next;
    if (at < left || at > right) continue;
    const double end = next < m_marks.size() ? pixelOf(room, m_marks[next].key) : right;
    const QString text = next - first == 1 ? m_marks[first].text : tr("%1 edits").arg(next - first);
    placeLabel(room, used++, m_marks[first].key, text, std::min(end, right) - at);
  }
  hideFrom(room.labels, used);
}

void EditMarks::placeLine(Room& room, int index, double key) {
  if (index == room.lines.size()) {
    auto* line = new QCPItemStraightLine(m_plot);
    for (QCPItemPosition* point : {line->point1, line->point2}) {
      point->setAxes(room.rect->axis(QCPAxis::atBottom), room.rect->axis(QCPAxis::atLeft));
      point->setAxisRect(room.rect);
      point->setTypeX(QCPItemPosition::ptPlotCoords);
      point->setTypeY(QCPItemPosition::ptAxisRectRatio);
    }
    line->setClipAxisRect(room.rect);
    room.lines.append(line);
  }
  QCPItemStraightLine* line = room.lines[index];
  line->point1->setCoords(key, 0);
  line->point2->setCoords(key, 1);
  line->setPen(m_pen);
  line->setVisible(true);
}

/// To the right of its line; at the plot's end, where it would be cut, to the left.
void EditMarks::placeLabel(Room& room, int index, double key, const QString& text, double width) {
  if (index == room.labels.size()) {
    auto* label = new QCPItemText(m_plot);
    label->position->setAxes(room.rect->axis(QCPAxis::atBottom), room.rect->axis(QCPAxis::atLeft));
    label->position->setAxisRect(room.rect);
    label->position->setTypeX(QCPItemPosition::ptPlotCoords);
    label->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    label->setClipAxisRect(room.rect);
    label->setPadding(QMargins(3, 0, 3, 0));
    room.labels.append(label);
  }
  QCPItemText* label = room.labels[index];
  const bool toTheLeft = width < kLeastLabel;
  const double space = toTheLeft ? kMostLabel : std::min(width, kMostLabel);
  label->setFont(m_font);
  label->setColor(m_text);
  label->setBrush(m_ground);
  label->setPositionAlignment(Qt::AlignTop | (toTheLeft ? Qt::AlignRight : Qt::AlignLeft));
  label->setText(QFontMetricsF(m_font).elidedText(text, Qt::ElideRight, space - 2 * kLabelMargin));
  label->position->setCoords(key, 0);
  label->setVisible(true);
}

QStringList EditMarks::labels() const {
  QStringList texts;
  for (const QCPItemText* label : m_rooms.front().labels)
    if (label->visible()) texts << label->text();
  return texts;
}

int EditMarks::lines() const {
  const auto& lines = m_rooms.front().lines;
  return static_cast<int>(
      std::count_if(lines.begin(), lines.end(), [](const auto* line) { return line->visible(); }));
}

}  // namespace headlight
