#include "ui/masks/MaskMatrix.h"

#include <QScrollBar>

#include <algorithm>

#include "ui/document/Document.h"

namespace headlight {
namespace {

constexpr int kMaxWindow = 255;
constexpr QSize kSmallestCell{40, 24}, kLargestCell{96, 36};

QString starred(const QString& name) {
  return name.endsWith(QLatin1Char('*')) ? name : name + QLatin1Char('*');
}

}  // namespace

MaskMatrix::MaskMatrix(Document* document, QWidget* parent)
    : QAbstractScrollArea(parent), m_document(document) {
  m_brush.kind = MaskKind::Hard;
  setObjectName(QStringLiteral("maskMatrix"));
  setAccessibleName(tr("Mask matrix: layers by heads"));
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setMouseTracking(true);
  setFrameShape(QFrame::NoFrame);
  connect(document, &Document::modelChanged, this, &MaskMatrix::followModel);
  connect(document, &Document::masksChanged, this, &MaskMatrix::followModel);
  for (const auto signal :
       {&Document::lookChanged, &Document::viewChanged, &Document::recordedChanged})
    connect(document, signal, viewport(), qOverload<>(&QWidget::update));
  followModel();
}

void MaskMatrix::setBrush(const HeadMask& brush) {
  if (brush.looksLike(m_brush) && brush.window == m_brush.window && brush.alpha == m_brush.alpha)
    return;
  m_brush = brush;
  m_brush.resets = 0;  // those of a head
  Q_EMIT brushChanged(m_brush);
}

// --- Selection ---------------------------------------------------------------------------------

void MaskMatrix::followModel() {
  const MaskScheme& scheme = m_document->masks();
  const auto gone = [&](const HeadCell& cell) { return !scheme.contains(cell.first, cell.second); };
  const bool changed = std::erase_if(m_selection, gone) > 0;
  if (m_current && gone(*m_current)) m_current.reset();
  if (m_anchor && gone(*m_anchor)) m_anchor.reset();
  layOut();
  if (changed)
    announce();
  else
    viewport()->update();
}

void MaskMatrix::announce() {
  setAccessibleDescription(m_current ? describeCell(*m_current) : QString());
  viewport()->update();
  Q_EMIT selectionChanged();
}

void MaskMatrix::select(const std::vector<HeadCell>& cells) {
  m_selection.clear();
  for (const auto& cell : cells)
    if (m_document->masks().contains(cell.first, cell.second)) m_selection.insert(cell);
  if (!m_selection.empty() && (!m_current || !m_selection.contains(*m_current)))
    m_current = m_anchor = *m_selection.begin();
  announce();
}

void MaskMatrix::selectAll() {
  select(cellsOf({Part::Corner, -1, -1}));
}

void MaskMatrix::setCurrent(const HeadCell& cell) {
  m_current = m_anchor = cell;
  m_selection = {cell};
  showCell(cell);
  announce();
}

void MaskMatrix::extendTo(const HeadCell& cell) {
  if (!m_anchor) return setCurrent(cell);
  m_selection.clear();
  const auto [top, bottom] = std::minmax(m_anchor->first, cell.first);
  const auto [left, right] = std::minmax(m_anchor->second, cell.second);
  for (int l = top; l <= bottom; ++l)
    for (int h = left; h <= right; ++h)
      if (m_document->masks().contains(l, h)) m_selection.insert({l, h});
  m_current = cell;
  showCell(cell);
  announce();
}

void MaskMatrix::moveCurrent(int layers, int heads, bool extend) {
  const MaskScheme& scheme = m_document->masks();
  if (scheme.layers() == 0) return;
  HeadCell cell = m_current.value_or(HeadCell{0, 0});
  if (m_current) {
    cell.first = std::clamp(cell.first + layers, 0, scheme.layers() - 1);
    cell.second = std::clamp(cell.second + heads, 0, std::max(0, scheme.heads(cell.first) - 1));
  }
  extend ? extendTo(cell) : setCurrent(cell);
}

// --- Edits -------------------------------------------------------------------------------------

bool MaskMatrix::isMaskable(const HeadCell& cell) const {
  return cell.first < m_document->masks().maskableLayers();
}

std::vector<HeadCell> MaskMatrix::maskable(const std::vector<HeadCell>& cells) const {
  std::vector<HeadCell> result;
  for (const auto& cell : cells)
    if (isMaskable(cell)) result.push_back(cell);
  if (result.empty() && !cells.empty())
    Q_EMIT m_document->message(tr("Not masked: %1.").arg(whyNotMaskableText(m_document->masks())));
  return result;
}

void MaskMatrix::pushMasks(const std::vector<HeadCell>& cells, const std::vector<HeadMask>& masks,
                           const QString& label) {
  MaskScheme edited = m_document->masks();
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (edited.contains(cells[i].first, cells[i].second))
      edited.set(cells[i].first, cells[i].second, masks[i]);
  edited.setName(starred(QString::fromStdString(edited.name())).toStdString());
  const auto edit = makeMaskEdit(m_document->masks(), edited, label.toStdString());
  if (edit) m_document->pushEdit(*edit);
}

void MaskMatrix::setMask(const std::vector<HeadCell>& wanted, const HeadMask& mask) {
  const auto cells = maskable(wanted);
  if (cells.empty()) return;
  pushMasks(cells, std::vector<HeadMask>(cells.size(), mask),
            maskEditText(m_document->masks(), cells, mask));
}

void MaskMatrix::toggleBrush(const std::vector<HeadCell>& wanted) {
  const MaskScheme& scheme = m_document->masks();
  const auto cells = maskable(wanted);
  const bool have = std::all_of(cells.begin(), cells.end(), [&](const HeadCell& cell) {
    return scheme.at(cell.first, cell.second).looksLike(m_brush);
  });
  setMask(cells, have ? HeadMask{} : m_brush);
}

void MaskMatrix::setKindOfSelection(MaskKind kind) {
  const auto cells = maskable(selection());
  if (cells.empty()) return;
  std::vector<HeadMask> masks;
  for (const auto& [layer, head] : cells) {
    HeadMask mask = m_document->masks().at(layer, head);
    if (mask.kind == MaskKind::None) mask = m_brush;
    mask.kind = kind;
    masks.push_back(kind == MaskKind::None ? HeadMask{} : mask);
  }
  const bool alike = std::all_of(masks.begin(), masks.end(),
                                 [&](const HeadMask& mask) { return mask == masks.front(); });
  const QString what = alike ? maskText(masks.front()) : QString::fromStdString(maskKindName(kind));
  pushMasks(cells, masks, tr("%1 on %2").arg(what, cellsText(m_document->masks(), cells)));
}

void MaskMatrix::setWindowOfSelection(int window) {
  std::vector<HeadCell> cells;
  std::vector<HeadMask> masks;
  for (const auto& cell : maskable(selection())) {
    HeadMask mask = m_document->masks().at(cell.first, cell.second);
    if (mask.kind == MaskKind::None) continue;
    mask.window = std::clamp(window | 1, 1, kMaxWindow);
    cells.push_back(cell);
    masks.push_back(mask);
  }
  if (cells.empty()) return;
  pushMasks(cells, masks,
            tr("window %1×%1 on %2").arg(window).arg(cellsText(m_document->masks(), cells)));
}

void MaskMatrix::changeWindowOfSelection(int steps) {
  for (const auto& cell : maskable(selection())) {
    const HeadMask& mask = m_document->masks().at(cell.first, cell.second);
    if (mask.kind == MaskKind::None) continue;
    // All of them follow the first, so that mixed windows become one.
    return setWindowOfSelection(std::clamp(mask.window + 2 * steps, 1, kMaxWindow));
  }
}

void MaskMatrix::resetAlphas() {
  const MaskScheme& scheme = m_document->masks();
  std::vector<HeadCell> soft;
  for (const auto& cell : m_selection.empty() ? cellsOf({Part::Corner, -1, -1}) : selection())
    if (scheme.at(cell.first, cell.second).kind == MaskKind::Soft) soft.push_back(cell);
  if (soft.empty())
    return Q_EMIT m_document->message(
        m_selection.empty() ? tr("No head is soft.") : tr("No head of the selection is soft."));
  const auto edit = makeResetEdit(
      scheme, soft, tr("learned α reset on %1").arg(cellsText(scheme, soft)).toStdString());
  if (edit) m_document->pushEdit(*edit);
}

// --- Geometry ----------------------------------------------------------------------------------

void MaskMatrix::layOut() {
  const MaskScheme& scheme = m_document->masks();
  int heads = 0;
  for (int l = 0; l < scheme.layers(); ++l)
    heads = std::max(heads, scheme.heads(l));
  const QFontMetrics metrics(font());
  m_rowHeaderWidth = metrics.horizontalAdvance(QStringLiteral("L000")) + 10;
  m_columnHeaderHeight = metrics.height() + 6;
  const QSize room = viewport()->size() - QSize(m_rowHeaderWidth, m_columnHeaderHeight);
  const QSize smallest = kSmallestCell.expandedTo(
      {metrics.horizontalAdvance(QStringLiteral("S .00")) + 14, metrics.height() + 9});
  const auto fitted = [](int space, int count, int low, int high) {
    return count > 0 ? std::clamp(space / count, low, std::max(low, high)) : low;
  };
  m_cellSize = {fitted(room.width(), heads, smallest.width(), kLargestCell.width()),
                fitted(room.height(), scheme.layers(), smallest.height(), kLargestCell.height())};
  const auto setRange = [](QScrollBar* bar, int content, int page, int step) {
    bar->setRange(0, std::max(0, content - page));
    bar->setPageStep(std::max(1, page));
    bar->setSingleStep(step);
  };
  setRange(horizontalScrollBar(), heads * m_cellSize.width(), room.width(), m_cellSize.width());
  setRange(verticalScrollBar(), scheme.layers() * m_cellSize.height(), room.height(),
           m_cellSize.height());
}

QRect MaskMatrix::cellRect(const HeadCell& cell) const {
  if (!m_document->masks().contains(cell.first, cell.second)) return {};
  return {m_rowHeaderWidth + cell.second * m_cellSize.width() - horizontalScrollBar()->value(),
          m_columnHeaderHeight + cell.first * m_cellSize.height() - verticalScrollBar()->value(),
          m_cellSize.width(), m_cellSize.height()};
}

QRect MaskMatrix::rowHeaderRect(int layer) const {
  if (layer < 0 || layer >= m_document->masks().layers()) return {};
  return {0, m_columnHeaderHeight + layer * m_cellSize.height() - verticalScrollBar()->value(),
          m_rowHeaderWidth, m_cellSize.height()};
}

QRect MaskMatrix::columnHeaderRect(int head) const {
  return {m_rowHeaderWidth + head * m_cellSize.width() - horizontalScrollBar()->value(), 0,
          m_cellSize.width(), m_columnHeaderHeight};
}

QRect MaskMatrix::cornerRect() const {
  return {0, 0, m_rowHeaderWidth, m_columnHeaderHeight};
}

MaskMatrix::Hit MaskMatrix::hitAt(const QPoint& position) const {
  if (!viewport()->rect().contains(position)) return {};
  const bool inRowHeader = position.x() < m_rowHeaderWidth;
  const bool inColumnHeader = position.y() < m_columnHeaderHeight;
  const int layer =
      (position.y() - m_columnHeaderHeight + verticalScrollBar()->value()) / m_cellSize.height();
  const int head =
      (position.x() - m_rowHeaderWidth + horizontalScrollBar()->value()) / m_cellSize.width();
  Hit hit;
  if (inRowHeader && inColumnHeader)
    hit = {Part::Corner, -1, -1};
  else if (inRowHeader)
    hit = {Part::RowHeader, layer, -1};
  else if (inColumnHeader)
    hit = {Part::ColumnHeader, -1, head};
  else
    hit = {Part::Cell, layer, head};
  return cellsOf(hit).empty() ? Hit{} : hit;
}

std::vector<HeadCell> MaskMatrix::cellsOf(const Hit& hit) const {
  const MaskScheme& scheme = m_document->masks();
  std::vector<HeadCell> cells;
  for (int l = 0; l < scheme.layers() && hit.part != Part::Nothing; ++l)
    for (int h = 0; h < scheme.heads(l); ++h)
      if ((hit.layer < 0 || hit.layer == l) && (hit.head < 0 || hit.head == h))
        cells.emplace_back(l, h);
  return cells;
}

void MaskMatrix::showCell(const HeadCell& cell) {
  const QRect rect = cellRect(cell);
  const auto show = [](QScrollBar* bar, int low, int high, int first, int end) {
    if (low < first) bar->setValue(bar->value() + low - first);
    if (high > end) bar->setValue(bar->value() + high - end);
  };
  show(horizontalScrollBar(), rect.left(), rect.right() + 1, m_rowHeaderWidth, viewport()->width());
  show(verticalScrollBar(), rect.top(), rect.bottom() + 1, m_columnHeaderHeight,
       viewport()->height());
}

QSize MaskMatrix::sizeHint() const {
  return {m_rowHeaderWidth + 3 * 64, m_columnHeaderHeight + 12 * 30};
}

QSize MaskMatrix::minimumSizeHint() const {
  return {m_rowHeaderWidth + 2 * kSmallestCell.width(),
          m_columnHeaderHeight + 2 * kSmallestCell.height()};
}

}  // namespace headlight
