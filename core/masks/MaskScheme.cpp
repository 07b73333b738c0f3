// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/masks/MaskScheme.h"

#include <algorithm>
#include <functional>
#include <map>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/masks/RandomScheme.h"

namespace headlight {

MaskScheme::MaskScheme(MaskShape shape, std::string name)
    : m_name(std::move(name)), m_maskableLayers(shape.maskableLayers) {
  for (const int count : shape.heads)
    m_cells.emplace_back(count);
}

MaskShape MaskScheme::shape() const {
  std::vector<int> heads;
  for (const auto& layer : m_cells)
    heads.push_back(static_cast<int>(layer.size()));
  return {heads, m_maskableLayers};
}

MaskScheme::MaskScheme(int layers, int heads, std::string name)
    : MaskScheme(MaskShape(std::vector<int>(layers, heads)), std::move(name)) {}

bool MaskScheme::contains(int layer, int head) const {
  return layer >= 0 && layer < layers() && head >= 0 && head < heads(layer);
}

int MaskScheme::maskedHeads() const {
  int count = 0;
  for (const auto& layer : m_cells)
    for (const auto& cell : layer)
      count += cell.kind != MaskKind::None;
  return count;
}

int MaskScheme::firstDifference(const MaskScheme& other) const {
  for (int l = 0; l < layers(); ++l)
    if (l >= other.layers() || m_cells[l] != other.m_cells[l]) return l;
  return layers();
}

std::string whyNotMaskable(const MaskScheme& scheme) {
  if (scheme.maskableLayers() >= scheme.layers()) return {};
  return scheme.maskableLayers() == 0 ? "this attention has no logits to mask"
                                      : "class attention is never masked";
}

const std::vector<std::string>& maskPresetNames() {
  static const std::vector<std::string> names{"none", "sch1", "sch2", "sch3", "mixed36", "hmait"};
  return names;
}

std::string maskPresetHelp(const std::string& name) {
  static const std::map<std::string, std::string> help{
      {"none", "No head is masked."},
      {"sch1", "One hard-masked head (head 0) in every layer."},
      {"sch2", "All heads but one in the first third, one head until the last sixth, then none."},
      {"sch3", "Soft masks on every head of the first 21 of 24 layers, none after."},
      {"mixed36", "Every head in the first third, one head in the rest."},
      {"hmait",
       "Every head of all stages but the last two, a third of the heads, then none (H-MaiT)."},
  };
  const auto found = help.find(name);
  return found == help.end() ? std::string() : found->second;
}

namespace {

/// The stages that follow the one of `layer`: stages differ in their number of heads. Layers of one
/// stage are counted as four equal stages.
int stagesAfter(const MaskShape& shape, int layer) {
  const int depth = shape.maskableLayers;
  const auto begin = shape.heads.begin();
  if (std::adjacent_find(begin, begin + depth, std::not_equal_to<>()) == begin + depth)
    return 3 - layer * 4 / depth;
  int stages = 0;
  for (int l = layer + 1; l < depth; ++l)
    stages += shape.heads[l] != shape.heads[l - 1];
  return stages;
}

/// H-MaiT §5.4: of [3, 6, 12, 24] heads in the four stages [3, 6, 4, 0] are masked.
int hierarchicalHeads(const MaskShape& shape, int layer) {
  const int after = stagesAfter(shape, layer), heads = shape.heads[layer];
  if (after == 0) return 0;
  return after == 1 ? std::max(1, heads / 3) : heads;
}

}  // namespace

Result<MaskScheme> makeMaskPreset(const std::string& name, const MaskShape& shape, int window,
                                  double alpha) {
  if (const auto like = randomLikeFromText(name)) {
    auto base = makeMaskPreset(like->base, shape, window, alpha);
    const bool changed = base && base->name() != like->base;
    return base ? randomScheme(*like, *base, changed ? name + "*" : name) : base;
  }
  const auto& names = maskPresetNames();
  if (std::find(names.begin(), names.end(), name) == names.end())
    return Error{ErrorCode::InvalidConfig,
                 tr("unknown mask scheme \"") + name +
                     tr("\"; choose none, sch1, sch2, sch3, mixed36, hmait, or "
                        "random-like:NAME@SEED for one of them"),
                 ""};
  const auto& heads = shape.heads;
  const int depth = shape.maskableLayers;
  const auto maskedHeadsIn = [&](int layer) {
    if (name == "sch1") return 1;
    if (name == "sch2")
      return layer < depth / 3 ? heads[layer] - 1 : layer < depth - depth / 6 ? 1 : 0;
    if (name == "sch3") return layer < depth * 21 / 24 ? heads[layer] : 0;
    if (name == "mixed36") return layer < depth / 3 ? heads[layer] : 1;
    if (name == "hmait") return hierarchicalHeads(shape, layer);
    return 0;
  };
  HeadMask mask;
  mask.kind = name == "sch3" ? MaskKind::Soft : MaskKind::Hard;
  mask.window = window;
  mask.alpha = alpha;
  HeadMask published = mask;
  published.window = kPublishedWindow;
  published.alpha = kPublishedAlpha;
  MaskScheme scheme(shape, name);
  for (int l = 0; l < depth; ++l)
    for (int h = 0; h < std::min(maskedHeadsIn(l), heads[l]); ++h)
      scheme.set(l, h, mask);
  if (scheme.maskedHeads() > 0 && !(mask == published)) scheme.setName(name + "*");
  return scheme;
}

std::string withoutStar(const std::string& name) {
  return name.ends_with('*') ? name.substr(0, name.size() - 1) : name;
}

std::optional<PresetValues> changedPresetValues(const MaskScheme& scheme) {
  HeadMask first;
  for (int l = scheme.layers() - 1; l >= 0; --l)
    for (int h = scheme.heads(l) - 1; h >= 0; --h)
      if (scheme.at(l, h).kind != MaskKind::None) first = scheme.at(l, h);
  const auto preset =
      makeMaskPreset(withoutStar(scheme.name()), scheme.shape(), first.window, first.alpha);
  if (!preset || !(*preset == scheme) || !preset->name().ends_with('*')) return std::nullopt;
  PresetValues values;
  values.window = first.window;
  if (first.kind == MaskKind::Soft) values.alpha = first.alpha;
  return values;
}

std::string schemeTitle(const MaskScheme& scheme) {
  return schemeTitle(scheme.name(), changedPresetValues(scheme));
}

std::string schemeTitle(const std::string& name, const std::optional<PresetValues>& values) {
  if (!values) return name;
  std::string text = withoutStar(name) + "* (";
  const bool window = values->window != kPublishedWindow;
  const std::string size = std::to_string(values->window);
  if (window) text += size + "×" + size;
  if (values->alpha == kPublishedAlpha) return text + ")";
  return text + (window ? ", α " : "α ") + numberText(values->alpha) + ")";
}

}  // namespace headlight
