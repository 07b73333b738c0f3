// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/MaskSight.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "core/base/Translation.h"
#include "core/workbench/session/MaskSightGrids.h"

namespace headlight {
namespace {

constexpr float kContour = 0.5f;  ///< of a learned mask's largest value

using Inside = std::vector<std::uint8_t>;

bool hasLayer(const MaskSightRequest& request) {
  return request.layer >= 0 && request.layer < request.masks.layers() &&
         request.head < request.masks.heads(request.layer);
}

/// The grid of the layer's maps; the model's where there are none yet.
Grid layerGrid(const MaskSightRequest& request) {
  const auto layer = static_cast<std::size_t>(request.layer);
  if (!request.inference || layer >= request.inference->maps.layers.size())
    return request.model.grid;
  const LayerMaps& maps = request.inference->maps.layers[layer];
  return maps.empty() ? request.model.grid : maps.grid;
}

/// The mask of the head; of the mean, that of all heads where it is one.
std::optional<HeadMask> sharedMask(const MaskSightRequest& request) {
  const auto& heads = request.masks.layer(request.layer);
  if (request.head >= 0) return heads[static_cast<std::size_t>(request.head)];
  const bool alike = std::all_of(heads.begin(), heads.end(), [&](const HeadMask& mask) {
    return mask.looksLike(heads.front());
  });
  return alike && !heads.empty() ? std::optional(heads.front()) : std::nullopt;
}

bool isMasked(const MaskSightRequest& request) {
  const auto& heads = request.masks.layer(request.layer);
  return std::any_of(heads.begin(), heads.end(),
                     [](const HeadMask& mask) { return mask.kind != MaskKind::None; });
}

/// The α that the head has now: of the mean, of the first head.
double alphaNow(const MaskSightRequest& request, const HeadMask& mask) {
  const SoftAlphas& alphas = request.inference ? request.inference->alphas : request.model.alphas;
  const auto layer = static_cast<std::size_t>(request.layer);
  const auto head = static_cast<std::size_t>(std::max(0, request.head));
  if (layer >= alphas.size() || head >= alphas[layer].size()) return mask.alpha;
  const float alpha = alphas[layer][head];
  return std::isfinite(alpha) ? alpha : mask.alpha;
}

/// Whether a logit of 0 is no weight at all (IBiT, Algorithm 2 as printed).
bool hasNoSoftmax(const ModelConfig& model) {
  return model.mechanism == "learned_mask" && model.attention.is_object() &&
         model.attention.value("placement", "weights") == "products";
}

/// The kinds of mask that leave nothing outside where there is no softmax. Soft masks and decays
/// scale as they do with one.
std::string productText(const HeadMask& mask) {
  return maskKindName(mask.kind) + tr(": products outside become 0, so they get nothing");
}

std::string kindText(const MaskSightRequest& request, const HeadMask& mask) {
  const bool selects =
      mask.kind == MaskKind::Hard || mask.kind == MaskKind::Strict || mask.kind == MaskKind::Random;
  if (selects && hasNoSoftmax(request.model.experiment.model)) return productText(mask);
  char soft[256];
  switch (mask.kind) {
    case MaskKind::None:
      break;
    case MaskKind::Hard:
      return tr("hard: logits outside become 0, so they still get exp(0)");
    case MaskKind::Soft:
      std::snprintf(soft, sizeof soft, tr("soft: logits outside are multiplied by α = %.3g"),
                    alphaNow(request, mask));
      return soft;
    case MaskKind::Strict:
      return tr("strict: logits outside become −∞, so they get nothing");
    case MaskKind::Random:
      return tr("random: logits outside become 0, so they still get exp(0)");
    case MaskKind::Decay:
      std::snprintf(soft, sizeof soft,
                    tr("decay: weights are multiplied by %.3g for every patch of distance; "
                       "outlined where half is left"),
                    mask.gamma);
      return soft;
  }
  return "";
}

/// Patches where a learned mask is at least half of its largest value; empty where there is none.
Inside learnedInside(const MaskSightRequest& request, int token) {
  if (!request.inference || request.head < 0) return {};
  for (const LearnedMap& map : request.inference->learned) {
    const auto layer = static_cast<std::size_t>(request.layer);
    if (map.name != "learned_mask" || layer >= map.maps.layers.size()) continue;
    const LayerMaps& maps = map.maps.layers[layer];
    if (maps.empty() || request.head >= maps.heads) continue;
    const std::vector<float> values = patchesSeenBy(maps, request.head, token);
    const float most = *std::max_element(values.begin(), values.end());
    Inside inside;
    for (const float value : values)
      inside.push_back(most > 0 && value >= kContour * most);
    return inside;
  }
  return {};
}

void append(std::string& text, const std::string& more) {
  if (more.empty()) return;
  text += (text.empty() ? "" : " · ") + more;
}

std::string noEffectText(const std::string& why) {
  return why.empty() ? "" : tr("no effect here: ") + why;
}

/// What lets a head look outside all the same; often nothing.
std::string besideMask(const ModelConfig& model, int layer) {
  if (model.mechanism == "talking_heads") return tr("heads are mixed after it");
  if (model.mechanism == "lsla" && model.attention.value("outer_bias", true))
    return tr("the outer bias is added after it");
  const int local = std::min(model.layout.value("local_layers", 10),
                             model.classToken ? model.depth - 1 : model.depth);
  if (model.mechanism == "gated_positional" && layer < local)
    return tr("the part that goes by position is not masked");
  return "";
}

void addWindow(MaskSight& sight, const MaskSightRequest& request, const HeadMask& mask,
               const Grid& grid, int token) {
  const std::string lost = whyNoMaskEffect(request.model.experiment.model, request.layer);
  if (token < grid.prefix) {
    append(sight.text, tr("this token sees everything; choose a patch to see its window"));
    return append(sight.text, noEffectText(lost));
  }
  // The model says it too when it is run; here nothing is outlined.
  const auto inside = guarded("masks", [&] {
    return patchesInside({request.model.experiment.model, request.layer, std::max(0, request.head),
                          grid, token - grid.prefix},
                         mask);
  });
  if (!inside) return append(sight.text, inside.error().message);
  const PatchesInside& patches = *inside;
  if (patches.all) return append(sight.text, noEffectText(tr("the window covers every patch")));
  sight.window = patchOutline(patches.inside, grid.rows, grid.cols);
  append(sight.text, noEffectText(lost));
}

void addLearned(MaskSight& sight, const MaskSightRequest& request, const Grid& grid, int token) {
  const Inside inside = learnedInside(request, token);
  if (inside.empty() || token < grid.prefix) return;
  sight.learned = patchOutline(inside, grid.rows, grid.cols);
  append(sight.text, tr("learned mask: outlined where it is at least half of its largest value"));
}

/// Whether classify() reads patches, and not only the tokens before them.
bool readsPatches(const ModelConfig& model) {
  if (model.backbone == "convit") return !model.classToken;
  if (model.backbone != "vit") return true;
  const std::string pooling = model.layout.value("pooling", "auto");
  return pooling == "auto" ? !model.classToken : pooling != "token";
}

}  // namespace

std::string whyNoMaskEffect(const ModelConfig& model, int layer) {
  if (layer != model.layers() - 1 || readsPatches(model)) return {};
  return tr("the last layer's patches are not read");
}

MaskSight maskSight(const MaskSightRequest& request) {
  MaskSight sight;
  if (!hasLayer(request)) return sight;
  const Grid grid = layerGrid(request);
  sight.rows = grid.rows;
  sight.cols = grid.cols;
  const int token = queryInLayer(request.query, request.model.grid, grid);
  if (token < 0) return sight;
  const auto mask = sharedMask(request);
  if (!mask) {
    if (isMasked(request)) sight.text = tr("masks differ from head to head; choose one head");
  } else if (mask->kind != MaskKind::None) {
    sight.kind = mask->kind;
    sight.text = kindText(request, *mask);
    append(sight.text, besideMask(request.model.experiment.model, request.layer));
    addWindow(sight, request, *mask, grid, token);
  }
  addLearned(sight, request, grid, token);
  return sight;
}

}  // namespace headlight
