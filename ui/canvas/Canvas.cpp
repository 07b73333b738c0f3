// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/Canvas.h"

#include <QKeyEvent>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/base/CoreText.h"
#include "ui/canvas/ViewedDecoder.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/canvas/ViewedMask.h"

namespace headlight {
namespace {

constexpr int kMostChips = 10;  ///< more would cover the image
constexpr int kWideNote = 460;  ///< from here on a note at the pointer has room for one line

/// From 1: how many values are larger, and one.
int valueRank(const std::vector<float>& values, std::size_t at) {
  return 1 + static_cast<int>(std::count_if(values.begin(), values.end(),
                                            [&](float value) { return value > values[at]; }));
}

}  // namespace

Canvas::Canvas(Document* document, QWidget* parent) : ImageView(document, parent) {
  setObjectName("canvas");
  setAccessibleName(tr("Canvas: the image with the map of the chosen head"));
  setWhatsThis(tr(
      "The patch under the pointer is the query; a click pins it, Esc releases it. A click on "
      "the label "
      "of an object selects the detection token that found it, a click on a segment its class and "
      "the query of the decoder that found it. Arrows move "
      "the query, C selects the class token, D the distillation token or the next register. [ "
      "and ] change the "
      "layer, comma and full stop the head, O shows or hides the map, S smooths it. The wheel "
      "zooms, the middle button "
      "drags, 0 fits, 1 is 100 %."));
  connect(&document->inputs(), &InferenceInputs::masksChanged, this, &Canvas::readMask);
  refreshMap();
}

std::optional<MapOverlay> Canvas::currentMap() const {
  return canvasMap(*document());
}

Legend Canvas::currentLegend() const {
  Legend legend = canvasLegend(*document(), shownMap());
  legend.note = legendNote();
  return legend;
}

QString Canvas::legendNote() const {
  const QString segments = segmentNote(*document());
  const QString note = shownNote(*document());
  return note.isEmpty() || segments.isEmpty() ? note + segments
                                              : note + QLatin1Char(' ') + segments;
}

/// The class first, of the pixel under the pointer, or where it is elsewhere in the patch's middle.
QString Canvas::hoverText(int patch) const {
  const QString text = patchHoverText(patch);
  const QPointF middle = placeAt(patchRect(patch).center());
  const bool within =
      patchAt(toWidget({m_pointer.x() * document()->inputs().image().width,
                        m_pointer.y() * document()->inputs().image().height})) == patch;
  const QString segment = segmentTextAt(*document(), within ? m_pointer : middle);
  return segment.isEmpty() ? text : segment + QLatin1Char('\n') + text;
}

QString Canvas::patchHoverText(int patch) const {
  const auto inference = document()->inference();
  if (shownMap() && shownDecoderLayer(*document()) >= 0)
    return patchText(patch) + QStringLiteral(": ") +
           decoderShareText(*document(), shownMap()->values[static_cast<std::size_t>(patch)]);
  if (!shownMap() || !inference || inference->maps.isSigned) return ImageView::hoverText(patch);
  if (shownLearned(inference.get(), document()->view().options()))
    return ImageView::hoverText(patch);  // no share of anything
  const double value = shownMap()->values[static_cast<std::size_t>(patch)];
  if (std::isnan(value)) return ImageView::hoverText(patch);
  const int tokens = gridOfLayer(inference->maps, document()->view().options().layer,
                                 document()->inputs().model().grid)
                         .tokens();
  const QString share = QString::number(value * 100, 'f', value < 0.1 ? 2 : 1);
  return tr("%1: %2 % of %3").arg(patchText(patch), share, whoseAttention(patch)) +
         (width() < kWideNote ? QLatin1String("\n") : QLatin1String("   ")) +
         tr("rank %1 of %2 · %3 × uniform")
             .arg(valueRank(shownMap()->values, static_cast<std::size_t>(patch)))
             .arg(shownMap()->values.size())
             .arg(QString::number(value * tokens, 'f', 1));
}

QString Canvas::whoseAttention(int patch) const {
  const int query = document()->view().options().query;
  if (query == tokenOf(patch)) return tr("its own attention");
  const Grid& grid = document()->inputs().model().grid;
  const QString token = document()->view().describeToken(query);
  return query < grid.prefix - grid.registers ? tr("the attention of the %1").arg(token)
                                              : tr("the attention of %1").arg(token);
}

QString Canvas::chipText(int token) const {
  const Grid& grid = document()->inputs().model().grid;
  const int firstRegister = grid.prefix - grid.registers;
  if (token >= firstRegister) return tr("register %1").arg(token - firstRegister + 1);
  return token == 0 ? tr("class") : tr("distillation");
}

std::vector<int> Canvas::chipTokens() const {
  const Grid& grid = document()->inputs().model().grid;
  const int query = document()->view().options().query;
  std::vector<int> tokens;
  for (int token = 0; token < grid.prefix; ++token)
    if (grid.prefix <= kMostChips || token < grid.prefix - grid.registers || token == query)
      tokens.push_back(token);
  return tokens;
}

std::vector<ObjectMark> Canvas::objects() const {
  return viewedObjects(*document(), regionRect(), QFontMetricsF(font()));
}

/// One after the other; those that the width does not hold stand below.
QRectF Canvas::chipRect(int token) const {
  const QFontMetricsF metrics(font());
  const double height = metrics.height() + 6;
  double left = 8, top = imageArea().top() + 8;
  for (const int each : chipTokens()) {
    const double chip = metrics.horizontalAdvance(chipText(each)) + 20;
    if (left > 8 && left + chip > width() - 8) {
      left = 8;
      top += height + 4;
    }
    if (each == token) return {left, top, chip, height};
    left += chip + 6;
  }
  return {};
}

void Canvas::drawChip(QPainter& painter, int token) const {
  const bool chosen = document()->view().options().query == token;
  QColor ground = palette().color(chosen ? QPalette::Highlight : QPalette::Window);
  if (!chosen) ground.setAlpha(210);
  QColor edge = palette().color(QPalette::WindowText);
  edge.setAlpha(70);
  painter.setBrush(ground);
  painter.setPen(edge);
  const QRectF chip = chipRect(token).adjusted(0.5, 0.5, -0.5, -0.5);
  painter.drawRoundedRect(chip, chip.height() / 2, chip.height() / 2);
  painter.setPen(palette().color(chosen ? QPalette::HighlightedText : QPalette::WindowText));
  painter.drawText(chip, Qt::AlignCenter, chipText(token));
}

void Canvas::paintMarks(QPainter& painter) {
  if (!document()->inputs().hasModel() || !document()->inputs().hasImage()) return;
  drawMask(painter);
  drawTokenCursor(painter);
  if (!hasNoImage()) {
    drawSegments(painter);
    drawTruth(painter, viewedTruth(*document(), regionRect()));
    drawObjects(painter, objects(), palette());
  }
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  for (const int token : chipTokens())
    drawChip(painter, token);
  painter.restore();
}

void Canvas::readMask() {
  MaskSight sight = viewedMask(*document());
  if (sight == m_sight) return;
  m_sight = std::move(sight);
  describe();
  update();
}

void Canvas::drawMask(QPainter& painter) {
  if (shownDecoderLayer(*document()) >= 0) return;  // masks are of heads
  drawMaskSight(painter, regionRect(), m_sight, palette());
  if (!m_sight.text.empty())
    drawNote(painter, imageArea(), Qt::AlignBottom | Qt::AlignRight, coreText(m_sight.text),
             palette());
}

void Canvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && document()->inputs().hasModel() &&
      document()->inputs().hasImage()) {
    for (const int token : chipTokens())
      if (chipRect(token).contains(event->position())) return setQuery(token);
    const auto marks = objects();
    if (const ObjectMark* mark = labelAt(marks, event->position()))
      return document()->view().pinBox(mark->token, mark->cell);
    if (pressSegment(event->position())) return;
  }
  ImageView::mousePressEvent(event);
}

void Canvas::mouseMoveEvent(QMouseEvent* event) {
  const QPointF before = std::exchange(m_pointer, placeAt(event->position()));
  ImageView::mouseMoveEvent(event);
  if (segmentTextAt(*document(), before) != segmentTextAt(*document(), m_pointer)) update();
}

bool Canvas::pressSegment(const QPointF& point) {
  const auto found = viewedSegments(*document());
  const int patch = patchAt(point);
  if (!found || patch < 0 || hasNoImage()) return false;
  const QPointF place = placeAt(point);
  const int query = queryAt(*found, place.x(), place.y());
  if (query < 0) return false;
  document()->view().pinSegment(tokenOf(patch), query, classAt(found->image, place.x(), place.y()));
  return true;
}

QRectF Canvas::imageRect() const {
  const Image& image = document()->inputs().image();
  return {toWidget({0, 0}), toWidget(QPointF(image.width, image.height))};
}

QPointF Canvas::placeAt(const QPointF& point) const {
  const Image& image = document()->inputs().image();
  if (image.empty()) return {-1, -1};
  const QPointF pixel = toImage(point);
  return {pixel.x() / image.width, pixel.y() / image.height};
}

/// In the corner, or below a notice that would cover it there.
std::vector<SegmentKey> Canvas::segmentLegend() const {
  const auto found = viewedSegments(*document());
  if (!found || hasNoImage()) return {};
  const QFontMetricsF metrics(font());
  const QRectF covered = coveredArea();
  QRectF area = imageArea();
  auto keys = segmentKeys(*found, area, metrics);
  if (!areaOfKeys(keys).intersects(covered)) return keys;
  area.setTop(std::min(covered.bottom(), area.bottom()));
  return segmentKeys(*found, area, metrics);
}

void Canvas::drawSegments(QPainter& painter) {
  m_segments.paint(painter, *document(), imageRect(), imageArea());
  drawSegmentKeys(painter, segmentLegend(), palette());
}

/// The distillation token, or the registers one after the other.
void Canvas::stepAmongOthers() {
  const Grid& grid = document()->inputs().model().grid;
  const int first = grid.hasClassToken() ? 1 : 0, query = document()->view().options().query;
  if (first >= grid.prefix) return;
  const bool among = query >= first && query + 1 < grid.prefix;
  setQuery(among ? query + 1 : first);
}

void Canvas::setQuery(int token) {
  document()->view().pin(token);
}

bool Canvas::hasNoImage() const {
  return shownLearned(document()->inference().get(), document()->view().options()) != nullptr;
}

void Canvas::patchPressed(int patch) {
  setQuery(tokenOf(patch));
}

void Canvas::patchHovered(int patch) {
  if (patch >= 0 && document()->inputs().hasModel())
    document()->view().follow(tokenOf(patch));
  else
    document()->view().endFollowing();
}

void Canvas::moveToken(int rows, int cols) {
  const Grid& grid = document()->inputs().model().grid;
  const int patch = document()->view().options().query - grid.prefix;
  // From a prefix token, which has no place, to the middle.
  if (patch < 0) return setQuery(grid.middleToken());
  const int row = std::clamp(patch / grid.cols + rows, 0, grid.rows - 1);
  const int col = std::clamp(patch % grid.cols + cols, 0, grid.cols - 1);
  setQuery(grid.prefix + row * grid.cols + col);
}

void Canvas::stepLayer(int by) {
  ViewOptions view = document()->view().options();
  const int layers = static_cast<int>(document()->inputs().model().heads.size());
  view.layer = std::clamp(view.layer + by, 0, std::max(layers - 1, 0));
  document()->view().set(view);
}

void Canvas::stepHead(int by) {
  ViewOptions view = document()->view().options();
  if (document()->inputs().model().heads.empty()) return;
  const int heads = document()->inputs().model().heads[static_cast<std::size_t>(view.layer)];
  view.head = std::clamp(view.head + by, -1, heads - 1);
  document()->view().set(view);
}

bool Canvas::claimsKey(const QKeyEvent& event) const {
  if (ImageView::claimsKey(event)) return true;
  if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
  switch (event.key()) {
    case Qt::Key_Escape:
      return document()->view().isPinned();
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_C:
    case Qt::Key_H:
    case Qt::Key_D:
    case Qt::Key_O:
    case Qt::Key_S:
    case Qt::Key_BracketLeft:
    case Qt::Key_BracketRight:
    case Qt::Key_Comma:
    case Qt::Key_Period:
      return document()->inputs().hasModel();
    default:
      return false;
  }
}

bool Canvas::handleKey(QKeyEvent* event) {
  if (ImageView::handleKey(event)) return true;
  if (!Canvas::claimsKey(*event)) return false;  // a key of a subclass
  ViewOptions view = document()->view().options();
  switch (event->key()) {
    case Qt::Key_Escape:
      document()->view().unpin();
      patchHovered(hoveredPatch());
      break;
    case Qt::Key_H:
      view.style = nextMapStyle(view.style);
      document()->view().set(view);
      break;
    case Qt::Key_Left:
      moveToken(0, -1);
      break;
    case Qt::Key_Right:
      moveToken(0, 1);
      break;
    case Qt::Key_Up:
      moveToken(-1, 0);
      break;
    case Qt::Key_Down:
      moveToken(1, 0);
      break;
    case Qt::Key_C:
      if (document()->inputs().model().grid.hasClassToken()) setQuery(0);
      break;
    case Qt::Key_D:
      stepAmongOthers();
      break;
    case Qt::Key_O: {
      bool& shown = event->modifiers() & Qt::ShiftModifier ? view.objectBoxes : view.showOverlay;
      shown = !shown;
      document()->view().set(view);
      break;
    }
    case Qt::Key_S:
      view.smooth = !view.smooth;
      document()->view().set(view);
      break;
    case Qt::Key_BracketLeft:
      stepLayer(-1);
      break;
    case Qt::Key_BracketRight:
      stepLayer(1);
      break;
    case Qt::Key_Comma:
      stepHead(-1);
      break;
    case Qt::Key_Period:
      stepHead(1);
      break;
  }
  return true;
}

void Canvas::mapTaken() {
  readMask();
  // Other boxes or segments may lie over the same map.
  if (showsObjects(*document()) || showsSegments(*document())) update();
  describe();
}

void Canvas::describe() {
  // For screen readers: what the legend says.
  if (!document()->inputs().hasModel() || !document()->inputs().hasImage()) return;
  const Legend legend = currentLegend();
  QString text = legend.title + QStringLiteral("; ") + legend.detail;
  if (!legend.note.isEmpty()) text += QStringLiteral("; ") + legend.note;
  if (!m_sight.text.empty()) text += QStringLiteral("; ") + coreText(m_sight.text);
  for (const SegmentKey& key : segmentLegend())
    text += QStringLiteral("; ") + key.text;
  setAccessibleDescription(text);
}

}  // namespace headlight
