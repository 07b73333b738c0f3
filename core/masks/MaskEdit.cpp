// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/masks/MaskEdit.h"

#include <algorithm>

#include "core/base/Translation.h"

namespace headlight {
namespace {

Error noSuchCell(const MaskScheme& scheme, int layer, int head) {
  std::string message = "no head " + std::to_string(head) + " in layer " + std::to_string(layer) +
                        "; the model has layers 0 to " + std::to_string(scheme.layers() - 1);
  if (layer >= 0 && layer < scheme.layers())
    message += " and this layer heads 0 to " + std::to_string(scheme.heads(layer) - 1);
  return {ErrorCode::InvalidConfig, message, "masks"};
}

/// Ok if the cell is there and can be masked, or the mask is `none`.
Result<void> checkCell(const MaskScheme& scheme, int layer, int head, const HeadMask& mask) {
  if (!scheme.contains(layer, head)) return noSuchCell(scheme, layer, head);
  if (layer < scheme.maskableLayers() || mask.kind == MaskKind::None) return {};
  return Error{
      ErrorCode::InvalidConfig,
      "layer " + std::to_string(layer) + tr(" cannot be masked: ") + whyNotMaskable(scheme),
      "masks"};
}

/// The change that sets `mask`; nothing where the cell has it.
void addChange(const MaskScheme& scheme, int layer, int head, HeadMask mask, MaskEdit& edit) {
  const HeadMask& before = scheme.at(layer, head);
  mask.resets = before.resets;
  if (!(before == mask)) edit.changes.push_back({layer, head, before, mask});
}

std::string starred(const std::string& name) {
  return name.ends_with('*') ? name : name + "*";
}

}  // namespace

MaskEdit MaskEdit::inverse() const {
  MaskEdit result{label, changes, nameAfter, nameBefore};
  std::reverse(result.changes.begin(), result.changes.end());
  for (auto& change : result.changes)
    std::swap(change.before, change.after);
  return result;
}

Result<MaskEdit> makeMaskEdit(const MaskScheme& scheme, const std::vector<HeadPlace>& cells,
                              const HeadMask& mask, const std::string& label) {
  MaskEdit edit{label, {}, scheme.name(), starred(scheme.name())};
  for (const auto& [layer, head] : cells) {
    if (auto cell = checkCell(scheme, layer, head, mask); !cell) return cell.error();
    addChange(scheme, layer, head, mask, edit);
  }
  return edit;
}

Result<MaskEdit> makeMaskEdit(const MaskScheme& from, const MaskScheme& to,
                              const std::string& label) {
  MaskEdit edit{label, {}, from.name(), to.name()};
  for (int l = 0; l < to.layers(); ++l)
    for (int h = 0; h < to.heads(l); ++h) {
      if (auto cell = checkCell(from, l, h, to.at(l, h)); !cell) return cell.error();
      addChange(from, l, h, to.at(l, h), edit);
    }
  return edit;
}

Result<MaskEdit> makeResetEdit(const MaskScheme& scheme, const std::vector<HeadPlace>& cells,
                               const std::string& label) {
  MaskEdit edit{label, {}, scheme.name(), scheme.name()};
  for (const auto& [layer, head] : cells) {
    if (!scheme.contains(layer, head)) return noSuchCell(scheme, layer, head);
    HeadMask after = scheme.at(layer, head);
    if (after.kind != MaskKind::Soft) continue;
    ++after.resets;
    edit.changes.push_back({layer, head, scheme.at(layer, head), after});
  }
  return edit;
}

Result<void> applyMaskEdit(MaskScheme& scheme, const MaskEdit& edit) {
  for (const auto& change : edit.changes)
    if (auto cell = checkCell(scheme, change.layer, change.head, change.after); !cell)
      return cell.error();
  for (const auto& change : edit.changes)
    scheme.set(change.layer, change.head, change.after);
  if (!edit.nameAfter.empty()) scheme.setName(edit.nameAfter);
  return {};
}

}  // namespace headlight
