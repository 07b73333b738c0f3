// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/CellEdits.h"

#include <algorithm>
#include <cmath>

#include "ui/base/CoreText.h"
#include "ui/document/Document.h"
#include "ui/document/MaskText.h"

namespace headlight {
namespace {

constexpr int kMaxWindow = 255, kMostPixels = 9999;

bool hasWindow(const HeadMask& mask) {
  return mask.kind != MaskKind::None && mask.kind != MaskKind::Decay &&
         (mask.region.kind != RegionKind::Drawn || mask.kind == MaskKind::Random);
}

/// Whether its kind acts on a region.
bool hasRegion(const HeadMask& mask) {
  return mask.kind == MaskKind::Hard || mask.kind == MaskKind::Soft ||
         mask.kind == MaskKind::Strict;
}

QString starred(const QString& name) {
  return name.endsWith(QLatin1Char('*')) ? name : name + QLatin1Char('*');
}

}  // namespace

const HeadMask& CellEdits::maskOf(const HeadPlace& cell) const {
  return m_document->inputs().masks().at(cell.layer, cell.head);
}

bool CellEdits::isMaskable(const HeadPlace& cell) const {
  const MaskScheme& scheme = m_document->inputs().masks();
  return cell.layer < scheme.maskableLayers() && scheme.contains(cell.layer, cell.head);
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
    if (kind == MaskKind::Random && !mask.region.isPlain()) {
      mask.region = {};
      mask.window = std::clamp(mask.window | 1, 1, kMaxWindow);
    }
    masks.push_back(kind == MaskKind::None ? HeadMask{} : mask);
  }
  const bool alike = std::all_of(masks.begin(), masks.end(),
                                 [&](const HeadMask& mask) { return mask == masks.front(); });
  const QString what = alike ? maskText(masks.front()) : coreText(maskKindName(kind));
  push(cells, masks, tr("%1 on %2").arg(what, cellsText(m_document->inputs().masks(), cells)));
}

void CellEdits::setWindow(const std::vector<HeadPlace>& cells, int window, int stroke) {
  const Window patches{std::clamp(window | 1, 1, kMaxWindow), false};
  const auto pixels = std::find_if(cells.begin(), cells.end(), [this](const HeadPlace& cell) {
    return isMaskable(cell) && hasWindow(maskOf(cell)) && maskOf(cell).region.inPixels;
  });
  if (pixels != cells.end())
    Q_EMIT m_document->message(
        tr("The window is now %1 patches, in place of %2.")
            .arg(windowText(patches), windowText({maskOf(*pixels).window, true})));
  pushWindow(cells, patches, stroke);
}

QString CellEdits::windowText(const Window& window) {
  return window.inPixels ? tr("%1 pixels").arg(window.size)
                         : QStringLiteral("%1×%1").arg(window.size);
}

/// A random mask has no window in pixels.
void CellEdits::pushWindow(const std::vector<HeadPlace>& wanted, const Window& window, int stroke) {
  std::vector<HeadPlace> cells;
  std::vector<HeadMask> masks;
  for (const HeadPlace& cell : maskable(wanted)) {
    HeadMask mask = maskOf(cell);
    if (!hasWindow(mask) || (window.inPixels && mask.kind == MaskKind::Random)) continue;
    mask.window = window.size;
    mask.region.inPixels = window.inPixels;
    mask.region.stride = std::min(mask.region.stride, mask.window);
    cells.push_back(cell);
    masks.push_back(mask);
  }
  if (cells.empty()) return;
  push(
      cells, masks,
      tr("window %1 on %2").arg(windowText(window), cellsText(m_document->inputs().masks(), cells)),
      stroke);
}

void CellEdits::setAlpha(const std::vector<HeadPlace>& wanted, double alpha, int stroke) {
  pushOfKind(
      wanted, MaskKind::Soft, [alpha](HeadMask& mask) { mask.alpha = alpha; },
      tr("α %1").arg(alpha, 0, 'g', 4), stroke);
}

void CellEdits::setGamma(const std::vector<HeadPlace>& wanted, double gamma, int stroke) {
  pushOfKind(
      wanted, MaskKind::Decay, [gamma](HeadMask& mask) { mask.gamma = gamma; },
      tr("γ %1").arg(gamma, 0, 'g', 4), stroke);
}

/// Where no cell has such a mask, nothing happens and nothing is said.
void CellEdits::pushOfKind(const std::vector<HeadPlace>& wanted, MaskKind kind,
                           const std::function<void(HeadMask&)>& change, const QString& what,
                           int stroke) {
  std::vector<HeadPlace> cells;
  std::vector<HeadMask> masks;
  for (const HeadPlace& cell : keepMaskable(wanted)) {
    HeadMask mask = maskOf(cell);
    if (mask.kind != kind) continue;
    change(mask);
    cells.push_back(cell);
    masks.push_back(mask);
  }
  if (cells.empty()) return;
  push(cells, masks, tr("%1 on %2").arg(what, cellsText(m_document->inputs().masks(), cells)),
       stroke);
}

void CellEdits::setRegion(const std::vector<HeadPlace>& wanted, const HeadMask& mask) {
  const auto cells = maskable(wanted);
  if (cells.empty()) return;
  std::vector<HeadMask> masks;
  for (const HeadPlace& cell : cells) {
    HeadMask changed = hasRegion(maskOf(cell)) ? maskOf(cell) : mask;
    changed.window = mask.window;
    changed.region = mask.region;
    masks.push_back(changed);
  }
  push(cells, masks,
       tr("region %1 on %2").arg(maskText(mask), cellsText(m_document->inputs().masks(), cells)));
}

void CellEdits::changeWindow(const std::vector<HeadPlace>& wanted, int steps) {
  const auto cells = maskable(wanted);
  const auto first = std::find_if(cells.begin(), cells.end(), [this](const HeadPlace& cell) {
    return hasWindow(maskOf(cell));
  });
  if (first == cells.end()) return;
  const HeadMask& mask = maskOf(*first);
  if (!mask.region.inPixels)
    return setWindow(wanted, std::clamp(mask.window + 2 * steps, 1, kMaxWindow));
  const ModelConfig& model = m_document->inputs().model().experiment.model;
  const int patch = static_cast<int>(std::lround(model.pixelsPerPatch(first->layer)));
  const int least = std::max(1, std::min(patch, mask.window));
  pushWindow(wanted, {std::clamp(mask.window + 2 * steps * patch, least, kMostPixels), true}, -1);
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
