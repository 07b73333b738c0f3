// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/CellEdits.h"

#include <algorithm>

#include "ui/base/CoreText.h"
#include "ui/document/Document.h"
#include "ui/document/MaskText.h"

namespace headlight {
namespace {

constexpr int kMaxWindow = 255;

QString starred(const QString& name) {
  return name.endsWith(QLatin1Char('*')) ? name : name + QLatin1Char('*');
}

}  // namespace

const HeadMask& CellEdits::maskOf(const HeadPlace& cell) const {
  return m_document->inputs().masks().at(cell.layer, cell.head);
}

bool CellEdits::isMaskable(const HeadPlace& cell) const {
  return cell.layer < m_document->inputs().masks().maskableLayers();
}

bool CellEdits::haveAll(const std::vector<HeadPlace>& cells, const HeadMask& mask) const {
  return std::all_of(cells.begin(), cells.end(),
                     [&](const HeadPlace& cell) { return maskOf(cell).looksLike(mask); });
}

std::vector<HeadPlace> CellEdits::keepMaskable(const std::vector<HeadPlace>& cells) const {
  std::vector<HeadPlace> result;
  for (const HeadPlace& cell : cells)
    if (isMaskable(cell)) result.push_back(cell);
  return result;
}

std::vector<HeadPlace> CellEdits::maskable(const std::vector<HeadPlace>& cells) const {
  auto result = keepMaskable(cells);
  if (result.empty() && !cells.empty()) sayWhyNot();
  return result;
}

void CellEdits::sayWhyNot() const {
  Q_EMIT m_document->message(
      tr("Not masked: %1.").arg(whyNotMaskableText(m_document->inputs().masks())));
}

void CellEdits::push(const std::vector<HeadPlace>& cells, const std::vector<HeadMask>& masks,
                     const QString& label, int stroke) {
  MaskScheme edited = m_document->inputs().masks();
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (edited.contains(cells[i].layer, cells[i].head))
      edited.set(cells[i].layer, cells[i].head, masks[i]);
  edited.setName(starred(QString::fromStdString(edited.name())).toStdString());
  const auto edit = makeMaskEdit(m_document->inputs().masks(), edited, label.toStdString());
  if (edit) m_document->inputs().pushEdit(*edit, stroke);
}

void CellEdits::setMask(const std::vector<HeadPlace>& wanted, const HeadMask& mask) {
  const auto cells = maskable(wanted);
  if (cells.empty()) return;
  push(cells, std::vector<HeadMask>(cells.size(), mask),
       maskEditText(m_document->inputs().masks(), cells, mask));
}

void CellEdits::toggle(const std::vector<HeadPlace>& wanted, const HeadMask& brush) {
  const auto cells = maskable(wanted);
  setMask(cells, haveAll(cells, brush) ? HeadMask{} : brush);
}

void CellEdits::setKind(const std::vector<HeadPlace>& wanted, MaskKind kind,
                        const HeadMask& brush) {
  const auto cells = maskable(wanted);
  if (cells.empty()) return;
  std::vector<HeadMask> masks;
  for (const HeadPlace& cell : cells) {
    HeadMask mask = maskOf(cell).kind == MaskKind::None ? brush : maskOf(cell);
    mask.kind = kind;
    masks.push_back(kind == MaskKind::None ? HeadMask{} : mask);
  }
  const bool alike = std::all_of(masks.begin(), masks.end(),
                                 [&](const HeadMask& mask) { return mask == masks.front(); });
  const QString what = alike ? maskText(masks.front()) : coreText(maskKindName(kind));
  push(cells, masks, tr("%1 on %2").arg(what, cellsText(m_document->inputs().masks(), cells)));
}

void CellEdits::setWindow(const std::vector<HeadPlace>& wanted, int window, int stroke) {
  std::vector<HeadPlace> cells;
  std::vector<HeadMask> masks;
  for (const HeadPlace& cell : maskable(wanted)) {
    HeadMask mask = maskOf(cell);
    if (mask.kind == MaskKind::None) continue;
    mask.window = std::clamp(window | 1, 1, kMaxWindow);
    cells.push_back(cell);
    masks.push_back(mask);
  }
  if (cells.empty()) return;
  push(cells, masks,
       tr("window %1×%1 on %2").arg(window).arg(cellsText(m_document->inputs().masks(), cells)),
       stroke);
}

void CellEdits::setAlpha(const std::vector<HeadPlace>& wanted, double alpha, int stroke) {
  std::vector<HeadPlace> cells;
  std::vector<HeadMask> masks;
  for (const HeadPlace& cell : keepMaskable(wanted)) {
    HeadMask mask = maskOf(cell);
    if (mask.kind != MaskKind::Soft) continue;
    mask.alpha = alpha;
    cells.push_back(cell);
    masks.push_back(mask);
  }
  if (cells.empty()) return;
  push(cells, masks,
       tr("α %1 on %2").arg(alpha, 0, 'g', 4).arg(cellsText(m_document->inputs().masks(), cells)),
       stroke);
}

void CellEdits::changeWindow(const std::vector<HeadPlace>& wanted, int steps) {
  const auto cells = maskable(wanted);
  const auto first = std::find_if(cells.begin(), cells.end(), [this](const HeadPlace& cell) {
    return maskOf(cell).kind != MaskKind::None;
  });
  if (first != cells.end())
    setWindow(wanted, std::clamp(maskOf(*first).window + 2 * steps, 1, kMaxWindow));
}

void CellEdits::resetAlphas(const std::vector<HeadPlace>& cells, const QString& none) {
  const MaskScheme& scheme = m_document->inputs().masks();
  std::vector<HeadPlace> soft;
  for (const HeadPlace& cell : cells)
    if (maskOf(cell).kind == MaskKind::Soft) soft.push_back(cell);
  if (soft.empty()) {
    Q_EMIT m_document->message(none);
    return;
  }
  const auto edit = makeResetEdit(
      scheme, soft, tr("learned α reset on %1").arg(cellsText(scheme, soft)).toStdString());
  if (edit) m_document->inputs().pushEdit(*edit);
}

}  // namespace headlight
