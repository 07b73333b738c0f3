// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/MaskMatrix.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <utility>

#include "ui/document/Document.h"
#include "ui/masks/MaskMenu.h"
#include "ui/masks/MaskTips.h"
#include "ui/masks/MatrixKeys.h"

namespace headlight {

MaskMatrix::MaskMatrix(Document* document, QWidget* parent)
    : QAbstractScrollArea(parent), m_document(document), m_edits(document), m_stroke(document) {
  m_brush.kind = MaskKind::Hard;
  setObjectName(QStringLiteral("maskMatrix"));
  setAccessibleName(tr("Mask matrix: layers by heads"));
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setMouseTracking(true);
  setFrameShape(QFrame::NoFrame);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &MaskMatrix::followModel);
  connect(&document->inputs(), &InferenceInputs::masksChanged, this, &MaskMatrix::followModel);
  connect(document, &Document::inferenceChanged, viewport(), qOverload<>(&QWidget::update));
  connect(&document->view(), &ViewState::changed, this, &MaskMatrix::followView);
  connect(&document->recorded(), &RecordedStep::changed, viewport(), qOverload<>(&QWidget::update));
  connect(&document->numbers(), &HeadNumberState::changed, viewport(),
          qOverload<>(&QWidget::update));
  followModel();
}

void MaskMatrix::setBrush(const HeadMask& brush) {
  if (brush.looksLike(m_brush) && brush.window == m_brush.window && brush.alpha == m_brush.alpha)
    return;
  m_brush = brush;
  m_brush.resets = 0;  // those of a head
  Q_EMIT brushChanged(m_brush);
}

bool MaskMatrix::paintsOnClick() const {
  return m_document->view().options().paintsOnClick;
}

void MaskMatrix::setPaintsOnClick(bool on) {
  m_document->view().change([on](ViewOptions& view) { view.paintsOnClick = on; });
}

void MaskMatrix::setThumbnails(Thumbnails thumbnails) {
  m_thumbnails = std::move(thumbnails);
  fit();
  viewport()->update();
}

void MaskMatrix::followView() {
  viewport()->setCursor(paintsOnClick() ? Qt::CrossCursor : Qt::ArrowCursor);
  viewport()->update();
}

// --- Selection ---------------------------------------------------------------------------------

void MaskMatrix::followModel() {
  const bool changed = m_selection.setHeads(m_document->inputs().masks().shape().heads);
  fit();
  if (changed)
    announce();
  else
    viewport()->update();
}

void MaskMatrix::announce() {
  const auto current = m_selection.current();
  setAccessibleDescription(current ? describeCell(*current) : QString());
  viewport()->update();
  Q_EMIT selectionChanged();
}

void MaskMatrix::select(const std::vector<HeadPlace>& cells) {
  m_selection.select(cells);
  announce();
}

void MaskMatrix::selectPlace(const MatrixPlace& place) {
  select(cellsOf(place, m_selection.heads()));
}

void MaskMatrix::selectAll() {
  selectPlace(MatrixPlace::corner());
}

void MaskMatrix::showCurrent() {
  if (!m_selection.current()) return;
  const QRect rect = cellRect(*m_selection.current());
  const auto show = [](QScrollBar* bar, int low, int high, int first, int end) {
    if (low < first) bar->setValue(bar->value() + low - first);
    if (high > end) bar->setValue(bar->value() + high - end);
  };
  show(horizontalScrollBar(), rect.left(), rect.right() + 1, m_layout.rowHeaderWidth(),
       viewport()->width());
  show(verticalScrollBar(), rect.top(), rect.bottom() + 1, m_layout.columnHeaderHeight(),
       viewport()->height());
}

// --- Edits -------------------------------------------------------------------------------------

void MaskMatrix::setMask(const std::vector<HeadPlace>& cells, const HeadMask& mask) {
  m_edits.setMask(cells, mask);
}

void MaskMatrix::toggleBrush(const std::vector<HeadPlace>& cells) {
  m_edits.toggle(cells, m_brush);
}

void MaskMatrix::resetAlphas() {
  if (m_selection.isEmpty())
    m_edits.resetAlphas(cellsOf(MatrixPlace::corner(), m_selection.heads()),
                        tr("No head is soft."));
  else
    m_edits.resetAlphas(selection(), tr("No head of the selection is soft."));
}

// --- Geometry ----------------------------------------------------------------------------------

void MaskMatrix::fit() {
  m_layout.fit(m_selection.heads(), viewport()->size(), QFontMetrics(font()),
               m_thumbnails != nullptr);
  const QSize cell = m_layout.cellSize(), content = m_layout.content();
  const QSize room =
      viewport()->size() - QSize(m_layout.rowHeaderWidth(), m_layout.columnHeaderHeight());
  const auto setRange = [](QScrollBar* bar, int length, int page, int step) {
    bar->setRange(0, std::max(0, length - page));
    bar->setPageStep(std::max(1, page));
    bar->setSingleStep(step);
  };
  setRange(horizontalScrollBar(), content.width(), room.width(), cell.width());
  setRange(verticalScrollBar(), content.height(), room.height(), cell.height());
}

MatrixLayout MaskMatrix::layOut() const {
  MatrixLayout layout = m_layout;
  layout.setScroll({horizontalScrollBar()->value(), verticalScrollBar()->value()});
  return layout;
}

MatrixPlace MaskMatrix::placeAt(const QPoint& position) const {
  return viewport()->rect().contains(position) ? layOut().placeAt(position) : MatrixPlace{};
}

void MaskMatrix::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  fit();
}

void MaskMatrix::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::FontChange) fit();
  viewport()->update();
}

// --- Mouse -------------------------------------------------------------------------------------

void MaskMatrix::mousePressEvent(QMouseEvent* event) {
  const MatrixPlace place = placeAt(event->pos());
  if (event->button() != Qt::LeftButton || place.part == MatrixPlace::Part::Nothing) return;
  const auto cells = cellsOf(place, m_selection.heads());
  if (event->modifiers() & Qt::ControlModifier) {
    m_selection.toggle(cells);
    announce();
  } else if (event->modifiers() & Qt::ShiftModifier) {
    m_selection.extendTo(place);
    if (place.part != MatrixPlace::Part::Corner) showCurrent();
    announce();
  } else if (paintsOnClick()) {
    beginStroke(event->pos());
  } else {
    m_pressed = place;
    m_pressedAt = event->pos();
    m_selection.selectFrom(cells);
    announce();
    look(place);
  }
}

void MaskMatrix::look(const MatrixPlace& place) {
  if (place.part == MatrixPlace::Part::Corner) return;
  m_document->view().change([&](ViewOptions& view) {
    if (place.layer >= 0) view.layer = place.layer;
    view.head = place.head;
  });
}

void MaskMatrix::mouseMoveEvent(QMouseEvent* event) {
  const MatrixPlace place = placeAt(event->pos());
  if (!(place == m_hover)) {
    m_hover = place;
    viewport()->update();
  }
  if (!(event->buttons() & Qt::LeftButton)) return;
  const bool isPressed = m_pressed.part != MatrixPlace::Part::Nothing;
  if (isPressed && place.part != MatrixPlace::Part::Nothing && !(place == m_pressed)) {
    m_pressed = {};
    beginStroke(m_pressedAt);
  }
  if (m_stroke.isGoingOn()) strokeTo(event->pos());
}

void MaskMatrix::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  m_pressed = {};
  m_stroke.end();
}

void MaskMatrix::leaveEvent(QEvent* event) {
  m_hover = {};
  viewport()->update();
  QAbstractScrollArea::leaveEvent(event);
}

/// A stroke that begins on the brush's mask erases.
void MaskMatrix::beginStroke(const QPoint& position) {
  const auto painted = m_edits.keepMaskable(cellsOf(placeAt(position), m_selection.heads()));
  if (painted.empty()) m_edits.sayWhyNot();
  const bool have = !painted.empty() && m_edits.haveAll(painted, m_brush);
  m_stroke.begin(have ? HeadMask{} : m_brush);
  m_strokeEnd = position;
  strokeTo(position);
}

void MaskMatrix::strokeTo(const QPoint& position) {
  for (const QPoint& at : m_layout.wayBetween(m_strokeEnd, position)) {
    const auto cells = cellsOf(placeAt(at), m_selection.heads());
    if (cells.empty() || !m_stroke.isNews(cells)) continue;
    m_stroke.paint(cells, m_edits.keepMaskable(cells));
    m_selection.selectFrom(cells);
    announce();
  }
  m_strokeEnd = position;
}

void MaskMatrix::contextMenuEvent(QContextMenuEvent* event) {
  const bool byMouse = event->reason() == QContextMenuEvent::Mouse;
  const auto under = byMouse ? cellsOf(placeAt(event->pos()), m_selection.heads()) : selection();
  if (under.empty()) return;
  if (!m_selection.contains(under)) select(under);
  if (under.size() == 1) m_selection.setCurrent(under.front());
  auto* menu = new QMenu(this);
  menu->setObjectName(QStringLiteral("maskMenu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  fillMaskMenu(menu, this, m_document);
  const auto cell = current();
  menu->popup(byMouse || !cell ? event->globalPos()
                               : viewport()->mapToGlobal(cellRect(*cell).center()));
}

// --- Keyboard ----------------------------------------------------------------------------------

bool MaskMatrix::handleMaskKey(const QKeyEvent& event) {
  const auto key = findMaskKey(event);
  if (!key) return false;
  switch (key->what) {
    case MaskKey::What::Kind:
      m_edits.setKind(selection(), key->kind, m_brush);
      break;
    case MaskKey::What::Toggle:
      if (!m_selection.isEmpty()) toggleBrush(selection());
      break;
    case MaskKey::What::Window:
      if (key->number % 2 == 1)
        m_edits.setWindow(selection(), key->number);
      else
        Q_EMIT m_document->message(tr("The window must be odd: 1, 3, 5, 7 or 9."));
      break;
    case MaskKey::What::WindowBy:
      m_edits.changeWindow(selection(), key->number);
      break;
    case MaskKey::What::PaintMode:
      setPaintsOnClick(!paintsOnClick());
      break;
  }
  return true;
}

bool MaskMatrix::handleMoveKey(const QKeyEvent& event) {
  if (event.key() == Qt::Key_A && event.modifiers() & Qt::ControlModifier) {
    selectAll();
    return true;
  }
  if (event.key() == Qt::Key_Escape && !m_selection.isEmpty()) {
    select({});
    return true;
  }
  const int page = std::max(1, verticalScrollBar()->pageStep() / m_layout.cellSize().height());
  const auto move = findMove(event, page);
  if (!move) return false;
  if (m_layout.layers() == 0) return true;
  m_selection.move(move->layers, move->heads, event.modifiers() & Qt::ShiftModifier);
  showCurrent();
  announce();
  return true;
}

void MaskMatrix::keyPressEvent(QKeyEvent* event) {
  if (!handleMoveKey(*event) && !handleMaskKey(*event)) QAbstractScrollArea::keyPressEvent(event);
}

bool MaskMatrix::event(QEvent* event) {
  // A letter belongs to the matrix while it has the focus, whatever the window's shortcuts are.
  if (event->type() == QEvent::ShortcutOverride &&
      isClaimed(*static_cast<const QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  return QAbstractScrollArea::event(event);
}

void MaskMatrix::focusInEvent(QFocusEvent* event) {
  const bool byKey = event->reason() == Qt::TabFocusReason ||
                     event->reason() == Qt::BacktabFocusReason ||
                     event->reason() == Qt::ShortcutFocusReason;
  if (byKey && !current() && exists({0, 0}, m_selection.heads())) {
    m_selection.selectFrom({{0, 0}});
    showCurrent();
    announce();
  }
  QAbstractScrollArea::focusInEvent(event);
  viewport()->update();
}

void MaskMatrix::focusOutEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusOutEvent(event);
  viewport()->update();
}

// --- What is shown -----------------------------------------------------------------------------

QString MaskMatrix::describeCell(const HeadPlace& cell) const {
  return cellTip(*m_document, cell);
}

bool MaskMatrix::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString text = placeTip(*m_document, placeAt(help->pos()), m_brush);
  if (text.isEmpty())
    QToolTip::hideText();
  else
    QToolTip::showText(help->globalPos(), text, viewport());
  return true;
}

MatrixCell MaskMatrix::cellToPaint(const HeadPlace& cell) const {
  const ViewOptions& view = m_document->view().options();
  MatrixCell shown;
  shown.mask = m_document->recorded().shownMasks().at(cell.layer, cell.head);
  shown.alpha = m_document->numbers().alpha(cell.layer, cell.head);
  if (const auto number = m_document->numbers().value(cell.layer, cell.head)) {
    shown.bar = m_document->numbers().share(*number);
    shown.number = m_document->numbers().text(*number);
  }
  if (const auto chance = m_document->numbers().chance(cell.layer))
    shown.chance = m_document->numbers().share(*chance);
  shown.recorded = m_document->recorded().point() != nullptr;
  shown.maskable = m_edits.isMaskable(cell);
  shown.hovered = m_hover.covers(cell);
  shown.selected = m_selection.contains(cell);
  shown.current = current() == cell && hasFocus();
  shown.shown = view.layer == cell.layer && view.head == cell.head;
  if (const int side = m_layout.thumbnailSide(); m_thumbnails && side > 0) {
    const int pixels = qRound(side * devicePixelRatioF());
    shown.thumbnail = m_thumbnails(cell, {pixels, pixels});
    shown.thumbnailSide = side;
  }
  return shown;
}

void MaskMatrix::paintEvent(QPaintEvent* event) {
  QPainter device(viewport());
  MaskMatrixPainter painter(&device, palette(), font());
  painter.drawPaper(event->rect());
  if (m_layout.layers() == 0) {
    device.setPen(palette().color(QPalette::PlaceholderText));
    device.drawText(viewport()->rect().adjusted(12, 12, -12, -12),
                    Qt::AlignCenter | Qt::TextWordWrap,
                    tr("Open a model to see its layers and heads here."));
    return;
  }
  const MatrixLayout layout = layOut();
  for (const HeadPlace& cell : cellsOf(MatrixPlace::corner(), m_selection.heads())) {
    const QRect rect = layout.cellRect(cell);
    if (rect.intersects(event->rect())) painter.drawCell(rect, cellToPaint(cell));
  }
  const ViewOptions& view = m_document->view().options();
  painter.drawHeaders(layout, viewport()->size(), {m_hover, view.layer, view.head});
}

}  // namespace headlight
